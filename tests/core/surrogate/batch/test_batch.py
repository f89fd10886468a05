"""Batch files out and in."""

from __future__ import annotations

import json
import random
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.pool import Pool
from core.surrogate.batch import MAX_BYTES, MAX_LINES, Flavour, create, write
from core.surrogate.batch_results import read as read_results
from core.surrogate.faults import SurrogateError
from core.surrogate.filled_pool import pool_with
from core.surrogate.job.parameters import Prompting, Sampling
from core.surrogate.job.progress import failures, progress
from core.surrogate.job.store import Store
from core.surrogate.worker.run import run_job
from tests.core.surrogate.conftest import pool_of, spec_for
from tests.core.wording import Saying

NOWHERE = "http://127.0.0.1:9/v1"


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
    flavour: Flavour, together: bool, store: Store, neyman_home: Path, tmp_path: Path
) -> None:
    pool = pool_of(40)
    job = create(store, spec_for(pool, neyman_home, NOWHERE, k=4, max_tokens=50))
    requests = list(lines(write(store, job, tmp_path, flavour, together)))
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
    first = read_results(store, job, [written(tmp_path / "a", results[:half])])
    assert (first.stored, first.repeated) == (half, 0)
    assert first.missing_items > 0 and progress(store, job).state == "waiting"
    # The first part again among the second changes nothing.
    second = read_results(store, job, [written(tmp_path / "b", results[half:]), tmp_path / "a"])
    assert (second.stored, second.missing_items) == (len(results) - half, 0)
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
    job = create(store, spec_for(pool_of(8), neyman_home, NOWHERE))
    requests = list(lines(write(store, job, tmp_path / "out")))
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
    report = read_results(store, job, [path])
    assert (report.stored, report.failed, report.passing, report.foreign) == (1, 2, 4, 1)
    assert (report.unreadable, report.repeated, report.missing_items) == (3, 0, 5)
    assert [(item.position, item.failure.kind, item.failure.final) for item in failures(store, job)] == [
        (2, "too long", True),
        (3, "too long", True),
    ]
    again = list(lines(write(store, job, tmp_path / "again")))
    assert [request["custom_id"] for request in again] == [named[1], *named[4:]]
    assert read_results(store, job, [written(tmp_path / "rest", [answer_to(r) for r in again])]).missing_items == 0
    assert progress(store, job).summary() == Saying("6 of 8 items", "2 failed (2 too long)")


def test_a_filtered_sample_costs_no_other_in_any_order(store: Store, neyman_home: Path, tmp_path: Path) -> None:
    job = create(store, spec_for(pool_of(2), neyman_home, NOWHERE))
    requests = list(lines(write(store, job, tmp_path / "out", together=False)))
    results = [answer_to(request) for request in requests]
    filtered = {"index": 0, "message": {"content": None}, "finish_reason": "content_filter"}
    results[0]["response"]["body"]["choices"] = [filtered]
    results[12] |= {"response": {"status_code": 400, "body": None}, "error": {"message": "odd"}}
    first = read_results(store, job, [written(tmp_path / "a", [*results[:4], *results[10:15]])])
    assert (first.stored, first.failed, first.passing) == (3 + 4, 1, 1)
    second = read_results(store, job, [written(tmp_path / "b", [*results[4:10], *results[15:], results[0]])])
    assert (second.stored, second.failed, second.repeated) == (6 + 5, 0, 1)
    # The refusal of one sample passes: only this one is written again.
    assert (second.missing_items, progress(store, job).state) == (1, "waiting")
    (again,) = lines(write(store, job, tmp_path / "again", together=False))
    assert again["custom_id"] == requests[12]["custom_id"]
    assert read_results(store, job, [written(tmp_path / "c", [answer_to(again)])]).missing_items == 0
    done = progress(store, job)
    assert (done.state, done.done, done.failed, done.generations) == ("done with failures", 1, 1, 9 + 10)


def test_an_item_that_is_complete_has_not_failed(store: Store, neyman_home: Path, tmp_path: Path) -> None:
    job = create(store, spec_for(pool_of(1), neyman_home, NOWHERE))
    (request,) = lines(write(store, job, tmp_path / "out"))
    long = answer_to(request) | {"response": {"status_code": 413, "body": None}, "error": {"message": "long"}}
    report = read_results(store, job, [written(tmp_path / "r", [long, answer_to(request), long])])
    assert (report.failed, report.stored, report.repeated) == (1, 1, 1)
    done = progress(store, job)
    assert (done.state, done.done, done.failed) == ("done", 1, 0)


