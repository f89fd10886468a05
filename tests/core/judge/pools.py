"""Pools with a judge's verdicts and with what people would say."""

from __future__ import annotations

from typing import Any

import numpy as np

from core.pool import Pool


def people_of(size: int, fails: float = 0.2) -> dict[str, bool]:
    """Item id → whether people pass the item."""
    rng = np.random.default_rng(size)
    return {f"i{place}": bool(good) for place, good in enumerate(rng.random(size) >= fails)}


def records_of(size: int, tpr: float = 0.9, tnr: float = 0.7, fails: float = 0.2, **more: bool) -> list[dict[str, Any]]:
    """Records with the columns input, output, judge, other, reason, and risk or generations if asked for."""
    rng = np.random.default_rng(size + 1)
    rows = []
    for item, good in people_of(size, fails).items():
        passes = rng.random() < (tpr if good else 1 - tnr)
        row = {
            "id": item,
            "input": f"question {item}",
            "output": f"answer {item}",
            "judge": "pass" if passes else "fail",
        }
        row |= {"other": int(rng.random() < 0.8), "reason": f"because of {item}", "group": "ab"[len(rows) % 2]}
        row |= {"risk": float(rng.random() + (passes != good))} if more.get("risk") else {}
        row |= {"generations": [f"{item}", "x"]} if more.get("generations") else {}
        rows.append(row)
    return rows


def pool_of(size: int, tpr: float = 0.9, tnr: float = 0.7, fails: float = 0.2, **more: bool) -> Pool:
    """A pool of `records_of`."""
    return Pool.from_records(records_of(size, tpr, tnr, fails, **more), "answers")
