"""What was generated, back in the pool."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from core.archive import Archive
from core.errors import PoolError
from core.pool import Pool
from core.readers import read
from core.surrogate.faults import SurrogateError
from core.surrogate.filled_pool import export, pool_with
from core.surrogate.job.claim import Claim
from core.surrogate.job.events import Event, Failure, Generation
from core.surrogate.job.store import Store
from tests.conftest import ROOT
from tests.core.surrogate.conftest import pool_of, spec_for

NOWHERE = "http://127.0.0.1:9/v1"


def with_events(store: Store, home: Path, pool: Pool, events: list[Event], **changes: Any) -> str:
    sampling = {"k": changes.pop("k", 2), "seed": changes.pop("seed", None)}
    spec = replace(spec_for(pool, home, NOWHERE, **sampling), **changes)
    job = store.create(spec, pool.n_items)
    claim = Claim(store, job)
    claim.add(events)
    claim.finish("done")
    claim.close()
    return job


def sampled(*texts: str, logprob: float | None = -2.0) -> list[Generation]:
    mean = None if logprob is None else logprob / 4
    return [Generation(i, text, text, logprob=logprob, token_logprob=mean) for i, text in enumerate(texts)]


def test_generations_take_the_place_of_older_ones(store: Store, neyman_home: Path) -> None:
    pool = Pool.from_records(
        [
            {"id": str(i), "prompt": "p", "answer_kind": "choice", "generations": ["B"], "generation_answers": ["B"]}
            | {"meanings": ["B"], "logprobs": [-9.0], "level": i, "targets": {"t": {"loss": 1}}}
            for i in range(4)
        ],
        "exams",
    )
    events = [
        Event(0, sampled("Answer: A", "Answer: B"), (1, 1)),
        Event(1, sampled("Answer: C", "none", logprob=None), (1, 1)),
        Event(3, sampled("Answer: D"), failure=Failure("content filter", "gone", True)),
    ]
    richer = pool_with(store, pool, with_events(store, neyman_home, pool, events))
    assert richer.generations is not None
    assert list(richer.generations) == [["Answer: A", "Answer: B"], ["Answer: C", "none"], [], ["Answer: D"]]
    # By the pool's own answer kind, not by what some official parser said of the older generations.
    assert richer.answers() == [["A", "B"], ["C", None], [], ["D"]]
    assert not {"generation_answers", "meanings"} & {*richer.table.column_names}
    assert richer.table.column("logprobs").to_pylist() == [[-2.0, -2.0], None, None, [-2.0]]
    assert richer.table.column("token_logprobs").to_pylist() == [[-0.5, -0.5], None, None, [-0.5]]
    assert list(richer.items["level"]) == [0, 1, 2, 3]
    assert richer.losses("t").tolist() == [1.0] * 4
    assert richer.name == "exams"
    assert any("no answer of the surrogate" in note for note in richer.notes)


def test_a_target_is_added_beside_others_and_keeps_what_it_had_elsewhere(store: Store, neyman_home: Path) -> None:
    known = {"t": {"answer": "1", "loss": 1.0}, "other": {"loss": 0.0}}
    pool = Pool.from_records(
        [{"id": str(i), "prompt": "p", "answer": "1", "answer_kind": "number", "targets": known} for i in range(3)]
    )
    events = [Event(1, sampled("Answer: 1"), (1,)), Event(2, sampled("Answer: 5"), (1,))]
    job = with_events(store, neyman_home, pool, events, k=1, target="t")
    richer = pool_with(store, pool, job)
    assert richer.losses("t").tolist() == [1.0, 0.0, 1.0]
    assert richer.losses("other").tolist() == [0.0] * 3
    assert list(richer.targets) == ["t", "other"]
    fresh = pool_of(3, answer="1")
    job = with_events(store, neyman_home, fresh, events, k=1, target="new")
    assert np.array_equal(pool_with(store, fresh, job).losses("new"), [np.nan, 0, 1], equal_nan=True)


def test_a_job_gives_its_results_to_its_own_pool_only(store: Store, neyman_home: Path) -> None:
    pool = pool_of(2)
    job = with_events(store, neyman_home, pool, [Event(0, sampled("a", "b"), (1, 1))])
    with pytest.raises(SurrogateError, match="belongs to another pool"):
        pool_with(store, pool_of(3), job)
    empty = with_events(store, neyman_home, pool_of(1), [])
    with pytest.raises(SurrogateError, match="no generations yet"):
        pool_with(store, pool_of(1), empty)


ANSWERED = [
    Event(0, sampled("Answer: A", "Answer: B"), (1, 1)),
    Event(1, sampled("Answer: C", "none", logprob=None), (1, 1)),
    Event(299, sampled("Answer: Ω"), failure=Failure("content filter", "gone", True)),
    Event(300, sampled("Answer: D", "Answer: D"), (2,)),
]
EXPORTS = {
    "a surrogate's": {},
    "a surrogate's without log-probabilities": {"logprob": None},
    "a target's": {"k": 1, "target": "known"},
    "a new target's": {"k": 1, "target": "new"},
}


def wide(n: int) -> Pool:
    """A pool with every kind of column, and targets of which one is known here and there."""
    records = [
        {"id": f"=i{i}", "prompt": "p\n" * (i % 3), "answer_kind": "choice", "choices": ["x", "y"], "level": i}
        | {"generations": ["B"], "generation_answers": ["B"], "logprobs": [-9.0], "a.b": f"{i}"}
        | {"targets": {"other": {"loss": i % 2}} | ({"known": {"answer": "A", "loss": 0}} if i in (0, 300) else {})}
        for i in range(n)
    ]
    return Pool.from_records(records, "exams")


@pytest.mark.parametrize(
    ("name", "case"),
    [
        *(("a.parquet", case) for case in EXPORTS),
        *((name, "a surrogate's") for name in ("a.jsonl", "a.jsonl.gz")),
        ("a.jsonl", "a target's"),
    ],
)
def test_a_streamed_export_is_the_pool_with_the_results(
    name: str, case: str, store: Store, neyman_home: Path, tmp_path: Path
) -> None:
    pool, changes = wide(700), dict(EXPORTS[case])
    logprob = changes.pop("logprob", -2.0)
    k = changes.get("k", 2)
    events = [
        replace(event, generations=[replace(one, logprob=logprob and one.logprob) for one in event.generations[:k]])
        for event in ANSWERED
    ]
    job = with_events(store, neyman_home, pool, events, **changes)
    expected = pool_with(store, pool, job)
    for source in (pool, Archive(neyman_home).pools.load(pool.digest)):
        says = export(store, source, job, tmp_path / name)
        written = read(tmp_path / name)
        assert written.digest == expected.digest
        assert list(written.source.column_names) == list(expected.source.column_names)
        assert list(written.targets) == list(expected.targets)
        assert written.n_items == says.complete + says.partial + says.empty == 700
        assert (says.complete, says.partial) == ((4, 0) if k == 1 else (3, 1))
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == [name]


@pytest.mark.skipif(sys.platform != "linux", reason="Only Linux says how much memory a process had at most.")
def test_an_export_is_written_in_row_groups_and_little_memory(store: Store, neyman_home: Path, tmp_path: Path) -> None:
    pool, text = pool_of(2_000), "é" * 5_000
    events = [Event(i, [Generation(s, text + f"{i} {s}", f"{s}") for s in range(2)], (1,) * 2) for i in range(2_000)]
    job = with_events(store, neyman_home, pool, events, k=2)
    code = f"""
