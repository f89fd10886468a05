"""Texts as cells of a list, and values as plain Python."""

from __future__ import annotations

from typing import Any

import pandas as pd

from core.labels.formats.escaping import escape, item_id, keep, keep_id, unescape

__all__ = ["escape", "item_id", "keep", "keep_id", "plain", "unescape"]


def plain(value: Any) -> Any:
    """A cell of a frame as text, number, list or None."""
    if isinstance(value, str) or value is None:
        return value
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return list(value)
    return None if pd.isna(value) else value
