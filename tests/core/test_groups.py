"""Groups and the strata that they lie in: in some only, with few labels there, and over all samples."""

from __future__ import annotations

import itertools
from collections import defaultdict

import numpy as np
import pandas as pd
import pytest

from core.errors import DesignError
from core.estimation import domains, stratified
from core.estimation.groups import NONE, RATIO, WITHIN

STRATA = np.repeat([0, 1, 2], [20, 20, 10])
LOSSES = np.array([1.0, 0, 1, 0, 0, 1])


def row_of(losses: np.ndarray, places: list[int], inside: list[int], strata: np.ndarray = STRATA) -> pd.Series:
    groups = ["mine" if place in set(inside) else "rest" for place in range(strata.size)]
    return domains(losses, places, strata, groups).set_index("group").loc["mine"]


@pytest.mark.parametrize(("here", "stratum"), [([0, 1, 2, 3, 4, 5, 6], 0), ([22, 24, 26, 28, 30, 32, 38], 1)])
def test_a_group_of_one_stratum_is_a_simple_random_sample_of_itself(here: list[int], stratum: int) -> None:
    """Strata that hold nothing of it do not count, whether they have labels or not."""
    elsewhere = [place for place in (7, 8, 21, 23, 45, 46) if STRATA[place] != stratum]
    losses = np.r_[LOSSES[:4], np.ones(len(elsewhere))]
    row = row_of(losses, [*here[:4], *elsewhere], here)
    alone = stratified(LOSSES[:4], [0] * 4, [7])
    assert (row["estimator"], row["items"], row["labels"]) == (WITHIN, 7, 4)
    assert (row["value"], row["standard_error"], row["low"], row["high"]) == pytest.approx(
        (alone.value, alone.standard_error, alone.low, alone.high), abs=1e-12
    )


def test_a_group_of_two_strata_out_of_three() -> None:
    inside = [*range(10), *range(40, 45)]
    row = row_of(np.r_[LOSSES, 1.0], [0, 1, 2, 40, 41, 42, 25], inside)
    alone = stratified(LOSSES, [0, 0, 0, 1, 1, 1], (10, 5))
    assert (row["value"], row["low"], row["high"]) == pytest.approx((alone.value, alone.low, alone.high), abs=1e-12)


@pytest.mark.parametrize(
    ("items", "labels", "estimator"), [(5, 2, WITHIN), (5, 1, RATIO), (5, 0, RATIO), (1, 1, WITHIN), (1, 0, RATIO)]
)
def test_two_labels_of_a_stratum_or_all_its_items_make_a_sample_of_the_group(
    items: int, labels: int, estimator: str
) -> None:
    """In the second stratum the group has so many items and labels; in the first three of ten."""
    inside = [*range(10), *range(20, 20 + items)]
    places = [0, 1, 2, *range(20, 20 + labels), 30, 31, 45, 46]
    row = row_of(np.resize([1.0, 0.0], len(places)), places, inside)
    assert (row["estimator"], row["labels"]) == (estimator, 3 + labels)
    if estimator == WITHIN:
        means = [np.mean([1, 0, 1]), np.mean([0, 1][:labels])]
        assert row["value"] == pytest.approx((10 * means[0] + items * means[1]) / (10 + items))


def test_the_largest_group_comes_first_and_groups_of_one_size_as_the_pool_names_them() -> None:
    groups = ["c"] * 12 + ["a"] * 12 + ["big"] * 14 + ["b"] * 12
    table = domains([1.0, 0.0, 1.0], [0, 25, 45], STRATA, groups)
    assert table["group"].tolist() == ["big", "c", "a", "b"]
    assert table["items"].tolist() == [14, 12, 12, 12] and table["labels"].tolist() == [1, 1, 0, 1]
    assert table["estimator"].tolist() == [RATIO, RATIO, NONE, RATIO]


def test_over_all_samples_a_group_is_estimated_without_bias_for_each_number_of_its_labels() -> None:
    """Every sample of 3 of 5 and 3 of 5 items; four and three of them are the group's."""
    strata, inside = np.repeat([0, 1], 5), [0, 1, 2, 3, 5, 6, 7]
    pool = np.array([1, 0, 0.5, 0, 1, 1, 1, 0, 0, 0.25])
    values, squares, errors = defaultdict(list), defaultdict(list), defaultdict(list)
    truth = pool[inside].mean()
    for first, second in itertools.product(*(itertools.combinations(part, 3) for part in (range(5), range(5, 10)))):
        places = [*first, *second]
        row = row_of(pool[places], places, inside, strata)
        if row["estimator"] == WITHIN:
            counts = (len(set(first) & set(inside)), len(set(second) & set(inside)))
            values[counts].append(row["value"])
            squares[counts].append((row["value"] - truth) ** 2)
            errors[counts].append(row["standard_error"] ** 2)
    assert set(values) == {(2, 2), (2, 3), (3, 2), (3, 3)}
    for counts, estimates in values.items():
        assert np.mean(estimates) == pytest.approx(truth, abs=1e-12)
        assert np.mean(errors[counts]) == pytest.approx(np.mean(squares[counts]), abs=1e-12)


@pytest.mark.parametrize("loss", [1 + 1e-9, -1e-9])
def test_losses_a_hair_outside_0_and_1_are_refused(loss: float) -> None:
    for places in ([0, 1, 20, 21, 40, 41], [0, 1, 2, 20, 40, 41]):
        with pytest.raises(DesignError, match="outside 0 … 1"):
            row_of(np.r_[LOSSES[:5], loss], places, [*range(0, 50, 2)])
