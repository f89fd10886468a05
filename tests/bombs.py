"""Small files that take much memory or time, made by script; each is bytes and what kind of reader it is aimed at."""

from __future__ import annotations

import gzip
import io
import zipfile
from collections.abc import Callable, Mapping

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

MEGABYTE = 1024**2


def zipped(members: Mapping[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return stream.getvalue()


def workbook(text: int = MEGABYTE, references: int = 20_000, attribute: str = 't="s"', shared: str = "") -> bytes:
    """A list of labels whose cells all show one shared text: 20,000 times one megabyte in 0.1 MB."""
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006"
    rows = "".join(f'<row r="{r}"><c r="A{r}" {attribute}><v>2</v></c></row>' for r in range(2, references + 2))
    header = '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c></row>'
    shared = shared or "".join(f"<si><t>{one}</t></si>" for one in ("item_id", "label", "x" * text))
    types = "".join(
        f'<Override PartName="/xl/{part}.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.'
        f'{kind}+xml"/>'
        for part, kind in (("workbook", "sheet.main"), ("s", "worksheet"), ("sharedStrings", "sharedStrings"))
    )
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{package}/content-types"><Default Extension="rels" '
        f'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>{types}</Types>',
        "_rels/.rels": f'<Relationships xmlns="{package}/relationships"><Relationship Id="r" '
        f'Type="{office}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{office}"><sheets><sheet name="s" sheetId="1" r:id="a"/>'
        "</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{package}/relationships"><Relationship Id="a" '
        f'Type="{office}/worksheet" Target="s.xml"/><Relationship Id="b" Type="{office}/sharedStrings" '
        'Target="sharedStrings.xml"/></Relationships>',
        "xl/s.xml": f'<worksheet xmlns="{main}"><sheetData>{header}{rows}</sheetData></worksheet>',
        "xl/sharedStrings.xml": f'<sst xmlns="{main}">{shared}</sst>',
    }
    return zipped({name: part.encode() for name, part in parts.items()})


def results_of_nothing(size: int = 25 * MEGABYTE) -> bytes:
    """MMLU-Pro results of nothing but empty objects: 25 kB as a zip, 0.5 GB as Python objects."""
    return zipped({"results.json": b"[" + b"{}," * (size // 3) + b"{}]"})


def empty_objects(size: int = 31 * MEGABYTE) -> bytes:
    return b"{}\n" * (size // 3)


def one_long_record(size: int = 31 * MEGABYTE) -> bytes:
    return b'{"id": "a", "x": [' + b"{}," * (size // 3) + b"{}]}"


def dictionary(text: int = MEGABYTE, rows: int = 20_000) -> bytes:
    """Parquet in which one text stands for all."""
    column = pa.DictionaryArray.from_arrays(np.zeros(rows, dtype=np.int32), pa.array(["x" * text]))
    table = pa.table({"id": pa.array(map(str, range(rows))), "prompt": column})
    stream = io.BytesIO()
    pq.write_table(table, stream)
    return stream.getvalue()


def zeros(size: int = 110 * MEGABYTE) -> bytes:
    """A gzip file of one endless line."""
    stream = io.BytesIO()
    with gzip.GzipFile(fileobj=stream, mode="wb", compresslevel=1) as file:
        file.write(b"id,x\n")
        for _ in range(size // MEGABYTE):
            file.write(b"0" * MEGABYTE)
    return stream.getvalue()


def wide_rows(rows: int = 110_000) -> bytes:
    """A list of labels with a comma for each of its cells, all of them empty."""
    return b"item_id,label" + b"," * 500 + b"\n" + (b"q,A" + b"," * 500 + b"\n") * rows


def unending_texts(count: int = 200_000) -> bytes:
    """A workbook whose shared texts begin and never end: 200,000 in 4 kB."""
    return workbook(references=1, shared="<si><t>a" * count)


def different_texts(count: int = 1_000_000) -> bytes:
    """A workbook of one item beside so many shared texts, all different."""
    texts = ("item_id", "label", *(f"text {number}" for number in range(count)))
    return workbook(references=1, shared="".join(f"<si><t>{text}</t></si>" for text in texts))


def many_columns(count: int = 100_000) -> bytes:
    """A table of 100,000 columns in 0.7 MB."""
    return ",".join(f"c{number}" for number in range(count)).encode() + b"\n" + b"1," * (count - 1) + b"1\n"


def keys_of_each_row(rows: int = 20_000) -> bytes:
    """JSON Lines whose rows have a key each that no other row has."""
    return b"".join(b'{"id": "%d", "c%d": 1}\n' % (row, row) for row in range(rows))


POOLS: dict[str, Callable[[], bytes]] = {
    "results of nothing": results_of_nothing,
    "empty objects": lambda: empty_objects(MEGABYTE // 2),
    "one long record": lambda: one_long_record(4 * MEGABYTE),
    "dictionary": dictionary,
    "zeros": zeros,
    "many columns": many_columns,
    "keys of each row": keys_of_each_row,
    "unending texts": unending_texts,
}
LABELS: dict[str, Callable[[], bytes]] = {
    "workbook": workbook,
    "workbook, in other words": lambda: workbook(attribute="s='0' t='s'"),
    "empty objects": empty_objects,
    "one long record": one_long_record,
    "wide rows": wide_rows,
    "unending texts": unending_texts,
}
