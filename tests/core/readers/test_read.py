"""``read`` goes by content, and says what a file is that it cannot read."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import pickle
import shutil
import zipfile
from pathlib import Path

import pytest

from core.commands import main
from core.errors import PoolError
from core.pool import Pool
from core.pool.writing import write
from core.readers import read
from tests.core.readers.guessed import table

LINE = b'{"id": "a", "generations": ["A", "B"]}\n'


def zipped(**members: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in members.items():
            archive.writestr(name.replace("__", "."), content)
    return buffer.getvalue()


@pytest.mark.parametrize("name", ["pool.jsonl", "pool.csv", "pool.parquet", "pool.zip", "pool"])
def test_the_content_decides_not_the_name(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(LINE)
    assert read(path).digest == read(str(path)).digest == read(LINE).digest == read(gzip.compress(LINE)).digest


def test_the_name_is_the_callers_or_that_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "my.exams.jsonl.gz"
    path.write_bytes(gzip.compress(LINE, mtime=0))
    assert read(path).name == "my.exams"
    assert read(path, "other").name == "other"
    assert read(LINE).name == "pool"


def test_a_byte_order_mark_is_no_part_of_the_content() -> None:
    mark = b"\xef\xbb\xbf"
    assert read(mark + LINE).digest == read(LINE).digest
    assert read(mark + b"id,x\na,1\n").items.index.tolist() == ["a"]
    assert read(mark + b'[{"id": "a"}]').items.index.tolist() == ["a"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b" \n\r\n\t", "is empty"),
        (b"\xef\xbb\xbf", "is empty"),
        (gzip.compress(b"", mtime=0), "is empty"),
        (pickle.dumps({"id": "a"}), "a Python pickle"),
        (b"\x89PNG\r\n\x1a\n", "an image"),
        (b"%PDF-1.7", "a PDF"),
        (b"<!DOCTYPE html><html>", "a web page or XML"),
        (b"SQLite format 3\0", "an SQLite database"),
        (b"ARROW1\0\0", "an Arrow file.* Save it as Parquet"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1", "an old Excel workbook"),
        (bz2.compress(LINE), "compressed with bzip2"),
        (lzma.compress(LINE), "compressed with xz"),
        (gzip.compress(gzip.compress(LINE, mtime=0), mtime=0), "gzipped twice"),
        (gzip.compress(LINE, mtime=0)[:-12], "ends early"),
        (gzip.compress(LINE, mtime=0)[:10] + b"\xff" * 20, "gzip file is damaged"),
        (b"\x00\x01\x02\x03", "neither text nor a known format"),
        (b"PAR1" + b"\0" * 40 + b"PAR1", "the Parquet file is damaged"),
        (b"PK\x03\x04" + b"\0" * 40, "the zip is damaged"),
        (zipped(**{"[Content_Types]__xml": b"<x/>", "a__json": b"[]"}), "a document of an Office program"),
        (zipped(header__json=b"{}"), "the log names no model"),
        (zipped(inner__zip=zipped(a__json=b"[]")), "no file in the zip holds the log.*“inner.zip/a.json”"),
        (zipped(a__json=b"[]", b__json=b"[]"), "it has “a.json”, “b.json”.*say which field is what"),
        (zipped(a__png=b"x"), "no file in the zip .*“a.png”. Choose one with JSON"),
    ],
)
def test_other_files_are_told_by_name(content: bytes, message: str) -> None:
    with pytest.raises(PoolError, match=message):
        read(content)


def test_paths_that_lead_nowhere(tmp_path: Path) -> None:
    with pytest.raises(PoolError, match="has no Parquet files"):
        read(tmp_path)
    for path in (tmp_path / "missing.jsonl", "nul\0"):
        with pytest.raises(PoolError, match=r"no file|no usable path"):
            read(path)


@pytest.mark.parametrize("name", ["evalscope_old", "lm_eval_math"])
def test_a_folder_is_read_as_its_zip(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = Path(__file__).parents[2] / "cases" / name
    packed = Path(shutil.make_archive(str(tmp_path / name), "zip", folder))
    ours, theirs = read(folder), read(packed)
    assert (ours.name, ours.remarks, list(ours.targets)) == (theirs.name, theirs.remarks, list(theirs.targets))
    assert ours.digest == theirs.digest and ours.n_items > 1
    printed = []
    for path in (folder, packed):
        assert main(["pool", "map", str(path)]) == 0
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1]


def test_a_folder_has_its_readable_files_within_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".hidden.jsonl").write_bytes(LINE)
    (tmp_path / "picture.png").write_bytes(b"x")
    with pytest.raises(PoolError, match="no others that can be read"):
        read(tmp_path)
    (tmp_path / "pool.jsonl").write_bytes(LINE)
    assert read(tmp_path).n_items == 1
    monkeypatch.setattr("core.files.open.MAX_BYTES", 3)
    with pytest.raises(PoolError, match="larger than"):
        read(tmp_path)


def test_bombs_are_not_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.files.jsontext.MAX_BYTES", 1_000)
    monkeypatch.setattr("core.files.jsontext.MAX_LINE", 500)
    with pytest.raises(PoolError, match="larger than"):
        read(gzip.compress(LINE * 1_000, mtime=0))
    with pytest.raises(PoolError, match="larger than"):
        read(gzip.compress(b"{" + b" " * 10_000_000, mtime=0))
    monkeypatch.setattr("core.readers.archive_files.MAX_ARRAY", 1_000)
    with pytest.raises(PoolError, match="larger than"):
        read(zipped(a__json=b"[" + b" " * 10_000 + b"]"))
    monkeypatch.setattr("core.files.tables.MAX_BYTES", 1_000)
    with pytest.raises(PoolError, match="larger than"):
        read(b"id,x\n" + b"a,1\n" * 1_000)


@pytest.mark.parametrize(
    ("content", "note"),
    [
        (b"id\na\nb\n", "has ids, but no questions, outputs or right answers."),
        (b'{"id": "a", "foo": 1}\n{"id": "b", "foo": 2}\n', "Kept, not read: “foo”."),
        (b"id,answer,gpt-4,claude-3\n" + b"a,A,A,B\nb,B,B,B\nc,A,B,A\nd,B,A,A\n", "“gpt-4” as gpt-4: text"),
        (b"id,prompt,source\na,Why?,x\nb,How?,y\n", ""),
        (b"id,group,generation_1\na,x,A\n", ""),
    ],
)
def test_a_pool_without_questions_and_outputs_says_so(content: bytes, note: str) -> None:
    notes = " ".join(read(content).notes)
    assert note in notes if note else not notes


def test_a_pool_that_neyman_wrote_has_the_same_items_when_it_is_read_again(tmp_path: Path) -> None:
    """Also if a column that was kept has a name that elsewhere would be the question's: plans belong to the items."""
    rows = [{"id": f"i{n}", "input": f"What is {n}?", "gold": str(n), "generations": [str(n), "1"]} for n in range(20)]
    pool = Pool.from_records(rows, name="mine")
    path = tmp_path / "pool.parquet"
    write(pool.table, path)
    again = read(path)
    assert again.items_digest == pool.items_digest and again.items.columns.tolist() == pool.items.columns.tolist()
    lines = "".join(json.dumps(row) + "\n" for row in rows).encode()
    assert read(lines).items["prompt"].tolist() == [row["input"] for row in rows]


