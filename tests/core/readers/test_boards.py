"""Tables with a column for each model: which numbers are scores, and which columns are no models."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from core.commands import main
from core.pool import Pool
from core.readers import Shape, read, read_or_shape
from tests.core.readers.corpus import RIGHT, SIZE

Cells = Callable[[int], object]
WORDS = ("cat", "dog", "bird")


def lines(rows: Sequence[Sequence[object]]) -> bytes:
    stream = io.StringIO()
    csv.writer(stream).writerows(rows)
    return stream.getvalue().encode()


def table(**columns: Cells) -> bytes:
    return lines([[*columns], *([cells(n) for cells in columns.values()] for n in range(SIZE))])


def board(first: Cells, second: Cells, names: tuple[str, str] = ("gpt-4", "claude"), **more: Cells) -> bytes:
    return table(id=lambda n: f"q{n}", **more, **dict(zip(names, (first, second), strict=True)))


def question(n: int) -> str:
    return f"What is {n} plus {n}?"


def verdict(n: int) -> int:
    return int(RIGHT[n])


NO_SCALE: dict[str, bytes] = {
    "grades from 0 to 20": board(lambda n: n, lambda n: 20 - n),
    "grades from 1 to 10": board(lambda n: n % 10 + 1, lambda n: n % 7 + 1),
    "grades from 1 to 5": board(lambda n: n % 5 + 1, lambda n: n % 3 + 1),
    "ranks": board(lambda n: n % 2 + 1, lambda n: 2 - n % 2),
    "seconds": board(lambda n: n / 7, lambda n: n / 3),
    "numbers of tokens": board(lambda n: 10 + 4 * n, lambda n: 90 - 3 * n),
    "per cent that nothing names": board(lambda n: 90 - n / 2, lambda n: 60 + n / 2),
    "verdicts beside grades": board(verdict, lambda n: n % 11),
    "not scored as -1": board(lambda n: verdict(n) if n % 4 else -1, verdict),
    "answers to questions": board(lambda n: 2 * n, lambda n: 2 * n + n % 2, question=question),
    "answers of which one is 100": board(lambda n: 5 * n + 5, lambda n: 5 * n, question=question),
    "answers without ids": table(**{"question": question, "gpt-4": lambda n: 2 * n, "claude": lambda n: 3 * n}),
}
ODD: dict[str, bytes] = {
    "not scored as -1": board(lambda n: verdict(n) if n % 5 else -1, verdict, ("alpha", "beta")),
    "a slip": board(lambda n: verdict(n) if n != 7 else 11, verdict, ("alpha", "beta")),
    "a half": board(lambda n: verdict(n) if n != 7 else 2.5, verdict, ("first", "second")),
}
SCALES: dict[str, tuple[bytes, float]] = {
    "verdicts": (board(verdict, verdict), 0.65),
    "verdicts beside questions": (board(verdict, verdict, question=question), 0.65),
    "shares": (board(lambda n: n % 5 / 4, verdict), 0.5),
    "0 and 100": (board(lambda n: 100 * verdict(n), verdict), 0.65),
    "0 and 100 beside questions": (board(lambda n: 100 * verdict(n), verdict, question=question), 0.65),
    "up to 100": (board(lambda n: 25 * (n % 5), lambda n: 3 * n), 0.5),
    "with signs": (board(lambda n: f"{25 * (n % 5)}%", lambda n: f"{n}.5 %", question=question), 0.5),
    "signs in names": (board(lambda n: 10 * (n % 5), verdict, ("gpt-4 (%)", "claude (%)")), 0.2),
    "signs as words": (board(lambda n: 10 * (n % 5), verdict, ("gpt-4 pct", "claude pct")), 0.2),
}
# A column of the right answers beside what models said.
GOLDS = (
    *("y_true", "true_class", "true_value", "true_label", "correct_value", "loesung", "Lösung", "实际", "actual_class"),
    *("gold label", "Gold Standard", "expected class", "real_label", "reference label", "Istwert", "真实标签"),
)
PEOPLE = ("human", "expert", "majority", "consensus", "human_label", "Majority Vote", "experts", "Sum", "annotators")


@pytest.mark.parametrize("content", NO_SCALE.values(), ids=NO_SCALE)
def test_numbers_on_an_unknown_scale_are_no_scores_and_are_asked_about(
    content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Grades, ranks, seconds and answers between 0 and 100 were read as per cent."""
    shape = read_or_shape(content)
    assert isinstance(shape, Shape) and not shape.guess.targets
    assert [one.path for doubt in shape.doubts for one in doubt.candidates] == ["gpt-4", "claude"]
    file = tmp_path / "board.csv"
    file.write_bytes(content)
    assert main(["pool", "map", str(file)]) == 2
    printed = capsys.readouterr().err
    assert "“gpt-4” and “claude” hold numbers from" in printed and "in row" in printed
    assert main(["pool", "map", str(file), "--target=gpt-4:text=gpt-4", "--target=claude:text=claude"]) == 0


