"""Tables and their downloads."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from threading import Event
from time import monotonic
from typing import Any, TypeVar

import pandas as pd
import streamlit as st
from streamlit import runtime
from streamlit.runtime.media_file_manager import MediaFileManager
from streamlit.runtime.media_file_storage import MediaFileKind

from core import labels
from core.allocation import WAYS
from core.figures import prints, style
from core.pool import Pool
from core.simulation import beside
from core.words import GLOSSARY, PER_CENT, UNKNOWN, counted, shortened

_LONGEST_NAME = 120
# Characters of a name below a figure.
_LONGEST = 60
# How many seconds a callback waits at most until its file is made, and a file stays for the browser to fetch it.
_MAKING, _FETCHING = 10.0, 60.0
_Made = TypeVar("_Made")
_number = st.column_config.NumberColumn


def share(title: str, **more: Any) -> Any:
    """Return a column of shares in per cent, for `in_per_cent`; ``more`` as a column of numbers takes it."""
    return _number(title, format=f"%.1f{PER_CENT}%", **more)


STRATA_COLUMNS = {
    "stratum": _number("Stratum", help=GLOSSARY["stratum"], pinned=True),
    "se_low": _number("Signal from", format="%.3f"),
    "se_high": _number("Signal to", format="%.3f"),
    "items": _number("Items N_h", format="localized"),
    "share_of_pool": share("Share of pool"),
    "consistency": _number("Self-consistency p_h", format="%.3f"),
    "labels": _number("Labels m_h", format="localized"),
    "share_of_budget": share("Share of labels"),
    "inclusion_probability": _number("Probability π_h", format="%.4f", help=GLOSSARY["inclusion probability"]),
    "proxy": _number("Proxy √(p(1−p)) + δ", format="%.3f"),
    "accuracy": share("Accuracy"),
    "mean_loss": _number("Mean loss", format="%.3f"),
    "risk": _number("Predicted risk", format="%.3f"),
    "sd": _number("True σ_h", format="%.3f"),
}
_CURVE_COLUMNS = {
    "method": st.column_config.TextColumn("Method", pinned=True),
    "budget": _number("Labels M", format="localized"),
    "mse": _number("Squared error, exact", format="%.3e"),
    "relative_mse": share("Relative to Uniform, exact"),
    "simulated_mse": _number("Squared error, simulated", format="%.3e"),
    "simulated_relative_mse": share("Relative, simulated"),
    "relative_standard_error": share("Standard error"),
}

SHARES = ("share_of_pool", "share_of_budget", "accuracy")
_ERRORS = ("relative_mse", "simulated_relative_mse", "relative_standard_error")


def in_per_cent(table: pd.DataFrame, columns: Iterable[str]) -> pd.DataFrame:
    """Return a table with its shares times 100: a column's format writes its own sign, or it multiplies.

    Ties are rounded, as in sentences: a browser would round 68.25 up, and Python rounds it to 68.2.
    """
    shown = {name: table[name].map(_without_ties, na_action="ignore") for name in columns if name in table}
    return table.assign(**shown)


def _without_ties(share: float) -> float:
    percent = 100 * share
    return round(percent, 1) if 20 * percent % 2 == 1 else percent


def strata(table: pd.DataFrame, accuracy: bool) -> None:
    """Draw the strata as a table and as CSV; ``accuracy``: the losses are 0 and 1, and people see accuracies."""
    st.markdown("**Strata**")
    shown = table
    if accuracy:
        shown = table.assign(mean_loss=1 - table["mean_loss"]).rename(columns={"mean_loss": "accuracy"})
    shown = in_per_cent(shown, SHARES)
    st.dataframe(shown, hide_index=True, column_config=STRATA_COLUMNS, placeholder=UNKNOWN, alt="One row a stratum.")
    csv("Strata as CSV", lambda: as_csv(table), "neyman-strata.csv")


def errors(curve: pd.DataFrame, simulated: pd.DataFrame | None) -> None:
    """Draw exact and simulated errors as a table and as CSV; budgets not simulated stay empty on the right."""
    rows = beside(curve, simulated)
    st.markdown("**Squared error by method and budget**")
    shown = in_per_cent(rows, _ERRORS).assign(method=rows["method"].map(lambda name: WAYS[name].title))
    alt = "Exact and simulated error."
    st.dataframe(shown, hide_index=True, column_config=_CURVE_COLUMNS, placeholder=UNKNOWN, alt=alt)
    csv("Errors as CSV", lambda: as_csv(rows), "neyman-errors.csv")


def figure(
    key: str,
    draw: Callable[[], style.Figure],
    title: str,
    notes: Sequence[str],
    name: str,
    data: Callable[[], pd.DataFrame],
) -> None:
    """Draw the files of a figure, in a panel that makes none of them before it is taken.

    Parameters
    ----------
    key : str
        Of the panel.
    draw : callable
        Makes the figure.
    title, notes : str and sequence of str
        What stands above it on paper.
    name : str
        Of the files, without an ending.
    data : callable
        Makes the table of its numbers.
    """
    box = st.popover("Download figure", icon=":material/download:", key=f"download-{key}", on_change="rerun")
    if not box.open:
        return
    forms: tuple[tuple[str, str, Callable[[], str | bytes]], ...] = (
        ("PNG", "image/png", lambda: prints.png(draw(), title, notes)),
        ("SVG", "image/svg+xml", lambda: prints.svg(draw(), title, notes)),
        ("PDF", "application/pdf", lambda: prints.pdf(draw(), title, notes)),
        ("CSV", "text/csv", lambda: as_csv(data())),
    )
    with box:
        for form, mime, make in forms:
            file = f"{name}.{form.lower()}"
            look: dict[str, Any] = {"on_click": "ignore", "width": "stretch", "key": f"{key}-{form}"}
            st.download_button(form if form != "CSV" else "Data as CSV", make, file, mime, **look)


def slug(*parts: str) -> str:
    """A file's name of letters, digits, dots and hyphens, from parts in any writing."""
    words = (re.sub(r"[^\w.]+", "-", part.replace(" = ", "")).strip("-.") for part in parts)
    return "-".join(word for word in words if word)[:_LONGEST_NAME]


