"""Forecasts: the closed form is the mean of simulations of its model, and both directions agree."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

import neyman
from core.design.design import Design
from core.design.recommend import fine, recommend
from core.design.scheme import PAPER, Scheme
from core.errors import DesignError
from core.pool.pool import Pool
from core.prospect.forecast import curve, forecast, grid, labels_for, middle_risks, risks_of, textbook_size
from core.prospect.prior import belief
from core.prospect.sampling_frame import (
    ASSUMED,
    CHOSEN,
    METHODS,
    VERY_MANY,
    Partition,
    SamplingFrame,
    assumed_frame,
    design_frame,
    frame,
    gate_scheme,
    layout,
    pool_frame,
)
from core.simulation.exact import exact_mse
from core.stratification.profiles import Stratification, signal_profile

COLUMNS = ["method", "half_width", "half_width_low", "half_width_high", "worst"]


def small_pool(n_items: int = 120, seed: int = 1) -> Pool:
    """A pool of four generations an item and groups."""
    rng = np.random.default_rng(seed)
    letters = np.array(list("abc"))
    records = [
        {"id": str(i), "generations": letters[rng.integers(0, 1 + i % 3, 4)].tolist(), "group": "xy"[i % 2]}
        for i in range(n_items)
    ]
    return Pool.from_records(records, name="small")


def errors_of(draws: NDArray[np.bool_], strata: NDArray[np.int64], counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """`exact_mse` of each of many pools, all at once."""
    sizes, losses = np.bincount(strata), draws.astype(float)
    within = np.stack([losses[:, strata == h].var(axis=1, ddof=1) for h in range(sizes.size)], axis=1)
    errors: NDArray[np.float64] = within @ ((sizes / sizes.sum()) ** 2 * (1 - counts / sizes) / counts)
    assert errors[0] == pytest.approx(exact_mse(losses[0], strata, counts), rel=1e-12)
    return errors


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("budget", [12, 40])
def test_the_closed_form_is_the_mean_of_simulated_losses(method: str, budget: int) -> None:
    pool = small_pool()
    items = pool_frame(pool)
    p = risks_of(items, 0.7, 0.75)
    cut = layout(items, method, budget)
    strata = np.zeros(pool.n_items, dtype=np.int64)
    if method == "proxy-neyman":
        strata_cut = PAPER.stratify(items.paper)
        strata = items.paper.stratum(strata_cut)
    elif method == "recommended":
        strata_cut = fine(items.scheme, budget, pool.n_items).stratify(items.profile)
        strata = items.profile.stratum(strata_cut)
    rng = np.random.default_rng(7)
    draws = rng.random((3000, pool.n_items)) < p[items.level]
    errors = errors_of(draws, strata, cut.counts)
    assert abs(errors.mean() - cut.mse(p)) < 4 * errors.std(ddof=1) / math.sqrt(errors.size)


@pytest.mark.parametrize("scheme", [Scheme(n_strata=3), Scheme(signal="group"), Scheme(allocation="uniform")])
def test_chosen_strata_are_forecast_as_a_plan_draws_from_them(scheme: Scheme) -> None:
    pool = small_pool()
    plan = Design(40, scheme, seed=0).draw(pool)
    items = design_frame(pool, recommend(pool, 40), chosen=Partition(scheme, plan.strata, plan.stratum))
    cut, p = layout(items, CHOSEN, 40), risks_of(items, 0.7, 0.75)
    assert cut.counts.tolist() == plan.allocation.tolist() and cut.sizes.tolist() == plan.strata.sizes.tolist()
    draws = np.random.default_rng(8).random((3000, pool.n_items)) < p[items.level]
    errors = errors_of(draws, plan.stratum, plan.allocation)
    assert abs(errors.mean() - cut.mse(p)) < 4 * errors.std(ddof=1) / math.sqrt(errors.size)
    assert items.methods == (*METHODS, CHOSEN)
    table = curve(items, belief(0.7, 0.75), [1, 40])
    assert table.loc[table["method"] == CHOSEN, "budget"].tolist() == ([1, 40] if plan.strata.n_strata == 1 else [40])
    half_width = layout(items, CHOSEN, 40).half_width(p)
    assert labels_for(items, p, CHOSEN, half_width) == 40
    with pytest.raises(DesignError):
        layout(pool_frame(pool), CHOSEN, 40)


def test_chosen_strata_of_a_large_pool_all_have_an_item_that_stands_for_them() -> None:
    signal = np.linspace(0, 1, 60_000)
    along = signal_profile(signal, 1 - 0.5 * signal)
    stratum = np.zeros(60_000, dtype=np.int64)
    stratum[[7, 40_001]] = 1, 2
    strata = Stratification(stratum, np.bincount(stratum), np.ones(3), np.zeros(3), np.ones(3), by_item=True)
    items = frame(60_000, along, along, PAPER, "a signal", Partition(Scheme(n_strata=3), strata, stratum))
    cut = layout(items, CHOSEN, 50)
    assert cut.sizes.tolist() == [59_998, 1, 1] and cut.first.size == 3


def test_two_waves_are_not_forecast() -> None:
    plan = Design(40, Scheme(waves=2), seed=0).draw(small_pool())
    with pytest.raises(DesignError, match="second"):
        Partition(plan.design.scheme, plan.strata, plan.stratum)


def test_uniform_is_the_textbook_variance() -> None:
    items = assumed_frame(300)
    p = risks_of(items, 0.45, 0.5)
    # D7: 45 right of 100 drawn from 300, standard error 0.0408.
    assert math.sqrt(layout(items, "uniform", 100).mse(p)) == pytest.approx(0.0408, abs=5e-4)


def test_the_face_forecasts_a_row_a_method() -> None:
    table = neyman.forecast(3000, 150, 0.8, auroc=0.7)
    assert list(table.columns) == COLUMNS and table["method"].tolist() == list(METHODS)
    assert (table["half_width_low"] < table["half_width"]).all()
    assert (table["half_width"] < table["half_width_high"]).all()
    assert (table["half_width"] < table["worst"]).all()
    assert table.attrs["signal"] == ASSUMED
    assert table["half_width"].iloc[2] < table["half_width"].iloc[0]


def test_a_pool_without_generations_has_no_paper_design() -> None:
    pool = Pool.from_records([{"id": str(i), "group": "ab"[i % 2]} for i in range(40)], name="bare")
    assert forecast(pool, 10, 0.8)["method"].tolist() == ["uniform", "recommended"]
    nothing = Pool.from_records([{"id": str(i)} for i in range(40)], name="nothing")
    widths = forecast(nothing, 10, 0.8)["half_width"]
    assert widths[0] == pytest.approx(widths[1])


def test_more_confidence_and_fewer_labels_are_wider() -> None:
    narrow, wide = (forecast(None, 150, 0.8, confidence=level)["half_width"] for level in (0.9, 0.99))
    few = forecast(None, 50, 0.8)["half_width"]
    assert (narrow < wide).all() and (forecast(None, 150, 0.8)["half_width"] < few).all()


@pytest.mark.parametrize("n_items", [500, None])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("half_width", [0.04, 0.1])
def test_labels_for_a_half_width_are_the_fewest(n_items: int | None, method: str, half_width: float) -> None:
    items = assumed_frame(n_items)
    p = risks_of(items, 0.8, 0.65)
    labels = labels_for(items, p, method, half_width)
    assert layout(items, method, labels).half_width(p) <= half_width
    assert layout(items, method, labels - 1).half_width(p) > half_width


def test_a_census_has_no_width_and_is_what_a_tiny_width_takes() -> None:
    items = assumed_frame(50)
    p = risks_of(items, 0.8, 0.65)
    assert layout(items, "recommended", 50).half_width(p) == 0
    assert labels_for(items, p, "uniform", 1e-6) == 50
    assert labels_for(assumed_frame(), risks_of(assumed_frame(), 0.8, 0.65), "uniform", 1e-5) is None


# R: samplingbook 1.2.4, sample.size.prop(e, P, N, level).
@pytest.mark.parametrize(
    ("half_width", "accuracy", "n_items", "confidence", "labels"),
    [
        (0.01, 0.5, None, 0.95, 9604),
        (0.05, 0.5, 300, 0.95, 169),
        (0.05, 0.5, None, 0.95, 385),
        (0.03, 0.5, None, 0.95, 1068),
        (0.08, 0.45, 300, 0.95, 100),
        (0.02, 0.25, None, 0.95, 1801),
    ],
)
def test_textbook_sizes(
    half_width: float, accuracy: float, n_items: int | None, confidence: float, labels: int
) -> None:
    assert textbook_size(half_width, accuracy, n_items, confidence) == labels


def test_the_textbook_is_near_the_interval_s_own_number() -> None:
    items = assumed_frame()
    assert labels_for(items, None, "uniform", 0.05) == pytest.approx(385, rel=0.05)


def test_a_large_pool_is_represented_by_some_of_its_items() -> None:
    def frame_of(n_items: int) -> SamplingFrame:
        signal = np.linspace(0, 1, n_items) ** 2
        along = signal_profile(signal, 1 - 0.5 * signal)
        return frame(n_items, along, along, PAPER, "a signal")

    few, many = frame_of(20_000), frame_of(100_000)
    assert many.profile.signal.size == 20_000
    assert layout(many, "recommended", 400).sizes.sum() == 100_000
    wide, narrow = (curve(one, belief(0.8), [400])["half_width"] for one in (few, many))
    assert wide.to_numpy() == pytest.approx(narrow.to_numpy(), rel=0.01)


def test_curves_have_round_budgets_and_the_given_one() -> None:
    assert {10, 100, 137, 1000} <= set(grid(assumed_frame(), 137))
    assert grid(assumed_frame(30), 100) == sorted({*grid(assumed_frame(30)), 30})
    assert max(grid(assumed_frame(), 5000)) == 10_000
    assert assumed_frame().n_items == VERY_MANY


def test_without_a_belief_in_the_signal_strata_gain_nothing() -> None:
    items = assumed_frame()
    table = curve(items, belief(0.8, (0.5, 0.5)), [200]).set_index("method")
    assert table.loc["recommended", "relative_mse"] >= 1 - 1e-9
    assert middle_risks(items, belief(0.8, (0.5, 0.5))) == pytest.approx(0.2)


@pytest.mark.parametrize("budget", [0, 101, 1.5])
def test_budgets_out_of_range_are_refused(budget: float) -> None:
    with pytest.raises(DesignError):
        forecast(100, budget, 0.8)


def test_widths_and_methods_out_of_range_are_refused() -> None:
    with pytest.raises(DesignError):
        labels_for(assumed_frame(), None, "uniform", 1.0)
    with pytest.raises(DesignError):
        layout(assumed_frame(), "oracle-neyman", 10)
    with pytest.raises(DesignError):
        assumed_frame(1)
    with pytest.raises(DesignError):
        textbook_size(2.0)


@pytest.mark.parametrize("budget", [7, 20, 33, 60, 119, 120])
@pytest.mark.parametrize("method", ["recommended", "gate"])
def test_labels_are_shared_as_the_design_does(budget: int, method: str) -> None:
    pool = small_pool()
    items = pool_frame(pool)
    scheme = fine(items.scheme, budget, pool.n_items) if method == "recommended" else gate_scheme(items.scheme)
    expected = scheme.allocate(scheme.stratify(items.profile), budget)
    assert layout(items, method, budget).counts.tolist() == expected.tolist()
