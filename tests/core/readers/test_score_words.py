"""Words of a score that nobody knows: refused with the words, and read once a person has said what they mean."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core.commands import main
from core.errors import PoolError
from core.readers import FieldMap, Shape, read, read_mapped
from tests.core.readers.guessed import table
from tests.core.wording import Saying

SAID = ("Solved", "escalated", "abandoned", "solved ", "pass", "")
ROWS = [{"task": f"t{n}", "goal": f"Do {n}.", "end": SAID[n % 6]} for n in range(60)]
MAP = FieldMap({"id": "task", "prompt": "goal"}, {"agent": {"right": "end"}})
WORDS = {"solved": "right", "escalated": "wrong", "abandoned": "skip"}
LOSSES = [0.0, 1.0, np.nan, 0.0, 0.0, np.nan]


def test_words_that_nobody_knows_are_named_and_those_with_a_meaning_are_read() -> None:
    with pytest.raises(PoolError) as caught:
        read_mapped(table(ROWS), MAP)
    (problem,) = caught.value.problems
    assert set(problem.words) == WORDS.keys() and Saying("--word=WORD=right") == problem.remedy
    with pytest.raises(PoolError) as caught:
        read_mapped(table(ROWS), replace(MAP, words={"solved": "right"}))
    assert caught.value.problems[0].words == ("escalated", "abandoned")
    said = replace(MAP, words=WORDS)
    pool = read_mapped(table(ROWS), FieldMap.of_json(said.as_json()))
    np.testing.assert_array_equal(pool.losses("agent"), LOSSES * 10)
    assert Saying("“pass” or “Solved” in “end” is read as right") == " ".join(pool.notes)
    # What a person calls right is right in a column of faults too; “pass” is a fault there.
    faults = read_mapped(table(ROWS), replace(said, targets={"agent": {"wrong": "end"}}))
    np.testing.assert_array_equal(faults.losses("agent"), [0, 1, np.nan, 0, 1, np.nan] * 10)
    said_of_faults = " ".join(faults.notes).replace("\u00a0", " ")
    assert Saying("“pass” or “escalated” in “end” is read as wrong: agent has 50 % of 40 items right") == said_of_faults
    # A home keeps its words apart from the map, so that they can be corrected.
    assert said.unnamed("agent").words == {} and said.within({"task", "goal", "end"}) == said


def test_sentences_and_many_words_are_no_verdicts_to_ask_for() -> None:
    many = [row | {"end": f"w{n % 13}x"} for n, row in enumerate(ROWS)]
    long = [row | {"end": f"This is a sentence of more than thirty letters, {n % 3}."} for n, row in enumerate(ROWS)]
    for rows in (many, long):
        with pytest.raises(PoolError) as caught:
            read_mapped(table(rows), MAP)
        assert caught.value.problems[0].words == ()


def test_the_command_takes_meanings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, out = tmp_path / "agent.csv", tmp_path / "pool.jsonl"
    file.write_bytes(table(ROWS))
    given = ["pool", "map", str(file), "--out", str(out), "--target", "agent:right=end"]
    assert main(given) and "--word" in capsys.readouterr().err
    assert main([*given, *(part for word in WORDS.items() for part in ("--word", "=".join(word)))]) == 0
    np.testing.assert_array_equal(read(out).losses("agent"), LOSSES * 10)
    assert main([*given, "--word", "solved=perhaps"]) and "right, wrong or skip" in capsys.readouterr().err


def test_words_of_labels_never_change_numbers_and_known_verdicts() -> None:
    """A home in which “3” meant right read a judge's 3 as 1."""
    rows = [{"task": f"t{n}", "goal": f"Do {n}.", "end": str(n % 5 + 1)} for n in range(60)]
    fields = replace(MAP, targets={}, judges=("end",), words={"3": "right", "4": "skip", "pass": "wrong"})
    assert read_mapped(table(rows), fields).items["end"].tolist()[:5] == [1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    ("grades", "words", "losses"),
    [
        ("YN", {}, [0, 1]),
        ("yn", {}, [0, 1]),
        ("CI", {}, [0, 1]),
        ("CI", {"c": "wrong", "i": "right"}, [1, 0]),
        ("AC", {"a": "right", "c": "wrong"}, [0, 1]),
        ("ABC", {"a": "right", "b": "wrong", "c": "skip"}, [0, 1, np.nan]),
        (("CORRECT", "INCORRECT", "NOT_ATTEMPTED"), {}, [0, 1, 1]),
        (("CORRECT", "INCORRECT", "NOT_ATTEMPTED"), {"not_attempted": "skip"}, [0, 1, np.nan]),
        (("yes", "no"), {"yes": "wrong", "no": "right"}, [1, 0]),
    ],
)
def test_the_meaning_that_a_person_gives_a_word_wins(grades: str, words: dict[str, str], losses: list[float]) -> None:
    rows = [{"task": f"t{n}", "goal": f"Do {n}.", "end": grades[n % len(grades)]} for n in range(12)]
    pool = read_mapped(table(rows), replace(MAP, words=words))
    np.testing.assert_array_equal(pool.losses("agent"), losses * (12 // len(losses)))


@pytest.mark.parametrize(
    ("grades", "words", "asked"), [("ABC", {}, {"a", "b", "c"}), ("ABC", {"a": "right"}, {"b", "c"})]
)
def test_c_and_i_are_no_verdicts_beside_other_letters(grades: str, words: dict[str, str], asked: set[str]) -> None:
    rows = [{"task": f"t{n}", "goal": f"Do {n}.", "end": grades[n % len(grades)]} for n in range(12)]
    with pytest.raises(PoolError) as caught:
        read_mapped(table(rows), replace(MAP, words=words))
    assert set(caught.value.problems[0].words) == asked


@pytest.mark.parametrize(
    ("scores", "field", "words", "losses"),
    [
        ("51", "right", {"5": "right", "1": "wrong"}, [0, 1]),
        ("51", "right", {"1": "wrong", "5": "right"}, [0, 1]),
        ("10", "right", {"1": "wrong", "0": "right"}, [1, 0]),
        ("10", "wrong", {"1": "right", "0": "wrong"}, [0, 1]),
        ("12", "right", {"1": "right", "2": "wrong"}, [0, 1]),
        ((1, -1), "right", {"-1": "wrong"}, [0, 1]),
        ((5.0, 1), "right", {"5": "right", "1": "wrong"}, [0, 1]),
        ((1, 0.5, -1), "right", {"-1": "skip"}, [0, 0.5, np.nan]),
        ("51", "right", {"5": "right"}, "“1” (6 rows) has no meaning beside “5” as right."),
        ("51", "wrong", {"5": "right"}, "“1” (6 rows) has no meaning beside “5” as right."),
        ("10", "right", {"1": "wrong"}, "“0” (6 rows) has no meaning beside “1” as wrong."),
        ("51", "right", {}, "say so (in a shell: --word=5=right)"),
    ],
)
def test_the_meaning_that_a_person_gives_a_number_wins(
    scores: Sequence[object], field: str, words: dict[str, str], losses: list[float] | str
) -> None:
    rows = [{"task": f"t{n}", "goal": f"Do {n}.", "end": scores[n % len(scores)]} for n in range(12)]
    fields = replace(MAP, targets={"agent": {field: "end"}}, words=words)
    if isinstance(losses, str):
        with pytest.raises(PoolError, match=re.escape(losses)):
            read_mapped(table(rows), fields)
        return
    np.testing.assert_array_equal(read_mapped(table(rows), fields).losses("agent"), losses * (12 // len(losses)))


def test_what_a_person_chooses_takes_a_column_from_what_was_guessed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, out = tmp_path / "labels.csv", tmp_path / "pool.jsonl"
    rows = [{"id": f"t{n}", "question": f"What is {n}?", "output": f"It is {n}.", "label": n % 2} for n in range(40)]
    file.write_bytes(table(rows))
    given = ["pool", "map", str(file), "--out", str(out), "--target", "bot:right=label"]
    assert main([*given, "--word=1=wrong", "--word=0=right"]) == 0
    assert Saying("“0” in “label” is read as right: bot has 50 %") == capsys.readouterr().out.replace("\u00a0", " ")
    np.testing.assert_array_equal(read(out).losses("bot"), [0, 1] * 20)


@pytest.mark.parametrize("labels", ["51", "12", ("1", "-1"), ("1", "0.5")])
def test_grades_beside_outputs_with_numbers_are_no_right_answers(labels: Sequence[str]) -> None:
    rows = [
        {"id": f"t{n}", "question": f"What is {n}?", "output": f"Reply {n + 20} and so on", "label": labels[n % 2]}
        for n in range(60)
    ]
    assert [one.field for one in Shape.of(table(rows)).doubts] == ["right"]
