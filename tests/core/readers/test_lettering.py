"""Right answers that number the options of an item, or are their texts, beside outputs of letters or texts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from core.pool import Pool
from core.readers import read as read_pool
from core.readers import read_mapped
from tests.core.readers.guessed import guess, lines

COLOURS = ["red", "green", "blue", "black"]
NUMERIC = ["4", "2", "0", "8"]


def read(odd: tuple[list[str], Any], gold: list[Any], outputs: str = "letter") -> Pool:
    """Read twenty items, of which the outputs choose the option after the right one in every fourth."""
    rows = []
    for n in range(20):
        options, answer = odd if n == 5 else ([f"{one} {n}" for one in COLOURS], gold[n % 4])
        said = (n % 4 + (n % 4 == 3)) % 4
        text = "ABCD"[said] if outputs == "letter" else options[said]
        one = f"{answer} {n}" if isinstance(answer, str) and answer in COLOURS and n != 5 else answer
        rows.append({"id": f"m{n}", "question": f"Q{n}", "choices": options, "answer": one, "prediction": text})
    return read_mapped(lines(rows), guess(lines(rows)), "m")


@pytest.mark.parametrize("outputs", ["letter", "text"])
@pytest.mark.parametrize(
    ("odd", "gold"),
    [
        ((NUMERIC, 1), [0, 1, 2, 3]),
        ((["0", "1", "2", "3"], 1), [0, 1, 2, 3]),
        ((["1", "3", "2", "7"], 1), [0.0, 1.0, 2.0, 3.0]),
        ((["1", "2", "3", "4"], 2), [1, 2, 3, 4]),
        ((["2", "3", "1", "4"], 2), [1, 2, 3, 4]),
        ((NUMERIC, "B"), [0, 1, 2, 3]),
        ((COLOURS, "B"), [0, 1, 2, 3]),
        ((COLOURS, 1), [0, "B", 2, "D"]),
        ((COLOURS, "1"), ["0", "1", "2", "3"]),
        ((COLOURS, "green"), [0, 1, 2, 3]),
    ],
    ids=str,
)
def test_answers_that_may_be_texts_and_numbers_follow_the_others(
    odd: tuple[list[str], Any], gold: list[Any], outputs: str
) -> None:
    pool = read(odd, gold, outputs)
    assert pool.targets["m"].accuracy() == pytest.approx(0.75)
    assert pool.items["answer"].iloc[5] == "B" and any("numbers of options" in note for note in pool.notes)


@pytest.mark.parametrize("odd", [(["7", "8", "9", "6"], "8"), (["1", "2", "3", "4"], "2"), (COLOURS, "B")], ids=str)
def test_texts_of_options_of_one_sign_are_letters_beside_letters(odd: tuple[list[str], Any]) -> None:
    pool = read(odd, COLOURS)
    assert pool.targets["m"].accuracy() == pytest.approx(0.75) and pool.items["answer"].iloc[5] == "B"


@pytest.mark.parametrize(
    ("odd", "said"), [(-1, "no option"), (-1.0, "no option"), ("?", "in place of"), ("N/A", "in place of")]
)
def test_an_answer_that_is_no_option_does_not_change_how_the_others_are_read(odd: Any, said: str) -> None:
    pool = read((COLOURS, odd), [0, 1, 2, 3])
    assert pool.losses("m")[[0, 1, 2, 3]].tolist() == [0, 0, 0, 1] and any(said in note for note in pool.notes)
    assert any(note.startswith(("1 right answer is", "1 item has")) for note in pool.notes)


@pytest.mark.parametrize(
    ("options", "gold"), [(["0", "1", "2", "3"], [0, 1, 2, 3]), (["4", "8", "0", "2"], [0, 2, 4, 2])]
)
def test_numbers_that_may_all_be_texts_are_no_numbers_of_options_without_a_word(
    options: list[str], gold: list[int]
) -> None:
    rows = [
        {"id": f"m{n}", "question": f"Q{n}", "choices": options, "answer": gold[n % 4], "prediction": "ABCD"[n % 4]}
        for n in range(20)
    ]
    pool = read_mapped(lines(rows), guess(lines(rows)), "m")
    assert any("or are their texts" in note for note in pool.notes)


def test_outputs_that_may_be_texts_of_options_beside_numbers_are_named() -> None:
    options = ["5", "2", "3", "4"]
    rows = [
        {"id": f"m{n}", "question": f"Q{n}", "choices": options, "answer": n % 4, "prediction": options[n % 4]}
        for n in range(20)
    ]
    pool = read_mapped(lines(rows), guess(lines(rows)), "m")
    assert any("may be texts of options" in note for note in pool.notes)


SPELLINGS = [
    "{low}",
    "({up})",
    "({low})",
    "{up}.",
    "{up})",
    "Option {up}",
    "option {low}",
    "{up}: {text}",
    "({low}) {text}",
]
# Options as people write them, beside the key of each.
LAYOUTS: dict[str, Callable[[list[str]], dict[str, Any]]] = {
    "choices": lambda some: {"choices": some},
    "options": lambda some: {"options": some},
    "by letter": lambda some: {"options": dict(zip("ABCD", some, strict=True))},
    "columns": lambda some: dict(zip("ABCD", some, strict=True)),
    "with letters": lambda some: {"options": [f"{letter}) {one}" for letter, one in zip("ABCD", some, strict=True)]},
}


def _spelt(n: int, spelling: str, layout: str, outputs: str, is_pool: bool) -> dict[str, Any]:
    options = [f"{one} {n}" for one in COLOURS]
    place, said = n * 3 % 4, (n * 3 + (n % 4 == 3)) % 4
    right = spelling.format(low="abcd"[place], up="ABCD"[place], text=options[place])
    text = "ABCD"[said] if outputs == "letter" else options[said]
    row = {"id": f"m{n}", "prompt" if is_pool else "question": f"Q{n}", **LAYOUTS[layout](options), "answer": right}
    return {**row, "targets": {"m": {"text": text}}} if is_pool else {**row, "output": text}


@pytest.mark.parametrize("is_pool", [False, True], ids=["foreign", "pool"])
@pytest.mark.parametrize("outputs", ["letter", "text"])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("spelling", ["{up}", *SPELLINGS])
def test_letters_of_options_are_read_in_any_spelling(spelling: str, layout: str, outputs: str, is_pool: bool) -> None:
    """Other spellings were compared word for word with outputs: 0 % of a small file, without a word."""
    content = lines([_spelt(n, spelling, layout, outputs, is_pool) for n in range(8)])
    pool = read_pool(content, "m")
    assert pool.targets["m"].accuracy() == pytest.approx(0.75)
    said = [note for note in pool.notes if "are read as letters of options" in note]
    assert len(said) == (spelling != "{up}")


@pytest.mark.parametrize(
    ("gold", "outputs", "share"),
    [
        (["(A)", "(B)"], ["The answer is A.", "(C)"], 0.5),
        (["a", "b"], ["B", "b"], 0.5),
        (["a", "a"], ["a", "the"], 0.5),
        (["x", "y"], ["X", "b"], 0.5),
        (["A.", "Paris"], ["A.", "Rome"], 0.5),
    ],
    ids=str,
)
def test_letters_without_options_are_some_if_all_are(gold: list[str], outputs: list[str], share: float) -> None:
    rows = [{"id": f"m{n}", "question": f"Q{n}", "gold": gold[n % 2], "output": outputs[n % 2]} for n in range(6)]
    assert read_pool(lines(rows), "m").targets["m"].accuracy() == pytest.approx(share)


def test_a_few_outputs_of_which_none_is_a_right_answer_have_a_remark() -> None:
    rows = [{"id": f"m{n}", "question": f"Q{n}", "gold": "ABCD"[n], "output": f"colour {n}"} for n in range(4)]
    assert any("none of 4" in note for note in read_pool(lines(rows), "m").notes)


@pytest.mark.parametrize(
    "said",
    [
        "N/A",
        "ERROR: timeout",
        "[API Error] 429",
        "Request failed with 500",
        "null",
        "-",
        "(no answer)",
        '{"error": 429}',
    ],
)
@pytest.mark.parametrize("is_pool", [False, True], ids=["foreign", "pool"])
def test_outputs_that_are_errors_count_as_wrong_with_a_remark(said: str, is_pool: bool) -> None:
    rows = [_spelt(n, "{up}", "choices", "letter", is_pool) for n in range(8)]
    rows[0] |= {"targets": {"m": {"text": said}}} if is_pool else {"output": said}
    pool = read_pool(lines(rows), "m")
    assert pool.targets["m"].accuracy() == pytest.approx(0.625)
    assert any(note.startswith("Counted as wrong: 1 output of “m”") for note in pool.notes)


@pytest.mark.parametrize(
    "said", ["None of these", "Errors in the text", "A null result", "-5", "missing data", '{"errors": 0}']
)
def test_outputs_that_only_begin_like_errors_have_no_remark(said: str) -> None:
    rows = [{"id": f"m{n}", "question": f"Q{n}", "gold": "None", "output": ["None", said][n % 2]} for n in range(6)]
    assert not any("Counted as wrong" in note for note in read_pool(lines(rows), "m").notes)


def _labelled(*said: str, gold: str = "{}) {}") -> Pool:
    """Read sixteen items whose right answers have letters; outputs miss every fourth, in these spellings in turn."""
    rows = []
    for n in range(16):
        right, chosen = (n // 4) % 4, (n // 4 + (n % 4 == 0)) % 4
        right, chosen = ("ABCD"[one] for one in (right, chosen))
        text = said[n % len(said)].format(chosen, f"{COLOURS['ABCD'.index(chosen)]} {n}")
        answer = gold.format(right, f"{COLOURS['ABCD'.index(right)]} {n}")
        rows.append({"id": f"m{n}", "question": f"Q{n}", "answer": answer, "prediction": text})
    return read_mapped(lines(rows), guess(lines(rows)), "m")


@pytest.mark.parametrize(
    ("said", "gold"),
    [
        (("{}",), "{}) {}"),
        (("{}", "{}) {}"), "{}) {}"),
        (("{}) {}", "{}. {}"), "{}) {}"),
        (("({}) {}", "The answer is {}."), "{}. {}"),
        (("({})", "{}: {}", "Option {}"), "({}) {}"),
    ],
    ids=str,
)
def test_right_answers_of_a_letter_and_a_text_are_letters_beside_letters(said: tuple[str, ...], gold: str) -> None:
    pool = _labelled(*said, gold=gold)
    assert pool.targets["m"].accuracy() == pytest.approx(0.75)
    assert any("read as letters of options, like outputs" in note for note in pool.notes)


@pytest.mark.parametrize("said", [("{}) {}",), ("{}", "{1}")], ids=str)
def test_right_answers_of_a_letter_and_a_text_stay_beside_texts(said: tuple[str, ...]) -> None:
    pool = _labelled(*said)
    assert pool.items["answer"].iloc[0] == "A) red 0"
    half = len(said) > 1
    assert any("the letter or the text alone" in note for note in pool.remarks) == half


def test_initials_of_names_are_no_letters_of_options() -> None:
    golds = ["A. Lincoln", "B. Obama", "D. Trump", "J. Carter"]
    rows = [
        {"id": f"m{n}", "question": f"Q{n}", "answer": golds[n % 4], "prediction": said}
        for n, said in enumerate(["A. Johnson", "B. Obama", "D", "J. Carter"] * 4)
    ]
    pool = read_mapped(lines(rows), guess(lines(rows)), "m")
    assert pool.items["answer"].iloc[0] == "A. Lincoln" and pool.targets["m"].accuracy() == pytest.approx(0.5)


CITIES = ["Oslo", "Bern", "Lima", "Cairo"]


@pytest.mark.parametrize(
    ("gold", "common", "other", "right"),
    [
        ("1234", "{n}", "{text}", 15),
        ("1234", "{letter}", "{n}", 15),
        ("1234", "{text}", "Option {n}", 15),
        ("1234", "{n}. {text}", "({n})", 15),
        ("ABCD", "{letter}", "{n}", 15),
        ("ABCD", "{letter}", "Answer: {n}", 15),
        ("①②③④", "정답: {circled} {text}", "{circled}", 15),
        ("0123", "{zero}", "{text}", None),
        ("0123", "{letter}", "{zero}", None),
    ],
)
def test_numbers_letters_and_texts_of_options_are_read_beside_each_other(
    gold: str, common: str, other: str, right: int | None
) -> None:
    rows = []
    for n in range(20):
        place = (n + (n % 4 == 3)) % 4
        words = {
            "n": place + 1,
            "zero": place,
            "text": CITIES[place],
            "letter": "ABCD"[place],
            "circled": "①②③④"[place],
        }
        text = (other if n % 3 == 0 else common).format(**words)
        rows.append({"question": f"Q{n}", "options": CITIES, "answer": gold[n % 4], "prediction": text})
    pool = read_mapped(lines(rows), guess(lines(rows)), "m")
    if right is None:
        assert any("write them alike" in note or "write both alike" in note for note in pool.notes)
    else:
        assert (1 - pool.losses("m")).sum() == right
