"""The factor model is fitted, FAQ's lists are unbiased, and anchors stand for their clusters."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import expit

from core.lab.against import Contest, predictions
from core.lab.against.predictions import FactorModel
from core.simulation.exact import stratified_mse
from core.stratification.moments import moments
from tests.core.lab.against.conftest import ROUNDS, far


def minus_posterior(item: np.ndarray, ability: np.ndarray, outcomes: np.ndarray, aim: float) -> float:
    heights, slopes = item
    chance = expit(heights[:, None] + np.outer(slopes, ability))
    fit = np.where(outcomes == 1, np.log(chance), np.log1p(-chance)).sum()
    prior = ((heights - aim) ** 2).sum() / 4 + ((slopes - 1) ** 2).sum() / 0.25 + (ability**2).sum()
    return -(fit - prior / 2)


def test_the_factor_model_is_at_its_mode(contest: Contest) -> None:
    outcomes = contest.outcomes
    model = predictions.factor_model(outcomes)
    assert model.counts.sum() == outcomes.shape[0] and len(model.counts) <= 2 ** outcomes.shape[1]
    item = np.stack([model.heights, model.slopes])[:, model.kind]
    rate = outcomes.mean(axis=0)
    aim = float(np.log(rate / (1 - rate)).mean())
    at = minus_posterior(item, model.abilities, outcomes, aim)
    for place in range(model.abilities.size):
        for step in (-0.05, 0.05):
            moved = model.abilities + step * (np.arange(model.abilities.size) == place)
            assert minus_posterior(item, moved, outcomes, aim) > at
    for axis in (0, 1):
        for step in (-0.05, 0.05):
            moved = item + step * (np.arange(2) == axis)[:, None]
            assert minus_posterior(moved, model.abilities, outcomes, aim) > at
    assert np.all(np.diff(model.abilities[np.argsort(rate)]) > 0)


def made(counts: list[int]) -> FactorModel:
    n_kinds = len(counts)
    kind = np.repeat(np.arange(n_kinds), counts)
    heights = np.linspace(-1.5, 1.5, n_kinds)
    return FactorModel(kind, np.array(counts), heights, np.full(n_kinds, 1.2), np.array([-0.5, 0.5]))


def test_queries_with_a_known_ability_have_a_closed_error() -> None:
    model, truth = made([30, 20, 10]), np.array([0.2, 0.6, 0.7])
    value, variance = predictions.adaptive_queries(
        model, truth, (0.3, 0.0), 20, ROUNDS, np.random.default_rng(0), even=1.0
    )
    chance = model.chances(np.array([0.3]))[0]
    share = model.counts / 60
    spread = share @ (truth * (1 - chance) ** 2 + (1 - truth) * chance**2) - (share @ (truth - chance)) ** 2
    assert far((value - share @ truth) ** 2, spread / 20) < 4
    # Its variance estimate is a little too small: it takes the mean of ℓ/q for known.
    rate = float(share @ truth)
    assert far(value, rate) < 4 and far(variance, spread / 20 - rate * (1 - rate) / 400) < 4


def test_adaptive_queries_are_unbiased_and_cover(contest: Contest) -> None:
    lists = predictions.faq_like(contest, 60, ROUNDS, 0)
    assert far(lists.value, contest.mean) < 4
    assert np.mean((lists.low <= contest.mean) & (contest.mean <= lists.high)) > 0.88


def test_anchors_of_few_kinds_are_a_proportional_sample(contest: Contest) -> None:
    model, lists = predictions.factor_model(contest.outcomes), predictions.anchors(contest, 60, ROUNDS, 0)
    labels = np.bincount(predictions._clustered(model, 60, np.random.default_rng(0)).kinds)
    assert labels.sum() == 60 and labels.size == model.counts.size
    exact = float(stratified_mse(moments(contest.losses, model.kind), labels[None, :])[0])
    assert far((lists.value - contest.mean) ** 2, exact) < 4 and np.isnan(lists.low).all()


def test_anchors_of_many_kinds_stand_for_their_clusters() -> None:
    model = made([1, 5, 3, 2, 4, 6])
    chosen = predictions._clustered(model, 3, np.random.default_rng(1))
    assert chosen.kinds.size == np.unique(chosen.kinds).size <= 3 and chosen.shares.sum() == pytest.approx(1)
    # The kinds lie on a line: each goes to the nearest anchor's cluster, whose centre is the mean of its items.
    points = model.heights
    assert set(chosen.shares * 21) <= {float(model.counts[a:b].sum()) for a in range(6) for b in range(a + 1, 7)}
    assert np.all(np.diff(points[np.sort(chosen.kinds)]) > 0)


def test_p_irt_is_the_likeliest_ability() -> None:
    model, kinds = made([10, 10, 10]), np.array([0, 0, 1, 1, 2, 2])
    losses = np.array([[0.0, 0, 0, 1, 1, 1], [0.0, 0, 0, 0, 0, 1]])

    def minus(theta: float, row: np.ndarray) -> float:
        chance = expit(model.heights[kinds] + theta * model.slopes[kinds])
        return -float(np.log(np.where(row == 1, chance, 1 - chance)).sum() - 0.005 * theta**2)

    for row, value in zip(losses, predictions.predicted_means(model, kinds, losses), strict=True):
        best = minimize_scalar(minus, bounds=(-9, 9), args=(row,), method="bounded", options={"xatol": 1e-8}).x
        rest = (model.counts - 2) @ model.chances(np.array([best]))[0]
        assert value == pytest.approx((row.sum() + rest) / 30, abs=1e-6)
