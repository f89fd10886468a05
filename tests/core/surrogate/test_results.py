"""What was generated, back in the pool; and batch files out and in."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.pool import Pool
from core.surrogate.batch import batch
from core.surrogate.faults import SurrogateError
from core.surrogate.job.claim import Claim
from core.surrogate.job.events import Event, Failure, Generation
from core.surrogate.job.progress import failures, progress
from core.surrogate.job.settings import Prompting, Sampling
from core.surrogate.job.store import Store
from core.surrogate.results import pool_with, pool_with_generations, pool_with_target
from core.surrogate.worker.worker import run_job
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
    made = pool_with(store, pool, with_events(store, neyman_home, pool, events))
    assert made.generations is not None
    assert list(made.generations) == [["Answer: A", "Answer: B"], ["Answer: C", "none"], [], ["Answer: D"]]
    # By the pool's own answer kind, not by what some official parser said of the older generations.
    assert made.answers() == [["A", "B"], ["C", None], [], ["D"]]
    assert "generation_answers" not in made.table.column_names
    assert made.table.column("logprobs").to_pylist() == [[-2.0, -2.0], None, None, [-2.0]]
    assert made.table.column("token_logprobs").to_pylist() == [[-0.5, -0.5], None, None, [-0.5]]
    assert list(made.items["level"]) == [0, 1, 2, 3]
    assert made.losses("t").tolist() == [1.0] * 4
    assert made.name == "exams"
    assert any("no generation" in note for note in made.notes)


def test_a_target_is_added_beside_others_and_keeps_what_it_had_elsewhere(store: Store, neyman_home: Path) -> None:
    known = {"t": {"answer": "1", "loss": 1.0}, "other": {"loss": 0.0}}
    pool = Pool.from_records(
        [{"id": str(i), "prompt": "p", "answer": "1", "answer_kind": "number", "targets": known} for i in range(3)]
    )
    events = [Event(1, sampled("Answer: 1"), (1,)), Event(2, sampled("Answer: 5"), (1,))]
    job = with_events(store, neyman_home, pool, events, k=1, target="t")
    made = pool_with(store, pool, job)
    assert made.losses("t").tolist() == [1.0, 0.0, 1.0]
    assert made.losses("other").tolist() == [0.0] * 3
    assert list(made.targets) == ["t", "other"]
    fresh = pool_of(3, answer="1")
    job = with_events(store, neyman_home, fresh, events, k=1, target="new")
    assert np.array_equal(pool_with_target(store, fresh, job).losses("new"), [np.nan, 0, 1], equal_nan=True)


def test_a_job_gives_its_results_to_its_own_pool_only(store: Store, neyman_home: Path) -> None:
    pool = pool_of(2)
    job = with_events(store, neyman_home, pool, [Event(0, sampled("a", "b"), (1, 1))])
    with pytest.raises(SurrogateError, match="belongs to another pool"):
        pool_with_generations(store, pool_of(3), job)
    empty = with_events(store, neyman_home, pool_of(1), [])
    with pytest.raises(SurrogateError, match="no generations yet"):
        pool_with_generations(store, pool_of(1), empty)


def lines(paths: list[Path]) -> Iterator[dict[str, Any]]:
    for path in paths:
        for line in path.read_text(encoding="utf-8").splitlines():
            yield json.loads(line)


def answer_to(request: dict[str, Any], text: Callable[[int], str] = "Answer: {}".format) -> dict[str, Any]:
    count = request["body"].get("n", 1)
    choices = [
        {"index": i, "message": {"role": "assistant", "content": text(i % 3)}, "finish_reason": "stop"}
        for i in range(count)
    ]
    body = {"model": "served", "choices": choices, "usage": {"prompt_tokens": 5, "completion_tokens": 4 * count}}
    return {
        "id": "batch_req_1",
        "custom_id": request["custom_id"],
        "response": {"status_code": 200, "request_id": "x", "body": body},
        "error": None,
    }


def written(path: Path, results: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(result) + "\n" for result in results), encoding="utf-8")
    return path


@pytest.mark.parametrize(("flavour", "together"), [("openai", True), ("openai", False), ("vllm", True)])
def test_a_batch_goes_out_and_comes_back_in_any_order_and_in_parts(
    flavour: batch.Flavour, together: bool, store: Store, neyman_home: Path, tmp_path: Path
) -> None:
    pool = pool_of(40)
    job = batch.create(store, spec_for(pool, neyman_home, NOWHERE, k=4, max_tokens=50))
    requests = list(lines(batch.write(store, job, tmp_path, flavour, together)))
    assert len(requests) == (40 if together else 160)
    assert len({request["custom_id"] for request in requests}) == len(requests)
    assert max(len(request["custom_id"]) for request in requests) <= 64
    body = requests[0]["body"]
    assert (requests[0]["method"], requests[0]["url"]) == ("POST", "/v1/chat/completions")
    assert ("top_k" in body, "repetition_penalty" in body) == (flavour == "vllm", flavour == "vllm")
    assert body["max_completion_tokens" if flavour == "openai" else "max_tokens"] == 50
    assert body.get("n") == (4 if together else None)
    if not together:
        assert len({request["body"]["seed"] for request in requests[:4]}) == 4
    results = [answer_to(request) for request in requests]
    random.Random(5).shuffle(results)
    half = len(results) // 2
    first = batch.read(store, job, [written(tmp_path / "a", results[:half])])
    assert (first.taken, first.repeated) == (half, 0)
    assert first.missing_items > 0 and progress(store, job).state == "waiting"
    # The first part again among the second changes nothing.
    second = batch.read(store, job, [written(tmp_path / "b", results[half:]), tmp_path / "a"])
    assert (second.taken, second.missing_items) == (len(results) - half, 0)
    assert second.repeated == half
    done = progress(store, job)
    assert (done.state, done.done, done.generations, done.server_model) == ("done", 40, 160, "served")
    assert pool_with(store, pool, job).n_generations == 4
    with store.database.connection() as database:
        (items,) = database.execute("SELECT sum(items) FROM surrogate_partitions").fetchone()
    assert items == 40


def test_error_lines_are_told_apart_and_what_expired_is_written_again(
    store: Store, neyman_home: Path, tmp_path: Path
) -> None:
    job = batch.create(store, spec_for(pool_of(8), neyman_home, NOWHERE))
    requests = list(lines(batch.write(store, job, tmp_path / "out")))
    named = [request["custom_id"] for request in requests]
    long = {"error": {"message": "This model's maximum context length is 8 tokens.", "code": "context_length_exceeded"}}
    results: list[dict[str, Any]] = [
        answer_to(requests[0]),
        {"custom_id": named[1], "response": None, "error": {"code": "batch_expired", "message": "too late"}},
        {"custom_id": named[2], "response": {"status_code": 400, "body": long}, "error": None},
        # vllm run-batch: status 400, no body, the error as a text or an object.
        {"custom_id": named[3], "response": {"status_code": 400, "body": None}, "error": "prompt is too long"},
        {"custom_id": named[4], "response": {"status_code": 400, "body": None}, "error": {"message": "odd"}},
        {"custom_id": named[5], "response": {"status_code": 500, "body": None}, "error": None},
        {"custom_id": "somebody-else", "response": {"status_code": 200, "body": {}}, "error": None},
        {"custom_id": named[6], "response": {"status_code": 200, "body": {"choices": []}}, "error": None},
    ]
    path = written(tmp_path / "results", results)
    path.write_text(path.read_text() + '{"custom_id": 3\nnot json\n[]\n')
    report = batch.read(store, job, [path])
    assert (report.taken, report.failed, report.passing, report.foreign) == (1, 3, 3, 1)
    assert (report.unreadable, report.repeated, report.missing_items) == (3, 0, 4)
    assert [(f.position, f.kind, f.final) for f in failures(store, job)] == [
        (2, "too long", True),
        (3, "too long", True),
        (4, "refused", True),
    ]
    again = list(lines(batch.write(store, job, tmp_path / "again")))
    assert [request["custom_id"] for request in again] == [named[1], *named[5:]]
    assert batch.read(store, job, [written(tmp_path / "rest", [answer_to(r) for r in again])]).missing_items == 0
    assert progress(store, job).done == 5


def test_files_are_split_at_lines_and_bytes_and_lose_nothing(store: Store, neyman_home: Path, tmp_path: Path) -> None:
    job = batch.create(store, spec_for(pool_of(25), neyman_home, NOWHERE))
    paths = batch.write(store, job, tmp_path / "lines", max_lines=10)
    assert [len(list(lines([path]))) for path in paths] == [10, 10, 5]
    largest = max(len(json.dumps(request)) for request in lines(paths))
    small = batch.write(store, job, tmp_path / "bytes", max_bytes=4 * largest)
    assert all(path.stat().st_size <= 4 * largest for path in small) and len(small) >= 6
    assert list(lines(small)) == list(lines(paths))
    assert len(batch.write(store, job, tmp_path / "vllm", "vllm", max_lines=10)) == 1
    assert (batch.MAX_LINES, batch.MAX_BYTES) == (50_000, 200_000_000)


def test_results_of_another_job_are_refused(store: Store, neyman_home: Path, tmp_path: Path) -> None:
    first = batch.create(store, spec_for(pool_of(2), neyman_home, NOWHERE))
    second = batch.create(store, spec_for(pool_of(3), neyman_home, NOWHERE))
    requests = list(lines(batch.write(store, first, tmp_path)))
    path = written(tmp_path / "results", [answer_to(request) for request in requests])
    with pytest.raises(SurrogateError, match="None of these results belongs"):
        batch.read(store, second, [path])
    assert progress(store, second).generations == 0
    with pytest.raises(SurrogateError, match="cannot be read"):
        batch.read(store, first, [tmp_path / "none"])


def test_parameters_can_be_left_out_and_bad_items_are_recorded(store: Store, neyman_home: Path, tmp_path: Path) -> None:
    pool = Pool.from_records([{"id": "a", "prompt": "p", "image": "no.png"}, {"id": "b", "prompt": "q"}])
    spec = replace(spec_for(pool, neyman_home, NOWHERE), prompting=Prompting(images=str(tmp_path)))
    job = batch.create(store, spec)
    left_out = ["temperature", "top_p", "n", "logprobs"]
    request, *others = lines(batch.write(store, job, tmp_path, leave_out=left_out))
    assert len(others) == 9
    assert set(request["body"]) == {"model", "messages", "presence_penalty", "seed"}
    assert [failure.kind for failure in failures(store, job)] == ["image"]


def test_reasoning_and_truncation_are_counted(store: Store, neyman_home: Path, tmp_path: Path) -> None:
    job = batch.create(store, spec_for(pool_of(1), neyman_home, NOWHERE, k=2))
    (request,) = lines(batch.write(store, job, tmp_path))
    result = answer_to(request, lambda i: "<think>So</think>Answer: 2" if i else "<think>endless")
    result["response"]["body"]["choices"][0]["finish_reason"] = "length"
    batch.read(store, job, [written(tmp_path / "r", [result])])
    found = progress(store, job)
    assert (found.truncated, found.unparsed, found.generations) == (1, 1, 2)
    with store.database.connection() as database:
        query = "SELECT text, reasoning, answer, finish FROM surrogate_generations ORDER BY sample"
        assert database.execute(query).fetchall() == [
            ("", "endless", None, "length"),
            ("Answer: 2", "So", "2", "stop"),
        ]


def test_a_job_for_a_batch_cannot_be_run_without_a_server(store: Store, neyman_home: Path) -> None:
    spec = spec_for(pool_of(1), neyman_home, NOWHERE)
    job = batch.create(store, replace(spec, connection=replace(spec.connection, base_url=None), sampling=Sampling(k=1)))
    assert "has no server" in run_job(store, job, lambda line: None).error