@pytest.mark.parametrize("content", ODD.values(), ids=ODD)
@pytest.mark.parametrize("ids", [b"id", b"item", b"task"])
def test_a_cell_that_is_no_verdict_is_named_with_its_row_and_column(ids: bytes, content: bytes, tmp_path: Path) -> None:
    """“-1” among verdicts of models was “no field of this file looks like a score”."""
    shape = read_or_shape(ids + content[2:])
    assert isinstance(shape, Shape)
    (doubt,) = shape.doubts
    row = 1 if b"-1" in content else 8
    assert f"in row {row} of “{doubt.candidates[0].path}”" in doubt.sentence


@pytest.mark.parametrize(("content", "share"), SCALES.values(), ids=SCALES)
def test_scores_of_a_clear_scale_are_read(content: bytes, share: float) -> None:
    pool = read(content)
    assert len(pool.targets) == 2 and next(iter(pool.targets.values())).accuracy() == pytest.approx(share)
    assert not any("Kept, not read" in note for note in pool.notes)


@pytest.mark.parametrize("name", GOLDS)
@pytest.mark.parametrize(
    "answers", [WORDS, ("1", "0"), tuple(map(str, range(3, 60, 5)))], ids=["words", "0/1", "numbers"]
)
def test_right_answers_are_no_model(name: str, answers: tuple[str, ...]) -> None:
    def said(n: int) -> str:
        return answers[(n + (not RIGHT[n])) % len(answers)]

    content = board(said, said, question=question, **{name: lambda n: answers[n % len(answers)]})
    shape = Shape.of(content)
    assert shape.guess.fields["answer"] == name
    if not shape.doubts:
        assert [target.accuracy() for target in read(content).targets.values()] == pytest.approx([0.65] * 2)
    opened = read_or_shape(content)
    assert not (isinstance(opened, Pool) and opened.targets)