@pytest.mark.parametrize("refused", [1, ""], ids=["a fault", "cells left empty"])
def test_what_may_be_a_score_and_is_none_is_named(refused: object) -> None:
    name, other = ("refused", 0) if refused else ("correct", 1)
    rows = [
        {"id": f"q{n}", "question": f"{n}?", "output": f"It is {n}.", name: refused if n % 3 else other}
        for n in range(12)
    ]
    assert any(f"--target MODEL:{'wrong' if refused else 'right'}={name})" in note for note in read(table(rows)).notes)


def test_options_with_their_letters_are_read_although_each_has_its_id() -> None:
    """They were refused as no list of texts."""
    said = "ABDDABCA"
    rows = [
        {
            "id": f"q{n}",
            "question": f"What is {n}?",
            "choices": {"text": [f"w{n}", f"x{n}", f"y{n}", f"z{n}"], "label": [*"ABCD"]},
            "answerKey": "ABCD"[n % 4],
            "prediction": said[n],
        }
        for n in range(8)
    ]
    pool = read("\n".join(map(json.dumps, rows)).encode(), "m")
    assert pool.targets["m"].accuracy() == 6 / 8 and pool.items["choices"].iloc[2] == ["w2", "x2", "y2", "z2"]
    mixed = [{**row, "choices": row["choices"] if row["id"] == "q3" else ["a", "b"]} for row in rows]
    with pytest.raises(PoolError, match="choices"):
        read("\n".join(map(json.dumps, mixed)).encode(), "m")
