"""Tables of thousands of columns: read once, digested once, opened a few times; of JSON as of CSV."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from core.archive import Archive
from core.errors import PoolError
from core.files.tables import MAX_COLUMNS
from core.judge.judge_verdicts import scored
from core.pool import MOST_COMPARED, Pool, compared_targets, left_aside, with_targets
from core.pool.digest import Leaf, leaves
from core.prospect import savings
from core.readers import read_or_shape
from core.readers.tool_formats import leaderboard
from core.signals.past import past_models

NOON = "2026-11-20T12:00:00+00:00"
ROWS, COLUMNS = 12, 600
SCORES = np.random.default_rng(0).integers(0, 2, (ROWS, COLUMNS))
SCORES[0], SCORES[1] = 0, 1


def as_csv(header: list[str], rows: list[list[object]]) -> bytes:
    stream = io.StringIO()
    csv.writer(stream).writerows([header, *rows])
    return stream.getvalue().encode()


def board() -> bytes:
    """A row of each item, a column of each model."""
    names = [f"model-{number}" for number in range(COLUMNS)]
    return as_csv(["id", *names], [[f"q{place}", *row] for place, row in enumerate(SCORES.tolist())])


def turned() -> bytes:
    """A row of each model, a column of each item."""
    names = [f"q{number}" for number in range(COLUMNS)]
    return as_csv(["model", *names], [[f"model-{place}", *row] for place, row in enumerate(SCORES.tolist())])


def pool_of(content: bytes) -> Pool:
    read = read_or_shape(content, "wide")
    assert isinstance(read, Pool)
    return read


def counted(monkeypatch: pytest.MonkeyPatch, owner: Any, name: str) -> list[object]:
    """Record the arguments of a function's calls from now on."""
    calls, before = list[object](), getattr(owner, name)

    def counting(*given: Any, **named: Any) -> Any:
        calls.append(given)
        return before(*given, **named)

    monkeypatch.setattr(owner, name, counting)
    return calls


def test_a_row_a_model_is_read_as_its_items() -> None:
    pool = pool_of(turned())
    assert (pool.n_items, len(pool.targets)) == (COLUMNS, ROWS)
    assert np.array_equal(np.column_stack([pool.losses(name) for name in pool.targets]), 1 - SCORES.T)


def test_sums_among_the_columns_are_looked_for_once_and_not_for_each_column(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = counted(monkeypatch, leaderboard, "_sums")
    pool_of(turned())
    assert 0 < len(calls) < 10


def test_a_row_an_item_is_read_with_the_results_of_each_model() -> None:
    pool = pool_of(board())
    assert list(pool.targets) == [f"model-{number}" for number in range(COLUMNS)]
    assert np.array_equal(np.column_stack([pool.losses(name) for name in pool.targets]), 1 - SCORES)


def test_thousands_of_targets_are_kept_and_opened_again_with_few_looks_at_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pool = pool_of(board())
    kept = Archive(tmp_path).pools.load(Archive(tmp_path).pools.save(pool, NOON))
    looks = counted(monkeypatch, pq, "ParquetFile")
    found = np.column_stack([kept.losses(name) for name in kept.targets])
    assert np.array_equal(found, 1 - SCORES) and len(looks) < 10
    assert len(scored(kept)) == COLUMNS and len(past_models(kept, "model-0")) == COLUMNS - 1 and len(looks) < 10


def test_a_damaged_target_beside_others_is_refused_when_it_is_looked_at(tmp_path: Path) -> None:
    pool = Pool.from_records([{"id": "a", "targets": {"m": {"loss": 0}, "n": {"loss": 1}}}], "two")
    archive = Archive(tmp_path)
    archive.pools.save(pool, NOON)
    kept = archive.pools.load(pool.digest)
    wrong = {path: Leaf(path, leaf.kind, b"x" * 160) for path, leaf in kept.source._recorded.items() if "n" in path}
    kept.source._recorded.update(wrong)
    kept.source.leaves = tuple({**{leaf.path: leaf for leaf in kept.source.leaves}, **wrong}.values())
    assert kept.losses("m").tolist() == [0]
    with pytest.raises(PoolError, match="its content was changed"):
        kept.losses("n")


def test_the_digest_of_a_struct_is_that_of_its_leaves_one_by_one() -> None:
    pool = Pool.from_records(
        [
            {"id": "a", "targets": {"m": {"loss": 0, "text": "x"}, "n": {"answer": "B"}}},
            {"id": "b", "targets": {"n": {"answer": "C", "loss": 0.5}}},
            {"id": "c"},
        ],
        "three",
    )
    column = pool.table.column("targets")
    for some in (column, column.slice(1), column.slice(1, 1)):
        together = leaves(("targets",), some)
        alone = [
            leaf
            for model in some.type
            for field in model.type
            for leaf in leaves(("targets", model.name, field.name), _alone(some, model.name, field.name))
        ]
        assert list(together) == alone
    # It is the one that pools were kept by before.
    assert pool.digest == "de35d5833a69756875b0a9ac446932dbb6df2abfd6e5191c4f7838f4ac5acb76"


def _alone(column: Any, model: str, field: str) -> Any:
    import pyarrow.compute as pc

    return pc.struct_field(pc.struct_field(column, model), field)


def test_where_pools_are_compared_some_targets_stand_for_thousands() -> None:
    pool = pool_of(board())
    some = compared_targets(pool)
    assert len(some) == MOST_COMPARED == len(set(some)) and some[0] == "model-0"
    assert left_aside([("wide", COLUMNS), ("small", 12)]) == (
        "Compared are 50 of the 600 models of “wide”, spread evenly over the file."
    )
    assert left_aside([("small", MOST_COMPARED)]) == ""
    few = with_targets(pool, some[:12])
    assert compared_targets(few) == some[:12] == tuple(few.targets) and "Kept are 12 of 600 models." in few.notes
    assert few.items_digest == pool.items_digest and np.array_equal(few.losses(some[3]), pool.losses(some[3]))
    shares = list[float]()
    rows = savings(few, 4, progress=shares.append)
    assert {row.target for row in rows} <= {*some[:12]} and len(shares) == 12


@pytest.mark.parametrize("form", ["array", "lines", "one after another", "csv"])
@pytest.mark.parametrize(
    ("first", "count", "said"),
    [
        ("question", MAX_COLUMNS, r"more than 10,000 (keys|columns)\. Keep those that Neyman reads"),
        ("id", MAX_COLUMNS, r"(more than 10,000 columns\. Keep those|there are 10,001 keys\. Keep at most 2,000)"),
    ],
)
def test_more_columns_than_csv_may_have_are_refused_in_json_too(form: str, first: str, count: int, said: str) -> None:
    row = {first: "a", **{f"c{number}": "x" for number in range(count)}}
    content = {
        "array": json.dumps([row, row]),
        "lines": f"{json.dumps(row)}\n{json.dumps(row)}",
        "one after another": json.dumps(row, indent=1) * 2,
        "csv": as_csv(list(row), [list(row.values())]).decode(),
    }[form]
    with pytest.raises(PoolError, match=said):
        read_or_shape(content.encode(), "wide")
