"""Runs of a target that answers differently each time: of each item a list of losses, of outputs, or of both.

The first run is the target's single answer, where one is needed.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from . import outcomes
from .columns import RUN_LOSSES, RUN_TEXTS, leaf, lengths, padded
from .parsing import NO_ANSWER, PAD, Vocabulary, contexts, parse_column, parse_lists
from .stored import StoredTable


def has_runs(table: pa.Table | StoredTable, target: str) -> bool:
    """Whether a pool lists runs of a target."""
    return any(leaf(table, target, name) is not None for name in (RUN_TEXTS, RUN_LOSSES))


def run_counts(table: pa.Table | StoredTable, target: str) -> NDArray[np.int64]:
    """Count the runs of a target on each item, (N,); 1 if the pool has no list of them."""
    counts = np.ones(table.num_rows, dtype=np.int64)
    for name in (RUN_TEXTS, RUN_LOSSES):
        if (column := leaf(table, target, name)) is not None:
            counts = np.maximum(counts, lengths(column))
    return counts


def same_runs(table: pa.Table | StoredTable, one: str, other: str) -> bool:
    """Whether two targets have the same outputs in all runs of all items, as if one log were read twice."""
    own, others = (leaf(table, target, RUN_TEXTS) for target in (one, other))
    return own is not None and others is not None and own.equals(others)


def run_losses(table: pa.Table | StoredTable, target: str, parser: str | None) -> NDArray[np.float64]:
    """Compute the losses of a target's runs, (N, R) float; NaN if one is not known, and beyond an item's last run.

    Without losses of its runs an item has that of its first; if nobody scored it, its runs' outputs are compared with
    the truth, as in `core.pool.outcomes.losses`.
    """
    first = outcomes.losses(table, target, parser)
    values = np.full((table.num_rows, int(run_counts(table, target).max(initial=1))), np.nan)
    values[:, 0] = first
    scored, texts = leaf(table, target, RUN_LOSSES), leaf(table, target, RUN_TEXTS)
    known = np.zeros(table.num_rows, dtype=bool)
    if scored is not None:
        known = np.asarray(scored.is_valid())
        given = padded(scored)
        values[known, : given.shape[1]] = given[known]
    loss = leaf(table, target, "loss")
    compared = ~known & ~outcomes.unscored(table, target) & (True if loss is None else np.asarray(loss.is_null()))
    if texts is not None and "answer" in table.column_names and compared.any():
        vocabulary = Vocabulary()
        truth = parse_column(table.column("answer"), contexts(table, parser, extracted=True), vocabulary)
        said = parse_lists(texts, contexts(table, parser), vocabulary)
        rows = compared & (truth != NO_ANSWER) & np.isfinite(first)
        wrong = np.where(said == PAD, np.nan, (said != truth[:, None]).astype(np.float64))
        values[rows, : said.shape[1]] = wrong[rows]
    return values
