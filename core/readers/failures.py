"""Results of which another file names the failures alone, as BFCL's scores do: what is not named there is right."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from ..pool.columns import NUMBER, TEXT
from ..pool.problems import Problems, shown
from .joining import LOSS, MODEL, completed

# Columns that say so: how many entries there are, in a row of counts; and that a model has no name but its file's.
TOTAL = "entries_in_all"
UNNAMED = "is_unnamed"
_GROUP = "group"


def with_failures(tables: Sequence[pa.Table], problems: Problems) -> list[pa.Table]:
    """Score the results of which other tables name the failures.

    Parameters
    ----------
    tables : sequence of pyarrow.Table
        Those of ``ModelOutputs``, one for each file.
    problems : Problems
        Where failures without results are added.

    Returns
    -------
    list of pyarrow.Table
        Without those of failures: what they say stands with the results.
    """
    results, used = list(tables), set[int]()
    for place, table in enumerate(tables):
        if TOTAL in table.column_names:
            is_count = pc.is_valid(table.column(TOTAL))
            counts, results[place] = table.filter(is_count), table.filter(pc.invert(is_count)).drop_columns([TOTAL])
            model, group = (counts.column(name)[0].as_py() for name in (MODEL, _GROUP))
            _score(results, place, model, group, counts.column(TOTAL)[0].as_py(), problems)
            used.add(place)
    kept = [table for place, table in enumerate(results) if place not in used]
    return [table.drop_columns([UNNAMED]) if UNNAMED in table.column_names else table for table in kept]


def _score(tables: list[pa.Table], place: int, model: str, group: str, total: int, problems: Problems) -> None:
    """Score the results of a model in a category by its failures, at ``place``."""
    failed = set(tables[place].column("id").to_pylist())
    chosen = _results(tables, model, group) or _results(tables, None, group)
    if len(chosen) != 1:
        message = f"the score file of {shown(group)} lists only its failures, {len(failed):,} of {total:,} entries."
        problems.add(message, remedy="Add the result file of the same model, result/<model>/…_result.json.")
        return
    table = tables[chosen[0]]
    names = table.column("id").to_pylist()
    here = [one == group for one in table.column(_GROUP).to_pylist()]
    if sum(here) != total or not failed <= set(names):
        message = (
            f"score file and result file of {shown(group)} differ: {total:,} and {sum(here):,} entries, or other ids."
        )
        problems.add(message, remedy="Use the results and the scores of one run.")
        return
    known = table.column(LOSS).to_pylist() if LOSS in table.column_names else [None] * len(table)
    losses = [float(name in failed) if mine else loss for name, mine, loss in zip(names, here, known, strict=True)]
    table = table.set_column(table.column_names.index(LOSS), LOSS, pa.chunked_array([pa.array(losses, NUMBER)]))
    if UNNAMED in table.column_names:
        models = pa.chunked_array([pa.array([model] * len(table), TEXT)])
        table = table.set_column(table.column_names.index(MODEL), MODEL, models).drop_columns([UNNAMED])
    both = completed([table, tables[place]])
    tables[chosen[0]] = table if both is None else both


def _results(tables: Sequence[pa.Table], model: str | None, group: str) -> list[int]:
    """Return the places of results in a category, of a model or of those without a name."""
    return [
        place
        for place, table in enumerate(tables)
        if "generations" in table.column_names
        and _GROUP in table.column_names
        and group in table.column(_GROUP).to_pylist()
        and (UNNAMED in table.column_names if model is None else model in table.column(MODEL).to_pylist())
    ]
