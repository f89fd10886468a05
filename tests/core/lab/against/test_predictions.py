"""Methods that correct predictions give what their formulas say, computed otherwise."""

from __future__ import annotations

import numpy as np
import pytest

from core.lab.against import Contest, measures
from core.lab.against import predictions as methods
from core.lab.against.lists import Z, positions
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
    drawn = methods.uniform_positions(contest, 40, 20, 3)
    value, variance = methods.power_tuned(contest.losses[drawn], contest.risk[drawn], contest.risk, ddof, clipped)
    by_hand = [
        ppi_by_hand(contest.losses[one], contest.risk[one], np.delete(contest.risk, one), ddof, clipped)
        for one in drawn
    ]
    np.testing.assert_allclose(np.stack([value, variance], axis=1), by_hand, rtol=1e-9)


def test_predictions_that_say_nothing_leave_the_mean(contest: Contest) -> None:
    drawn = contest.losses[methods.uniform_positions(contest, 40, 20, 3)]
    even = np.full_like(contest.risk, 0.5)
    value, variance = methods.power_tuned(drawn, np.full_like(drawn, 0.5), even)
    np.testing.assert_allclose(value, drawn.mean(axis=1))
    np.testing.assert_allclose(variance, drawn.var(axis=1) / 40)


def test_stratified_ppi_adds_its_strata(contest: Contest) -> None:
    stratum, labels = methods.proportional(contest, 60)
    assert all(np.ptp(contest.risk[stratum == h]) > 0 for h in range(labels.size)) and labels.size > 1
    drawn, lists = positions(stratum, labels, 5, 2), methods.stratified_ppi(contest, 60, 5, 2)
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


@pytest.mark.parametrize("run", [methods.aipw, methods.ssepy_like])
def test_closed_errors_are_those_of_the_lists(contest: Contest, run) -> None:
    lists = run(contest, 60, ROUNDS, 1)
    squares = (lists.value - contest.mean) ** 2
    assert lists.exact is not None and far(squares, lists.exact) < 4
    found = measures(lists, contest.mean, uniform_mse(contest.losses, 60))
    assert abs(found["bias"]) < 4 * found["bias_error"] and found["coverage"] > 0.9


def test_active_labels_are_as_many_as_the_budget_on_average(contest: Contest) -> None:
    chances = methods.active_probabilities(contest.risk, 60)
    assert chances.sum() == pytest.approx(60) and chances.min() >= 0.5 * 60 / contest.risk.size
    assert methods.active_probabilities(np.zeros(10), 5) == pytest.approx(np.full(10, 0.5))
