"""What logs of tools that score what others generated have in common, and what 1 means in them."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from core.errors import PoolError
from core.readers import read, read_outputs, read_results
from tests.core.readers.json_lines import lines
from tests.core.readers.scored import FIRST_RIGHT, LOGS, NUMBERS, QUESTIONS, losses_of, results_of
from tests.core.readers.test_bfcl import RESULT
from tests.core.readers.test_judged_chats import pair
from tests.core.readers.test_openai_evals import event, run_of
from tests.core.readers.toy import SAMPLES, letter, right, text


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("deepeval.json", text),
        ("ragas.csv", text),
        ("humaneval.jsonl_results.jsonl", lambda number, sample: f"    return {letter(number, sample)!r}\n"),
    ],
)
def test_rows_about_one_item_are_its_samples_and_the_first_score_counts(
    name: str, said: Callable[[int, int], str]
) -> None:
    results = results_of(name)
    (model,) = results.models
    assert results.accuracy == (pytest.approx(FIRST_RIGHT),) and results.samples == (SAMPLES,)
    pool = results.pool([model], [])
    assert pool.generations == [[said(number, sample) for sample in range(SAMPLES)] for number in NUMBERS]
    losses = results.pool([], [model]).losses(model)
    assert losses.tolist() == [float(not right(number, 0)) for number in NUMBERS]
    if not name.startswith("humaneval"):
        assert pool.items["prompt"].tolist() == QUESTIONS


def test_objects_limits_and_samples_without_a_score_in_a_log_of_inspect() -> None:
    name = "inspect_scores.json.gz"
    results = results_of(name)
    log = json.loads(gzip.decompress((LOGS / name).read_bytes()))
    (score,) = [one for one in log["results"]["scores"] if one["name"] == "right"]
    assert results.accuracy == (pytest.approx(score["metrics"]["accuracy"]["value"]),)
    losses = results.pool([], results.models).losses(results.models[0])
    assert losses.tolist()[:3] == [float(not right(1, 0)), 1, float(not right(3, 0))]
    assert read_outputs((LOGS / name).read_bytes(), name).table.column("loss").to_pylist()[3] is None
    account = results.account
    assert account is not None and [total.agrees for total in account.totals] == [True]


WRITTEN = ["deepeval.json", "ragas.csv", "humaneval.jsonl_results.jsonl", "evalplus_eval_results.json", RESULT]
WRITTEN += ["mt_bench_single.jsonl", "mt_bench_pair.jsonl", "alpaca_eval.json"]


@pytest.mark.parametrize("name", WRITTEN)
def test_a_log_that_ends_early_is_refused_or_read_as_far_as_its_lines_are_whole(name: str) -> None:
    content = (LOGS / name).read_bytes()
    with pytest.raises(PoolError) as caught:
        read(content[: -len(content) // 3], "log")
    assert caught.value.problems[0].remedy


@pytest.mark.parametrize(
    "damaged",
    [
        lines({"task_id": None, "completion": "x"}, {"task_id": "a", "completion": "x"}),
        lines({"task_id": "a", "completion": "x"}, 3),
        lines({"task_id": "a", "completion": "x"}, {"task_id": "b"}),
        lines({"id": "a_1", "result": "x", "latency": 1}, {"id": None, "result": "x"}),
        lines({"question_id": 1, "model": "m", "judgment": "", "score": 1}, {"question_id": 2}),
        lines(pair(1, "tie", "tie"), []),
        run_of({"type": "match", "data": {}}),
        lines(event("a", "match", correct=True), {"sample_id": "b"}),
        json.dumps([{"instruction": "x", "output": "y", "generator": "m"}, {"instruction": None}]).encode(),
        json.dumps({"testRunData": {"testCases": 3}}).encode(),
        json.dumps({"testRunData": []}).encode(),
        json.dumps({"date": "x", "eval": {"a": 3, "b": [4]}}).encode(),
    ],
)
def test_records_of_another_shape_are_refused(damaged: bytes) -> None:
    with pytest.raises(PoolError):
        read(damaged, "log")


def langfuse(*scores: dict[str, Any]) -> bytes:
    facts = {"timestamp": "2026-01-01T00:00:00Z", "name": "qa", "output": "a", "sessionId": None}
    named = [[{"name": name, "value": value} for name, value in one.items()] for one in scores]
    return lines(*({"id": f"t{n}", "input": f"What {n}?", "scores": one, **facts} for n, one in enumerate(named)))


def inspect_log(scorer: str, *values: Any) -> bytes:
    samples = [
        {"id": n, "epoch": 1, "input": f"Q{n}", "target": "a", "scores": {scorer: {"value": value}}}
        | {"output": {"completion": "a"}}
        for n, value in enumerate(values)
    ]
    return json.dumps({"version": 2, "status": "success", "eval": {"model": "m"}, "samples": samples}).encode()


def ragas_table(**metrics: list[Any]) -> bytes:
    names = ",".join(f'"{name}"' for name in metrics)
    rows = [",".join(map(str, row)) for row in zip(*metrics.values(), strict=True)]
    return "\n".join([f"user_input,response,{names}", *(f"Q{n}?,foo,{row}" for n, row in enumerate(rows))]).encode()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (langfuse({"toxicity": 1}, {"toxicity": 0}), "“toxicity”"),
        (inspect_log("hallucination", 1, 0), "“hallucination”"),
        (inspect_log("refusal", "yes", "no"), "“refusal”"),
        (ragas_table(harmfulness=[1, 0]), "“harmfulness”"),
        (ragas_table(**{"noise_sensitivity(mode=relevant)": [0.1, 0.2]}), "“noise_sensitivity"),
    ],
)
def test_a_score_of_a_tool_that_sounds_bad_leaves_right_or_wrong_open(content: bytes, said: str) -> None:
    results = read_results({"log": content})
    pool = results.pool([], results.models)
    assert np.isnan(pool.losses(results.models[0])).all()
    assert any(said in note and "wrong=PATH" in note for note in results.notes)


@pytest.mark.parametrize(
    ("content", "losses", "said"),
    [
        # One score for all rows, whichever a row names first.
        (
            langfuse({"hallucination": 0, "correct": 1}, {"correct": 0, "hallucination": 1}, {"hallucination": 0}),
            [0, 1, None],
            "“correct”, not of “hallucination”.",
        ),
        (langfuse({"tone": 7, "clear": 1}, {"tone": 3, "clear": 0}), [0, 1], "“clear”, not of “tone”"),
        (ragas_table(harmfulness=[0, 1], coherence=[1, 0]), [0, 1], "“coherence”, not of “harmfulness”"),
        # Inspect's letters say themselves what is right.
        (inspect_log("refusal", "C", "I"), [0, 1], "“refusal”."),
    ],
)
def test_tools_say_which_score_is_taken_and_what_1_means(content: bytes, losses: list[float | None], said: str) -> None:
    assert losses_of(content) == losses
    assert any(said in note for note in read_outputs(content, "log").notes)


def test_lighteval_says_which_metric_is_read() -> None:
    notes = read_outputs(LOGS / "lighteval.parquet", "lighteval.parquet").notes
    assert any(note.startswith("Scores are those of “") for note in notes)
