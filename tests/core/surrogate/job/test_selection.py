"""Lists of items, read from label requests and texts."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.surrogate.faults import SurrogateError
from core.surrogate.job.parameters import Shot
from core.surrogate.job.selection import read_ids, read_shots


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("a\nb\n\na\n", ("a", "b")),
        ("position,item_id,label\n1,'=x,\n2,b,\n", ("=x", "b")),
        ('item_id;label\n\'0012;\n\'3-4;\n"""a\\r""";\n', ("0012", "3-4", "a\r")),
        ("id\n'quoted\n", ("'quoted",)),
        ('{"item_id": "a"}\n{"item_id": "b", "label": null}\n', ("a", "b")),
        ("\ufeffitem_id\nü\n", ("ü",)),
    ],
)
def test_items_are_read_from_requests_and_lists(text: str, ids: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "items").write_text(text, encoding="utf-8")
    assert read_ids(tmp_path / "items") == ids


def test_examples_are_read_from_json_lines(tmp_path: Path) -> None:
    lines = (
        '{"prompt": "Why?", "answer": "So."}\n\n{"prompt": "Which?", "answer": "A", "choices": ["a", "b"], "id": 3}\n'
    )
    (tmp_path / "shots.jsonl").write_text(lines)
    assert read_shots(tmp_path / "shots.jsonl") == (Shot("Why?", "So."), Shot("Which?", "A", ("a", "b")))


@pytest.mark.parametrize("text", ["", "\n", '{"prompt": "Why?"}', "Why? So.", '["a"]', '{"prompt": "", "answer": "x"}'])
def test_files_without_examples_are_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "shots.jsonl").write_text(text)
    with pytest.raises(SurrogateError):
        read_shots(tmp_path / "shots.jsonl")
