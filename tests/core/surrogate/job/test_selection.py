"""Lists of items, read from label requests and texts."""

from __future__ import annotations

import gzip
from pathlib import Path

import pandas as pd
import pytest

from core.labels.formats.workbook import to_xlsx
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


IDS = "item_id,label\ncafé-1,\n0012,\n"


@pytest.mark.parametrize(
    "content",
    [
        IDS.encode("cp1252"),
        IDS.replace(",", ";").encode("cp1252"),
        IDS.encode("utf-16"),
        IDS.encode("utf-16-le"),
        IDS.encode("utf-8-sig"),
        gzip.compress(IDS.encode(), mtime=0),
        gzip.compress(IDS.encode("cp1252"), mtime=0),
        "café-1\n0012\n".encode("cp1252"),
        "café-1\r\n0012\r\n".encode("utf-16"),
        '{"id": "café-1"}\n{"id": "0012"}\n'.encode("utf-16"),
        to_xlsx(pd.DataFrame({"position": [1, 2], "item_id": ["café-1", "0012"]}), "gold"),
    ],
)
def test_items_are_read_whatever_the_encoding(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "items").write_bytes(content)
    assert read_ids(tmp_path / "items") == ("café-1", "0012")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b" \n",
        b"PAR1\x15\x04",
        b"PK\x03\x04 no zip",
        b"\x1f\x8bno gzip",
        b"%PDF-1.7",
        to_xlsx(pd.DataFrame({"prompt": ["Why?"]}), "gold"),
    ],
)
def test_files_without_items_are_refused_by_name(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "ids.csv").write_bytes(content)
    with pytest.raises(SurrogateError, match=r"The list of items “ids\.csv” "):
        read_ids(tmp_path / "ids.csv")


def test_two_sheets_with_items_are_refused_by_name(tmp_path: Path) -> None:
    with pd.ExcelWriter(tmp_path / "ids.xlsx") as book:
        for name in ("May", "June"):
            pd.DataFrame({"item_id": ["a", "b"], "label": ["x", "y"]}).to_excel(book, sheet_name=name, index=False)
    with pytest.raises(SurrogateError, match="names items in the sheets “May” and “June”"):
        read_ids(tmp_path / "ids.xlsx")


def test_examples_are_read_from_utf16(tmp_path: Path) -> None:
    (tmp_path / "shots.jsonl").write_text('{"prompt": "Où?", "answer": "Là."}\n', encoding="utf-16")
    assert read_shots(tmp_path / "shots.jsonl") == (Shot("Où?", "Là."),)


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
