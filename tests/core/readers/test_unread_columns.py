"""Columns that a reader could drop without a word: without a name, beside a benchmark, below names of models."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from core.commands import main
from core.errors import PoolError
from core.files.open import Source
from core.files.sniff import Beginning
from core.readers import Shape, read, read_mapped
from core.readers.benchmarks import recognised
from tests.core.readers.corpus import in_workbook
from tests.core.readers.guessed import guess, lines, table

UNNAMED = [
    ("id,question,,correct", "{n},Q{n}?,said {n},{v}", "Column 3 has no name"),
    ("id,question,response,", "{n},Q{n}?,said {n},{v}", "Column 4 has no name"),
    ("id;question;;", "{n};Q{n}?;said {n};{v}", "Columns 3 and 4 have no names"),
    ("Run 1,,Run 2,", "{n},{v},{n},{v}", "Columns 2 and 4 have no names"),
    # The row numbers of pandas, and an empty column at the end.
    (",question,correct", "{n},Q{n}?,{v}", ""),
    ("id,question,correct,", "{n},Q{n}?,{v},", ""),
]


@pytest.mark.parametrize(("header", "row", "note"), UNNAMED)
def test_columns_without_a_name_are_named_by_their_places(header: str, row: str, note: str) -> None:
    content = "\n".join([header, *(row.format(n=n, v=n % 2) for n in range(12))]).encode()
    notes = read_mapped(content, guess(content), "m").notes
    assert any(one.startswith(note) for one in notes) if note else not any("no name" in one for one in notes)


@pytest.mark.parametrize("name", ["model answer", "prediction", "Response", "model_output"])
def test_a_benchmark_with_outputs_beside_it_is_a_file_of_outputs(name: str) -> None:
    colours = ["red", "green", "blue", "black"]
    options = ["Correct Answer", "Incorrect Answer 1", "Incorrect Answer 2", "Incorrect Answer 3"]
    rows = [
        {"Question": f"Q{n}?", **{one: colours[(n + k) % 4] for k, one in enumerate(options)}, name: colours[n % 2]}
        for n in range(12)
    ]
    content = table(rows)
    pool = read_mapped(content, guess(content), "m")
    assert recognised(Beginning.of(Source.of(content, "gpqa.csv"))) is None
    assert pool.targets["m"].accuracy() == pytest.approx(0.5)


@pytest.mark.parametrize("holder", ["judge", "evaluator", "evaluation", "llm_judge"])
def test_the_model_of_a_judge_names_no_target(holder: str) -> None:
    rows = [
        {"id": n, "instruction": f"Do {n}.", "response": f"Done {n}.", holder: {"model": "gpt-4o", "score": n % 5}}
        for n in range(12)
    ]
    assert Shape.of(lines(rows), "file").model == "file"


@pytest.mark.parametrize("mark", ["x", "X", "*", "•"])
def test_crosses_below_names_of_models_are_asked_about(mark: str) -> None:
    rows = [
        {"question": f"Q{n}?", "gpt-4o": mark if n % 2 else None, "claude-3-5": mark if n % 3 else None}
        for n in range(12)
    ]
    shape = Shape.of(table(rows), "m")
    (doubt,) = shape.doubts
    assert not shape.guess.targets and doubt.marks
    assert sorted(one.path for one in doubt.candidates) == ["claude-3-5", "gpt-4o"]


def test_a_file_of_unknown_verdicts_is_refused_with_the_option_for_scores(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "log.csv"
    words = ["success", "failure", "timeout"]
    file.write_bytes(table([{"scenario": f"s{n // 2}", "run_id": n, "outcome": words[n % 3]} for n in range(12)]))
    assert main(["pool", "map", str(file)]) == 2
    assert ":right=" in capsys.readouterr().err
    known = [f"--word={word}={'right' if word == 'success' else 'wrong'}" for word in words]
    assert main(["pool", "map", str(file), "--target", "m:right=outcome", *known]) == 0


def test_the_guessing_reader_names_verdicts_that_it_leaves_as_the_command_does() -> None:
    rows = [
        {
            "id": n,
            "question": f"Q{n}?",
            "output": f"Said {n}.",
            "rater1": ("correct", "incorrect")[n % 2],
            "rater2": ("correct", "incorrect")[n % 3 // 2],
        }
        for n in range(12)
    ]
    content = table(rows)
    said = Shape.of(content).remarks(Shape.of(content).guess)
    assert said and set(said) <= set(read(content).notes)


@pytest.mark.parametrize("letters", ["ABCD", "AB", "abcd"])
def test_letters_of_options_are_no_verdicts(letters: str) -> None:
    rows = [
        {"id": n, "question": f"Q{n}?", "gpt-4": letters[n % 2].upper(), "correct": letters[n % len(letters)]}
        for n in range(16)
    ]
    shape = Shape.of(table(rows))
    assert not shape.unused_verdicts(shape.guess)


@pytest.mark.parametrize(("write", "kind"), [(table, "CSV"), (in_workbook, "a workbook")])
def test_a_workbook_is_not_called_a_csv_file(write: Callable[[list[dict[str, str]]], bytes], kind: str) -> None:
    with pytest.raises(PoolError, match="there is no column “id”") as caught:
        read(write([{"foo": "a", "bar": "b"}, {"foo": "c", "bar": "d"}]))
    assert f"read as {kind}:" in str(caught.value)
