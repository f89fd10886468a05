"""Ids that break files, plans and items made of them, and an archive to keep labels in."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import strategies as st

from core.archive import Archive
from core.design import Design, Plan, Scheme
from core.stratification import profile

NOON, LATER = "2026-11-20T12:00:00+00:00", "2026-11-20T13:00:00+00:00"
HARD = ["a,b", 'say "hi"', "two\nlines", "cr\rlf\r\n", "🙂🏳️‍🌈", "=1+1", "+1", "-1", "@SUM(A1)", "'=1", "''=1", "'q'"]
HARD += [" ", "'", "\t=1", "\n=1", "\u200b=1", "＝1", "0012", "1e5", "\x00", "nan", "NULL", "x;y", "_x0041_", "x005F_"]
HARD += [
    '"quoted"',
    '"',
    "[1]",
    '{"a": 1}',
    "#N/A",
    "TRUE",
    "\x0b",
    "2026-01-01",
    " lead",
    "trail ",
    "\ufeffbom",
    "\x7f",
]

ids_strategy = st.lists(
    st.one_of(
        st.sampled_from(HARD),
        st.text(st.characters(codec="utf-8"), min_size=1, max_size=8),
        st.text(st.sampled_from('=+-@\'\t\r\n _x0041",;"🙂'), min_size=1, max_size=6),
    ),
    min_size=4,
    max_size=10,
    unique=True,
)


def faults(error: BaseException) -> list[tuple[int, str]]:
    """The rows that an error lists, each with the field that it names ("" for none)."""
    return [(int(row), field or "") for row, field in re.findall(r"Row (\d+): (?:`(\w+)`)?", str(error))]


def plan_for(ids: Sequence[str], budget: int | None = None) -> Plan:
    rng = np.random.default_rng(len(ids))
    signals = profile(rng.integers(0, 3, (len(ids), 4)))
    return Design(budget or len(ids), Scheme(n_strata=2), seed=0).plan("ab" * 32, np.array(ids, dtype=object), signals)


def items_for(ids: Sequence[str], choices: bool = True) -> pd.DataFrame:
    frame = pd.DataFrame({"prompt": [f"{item}?" for item in ids]}, index=pd.Index(ids, name="id", dtype=object))
    return frame.assign(choices=[["=x", "y,z", "🙂"]] * len(ids)) if choices else frame


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    return Archive(tmp_path)