def test_files_are_split_at_lines_and_bytes_and_lose_nothing(
    store: Store, neyman_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (MAX_LINES, MAX_BYTES) == (50_000, 200_000_000)
    job = create(store, spec_for(pool_of(25), neyman_home, NOWHERE))
    monkeypatch.setattr("core.surrogate.batch.MAX_LINES", 10)
    paths = write(store, job, tmp_path / "lines")
    assert [len(list(lines([path]))) for path in paths] == [10, 10, 5]
    largest = max(len(json.dumps(request)) for request in lines(paths))
    monkeypatch.setattr("core.surrogate.batch.MAX_BYTES", 4 * largest)
    small = write(store, job, tmp_path / "bytes")
    assert all(path.stat().st_size <= 4 * largest for path in small) and len(small) >= 6
    assert list(lines(small)) == list(lines(paths))
    assert len(write(store, job, tmp_path / "vllm", "vllm")) == 1


def test_tokens_that_results_do_not_report_are_counted_and_marked(
    store: Store, neyman_home: Path, tmp_path: Path
) -> None:
    job = create(store, spec_for(pool_of(3), neyman_home, NOWHERE, k=2))
    results = [answer_to(request) for request in lines(write(store, job, tmp_path))]
    del results[0]["response"]["body"]["usage"]
    read_results(store, job, [written(tmp_path / "r", results)])
    now = progress(store, job)
    # “Answer: 0” is three tokens; the others are reported, with 5 tokens of prompt and 8 written.
    assert now.completion_tokens == 2 * 3 + 2 * 8
    assert now.prompt_tokens > 2 * 5 + 8
    assert now.estimated_tokens == now.prompt_tokens + now.completion_tokens - 2 * 13


def test_a_line_without_an_end_takes_little_memory_and_costs_no_other(
    store: Store, neyman_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.surrogate.client.replies._FRAME", 2_000_000)
    job = create(store, spec_for(pool_of(3), neyman_home, NOWHERE, k=2, max_tokens=50))
    results = [answer_to(request) for request in lines(write(store, job, tmp_path))]
    path = written(tmp_path / "results.jsonl", results[:1])
    with path.open("ab") as file:
        file.writelines([b"[" * 1_000_000] * 60)
        file.write(b"\n" + b"\n".join(json.dumps(result).encode() for result in results[1:]))
    tracemalloc.start()
    try:
        report = read_results(store, job, [path])
        assert tracemalloc.get_traced_memory()[1] < 25_000_000
    finally:
        tracemalloc.stop()
    assert report.stored == 3 and report.unreadable and not report.missing_items


def test_results_of_another_job_are_refused(store: Store, neyman_home: Path, tmp_path: Path) -> None:
    first = create(store, spec_for(pool_of(2), neyman_home, NOWHERE))
    second = create(store, spec_for(pool_of(3), neyman_home, NOWHERE))
    requests = list(lines(write(store, first, tmp_path)))
    path = written(tmp_path / "results", [answer_to(request) for request in requests])
    with pytest.raises(SurrogateError, match="None of these results belongs"):
        read_results(store, second, [path])
    assert progress(store, second).generations == 0
    with pytest.raises(SurrogateError, match="cannot be read"):
        read_results(store, first, [tmp_path / "none"])


def test_parameters_can_be_left_out_and_bad_items_are_recorded(store: Store, neyman_home: Path, tmp_path: Path) -> None:
    pool = Pool.from_records([{"id": "a", "prompt": "p", "image": "no.png"}, {"id": "b", "prompt": "q"}])
    spec = replace(spec_for(pool, neyman_home, NOWHERE), prompting=Prompting(images=str(tmp_path)))
    job = create(store, spec)
    left_out = ["temperature", "top_p", "n", "logprobs"]
    request, *others = lines(write(store, job, tmp_path, leave_out=left_out))
    assert len(others) == 9
    assert set(request["body"]) == {"model", "messages", "presence_penalty", "max_completion_tokens", "seed"}
    assert [item.failure.kind for item in failures(store, job)] == ["image"]


def test_reasoning_and_truncation_are_counted(store: Store, neyman_home: Path, tmp_path: Path) -> None:
    job = create(store, spec_for(pool_of(1), neyman_home, NOWHERE, k=2))
    (request,) = lines(write(store, job, tmp_path))
    result = answer_to(request, lambda i: "<think>So</think>Answer: 2" if i else "<think>endless")
    result["response"]["body"]["choices"][0]["finish_reason"] = "length"
    read_results(store, job, [written(tmp_path / "r", [result])])
    job_now = progress(store, job)
    assert (job_now.truncated, job_now.unparsed, job_now.generations) == (1, 1, 2)
    with store.database.connection() as database:
        query = "SELECT text, reasoning, answer, finish FROM surrogate_generations ORDER BY sample"
        assert database.execute(query).fetchall() == [
            ("", "endless", None, "length"),
            ("Answer: 2", "So", "2", "stop"),
        ]


def test_a_job_for_a_batch_cannot_be_run_without_a_server(store: Store, neyman_home: Path) -> None:
    spec = spec_for(pool_of(1), neyman_home, NOWHERE)
    job = create(store, replace(spec, connection=replace(spec.connection, base_urls=()), sampling=Sampling(k=1)))
    assert "has no server" in run_job(store, job, lambda line: None).error
