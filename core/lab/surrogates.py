"""Several surrogates on one pool: extra keys ``generations:<name>``, each a list of texts as ``generations`` is."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa

from ..errors import PoolError, Problem
from ..pool.columns import TEXTS
from ..pool.pool import Pool

PREFIX = "generations:"
# Names in place of a surrogate's: the pool's own generations, and signals that are columns of the pool.
OWN = "own"
COLUMN = "column"
_COLUMNS = ("id", "choices", "answer_kind")
_REMEDY = 'Write a list of texts such as ["A", "B", "A"].'


def surrogates(pool: Pool) -> dict[str, Pool]:
    """The pool with the generations of each of its surrogates, by name: the pool itself as "own", then the others.

    The others' pools hold ids, choices, answer kinds and that surrogate's generations, parsed as the pool's own are.

    Raises
    ------
    PoolError
        A value of such a key is not a list of texts; every such item is named.
    """
    pools = {OWN: pool} if pool.n_generations else {}
    problems: list[Problem] = []
    for name in pool.source.column_names:
        if name.startswith(PREFIX):
            pools[name.removeprefix(PREFIX).strip() or PREFIX] = _pool(pool, name, problems)
    if problems:
        raise PoolError(problems)
    return pools


def _pool(pool: Pool, column: str, problems: list[Problem]) -> Pool:
    lists = []
    for row, text in enumerate(pool.source.column(column).to_pylist(), start=1):
        value = _texts(text)
        if value is None and text is not None:
            problems.append(Problem(f"{str(text)[:30]} is not a list of texts.", row, column, _REMEDY))
        lists.append(value or None)
    columns = [name for name in _COLUMNS if name in pool.source.column_names]
    return Pool(
        column, pool.source.select(columns).append_column("generations", pa.chunked_array([pa.array(lists, TEXTS)]))
    )


def _texts(value: Any) -> list[str] | None:
    """A list of texts from its JSON text; None if it is not one."""
    if value is None:
        return None
    try:
        texts = json.loads(value) if isinstance(value, str) else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(texts, list) or any(isinstance(text, list | dict | bool) for text in texts):
        return None
    return ["" if text is None else str(text) for text in texts]
