"""A job on two nodes, one of which is killed: resumed and merged, it has the rows of a single machine."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from core.pool import Pool
from core.surrogate.cluster import generate
from core.surrogate.faults import SurrogateError
from core.surrogate.filled_pool import Coverage
from core.surrogate.job.parameters import KEY_VARIABLE
from core.surrogate.job.spec import JobSpec
from core.surrogate.job.store import Store
from core.surrogate.merge import merge
from core.surrogate.parts import Place, write_part
from core.surrogate.worker.run import run_job
from tests.core.surrogate.conftest import Fake, pool_of, spec_for

N_ITEMS, K = 3_000, 4
BEHAVIOUR: dict[str, Any] = {"deterministic": True, "answers": 1_000}


def sorted_rows(path: Path) -> pa.Table:
    return pq.read_table(path).sort_by([("item", "ascending"), ("sample", "ascending")])


def rows_in(out: Path) -> int:
    return sum(pq.read_metadata(path).num_rows for path in (out / "rows").glob("*.parquet"))


def single(store: Store, spec: JobSpec, path: Path) -> pa.Table:
    """The rows of one machine."""
    job = store.create(spec, N_ITEMS)
    assert run_job(store, job, lambda line: None).state == "done"
    write_part(store, job, path)
    return sorted_rows(path)


def test_two_nodes_one_killed_give_the_rows_of_a_single_machine(
    nodes: Any, store: Store, neyman_home: Path, tmp_path: Path, fake: Fake
) -> None:
    server = fake(**BEHAVIOUR, latency=0.05)
    spec = spec_for(pool_of(N_ITEMS), neyman_home, server.url, seed=5, k=K)
    out = tmp_path / "out"
    # As an object store would be named.
    place = Place(f"file://{out}")

    def run(**options: Any) -> Any:
        return generate(store, spec, place, workers=2, address=nodes.address, **options)

    ended: list[str] = []

    def first() -> None:
        try:
            ended.append(str(run(most=3)))
        except SurrogateError as error:
            ended.append(str(error))

    running = Thread(target=first)
    running.start()
    wait_for(lambda: rows_in(out) > 0)
    nodes.remove_node(sorted(nodes.worker_nodes, key=str)[0], allow_graceful=False)
    assert 0 < rows_in(out) < N_ITEMS * K
    running.join(timeout=400)
    assert ended
    # Whatever the first run came to, the next asks only for what lacks.
    before = server.stats()["samples"]
    report = run()
    assert (report.complete, report.total) == (N_ITEMS, N_ITEMS)
    after = server.stats()["samples"]
    assert sum(after.values()) - sum(before.values()) == report.generations
    assert run().generations == 0
    there = Store(tmp_path / "merged")
    merged = merge(there, [f"{place}/rows"], spec_for(pool_of(N_ITEMS), there.folder, server.url).digest)
    assert merged.coverage == Coverage(N_ITEMS, 0, 0)
    write_part(there, merged.job, tmp_path / "ray.parquet")
    server.behave(latency=0)
    assert sorted_rows(tmp_path / "ray.parquet").equals(single(store, spec, tmp_path / "single.parquet"))


def wait_for(reached: Callable[[], bool], seconds: float = 400) -> None:
    deadline = time.monotonic() + seconds
    while not reached():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_request_that_fails_costs_no_other(
    nodes: Any, store: Store, neyman_home: Path, tmp_path: Path, fake: Fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    records = pool_of(30).table.to_pylist()
    records[3]["prompt"], records[4]["prompt"] = "TOO LONG 3", " "
    server = fake(
        **BEHAVIOUR, key="sk-cluster", refuse={"top_k": "openai"}, chances={"429": 0.2, "500": 0.1, "drop": 0.1}
    )
    spec = spec_for(Pool.from_records(records), neyman_home, server.url, seed=5, k=K)
    monkeypatch.setenv(KEY_VARIABLE, "sk-wrong")
    refused = generate(store, spec, Place(str(tmp_path)), address=nodes.address)
    assert refused.generations == 0 and any("refuses the key" in reason for reason in refused.reasons)
    monkeypatch.setenv(KEY_VARIABLE, "sk-cluster")
    report = generate(store, spec, Place(str(tmp_path)), address=nodes.address, leave_out=["top_k"])
    assert (report.generations, report.complete, report.total) == (28 * K, 28, 30)
    assert [number for reason, number in report.reasons.items() if "does not fit" in reason] == [1]
