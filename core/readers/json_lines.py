"""Native JSON Lines: one item a line (or one JSON array of items), UTF-8, optionally gzipped."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

from core.pool.pool import Pool
from core.pool.problems import Problems
from core.pool.records import Records
from core.pool.strict_json import BadJson, StrictDecoder
from core.readers import mmlu_pro
from core.readers._json import EXAMPLE, MAX_ARRAY, array, decoded
from core.readers._source import MAX_BYTES, UTF8_BOM, Source, too_large

MAX_LINE = 64 * 1024**2


def read(source: Source) -> Pool:
    """Read a pool; see ``core.readers.read``."""
    problems = Problems()
    records = Records(problems)
    if source.head().lstrip().startswith(b"["):
        what, rows = "element", array(source.content(MAX_ARRAY), problems)
        first = next(rows, None)
        if first is not None:
            rows = chain([first], rows)
            if mmlu_pro.are_results(first[2]):
                results = [value for _, _, value in rows]
                problems.stop()
                return mmlu_pro.pool_of(results, source.name)
    else:
        what, rows = "line", _lines(source, problems)
    for row, size, record in rows:
        if isinstance(record, dict):
            records.add(row, record, size)
        else:
            problems.add(f"the {what} is not a JSON object.", row, remedy=EXAMPLE)
    return Pool.from_loose(records.loose(), problems, source.name)


def _lines(source: Source, problems: Problems) -> Iterator[tuple[int, int, Any]]:
    """Parse the lines that are not blank: row, length and value."""
    decoder = StrictDecoder()
    with source.opened() as file:
        row, position = 0, 0
        while line := file.readline(MAX_LINE):
            row += 1
            start, position = position, position + len(line)
            if len(line) == MAX_LINE or position > MAX_BYTES:
                raise too_large(MAX_LINE if len(line) == MAX_LINE else MAX_BYTES)
            if row == 1 and line.startswith(UTF8_BOM):
                start, line = start + len(UTF8_BOM), line.removeprefix(UTF8_BOM)
            if line.isspace():
                continue
            try:
                yield row, len(line), decoder.decode(decoded(line, start))
            except BadJson as error:
                problems.add(error.message, row, remedy=error.remedy or EXAMPLE)
