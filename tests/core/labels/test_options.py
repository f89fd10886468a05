"""The few answers that all items of a pool share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import pytest

from core.labels.kinds import option_letter
from core.labels.one_number import one_number
from core.labels.options import AnswerWords, known_answers, outside, respelled
from core.pool import Pool
from core.readers import read
from tests.conftest import ROOT


def pool(answers: Sequence[str | None], **more: Any) -> Pool:
    rows = [{"id": str(n), "generations": ["x", "y"], **more} for n in range(len(answers))]
    return Pool.from_records(
        [{**row, "answer": answer} if answer is not None else row for row, answer in zip(rows, answers, strict=True)]
    )


def test_truths_of_a_closed_set_are_the_options_numbers_first_and_in_order() -> None:
    assert known_answers(pool(["B", "A", "D", "C"] * 20)) == ("A", "B", "C", "D")
    assert known_answers(pool(["10", "9", "no", "-2.5"] * 20)) == ("-2.5", "9", "10", "no")
    assert known_answers(pool(["(B)", "A."] * 20, answer_kind="choice", choices=["x", "y"])) == ("A", "B")
    assert known_answers(pool(["Yes.", "NO", "yes"] * 20), "text") == ("no", "yes")


def test_a_slip_of_the_truth_is_no_option() -> None:
    assert known_answers(pool([*("ABCDE" * 40), "1", "2"])) == ("A", "B", "C", "D", "E")


@pytest.mark.parametrize(
    "answers",
    [
        [str(number) for number in range(60)],
        ["A"] * 60,
        ["yes", "a long answer that would fit no button"] * 30,
        [str(number % 11) for number in range(110)],
    ],
)
def test_what_is_no_small_closed_set_gives_none(answers: list[str]) -> None:
    assert known_answers(pool(answers)) == ()


def test_ten_are_the_most() -> None:
    assert known_answers(pool([str(number % 10) for number in range(100)])) == tuple("0123456789")


def test_without_truths_targets_and_then_generations_show_them() -> None:
    none: list[str | None] = [None] * 40
    assert known_answers(pool(none)) == ("x", "y")
    assert known_answers(pool(none, targets={"a": {"text": "p"}, "b": {"answer": "q"}})) == ("p", "q")
    assert known_answers(pool(["A", "B", *none])) == ("x", "y"), "two truths say little of a pool"


def test_a_pool_without_any_answer_has_none() -> None:
    assert known_answers(Pool.from_records([{"id": "1"}, {"id": "2"}])) == ()


@pytest.mark.parametrize("answers", [["A", "B"]])
def test_a_tiny_pool_shows_what_it_has(answers: list[str]) -> None:
    assert known_answers(pool(answers)) == ("A", "B")


def test_the_demo_mixes_many_answers() -> None:
    assert known_answers(read(ROOT / "data" / "demo.jsonl.gz")) == ()


def test_answers_outside_of_the_known_are_told_by_what_they_mean() -> None:
    numbers = pool(["9", "10", "11"] * 20, answer_kind="number")
    known = known_answers(numbers)
    rows = pd.DataFrame({"item_id": ["0", "1", "2", "3", "gone"], "label": ["10.0", "12", None, "many", "12"]})
    assert outside(rows, numbers, known)["item_id"].tolist() == ["1", "3"]
    assert outside(rows, numbers, known, "as-is")["item_id"].tolist() == ["0", "1", "3"]
    assert outside(rows, numbers, ()).empty and outside(rows.iloc[:0], numbers, known).empty
    letters = pool(["A", "B"] * 30, answer_kind="choice", choices=["x", "y"])
    assert outside(rows.assign(label="Z"), letters, ("A", "B")).empty, "the options themselves say what is none"


def test_the_items_of_many_labels_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    one, asked = pool([str(n) for n in range(40)], answer_kind="number"), list[int]()
    of_items = type(one).items_with
    monkeypatch.setattr(type(one), "items_with", lambda self, ids: asked.append(len(list(ids))) or of_items(self, ids))
    words, rows = AnswerWords(one), pd.DataFrame({"item_id": [*one.ids[:], "other"], "label": "5,0"})
    assert respelled(rows, "gold", words)["label"].tolist() == ["5,0"] * 41, "read as it is written"
    assert not any(words.understands(item, "five or six") for item in one.ids[:]) and words.understands("other", "x")
    assert asked == [40]


@pytest.mark.parametrize(
    "text",
    [
        "1 234",
        "1,00,000",
        "12,345,678",
        "1'234.5",
        "six",
        "Six.",
        "the answer is twenty-one",
        "one hundred and five",
        "2^3",
        "1/2",
        "5,0",
        *("5 kg", "5 KG", "$1,000", "5°C", "5 m²", "5 km/h", "5‰", "Rs. 5", "R$ 5", "USD 5", "5 USD", "US$5", "-5 °C"),
        *(
            "-$5",
            "150 000",
            "1 000 000",
            "5 Euro",
            "5 Stück",
            "5円",
            "5 MB",
            "5 minutes",
            "5.",
            "1.5e3",
            "100\u202f200",
        ),
    ],
)
def test_a_number_is_one_in_digits_or_in_words(text: str) -> None:
    assert one_number(text) is not None


@pytest.mark.parametrize(
    "text",
    [
        *("five or six", "six and seven", "six seven", "five, six", "less than five", "at least ten", "two thirds"),
        *("five and a half", "three dozen", "minus five", "2^3 or 4", r"\frac{1}{2} or 3", "5 or 6"),
        *("5k", "5K", "5M", "5 MM", "$5m", "$5bn", "USD 5k", "EUR 5m", "5 Mio", "5 Millionen", "5 Tausend", "5 lakh"),
        *("5 crore", "5 hundred", "5 dozen", "5万", "5 тыс", "5 tenths", "5 squared", "5 factorial", "5 pi", "5i"),
        *("5 minus", "5 not", "5 wrongg", "- 5", "– 5", "not 5", "neg 5", "sin 5", "log 100", "TOP 5", "01. Feb"),
        *("2. Jan", "100 200", "5!", "5+", "~5", "5 ±1", "5th", "No. 5", "0x5", "5 bn", "5 apples"),
        *("10 20", "12 34 56", "5'10", "5_10", "10,20,30", "1,234,56", "1,234 567", "5 12", "04,021"),
    ],
)
def test_several_numbers_or_a_part_of_one_are_none(text: str) -> None:
    assert one_number(text) is None


@pytest.mark.parametrize(
    ("text", "options", "letter"),
    [
        *((text, ["Paris", "Rome"], "B") for text in ("Rome", "rome", "ROME.", "B", "b)", "(B) Rome", "B: rome")),
        *((text, ["Paris", "Rome"], "B") for text in ("B) Rome.", "b. Rome", "B - Rome", " rome ")),
        *((text, ["Paris", "Rome"], None) for text in ("A) Rome", "B Rome", "Roma", "B) Paris", "C) Rome", "")),
        ("Yes", ["no", "yes"], "B"),
        ("FALSE", ["True", "False"], "B"),
        ("0.0", ["1", "0"], "B"),
        ("5", ["1,000", "5.0"], "B"),
        ("1", ["1,000", "5"], None),
        ("0.05", ["5%", "6%"], None),
        ("none of the above", ["x", "None of the above."], "B"),
        ("pa", ["Pa", "PA"], None),
        ("PA", ["Pa", "PA"], "B"),
        ("120", ["24", "5!"], None),
        ("5", ["24", "5!"], None),
    ],
)
def test_an_option_is_meant_in_any_case_with_its_letter_or_without(
    text: str, options: list[str], letter: str | None
) -> None:
    assert option_letter(text, options) == letter


def test_a_minus_sign_belongs_to_its_number() -> None:
    assert one_number("− 5") == "-5" and one_number("-5 °C") in ("-5", "-5 °C")


@pytest.mark.parametrize(
    ("label", "is_one"),
    [("5 apples", True), ("5 Apples", True), ("5 pears", True), ("5 plums", False), ("5 million", False)],
)
def test_a_word_of_the_question_or_of_the_answers_is_a_unit(label: str, is_one: bool) -> None:
    words = AnswerWords(pool(["3 pears"] * 5, answer_kind="number", prompt="How many apples of a million?"))
    assert words.understands("0", label) == is_one