@pytest.mark.parametrize("name", PEOPLE)
@pytest.mark.parametrize("answers", [WORDS, ("1", "0"), ("4", "7", "9", "12")], ids=["words", "0/1", "numbers"])
@pytest.mark.parametrize("asked", [True, False], ids=["questions", "ids"])
def test_what_people_say_beside_models_is_asked_about(
    name: str, answers: tuple[str, ...], asked: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """0 and 1 that models said were read as verdicts, and those of people as one more model."""

    def said(n: int) -> str:
        return answers[(n + (not RIGHT[n])) % len(answers)]

    more: dict[str, Cells] = {"question": question} if asked else {}
    content = board(said, said, **more, **{name: lambda n: answers[n % len(answers)]})
    shape = read_or_shape(content)
    assert isinstance(shape, Shape)
    assert [doubt.candidates[0].path for doubt in shape.doubts if doubt.field == "answer"] == [name]
    file = tmp_path / "board.csv"
    file.write_bytes(content)
    assert main(["pool", "map", str(file)]) == 2
    assert f"“{name}” says what the models say too" in capsys.readouterr().err
    out = tmp_path / "pool.parquet"
    models = ["--target=gpt-4:text=gpt-4", "--target=claude:text=claude"]
    assert main(["pool", "map", str(file), f"--answer={name}", *models, "--out", str(out)]) == 0
    assert read(out).targets["gpt-4"].accuracy() == pytest.approx(0.65)


@pytest.mark.parametrize(
    ("name", "total"),
    [
        ("Sum", lambda n: verdict(n) + n % 2),
        ("mean", lambda n: (verdict(n) + n % 2) / 2),
        ("Average", lambda n: 50 * (verdict(n) + n % 2)),
        ("max", lambda n: max(verdict(n), n % 2)),
        ("Gesamt", lambda n: f"{(verdict(n) + n % 2) / 2:.2f}"),
    ],
)
def test_columns_that_sum_up_models_are_left_out(name: str, total: Cells) -> None:
    pool = read(board(verdict, lambda n: n % 2, **{name: total}))
    assert [*pool.targets] == ["gpt-4", "claude"]
    assert any(f"sums up the models: “{name}”" in note for note in pool.notes)


TOTALS = (
    "Total",
    "Summe",
    "Average",
    "Durchschnitt",
    "Gesamtergebnis",
    "Ø",
    "TOTAL (n=20)",
    "Mean score",
    "合计",
    "avg.",
)


@pytest.mark.parametrize("label", TOTALS)
@pytest.mark.parametrize("of", [sum, lambda scores: sum(scores) / len(scores)], ids=["sum", "mean"])
@pytest.mark.parametrize("shares", [False, True], ids=["verdicts", "shares"])
def test_totals_of_each_model_at_the_end_of_a_long_table_are_no_item(
    label: str, of: Callable[[list[float]], float], shares: bool
) -> None:
    """“Average” of each model was one more item, with a score of 0.65."""
    models = {
        "gpt-4": [n % 3 / 2 if shares else verdict(n) for n in range(SIZE)],
        "claude": [n % 2 for n in range(SIZE)],
    }
    rows = [[f"q{n}", model, scores[n]] for n in range(SIZE) for model, scores in models.items()]
    once = lines([["item", "model", "score"], *rows])
    content = lines([["item", "model", "score"], *rows, *([label, m, round(of(one), 3)] for m, one in models.items())])
    pool = read(content)
    assert pool.n_items == SIZE and pool.digest == read(once).digest
    assert pool.account is not None and [one.count for one in pool.account.left_out] == [2]


def test_an_item_called_as_a_total_in_a_long_table_is_an_item() -> None:
    names = ["sort", "split", "join", "mean"]
    rows = [[name, model, (n + len(model)) % 2] for n, name in enumerate(names) for model in ("gpt-4", "claude")]
    assert read(lines([["item", "model", "score"], *rows])).n_items == 4


@pytest.mark.parametrize("label", TOTALS)
def test_totals_below_a_board_are_no_item(label: str) -> None:
    rows = [[f"q{n}", verdict(n), n % 2] for n in range(SIZE)]
    for total in (13, 10), (0.65, 0.5):
        assert read(lines([["id", "gpt-4", "claude"], *rows, [label, *total]])).n_items == SIZE


@pytest.mark.parametrize("name", ["correct_label", "Correct class", "label_correct"])
def test_verdicts_beside_prose_are_no_right_answers(name: str) -> None:
    content = table(id=lambda n: f"q{n}", question=question, output=lambda n: f"It is {n}.", **{name: verdict})
    shape = Shape.of(content, "m")
    assert shape.guess.targets == {"m": {"text": "output", "right": name}} and "answer" not in shape.guess.fields
    said = table(id=lambda n: f"q{n}", question=question, output=lambda n: n % 2, **{"correct_label": verdict})
    assert Shape.of(said, "m").guess.fields["answer"] == "correct_label"
