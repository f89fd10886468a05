"""Inspect logs."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.errors import PoolError
from core.files.archives import opened
from core.files.open import Source
from core.readers import read, read_outputs, read_results
from tests.core.wording import Saying

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
    assert any("neither output nor score" in note and "1" in note for note in pool.notes)
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


@pytest.mark.parametrize("form", [as_json, as_eval])
def test_a_sample_that_is_empty_is_refused_and_does_not_vanish(form: Any) -> None:
    good = sample("a", 1, "4")
    if form is as_json:
        log = json.dumps({**HEADER, "samples": [good, None, sample("b", 1, "4")]}).encode()
    else:
        log = as_eval(good, **{"samples/1_epoch_1.json": b"null"})
    with pytest.raises(PoolError, match=r"row 2: the sample has no id"):
        read(log, "empty.json")


def test_a_member_that_unpacks_too_far_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.readers.tool_formats.inspect_eval._MAX_SAMPLE", 10_000)
    with pytest.raises(PoolError, match="larger than"):
        read(as_eval(sample(1, 1, "4" * 20_000)))


def reported(scores: list[dict[str, Any]], *samples: dict[str, Any], **other: Any) -> bytes:
    evaluated = {**HEADER["eval"], **other}  # type: ignore[dict-item]
    return json.dumps({**HEADER, "eval": evaluated, "results": {"scores": scores}, "samples": list(samples)}).encode()


def measured(scorer: str, name: str, *metrics: str) -> dict[str, Any]:
    return {"scorer": scorer, "name": name, "metrics": {metric: {"name": metric, "value": 0.5} for metric in metrics}}


def judged(name: str, **values: Any) -> dict[str, Any]:
    scores = {scorer: {"value": value, "answer": None} for scorer, value in values.items()}
    return sample(name, 1, "It is 4.") | {"scores": scores}


def accuracy(content: bytes) -> float:
    return read_results({"log": content}).accuracy[0]


HEADLINE = {"scorer": "both", "score": "form", "metric": None}
# Of three samples, one has the form that was asked for, and two are right.
OBJECTS = [
    judged(name, both={"form": form, "right": right})
    for name, form, right in (("a", 1, "C"), ("b", 0, "C"), ("c", 0, "I"))
]


@pytest.mark.parametrize(
    ("scores", "other", "expected"),
    [
        ([measured("both", "right", "accuracy")], {}, 2 / 3),
        ([measured("both", "form", "mean"), measured("both", "right", "accuracy", "stderr")], {}, 2 / 3),
        ([measured("both", "form", "mean"), measured("both", "right", "mean")], {}, 1 / 3),
        ([measured("both", "form"), measured("both", "right", "mean")], {}, 2 / 3),
        ([measured("both", "form", "stderr"), measured("both", "right", "mean")], {}, 2 / 3),
        ([measured("both", "right", "mean"), measured("both", "form", "mean")], {"headline_metric": HEADLINE}, 1 / 3),
        ([], {"scorers": [{"name": "both", "metrics": {"r*": [{"name": "mean"}]}}]}, 2 / 3),
        ([], {"scorers": [{"name": "both", "metrics": [{"right": [{"name": "mean"}]}]}]}, 2 / 3),
    ],
)  # fmt: skip
def test_of_scores_that_are_objects_the_key_counts_that_the_log_measures(
    scores: list[dict[str, Any]], other: dict[str, Any], expected: float
) -> None:
    assert accuracy(reported(scores, *OBJECTS, **other)) == pytest.approx(expected)


def test_objects_of_which_no_key_is_measured_are_unknown_with_a_note() -> None:
    results = read_results({"log": as_json(*OBJECTS)})
    assert results.accuracy[0] != results.accuracy[0]
    assert any("objects" in note and "“form”, “right”" in note and "3" in note for note in results.notes)


def test_a_scorer_without_metrics_is_not_the_default() -> None:
    samples = [judged(name, quiet=0, loud=value) for name, value in zip("abc", "CCI", strict=True)]
    content = reported([measured("quiet", "quiet"), measured("loud", "loud", "accuracy")], *samples)
    results = read_results({"log": content})
    assert results.accuracy == (pytest.approx(2 / 3),)
    assert any("“loud”" in note and "“quiet”" in note for note in results.notes)


@pytest.mark.parametrize(
    ("values", "expected"),
    [(("yes", "no", "Yes"), 2 / 3), (("true", "FALSE", "0.5"), 1 / 2), ((True, False, 1), 2 / 3)],
)
def test_verdicts_in_words_are_scores_as_inspect_reads_them(values: tuple[Any, ...], expected: float) -> None:
    samples = [judged(name, judge=value) for name, value in zip("abc", values, strict=True)]
    assert accuracy(as_json(*samples)) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("values", "said"),
    [((1, 7, 10), "from 1 to 10"), (("1", "3", "5"), "from 1 to 5"), (("C", "maybe", "I"), "“maybe”")],
)
def test_scores_on_another_scale_and_other_words_are_unknown_with_a_note(values: tuple[Any, ...], said: str) -> None:
    content = as_json(*(judged(name, judge=value) for name, value in zip("abc", values, strict=True)))
    read = read_outputs(content, "log")
    assert read.table.column("loss").to_pylist() == ([0, None, 1] if "C" in values else [None] * 3)
    assert any(said in note and "“judge”" in note and "unknown" in note for note in read.notes)


def silent(name: str, value: Any, **other: Any) -> dict[str, Any]:
    scores = {"match": {"value": value}} if value is not None else {}
    return sample(name, 1, None) | {"scores": scores, **other}


def test_samples_that_were_scored_without_an_output_keep_their_scores() -> None:
    limited = silent("b", "I", limit={"type": "message", "limit": 10})
    failed = silent("d", None, error={"message": "timeout"})
    out = silent("e", None, limit={"type": "token", "limit": 5})
    content = as_json(sample("a", 1, "4"), limited, silent("c", "C"), failed, out, silent("f", None))
    results = read_results({"log": content})
    pool = results.pool([], ["org/m"])
    assert np.array_equal(pool.losses("org/m"), [0, 1, 0, np.nan, np.nan, np.nan], equal_nan=True)
    assert pool.targets["org/m"].texts == ["4", None, None, None, None, None]
    (note,) = (note for note in results.notes if "without" in note)
    assert note == Saying("3 (", "1 with an error", "1 at the limit of token", "1 without")


def test_an_epoch_that_was_scored_without_an_output_is_an_empty_sample_beside_others() -> None:
    silenced = silent("a", "I", limit={"type": "time"})
    results = read_results({"log": as_json(silenced, sample("a", 2, "4"), sample("b", 1, "5", "I"))})
    assert results.accuracy == (0.0,) and results.pool(["org/m"], []).generations == [["", "4"], ["5"]]


def test_two_runs_of_one_model_are_told_apart_by_their_dates() -> None:
    logs = {
        f"{day}.json": json.dumps(
            {
                **HEADER,
                "eval": {**HEADER["eval"], "created": f"2026-01-0{day}T10:00:00"},
                "samples": [sample("a", 1, text)],
            }  # type: ignore[dict-item]
        ).encode()
        for day, text in ((1, "4"), (2, "5"))
    }
    assert read_results(logs).models == ("org/m (2026-01-01T10:00:00)", "org/m (2026-01-02T10:00:00)")


@pytest.mark.parametrize(("reported_mean", "agrees"), [(2 / 3, True), (0.25, False)])
def test_the_total_of_the_log_is_compared_with_the_mean_over_items_and_epochs(
    reported_mean: float, agrees: bool
) -> None:
    scores = [{"scorer": "match", "name": "match", "metrics": {"accuracy": {"value": reported_mean}}}]
    samples = sample("a", 1, "4"), sample("a", 2, "5", "P"), sample("b", 1, "x", "I"), sample("c", 1, "4")
    samples = (*samples, sample("c", 2, None), sample("d", 1, "4", 1 - 1 / 12))
    account = read_results({"log": reported(scores, *samples)}).account
    assert account is not None and [total.agrees for total in account.totals] == [agrees]
    assert account.totals[0].own == pytest.approx((0.75 + 0 + 1 + 11 / 12) / 4)
