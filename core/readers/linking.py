"""Files that name items by other keys than their ids, and what the files beside them say of these keys.

A batch that Neyman wrote names the items by their places in its pool, requests are named as their answers are, and
Langfuse's dataset runs name the items of traces. After :func:`linked`, all rows have the ids of the items.
"""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from ..pool.columns import TEXT
from ..pool.problems import Problems
from .failures import with_failures
from .joining import LOSS, MODEL

# Columns that say so, in the tables of the files concerned.
PLACE = "place_in_pool"
REQUEST = "is_request"
TRACE = "trace_id"
LINK = "item_of_trace"
_OUTPUTS = ("generations", "generation_answers", LOSS)


def linked(tables: Sequence[pa.Table], problems: Problems) -> list[pa.Table]:
    """Name the rows of all tables by the ids of the items.

    Parameters
    ----------
    tables : sequence of pyarrow.Table
        Those of ``ModelOutputs``, one for each file.
    problems : Problems
        Where keys without an item are added.

    Returns
    -------
    list of pyarrow.Table
        Without those that hold keys only.
    """
    return _traced(_requested(_placed(with_failures(tables, problems), problems), problems), problems)


def items_only(table: pa.Table) -> bool:
    """Whether a table says what the items are, and has no output or score of any model."""
    columns = (table.column(name) for name in _OUTPUTS if name in table.column_names)
    return all(column.null_count == table.num_rows for column in columns)


def _placed(tables: list[pa.Table], problems: Problems) -> list[pa.Table]:
    others = [table for table in tables if PLACE not in table.column_names]
    pools = [table for table in others if items_only(table) and REQUEST not in table.column_names] or others
    orders = {tuple(dict.fromkeys(table.column("id").to_pylist())) for table in pools}
    if len(others) == len(tables) or not orders:
        return tables
    if len(orders) > 1:
        message = "a batch names its items by their places in one pool, and several files are open."
        problems.add(message, remedy="Open the batch together with its pool alone.")
        return others
    (order,), results = orders, []
    for table in tables:
        if PLACE not in table.column_names:
            results.append(table)
        elif REQUEST not in table.column_names:
            places = table.column(PLACE).to_pylist()
            if any(place is None or place >= len(order) for place in places):
                message = f"the batch names items that the pool lacks, which has {len(order):,}."
                problems.add(message, remedy="Open the batch together with the pool that it was written for.")
                continue
            problems.note("The items of the batch are matched by their places in the pool.")
            results.append(_named(table, [order[place] for place in places]))
    return results


def _requested(tables: list[pa.Table], problems: Problems) -> list[pa.Table]:
    """Give answers the questions of the requests with the same names."""
    requests = [table for table in tables if REQUEST in table.column_names]
    others = [table for table in tables if REQUEST not in table.column_names]
    if requests and not others:
        problems.add("these are requests only.", remedy="Add the file with the answers.")
    prompts = {
        name: prompt
        for table in requests
        for name, prompt in zip(table.column("id").to_pylist(), table.column("prompt").to_pylist(), strict=True)
    }
    return [
        table.append_column("prompt", pa.array([prompts.get(name) for name in table.column("id").to_pylist()], TEXT))
        if prompts and "prompt" not in table.column_names
        else table
        for table in others
    ]


def _traced(tables: list[pa.Table], problems: Problems) -> list[pa.Table]:
    """Name the outputs of traces by the items that a dataset run links them to."""
    links = [table for table in tables if LINK in table.column_names]
    others = [table for table in tables if LINK not in table.column_names]
    if not links:
        return others
    items = {
        trace: name
        for table in links
        for trace, name in zip(table.column(LINK).to_pylist(), table.column("id").to_pylist(), strict=True)
    }
    results, hits = [], 0
    for table in others:
        if TRACE in table.column_names:
            traces = table.column(TRACE).to_pylist()
            names = [items.get(trace) for trace in traces]
            hits += sum(name is not None for name in names)
            table = _named(
                table, [name or item for name, item in zip(names, table.column("id").to_pylist(), strict=True)]
            )
            pairs = pc.binary_join_element_wise(table.column(MODEL), table.column("id"), "\x1f").combine_chunks()
            first = pa.array(sorted(dict(reversed([(pair, n) for n, pair in enumerate(pairs.to_pylist())])).values()))
            if len(first) < len(table):
                problems.note(
                    f"Of several outputs of one model in a trace, the first counts ({len(table) - len(first):,})."
                )
                table = table.take(first)
        results.append(table)
    if hits:
        problems.note(f"Outputs of traces that the dataset run links to items: {hits:,}.")
    else:
        message = "the dataset run has no outputs, and no other file has those of its traces."
        problems.add(message, remedy="Add the export of the observations or traces.")
    return results


def _named(table: pa.Table, names: list[str]) -> pa.Table:
    return table.set_column(table.column_names.index("id"), "id", pa.chunked_array([pa.array(names, TEXT)]))
