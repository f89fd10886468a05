"""What tests of sentences take as said."""

from __future__ import annotations

import pytest

from tests.core.wording import APART, Saying


@pytest.mark.parametrize(
    ("text", "parts", "said"),
    [
        ("18 disputed items", ("8 disputed items",), False),
        ("1,008 items", ("8 items",), False),
        ("1,800 items", ("800 items",), False),
        ("−0.8 items", ("8 items",), False),
        ("row 12", ("row 1",), False),
        ("row 1,200", ("row 1",), False),
        ("row 1.5", ("row 1",), False),
        ("It is in row 1.", ("row 1",), True),
        ("rows 1, 2", ("rows 1", "2"), True),
        ("In all: 8 items, of 5", ("8 items", "5"), True),
        ("5 of 8 items", ("8 items", "5"), False),
        ("first" + "." * (APART + 1) + "second", ("first", "second"), False),
    ],
)
def test_parts_follow_each_other_closely_and_cut_no_number_off(text: str, parts: tuple[str, ...], said: bool) -> None:
    assert (Saying(*parts) == text) is said
