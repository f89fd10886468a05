"""Native JSON Lines: one item a line (or one JSON array of items), UTF-8, optionally gzipped."""

from __future__ import annotations

from ..files.json_rows import several_of
from ..files.jsontext import BadJson
from ..files.open import MAX_ARRAY, UTF8_BOM, Source
from ..pool.columns import Completion, as_it_is
from ..pool.pool import Pool
from ..pool.problems import Problems
from ..pool.records import MOST_COLUMNS, Records
from .json_records import EXAMPLE, array, lines

_SHORT = 64


def read(source: Source, complete: Completion = as_it_is) -> Pool:
    """Read a pool; see ``core.readers.read``. ``complete`` adds to its columns."""
    problems = Problems()
    problems.note(source.remark)
    records = Records(problems)
    if source.head().lstrip().startswith(b"["):
        what, rows = "element", array(source.content(MAX_ARRAY), problems)
    else:
        what, rows = "line", lines(source, problems)
        if _is_one_object(source):
            problems.add("the file is one JSON object over several lines, not a list of items.", remedy=EXAMPLE)
            problems.stop()
    for row, size, record in rows:
        if isinstance(record, dict) and len(record) > MOST_COLUMNS:
            problems.add(f"there are {len(record):,} keys.", row, remedy=f"Keep at most {MOST_COLUMNS:,}.")
            problems.stop()
        elif isinstance(record, dict):
            records.add(row, record, size)
        else:
            problems.add(f"the {what} is not a JSON object.", row, remedy=EXAMPLE)
    return Pool.from_loose(complete(records.loose().composed(), problems), problems, source.name)


def _is_one_object(source: Source) -> bool:
    """Whether the first line does nothing but open an object, and no other follows it."""
    with source.opened() as file:
        line = file.readline(_SHORT).removeprefix(UTF8_BOM)
    try:
        return line.endswith(b"\n") and line.strip() == b"{" and several_of(source) is None
    except BadJson:
        return False
