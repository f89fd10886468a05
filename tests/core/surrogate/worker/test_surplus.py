"""Each item's answer is the one that its own request brought, whatever else a server sends."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.surrogate.filled_pool import pool_with
from core.surrogate.job.store import Store
from core.surrogate.worker.run import run_job
from core.web import client
from tests.core.surplus import STRAYING, straying
from tests.core.surrogate.conftest import pool_of, spec_for

ITEMS = 40


def answers(store: Store, home: Path, url: str, items: int) -> list[list[str | None]]:
    """The answers of a job on items that ask for their own number."""
    pool = pool_of(items)
    job = store.create(spec_for(pool, home, f"{url}/v1", k=1), items)
    assert run_job(store, job, lambda line: None).state == "done"
    return pool_with(store, pool, job).answers()


@pytest.mark.parametrize("kind", STRAYING)
def test_no_item_gets_the_answer_to_another(kind: str, store: Store, neyman_home: Path) -> None:
    with straying(STRAYING[kind]) as url:
        assert answers(store, neyman_home, url, 60) == [[str(number)] for number in range(60)]


def test_no_item_gets_an_answer_that_was_there_before_it_asked(
    store: Store, neyman_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Long enough for the server to speak first however busy this machine is.
    monkeypatch.setattr(client, "QUIET_SECONDS", 0.5)
    with straying(STRAYING["twice"], speaks_first=3) as url:
        assert answers(store, neyman_home, url, 20) == [[str(number)] for number in range(20)]
