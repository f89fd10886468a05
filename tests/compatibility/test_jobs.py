"""Jobs of the first version: stopped, lost, finished and failed ones are found, and asked on only for what lacks."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from core.archive import Archive
from core.surrogate.faults import SurrogateError
from core.surrogate.filled_pool import pool_with
from core.surrogate.job.parameters import Connection
from core.surrogate.job.spec import JobSpec
from core.surrogate.job.store import Store
from core.surrogate.worker.run import run_job
from tests.compatibility import observed
from tests.compatibility.conftest import assert_same
from tests.core.surrogate.conftest import Fake, fake

__all__ = ["fake"]

JOBS = observed.expected()["jobs"]
# Where the jobs' server was, and the item that no server takes.
SERVER, TOO_LONG = "http://127.0.0.1:18080/v1", 5
# States that have another name since 0.3.0.
RENAMED = {"cancelled": "stopped"}


@pytest.mark.parametrize("name", JOBS)
@pytest.mark.usefixtures("archive")
def test_a_job_is_found_as_it_was_left(neyman_home: Path, name: str) -> None:
    expected = {key: value for key, value in JOBS[name].items() if key != "key"}
    expected["state"] = RENAMED.get(expected["state"], expected["state"])
    assert_same(observed.job_says(neyman_home, expected["id"]), expected)


@pytest.mark.parametrize("name", JOBS)
@pytest.mark.usefixtures("archive")
def test_a_job_of_the_same_work_is_found_wherever_its_server_is(neyman_home: Path, name: str) -> None:
    store, expected = Store(neyman_home), JOBS[name]
    spec = JobSpec.from_json(json.dumps(expected["spec"]))
    assert store.row(expected["id"]).spec == spec
    assert store.row(expected["id"]).key == expected["key"]
    for same in (spec, replace(spec, connection=Connection(("http://elsewhere:9/v1",)), serving=None)):
        latest = store.latest(same.key)
        assert latest is not None and latest.id == expected["id"]


@pytest.mark.usefixtures("archive")
def test_a_job_that_an_earlier_version_left_running_is_not_begun_again(neyman_home: Path) -> None:
    store, lost = Store(neyman_home), JOBS["lost"]
    spec = JobSpec.from_json(json.dumps(lost["spec"]))
    with pytest.raises(SurrogateError, match=f"{lost['id']}.* was interrupted"):
        store.create(spec, lost["total"])
    twin = store.create(replace(spec, model="n"), lost["total"], "waiting")
    with closing(sqlite3.connect(neyman_home / "neyman.sqlite")) as database, database:
        database.execute("UPDATE surrogate_jobs SET spec = ? WHERE id = ?", (spec.to_json(), twin))
    with pytest.raises(SurrogateError, match="same work"):
        store.queue(twin)


@pytest.mark.usefixtures("archive")
def test_a_job_keeps_its_seeds_when_its_operation_changes(neyman_home: Path) -> None:
    store, lost = Store(neyman_home), JOBS["lost"]
    spec = JobSpec.from_json(json.dumps(lost["spec"]))
    store.revise(lost["id"], replace(spec, seeds="item", connection=Connection(("http://elsewhere:9/v1",))))
    after = store.row(lost["id"]).spec
    assert (after.seeds, after.connection.base_urls) == ("position", ("http://elsewhere:9/v1",))
    assert JobSpec(spec.digest, spec.model).seeds == "item"


@pytest.mark.parametrize("name", ["stopped", "lost"])
def test_a_half_done_job_asks_only_for_what_lacks(neyman_home: Path, fake: Fake, name: str) -> None:
    server, before = fake(ignore_n=name == "lost"), JOBS[name]
    k, before_it = before["spec"]["sampling"]["k"], before["stored"]
    store = Store(left_by(neyman_home, server.url).folder)
    assert run_job(store, before["id"], print).state == "done with failures"
    after = observed.stored(neyman_home, before["id"])
    every = [[item, sample] for item in range(before["total"]) if item != TOO_LONG for sample in range(k)]
    assert [row[:2] for row in after] == every
    assert [row for row in after if row[:2] in [old[:2] for old in before_it]] == before_it
    lacking: dict[str, int] = {}
    for item, sample in every:
        if [item, sample] not in [row[:2] for row in before_it]:
            lacking[str(item)] = lacking.get(str(item), 0) + 1
    assert server.stats()["samples"] == lacking
    # The seeds are those of the first version: the job's, plus the number of the sample among all of the job.
    seed = before["spec"]["sampling"]["seed"]
    by_place = {None} if seed is None else set(range(seed, seed + before["total"] * k))
    assert {body.get("seed") for body in server.stats()["bodies"]} <= by_place
    says = observed.job_says(neyman_home, before["id"])
    assert (says["done"], says["failed"], says["generations"]) == (before["total"] - 1, 1, len(every))


def test_the_answers_of_a_finished_job_come_into_the_pool(archive: Archive) -> None:
    job = JOBS["done"]
    richer = pool_with(Store(archive.folder), archive.pools.load(job["spec"]["digest"]), job["id"])
    richer_pool = next(pool for pool in observed.expected()["pools"].values() if "gamma" in pool["targets"])
    assert_same(observed.plain(richer.losses("gamma").tolist()), richer_pool["losses"]["gamma"])


def left_by(home: Path, url: str) -> Archive:
    """The home of the fixtures with its jobs' server at another address, as the first version wrote it."""
    observed.copy_files(home)
    with closing(sqlite3.connect(home / "neyman.sqlite")) as database, database:
        database.execute("UPDATE surrogate_jobs SET spec = replace(spec, ?, ?)", (SERVER, url))
    return Archive(home)
