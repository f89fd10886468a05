"""The list of a version gate as a separate pool: it is labelled like any pool, and carries the gate.

A list that has been handed out must not change when more verdicts become known. So the pool of the list holds the gate
as it was planned, in a column of its first item.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pyarrow as pa

from ..pool.columns import GATE_COLUMN
from ..pool.pool import Pool
from .gaps import OLD_RIGHT, OLD_UNKNOWN, STRATA
from .version_decision import LOOKS
from .version_gate import VersionGate

# A document that says more is no gate of ours.
_MOST_ITEMS = 10_000_000
_ASKED = ("old", "new", "margin", "confidence", "power", "looks", "seed")
_FIELDS = ("pool", *_ASKED, "n_items", "names", "sizes", "known", "stratum", "old_loss")


def listed_pool(gate: VersionGate, pool: Pool, origin: str | None = None) -> Pool:
    """Return the items of a gate's list, in labelling order, with the gate.

    Parameters
    ----------
    gate : VersionGate
        The gate; its list has an item.
    pool : Pool
        The pool that it was planned on.
    origin : str, optional
        Digest of the pool to which a bank's version was added for the gate; by default that of ``pool``.
    """
    part = pool.part(pool.places(gate.items["item_id"]))
    count = len(gate.names)
    known, gaps = ~np.isnan(gate.known_loss), gate.known_loss - gate.old_loss
    document = {
        "pool": origin or pool.digest,
        **{name: getattr(gate, name) for name in _ASKED},
        "n_items": gate.n_items,
        "old_graded": gate.old_graded,
        "absent": list(gate.absent),
        "banked": gate.banked,
        "partial": gate.partial,
        "names": list(gate.names),
        "sizes": np.bincount(gate.stratum, minlength=count).tolist(),
        # Of the known items, the differences.
        "known": [gaps[known & (gate.stratum == number)].tolist() for number in range(count)],
        "stratum": gate.stratum[gate.order].tolist(),
        "old_loss": [None if np.isnan(loss) else loss for loss in gate.old_loss[gate.order].tolist()],
    }
    told = pa.array([json.dumps(document, ensure_ascii=False)] + [None] * (part.n_items - 1), pa.string())
    return Pool(list_name(pool.name, gate.old, gate.new), part.table.append_column(GATE_COLUMN, told))


def gate_of(pool: Pool) -> VersionGate | None:
    """Return the gate whose list a pool is; None if it is none.

    The items that are not listed have no id here: they count, but nobody grades them.
    """
    told = _told(pool)
    if told is None:
        return None
    listed, count = pool.n_items, sum(told["sizes"])
    stratum = list[int](told["stratum"])
    old = [np.nan if loss is None else float(loss) for loss in told["old_loss"]]
    new = [np.nan] * listed
    for number, (name, size, gaps) in enumerate(zip(told["names"], told["sizes"], told["known"], strict=True)):
        left = size - told["stratum"].count(number)
        usual = np.nan if name == OLD_UNKNOWN else float(name != OLD_RIGHT)
        stratum += [number] * left
        old += [usual] * left
        # Of the known ones the differences count alone.
        new += [usual + gap for gap in gaps] + [np.nan] * (left - len(gaps))
    ids = np.array([*pool.ids, *[""] * (told["n_items"] - listed)], dtype=object)
    # Lists of earlier versions say how it is among the items whose answers differ.
    share = np.mean([not np.isnan(loss) for loss in old])
    return VersionGate(
        **{name: told[name] for name in _ASKED},
        pool_ids=ids,
        unequal=np.arange(count),
        stratum=np.array(stratum, dtype=np.int64),
        names=tuple(told["names"]),
        old_loss=np.array(old),
        known_loss=np.array(new),
        order=np.arange(listed),
        old_graded=told.get("old_graded", round(float(share) * told["n_items"])),
        absent=(*told.get("absent", (0, 0)), 0)[:3],
        banked=told.get("banked", False),
        partial=told.get("partial", True),
    )


def pool_of(pool: Pool) -> str | None:
    """Digest of the pool that the gate of a list was planned on; None if the pool is no list of a gate."""
    told = _told(pool)
    return None if told is None else str(told["pool"])


def _told(pool: Pool) -> dict[str, Any] | None:
    if GATE_COLUMN not in pool.source.column_names or not pool.n_items:
        return None
    try:
        told: dict[str, Any] = json.loads(pool.source.column(GATE_COLUMN)[0].as_py())
    except (TypeError, ValueError):
        # A column of that name that somebody's file has.
        return None
    return told if isinstance(told, dict) and _holds(told, pool.n_items) else None


def _holds(told: dict[str, Any], listed: int) -> bool:
    """Whether a document is that of a gate with so many items listed; a file may hold anything."""
    if not set(_FIELDS) <= set(told):
        return False
    numbers = [told["margin"], told["confidence"], told["power"]]
    lists = [told[name] for name in ("names", "sizes", "known", "stratum", "old_loss")]
    absent = told.get("absent", [0, 0])
    if not isinstance(absent, list) or len(absent) not in (2, 3):
        return False
    if not all(isinstance(told.get(name, False), bool) for name in ("banked", "partial")):
        return False
    if not all(isinstance(one, list) for one in lists) or not all(isinstance(x, float) and 0 < x < 1 for x in numbers):
        return False
    names, sizes, known, stratum, old = lists
    if not all(isinstance(gaps, list) for gaps in known) or not all(isinstance(name, str) for name in names):
        return False
    counts = (told["seed"], told["n_items"], told.get("old_graded", 0), *sizes, *stratum, *absent)
    return (
        all(isinstance(told[name], str) for name in ("pool", "old", "new"))
        and told["looks"] in LOOKS
        and all(type(x) is int for x in counts)
        and all(0 <= count <= _MOST_ITEMS for count in absent)
        and 0 <= told.get("old_graded", 0) <= told["n_items"]
        and len(names) == len(sizes) == len(known)
        and set(names) <= set(STRATA)
        and len(stratum) == len(old) == listed
        and all(0 <= x < len(sizes) for x in stratum)
        and all(stratum.count(x) + len(gaps) <= size for x, (size, gaps) in enumerate(zip(sizes, known, strict=True)))
        and sum(sizes) <= told["n_items"] <= _MOST_ITEMS
        and all(loss is None or (isinstance(loss, float) and 0 <= loss <= 1) for loss in old)
        and all(isinstance(gap, float) and -1 <= gap <= 1 for gaps in known for gap in gaps)
    )


def list_name(pool: str, old: str, new: str) -> str:
    """Name of the pool that is the list of a gate between two versions."""
    return f"{pool}: list of the gate {old} → {new}"
