"""AUROC against all pairs, calibration by hand, and the preview against the exact error of the design."""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import DesignError, PoolError
from core.pool import Pool
from core.signals import auroc, calibration, expected_error, past_results, signal, worth
from core.simulation import exact_mse, uniform_mse
from tests.core.signals.test_risk import records, without

NAN = math.nan
pairs = st.lists(
    st.tuples(st.sampled_from([0.0, 0.1, 0.5, 0.9, 1.0, NAN]), st.sampled_from([0.0, 1.0, NAN])), max_size=40
)


@given(pairs)
def test_auroc_is_the_share_of_pairs_in_order(items: list[tuple[float, float]]) -> None:
    known = [(p, y) for p, y in items if not (math.isnan(p) or math.isnan(y))]
    wins = [(a > b) + 0.5 * (a == b) for a, y in known for b, x in known if y == 1 and x == 0]
    found = auroc([p for p, _ in items], [y for _, y in items])
    assert math.isnan(found) if not wins else found == pytest.approx(np.mean(wins), abs=1e-12)
    mirrored = auroc([-p for p, _ in items], [1 - y for _, y in items])
    assert math.isnan(mirrored) if not wins else mirrored == pytest.approx(found, abs=1e-12)


def test_graded_losses_have_no_auroc() -> None:
    assert math.isnan(auroc([0.1, 0.2, 0.3], [0.0, 0.5, 1.0]))
    with pytest.raises(ValueError, match="shapes"):
        auroc([0.1], [0.0, 1.0])


def test_calibration_by_hand() -> None:
    table = calibration([0.1, 0.1, 0.3, 0.5, 0.9, 0.7, NAN, 0.5], [0, 1, 0, 1, 1, 1, 1, NAN], bins=3)
    assert table["items"].tolist() == [2, 2, 2]
    np.testing.assert_allclose(table["low"], [0.1, 0.3, 0.7])
    np.testing.assert_allclose(table["high"], [0.1, 0.5, 0.9])
    np.testing.assert_allclose(table["predicted"], [0.1, 0.4, 0.8])
    np.testing.assert_allclose(table["observed"], [0.5, 0.5, 1])
    np.testing.assert_allclose(table["standard_error"], np.sqrt([0.18, 0.46, 0.30]) / 2)


@given(pairs, st.integers(1, 12))
def test_every_item_is_in_one_bin_and_equal_risks_stay_together(items: list[tuple[float, float]], bins: int) -> None:
    known = [(p, y) for p, y in items if not (math.isnan(p) or math.isnan(y))]
    table = calibration([p for p, _ in items], [y for _, y in items], bins)
    assert table["items"].sum() == len(known) and len(table) <= bins
    assert np.all(table["high"].to_numpy()[:-1] < table["low"].to_numpy()[1:])
    assert (table["items"] * table["observed"]).sum() == pytest.approx(sum(y for _, y in known))


def test_calibration_needs_a_bin() -> None:
    with pytest.raises(DesignError, match="at least 1"):
        calibration([0.5], [1.0], bins=0)


@pytest.mark.parametrize(("quality", "accuracy"), [(0.65, 0.5), (0.75, 0.9), (0.85, 0.75)])
def test_the_expected_error_is_that_of_a_binormal_pool(quality: float, accuracy: float) -> None:
    rng = np.random.default_rng(0)
    n = 400_000
    losses = (rng.random(n) > accuracy).astype(float)
    shift = {0.65: 0.54493, 0.75: 0.95387, 0.85: 1.46574}[quality]
    values = rng.normal(size=n) + shift * losses
    assert auroc(values, losses) == pytest.approx(quality, abs=0.004)
    strata = np.empty(n, dtype=int)
    strata[np.argsort(values)] = np.arange(n) // (n // 20)
    error = exact_mse(losses, strata, [50] * 20) / uniform_mse(losses, 1000)
    assert expected_error(quality, accuracy) == pytest.approx(error, abs=0.004)


