"""Facts about the home in ``tests/compatibility/v4``, one a line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from tests.compatibility import lists, observed
from tests.net.recording import one_line


def facts() -> list[str]:
    """Every fact of the home, by the way to it."""
    return [one_line(line) for line in _facts(observed.plain(lists.everything()), "")]


def _facts(value: Any, way: str) -> Iterator[str]:
    """The leaves of a JSON value; a list of plain values is one line, as is a table's column."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _facts(inner, f"{way} / {name}" if way else name)
    elif isinstance(value, float):
        yield f"{way}: {value:.10g}"
    else:
        yield f"{way}: {json.dumps(value, ensure_ascii=False)}"
