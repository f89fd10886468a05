"""A home of ``v4/``: no label is lost or rewritten when it is opened, and its half-done run goes on."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from core.archive import Archive
from core.study import kept_plan
from core.surrogate.job.store import Store
from core.surrogate.worker.run import run_job
from tests.compatibility import lists, observed
from tests.compatibility.make_v4 import RUN_PORT
from tests.core.surrogate.conftest import Fake, fake

__all__ = ["fake"]

KNOWN = lists.known()


@pytest.fixture
def archive(neyman_home: Path) -> Archive:
    shutil.copytree(lists.HOME, neyman_home)
    return Archive(neyman_home)


def test_no_label_is_lost_or_rewritten(archive: Archive, neyman_home: Path) -> None:
    for about in KNOWN["plans"].values():
        pool = archive.pools.load(about["pool"])
        assert kept_plan(archive, about["plan_id"], pool).plan_id == about["plan_id"]
    with closing(sqlite3.connect(neyman_home / "neyman.sqlite")) as database:
        assert lists.label_rows(database) == KNOWN["labels"]
    assert sum(number for number, _ in KNOWN["labels"].values()) > 300


@pytest.mark.usefixtures("archive")
def test_a_half_done_run_asks_only_for_what_lacks(neyman_home: Path, fake: Fake) -> None:
    job, server = KNOWN["jobs"]["run"], fake()
    before = observed.stored(neyman_home, job)
    with closing(sqlite3.connect(neyman_home / "neyman.sqlite")) as database, database:
        database.execute(
            "UPDATE surrogate_jobs SET spec = replace(spec, ?, ?)", (f"http://127.0.0.1:{RUN_PORT}/v1", server.url)
        )
    store = Store(neyman_home)
    assert run_job(store, job, print).state == "done"
    after = observed.stored(neyman_home, job)
    assert len(after) == 3 * 12 and [row for row in after if row in before] == before
    assert sum(server.stats()["samples"].values()) == len(after) - len(before)
