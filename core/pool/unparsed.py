"""Texts of a pool in which no answer was found, by the pattern that they follow."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ..answers.unparsed import PATTERNS, pattern
from .columns import leaf, lengths, models
from .parsing import NO_ANSWER, PAD, Contexts, Parsed, Vocabulary, contexts, parse_column
from .stored import StoredTable

GENERATIONS = "generations"
_COLUMNS = ["source", "pattern", "texts", "share", "item_id", "example"]
_EXAMPLE_WIDTH = 300
_MOST = 20_000


def unparsed_patterns(table: pa.Table | StoredTable, generations: Parsed | None, parser: str | None) -> pd.DataFrame:
    """Count the texts without an answer by source and pattern.

    Parameters
    ----------
    table : pyarrow.Table or StoredTable
        The canonical table.
    generations : Parsed or None
        Its parsed generations.
    parser : str or None
        What they were parsed by; None for each item's own kind.

    Returns
    -------
    DataFrame
        A row for each source ("generations", or a target's name) and pattern (`core.answers.unparsed`), the most
        frequent first: source, pattern, texts, share (of all texts of the source), item_id and example (of the first
        such text, shortened). Of more than 20,000 texts of a source without an answer, the first stand for all.
    """
    rows: list[dict[str, Any]] = []
    for source, texts, items, total, of in _unparsed(table, generations, parser):
        kinds = [of.distinct[place].kind for place in of.of_item[items[:_MOST]]]
        names = [pattern(text, kind) for text, kind in zip(texts.slice(0, _MOST).to_pylist(), kinds, strict=True)]
        for name in (one for one in PATTERNS if one in names):
            first, count = names.index(name), names.count(name) * len(items) / len(names)
            rows.append(
                {
                    "source": source,
                    "pattern": name,
                    "texts": round(count),
                    "share": count / total,
                    "item_id": table.column("id")[int(items[first])].as_py(),
                    "example": _shortened(texts[first].as_py()),
                }
            )
    frame = pd.DataFrame(rows, columns=_COLUMNS)
    order = frame["source"].map({source: place for place, source in enumerate(dict.fromkeys(frame["source"]))})
    return frame.assign(order=order).sort_values(["order", "texts"], ascending=[True, False]).drop(columns="order")


def _unparsed(
    table: pa.Table | StoredTable, generations: Parsed | None, parser: str | None
) -> Iterator[tuple[str, pa.Array, NDArray[np.int64], int, Contexts]]:
    """Yield of each source: its texts without an answer, their items, how many texts there are, and the parsers."""
    if generations is not None:
        column = table.column("generations")
        codes = generations.codes[generations.codes != PAD]
        places = np.flatnonzero(codes == NO_ANSWER)
        if places.size:
            items = np.repeat(np.arange(table.num_rows), lengths(column))[places]
            texts = _taken(pc.list_flatten(column), places)
            yield GENERATIONS, texts, items, codes.size, contexts(table, parser)
    for model in models(table):
        yield from _of_target(table, model, parser)


def _of_target(
    table: pa.Table | StoredTable, model: str, parser: str | None
) -> Iterator[tuple[str, pa.Array, NDArray[np.int64], int, Contexts]]:
    """Yield what `_unparsed` does of one target: an item's ``answer`` counts, or else its ``text``."""
    of = contexts(table, parser)
    known, missing = np.zeros((2, table.num_rows), dtype=bool)
    shown: pa.ChunkedArray | None = None
    for field in ("answer", "text"):
        column = leaf(table, model, field)
        if column is None:
            continue
        codes = parse_column(column, contexts(table, parser, extracted=field == "answer"), Vocabulary())
        fresh = np.asarray(column.is_valid()) & ~known
        missing |= fresh & (codes == NO_ANSWER)
        known |= fresh
        # The text says more of why there is no answer.
        shown = column if shown is None else pc.coalesce(column, shown)
    items = np.flatnonzero(missing)
    if shown is not None and items.size:
        yield model, _taken(shown, items), items, int(known.sum()), of


def _taken(column: pa.ChunkedArray, places: NDArray[np.int64]) -> pa.Array:
    taken = column.cast(pa.large_string()).take(pa.array(places))
    return pc.fill_null(taken.combine_chunks() if isinstance(taken, pa.ChunkedArray) else taken, "")


def _shortened(text: str) -> str:
    """Return the end of a long text, where an answer would stand."""
    return text if len(text) <= _EXAMPLE_WIDTH else f"… {text[2 - _EXAMPLE_WIDTH :]}"
