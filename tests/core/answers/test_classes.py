"""Meaning classes: labels by first appearance, against the definition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.answers import classes_of_codes, meaning_classes


def first_appearance_labels(row: list[object]) -> list[int]:
    """The definition, the slow way."""
    values: list[object] = []
    for value in row:
        if value not in values:
            values.append(value)
    return [values.index(value) for value in row]


class TestMeaningClasses:
    def test_labels_follow_the_first_appearance(self) -> None:
        classes = meaning_classes([["B", "A", "B", None], [None, None, "A", "C"]])
        assert classes.tolist() == [[0, 1, 0, 2], [0, 0, 1, 2]]
        assert np.issubdtype(classes.dtype, np.signedinteger)

    def test_short_lists_are_padded_on_the_right(self) -> None:
        assert meaning_classes([["A", None], [], ["C", "C", "A"]]).tolist() == [[0, 1, -1], [-1, -1, -1], [0, 0, 1]]

    def test_nothing_to_label(self) -> None:
        assert meaning_classes([]).shape == (0, 0)
        assert meaning_classes([[], []]).shape == (2, 0)

    def test_no_answer_differs_from_the_empty_answer_and_the_word(self) -> None:
        assert meaning_classes([[None, "", "None", None]]).tolist() == [[0, 1, 2, 0]]

    @given(st.lists(st.lists(st.none() | st.text(max_size=1), max_size=8), max_size=6))
    def test_equals_the_definition(self, answers: list[list[str | None]]) -> None:
        classes = meaning_classes(answers)
        width = max(map(len, answers), default=0)
        assert classes.shape == (len(answers), width)
        for row, item in zip(classes.tolist(), answers, strict=True):
            assert row == first_appearance_labels(item) + [-1] * (width - len(item))

    @given(st.lists(st.lists(st.none() | st.sampled_from("ABC"), min_size=3, max_size=3), min_size=1), st.randoms())
    def test_the_order_of_the_items_does_not_matter(self, answers: list[list[str | None]], random: object) -> None:
        order = list(range(len(answers)))
        random.shuffle(order)  # type: ignore[attr-defined]
        shuffled = meaning_classes([answers[i] for i in order])
        assert np.array_equal(shuffled, meaning_classes(answers)[order])


class TestClassesOfCodes:
    @given(st.data(), st.integers(0, 5), st.sampled_from([0, 1, 2, 10, 47, 48, 49, 60]))
    def test_equals_the_definition_for_any_width(self, data: st.DataObject, n_items: int, width: int) -> None:
        cells = st.integers(-1, 5) | st.integers(-(2**40), 2**40).filter(lambda code: code != -2)
        rows = [[data.draw(cells) for _ in range(width)] for _ in range(n_items)]
        codes = np.array(rows, dtype=np.int64).reshape(n_items, width)
        before = codes.copy()
        assert classes_of_codes(codes).tolist() == [first_appearance_labels(row) for row in rows]
        assert np.array_equal(codes, before)

    @pytest.mark.parametrize("repeat", [1, 15])
    @given(rows=st.lists(st.lists(st.sampled_from([-2, -1, 0, 1]), min_size=4, max_size=4), min_size=1, max_size=5))
    def test_pads_anywhere_take_no_label(self, rows: list[list[int]], repeat: int) -> None:
        rows = [row * repeat for row in rows]
        for row, labels in zip(rows, classes_of_codes(np.array(rows)).tolist(), strict=True):
            assert [label for label in labels if label != -1] == first_appearance_labels([c for c in row if c != -2])
            assert [label == -1 for label in labels] == [code == -2 for code in row]

    def test_more_rows_than_one_block(self) -> None:
        codes = np.random.default_rng(7).integers(-2, 4, (60_000, 10)).astype(np.int8)
        classes = classes_of_codes(codes)
        for i in np.random.default_rng(8).integers(0, len(codes), 500):
            real = codes[i] != -2
            assert classes[i][real].tolist() == first_appearance_labels(codes[i][real].tolist())

    @pytest.mark.parametrize("codes", [np.zeros(3, dtype=int), np.zeros((2, 2)), np.array([["A"]])])
    def test_anything_but_a_table_of_integers_is_refused(self, codes: np.ndarray) -> None:
        with pytest.raises(ValueError, match="two-dimensional integer array"):
            classes_of_codes(codes)
