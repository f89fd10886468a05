"""One reader of bytes: a table or JSON in any dress is the same pool, the same list of labels, and the same bank."""

from __future__ import annotations

import gzip
import io
import json
import zipfile
from collections.abc import Callable

import pytest
from openpyxl import Workbook

from core import labels
from core.archive.verdict_store import read_bank_file
from core.errors import LabelError, PoolError
from core.files.open import Source
from core.pool.problems import Problems
from core.readers import read_or_shape
from core.readers.file_rows import rows_of

HEADER = ("id", "label", "note")
ROWS = [("a1", "Köln", "x; y, z"), ("a2", "São Paulo", 'says "no"'), ("a3", "Málaga", "one\ntwo"), ("é4", "", "")]
RECORDS = [dict(zip(HEADER, row, strict=True)) for row in ROWS]


def table(mark: str = ",", end: str = "\r\n", rows: list[tuple[str, ...]] = [HEADER, *ROWS]) -> str:  # noqa: B006
    """Write the rows as a spreadsheet does."""
    quoted = lambda cell: f'"{cell.replace(chr(34), 2 * chr(34))}"' if set(cell) & {mark, '"', "\n"} else cell  # noqa: E731
    return "".join(mark.join(map(quoted, row)) + end for row in rows)


def workbook() -> bytes:
    """The rows as a workbook."""
    book, stream = Workbook(), io.BytesIO()
    for row in [HEADER, *ROWS]:
        book.active.append(row)  # type: ignore[union-attr]
    book.save(stream)
    return stream.getvalue()


