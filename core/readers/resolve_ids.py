"""Ids that are resolved: by other keys of the items, and by the parts that they are put together of.

A batch that Neyman wrote names the items by their places in its pool, requests are named as their answers are, and
Langfuse's dataset runs name the items of traces. After :func:`linked`, all rows have the ids of the items.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count
from typing import Any
from unicodedata import normalize

import pyarrow as pa
import pyarrow.compute as pc

from ..pool.columns import NUMBER, TEXT
from ..pool.problems import Problems, shown
from ..words import counted
from .joining import LOSS, MODEL, completed, values_of, with_values

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
    known = zip(names, here, values_of(table, LOSS), strict=True)
    losses = [float(name in failed) if mine else loss for name, mine, loss in known]
    table = with_values(table, LOSS, losses, NUMBER)
    if UNNAMED in table.column_names:
        table = with_values(table, MODEL, [model] * len(table)).drop_columns([UNNAMED])
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
            results.append(with_values(table, "id", [order[place] for place in places]))
    return results


def _requested(tables: list[pa.Table], problems: Problems) -> list[pa.Table]:
    """Give answers the questions of the requests with the same names."""
    requests = [table for table in tables if REQUEST in table.column_names]
    others = [table for table in tables if REQUEST not in table.column_names]
    if requests and not others:
        problems.add("these are requests only.", remedy="Add the file with the answers.")
    prompts = {name: prompt for table in requests for name, prompt in _pairs(table, "id", "prompt")}
    return [
        table.append_column("prompt", pa.array([prompts.get(name) for name in table.column("id").to_pylist()], TEXT))
        if prompts and "prompt" not in table.column_names
        else table
        for table in others
    ]


def _pairs(table: pa.Table, key: str, name: str) -> Iterator[tuple[Any, Any]]:
    return zip(table.column(key).to_pylist(), table.column(name).to_pylist(), strict=True)


def _traced(tables: list[pa.Table], problems: Problems) -> list[pa.Table]:
    """Name the outputs of traces by the items that a dataset run links them to."""
    links = [table for table in tables if LINK in table.column_names]
    others = [table for table in tables if LINK not in table.column_names]
    if not links:
        return others
    items = {trace: name for table in links for trace, name in _pairs(table, LINK, "id")}
    results, hits = [], 0
    for table in others:
        if TRACE in table.column_names:
            traces = table.column(TRACE).to_pylist()
            names = [items.get(trace) for trace in traces]
            hits += sum(name is not None for name in names)
            named = zip(names, table.column("id").to_pylist(), strict=True)
            table = with_values(table, "id", [name or item for name, item in named])
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


_MARK = ":"


class CompositeIds:
    r"""Puts ids together, so that different parts never have one id.

    The parts stand side by side with a colon between them. If other parts have had this id before, as “a:b” and “c”
    have that of “a” and “b:c”, the colons within the parts are written ``\:``.
    """

    def __init__(self) -> None:
        self._parts: dict[str, tuple[str, ...]] = {}
        self._renamed: dict[str, str] = {}

    def of(self, parts: Sequence[str]) -> str:
        """Return the id of some parts, always the same for the same ones."""
        own = tuple(normalize("NFC", part) for part in parts)
        plain = plain_id(own)
        for name in _names(own):
            if self._parts.setdefault(name, own) == own:
                if name != plain:
                    self._renamed[name] = plain
                return name
        raise AssertionError("There is always another name.")

    @property
    def remark(self) -> str:
        """Say which ids are written in another way; "" for none."""
        if not self._renamed:
            return ""
        name, plain = next(iter(self._renamed.items()))
        return (
            f"{counted(len(self._renamed), 'id')} put together of two parts would be that of another item, so colons "
            f"within the parts are written as “\\:”: {shown(name)}, beside {shown(plain)}."
        )


def plain_id(parts: Sequence[str]) -> str:
    """Put parts side by side, with a colon between them."""
    return _MARK.join(parts)


def _names(parts: Sequence[str]) -> Iterator[str]:
    yield plain_id(parts)
    escaped = plain_id([part.replace("\\", "\\\\").replace(_MARK, f"\\{_MARK}") for part in parts])
    yield escaped
    yield from (f"{escaped} ({number})" for number in count(2))