import re
from pathlib import Path
from core.archive.archive import Archive
from core.surrogate.job.store import Store
from core.surrogate.filled_pool import export
store = Store({str(neyman_home)!r})
pool = Archive(store.folder).pools.load({pool.digest!r})
most = lambda: int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
before = most()
export(store, pool, {job!r}, Path({str(tmp_path / "a.parquet")!r}))
print((most() - before) // 1024)
"""
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    # The texts are 40 MB; in pieces they take 58, in one 82.
    assert int(run.stdout) < 70, run.stdout
    with pq.ParquetFile(tmp_path / "a.parquet") as file:
        assert file.num_row_groups >= 4
    assert read(tmp_path / "a.parquet").generations[1_999][1] == text + "1999 1"  # type: ignore[index]


def test_a_kept_pool_that_was_changed_is_not_exported(store: Store, neyman_home: Path, tmp_path: Path) -> None:
    pool = pool_of(600)
    job = with_events(store, neyman_home, pool, [Event(0, sampled("a", "b"), (1, 1))])
    (tmp_path / "a.jsonl").write_text("kept")
    changed = Pool.from_records([{"id": f"i{i}", "prompt": "q", "answer_kind": "number"} for i in range(600)])
    changed.write(neyman_home / "pools" / f"{pool.digest}.parquet")
    with pytest.raises(PoolError, match="changed"):
        export(store, Archive(neyman_home).pools.load(pool.digest), job, tmp_path / "a.jsonl")
    # What was there stays until the new file is whole.
    assert (tmp_path / "a.jsonl").read_text() == "kept"
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["a.jsonl"]
