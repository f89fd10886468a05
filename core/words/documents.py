"""JSON that programs read: each document begins with its form and that form's version."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any


def document(form: str, facts: Mapping[str, Any], indent: int = 2) -> str:
    """Write facts as one JSON object that begins with its form.

    Parameters
    ----------
    form : str
        Name and version, such as “neyman-gate/1”: a key that goes, or means something else, takes a new number.
    facts : mapping
        What the object holds, in this order; NaN and ±∞ become null.
    indent : int
        Blanks of a level.

    Returns
    -------
    str
        UTF-8 text that ends with a line's end.
    """
    return json.dumps(plain({"format": form, **facts}), ensure_ascii=False, indent=indent, allow_nan=False) + "\n"


def plain(value: Any) -> Any:
    """Convert to JSON's own types: arrays to lists, NaN and ±∞ to null."""
    if isinstance(value, Mapping):
        return {key: plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    # NumPy's numbers and arrays, without NumPy: a worker imports this room and stays small.
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    return None if isinstance(value, float) and not math.isfinite(value) else value
