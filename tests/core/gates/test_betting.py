"""The confidence sequence by betting: a fair game at the truth, along every path, and limits that hold at all times."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from core.errors import DesignError
from core.gates.betting import block_ends, blocks, first, flipped, limits, log_capital, upper


def paths(pool: list[list[int]]) -> list[tuple[int, ...]]:
    """Every equally likely order of the items of each stratum, strata in turn."""
    orders = itertools.product(*(itertools.permutations(stratum) for stratum in pool))
    return [tuple(value for row in zip(*order, strict=True) for value in row) for order in orders]


@pytest.mark.parametrize("pool", [[[0, 1, 1], [0, 0, 1]], [[1, 1, 1], [0, 1, 0]], [[0, 0, 0, 1]]])
def test_capital_is_a_fair_game_at_the_true_mean(pool: list[list[int]]) -> None:
    sizes = [len(stratum) for stratum in pool]
    mean = sum(map(sum, pool)) / sum(sizes)
    strata = np.tile(np.arange(len(pool)), sizes[0])
    every = blocks(np.array(paths(pool), dtype=float), strata, sizes)
    fair = np.exp(log_capital(every, np.full(len(paths(pool)), mean)))
    # Its last block is certain; before it, every stake wins as much as it loses.
    assert fair.mean(axis=0) == pytest.approx(np.ones(every.ends.size))
    higher = np.exp(log_capital(every, np.full(len(paths(pool)), mean - 1e-3)))
    assert (higher.mean(axis=0) <= 1 + 1e-9).all()


def test_blocks_of_unlike_strata_are_fair_as_well() -> None:
    # Two labels of the first stratum a block, one of the second: every order of four and two items.
    first_items, second_items = [0, 1, 1, 0], [1, 0]
    mean = 3 / 6
    rows = [
        (a[0], a[1], b[0], a[2], a[3], b[1])
        for a in itertools.permutations(first_items)
        for b in itertools.permutations(second_items)
    ]
    strata = [0, 0, 1, 0, 0, 1]
    every = blocks(np.array(rows, dtype=float), strata, [4, 2])
    assert every.ends.tolist() == [3, 6]
    assert every.conditional(mean)[0] == pytest.approx([0.5, (3 - sum(rows[0][:3])) / 3])
    assert every.values.mean(axis=0) == pytest.approx(every.conditional(mean).mean(axis=0))
    assert np.exp(log_capital(every, np.full(len(rows), mean))).mean(axis=0) == pytest.approx([1, 1])


def test_a_block_ends_when_each_open_stratum_has_a_label() -> None:
    assert block_ends([0, 1, 1, 0, 0, 0], [4, 2]).tolist() == [2, 4, 5, 6]
    assert block_ends([0, 0, 0], [5, 5]).tolist() == []
    assert block_ends([], [3]).tolist() == []


@pytest.mark.parametrize("rate", [0.03, 0.5, 0.97])
def test_limits_hold_at_every_label(rate: float) -> None:
    rng = np.random.default_rng(3)
    n_paths, half = 2000, 60
    easy, hard = round(half * min(1, rate * 1.3)), round(half * (2 * rate - min(1, rate * 1.3)))
    pool = [np.r_[np.ones(k), np.zeros(half - k)] for k in (easy, hard)]
    mean, strata = (easy + hard) / (2 * half), np.tile([0, 1], half)
    orders = [rng.permuted(np.tile(one, (n_paths, 1)), axis=1) for one in pool]
    values = np.stack(orders, axis=2).reshape(n_paths, -1)[:, :100]
    labelled = blocks(values, strata[:100], [half, half])
    # A side misses the truth once capital against it has ever reached 1/α; at most 5 %, with four standard errors.
    for side, truth in ((labelled, mean), (flipped(labelled), 1 - mean)):
        missed = (log_capital(side, np.full(n_paths, truth)).max(axis=1) >= math.log(20)).mean()
        assert missed <= 0.05 + 4 * math.sqrt(0.05 * 0.95 / n_paths)


def test_limits_narrow_and_end_at_the_mean() -> None:
    rng = np.random.default_rng(5)
    values = rng.permutation(np.r_[np.ones(30), np.zeros(10)])
    low, high = limits(blocks(values, np.zeros(40, dtype=int), [40]))
    assert (np.diff(low) >= 0).all() and (np.diff(high) <= 0).all()
    assert low[-1] == pytest.approx(0.75, abs=1e-6) and high[-1] == pytest.approx(0.75, abs=1e-6)
    assert (low <= high).all()


def test_limits_are_where_capital_reaches_the_level() -> None:
    labelled = blocks([0, 0, 1, 0, 0, 0, 1, 0], np.zeros(8, dtype=int), [50])
    top = upper(labelled, 0.9)
    # The running minimum: somewhere up to here the capital of a slightly larger mean had reached 10.
    for place, limit in enumerate(top):
        assert np.exp(log_capital(labelled, limit + 1e-4))[: place + 1].max() >= 10 or limit == 1
        assert np.exp(log_capital(labelled, limit - 1e-4))[: place + 1].max() < 10


def test_the_other_side_bets_on_the_complement() -> None:
    values = np.array([1.0, 1, 0, 1, 1, 1])
    labelled = blocks(values, np.zeros(6, dtype=int), [30])
    assert flipped(labelled).values == pytest.approx(1 - values)
    mirrored = log_capital(blocks(1 - values, np.zeros(6, dtype=int), [30]), 0.4)
    assert log_capital(flipped(labelled), 0.4) == pytest.approx(mirrored)


def test_what_the_labels_exclude_has_no_limit() -> None:
    # 8 of 10 items are right: a mean of at least 0.9 wrong is impossible.
    labelled = blocks(np.r_[np.zeros(8)], np.zeros(8, dtype=int), [10])
    assert np.isinf(log_capital(labelled, 0.9)[-1])
    assert int(first(log_capital(labelled, 0.9), 1 - 1e-9)) < 8


def test_no_decision_is_the_end() -> None:
    labelled = blocks([0.0, 1.0], [0, 0], [100])
    assert int(first(log_capital(labelled, 0.5), 0.95)) == labelled.ends.size


def test_values_outside_the_unit_interval_and_too_many_labels_are_refused() -> None:
    with pytest.raises(DesignError):
        blocks([2.0], [0], [5])
    with pytest.raises(DesignError):
        blocks([float("nan")], [0], [5])
    with pytest.raises(DesignError):
        blocks([1.0, 1.0], [0, 0], [1])


def test_a_label_that_is_none_is_named() -> None:
    with pytest.raises(DesignError, match=r"between 0 and 1\. Found -0\.5\."):
        blocks(np.array([1.0, -0.5]), np.array([0, 0]), np.array([4]))
