"""A worker's claim to a job."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.surrogate.faults import ClaimLost
from core.surrogate.job.claim import Claim
from core.surrogate.job.events import Event, Generation
from core.surrogate.job.progress import progress
from core.surrogate.job.store import Store
from tests.core.surrogate.conftest import pool_of, spec_for


def test_a_replaced_worker_writes_nothing_more(store: Store, neyman_home: Path) -> None:
    job = store.create(spec_for(pool_of(2), neyman_home, "http://127.0.0.1:9/v1"), 2)
    first = Claim(store, job)
    with store.database.connection() as database:
        database.execute("UPDATE surrogate_jobs SET pid_started = '0'")
    second = Claim(store, job)
    event = Event(0, [Generation(0, "text", "answer")])
    with pytest.raises(ClaimLost):
        first.add([event])
    second.add([event])
    first.close()
    second.finish("stopped")
    second.close()
    assert progress(store, job).generations == 1
