"""Tables and lines of any tool, and what is guessed of them."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from typing import Any

from core.readers import FieldMap, Shape


def table(rows: Sequence[dict[str, Any]], delimiter: str = ",") -> bytes:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(dict.fromkeys(name for row in rows for name in row)), delimiter=delimiter)
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


def lines(rows: Sequence[dict[str, Any]]) -> bytes:
    return "\n".join(map(json.dumps, rows)).encode()


def guess(content: bytes) -> FieldMap:
    return Shape.of(content, "m").guess
