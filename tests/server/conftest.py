"""The app as ``make run`` starts it, without a browser."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from core.archive import Archive
from core.design import Design
from core.study import Labelling
from tests.browser.servers import Server, forked
from tests.pages.pools import pool
from tests.server.team import CREATED, HERE, Team, files, rows


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = forked(tmp_path_factory.mktemp("server"), ahead=False)
    server.wait_until_healthy()
    yield server
    server.stop()
    assert server.complaints() == []


@pytest.fixture(scope="module")
def team(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Team]:
    folder = tmp_path_factory.mktemp("team")
    archive = Archive(folder / "home")
    plans = []
    for name, label in (("list", "hidden-pool"), ("other-list", "other-pool")):
        chosen = pool(rows(name), label)
        archive.pools.save(chosen, CREATED)
        plan = Design(8, seed=0).draw(chosen)
        Labelling.load(archive, plan, chosen, "gold", None).save_plan(archive, CREATED)
        plans.append((plan.plan_id, chosen.digest))
    # As many as most systems allow at first.
    with files(1024):
        server = forked(folder, "--share", HERE, ahead=False)
    server.wait_until_healthy(shared=True)
    (plan_id, digest), (other_id, _) = plans
    yield Team(server, plan_id, other_id, digest)
    server.stop()
    assert server.complaints() == []
