"""How answers are read, as a column of the file or somebody says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from core.commands import main
from core.readers import read
from tests.core.readers.guessed import lines


def rows(**more: Any) -> list[dict[str, Any]]:
    return [{"id": n, "question": f"Q{n}", "expected": f"{n}", "output": f"Maybe {n}.0", **more} for n in range(20)]


@pytest.mark.parametrize(
    ("more", "options", "kinds"),
    [
        ({"answer_kind": "number"}, [], {"number"}),
        ({"kind": "number"}, ["--answer-kind", "kind"], {"number"}),
        ({"kind": "number"}, ["--answer_kind", "kind"], {"number"}),
        ({}, ["--answer-kind", "number"], {"number"}),
        ({}, ["--answer-kind", "as-is"], {"as-is"}),
        ({"answer_kind": "text"}, ["--answer-kind", "number"], {"number"}),
        ({"answer_kind": "text"}, [], {"text"}),
        ({"answer_kind": None}, [], {"number"}),
        ({"answer_kind": "essay"}, [], {"number"}),
    ],
    ids=str,
)
def test_a_kind_is_a_column_or_said_for_all(
    more: dict[str, Any], options: list[str], kinds: set[str], tmp_path: Path
) -> None:
    file, out = tmp_path / "runs.jsonl", tmp_path / "pool.parquet"
    file.write_bytes(lines(rows(**more)))
    assert main(["pool", "map", str(file), *options, "--out", str(out)]) == 0
    pool = read(out)
    assert set(pool.items["answer_kind"]) == kinds
    assert set(pool.losses("runs")) == {0.0 if kinds == {"number"} else 1.0}


@pytest.mark.parametrize("option", ["--answer-kinds", "--answer_kinds", "--token-logprob"])
def test_an_option_that_there_is_not_is_refused(
    option: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "runs.jsonl"
    file.write_bytes(lines(rows()))
    assert main(["pool", "map", str(file), option, "number"]) == 2
    assert "There is no option" in capsys.readouterr().err
    assert main(["pool", "map", str(file), "--answer-kind", "numbr"]) == 2
    assert "no row has “numbr”" in capsys.readouterr().err


def test_numbers_of_options_are_letters_if_a_column_says_so(tmp_path: Path) -> None:
    some = [
        {"id": n, "question": f"Q{n}", "choices": ["red", "blue", "pink"], "answer": n % 3, "prediction": "ABC"[n % 3]}
        | {"answer_kind": "choice"}
        for n in range(20)
    ]
    file, out = tmp_path / "runs.jsonl", tmp_path / "pool.parquet"
    file.write_bytes(lines(some))
    assert main(["pool", "map", str(file), "--out", str(out)]) == 0
    assert read(out).targets["runs"].accuracy() == 1
