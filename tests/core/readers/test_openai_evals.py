"""Logs of OpenAI evals."""

from __future__ import annotations

from itertools import chain
from typing import Any

import numpy as np

from core.readers import read, read_outputs, read_results
from tests.core.readers.json_lines import lines
from tests.core.readers.scored import FIRST_RIGHT, LOGS, NUMBERS, QUESTIONS, results_of
from tests.core.readers.toy import ITEMS, text

EVALS = "openai_evals.jsonl"


def event(name: str, kind: str, **data: Any) -> dict[str, Any]:
    return {"run_id": "r", "event_id": 0, "sample_id": name, "type": kind, "data": data, "created_by": ""}


def run_of(*events: dict[str, Any], **report: float) -> bytes:
    spec = {"spec": {"completion_fns": ["org/m", "judge"], "eval_name": "jokes.dev.v0"}}
    return lines(spec, *events, {"final_report": report})


def test_a_log_of_oaieval_has_questions_outputs_right_answers_and_its_own_accuracy() -> None:
    results = results_of(EVALS)
    assert results.models == ("toy",) and results.accuracy == (FIRST_RIGHT,)
    pool = results.pool([], ["toy"])
    by_id = pool.items.sort_index()
    assert by_id.index.tolist() == [f"toy.dev.{number - 1}" for number in NUMBERS]
    assert by_id["prompt"].tolist() == QUESTIONS
    assert by_id["answer"].tolist() == [f"ANSWER: {item['answer']}" for item in ITEMS]
    assert sorted(pool.targets["toy"].texts or ()) == [text(number, 0) for number in NUMBERS]
    assert results.account is not None and [one.own for one in results.account.totals] == [0.4]
    assert results.account.differences == ()


def test_what_a_grader_of_oaieval_says_is_a_score_and_no_output() -> None:
    asked = [{"role": "user", "content": "Is this funny?"}]
    events = [
        [event(f"jokes.{n}", "sampling", prompt=f"Joke {n}.", sampled=f"Ha {n}."),
         event(f"jokes.{n}", "sampling", prompt=asked, sampled="Yes"),
         event(f"jokes.{n}", "metrics", choice="Yes", score=score)]
        for n, score in enumerate((1.0, 0.0, None))
    ]  # fmt: skip
    content = run_of(*chain(*events), event("jokes.3", "error", type="Timeout"), score=0.25)
    results = read_results({"log": content})
    pool = results.pool([], ["org/m"])
    assert pool.items["prompt"].tolist()[:3] == [f"Joke {n}." for n in range(3)]
    assert pool.targets["org/m"].texts == ["Ha 0.", "Ha 1.", "Ha 2.", None]
    np.testing.assert_array_equal(pool.losses("org/m"), [0, 1, np.nan, np.nan])
    assert "“score”" in "".join(pool.notes) and any("ended without an output" in note for note in pool.notes)
    assert results.account is not None and "25" in results.account.differences[0]


def test_a_sample_of_oaieval_without_a_prompt_has_not_that_of_its_grader() -> None:
    samplings = [
        event("a.0", "sampling", prompt=prompt, sampled=said) for prompt, said in ((None, []), ("Is it?", "Y"))
    ]
    record = read_outputs(run_of(*samplings, event("a.0", "metrics", score=1.0)), "log").table.to_pylist()[0]
    assert record.get("prompt") is None and not record.get("generations") and record["loss"] == 0


def test_logs_of_oaieval_of_several_models_and_runs_stand_beside_each_other() -> None:
    log = (LOGS / EVALS).read_bytes()
    other = log.replace(b'"completion_fns": ["toy"]', b'"completion_fns": ["other"]')
    again = log.replace(b'"created_at": "2026', b'"created_at": "2027').replace(b"try 0", b"try 1")
    assert read_results({"a.jsonl": log, "b.jsonl": other}).models == ("toy", "other")
    runs = read_results({"a.jsonl": log, "b.jsonl": again})
    assert [model.partition(" (202")[0] for model in runs.models] == ["toy", "toy"] and len(set(runs.models)) == 2


def test_metrics_of_oaieval_that_say_nothing_of_right_and_wrong_are_named() -> None:
    content = run_of(event("zh.0", "sampling", prompt="Translate.", sampled="x"), event("zh.0", "metrics", bleu=1.9))
    pool = read(content, "log")
    assert not pool.targets["org/m"].known() and any("not read: “bleu”" in note for note in pool.notes)