def test_expected_errors_at_the_ends() -> None:
    assert expected_error(0.5) == pytest.approx(1, abs=1e-6)
    assert expected_error(0.9, n_strata=1) == pytest.approx(1, abs=1e-9)
    assert expected_error(0.9, 1.0) == expected_error(0.9, 0.0) == 1
    errors = [expected_error(a) for a in (0.55, 0.7, 0.9, 0.99)]
    assert errors == sorted(errors, reverse=True) and errors[-1] > 0


@pytest.mark.parametrize("wrong", [(0.4, 0.5, 20), (1.0, 0.5, 20), (0.7, 1.1, 20), (0.7, 0.5, 0)])
def test_impossible_parameters_are_refused(wrong: tuple[float, float, int]) -> None:
    with pytest.raises(DesignError):
        expected_error(*wrong)


@pytest.fixture(scope="module")
def rows() -> list[dict[str, Any]]:
    return records(400, 4, seed=3)


@pytest.fixture(scope="module")
def pool(rows: list[dict[str, Any]]) -> Pool:
    return Pool.from_records(rows)


def test_a_preview_is_exact_on_the_past_models(pool: Pool) -> None:
    made = worth(pool, "past-results", target="m0")
    errors = []
    for name, others in (("m1", ("m2", "m3")), ("m2", ("m1", "m3")), ("m3", ("m1", "m2"))):
        values = past_results(np.column_stack([pool.losses(other) for other in others]))
        strata = np.empty(400, dtype=int)
        strata[np.argsort(values, kind="stable")] = np.arange(400) // 20
        errors.append(exact_mse(pool.losses(name), strata, [3] * 20) / uniform_mse(pool.losses(name), 60))
    assert made.models == 3
    np.testing.assert_allclose([made.error, made.low, made.high], [np.mean(errors), min(errors), max(errors)])


@pytest.mark.parametrize("name", ["semantic-entropy", "agreement", "past-results", "risk"])
def test_a_preview_never_looks_at_the_target_s_losses(pool: Pool, rows: list[dict[str, Any]], name: str) -> None:
    assert worth(pool, name, target="m0") == worth(without(rows, "m0", "loss"), name, target="m0")


def test_without_outcomes_an_assumption_is_named(pool: Pool) -> None:
    assumed = {name: worth(pool, name, target="m0", past=()) for name in ("semantic-entropy", "agreement")}
    for made, quality in zip(assumed.values(), (0.65, 0.75), strict=True):
        assert made.models == 0 and str(quality) in made.why and made.low < made.error < made.high
        assert made.error == expected_error(quality)
    # One past model cannot be predicted from others.
    made = worth(pool, "past-results", target="m0", past=["m1"], accuracy=0.9)
    assert made.models == 0 and made.error == expected_error(0.85, 0.9)


def test_better_signals_are_worth_more(pool: Pool) -> None:
    errors = {name: worth(pool, name, target="m0").error for name in ("semantic-entropy", "past-results", "risk")}
    assert errors["risk"] < errors["past-results"] < errors["semantic-entropy"] < 1
    noise = worth(pool, "risk", target="m0", risk=np.random.default_rng(0).random(400))
    assert 0.9 < noise.error < 1.1


def test_a_signal_that_cannot_be_made_has_no_worth(pool: Pool) -> None:
    with pytest.raises(PoolError, match="no column"):
        worth(pool, "column", column="x")


def test_a_million_items_are_judged_in_seconds() -> None:
    rng = np.random.default_rng(0)
    risk = rng.random(1_000_000)
    losses = (rng.random(1_000_000) < risk).astype(float)
    start = time.process_time()
    assert auroc(risk, losses) > 0.8
    table = calibration(risk, losses)
    assert time.process_time() - start < 5
    assert np.all(np.abs(table["observed"] - table["predicted"]) < 5 * table["standard_error"])


def test_known_outcomes_show_what_a_risk_is_worth(pool: Pool) -> None:
    risk = signal(pool, "risk", target="m0")
    assert auroc(risk.values, pool.losses("m0")) > auroc(
        signal(pool, "past-results", target="m0").values, pool.losses("m0")
    )
