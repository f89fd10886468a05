"""The figures of page Estimate, each with its files: an image for a paper, and its numbers."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pandas as pd
import plotly.graph_objects as go

from core.study import Study
from core.words import counted, level, shortened
from pages.parts import downloads
from pages.parts.frame import chart

_LONGEST = 60


def show(
    study: Study, key: str, draw: Callable[[], go.Figure], words: str, title: str, table: Callable[[], pd.DataFrame]
) -> None:
    """Draw a figure and, below it, a panel with its files.

    Parameters
    ----------
    study : Study
        What it is about.
    key : str
        Of the figure; its files are named after it.
    draw : callable
        Makes the figure.
    words : str
        What it says.
    title : str
        What stands above it on paper.
    table : callable
        Makes the table of its numbers.
    """
    chart(draw(), key, words, button=False)
    name = downloads.slug("neyman", study.pool.name, study.plan.plan_id, key.removesuffix("-figure"))
    downloads.figure(key, draw, title, _notes(study), name, partial(_with_source, study, table))


def _notes(study: Study) -> tuple[str, ...]:
    pool, labels = study.pool, counted(len(study.outcomes.table), "label")
    target = "" if study.target is None else f" · target {shortened(study.target, _LONGEST)}"
    sure = f"Bars: {level(study.interval.confidence)} intervals"
    return (
        f"{shortened(pool.name, _LONGEST)} · {counted(pool.n_items, 'item')}{target}",
        f"Plan {study.plan.plan_id} · {labels}",
        f"{sure}, computed from these labels; nothing is simulated.",
    )


def _with_source(study: Study, table: Callable[[], pd.DataFrame]) -> pd.DataFrame:
    """The numbers, each row with where it comes from."""
    return table().assign(pool=study.pool.name, plan=study.plan.plan_id, confidence=study.interval.confidence)
