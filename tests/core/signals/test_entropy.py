"""Signals: hand-derived values, the lattice of frequencies, exact ties, and the likelihood-weighted form."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.signals import agreement, predictive_entropy, self_consistency, semantic_entropy
from tests.core.brute_force import entropy_key, likelihood_entropy, partitions, row_of

PARTITIONS_OF_TEN = list(partitions(10))

rows = st.integers(1, 12).flatmap(
    lambda k: st.lists(st.lists(st.integers(-1, 5), min_size=k, max_size=k), min_size=1, max_size=8)
)


@pytest.mark.parametrize(
    ("row", "entropy", "consistency"),
    [
        ([0, 0, 0, 0], 0.0, 1.0),
        ([0, 0, 1, 1], math.log(2), 0.5),
        ([0, 1, 2, 3], math.log(4), 0.25),
        ([7, 7, 7, 2], math.log(4) - 0.75 * math.log(3), 0.75),
        ([0, 1, 1, 2, 2, 2], math.log(6) - (2 * math.log(2) + 3 * math.log(3)) / 6, 0.5),
        ([5], 0.0, 1.0),
    ],
)
def test_values_by_hand(row: list[int], entropy: float, consistency: float) -> None:
    assert semantic_entropy([row])[0] == pytest.approx(entropy, abs=1e-15)
    assert self_consistency([row])[0] == consistency


def test_ten_generations_have_42_patterns_39_entropies_and_22_with_at_most_four_answers() -> None:
    assert len(PARTITIONS_OF_TEN) == 42
    values = semantic_entropy([row_of(counts) for counts in PARTITIONS_OF_TEN])
    few = np.array([len(counts) <= 4 for counts in PARTITIONS_OF_TEN])
    assert np.unique(values).size == 39
    assert np.unique(values[few]).size == 22


@pytest.mark.parametrize("k", [3, 7, 10, 14, 17, 24])
def test_equal_entropies_are_bit_identical_and_others_differ(k: int) -> None:
    counts = list(partitions(k))
    values = semantic_entropy([row_of(c) for c in counts])
    by_key = dict[object, set[str]]()
    for value, one in zip(values.tolist(), counts, strict=True):
        by_key.setdefault(entropy_key(one), set()).add(value.hex())
    assert all(len(same) == 1 for same in by_key.values())
    assert np.unique(values).size == len(by_key)


def test_counts_with_equal_entropy_are_one_tie() -> None:
    first, second = semantic_entropy([row_of((4, 1, 1, 1, 1, 1, 1)), row_of((2, 2, 2, 2, 1, 1))]).tolist()
    assert first == second


def test_ties_hold_between_items_of_different_lengths() -> None:
    values = semantic_entropy([row_of((1, 1), 10), row_of((2, 2), 10), row_of((3, 3), 10), row_of((5, 5), 10)])
    assert np.unique(values).size == 1


def test_the_value_does_not_depend_on_the_company() -> None:
    together = semantic_entropy([row_of(counts) for counts in PARTITIONS_OF_TEN])
    alone = [semantic_entropy([row_of(counts)])[0] for counts in PARTITIONS_OF_TEN]
    np.testing.assert_allclose(together, alone, rtol=0, atol=1e-14)


@given(rows, st.randoms(use_true_random=False))
def test_order_and_names_of_answers_do_not_matter(classes: list[list[int]], random: object) -> None:
    names = list(range(100, 106))
    random.shuffle(names)  # type: ignore[attr-defined]
    renamed = [[-1 if c < 0 else names[c] for c in row] for row in classes]
    for row in renamed:
        random.shuffle(row)  # type: ignore[attr-defined]
    np.testing.assert_array_equal(semantic_entropy(classes), semantic_entropy(renamed))
    np.testing.assert_array_equal(self_consistency(classes), self_consistency(renamed))


@given(rows)
def test_frequencies_against_plain_python(classes: list[list[int]]) -> None:
    for row, entropy, consistency in zip(
        classes, semantic_entropy(classes).tolist(), self_consistency(classes).tolist(), strict=True
    ):
        present = [c for c in row if c >= 0]
        if not present:
            assert math.isnan(entropy)
            assert math.isnan(consistency)
            continue
        shares = [present.count(c) / len(present) for c in sorted(set(present))]
        assert entropy == pytest.approx(-sum(p * math.log(p) for p in shares), abs=1e-12)
        assert consistency == pytest.approx(max(shares), abs=1e-15)
        assert (entropy == 0) == (len(shares) == 1)


def test_ragged_rows_count_only_what_is_there() -> None:
    classes = [[0, 0, 1, -1, -1], [0, 0, 0, 0, 0], [-1, -1, -1, -1, -1], [4, -1, -1, -1, -1]]
    entropy, consistency = semantic_entropy(classes), self_consistency(classes)
    np.testing.assert_allclose(entropy[[0, 1, 3]], [math.log(3) - 2 * math.log(2) / 3, 0.0, 0.0], atol=1e-15)
    np.testing.assert_array_equal(consistency[[0, 1, 3]], [2 / 3, 1.0, 1.0])
    assert np.isnan(entropy[2])
    assert np.isnan(consistency[2])


def test_pads_may_stand_anywhere() -> None:
    np.testing.assert_array_equal(semantic_entropy([[-1, 3, -1, 5]]), semantic_entropy([[3, 5, -1, -1]]))


def test_one_generation_each_has_no_entropy() -> None:
    np.testing.assert_array_equal(semantic_entropy([[0], [3], [-1]]), [0.0, 0.0, np.nan])
    np.testing.assert_array_equal(self_consistency([[0], [3], [-1]]), [1.0, 1.0, np.nan])


@pytest.mark.parametrize("shape", [(0, 10), (0, 0)])
def test_no_items(shape: tuple[int, int]) -> None:
    assert semantic_entropy(np.empty(shape, dtype=int)).shape == (0,)
    assert self_consistency(np.empty(shape, dtype=int)).shape == (0,)
    assert predictive_entropy(np.empty(shape)).shape == (0,)


def test_items_without_any_generation_have_no_signal() -> None:
    for signal in (semantic_entropy, self_consistency):
        assert np.isnan(signal(np.empty((3, 0), dtype=int))).tolist() == [True] * 3
        assert np.isnan(signal(np.full((3, 4), -1))).tolist() == [True] * 3


@pytest.mark.parametrize("kind", ["int8", "int16", "int32", "int64"])
def test_every_integer_type_gives_the_same(kind: str) -> None:
    classes = np.array([row_of(counts) for counts in PARTITIONS_OF_TEN])
    np.testing.assert_array_equal(semantic_entropy(classes.astype(kind)), semantic_entropy(classes))


def test_many_generations_use_the_other_path_with_the_same_result() -> None:
    rng = np.random.default_rng(5)
    classes = rng.integers(0, 4, (60, 40))
    shares = [np.unique(row, return_counts=True)[1] / 40 for row in classes]
    np.testing.assert_allclose(semantic_entropy(classes), [-(p * np.log(p)).sum() for p in shares], atol=1e-13)
    np.testing.assert_array_equal(self_consistency(classes), [p.max() for p in shares])


def test_many_items_do_not_spoil_the_codes_of_their_counts() -> None:
    """The counts' codes are differences of one cumulative sum that leaves 64 bits behind."""
    classes = np.tile([row_of((14, 1)), row_of((15,), 15), row_of((8, 7))], (2000, 1))
    values = semantic_entropy(classes).reshape(2000, 3)
    assert (values == values[0]).all()
    np.testing.assert_array_equal(values[0], semantic_entropy(classes[:3]))


