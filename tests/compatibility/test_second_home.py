"""A home of ``v2/``: plans along every signal, their labels, a link, a map and a half-done job say the same."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from core.archive import Archive
from core.design import manifest
from core.study import Labelling, Study, kept_plan
from core.surrogate.job.store import Store
from core.surrogate.worker.run import run_job
from tests.compatibility import observed
from tests.compatibility.conftest import assert_same
from tests.core.surrogate.conftest import Fake, fake

__all__ = ["fake"]

V2 = Path(__file__).with_name("v2")
EXPECTED: dict[str, Any] = json.loads((V2 / "expected.json").read_text(encoding="utf-8"))
PLANS, JOB = EXPECTED["plans"], EXPECTED["job"]
TARGET, SERVER = "Modell α", "http://127.0.0.1:18081/v1"


@pytest.fixture
def archive(neyman_home: Path) -> Archive:
    shutil.copytree(V2 / "home", neyman_home)
    return Archive(neyman_home)


@pytest.mark.parametrize("name", PLANS)
def test_a_plan_is_found_and_drawn_again_from_its_manifest_alone(archive: Archive, name: str) -> None:
    expected = PLANS[name]
    pool = archive.pools.load(next(iter(EXPECTED["pools"])))
    content = manifest.read((V2 / "manifests" / f"{expected['plan_id']}.json").read_text(encoding="utf-8"))
    plans = [kept_plan(archive, expected["plan_id"], pool)]
    # The second of two waves is drawn from the labels of the first.
    plans += [manifest.reproduce(content, pool)] if content.earlier is None else []
    for plan in plans:
        assert plan.plan_id == expected["plan_id"] and plan.sample_digest == expected["sample_digest"]
        assert list(map(str, plan.ids)) == expected["items"]
        assert plan.items["stratum"].tolist() == expected["stratum"]
        assert_same(plan.items["probability"].tolist(), expected["probability"])


@pytest.mark.parametrize("name", [name for name, plan in PLANS.items() if "kind" in plan])
@pytest.mark.usefixtures("without_disputes")
def test_labels_give_the_same_estimate(archive: Archive, name: str) -> None:
    expected = PLANS[name]
    pool = archive.pools.load(next(iter(EXPECTED["pools"])))
    study = Study(
        Labelling.load(archive, kept_plan(archive, expected["plan_id"], pool), pool, expected["kind"], TARGET)
    )
    estimate = study.estimate()
    assert_same([estimate.value, estimate.standard_error], [expected["value"], expected["standard_error"]])


def test_a_link_and_a_map_are_found(archive: Archive) -> None:
    link = archive.links.opened_by(EXPECTED["link"]["token"], "2027-01-01T00:00:00+00:00")
    assert link is not None and (link.plan_id, link.annotator) == (EXPECTED["link"]["plan_id"], "Ann")
    assert archive.maps.all()["a-shape"].fields["prompt"] == "run.question"


@pytest.mark.usefixtures("archive")
def test_a_half_done_job_asks_only_for_what_lacks(neyman_home: Path, fake: Fake) -> None:
    assert_same(observed.job_says(neyman_home, JOB["id"]), {key: value for key, value in JOB.items() if key != "key"})
    server = fake()
    with closing(sqlite3.connect(neyman_home / "neyman.sqlite")) as database, database:
        database.execute("UPDATE surrogate_jobs SET spec = replace(spec, ?, ?)", (SERVER, server.url))
    store = Store(neyman_home)
    assert run_job(store, JOB["id"], print).state == "done"
    after, before = observed.stored(neyman_home, JOB["id"]), JOB["stored"]
    assert len(after) == 3 * JOB["total"] and [row for row in after if row in before] == before
    assert sum(server.stats()["samples"].values()) == len(after) - len(before)
