"""Methods that correct predictions give what their formulas say, computed otherwise."""

from __future__ import annotations

import numpy as np
import pytest

from core.lab.against import Contest, measures, predictions
from core.lab.against.simulated_lists import Z, positions
from core.simulation import uniform_mse
from tests.core.lab.against.conftest import ROUNDS, far


def ppi_by_hand(loss, predicted, rest, ddof, clipped):
    """PPI++ of one sample, as its authors write it."""
    weight = np.cov(loss, predicted, ddof=ddof)[0, 1]
    weight /= (1 + loss.size / rest.size) * np.concatenate([predicted, rest]).var(ddof=1)
    weight = min(max(weight, 0.0), 1.0) if clipped else weight
    variance = (loss - weight * predicted).var(ddof=ddof) / loss.size + (weight * rest).var(ddof=ddof) / rest.size
    return weight * rest.mean() + (loss - weight * predicted).mean(), variance


@pytest.mark.parametrize(("ddof", "clipped"), [(0, True), (1, False)])
def test_power_tuning_is_that_of_its_authors(contest: Contest, ddof: int, clipped: bool) -> None:
    drawn = predictions.uniform_positions(contest, 40, 20, 3)
    value, variance = predictions.power_tuned(contest.losses[drawn], contest.risk[drawn], contest.risk, ddof, clipped)
    by_hand = [
        ppi_by_hand(contest.losses[one], contest.risk[one], np.delete(contest.risk, one), ddof, clipped)
        for one in drawn
    ]
    np.testing.assert_allclose(np.stack([value, variance], axis=1), by_hand, rtol=1e-9)


def test_predictions_that_say_nothing_leave_the_mean(contest: Contest) -> None:
    drawn = contest.losses[predictions.uniform_positions(contest, 40, 20, 3)]
    even = np.full_like(contest.risk, 0.5)
    value, variance = predictions.power_tuned(drawn, np.full_like(drawn, 0.5), even)
    np.testing.assert_allclose(value, drawn.mean(axis=1))
    np.testing.assert_allclose(variance, drawn.var(axis=1) / 40)


def test_stratified_ppi_adds_its_strata(contest: Contest) -> None:
    stratum, labels = predictions.proportional(contest, 60)
    assert all(np.ptp(contest.risk[stratum == h]) > 0 for h in range(labels.size)) and labels.size > 1
    drawn, lists = positions(stratum, labels, 5, 2), predictions.stratified_ppi(contest, 60, 5, 2)
    for number, items in enumerate(drawn):
        parts = []
        for h in range(labels.size):
            inside = items[stratum[items] == h]
            rest = np.setdiff1d(np.flatnonzero(stratum == h), inside)
            one = ppi_by_hand(contest.losses[inside], contest.risk[inside], contest.risk[rest], 1, False)
            parts.append((np.mean(stratum == h), *one))
        share, value, variance = np.array(parts).T
        assert lists.value[number] == pytest.approx(share @ value)
        assert lists.high[number] - lists.low[number] == pytest.approx(2 * Z * np.sqrt(share**2 @ variance))


@pytest.mark.parametrize("run", [predictions.aipw, predictions.ssepy_like])
def test_closed_errors_are_those_of_the_lists(contest: Contest, run) -> None:
    lists = run(contest, 60, ROUNDS, 1)
    squares = (lists.value - contest.mean) ** 2
    assert lists.exact is not None and far(squares, lists.exact) < 4
    found = measures(lists, contest.mean, uniform_mse(contest.losses, 60))
    assert abs(found["bias"]) < 4 * found["bias_error"] and found["coverage"] > 0.9


def asi_by_hand(loss: np.ndarray, risk: np.ndarray, chance: np.ndarray, chosen: np.ndarray) -> tuple[float, float]:
    """ASI of one list as GLIDE writes it: items that were left out have no chance."""
    kept = chance > 0
    loss, risk, chance, chosen = (x[kept] for x in (np.where(chosen == 1, loss, 0.0), risk, chance, chosen))
    cov = np.cov(risk * (chosen / chance - 1), loss * chosen / chance, ddof=1)
    tuned = cov[0, 1] / cov[0, 0]
    rectified = tuned * risk + chosen * (loss - tuned * risk) / chance
    return float(rectified.mean()), float(rectified.std(ddof=1) / np.sqrt(rectified.size))


def test_asi_is_that_of_glide(contest: Contest) -> None:
    budget, n_items = 60, contest.risk.size
    chances = predictions.proportional_chances(predictions.doubts(contest.risk), budget)
    lists, rng = predictions.asi(contest, budget, 20, 4), np.random.default_rng(4)
    for number in range(20):
        order = rng.permutation(n_items)
        chosen = (rng.random(n_items) < chances[order]).astype(float)
        after = np.cumsum(chosen) > budget
        chance, kept = np.zeros(n_items), np.full(n_items, np.nan)
        chance[order], kept[order] = np.where(after, 0.0, chances[order]), np.where(after, np.nan, chosen)
        value, error = asi_by_hand(contest.losses, contest.risk, chance, kept)
        assert lists.value[number] == pytest.approx(value)
        assert lists.high[number] - lists.low[number] == pytest.approx(2 * Z * error)
    many = predictions.asi(contest, budget, ROUNDS, 5)
    assert abs(many.value.mean() - contest.mean) < 0.02
    assert np.mean((many.low <= contest.mean) & (contest.mean <= many.high)) > 0.9


def test_active_chances_sum_to_the_budget_and_give_the_least_error() -> None:
    doubt = np.array([0.5, 0.4, 0.05, 0.04, 0.01, 0.01])
    chances = predictions.proportional_chances(doubt, 3)
    assert chances.sum() == pytest.approx(3) and chances.max() == 1 and chances.argmin() >= 4

    def error(of: np.ndarray) -> float:
        return float((doubt**2 / of).sum())

    for one in range(2, 6):
        for other in set(range(2, 6)) - {one}:
            moved = chances + 1e-3 * (np.eye(6)[one] - np.eye(6)[other])
            assert moved.max() > 1 or error(moved) > error(chances)
    assert predictions.proportional_chances(np.ones(4), 4) == pytest.approx(np.ones(4))
    assert predictions.doubts(np.array([0.0, 0.5, 1.0])) == pytest.approx([0.0005, 0.5, 0.0005])


def test_active_labels_are_as_many_as_the_budget_on_average(contest: Contest) -> None:
    chances = predictions.active_probabilities(contest.risk, 60)
    assert chances.sum() == pytest.approx(60) and chances.min() >= 0.5 * 60 / contest.risk.size
    assert predictions.active_probabilities(np.zeros(10), 5) == pytest.approx(np.full(10, 0.5))
