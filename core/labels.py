"""The label request: the sampled items as a list for the people who label them.

The list is in the design's order (random inside strata, cut anywhere it stays a valid sample) and shows neither
stratum nor semantic entropy nor any model's answer: they would anchor the annotators.
"""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pandas as pd

from core.design import Plan

_SHOWN = ("group", "prompt", "choices", "image")
# Spreadsheets run a cell as a formula when its first visible character is one of these (full-width forms included).
_FORMULA = "=+-@\t\r＝＋－＠"


def request(plan: Plan, items: pd.DataFrame) -> pd.DataFrame:
    """The items to label, in order.

    Parameters
    ----------
    plan : the drawn plan. items : the pool's items, indexed by id, in the pool's order.

    Returns
    -------
    Frame of M rows: position (1 … M), item_id, plan_id, then those of group, prompt, choices, image that the pool has.
    """
    chosen = items.iloc[plan.positions]
    frame = pd.DataFrame({"position": range(1, len(chosen) + 1), "item_id": plan.ids, "plan_id": plan.plan_id})
    return frame.assign(**{name: chosen[name].array for name in _SHOWN if name in chosen.columns})


def to_csv(frame: pd.DataFrame) -> str:
    """The request as CSV with an empty ``label`` column to fill (RFC 4180, UTF-8).

    Text that a spreadsheet would run as a formula is prefixed with an apostrophe, which `unescape` takes off again;
    lists (choices) are one line each option.
    """
    stream = io.StringIO()
    writer = csv.writer(stream)
    writer.writerow([*frame.columns, "label"])
    for row in frame.itertuples(index=False, name=None):
        writer.writerow([*(_cell(value) for value in row), ""])
    return stream.getvalue()


def to_jsonl(frame: pd.DataFrame) -> str:
    """The request as JSON Lines, the lossless form: one object an item, ``label`` null until it is filled."""
    records = (dict(zip(frame.columns, row, strict=True)) for row in frame.itertuples(index=False, name=None))
    return "".join(
        json.dumps({**{k: _plain(v) for k, v in r.items()}, "label": None}, ensure_ascii=False) + "\n" for r in records
    )


def escape(text: str) -> str:
    """``text`` with an apostrophe before it where a spreadsheet would take it for a formula; `unescape` inverts it."""
    return "'" + text if _is_formula(text) else text


def unescape(text: str) -> str:
    """The text that `escape` was given."""
    return text[1:] if text.startswith("'") and _is_formula(text[1:]) else text


def _is_formula(text: str) -> bool:
    """Whether a cell needs an apostrophe; apostrophes already there are escaped once more, so that nothing is lost."""
    bare = text.lstrip("'")
    if bare and bare[0] in _FORMULA:
        return True
    visible = bare.lstrip("".join(map(chr, range(33))) + "\u00a0\u200b\ufeff")
    return bool(visible) and visible[0] in _FORMULA


def _cell(value: Any) -> Any:
    plain = _plain(value)
    if plain is None:
        return ""
    if isinstance(plain, list):
        plain = "\n".join(str(part) for part in plain)
    return escape(plain) if isinstance(plain, str) else plain


def _plain(value: Any) -> Any:
    if isinstance(value, str) or value is None:
        return value
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return list(value)
    return None if pd.isna(value) else value
