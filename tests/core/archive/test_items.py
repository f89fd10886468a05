"""Plans and labels belong to the items, whatever else the pool gets."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from core.archive import Archive
from core.archive.database import FILE
from core.archive.schema import MIGRATIONS
from core.design import Design, Scheme, manifest
from core.pool import Pool

NOON, LATER = "2026-11-20T12:00:00+00:00", "2026-11-20T13:00:00+00:00"


def pool_of(**more: Any) -> Pool:
    return Pool.from_records([{"id": f"q{n}", "prompt": f"{n}?", "generations": ["A", "B"], **more} for n in range(6)])


ADDITIONS: list[dict[str, Any]] = [
    {"targets": {"m": {"text": "A"}}},
    {"generations": ["B", "B", "B"]},
    {"logprobs": [-1.0, -2.0]},
    {"judge": 0.5, "group": "g"},
]


def keep_as_before(archive: Archive) -> None:
    """Take from the archive what an earlier version did not write."""
    with closing(sqlite3.connect(archive.folder / FILE)) as database, database:
        database.execute("UPDATE pools SET items = NULL, leaves = NULL")
        database.execute("UPDATE designs SET items = NULL, strata = NULL")


@pytest.mark.parametrize("addition", ADDITIONS, ids=lambda addition: next(iter(addition)))
def test_the_estimate_stays_when_the_pool_gets_more(archive: Archive, addition: dict[str, Any]) -> None:
    records = [{"id": f"q{n}", "prompt": f"{n}?", "generations": ["A", "ABC"[n % 3]], "answer": "A"} for n in range(60)]
    pool = Pool.from_records(records)
    richer = Pool.from_records([{**record, **addition} for record in records])
    plan = Design(24, Scheme(n_strata=3), seed=1).draw(pool)
    archive.pools.save(pool, NOON)
    archive.plans.save(plan.plan_id, manifest.write(plan, "p"), pool.digest, NOON, pool.items_digest, plan.stratum)
    labels = pd.DataFrame({"item_id": plan.ids, "label": [str(int(name[1:]) % 4 // 3) for name in plan.ids]})
    archive.labels.save(plan.plan_id, labels, NOON, kind="score")
    archive.pools.save(richer, LATER)
    opened = archive.pools.load(richer.digest)
    (text,) = archive.plans.table(opened.items_digest)["manifest"]
    again = manifest.reproduce(
        manifest.read(text, opened.items_digest), opened, stratum=archive.plans.strata(plan.plan_id)
    )
    losses, restored = (
        rows.set_index("item_id")["label"].astype(float) for rows in (labels, archive.labels.of(again.plan_id))
    )
    before, after = plan.estimate(losses), again.estimate(restored)
    assert again.plan_id == plan.plan_id and again.ids.tolist() == plan.ids.tolist()
    for part in ("value", "standard_error", "low", "high"):
        assert getattr(after, part) == pytest.approx(getattr(before, part), abs=1e-12)


@pytest.mark.parametrize("addition", ADDITIONS, ids=lambda addition: next(iter(addition)))
@pytest.mark.parametrize("earlier", [False, True], ids=["now", "kept by an earlier version"])
def test_plans_are_found_on_every_pool_with_their_items(
    archive: Archive, addition: dict[str, Any], earlier: bool
) -> None:
    pool, richer = pool_of(), pool_of(**addition)
    archive.pools.save(pool, NOON)
    archive.plans.save("plan", "{}", pool.digest, NOON, pool.items_digest, np.array([0, 1, 1, 0, 2, 2]))
    archive.labels.save("plan", pd.DataFrame({"item_id": ["q1"], "label": ["right"]}), NOON)
    if earlier:
        keep_as_before(archive)
    archive.pools.save(richer, LATER)
    assert richer.digest != pool.digest
    plans = archive.plans.table(richer.items_digest)
    assert plans[["plan_id", "digest", "items_digest"]].values.tolist() == [["plan", pool.digest, pool.items_digest]]
    assert archive.labels.of(*plans["plan_id"])["label"].tolist() == ["right"]
    assert archive.plans.table(pool_of(prompt="other").items_digest).empty


def test_strata_come_back_as_they_were(archive: Archive) -> None:
    strata = np.random.default_rng(0).integers(0, 300, 1000)
    archive.plans.save("plan", "{}", "d" * 64, NOON, "i" * 64, strata)
    archive.plans.save("plan", "{}", "d" * 64, LATER)
    restored = archive.plans.strata("plan")
    assert restored is not None and restored.dtype.kind == "i"
    np.testing.assert_array_equal(restored, strata)
    assert archive.plans.table()["items_digest"].tolist() == ["i" * 64]
    archive.plans.save("bare", "{}", "d" * 64, NOON)
    assert archive.plans.strata("bare") is None and archive.plans.strata("none") is None


@pytest.mark.parametrize("damage", ["missing", "truncated"])
def test_a_damaged_pool_of_an_earlier_version_stops_nothing(archive: Archive, damage: str) -> None:
    good, bad = pool_of(), pool_of(answer="A", prompt="p")
    for pool, plan in ((good, "good"), (bad, "bad")):
        archive.pools.save(pool, NOON)
        archive.plans.save(plan, "{}", pool.digest, NOON)
    keep_as_before(archive)
    path = archive.folder / "pools" / f"{bad.digest}.parquet"
    if damage == "missing":
        path.unlink()
    else:
        path.write_bytes(path.read_bytes()[:-20])
    archive = Archive(archive.folder)
    for _ in range(2):
        assert archive.plans.table(good.items_digest)["plan_id"].tolist() == ["good"]
        assert archive.plans.table()["items_digest"].tolist() == [None, good.items_digest]
    archive.pools.save(bad, LATER)
    assert archive.plans.table(bad.items_digest)["plan_id"].tolist() == ["bad"]


def test_plans_on_a_pool_that_is_not_kept_are_found_once_it_is_opened(tmp_path: Path) -> None:
    pool = pool_of()
    with closing(sqlite3.connect(tmp_path / FILE)) as database, database:
        for statement in (statement for statements in MIGRATIONS[:3] for statement in statements):
            database.execute(statement)
        database.execute("PRAGMA user_version = 3")
        database.execute("INSERT INTO designs VALUES ('plan', ?, '{}', ?)", (pool.digest, NOON))
    archive = Archive(tmp_path)
    assert archive.plans.table(pool.items_digest).empty
    archive.pools.recognize(pool)
    assert archive.plans.table(pool.items_digest)["plan_id"].tolist() == ["plan"]
