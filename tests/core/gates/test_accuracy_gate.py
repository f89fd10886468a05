"""The accuracy gate: exact tests, error rates at the bar, and decisions after labelling."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

from core.design.scheme import Scheme
from core.errors import DesignError
from core.estimation.intervals import DEFAULT
from core.estimation.mean import sample
from core.gates.accuracy_gate import HOLD, SHIP, UNCLEAR, Gate, decide, decide_early, one_sided, simulate
from core.prospect.sampling_frame import gate_scheme
from core.stratification.profiles import EQUAL_MASS


def hypergeometric(x: int, labels: int, wrong: int, items: int) -> float:
    return math.comb(wrong, x) * math.comb(items - wrong, labels - x) / math.comb(items, labels)


def binomial(x: int, labels: int, share: float) -> float:
    return math.comb(labels, x) * share**x * (1 - share) ** (labels - x)


@pytest.mark.parametrize(("items", "bar"), [(50, 0.8), (73, 0.9), (40, 0.5)])
def test_error_rates_at_the_bar_are_at_most_the_stated_ones(items: int, bar: float) -> None:
    gate = Gate(bar, 0.05, n_items=items)
    just_below = 1 - (gate.most_wrong + 1) / items
    at_bar = 1 - gate.most_wrong / items
    assert just_below < bar <= at_bar + 1e-12
    for labels in range(1, items + 1):
        assert gate.chances(labels, [just_below])[SHIP][0] <= 0.05 + 1e-9
        assert gate.chances(labels, [at_bar])[HOLD][0] <= 0.05 + 1e-9


def test_limits_are_the_largest_that_keep_the_error_rates() -> None:
    gate, labels = Gate(0.8, 0.1, n_items=60), 30
    ship, hold = gate.limits(labels)
    # Wrong: 13 is below the bar, 12 is at it.
    below = [sum(hypergeometric(i, labels, 13, 60) for i in range(x + 1)) for x in range(labels + 1) if x <= 13]
    assert below[ship] <= 0.05 < below[ship + 1]
    above = {x: sum(hypergeometric(i, labels, 12, 60) for i in range(x, 13)) for x in range(13)}
    assert above[hold] <= 0.05 < above[hold - 1]


def test_chances_are_exact_and_sum_to_one() -> None:
    gate = Gate(0.8, 0.05, n_items=60)
    ship, hold = gate.limits(30)
    table = gate.chances(30, [0.9, 0.6])
    assert table[SHIP][0] == pytest.approx(sum(hypergeometric(x, 30, 6, 60) for x in range(ship + 1)))
    assert table[HOLD][1] == pytest.approx(sum(hypergeometric(x, 30, 24, 60) for x in range(hold, 25)))
    assert table[[SHIP, HOLD, UNCLEAR]].sum(axis=1).to_numpy() == pytest.approx(1)


def test_very_many_items_are_binomial() -> None:
    table = Gate(0.8, 0.05).chances(50, [0.85])
    ship, hold = Gate(0.8, 0.05).limits(50)
    assert table[SHIP][0] == pytest.approx(sum(binomial(x, 50, 0.15) for x in range(ship + 1)))
    assert table[HOLD][0] == pytest.approx(sum(binomial(x, 50, 0.15) for x in range(hold, 51)), abs=1e-12)
    assert Gate(0.8, 0.05, n_items=900_000).chances(50, [0.85])[SHIP][0] == pytest.approx(table[SHIP][0], abs=1e-3)


@pytest.mark.parametrize("gate", [Gate(0.8, 0.1), Gate(0.65, 0.15, power=0.9), Gate(0.9, 0.05, n_items=400)])
def test_labels_are_the_first_that_reach_the_chance(gate: Gate) -> None:
    def clear(labels: int) -> float:
        table = gate.chances(labels, [gate.bar + gate.band, gate.bar - gate.band])
        return float(min(table[SHIP][0], table[HOLD][1]))

    labels = gate.labels()
    assert clear(labels) >= gate.power
    assert all(clear(fewer) < gate.power for fewer in range(1, labels))


def test_a_census_of_a_small_pool_is_always_clear() -> None:
    gate = Gate(0.8, 0.1, n_items=20)
    table = gate.chances(20, [0.8, 0.75, 0.9])
    assert table[UNCLEAR].to_numpy() == pytest.approx(0)
    assert table[SHIP].to_numpy() == pytest.approx([1, 0, 1])
    assert gate.labels() <= 20
    assert [Gate(0.8, 0.05, n_items=few).labels() for few in (1, 2, 3)] == [1, 2, 3]


def test_a_narrow_band_can_take_too_many_labels() -> None:
    assert Gate(0.8, 0.001).labels() is None
    wide, narrow = Gate(0.8, 0.02).labels(), Gate(0.8, 0.01).labels()
    assert narrow == pytest.approx(4 * wide, rel=0.03)


@pytest.mark.parametrize("bad", [(0.0, 0.05), (1.0, 0.05), (0.98, 0.05), (0.03, 0.05), (0.8, 0.0), (0.8, -0.1)])
def test_bars_and_bands_out_of_range_are_refused(bad: tuple[float, float]) -> None:
    with pytest.raises(DesignError):
        Gate(*bad)


def test_confidence_and_power_out_of_range_are_refused() -> None:
    with pytest.raises(DesignError):
        Gate(0.8, 0.05, confidence=0.4)
    with pytest.raises(DesignError):
        Gate(0.8, 0.05, power=1.0)


def _estimate(right: int, labels: int, items: int = 1000):
    values = np.r_[np.ones(right), np.zeros(labels - right)]
    drawn = sample(values, np.zeros(labels, dtype=int), [items])

    return drawn.estimate


@pytest.mark.parametrize(("right", "answer"), [(95, SHIP), (60, HOLD), (81, UNCLEAR)])
def test_the_verdict_follows_the_one_sided_limit(right: int, answer: str) -> None:
    decision = decide(_estimate(right, 100), 0.8)
    assert decision.answer == answer and decision.labels == decision.total == 100
    assert (decision.confidence >= 0.95) == (answer != UNCLEAR)


def test_the_confidence_is_that_at_which_the_limit_meets_the_bar() -> None:
    at = _estimate(90, 100)
    decision = decide(at, 0.8)
    assert at(one_sided(DEFAULT, decision.confidence)).low == pytest.approx(0.8, abs=1e-4)


@pytest.mark.parametrize(("right", "labels", "items"), [(46, 50, 1000), (250, 300, 400), (85, 100, 300), (58, 80, 100)])
def test_a_simple_random_sample_is_decided_by_the_test_that_was_planned(right: int, labels: int, items: int) -> None:
    """By limits of half the error rate on each side, 85 of 100 from 300 were unclear at a bar of 80 %."""
    drawn = sample(np.r_[np.ones(right), np.zeros(labels - right)], np.zeros(labels, dtype=int), [items])
    for bar in np.linspace(0.5, 0.98, 25):
        ship, hold = Gate(bar, 0.01, n_items=items).limits(labels)
        wrong = labels - right
        planned = SHIP if wrong <= ship else HOLD if wrong >= hold else UNCLEAR
        assert decide(drawn.estimate, bar, sample=drawn).answer == planned
    assert decide(drawn.estimate, 0.8, sample=None).labels == labels


def test_one_sided_limits_err_at_the_bar_as_often_as_said() -> None:
    """Exact, of one stratum: never more than a point above 5 %, and on average not less than a third of it."""
    errors = []
    for (items, labels), bar in product([(300, 40), (400, 60), (3000, 100), (1000, 30)], [0.5, 0.7, 0.8, 0.9]):
        gate, wrong = Gate(bar, 0.01, n_items=items), np.arange(labels + 1)
        tallies = np.stack([labels - wrong, wrong], axis=-1)[:, None]
        limits = one_sided(DEFAULT, 0.95).of_labels([0.0, 1.0], tallies, [labels], [items])
        at_bar, chances = gate.most_wrong / items, gate.p_values(labels)[1]
        chance = chances - np.r_[chances[1:], 0.0]
        errors += [chance @ (limits.high < at_bar - 1e-9), chance @ (limits.low > at_bar + 1e-9)]
    assert max(errors) <= 0.06 and np.mean(errors) >= 0.05 / 3


def test_an_early_decision_says_after_how_many_labels() -> None:
    rng = np.random.default_rng(2)
    values = (rng.random(150) < 0.97).astype(float)
    strata, sizes = np.tile([0, 1, 2], 50), [300, 300, 300]
    decision = decide_early(values, strata, sizes, 0.8)
    assert decision.answer == SHIP and decision.labels < decision.total == 150
    assert decision.confidence >= 0.95
    # It stays what it was when fewer labels were looked at.
    again = decide_early(values[: decision.labels], strata[: decision.labels], sizes, 0.8)
    assert (again.answer, again.labels) == (SHIP, decision.labels)
    assert decide_early(values[: decision.labels - 3], strata[: decision.labels - 3], sizes, 0.8).answer == UNCLEAR
    assert decide_early(1 - values, strata, sizes, 0.8).answer == HOLD


def test_too_few_labels_for_a_block_decide_nothing() -> None:
    decision = decide_early([1.0], [0], [10, 10], 0.8)
    assert (decision.answer, decision.labels, decision.confidence) == (UNCLEAR, 0, 0.0)


def test_a_gate_s_design_has_few_strata_along_the_same_signal() -> None:
    scheme = gate_scheme(Scheme(signal="column", column="x", stratifier=EQUAL_MASS, n_strata=50, allocation="equal"))
    assert (scheme.signal, scheme.column, scheme.stratifier, scheme.n_strata) == ("column", "x", EQUAL_MASS, 3)
    assert gate_scheme(Scheme(allocation="uniform")).allocation == "uniform"


@pytest.mark.parametrize("means", [(0.8,), (0.95, 0.8, 0.65)])
def test_simulated_gates_err_at_most_as_stated_at_the_bar(means: tuple[float, ...]) -> None:
    sizes = [1200 // len(means)] * len(means)
    simulated = simulate(Gate(0.8, 0.05, n_items=1200), sizes, means, 600, trials=800)
    tolerance = 4 * math.sqrt(0.05 * 0.95 / 800)
    assert (simulated["answer"] == SHIP).mean() <= 0.05 + tolerance
    assert (simulated["answer"] == HOLD).mean() <= 0.05 + tolerance
    assert (simulated["labels"] <= 600).all()


def test_clear_accuracies_are_decided_with_fewer_labels_than_a_fixed_test() -> None:
    gate = Gate(0.8, 0.05, n_items=3000)
    simulated = simulate(gate, [1000] * 3, [1.0, 0.92, 0.78], 800, trials=300)
    assert (simulated["answer"] == SHIP).mean() > 0.95
    assert simulated["labels"].mean() < gate.labels()
    assert simulate(gate, [3000], [0.9], 800, trials=5, seed=1).equals(
        simulate(gate, [3000], [0.9], 800, trials=5, seed=1)
    )


# Exact limits of the number of right answers in a pool, both tails 2.5 % (strict inversion of the hypergeometric).
@pytest.mark.parametrize(
    ("right", "labels", "items", "low", "high"),
    [
        (45, 100, 300, 111, 160),
        (10, 10, 1400, 970, 1400),
        (25, 25, 1400, 1210, 1400),
        (24, 25, 1400, 1118, 1398),
        (5, 12, 400, 62, 287),
        (30, 30, 198, 177, 198),
    ],
)
def test_gates_invert_to_the_exact_limits(right: int, labels: int, items: int, low: int, high: int) -> None:
    def answer(count: int) -> str:
        gate = Gate(count / items, 1e-9, confidence=0.975, n_items=items)
        ship, hold = gate.limits(labels)
        return SHIP if labels - right <= ship else HOLD if labels - right >= hold else UNCLEAR

    assert answer(low) == SHIP and answer(low + 1) == UNCLEAR
    if high < items:
        assert answer(high) == UNCLEAR
        assert high + 1 == items or answer(high + 1) == HOLD
