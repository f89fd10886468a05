"""Files that are nearly what a reader expects: tokens, cells, columns and parts of valid ones, changed at random."""

from __future__ import annotations

import gzip
import io
import re
import zipfile
import zlib
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

_JSON = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{},:]|[^\s"\[\]{},:]+|\s+', re.DOTALL)
_XML = re.compile(r"<[^>]*>|[^<]+")
_ATTRIBUTE = re.compile(r"""=(["'])[^"']*\1""")
_VALUES = (
    *("null", "true", "NaN", "-Infinity", "1e400", "1e-400", "12345678901234567.0", "-0.0", "9" * 30, "9" * 5000),
    *("0", "1", "0.5", "2.50", "[]", "{}", '""', '"A"', '"B"', '"\\ud800"', '"\\u0000"', '"\\u202e=1"', '"=1+1"'),
    *('"right"', '"q1"', '"2026-01-01"', '"number"', '"cancelled"', "[[1]]", '{"value": "A"}', '["A", null]', "nul"),
    *("[" * 101 + "]" * 101, "[" * 700 + "]" * 700, '{"a":' * 120 + "1" + "}" * 120, "[" * 200, '"' + "x" * 3000 + '"'),
)
_NAMES = (
    *("id", "item_id", "label", "annotator", "status", "kind", "note", "plan_id", "answers_of", "data", "annotations"),
    *(
        "generations",
        "generation_answers",
        "meanings",
        "logprobs",
        "targets",
        "choices",
        "answer_kind",
        "loss",
        "text",
        "answer",
    ),
    *("custom_id", "response", "choices", "index", "prediction", "input", "output", "sample_score", "traceId", "hit"),
    *("responses", "value", "accept", "result", "options", "question_id", "pred", "strata", "scheme", "seed", "items"),
)
_CELLS = (
    *(
        "",
        "A",
        "right",
        "0.5",
        "nan",
        "inf",
        "1e400",
        "-1",
        "'=1",
        "=1",
        '"',
        '""',
        "\u2002=1",
        "[1",
        '["a"]',
        '{"a":1}',
    ),
    *("\x00", "\ufeff", "\r", "\n", ",", ";", "\t", "é", "\u2028", "007", "1/2", "cancelled", "x" * 3000, "(pool)"),
    *("id", "item_id", "label", "generation_1", "m:loss", "choice_A", "logprob_1", "annotation_id", "neyman_label"),
)
_XML_TEXTS = ("0", "1", "99999999", "-1", "1e5", "q", "item_id", "label", "&#0;", "&lt;", "&bad;", "x" * 40_000, " ")
_XML_VALUES = (
    "A1",
    "XFD1048576",
    "A0",
    "A99999999",
    "s",
    "b",
    "e",
    "d",
    "n",
    "str",
    "inlineStr",
    "x",
    "0",
    "-1",
    "9" * 20,
)
_KINDS = (
    *(pa.string(), pa.large_string(), pa.binary(), pa.int8(), pa.uint64(), pa.float32(), pa.bool_(), pa.date32()),
    *(pa.list_(pa.string()), pa.list_(pa.float32()), pa.large_list(pa.int64()), pa.timestamp("us"), pa.null()),
)


def json_text(text: str, rng: Random) -> str:
    """Change some of the tokens of JSON: values, keys, whole parts."""
    tokens = _JSON.findall(text)
    for _ in range(rng.randint(1, 4)):
        if not tokens:
            break
        place = rng.randrange(len(tokens))
        match rng.randrange(8):
            case 0 | 1:
                solid = [at for at, token in enumerate(tokens) if token[0] not in "[]{},: \n\r\t"]
                tokens[rng.choice(solid or [place])] = rng.choice(_VALUES)
            case 2:
                keys = [at for at, token in enumerate(tokens[:-1]) if token[0] == '"' and tokens[at + 1] == ":"]
                tokens[rng.choice(keys or [place])] = f'"{rng.choice(_NAMES)}"'
            case 3:
                del tokens[place]
            case 4:
                tokens.insert(place, rng.choice([*_VALUES, *"[]{},:\n"]))
            case 5:
                end = _end_of(tokens, place)
                tokens[place:end] = [rng.choice(_VALUES)]
            case 6:
                end = _end_of(tokens, place)
                tokens[place:place] = [*tokens[place:end], ","]
            case 7:
                other = rng.randrange(len(tokens))
                tokens[place], tokens[other] = tokens[other], tokens[place]
    return "".join(tokens)


def _end_of(tokens: list[str], place: int) -> int:
    """Where the value that begins at ``place`` ends."""
    depth = 0
    for at in range(place, len(tokens)):
        depth += (tokens[at] in ("[", "{")) - (tokens[at] in ("]", "}"))
        if depth <= 0:
            return at + 1
    return len(tokens)


def csv_text(text: str, rng: Random) -> str:
    """Change cells, rows, columns and the delimiter of delimited text."""
    rows = [line.split(",") for line in text.split("\n")]
    for _ in range(rng.randint(1, 4)):
        row = rng.choice(rows)
        place = rng.randrange(len(row))
        match rng.randrange(7):
            case 0 | 1:
                row[place] = rng.choice(_CELLS)
            case 2:
                row.insert(place, rng.choice(_CELLS))
            case 3:
                del row[place : place + len(row) - 1]
            case 4:
                rows.insert(rng.randrange(len(rows)), list(row))
            case 5:
                for one in rows:
                    one.insert(min(place, len(one)), rng.choice(_CELLS))
            case 6:
                row[place] = '"' + row[place].replace('"', '""') + rng.choice(['"', "", '""'])
    return rng.choice("\n\n\r\n\r").join(rng.choice(",,,,;\t").join(row) for row in rows)


def xml_text(text: str, rng: Random) -> str:
    """Change tags, attributes and texts of XML."""
    tokens = _XML.findall(text)
    for _ in range(rng.randint(1, 5)):
        place = rng.randrange(len(tokens))
        match rng.randrange(5):
            case 0 | 1 if tokens[place].startswith("<"):
                tokens[place] = _ATTRIBUTE.sub(lambda _: f'="{rng.choice(_XML_VALUES)}"', tokens[place], count=1)
            case 2:
                tokens.insert(place, tokens[rng.randrange(len(tokens))])
            case 3 if len(tokens) > 1:
                del tokens[place]
            case _:
                tokens[place] = rng.choice(_XML_TEXTS)
    return "".join(tokens)


def zipped(content: bytes, rng: Random) -> bytes:
    """Change one part of a zip as what it is, or the list of its parts."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    name = rng.choice(list(parts))
    if rng.random() < 0.1:
        parts[rng.choice([f"{name}.json", "a.json", "../x.xml", "[Content_Types].xml"])] = parts.pop(name)
    else:
        text = parts[name].decode("utf-8", "replace")
        parts[name] = (json_text if name.endswith("json") else xml_text)(text, rng).encode("utf-8", "replace")
    stream, form = io.BytesIO(), rng.choice([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
    with zipfile.ZipFile(stream, "w") as archive:
        for part, data in parts.items():
            # Without the time of day.
            archive.writestr(zipfile.ZipInfo(part), data, form)
    return stream.getvalue()


def parquet(content: bytes, rng: Random) -> bytes:
    """Change columns of a Parquet file: their names, types and values."""
    table = pq.read_table(io.BytesIO(content))
    for _ in range(rng.randint(1, 3)):
        place = rng.randrange(table.num_columns)
        name, column = table.column_names[place], table.column(place)
        match rng.randrange(5):
            case 0:
                table = table.set_column(place, rng.choice([*_NAMES, "m:loss", "generation_1", "logprob_2"]), column)
            case 1:
                table = table.set_column(place, name, _cast(column, rng.choice(_KINDS)))
            case 2:
                table = table.append_column(rng.choice([*_NAMES, "x"]), _cast(column, rng.choice(_KINDS)))
            case 3:
                table = table.take([rng.randrange(table.num_rows) for _ in range(table.num_rows)])
            case 4 if not pa.types.is_nested(column.type):
                table = table.set_column(place, name, column.dictionary_encode())
    stream = io.BytesIO()
    try:
        pq.write_table(table, stream, compression=rng.choice(["none", "snappy", "zstd"]))
    except pa.ArrowNotImplementedError:
        # A dictionary of nulls, for one.
        return content
    return stream.getvalue()


def _cast(column: pa.ChunkedArray, kind: pa.DataType) -> Any:
    try:
        return column.cast(kind)
    except (pa.ArrowException, ValueError, TypeError):
        return pa.nulls(len(column), kind)


def damaged(content: bytes, rng: Random) -> bytes:
    """Change, drop, insert or cut bytes."""
    data = bytearray(content)
    for _ in range(rng.randint(1, 3)):
        place = rng.randrange(len(data) + 1)
        match rng.randrange(4):
            case 0:
                data[place : place + 2] = rng.randbytes(len(data[place : place + 2]))
            case 1:
                del data[place : place + rng.randint(1, 8)]
            case 2:
                data[place:place] = rng.choice([b"\0", b"\xff", b"\n", b'"', b"[", rng.randbytes(4)])
            case 3:
                del data[place:]
    return bytes(data)


def mutated(content: bytes, form: str, rng: Random) -> bytes:
    """One input: ``content`` changed as what it is, often also byte by byte."""
    if form in ("zip", "parquet"):
        content = {"zip": zipped, "parquet": parquet}[form](content, rng)
    else:
        change = json_text if form == "json" else csv_text
        encoding = rng.choice(["utf-8"] * 6 + ["utf-8-sig", "utf-16", "latin-1"])
        content = change(content.decode(), rng).encode(encoding, "replace")
    if rng.random() < 0.2:
        content = damaged(content, rng)
    if form != "zip" and rng.random() < 0.05:
        packed = gzip.compress(content, 1, mtime=0)
        content = packed if rng.random() < 0.8 else packed[:-4] + zlib.crc32(rng.randbytes(4)).to_bytes(4, "little")
    return content
