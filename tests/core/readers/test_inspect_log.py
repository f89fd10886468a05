"""Inspect logs."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from core.errors import PoolError
from core.readers import read, read_results
from core.readers.source import Source
from core.readers.zip_members import opened

LOG = Path(__file__).parent / "fixtures" / "inspect_k10_zstd.eval"
HEADER = {"version": 2, "status": "success", "eval": {"model": "org/m", "task": "sums"}}


def sample(name: str | int, epoch: int, text: str | None, value: Any = "C", **other: Any) -> dict[str, Any]:
    choices = [{"message": {"role": "assistant", "content": text}}] if text is not None else []
    return {
        "id": name,
        "epoch": epoch,
        "input": f"What is {name}?",
        "target": "4",
        "output": {"choices": choices, **({"completion": text} if text is not None else {})},
        "scores": {"match": {"value": value, "answer": text}} if text is not None else {},
        "metadata": {"subject": "sums", "level": 3},
        **other,
    }


def as_json(*samples: dict[str, Any]) -> bytes:
    return json.dumps({**HEADER, "samples": list(samples)}).encode()


def as_eval(*samples: dict[str, Any], **members: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", json.dumps(HEADER))
        for number, one in enumerate(samples):
            archive.writestr(f"samples/{number}_epoch_{one['epoch']}.json", json.dumps(one))
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def members() -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the header and the samples of the log, which Inspect has written with Zstandard."""
    with opened(Source.of(LOG)) as archive:
        texts = {name: archive.read(name, 2**24) for name in archive.names}
    samples = [json.loads(text) for name, text in texts.items() if name.startswith("samples/")]
    return json.loads(texts["header.json"]), samples


@pytest.mark.parametrize("form", ["eval", "json"])
def test_epochs_are_the_samples_in_their_order(form: str) -> None:
    header, samples = members()
    content = LOG.read_bytes() if form == "eval" else json.dumps({**header, "samples": samples}).encode()
    pool = read(content)
    assert (pool.n_items, pool.n_generations) == (3, 10)
    epochs = sorted((one["epoch"], one["scores"]["choice"]["answer"]) for one in samples if one["id"] == "q1")
    answers = pool.answers()
    assert answers is not None and answers[pool.items.index.get_loc("q1")] == [answer for _, answer in epochs]
    assert pool.items.loc["q1", ["prompt", "answer", "group"]].tolist() == ["Question 1?", "A", "bio"]
    results = read_results({"log": content})
    first = sorted((one["id"], one["scores"]["choice"]["value"]) for one in samples if one["epoch"] == 1)
    losses = results.pool([], results.models).losses("mockllm/model")
    assert losses.tolist() == [float(value != "C") for _, value in first]


@pytest.mark.parametrize("written", [as_json, as_eval])
def test_scores_of_the_first_epoch_are_the_losses(written: Any) -> None:
    content = written(
        sample("b", 2, "5", "I"), sample("b", 1, "4"), sample("a", 1, "x", "P"), sample("c", 1, "y", 0.25),
        sample("d", 1, "z", "N"), sample("e", 1, None, error={"message": "timeout"}), sample("e", 2, "4"),
    )  # fmt: skip
    results = read_results({"log.eval": content})
    pool = results.pool([], ["org/m"])
    assert pool.items.index.tolist() == ["b", "a", "c", "d", "e"]
    assert pool.losses("org/m").tolist() == [0, 0.5, 0.75, 1, 0]
    assert any("without an output" in note and "1" in note for note in pool.notes)
    assert results.pool(["org/m"], []).answers() == [["4", "5"], ["x"], ["y"], ["z"], ["4"]]
    assert pool.items.loc["a", "metadata_level"] == 3


def test_what_a_scorer_gives_back_whole_is_parsed_and_runs_that_did_not_end_are_noted() -> None:
    samples = [sample("a", 1, "It is 4."), sample("a", 2, "4 it is"), sample("a", 2, "9"), sample("b", 1, "5")]
    log = {**HEADER, "status": "cancelled", "samples": samples}
    pool = read(json.dumps(log).encode())
    assert pool.answers() == [["4", "4"], ["5"]]
    assert any("cancelled" in note for note in pool.notes) and any("earlier one" in note for note in pool.notes)


def test_messages_attachments_and_log_probabilities_are_read() -> None:
    messages = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": [{"type": "text", "text": "attachment://k"}]},
    ]
    tokens = {"content": [{"logprob": -0.5}, {"logprob": -0.25}]}
    output = {"choices": [{"message": {"content": [{"type": "text", "text": "4"}]}, "logprobs": tokens}]}
    pool = read(
        as_json(sample(1, 1, "4", input=messages, attachments={"k": "What?"}, output=output, target=["4", "four"]))
    )
    assert pool.items.loc["1", ["prompt", "answer"]].tolist() == ["What?", "4"]
    results = read_results({"x.json": as_json(sample(1, 1, "4", output=output), sample(1, 2, "4", output=output))})
    assert results.pool(results.models, []).table.column("logprobs").to_pylist() == [[-0.75, -0.75]]


@pytest.mark.parametrize(
    "content",
    [
        json.dumps({**HEADER, "eval": {}, "samples": []}).encode(),
        as_json({"epoch": 1}),
        as_json({**sample(1, 1, "4"), "epoch": "x"}),
        as_json(),
        json.dumps(HEADER).encode(),
        as_json(sample(1, 1, "4"))[:-10],
        as_eval(sample(1, 1, "4"))[:-30],
        as_eval(**{"samples/a.json": b"{"}),
    ],
)
def test_damaged_logs_are_refused(content: bytes) -> None:
    with pytest.raises(PoolError):
        read(content)


def test_a_member_that_unpacks_too_far_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.readers.inspect_log._MAX_SAMPLE", 10_000)
    with pytest.raises(PoolError, match="larger than"):
        read(as_eval(sample(1, 1, "4" * 20_000)))
