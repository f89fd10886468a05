"""Numbers that are written in several ways, and so count as several answers."""

from __future__ import annotations

import pytest

from core.pool import Pool, spellings
from core.readers import read


def pool(*generations: list[str], **more: object) -> Pool:
    rows = [{"id": f"q{number}", "generations": texts, **more} for number, texts in enumerate(generations)]
    return Pool.from_records(rows, "numbers")


def test_one_number_in_several_spellings_has_a_share_and_an_example() -> None:
    several = spellings(pool(["18", "$18", "18.00"], ["7", "8", "9"], ["1,000", "1000", ""], ["3", "3", "3"]))
    assert several is not None and several.share == 0.5
    assert (several.first, several.second) == ("18", "$18")


def test_a_number_in_a_sentence_is_the_one_that_stands_alone_beside_it() -> None:
    """“443” and “It is 443.” counted as different answers, and nothing said so."""
    several = spellings(pool(["443", "It is 443.", "393"], ["7", "The answer is: 7 days."], ["It is 8.", "It is 9."]))
    assert several is not None and several.share == pytest.approx(2 / 3)
    assert (several.first, several.second) == ("443", "It is 443.")


@pytest.mark.parametrize(
    "chosen",
    [
        pool(["18", "19", "20"]),
        pool(["A", "B", "A"]),
        pool(["", "", ""]),
        pool(["So it is (A), step 2", "Then (B), step 2"]),
        pool(["Chapter 3", "Verse 3"], ["Room 12", "Floor 12"]),
        pool(["3", "Chapter 3 of 5"], ["12", "12, as 7 and 5 are 12"]),
        pool(["18", "$18"], answer_kind="number"),
    ],
    ids=["distinct", "letters", "nothing", "sentences", "parts", "several", "told how"],
)
def test_nothing_is_said_where_answers_differ_or_the_pool_says_how_to_read_them(chosen: Pool) -> None:
    assert spellings(chosen) is None


def test_committees_write_numbers_as_they_like_and_exams_have_letters(real_pool) -> None:
    several = spellings(read(real_pool("gsm8k-committee10.jsonl")))
    assert several is not None and several.share > 0.1
    assert spellings(read(real_pool("exams-gpt35-k10.jsonl"))) is None
