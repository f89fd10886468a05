"""Small pools of every odd kind, made where they are needed, for the tests of the pages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from core.design import Design, Plan, Scheme
from core.pool import Pool
from core.stratification import Profile, profile

LETTERS = "ABCD"
Record = dict[str, Any]


def records(n_items: int = 60, k: int = 6, seed: int = 0, target: str | None = "model") -> list[Record]:
    """Multiple-choice items whose generations agree more often on easy ones, with a target's 0/1 losses."""
    rng = np.random.default_rng(seed)
    rows: list[Record] = []
    for number in range(n_items):
        ease = rng.beta(1.2, 0.9)
        letters = [LETTERS[int(c)] for c in np.where(rng.random(k) < ease, 0, rng.integers(0, 4, k))]
        record: Record = {"id": f"q{number}", "prompt": f"Question {number}?", "answer": "A", "generations": letters}
        if target is not None:
            record["targets"] = {target: {"loss": float(rng.random() > 0.4 + 0.6 * ease)}}
        rows.append(record)
    return rows


def pool(rows: list[Record], name: str = "a pool") -> Pool:
    return Pool.from_records(rows, name)


def plan_of(chosen: Pool, budget: int, **more: Any) -> tuple[Plan, Profile]:
    """The plan that the page draws, made by core, and the profile behind it."""
    signals = profile(chosen.classes(more.get("parser")))
    seed = more.pop("seed", 0)
    return Design(budget, Scheme(**more), seed).draw(chosen, profile=signals), signals


def without(key: str, rows: list[Record]) -> list[Record]:
    return [{name: value for name, value in row.items() if name != key} for row in rows]


def with_losses(rows: list[Record], losses: Iterator[float | None]) -> list[Record]:
    """The rows with these losses of the target "model"; None leaves an item's outcome unknown."""
    return [
        without("targets", [row])[0] if loss is None else {**row, "targets": {"model": {"loss": loss}}}
        for row, loss in zip(rows, losses, strict=True)
    ]


def _partial() -> list[Record]:
    return [row if number % 3 else without("targets", [row])[0] for number, row in enumerate(records())]


def _agreeing() -> list[Record]:
    return [{**row, "generations": ["A"] * 6} for row in records()]


def _real_valued() -> list[Record]:
    noise = np.random.default_rng(1).normal(0, 0.1, 60)
    losses = (0.1 * len(set(row["generations"])) + e for row, e in zip(records(), noise.tolist(), strict=True))
    return with_losses(records(), losses)


def _three_values() -> list[Record]:
    patterns = ("AAAAAA", "AAABBB", "AABBCC")
    return [{**row, "generations": list(patterns[number % 3])} for number, row in enumerate(records())]


def _ragged() -> list[Record]:
    rows = [{**row, "generations": row["generations"][: number % 7]} for number, row in enumerate(records())]
    return [without("generations", [row])[0] if not row["generations"] else row for row in rows]


def _unknown_truth() -> list[Record]:
    return [{**row, "targets": {"model": {"answer": "B"}}} for row in without("answer", records())]


ODD: dict[str, Callable[[], list[Record]]] = {
    "no generations": lambda: without("generations", records()),
    "no targets": lambda: records(target=None),
    "a target without any known outcome": _unknown_truth,
    "a target known for some items only": _partial,
    "all SE = 0": _agreeing,
    "no SE = 0": lambda: [{**row, "generations": [*"ABCD", *row["generations"][:2]]} for row in records()],
    "k = 1": lambda: records(k=1),
    "one item": lambda: records(1),
    "two items": lambda: records(2, seed=3),
    "constant losses": lambda: with_losses(records(), iter([0.0] * 60)),
    "real-valued losses": _real_valued,
    "three distinct values of SE": _three_values,
    "ragged and missing generations": _ragged,
    "only ids": lambda: [{"id": str(number)} for number in range(5)],
}


# Those that take ways of their own through a page: little to sort by, few items, other losses, texts that are missing.
ODDEST = (
    "a target known for some items only",
    "one item",
    "real-valued losses",
    "ragged and missing generations",
    "only ids",
)


def odd(kind: str) -> Pool:
    """One of the pools of `ODD`, named like its kind."""
    return pool(ODD[kind](), kind)
