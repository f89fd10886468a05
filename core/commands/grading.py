"""Logs as one pool, and the folder of a list, for the commands of `neyman study`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from ..design import manifest
from ..design.design import Plan
from ..errors import LabelError, PoolError
from ..labels import reader
from ..labels.formats.label_file import LabelFile
from ..pool.pool import Pool
from ..readers import read
from ..readers.model_outputs import ModelOutputs
from ..readers.model_results import ModelResults, joined
from ..words import counted, listed

PLAN, POOL, LIST, SAMPLES, LABELS = "plan.json", "pool.parquet", "list.csv", "samples.json", "labels.json"
_MODEL = "model"


def check_unfilled(path: Path) -> None:
    """Raise `core.errors.LabelError` if a list of this name has labels, which a new one would replace."""
    if path.exists() and reader.read(path.read_bytes(), path.name).rows["label"].notna().any():
        raise LabelError(f"{path} has labels. Choose another folder, or move it away.")


def pool_of(
    outputs: Sequence[ModelOutputs], surrogates: Sequence[str], target: str | None, against: str | None = None
) -> tuple[Pool, str | None, str]:
    """Join the files to a pool; return it with its target, and a sentence about both."""
    results = joined(outputs)
    split = results.default_split()
    committee = list(surrogates) or [name for name in split.committee if name not in (target, against)]
    if target is None:
        free = [name for name in split.targets if name not in (*committee, against)]
        if len(free) > 1:
            raise PoolError(f"There are several targets: {', '.join(free)}. Name one with --target.")
        if not free and len(committee) > 1 and not surrogates:
            raise PoolError(f"{listed(committee)} have several samples. Name the target or the surrogates.")
        target = free[0] if free else None
    given = dict(zip(results.models, results.samples, strict=True))
    if target is not None and given.get(target) == 0:
        # Of answers without samples nothing is known before they are labelled.
        committee = [name for name in committee if name != target]
    elif target is not None and (not committee or target in committee):
        # A model that is its own surrogate: all its samples on one side, the first of them on the other.
        results, committee = _beside_itself(outputs, target)
    others = [name for name in results.models if name not in committee and name != target]
    pool = results.pool(committee, [*others, *([target] if target else [])])
    samples = counted(pool.n_generations, "sample")
    said = f"{counted(pool.n_items, 'item')}: surrogate {', '.join(committee) or 'none'} ({samples} an item)"
    return pool, target, f"{said}, target {target or 'not run yet'}."


def _beside_itself(outputs: Sequence[ModelOutputs], target: str) -> tuple[ModelResults, list[str]]:
    twin = f"{target} (all samples)"
    if not any(target in pc.unique(one.table.column(_MODEL)).to_pylist() for one in outputs):
        raise PoolError(f"There are no results of “{target}”. Name a model of the files.")
    copies = []
    for one in outputs:
        rows = one.table.filter(pc.equal(one.table.column(_MODEL), target))
        place = rows.column_names.index(_MODEL)
        copies.append(ModelOutputs(rows.set_column(place, _MODEL, pa.array([twin] * len(rows), pa.string()))))
    return joined([*outputs, *(copy for copy in copies if copy.table.num_rows)]), [twin]


def labels_of(path: Path, scorer: str | None) -> LabelFile:
    """The labels of a file, those of one scorer."""
    file = reader.read(path.read_bytes(), path.name, scorer)
    rows = file.rows if scorer is None else file.rows[file.rows["annotator"] == scorer]
    scorers = sorted(set(file.rows["annotator"]) - {""})
    if file.source == "inspect" and (rows.empty or rows["annotator"].replace("", None).nunique() > 1):
        raise LabelError(f"{path.name} has scores of {', '.join(scorers) or 'no scorer'}. Choose with --scorer.")
    return replace(file, rows=rows)


def drawn(folder: Path) -> tuple[Pool, Plan]:
    """The pool and the plan of a folder."""
    pool = read(folder / POOL)
    return pool, manifest.reproduce(manifest.read((folder / PLAN).read_bytes()), pool)


def only_target(pool: Pool) -> str | None:
    """The pool's target, if it has just one."""
    return next(iter(pool.targets)) if len(pool.targets) == 1 else None