def subject(pool: Pool, target: str | None) -> str:
    """Say what a figure is about, for a line below its title: the pool, its number of items, the target."""
    of = "" if target is None else f" · target {shortened(target, _LONGEST)}"
    return f"{shortened(pool.name, _LONGEST)} · {counted(pool.n_items, 'item')}{of}"


def outlast_runs() -> None:
    """Have files that are made for a download stay until the browser has fetched them.

    Streamlit removes them when any session's next run ends. On a busy machine that comes before the browser asks.
    """
    if runtime.exists():
        _outlast(runtime.get_instance().media_file_mgr)


@cache
def _outlast(manager: MediaFileManager) -> None:
    times: dict[str, float] = {}
    load, inactive = manager._storage.load_and_get_id, manager._get_inactive_file_ids

    def noted(path_or_data: str | bytes, mimetype: str, kind: MediaFileKind, filename: str | None = None) -> str:
        file = load(path_or_data, mimetype, kind, filename)
        if kind is MediaFileKind.DOWNLOADABLE:
            times[file] = monotonic()
        return file

    def inactive_for_long() -> set[str]:
        oldest = monotonic() - _FETCHING
        for file in [file for file, moment in list(times.items()) if moment < oldest]:
            del times[file]
        return inactive() - times.keys()

    manager._storage.load_and_get_id = noted  # type: ignore[method-assign]
    manager._get_inactive_file_ids = inactive_for_long  # type: ignore[method-assign]


def in_turn(make: Callable[[], _Made], keep: Callable[[], None]) -> tuple[Callable[[], _Made], Callable[[], None]]:
    """Return what makes a file, and what is called back when the file is taken, once it is made.

    The browser asks for the file and for the callback's run at the same moment, and a run revokes what makes the files
    of the one before as it ends: if it came first, there was nothing to download.
    """
    finished = Event()

    def file() -> _Made:
        try:
            return make()
        finally:
            finished.set()

    def called_back() -> None:
        if runtime.exists():
            finished.wait(_MAKING)
        keep()

    return file, called_back


def kept(
    label: str,
    make: Callable[[], str | bytes],
    name: str,
    mime: str,
    key: str,
    keep: Callable[[], None],
    icon: str = "download",
    disabled: bool = False,
    help: str | None = None,
) -> None:
    """Draw a button for a file; ``keep`` is called back when it is taken.

    In a fragment: the rerun of a page revokes the file that the browser asks for.
    """
    make, click = in_turn(make, keep)
    look: dict[str, Any] = {"icon": f":material/{icon}:", "disabled": disabled, "help": help}
    st.download_button(label, make, name, mime, key=key, on_click=click, **look)


def as_csv(rows: pd.DataFrame) -> str:
    """Write a table as CSV in which no text, such as a pool's name, is a formula."""
    safe = rows.map(lambda value: labels.escape(value) if isinstance(value, str) else value)
    return safe.rename(columns=labels.escape).to_csv(index=False)


def csv(label: str, make: Callable[[], str], name: str) -> None:
    """Draw a button for a CSV file that is only made when it is taken."""
    st.download_button(label, make, name, "text/csv", on_click="ignore", icon=":material/download:")