@pytest.mark.parametrize("shape", [(4,), (2, 2, 2)])
def test_classes_must_be_a_table(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=r"must be \(N, k\)"):
        semantic_entropy(np.zeros(shape, dtype=int))
    with pytest.raises(ValueError, match=r"must be \(N, k\)"):
        predictive_entropy(np.zeros(shape))


def test_likelihoods_by_hand() -> None:
    logprobs = np.log([[0.2, 0.2, 0.1, 0.0625]])
    p = np.array([0.4, 0.1, 0.0625]) / 0.5625
    assert semantic_entropy([[0, 0, 1, 2]], logprobs)[0] == pytest.approx(-(p * np.log(p)).sum(), abs=1e-14)


@given(rows, st.data())
def test_likelihoods_against_plain_python(classes: list[list[int]], data: st.DataObject) -> None:
    k = len(classes[0])
    numbers = st.lists(st.floats(-900, 0), min_size=k, max_size=k)
    logprobs = data.draw(st.lists(numbers, min_size=len(classes), max_size=len(classes)))
    entropy = semantic_entropy(classes, logprobs)
    for row, lp, value in zip(classes, logprobs, entropy.tolist(), strict=True):
        if max(row) < 0:
            assert math.isnan(value)
        else:
            assert value == pytest.approx(likelihood_entropy(row, lp), abs=1e-12)


