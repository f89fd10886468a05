"""Exports whose labels stand under another name than ours."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.errors import LabelError
from core.labels import read

FIXTURES = Path(__file__).parent / "fixtures"
NAMES = ["gold-choices", "gold-free", "right-wrong", "score"]


def minimal(name: str) -> list[dict[str, Any]]:
    records: list[dict[str, Any]] = json.loads((FIXTURES / "label-studio" / f"{name}.min.json").read_text())
    return records


def as_json(records: list[dict[str, Any]]) -> bytes:
    return json.dumps(records).encode()


def as_csv(records: list[dict[str, Any]]) -> bytes:
    stream = io.StringIO()
    names = {name: None for record in records for name in record}
    writer = csv.DictWriter(stream, sorted(names))
    writer.writeheader()
    writer.writerows({k: json.dumps(v) if isinstance(v, list) else v for k, v in one.items()} for one in records)
    return stream.getvalue().encode()


def renamed(records: list[dict[str, Any]], name: str, **more: Any) -> list[dict[str, Any]]:
    """The records with the control called ``name``, and more data."""
    return [{name if key == "neyman_label" else key: value for key, value in (more | one).items()} for one in records]


@pytest.mark.parametrize("write", [as_json, as_csv])
@pytest.mark.parametrize("control", ["verdict", "label", "answer", "sentiment", "my label"])
@pytest.mark.parametrize("name", NAMES)
def test_label_studio_with_one_control_of_another_name(
    name: str, control: str, write: Callable[[list[dict[str, Any]]], bytes]
) -> None:
    records = minimal(name)
    expected, pool = read(write(records)), read(write(renamed(records, control, answers_of="t1", image_2="")))
    assert pool.rows["label"].notna().any()
    assert pool.rows["label"].tolist() == expected.rows["label"].tolist()
    assert pool.rows["note"].fillna("").tolist() == expected.rows["note"].fillna("").tolist()


@pytest.mark.parametrize("write", [as_json, as_csv])
@pytest.mark.parametrize("data", ["answer", "label", "question"])
def test_label_studio_with_data_that_may_be_the_label(
    data: str, write: Callable[[list[dict[str, Any]]], bytes]
) -> None:
    with pytest.raises(LabelError, match=f"columns.*(“{data}”.*“verdict”|“verdict”.*“{data}”).*“neyman_label”"):
        read(write(renamed(minimal("gold-free"), "verdict", **{data: "of the task"})))
    back = read(write(renamed(minimal("gold-free"), "neyman_label", **{data: "of the task"})))
    assert "of the task" not in set(back.rows["label"])


def argilla(name: str, ending: str, question: str, *more: str) -> bytes:
    """A recorded export with the question called ``question``, and others that nobody answered."""
    text = (FIXTURES / "argilla" / f"{name}.{ending}").read_text().replace("neyman_label", question)
    records = json.loads(text)
    for record in records:
        for other in more:
            if ending == "flat.json":
                record[f"{other}.responses"] = None
            else:
                record["responses"][other] = []
    return json.dumps(records).encode()


@pytest.mark.parametrize("ending", ["flat.json", "json"])
@pytest.mark.parametrize("name", NAMES)
def test_argilla_with_questions_of_other_names(name: str, ending: str) -> None:
    expected = read((FIXTURES / "argilla" / f"{name}.{ending}").read_bytes()).rows
    assert read(argilla(name, ending, "verdict")).rows.equals(expected)
    assert read(argilla(name, ending, "neyman_label", "verdict")).rows.equals(expected), "ours is known by its name"
    with pytest.raises(LabelError, match=r"questions.*“quality”.*“verdict”.*“neyman_label”"):
        read(argilla(name, ending, "verdict", "quality"))
