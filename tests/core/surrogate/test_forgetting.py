"""A pool that is forgotten leaves the lists; labels, plans and generations stay, and come back with it."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pandas as pd
import pytest

from core.archive import Archive
from core.commands import main
from core.design import Design, manifest
from core.errors import PoolError
from core.pool import Pool
from core.surrogate import Store, forget_pool, pool_holdings

NOON = "2026-11-20T12:00:00+00:00"
POOL = Pool.from_records(
    [{"id": f"q{n}", "generations": ["A", "AB"[n % 2]], "targets": {"m": {"loss": n % 2}}} for n in range(12)],
    "exams",
)
OTHER = Pool.from_records([{"id": "x", "generations": ["A"]}], "other")


@pytest.fixture
def home(tmp_path: Path) -> tuple[Archive, Store]:
    archive, store = Archive(tmp_path), Store(tmp_path)
    for pool in (POOL, OTHER):
        archive.pools.save(pool, NOON)
    plan = Design(4).draw(POOL, 0)
    archive.plans.save(plan.plan_id, manifest.write(plan, POOL.name), POOL.digest, NOON, POOL.items_digest)
    rows = pd.DataFrame({"item_id": ["q1", "q2"], "label": ["right", "wrong"], "annotator": ["ann", "ann"]})
    archive.labels.save(plan.plan_id, rows, NOON, kind="right-wrong", target="m")
    return archive, store


def run_on(store: Store, state: str, heartbeat: float = 0.0) -> None:
    with store.database.writing() as database:
        database.execute(
            "INSERT INTO surrogate_jobs (id, key, digest, spec, total, created, state, heartbeat, generations)"
            " VALUES ('run-1', 'k', ?, ?, 12, ?, ?, ?, 36)",
            (POOL.digest, json.dumps({}), NOON, state, heartbeat),
        )


def names(archive: Archive) -> list[str]:
    return sorted(archive.pools.listed()["name"])


def test_a_forgotten_pool_leaves_the_lists_and_everything_else_stays(home: tuple[Archive, Store]) -> None:
    archive, store = home
    held = forget_pool(archive, store, POOL.digest[:8])
    assert (held.plans, held.labels, held.generations) == (1, 2, 0)
    assert held.sentence.startswith("“exams” holds 2 labelled items and 1 plan. They stay.")
    assert names(archive) == ["other"] and names(Archive(archive.folder)) == ["other"]
    assert archive.labels.counts()["items"].tolist() == [2] and len(archive.plans.table(POOL.items_digest)) == 1
    # What is linked with it still opens,
    assert archive.pools.load(POOL.digest).digest == POOL.digest
    # and once its file is read again, it is back, with all that it holds.
    archive.pools.save(POOL, NOON)
    assert names(archive) == ["exams", "other"]
    assert pool_holdings(archive, store, POOL.digest).labels == 2


@pytest.mark.parametrize("state", ["queued", "running", "waiting"])
def test_a_pool_is_not_forgotten_while_a_run_is_at_it(home: tuple[Archive, Store], state: str) -> None:
    archive, store = home
    run_on(store, state, heartbeat=time.time())
    assert pool_holdings(archive, store, POOL.digest).running == ("run-1",)
    with pytest.raises(PoolError, match=r"cannot be forgotten: the run run-1 works on it\. Stop it"):
        forget_pool(archive, store, POOL.digest)
    assert names(archive) == ["exams", "other"]


@pytest.mark.parametrize("state", ["done", "stopped", "failed", "paused", "running"])
def test_generations_of_a_run_that_is_over_or_lost_stay(home: tuple[Archive, Store], state: str) -> None:
    archive, store = home
    run_on(store, state)
    assert forget_pool(archive, store, POOL.digest).generations == 36
    assert names(archive) == ["other"]


def test_the_command_says_what_is_held_before_it_does_it(
    home: tuple[Archive, Store], capsys: pytest.CaptureFixture[str]
) -> None:
    archive, _ = home
    asked = ["pool", "forget", POOL.digest[:12], "--home", str(archive.folder)]
    assert main(asked) == 0
    assert "2 labelled items and 1 plan" in (said := capsys.readouterr().out) and "--yes" in said
    assert names(archive) == ["exams", "other"]
    assert main([*asked, "--yes"]) == 0
    assert "“exams” is off the lists." in capsys.readouterr().out
    assert names(archive) == ["other"]
    assert main(["pool", "forget", "0" * 12, "--home", str(archive.folder)]) == 2
