"""What was generated, back in the pool."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.pool import Pool
from core.surrogate.faults import SurrogateError
from core.surrogate.job.claim import Claim
from core.surrogate.job.events import Event, Failure, Generation
from core.surrogate.job.store import Store
from core.surrogate.results import pool_with
from tests.core.surrogate.conftest import pool_of, spec_for

NOWHERE = "http://127.0.0.1:9/v1"


def with_events(store: Store, home: Path, pool: Pool, events: list[Event], **changes: Any) -> str:
    spec = replace(spec_for(pool, home, NOWHERE, k=changes.pop("k", 2)), **changes)
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
            | {"logprobs": [-9.0], "level": i, "targets": {"t": {"loss": 1}}}
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
    assert "generation_answers" not in richer.table.column_names
    assert richer.table.column("logprobs").to_pylist() == [[-2.0, -2.0], None, None, [-2.0]]
    assert richer.table.column("token_logprobs").to_pylist() == [[-0.5, -0.5], None, None, [-0.5]]
    assert list(richer.items["level"]) == [0, 1, 2, 3]
    assert richer.losses("t").tolist() == [1.0] * 4
    assert richer.name == "exams"
    assert any("no generation" in note for note in richer.notes)


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