def zipped(**members: bytes) -> bytes:
    """A zip, of a Mac."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name.replace("_", "."), content)
        archive.writestr("__MACOSX/._a", b"x")
    return stream.getvalue()


def dumped(indent: int | None = None) -> list[str]:
    """Each record as JSON."""
    return [json.dumps(record, ensure_ascii=False, indent=indent) for record in RECORDS]


LINES = "\n".join(dumped())
FORMS: dict[str, bytes] = {
    "utf-8": table().encode(),
    "utf-8 with a mark": table().encode("utf-8-sig"),
    "Excel's CSV": table(";").encode("cp1252"),
    "Excel's CSV of Central Europe": table(";").replace("São", "Sao").encode("cp1250"),
    "Excel's Unicode text": table("\t").encode("utf-16"),
    "utf-16 without a mark": table().encode("utf-16-le"),
    "utf-16, other end first": b"\xfe\xff" + table(";").encode("utf-16-be"),
    "utf-32": table().encode("utf-32"),
    "tabs": table("\t").encode(),
    "semicolons": table(";").encode(),
    "lines of Unix": table(";", "\n").encode(),
    "lines of old Macs": table(",", "\r").encode(),
    "sep": ("sep=;\r\n" + table(";")).encode(),
    "sep, in a code page": ("sep=;\r\n" + table(";")).encode("cp1252"),
    "sep of a bar": ("sep=|\r\n" + table("|")).encode(),
    "sep and utf-16": ("sep=\t\r\n" + table("\t")).encode("utf-16"),
    "blank lines above": ("\r\n\r\n" + table()).encode(),
    "blank lines between": table().replace("\r\na2", "\r\n\r\n;;\r\n".replace(";", ",") + "a2").encode(),
    "gzip": gzip.compress(table().encode()),
    "gzip of a code page": gzip.compress(table(";").encode("cp1252")),
    "zip": zipped(list_csv=table().encode()),
    "zip of a code page": zipped(list_csv=table(";").encode("cp1252")),
    "zip of a gzip": zipped(list_csv_gz=gzip.compress(table().encode())),
    "zip of a workbook": zipped(list_xlsx=workbook()),
    "zip of a zip": zipped(list_zip=zipped(list_csv=table().encode())),
    "workbook": workbook(),
    "JSON Lines": LINES.encode(),
    "JSON Lines in a code page": LINES.encode("cp1252"),
    "JSON Lines in utf-16": LINES.encode("utf-16"),
    "JSON Lines, gzipped": gzip.compress(LINES.encode("utf-8-sig")),
    "JSON Lines, zipped": zipped(list_jsonl=LINES.encode()),
    "array": json.dumps(RECORDS, ensure_ascii=False).encode(),
    "array in a code page": json.dumps(RECORDS, ensure_ascii=False, indent=1).encode("cp1252"),
    "objects over several lines": "\n".join(dumped(2)).encode(),
    "objects without a break": "".join(dumped()).encode(),
    "objects with commas": ",\n".join(dumped()).encode(),
    "objects with commas, in a code page": ",\n".join(dumped(2)).encode("cp1252"),
}


def of_labels(content: bytes) -> list[tuple[str, ...]]:
    """Ids, labels and notes of a list."""
    rows = labels.read(content, "list").rows[["item_id", "label", "note"]]
    return [tuple(cell or "" for cell in row) for row in rows.itertuples(index=False)]


def of_pool(content: bytes) -> list[tuple[str, ...]]:
    """The same of the rows of a pool."""
    problems = Problems()
    rows = [row for _, row in rows_of(Source.of(content), problems)]
    problems.stop()
    return [tuple(str(row.get(name, "")) for name in HEADER) for row in rows]


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("door", [of_labels, of_pool])
def test_every_dress_of_a_list_is_the_same(name: str, door: Callable[[bytes], list[tuple[str, ...]]]) -> None:
    plain = "Central" in name
    assert door(FORMS[name]) == [tuple(cell.replace("ã", "a") if plain else cell for cell in row) for row in ROWS]


@pytest.mark.parametrize("name", [name for name in FORMS if name.startswith(("Excel's CSV", "gzip of a code"))])
def test_a_code_page_is_said_of_labels_too(name: str) -> None:
    assert "The file is not UTF-8. It is read as" in labels.read(FORMS[name]).notes[0]


CARRIAGE = "id,label,note\na1,one\rtwo,\na2,B,\ufdd0\r0\n"


@pytest.mark.parametrize("door", [of_labels, of_pool])
def test_a_carriage_return_within_a_cell_ends_no_line(door: Callable[[bytes], list[tuple[str, ...]]]) -> None:
    assert door(CARRIAGE.encode()) == [("a1", "one\rtwo", ""), ("a2", "B", "\ufdd0\r0")]


@pytest.mark.parametrize(
    ("above", "row"), [("", 3), ("sep=;\n", 3), ("\n", 4), ("\n\n", 5)], ids=["plain", "sep", "blank", "two blank"]
)
def test_rows_are_counted_as_spreadsheets_show_them(above: str, row: int) -> None:
    content = f"{above}id;label\na;A\nb;B;C\n".encode()
    with pytest.raises(LabelError, match=rf"Row {row}: 3 cells under 2 column names"):
        labels.read(content)
    with pytest.raises(PoolError, match=rf"row {row}: the row has 3 cells"):
        of_pool(content)


REFUSED = {
    "arrays one after another": (b'[{"id": "a", "label": "A"}][{"id": "b", "label": "A"}]', "one after another"),
    "two objects on a later line": (b'{"id": "a", "label": "A"}\n{"id": "b"}{"id": "c"}', "one after another"),
    "the second object is cut": (b'{\n"id": "a",\n"label": "A"}\n{\n"id": "b"', "of object 2, this is not JSON"),
    "pickle": (b"\x80\x04\x95\x00", "a Python pickle"),
    "PDF": (b"%PDF-1.7", "is a PDF"),
    "web page": (b"<!doctype html><p>sign in", "a web page"),
    "old workbook": (b"\xd0\xcf\x11\xe0\xa1\xb1", "an old Excel workbook"),
    "7z": (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    "gzip in gzip": (gzip.compress(gzip.compress(b"id,label\n")), "gzipped twice"),
    "gzip, cut": (gzip.compress(b"id,label\na,A\n" * 99)[:-9], "ends early"),
    "zip, cut": (FORMS["zip"][:-30], "zip is damaged"),
    "damaged UTF-8": ("id,label\né,ü\nb,".encode() + b"\xff\n", "byte 18 of the file is not UTF-8"),
    "open quote": (b'id,label\na,"A\nb,B\n', "a quote is opened and never closed"),
    "columns": (b"id,label," + b"x," * 10_000 + b"\n", "more than 10,000 columns"),
    "OpenDocument": (zipped(mimetype=b"x", content_xml=b"<x/>"), "document of an Office program"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_is_refused_alike(name: str) -> None:
    content, what = REFUSED[name]
    with pytest.raises(LabelError, match=what):
        labels.read(content, "list")
    with pytest.raises(PoolError, match=what):
        read_or_shape(content, "pool")


@pytest.mark.parametrize("mark", [",", ";"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16"])
def test_a_bank_is_read_in_any_dress(mark: str, encoding: str) -> None:
    content = table(mark).encode(encoding)
    for form in (content, gzip.compress(content)):
        assert read_bank_file(form)[0].to_pylist() == RECORDS
    with pytest.raises(ValueError, match="row 6 has 1 cell, the header 3"):
        read_bank_file(content + "x\n".encode(encoding.removesuffix("-sig").replace("utf-16", "utf-16-le")))
