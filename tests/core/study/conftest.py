"""A pool with two targets, an archive, and a plan of 60 labels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from core.archive import Archive
from core.design import Design, Plan
from core.pool import Pool

CREATED = "2026-01-01T00:00:00+00:00"
LETTERS = "ABCD"


def records() -> list[dict[str, Any]]:
    """300 items with letters, in three groups; “one” is right more often than “two”, and leaves some answers out."""
    rng = np.random.default_rng(5)
    rows = []
    for number in range(300):
        ease, truth = rng.beta(1.2, 0.9), LETTERS[number % 3]
        generated = [truth if rng.random() < ease else LETTERS[int(rng.integers(0, 4))] for _ in range(6)]
        one, two = (truth if rng.random() < share else LETTERS[int(rng.integers(0, 4))] for share in (0.8, 0.4))
        targets = {"one": {"text": "no idea"} if number % 11 == 0 else {"answer": one}, "two": {"answer": two}}
        rows.append(
            {
                "id": f"q{number}",
                "prompt": f"Question {number}?",
                "answer": truth,
                "answer_kind": "choice",
                "choices": list("wxyz"),
                "group": f"g{number % 3}",
                "generations": generated,
                "targets": targets,
            }
        )
    return rows


@pytest.fixture(scope="module")
def pool() -> Pool:
    return Pool.from_records(records(), "two targets")


@pytest.fixture(scope="module")
def plan(pool: Pool) -> Plan:
    return Design(60, seed=3).draw(pool)


@pytest.fixture
def archive(tmp_path: Path, pool: Pool) -> Archive:
    archive = Archive(tmp_path)
    archive.pools.save(pool, CREATED)
    return archive


def rows(ids, labels, annotator: str = "Ann", **more: object) -> pd.DataFrame:
    """Rows of labels."""
    return pd.DataFrame({"item_id": list(map(str, ids)), "label": labels, "annotator": annotator} | more)


def truths(pool: Pool, ids) -> list[str]:
    """The right answers."""
    return pool.items["answer"].loc[list(ids)].tolist()


def verdicts(pool: Pool, ids, target: str) -> list[str]:
    """Whether a target is right."""
    losses = pool.losses(target)[pool.items.index.get_indexer(list(ids))]
    return ["wrong" if loss else "right" for loss in losses]