@given(rows, st.floats(-700, 0))
def test_equal_likelihoods_are_frequencies(classes: list[list[int]], logprob: float) -> None:
    weighted = semantic_entropy(classes, np.full(np.shape(classes), logprob))
    plain = semantic_entropy(classes)
    np.testing.assert_allclose(weighted, plain, atol=1e-13)
    np.testing.assert_array_equal(weighted == 0, plain == 0)


def test_impossible_generations_weigh_nothing() -> None:
    inf = np.inf
    entropy = semantic_entropy(
        [[0, 1, 2], [0, 1, 1], [0, 1, 1], [0, 0, -1]],
        [[-1.0, -1.0, -inf], [-inf, -3.0, -2.0], [-inf, -inf, -inf], [-inf, -2.0, np.nan]],
    )
    np.testing.assert_allclose(entropy[:3], [math.log(2), 0.0, math.log(3) - 2 * math.log(2) / 3], atol=1e-15)
    assert entropy[3] == 0


@given(st.lists(st.floats(-30, 0), min_size=1, max_size=12))
def test_one_possible_meaning_has_an_entropy_of_exactly_zero(logprobs: list[float]) -> None:
    """Rounding in the sum of the likelihoods must not move a certain item out of the stratum of zeros."""
    classes = [[0] * len(logprobs) + [1, 2]]
    assert semantic_entropy(classes, [[*logprobs, -np.inf, -np.inf]])[0] == 0


def test_likelihoods_are_relative() -> None:
    classes = [[0, 0, 1, 2]]
    logprobs = np.array([[-3.0, -2.0, -2.5, -7.0]])
    np.testing.assert_allclose(
        semantic_entropy(classes, logprobs), semantic_entropy(classes, logprobs - 5000), atol=1e-11
    )


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_unusable_likelihoods_are_refused(bad: float) -> None:
    with pytest.raises(ValueError, match="finite or −inf"):
        semantic_entropy([[0, 1]], [[-1.0, bad]])
    assert semantic_entropy([[0, -1]], [[-1.0, bad]])[0] == 0


def test_likelihoods_need_the_shape_of_the_classes() -> None:
    with pytest.raises(ValueError, match="shape of classes"):
        semantic_entropy([[0, 1]], [[-1.0, -1.0, -1.0]])


def test_predictive_entropy_is_the_mean_surprise_of_a_token() -> None:
    entropy = predictive_entropy([[-1.0, -2.0, -3.0], [-0.5, np.nan, np.nan], [np.nan] * 3, [0.0, 0.0, 0.0]])
    np.testing.assert_array_equal(entropy, [2.0, 0.5, np.nan, 0.0])


@pytest.mark.parametrize(
    ("row", "answer", "share"),
    [
        ([0, 0, 1, 2], 0, 0.5),
        ([0, 0, 1, 2], 3, 0.0),
        ([0, 0, 1, 2], -1, math.nan),
        ([0, 1, 1, -1], 1, 2 / 3),
        ([-1, -1, -1, -1], 0, math.nan),
        ([-1, -1, -1, -1], -1, math.nan),
    ],
)
def test_agreement_by_hand(row: list[int], answer: int, share: float) -> None:
    np.testing.assert_array_equal(agreement([row], [answer]), [share])


@given(rows, st.randoms(use_true_random=False))
def test_agreement_follows_items_and_ignores_the_order_of_generations(classes: list[list[int]], random: object) -> None:
    answers = [random.choice([-1, 0, 1, 6]) for _ in classes]  # type: ignore[attr-defined]
    whole = agreement(classes, answers)
    shares = [
        math.nan if c < 0 or max(row) < 0 else row.count(c) / sum(x >= 0 for x in row)
        for row, c in zip(classes, answers, strict=True)
    ]
    np.testing.assert_array_equal(whole, shares)
    np.testing.assert_array_equal(agreement([row[::-1] for row in classes[::-1]], answers[::-1]), whole[::-1])


def test_agreement_needs_one_answer_for_each_item() -> None:
    with pytest.raises(ValueError, match="target_classes"):
        agreement([[0, 1]], [0, 1])
    with pytest.raises(ValueError, match="classes must be"):
        agreement([0, 1], [0, 1])
