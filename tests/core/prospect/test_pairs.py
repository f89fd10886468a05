"""Two targets: detectable differences, and a design for the difference."""

from __future__ import annotations

import math

import numpy as np
import pytest

from core.errors import DesignError
from core.estimation.contrasts import difference
from core.pool.pool import Pool
from core.prospect.pairs import Pairing, answers_differ, connor_size, difference_pool


def test_labels_are_connors() -> None:
    # Connor 1987: p12 = 0.45, p21 = 0.05, level 0.05 two-sided, power 0.8: 23 pairs.
    assert connor_size(0.5, 0.4) == 23
    # The interval used here needs about as many.
    assert Pairing(agreement=0.5).labels(0.4) == pytest.approx(23, abs=3)


def test_the_chance_of_the_labels_is_the_wanted_one() -> None:
    pairing = Pairing(agreement=0.85)
    labels = pairing.labels(0.05)
    assert pairing.chance(labels, 0.05) >= 0.8 > pairing.chance(labels - 3, 0.05)
    assert pairing.detectable(labels) == pytest.approx(0.05, abs=1e-3)


@pytest.mark.parametrize(("labels", "items"), [(100, 1000), (60, 10**6), (40, 60)])
def test_the_chance_is_that_of_simulated_intervals(labels: int, items: int) -> None:
    pairing, gap, rng = Pairing(agreement=0.9, n_items=items), 0.06, np.random.default_rng(4)
    share, trials, detected = (0.1 + gap) / 2, 600, 0
    size = min(items, 50_000)
    up, down = round(size * share), round(size * (0.1 - share))
    drawn = rng.multivariate_hypergeometric([up, down, size - up - down], labels, trials)
    for counts, times in zip(*np.unique(drawn, axis=0, return_counts=True), strict=True):
        gaps = np.repeat([1.0, -1.0, 0.0], counts)
        contrast = difference(np.maximum(gaps, 0), np.maximum(-gaps, 0), np.zeros(labels, dtype=int), [items])
        detected += int(times) * (contrast.low > 0 or contrast.high < 0)
    expected = pairing.chance(labels, gap)
    assert detected / trials == pytest.approx(expected, abs=4 * math.sqrt(expected * (1 - expected) / trials) + 1e-3)


def test_more_targets_and_smaller_pools_change_the_labels() -> None:
    two, many = Pairing(agreement=0.9), Pairing(agreement=0.9, targets=5)
    assert many.labels(0.05) > two.labels(0.05)
    assert Pairing(agreement=0.9, n_items=400).labels(0.05) < two.labels(0.05)
    assert Pairing(agreement=0.9, n_items=100).chance(100, 0.01) == 1.0


def test_answers_that_are_the_same_save_labels() -> None:
    whole, known = Pairing(agreement=0.9), Pairing(agreement=0.9, differing=0.2)
    assert known.labels(0.03) == pytest.approx(0.2 * whole.labels(0.03), rel=0.1)


def test_a_difference_beyond_the_agreement_is_refused() -> None:
    with pytest.raises(DesignError):
        Pairing(agreement=0.9).labels(0.2)
    with pytest.raises(DesignError):
        Pairing(agreement=0.9).labels(0)
    with pytest.raises(DesignError):
        Pairing(agreement=1.0)
    with pytest.raises(DesignError):
        Pairing(agreement=0.8, differing=0.1)
    with pytest.raises(DesignError):
        Pairing(agreement=0.8, targets=1)


def two_targets() -> Pool:
    letters = "abcd"
    records = []
    for i in range(80):
        first, second = letters[i % 4], letters[(i + (i % 5 == 0)) % 4]
        records.append(
            {
                "id": str(i),
                "generations": [letters[i % 4], letters[(i + 1) % 4]],
                "answer": letters[i % 4],
                "targets": {"one": {"answer": first}, "two": {"answer": second}},
            }
        )
    return Pool.from_records(records, name="two")


def test_the_difference_is_that_of_the_items_where_answers_differ() -> None:
    pool = two_targets()
    member = answers_differ(pool, "one", "two")
    assert np.flatnonzero(member).tolist() == list(range(0, 80, 5))
    part = difference_pool(pool, "one", "two")
    assert list(part.ids) == [str(i) for i in range(0, 80, 5)]
    gaps = part.losses("one") - part.losses("two")
    whole = pool.losses("one") - pool.losses("two")
    assert member.mean() * gaps.mean() == pytest.approx(whole.mean()) != 0


def test_answers_that_no_generation_gives_may_differ() -> None:
    records = [
        {"id": "1", "generations": ["a"], "targets": {"one": {"answer": "x"}, "two": {"answer": "y"}}},
        {"id": "2", "generations": ["a"], "targets": {"one": {"answer": "a"}, "two": {"answer": "a"}}},
        {"id": "3", "generations": ["a"], "targets": {"one": {"answer": "a"}}},
    ]
    assert answers_differ(Pool.from_records(records, name="p"), "one", "two").tolist() == [True, False, True]


def test_unknown_and_equal_answers_are_refused() -> None:
    records = [{"id": "1", "generations": ["a"], "targets": {"one": {"answer": "a"}, "two": {"loss": 1}}}]
    with pytest.raises(DesignError, match="two"):
        answers_differ(Pool.from_records(records, name="p"), "one", "two")
    same = [{"id": "1", "generations": ["a"], "targets": {"one": {"answer": "a"}, "two": {"answer": "a"}}}]
    with pytest.raises(DesignError):
        difference_pool(Pool.from_records(same, name="p"), "one", "two")
