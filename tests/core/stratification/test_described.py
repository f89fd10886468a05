"""What a pool shows of its items: values, orders and groups, beside plain loops."""

from __future__ import annotations

import math

import numpy as np
import pytest

from core.pool import Pool
from core.stratification import by_group, in_order, profile, value_counts


@pytest.fixture
def grouped() -> Pool:
    answers = (["A", "A"], ["A", "B"], ["A", "A"], ["B", "C"], ["C", "C"])
    losses = (0.0, 1.0, None, 1.0, 0.0)
    records = [
        {
            "id": f"q{place}",
            "prompt": f"Number {place}",
            "generations": given,
            "group": "law" if place < 3 else "art",
            "targets": {"one": {"loss": loss}, "two": {"loss": 0.25 * place}},
        }
        for place, (given, loss) in enumerate(zip(answers, losses, strict=True))
    ]
    return Pool.from_records(records, name="grouped")


def test_values_are_counted_and_the_unknown_ones_left_out() -> None:
    table = value_counts(np.array([0.5, math.nan, 0.1 + 0.2, 0.3, 0.5]))
    assert table.to_dict("list") == {"value": [0.3, 0.5], "items": [2, 2]}
    weighted = value_counts(np.array([1.0, 0.0, 1.0]), np.array([4, 5, 6]))
    assert weighted.to_dict("list") == {"value": [0.0, 1.0], "items": [5, 10]}


@pytest.mark.parametrize("most", [1, 3, 5, 9])
@pytest.mark.parametrize("descending", [False, True])
def test_only_as_many_are_sorted_as_are_shown(grouped: Pool, most: int, descending: bool) -> None:
    known, places = profile(grouped.class_counts()), np.array([4, 3, 2, 1, 0])
    expected = sorted(places.tolist(), key=lambda place: known.signal[place] * (-1 if descending else 1))
    assert in_order(known, places, most, descending).tolist() == expected[:most]


def test_groups_have_their_means_over_the_known_outcomes(grouped: Pool) -> None:
    table = by_group(grouped, profile(grouped.class_counts())).set_index("group")
    assert table["items"].to_dict() == {"law": 3, "art": 2}
    assert table["accuracy · one"].to_dict() == {"law": 0.5, "art": 0.5}
    assert table["mean loss · two"].to_dict() == {"law": 0.25, "art": 0.875}
    assert table["share with entropy 0"].to_dict() == pytest.approx({"law": 2 / 3, "art": 1 / 2})


def test_a_target_says_on_how_many_items_it_is_known_and_right(grouped: Pool) -> None:
    one = grouped.targets["one"]
    assert one.known() == 4 and one.accuracy() == 0.5
    unknown = Pool.from_records([{"id": "a", "targets": {"m": {"loss": None, "text": "x"}}}]).targets["m"]
    assert unknown.known() == 0 and math.isnan(unknown.accuracy())


@pytest.mark.parametrize(
    ("text", "places"), [("", range(5)), ("Q3", [3]), ("number 1", [1]), ("LAW", [0, 1, 2]), ("z", [])]
)
def test_items_are_found_by_id_prompt_and_group(grouped: Pool, text: str, places: list[int]) -> None:
    assert grouped.find(text).tolist() == list(places)
