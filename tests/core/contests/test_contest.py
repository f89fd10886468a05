"""Contests: claims that are wrong, labels beside uniform pairing, and what small pools show exactly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import combinations, product

import numpy as np
import pytest

from core.contests import InterimLook, ModelContest, SelectionRule, Wave, likely_losses, planned, sample_size
from core.contests.choice import _chances, _codes
from core.errors import DesignError
from core.readers import read
from tests.conftest import ROOT


@cache
def bundled() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Answers, chances and losses of the twelve bundled models, the best first."""
    pool = read(ROOT / "data" / "mmlu-pro.parquet")
    names = tuple(pool.targets)
    losses = np.column_stack([pool.losses(name) for name in names])
    codes = _codes(pool, names, losses, None)
    order = losses.mean(axis=0).argsort()
    return codes[:, order], _chances(pool, names, codes, None)[:, order], losses[:, order]


def real(k: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Some items of some bundled models."""
    answers, chances, losses = bundled()
    rows, columns = rng.choice(len(losses), 1500, replace=False), np.sort(rng.choice(12, k, replace=False))
    return answers[rows][:, columns], chances[rows][:, columns], losses[rows][:, columns]


def equal(k: int, rng: np.random.Generator, share: float = 1.0, gap: int = 0) -> tuple[np.ndarray, ...]:
    """Models with 60 % right, all of them on the same items but for a share; the first is right on ``gap`` more."""
    n = 1500
    own = np.arange(n) < share * n
    right = np.zeros((n, k), dtype=bool)
    right[~own] = rng.random((int((~own).sum()), 1)) < 0.6
    for column in right.T:
        column[rng.choice(int(own.sum()), round(0.6 * own.sum()), replace=False)] = True
    right[rng.choice(np.flatnonzero(~right[:, 0] & own), gap, replace=False), 0] = True
    wrong = np.where(own[:, None], rng.integers(1, 4, (n, k)), 1)
    answers = np.where(right, 0, wrong)
    shares = (answers[:, :, None] == answers[:, None, :]).mean(axis=2)
    return answers, shares, 1.0 - right


# What is decided, and by how much a claimed model is below the best: pools on which a careless rule errs most.
POOLS: dict[str, tuple[float, Callable[[int, np.random.Generator], tuple[np.ndarray, ...]]]] = {
    "bundled": (0.01, real),
    "bundled, strict": (0.0, real),
    "equal, strict": (0.0, equal),
    "equal but one": (0.01, lambda k, rng: equal(k, rng, gap=16)),
    "hidden among agreeing ones": (0.01, lambda k, rng: equal(k, rng, share=0.1, gap=16)),
}


def last_planned(contest: ModelContest, losses: np.ndarray) -> InterimLook:
    """The look that decides, or the last of the planned ones, as `ModelContest.follow` has it."""
    waves, look, earlier = list[Wave](), None, np.zeros(contest.n_items, dtype=bool)
    for number in range(1, len(contest.rule.sizes) + 1):
        waves.append(contest.wave(number, look, earlier.copy()))
        look = contest.look(waves, losses, look)
        if look.decided:
            break
        earlier[waves[-1].order] = True
    assert look is not None
    return look


def wrong_share(name: str, k: int, runs: int, sizes: tuple[int, ...]) -> tuple[float, float]:
    """Share of runs with a wrong claim, and with any."""
    within, make = POOLS[name]
    wrong = claimed = 0
    for seed in range(runs):
        rng = np.random.default_rng([seed, k])
        answers, chances, losses = make(k, rng)
        rule = SelectionRule(tuple(f"m{place}" for place in range(k)), within, 0.95, sizes, seed)
        look = last_planned(ModelContest(answers, chances, rule), losses)
        behind = losses.mean(axis=0)[look.leader] - np.delete(losses.mean(axis=0), look.leader).min()
        claimed += look.decided
        wrong += look.decided and (behind > within + 1e-9 if within else behind >= -1e-9)
    return wrong / runs, claimed / runs


@pytest.mark.parametrize(("name", "k"), [("equal, strict", 2), ("equal but one", 3), ("bundled", 6), ("bundled", 12)])
def test_claims_are_seldom_wrong(name: str, k: int) -> None:
    runs = 60
    wrong, _ = wrong_share(name, k, runs, (40, 80))
    assert wrong <= 0.05 + 2 * (0.05 * 0.95 / runs) ** 0.5


def test_the_last_planned_look_is_that_of_a_contest_that_is_followed() -> None:
    for seed in range(3):
        answers, chances, losses = real(4, np.random.default_rng(seed))
        contest = ModelContest(answers, chances, SelectionRule(("a", "b", "c", "d"), 0.01, 0.95, (40, 80), seed))
        own, look = last_planned(contest, losses), contest.follow(losses).looks[:2][-1]
        assert (own.leader, own.decided, own.number) == (look.leader, look.decided, look.number)
        assert np.array_equal(own.value, look.value) and np.array_equal(own.high, look.high)


@pytest.mark.trial
@pytest.mark.parametrize("k", [2, 3, 6, 12])
@pytest.mark.parametrize("name", POOLS)
def test_claims_are_seldom_wrong_in_many_runs(name: str, k: int, capsys: pytest.CaptureFixture[str]) -> None:
    runs = 10_000
    wrong, claimed = wrong_share(name, k, runs, (60, 120))
    with capsys.disabled():
        print(f"\n{name}, {k} models: {wrong:.4f} wrong, {claimed:.3f} claimed")
    assert wrong <= 0.05 + 2 * (0.05 * 0.95 / runs) ** 0.5


def test_half_the_labels_of_uniform_pairing_tell_each_bundled_leader_from_its_rival() -> None:
    answers, chances, losses = bundled()
    ratios = []
    for place in range(11):
        pair = slice(place, place + 2)
        contest = ModelContest(answers[:, pair], chances[:, pair], SelectionRule(("a", "b"), 0.01))
        size = sample_size(contest, losses[:, pair], 1, 0.8)
        ratios.append(size.labels / size.uniform)
    print(np.round(ratios, 3))
    assert np.median(ratios) <= 0.55


def test_planned_labels_decide_as_often_as_planned() -> None:
    answers, chances, losses = (part[:, :3] for part in bundled())
    contest = ModelContest(answers, chances, SelectionRule(("a", "b", "c"), 0.03))
    size = sample_size(contest, losses, 2, 0.8)
    runs = 60
    decided = [
        planned(replace(contest, rule=replace(contest.rule, seed=seed)), size.labels, 2).follow(losses).looks
        for seed in range(runs)
    ]
    share = np.mean([len(looks) <= 2 and looks[-1].decided for looks in decided])
    assert size.chances[-1] >= 0.8
    assert share >= 0.8 - 2 * (0.8 * 0.2 / runs) ** 0.5


def small(sizes: tuple[int, ...]) -> tuple[ModelContest, np.ndarray]:
    """Seven items of three models; on the last all agree."""
    answers = np.array([[0, 1, 1], [0, 1, 2], [0, 0, 1], [0, 2, 1], [1, 0, 0], [1, 2, 0], [3, 3, 3]])
    losses = np.where(answers == 0, 0.0, 1.0)
    return ModelContest(answers, np.full(answers.shape, 1 / 3), SelectionRule(("a", "b", "c"), sizes=sizes)), losses


def wave(stratum: list[int], order: tuple[int, ...], earlier: tuple[int, ...] = ()) -> Wave:
    """A wave of these items."""
    own, before = np.array(stratum), np.zeros(len(stratum), dtype=bool)
    before[list(earlier)] = True
    counts = np.bincount(own[list(order)], minlength=own.max() + 1)
    return Wave(own, np.bincount(own[own >= 0]), counts, np.array(order), before, np.ones(3, dtype=bool))


def test_estimates_are_unbiased_over_all_lists_of_two_waves() -> None:
    contest, losses = small((2, 2))
    d = losses[:, [0]] - losses[:, 1:]
    found = []
    for first in product([0, 1, 2], [3, 4, 5]):
        rest = [place for place in range(6) if place not in first]
        strata = [-1 if place in (*first, 6) else 0 for place in range(7)]
        for second in combinations(rest, 2):
            waves = [wave([0, 0, 0, 1, 1, 1, -1], first), wave(strata, second, first)]
            found.append(contest._combined(waves, d))
    assert np.mean(found, axis=0) == pytest.approx(d.mean(axis=0))


def test_a_list_of_all_items_that_differ_is_exact() -> None:
    contest, losses = small((20,))
    course = contest.follow(losses)
    look = course.looks[0]
    assert course.waves[0].order.size == 6 and look.decided and look.leader == 0
    assert look.value.tolist() == look.low.tolist() == look.high.tolist() == pytest.approx([0, -2 / 7, -2 / 7])


def test_items_without_a_verdict_leave_limits_that_hold_either_way() -> None:
    contest, losses = small((20,))
    losses[3] = np.nan
    skipped = np.arange(7) == 3
    assert contest.follow(losses).waiting.tolist() == [3]
    look = contest.follow(losses, skipped).looks[0]
    assert look.low == pytest.approx([0, -2 / 7, -2 / 7])
    assert look.high == pytest.approx([0, 0, 0])
    assert look.decided and not look.out_at.any()


def test_an_undecided_contest_goes_on_with_all_that_is_left() -> None:
    answers, chances, losses = equal(2, np.random.default_rng(0))
    course = ModelContest(answers, chances, SelectionRule(("a", "b"), 0.0, sizes=(20, 40))).follow(losses)
    assert len(course.waves) == 3
    assert not course.looks[-1].decided and course.looks[-1].high.tolist() == [0.0, 0.0]
    listed = np.concatenate([one.order for one in course.waves])
    assert len(listed) == len({*listed.tolist()}) == (answers[:, 0] != answers[:, 1]).sum()


def test_the_nearest_rival_weighs_most() -> None:
    """E d² − (E d)²/2 = ⅓ + ⅓ for a rival in the lead; of one 9 points behind a hundredth of it at ε = 1 point."""
    contest, _ = small((2,))
    q = contest.risk(0, np.ones(3, dtype=bool), np.array([0, 0, 0.09]))
    mass = np.sqrt(q * (1 - q))
    near, far = (np.sqrt(2 / 3 * weight) + 0.25 for weight in (1, 0.01))
    assert mass[[0, 2]] / mass[0] == pytest.approx([1, far / near])
    later = InterimLook(0, np.array([0, -0.1, 0]), *np.zeros((2, 3)), np.array([0, 1, 0]), False, 1)
    assert contest.wave(2, later, np.zeros(7, dtype=bool)).order.size == len(contest.differing(later.survivors)) - 1


@pytest.mark.parametrize(
    ("within", "looks", "tail"), [(0.01, 1, 0.05 / 2), (0.01, 3, 0.05 / 6), (0.0, 1, 0.05 / 3), (0.0, 2, 0.05 / 6)]
)
def test_tails_are_shared_among_rivals_and_looks(within: float, looks: int, tail: float) -> None:
    assert SelectionRule(("a", "b", "c"), within, sizes=(20,) * looks).tail == pytest.approx(tail)


@pytest.mark.parametrize(
    "choices",
    [{"models": ("a",)}, {"models": ("a", "a")}, {"within": 1.0}, {"confidence": 0.5}, {"sizes": ()}, {"sizes": (0,)}],
)
def test_rules_out_of_range_are_refused(choices: dict[str, object]) -> None:
    with pytest.raises(DesignError):
        SelectionRule(**{"models": ("a", "b"), **choices})


def test_imagined_outcomes_follow_the_chances() -> None:
    answers, chances, _ = bundled()
    losses = likely_losses(ModelContest(answers, chances, SelectionRule(tuple("abcdefghijkl"))), 1)
    assert 1 - losses.mean(axis=0) == pytest.approx(chances.mean(axis=0), abs=4 * 0.5 / len(losses) ** 0.5)
    same = answers[:, 0] == answers[:, 1]
    assert (losses[same, 0] == losses[same, 1]).all()
