"""Uniform, the paper's design, LURE, and Neyman's recommended design in each state of knowledge."""

from __future__ import annotations

import numpy as np

from ... import lure
from ...bank.bank import Bank
from ...design.design import Design, Plan
from ...design.recommend import recommend
from ...design.scheme import PAPER
from ...errors import DesignError
from ...signals.entropy import semantic_entropy
from ...signals.past import answered
from .carrying import carried_rounds
from .lists import Lists, stratified_lists
from .scenarios import Contest

# LURE's share of Uniform in its draw.
CLIP = 0.1


def uniform(contest: Contest, budget: int, rounds: int, seed: int) -> Lists:
    """M items without replacement, and Neyman's interval."""
    whole = np.zeros(contest.losses.size, dtype=np.int64)
    return stratified_lists(contest.losses, whole, np.array([budget]), rounds, seed)


def paper(contest: Contest, budget: int, rounds: int, seed: int) -> Lists:
    """The paper's strata of semantic entropy with proxy-Neyman allocation, and Neyman's interval."""
    _need_generations(contest)
    return _of_plan(Design(budget, PAPER).draw(contest.pool, seed=0), contest, rounds, seed)


def se_lure(contest: Contest, budget: int, rounds: int, seed: int) -> Lists:
    """LURE with semantic entropy as its score."""
    _need_generations(contest)
    scores = semantic_entropy(contest.pool.classes())
    return Lists.bare(lure.estimates(contest.losses, scores, [budget], rounds, CLIP, seed)[:, 0])


def risk_lure(contest: Contest, budget: int, rounds: int, seed: int) -> Lists:
    """LURE with √p̂ as its score, the best one if p̂ is right: the root of the expected squared loss."""
    return Lists.bare(lure.estimates(contest.losses, np.sqrt(contest.risk), [budget], rounds, CLIP, seed)[:, 0])


def from_surrogate(contest: Contest, budget: int, rounds: int, seed: int) -> Lists:
    """The recommended design with the surrogate's generations alone."""
    _need_generations(contest)
    return _of_plan(recommend(contest.pool, budget, None, ()).draw(contest.pool, seed=0), contest, rounds, seed)


def from_answers(contest: Contest, budget: int, rounds: int, seed: int) -> Lists:
    """The recommended design with the target's answers beside them."""
    _need_generations(contest)
    if not answered(contest.pool, contest.target):
        raise DesignError(f"the pool has no answers of “{contest.target}”")
    design = recommend(contest.pool, budget, contest.target, ())
    return _of_plan(design.draw(contest.pool, seed=0), contest, rounds, seed)


def from_past(contest: Contest, budget: int, rounds: int, seed: int) -> Lists:
    """The recommended design with past results too."""
    design = recommend(contest.pool, budget, contest.target, contest.past)
    return _of_plan(design.draw(contest.pool, seed=0), contest, rounds, seed)


def audited(contest: Contest, budget: int, rounds: int, seed: int) -> Lists:
    """With verdicts on equal answers of past models carried over, and half of the labels auditing them."""
    return _carried(contest, budget, rounds, seed, follows=False)


def carried(contest: Contest, budget: int, rounds: int, seed: int) -> Lists:
    """With verdicts carried over that follow from the answer, so that nothing is audited."""
    return _carried(contest, budget, rounds, seed, follows=True)


def _carried(contest: Contest, budget: int, rounds: int, seed: int, follows: bool) -> Lists:
    every = Bank.of(contest.pool)
    bank = every.without(~every.rows["model"].isin(contest.past).to_numpy())
    if not bank.lookup(contest.pool, contest.target).n_known:
        raise DesignError("no verdict is known")
    # Without carried verdicts where these would widen the interval.
    design = recommend(contest.pool, budget, contest.target, contest.past, bank=bank, follows=follows)
    plan = design.draw(contest.pool, seed=0)
    return Lists.of(carried_rounds(plan, contest.losses, rounds, np.random.default_rng(seed), follows))


def _of_plan(plan: Plan, contest: Contest, rounds: int, seed: int) -> Lists:
    return stratified_lists(contest.losses, plan.stratum, plan.allocation, rounds, seed)


def _need_generations(contest: Contest) -> None:
    if not contest.pool.n_generations:
        raise DesignError("the pool has no generations of a surrogate")
