"""Made-up pools: items that are easy for all models or hard for all."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from core.pool import Pool
from core.stratification import Outcome, outcome, profile

ITEMS = 12_032
_LETTERS = np.array(list("ABCDE"))


def simulated(n_items: int) -> Outcome:
    """Ten generations of each item, and a target's 0/1 losses."""
    rng = np.random.default_rng(0)
    ease = rng.beta(1.2, 0.9, (n_items, 1))
    classes = np.where(rng.random((n_items, 10)) < ease, 0, rng.integers(0, 4, (n_items, 10)))
    losses = (rng.random(n_items) > 0.3 + 0.7 * ease[:, 0]).astype(np.float64)
    known = outcome(profile(classes), losses)
    assert known is not None
    return known


def answered(models: Sequence[str], ungraded: Sequence[str] = (), n_items: int = ITEMS) -> Pool:
    """Items with ten generations and a letter of each model, whose losses are known but for the ``ungraded``."""
    rng = np.random.default_rng(0)
    ease = rng.beta(1.5, 1.0, n_items)
    generations = _LETTERS[np.where(rng.random((n_items, 10)) < ease[:, None], 0, rng.integers(0, 5, (n_items, 10)))]
    letters = {
        name: _LETTERS[np.where(rng.random(n_items) < ease, 0, rng.integers(1, 5, n_items))].tolist()
        for name in (*models, *ungraded)
    }
    return Pool.from_records(
        (
            {
                "id": f"q{place}",
                "prompt": prompt_of(f"q{place}"),
                "group": f"g{place % 14}",
                "generations": generations[place].tolist(),
                "targets": {
                    name: {"answer": said[place]} | ({} if name in ungraded else {"loss": float(said[place] != "A")})
                    for name, said in letters.items()
                },
            }
            for place in range(n_items)
        ),
        "many",
    )


def prompt_of(item: str) -> str:
    """The prompt of an item of `answered`."""
    return f"Question {item}: " + "word " * 40


def parquet(path: Path, size: int) -> Path:
    """Write a file with ten letters an item, and a target that errs where they disagree."""
    rng = np.random.default_rng(0)
    ease = rng.beta(1.2, 0.9, size)
    letters = np.where(rng.random((size, 10)) < ease[:, None], 0, rng.integers(0, 4, (size, 10)))
    loss = pa.array((rng.random(size) > 0.4 + 0.6 * ease).astype(float))
    columns = {
        "id": pa.array([f"q{number}" for number in range(size)]),
        "generations": pa.ListArray.from_arrays(
            pa.array(np.arange(0, size * 10 + 1, 10), pa.int32()), pa.array(_LETTERS).take(pa.array(letters.ravel()))
        ),
        "targets": pa.StructArray.from_arrays([pa.StructArray.from_arrays([loss], ["loss"])], ["model"]),
    }
    pq.write_table(pa.table(columns), path)
    return path
