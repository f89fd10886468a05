"""Exports of Langfuse: observations, traces, datasets and their runs."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest

from core.errors import PoolError
from core.readers import read, read_results
from tests.core.readers.json_lines import lines


def observation(number: int, text: Any, second: int, kind: str = "GENERATION", **other: Any) -> dict[str, Any]:
    return {
        "id": f"o{second}",
        "traceId": f"t{second}",
        "projectId": "p",
        "type": kind,
        "startTime": f"2026-01-31T10:00:{second:02}.000Z",
        "name": "call",
        "metadata": {"subject": "sums"},
        "input": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": f"What is {number}?"}],
        "output": text,
        "model": "small",
        "correctness": [1 - second % 2],
        "comments": [],
        **other,
    }


# As exported: newest first; two generations of each input, and a span around one of them.
OBSERVED = [
    observation(2, {"role": "assistant", "content": "3"}, 5),
    observation(1, "2", 4),
    observation(2, {"role": "assistant", "content": "2"}, 2),
    observation(1, "1", 1),
    observation(1, "whole", 0, "SPAN"),
]
DATASET = [
    {"id": f"item{n}", "datasetId": "d", "datasetName": "sums", "input": f"What is {n}?", "expectedOutput": str(n)}
    for n in (1, 2)
]
RUN = [
    {"id": f"r{second}", "datasetItemId": f"item{number}", "traceId": f"t{second}", "datasetName": "sums"}
    for second, number in ((1, 1), (4, 1), (2, 2), (5, 2))
]


def as_csv(rows: list[dict[str, Any]]) -> bytes:
    stream = io.StringIO()
    writer = csv.DictWriter(stream, list(rows[0]))
    writer.writeheader()
    for row in rows:
        writer.writerow({key: cell if isinstance(cell, str) else json.dumps(cell) for key, cell in row.items()})
    return stream.getvalue().encode()


@pytest.mark.parametrize(
    "content",
    [
        json.dumps(OBSERVED).encode(),
        lines(*OBSERVED),
        as_csv(OBSERVED),
        json.dumps({"data": OBSERVED, "meta": {"page": 1}}).encode(),
    ],
)
def test_generations_of_langfuse_with_the_same_input_are_samples_by_their_time(content: bytes) -> None:
    results = read_results({"export": content})
    assert results.models == ("small",) and results.samples == (2,)
    pool = results.pool(["small"], [])
    assert pool.generations == [["1", "2"], ["2", "3"]]
    assert pool.items["prompt"].tolist() == ["What is 1?", "What is 2?"] and set(pool.items["group"]) == {"sums"}
    assert results.pool([], ["small"]).losses("small").tolist() == [1, 0]
    assert any("Left out: 1" in note for note in pool.notes)


def test_generations_of_langfuse_whose_input_was_not_recorded_are_items_of_their_own() -> None:
    pool = read(lines(*(observation(1, str(second), second, input=None) for second in (1, 2))), "log")
    assert pool.n_items == 2 and pool.targets["small"].texts == ["1", "2"]


def test_a_dataset_and_its_run_name_the_items_of_traces() -> None:
    files = {"observations.jsonl": lines(*OBSERVED), "run.csv": as_csv(RUN), "items.json": json.dumps(DATASET).encode()}
    results = read_results(files)
    assert results.models == ("small",)
    pool = results.pool(["small"], [])
    assert pool.items.index.tolist() == ["item1", "item2"] and pool.items["answer"].tolist() == ["1", "2"]
    assert pool.generations == [["1", "2"], ["2", "3"]]
    page = json.dumps({"name": "run", "datasetName": "sums", "datasetRunItems": RUN}).encode()
    assert read_results({**files, "run.csv": page}).pool(["small"], []).digest == pool.digest
    # By their prompts without the run.
    del files["run.csv"]
    assert read_results(files).pool(["small"], []).items.index.tolist() == ["item1", "item2"]
    with pytest.raises(PoolError, match="no outputs"):
        read(as_csv(RUN))
    assert read(json.dumps(DATASET).encode()).items["answer"].tolist() == ["1", "2"]


def test_experiments_and_traces_of_langfuse_name_their_items() -> None:
    scores = [{"name": "length", "value": 12}, {"name": "right", "value": 0, "dataType": "BOOLEAN"}]
    items = [
        {"id": f"s{n}", "traceId": f"t{n}", "startTime": f"2026-01-31T10:00:0{n}Z", "experimentName": "run 1"}
        | {"experimentItemId": f"item{n}", "input": {"question": f"What is {n}?"}, "output": {"answer": f"{n}!"}}
        | {"expectedOutput": {"answer": str(n)}, "scores": scores}
        for n in (1, 2)
    ]
    pool = read_results({"x": json.dumps({"data": items, "meta": {}}).encode()}).pool([], ["run 1"])
    assert pool.items.index.tolist() == ["item1", "item2"] and pool.items["answer"].tolist() == ["1", "2"]
    assert pool.targets["run 1"].texts == ["1!", "2!"] and pool.losses("run 1").tolist() == [1, 1]
    traces = [
        {"id": f"t{n}", "timestamp": f"2026-01-31T10:00:0{n}Z", "name": "experiment-item-run", "sessionId": None}
        | {"input": f"What is {n}?", "output": str(n), "tags": []}
        | {"metadata": {"experiment_run_name": "run 1", "dataset_item_id": f"item{n}"}}
        for n in (2, 1)
    ]
    named = read_results({"x": json.dumps(traces).encode()}).pool([], ["run 1"])
    assert named.items.index.tolist() == ["item1", "item2"] and named.targets["run 1"].texts == ["1", "2"]
