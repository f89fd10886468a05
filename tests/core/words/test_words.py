"""Numbers in words: widths that keep a digit, and words in a row."""

from __future__ import annotations

import math

import numpy as np
import pytest

from core import words as numbers
from core.words import SPACE, first_sentence
from tests.core.shell import words_of


@pytest.mark.parametrize(
    ("width", "unit", "written"),
    [
        (0.0312, True, "3.1 points"),
        (0.0, True, "0.0 points"),
        (0.00031, True, "0.03 points"),
        (-0.0312, True, "−3.1 points"),
        (math.nan, True, "–"),
        (0.000312, False, "0.000312"),
        (312.4, False, "312"),
        (5.0, False, "5.00"),
        (31240.0, False, "31,240"),
        (-math.inf, False, "−∞"),
    ],
)
def test_widths_keep_a_digit_that_says_something(width: float, unit: bool, written: str) -> None:
    assert numbers.width(width, unit).replace(SPACE, " ") == written


def test_intervals_are_written_in_one_form_of_shares_and_one_of_differences() -> None:
    written = (numbers.span(0.707, 0.866, True), numbers.share_span(0.707, 0.866), numbers.share_span(0.712, 0.714))
    assert [one.replace(SPACE, " ") for one in written] == ["70.7 % to 86.6 %", "71 % to 87 %", "71 %"]
    assert numbers.gap_span(-0.004, 0.031, True).replace(SPACE, " ") == "−0.4 to +3.1 points"


def test_shares_and_their_standard_errors() -> None:
    assert numbers.with_error(0.771, 0.0204) == "77.1 (s.e. 2.0)"
    assert (numbers.cell(0.771), numbers.per_cent(0.771)) == ("77.1", f"77{SPACE}%")
    shares = [numbers.per_cent(share).replace(SPACE, "") for share in (0, 0.1, 1, 3999 / 4000, 0.0004, 1 - 1e-12)]
    assert shares == ["0%", "10%", "100%", "99.98%", "0.04%", "100%"]
    # Nor is a loss none, and none has no sign.
    assert [numbers.per_cent(share).replace(SPACE, "") for share in (-0.003, -0.12, -1e-17)] == ["−0.3%", "−12%", "0%"]
    unknown = (numbers.with_error(math.nan, 0.1), numbers.cell(math.nan), numbers.per_cent(math.nan))
    assert set(unknown) == {numbers.UNKNOWN}


@pytest.mark.parametrize(
    ("text", "first", "rest"),
    [
        ("42 labels decide. Then stop.", "42 labels decide.", "Then stop."),
        ("When “Mr. X. Y” is right. Else not.", "When “Mr. X. Y” is right.", "Else not."),
        ("42 labels decide on Dr. Zero. Then stop.", "42 labels decide on Dr. Zero.", "Then stop."),
        ("Llama 3.1 gets 2.5 % more.", "Llama 3.1 gets 2.5 % more.", ""),
    ],
)
def test_a_first_sentence_does_not_end_within_a_name(text: str, first: str, rest: str) -> None:
    assert first_sentence(text) == (first, rest)


def test_words_in_a_row() -> None:
    assert [numbers.listed(words) for words in (["0"], ["0", "2"], ["0", "1", "2"])] == ["0", "0 and 2", "0, 1 and 2"]
    assert (numbers.counted(1, "label"), numbers.counted(2000, "label")) == ("1 label", "2,000 labels")
    assert [*map(numbers.grouped, (1600, np.int64(1600), "1600", "–"))] == ["1,600", "1,600", "1600", "–"]


@pytest.mark.parametrize(
    ("low", "high", "written"),
    [
        (1500.754, 1501.707, "1,500.75 to 1,501.71"),
        (-1000000.31, -999999.12, "−1,000,000.3 to −999,999.1"),
        (2.25, 13.75, "2.250 to 13.75"),
        (0.0, math.inf, "0.000 to ∞"),
        (7.0, 7.0, "7.000 to 7.000"),
    ],
)
def test_limits_do_not_look_alike(low: float, high: float, written: str) -> None:
    assert numbers.span(low, high, False) == written


PASTED = [
    "a b",
    "it's",
    "\x1b[201~\nrm -rf ~\n",
    "a\r",
    "\x03",
    "\u202egnp",
    "tab\t\\x",
    "\u2028'\n",
    "",
    "$HOME `x` !1",
    "é\u00a0🙂",
]


@pytest.mark.parametrize("text", PASTED)
def test_a_command_shows_every_character_and_hands_it_over(text: str) -> None:
    line = numbers.shell_line(["echo", text, "end"])
    assert words_of(line) == ["echo", text, "end"]


def test_of_many_strata_the_first_are_named() -> None:
    assert numbers.strata_named([3]) == "stratum 3"
    assert numbers.strata_named([0, 2]) == "strata 0 and 2"
    assert numbers.strata_named(range(8)) == "strata 0, 1, 2, 3, 4, 5, 6 and 7"
    assert numbers.strata_named(range(10, 60)) == "strata 10, 11, 12, 13, 14 and 45 others"
