"""AUROC against all pairs and its error against samples, calibration by hand, and what is said of both."""

from __future__ import annotations

import math
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import DesignError
from core.pool import Pool
from core.signals import auroc, auroc_error, calibration, quality, signal
from tests.core.signals.test_risk import records

NAN = math.nan
pairs = st.lists(
    st.tuples(st.sampled_from([0.0, 0.1, 0.5, 0.9, 1.0, NAN]), st.sampled_from([0.0, 1.0, NAN])), max_size=40
)


@given(pairs)
def test_auroc_is_the_share_of_pairs_in_order(items: list[tuple[float, float]]) -> None:
    known = [(p, y) for p, y in items if not (math.isnan(p) or math.isnan(y))]
    wins = [(a > b) + 0.5 * (a == b) for a, y in known for b, x in known if y == 1 and x == 0]
    area = auroc([p for p, _ in items], [y for _, y in items])
    assert math.isnan(area) if not wins else area == pytest.approx(np.mean(wins), abs=1e-12)
    mirrored = auroc([-p for p, _ in items], [1 - y for _, y in items])
    assert math.isnan(mirrored) if not wins else mirrored == pytest.approx(area, abs=1e-12)


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


def test_a_million_items_are_judged_in_seconds() -> None:
    rng = np.random.default_rng(0)
    risk = rng.random(1_000_000)
    losses = (rng.random(1_000_000) < risk).astype(float)
    start = time.process_time()
    assert auroc(risk, losses) > 0.8
    table = calibration(risk, losses)
    assert time.process_time() - start < 5
    assert np.all(np.abs(table["observed"] - table["predicted"]) < 5 * table["standard_error"])


def test_the_error_of_an_auroc_is_its_spread_over_samples() -> None:
    rng = np.random.default_rng(3)
    values = np.round(rng.normal(size=(2000, 150)), 1)
    losses = (rng.random((2000, 150)) < 1 / (1 + np.exp(-values))).astype(float)
    areas = [auroc(v, y) for v, y in zip(values, losses, strict=True)]
    errors = [auroc_error(v, y) for v, y in zip(values, losses, strict=True)]
    assert np.mean(errors) == pytest.approx(np.std(areas), rel=0.05)
    assert auroc_error(values[0], losses[0]) == pytest.approx(auroc_error(-values[0], 1 - losses[0]))


@pytest.mark.parametrize("losses", [[0.0, 0.0, 1.0], [0.0, 0.5, 1.0], [0.0, 0.0, 0.0]])
def test_an_auroc_of_hardly_any_items_has_no_error(losses: list[float]) -> None:
    assert math.isnan(auroc_error([0.1, 0.2, 0.3], losses))


def test_a_finding_says_whether_probabilities_hold() -> None:
    rng = np.random.default_rng(8)
    risk = rng.random(2000)
    losses = (rng.random(2000) < risk).astype(float)
    right = quality(risk, risk, losses)
    assert "as predicted" in right.finding and "AUROC, 0.8" in right.finding and right.calibration is not None
    assert "more than predicted" in quality(risk, risk / 2, losses).finding
    assert "fewer than predicted" in quality(risk, np.sqrt(risk), losses).finding
    alone = quality(risk, None, losses)
    assert alone.calibration is None and alone.auroc == right.auroc and right.finding.startswith(alone.finding)
    assert quality(risk, risk, 3 * losses).finding == ""
    assert "AUROC" not in quality(risk, risk, losses / 2).finding != ""


def test_known_outcomes_show_what_a_risk_is_worth() -> None:
    pool = Pool.from_records(records(400, 4, seed=3))
    risk = signal(pool, "risk", target="m0")
    assert auroc(risk.values, pool.losses("m0")) > auroc(
        signal(pool, "past-results", target="m0").values, pool.losses("m0")
    )
