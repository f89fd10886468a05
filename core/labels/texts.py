"""Where a pool has the texts of an item: what was asked, what the model said, and why the judge says so.

Files of other tools and of colleagues keep them in columns of any name. What a judge says is never shown to people who
label.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..design.judging import CRITERION
from ..files.foreign_names import plain_key
from ..pool.columns import leaf
from ..pool.pool import Pool
from ..readers.field_names import NAMES, is_reason

# The target whose outputs stand in a column.
OUTPUTS = "outputs"
_CONTENT = ("prompt", "choices", "group", "image")


def columns_of(pool: Pool, judge: str) -> dict[str, str]:
    """Find the columns of the texts of an item.

    Parameters
    ----------
    pool : Pool
        The pool.
    judge : str
        The judge, whose own columns hold no output.

    Returns
    -------
    dict of str to str
        "group", "prompt", "output" and "reason" to the column that holds it, as far as there is one.
    """
    free = [name for name in pool.item_columns if name != judge and name not in _CONTENT]
    found: dict[str, str] = {name: name for name in ("group", "prompt") if name in pool.item_columns}
    if "prompt" not in found and (prompt := _first(free, NAMES["input"])):
        found["prompt"] = prompt
    # What models said stands with them, and “answer” is then the right one. Targets of verdicts alone say nothing.
    models = (name for name in pool.targets if name != OUTPUTS and not name.startswith(CRITERION))
    if any(leaf(pool.source, name, said) is not None for name in models for said in ("text", "answer")):
        free = [name for name in free if name != "answer"]
    if output := _first(free, NAMES["output"]):
        found["output"] = output
    if reason := _reason(free, judge):
        found["reason"] = reason
    return found


def _first(names: Iterable[str], known: Iterable[str]) -> str | None:
    """The column that has the likeliest of these names."""
    by_key = {plain_key(name): name for name in reversed(list(names))}
    return next((by_key[key] for key in known if key in by_key), None)


def _reason(names: Iterable[str], judge: str) -> str | None:
    """The column of the judge's reasons: its own, or else the only one."""
    there = [name for name in names if is_reason(name)]
    own = [name for name in there if plain_key(name).startswith(plain_key(judge))]
    return next(iter(own or there), None)
