"""Logs of tools that score what others generated, as the tools wrote them."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.errors import PoolError
from core.readers import ModelResults, read, read_outputs, read_results
from tests.core.readers.toy import ITEMS, SAMPLES, letter, right, text

LOGS = Path(__file__).parent / "fixtures" / "tools"
NUMBERS = range(1, len(ITEMS) + 1)
QUESTIONS = [item["question"] for item in ITEMS]
FIRST_RIGHT = sum(right(number, 0) for number in NUMBERS) / len(ITEMS)
EVERY_RIGHT = sum(right(number, sample) for number in NUMBERS for sample in range(SAMPLES)) / (len(ITEMS) * SAMPLES)


def results_of(*names: str) -> ModelResults:
    return read_results({name: LOGS / name for name in names})


def losses_of(content: bytes, name: str = "log") -> list[float | None]:
    column: list[float | None] = read_outputs(content, name).table.column("loss").to_pylist()
    return column


def lines(*values: Any) -> bytes:
    return "\n".join(map(json.dumps, values)).encode()


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


# ----------------------------------------------------------------------------------------------------------- DeepEval


def test_passes_that_deepeval_counts_are_those_of_its_test_cases() -> None:
    account = results_of("deepeval.json").account
    assert account is not None and account.differences == ()
    assert [(total.reported, total.own) for total in account.totals] == [(pytest.approx(EVERY_RIGHT),) * 2]
    changed = json.loads((LOGS / "deepeval.json").read_bytes())
    changed["testRunData"]["testPassed"] += 1
    account = read_results({"run.json": json.dumps(changed).encode()}).account
    assert account is not None and "passed tests" in account.differences[0]


def test_a_run_of_deepeval_without_its_wrapper_is_the_same() -> None:
    run = json.loads((LOGS / "deepeval.json").read_bytes())["testRunData"]
    pool = read(json.dumps(run).encode())
    assert pool.generations == read(LOGS / "deepeval.json").generations


def test_conversations_errors_of_metrics_and_names_of_deepeval_are_read() -> None:
    turns = [{"role": role, "content": said} for role, said in zip(("user", "assistant") * 2, "abcd", strict=True)]
    cases = [
        {"name": "sum", "input": "1+1?", "actualOutput": "2", "expectedOutput": "2", "success": True,
         "metricsData": [{"name": "Fit", "score": 0.75, "success": True}]},
        {"name": "product", "input": "2*3?", "actualOutput": "5", "success": False,
         "metricsData": [{"name": "Fit", "success": False, "error": "timeout"}]},
        {"name": "silent", "input": "3?", "success": None, "metricsData": []},
    ]  # fmt: skip
    chat = {"name": "chat", "turns": turns, "success": False, "metricsData": []}
    run = {"testCases": cases, "conversationalTestCases": [chat], "metricsScores": [], "identifier": "night"}
    results = read_results({"run.json": json.dumps(run).encode()})
    assert results.models == ("night",) and results.accuracy == (pytest.approx(1 / 3),)
    items = results.pool([], ["night"]).items
    assert items.index.tolist() == ["sum", "product", "silent", "chat"]
    assert (
        items.loc["chat", "prompt"] == "User: a\n\nAssistant: b\n\nUser: c" and items.loc["sum", "metric_Fit"] == 0.75
    )
    assert any("metric ended with an error" in note and "1" in note for note in results.notes)
    assert results.pool([], ["night"]).targets["night"].texts == ["2", "5", None, "d"]


# -------------------------------------------------------------------------------------------------------------- Ragas


def ragas(form: str, frame: Any) -> bytes:
    orient = {"records": {"orient": "records"}, "lines": {"orient": "records", "lines": True}, "columns": {}}[form]
    written: str = frame.to_json(**orient)
    return written.encode()


@pytest.mark.parametrize("form", ["records", "lines", "columns"])
def test_a_table_of_ragas_is_the_same_in_every_form(form: str) -> None:
    import pandas as pd

    frame = pd.read_csv(LOGS / "ragas.csv")
    results = read_results({"ragas.json": ragas(form, frame)})
    assert results.accuracy == (pytest.approx(FIRST_RIGHT),) and results.samples == (SAMPLES,)


def test_references_of_ragas_are_shown_and_not_compared_word_by_word() -> None:
    rows = [
        {"question": f"Why {n}?", "answer": "Because of this.", "contexts": "['a', 'b']", "ground_truth": "It is so.",
         "faithfulness": 0.5, "answer_correctness": score}
        for n, score in ((1, 0.25), (2, None), (3, "nan"))
    ]  # fmt: skip
    pool = read(lines(*rows), "m")
    assert np.array_equal(pool.losses("m"), [0.75, np.nan, np.nan], equal_nan=True)
    assert pool.items["reference"].tolist() == ["It is so."] * 3 and pool.items["contexts"].tolist() == ["a\n\nb"] * 3
    assert pool.items["faithfulness"].tolist() == [0.5] * 3
    assert any("“answer_correctness”" in note and "“faithfulness”" in note for note in pool.notes)


def test_verdicts_and_rubrics_of_ragas() -> None:
    rows = [
        {"user_input": str(n), "response": "x", "retrieved_contexts": [], "tone": tone} for n, tone in enumerate("pf")
    ]
    named = [{**row, "tone": {"p": "pass", "f": "fail"}[row["tone"]]} for row in rows]
    assert losses_of(lines(*named)) == [0, 1]
    graded = [{**row, "tone": grade} for row, grade in zip(rows, (1, 5), strict=True)]
    outputs = read_outputs(lines(*graded), "log")
    assert outputs.table.column("loss").to_pylist() == [None, None]
    assert any("from 1 to 5" in note for note in outputs.notes)


def test_a_chat_of_ragas_is_asked_as_a_chat() -> None:
    chat = [
        {"content": "Hi", "type": "human"},
        {"content": "Hello", "type": "ai"},
        {"content": "Why?", "type": "human"},
    ]
    row = {"user_input": chat, "response": "x", "agent_goal_accuracy": 1.0}
    assert read(lines(row, {**row, "user_input": "How?"})).items["prompt"].tolist()[0].endswith("User: Why?")


# ----------------------------------------------------------------------------------------------- HumanEval and EvalPlus


def passes(number: int, sample: int) -> bool:
    """Whether a solution passes the tests that were added, too."""
    return right(number, sample) and number % 2 == 1


def test_a_solution_is_right_if_it_passes_the_tests_that_evalplus_added_too() -> None:
    results = results_of("evalplus_eval_results.json")
    assert results.models == ("evalplus",) and results.samples == (SAMPLES,)
    losses = results.pool([], ["evalplus"]).losses("evalplus")
    assert losses.tolist() == [float(not passes(number, 0)) for number in NUMBERS]


@pytest.mark.parametrize(("reported", "agrees"), [(0.1, True), (0.3, False)])
def test_pass_at_1_of_evalplus_is_the_mean_over_tasks(reported: float, agrees: bool) -> None:
    value = json.loads((LOGS / "evalplus_eval_results.json").read_bytes())
    own = sum(passes(number, sample) for number in NUMBERS for sample in range(SAMPLES)) / (len(ITEMS) * SAMPLES)
    value["pass_at_k"] = {"base": {"pass@1": EVERY_RIGHT}, "plus": {"pass@1": reported}}
    account = read_results({"m.json": json.dumps(value).encode()}).account
    assert account is not None and own == 0.1
    assert [(total.own, total.agrees) for total in account.totals] == [(pytest.approx(own), agrees)]


def test_results_of_evalplus_before_0_2_1_and_without_added_tests() -> None:
    old = {"date": "2023", "hash": "x", "eval": {
        "HumanEval/0": {"nfiles": 2, "base": [["pass", []], ["pass", []]], "plus": [["fail", [False]], ["pass", []]]},
        "HumanEval/1": {"nfiles": 1, "base": [["pass", []]], "plus": []},
    }}  # fmt: skip
    assert losses_of(json.dumps(old).encode()) == [1, 0]
    base = {"date": "2024", "eval": {"Mbpp/1": [{"solution": "x", "base_status": "pass", "plus_status": None}]}}
    assert losses_of(json.dumps(base).encode()) == [0]


def test_samples_without_results_have_no_score_and_files_name_their_models() -> None:
    samples = lines(*({"task_id": f"HumanEval/{n % 2}", "completion": f"    return {n}"} for n in range(4)))
    for name, model in (
        ("org--m_vllm_temp_0.8.jsonl", "org--m_vllm_temp_0.8"),
        ("humaneval/m/samples.jsonl", "m"),
        ("m_samples.jsonl", "m"),
        ("a/m.jsonl_results.jsonl", "m"),
    ):
        results = read_results({name: samples})
        assert results.models == (model,) and results.items == (2,) and results.samples == (2,)
        assert results.accuracy[0] != results.accuracy[0]


# ------------------------------------------------------------------------------------------------ MT-bench, AlpacaEval


def test_a_grade_of_mt_bench_counts_as_its_tenth() -> None:
    results = results_of("mt_bench_single.jsonl")
    # The judge gives 10 to a right answer, 2 to another, and none to the last question's.
    given = {
        model: [10 if right(number, sample + 2 * turn) else 2 for turn in (0, 1) for number in NUMBERS[:-1]]
        for model, sample in (("toy", 0), ("toy-again", 1))
    }
    accuracy = dict(zip(results.models, results.accuracy, strict=True))
    assert accuracy == {model: pytest.approx(sum(some) / len(some) / 10) for model, some in given.items()}
    assert any("no score" in note and "4" in note for note in results.notes)


def test_questions_answers_and_references_of_mt_bench_are_those_that_the_judge_saw() -> None:
    pool = results_of("mt_bench_single.jsonl").pool(["toy", "toy-again"], [])
    ids = [f"{80 + number}:{turn}" for turn in (1, 2) for number in NUMBERS]
    rows = {row["id"]: row for row in pool.table.to_pylist()}
    assert sorted(rows) == sorted(ids)
    for number, item in enumerate(ITEMS, start=1):
        first, second = rows[f"{80 + number}:1"], rows[f"{80 + number}:2"]
        assert first["prompt"] == item["question"] and second["prompt"] == f"{item['question']}\n\nAre you sure?"
        assert first["generations"] == [text(number, 0), text(number, 1)]
        assert second["generations"] == [text(number, 2), text(number, 3)]
        reference = f"ANSWER: {item['answer']}" if number % 2 else None
        assert (first["reference"], second["reference"]) == (reference, reference)


def pair(question: int, first: str, second: str, **other: Any) -> dict[str, Any]:
    winners = {"g1_winner": first, "g2_winner": second}
    return {"question_id": question, "model_1": "a", "model_2": "b", **winners, "judge": ["j", "p"], "turn": 1, **other}


def test_pairs_of_mt_bench_are_shares_of_wins() -> None:
    log = [json.loads(line) for line in (LOGS / "mt_bench_pair.jsonl").read_text(encoding="utf-8").splitlines()]
    expected = [
        0.5 if one["g1_winner"] != one["g2_winner"] else float(one["g1_winner"] == "model_1")
        for one in log
    ]  # fmt: skip
    results = results_of("mt_bench_pair.jsonl")
    assert results.models == ("toy",) and results.accuracy == (pytest.approx(sum(expected) / len(expected)),)
    content = lines(
        pair(1, "model_1", "model_1"), pair(2, "model_2", "model_2"), pair(3, "model_1", "model_2"),
        pair(4, "tie", "model_1"), pair(5, "tie", "tie"), pair(6, "error", "model_1"),
    )  # fmt: skip
    assert losses_of(content) == [0, 1, 0.5, 0.5, 0.5, None]
    several = lines(pair(1, "model_1", "model_1"), pair(1, "model_2", "model_2", model_2="c"))
    assert read_results({"log": several}).models == ("a against b", "a against c")


def test_grades_of_other_judges_are_left_out_and_other_scales_unknown() -> None:
    single = {"question_id": 1, "model": "m", "judge": ["j", "p"], "user_prompt": "?", "judgment": "", "turn": 1}
    outputs = read_outputs(lines({**single, "score": 8}, {**single, "score": 1, "judge": ["k", "p"]}), "log")
    assert outputs.table.column("loss").to_pylist() == [pytest.approx(0.2)]
    assert any("by judges other than “j”" in note for note in outputs.notes)
    assert losses_of(lines({**single, "score": 80})) == [None]


def test_preferences_of_alpaca_eval_are_shares_of_wins() -> None:
    results = results_of("alpaca_eval.json")
    pairs = [(right(number, 0), right(number, 1)) for number in NUMBERS]
    wins = [{(True, True): 0.5, (True, False): 1.0, (False, True): 0.0}.get(one) for one in pairs]
    losses = results.pool([], ["toy"]).losses("toy")
    assert np.array_equal(losses, [np.nan if win is None else 1 - win for win in wins], equal_nan=True)
    assert results.pool([], ["toy"]).items["prompt"].tolist() == QUESTIONS
    assert results.pool([], ["toy"]).targets["toy"].texts == [text(number, 0) for number in NUMBERS]
    assert any("“toy-again”" in note for note in results.notes)


def test_weighted_preferences_draws_and_outputs_alone() -> None:
    row = {"output_1": "a", "output_2": "b", "generator_1": "base", "generator_2": "m"}
    rows = [{**row, "instruction": str(n), "preference": one} for n, one in enumerate((1.25, 0, 2, None, 7))]
    assert losses_of(json.dumps(rows).encode()) == [0.75, 0.5, 0, None, None]
    outputs = [{"instruction": str(n), "output": "b", "generator": "m"} for n in range(2)]
    results = read_results({"outputs.json": json.dumps(outputs).encode()})
    assert results.models == ("m",) and results.samples == (1,) and results.accuracy[0] != results.accuracy[0]


# --------------------------------------------------------------------------------------------------------------- BFCL

RESULT, SCORE, ASKED = (f"BFCL_v4_simple_python{part}.json" for part in ("_result", "_score", ""))
IN_PLACE = {
    f"{kind}/gpt-4o/non_live/{name}": LOGS / name for kind, name in (("result", RESULT), ("score", SCORE))
}  # fmt: skip


@pytest.mark.parametrize("files", [IN_PLACE, {name: LOGS / name for name in (SCORE, RESULT)}])
def test_what_a_score_of_bfcl_does_not_name_is_right(files: dict[str, Path]) -> None:
    results = read_results(dict(files))
    model = "gpt-4o" if files is IN_PLACE else "gpt-4o-2024-11-20"
    assert results.models == (model,) and results.items == (len(ITEMS),)
    pool = results.pool([], [model])
    losses = dict(zip(pool.items.index, pool.losses(model), strict=True))
    assert losses == {f"simple_python_{number - 1}": float(not right(number, 0)) for number in NUMBERS}
    assert results.accuracy == (pytest.approx(FIRST_RIGHT),)
    account = results.account
    assert account is not None and [total.agrees for total in account.totals] == [True]
    assert "5 scores" in account.lines[-1]


def test_questions_of_bfcl_come_from_its_own_file_or_with_the_failures() -> None:
    asked = results_of(RESULT, SCORE).pool([], ["gpt-4o-2024-11-20"]).table.column("prompt").to_pylist()
    assert asked == [None if right(number, 0) else QUESTIONS[number - 1] for number in NUMBERS]
    whole = results_of(RESULT, SCORE, ASKED)
    assert whole.models == ("gpt-4o-2024-11-20",)
    assert whole.pool([], whole.models).items["prompt"].tolist() == QUESTIONS


def test_failures_of_bfcl_alone_are_no_model_of_accuracy_0() -> None:
    with pytest.raises(PoolError, match="only its failures, 3 of 5 entries") as caught:
        read(LOGS / SCORE)
    assert "result/<model>" in caught.value.problems[0].remedy
    counts = lines({"accuracy": 1.0, "correct_count": 5, "total_count": 5})
    assert read_results({RESULT: LOGS / RESULT, SCORE: counts}).accuracy == (1.0,)
    for damaged in (
        {"accuracy": 1.0, "correct_count": 4, "total_count": 4},
        {"accuracy": 1, "correct_count": 0, "total_count": 0},
    ):
        with pytest.raises(PoolError, match=r"entries|counts"):
            read_results({RESULT: LOGS / RESULT, SCORE: lines(damaged)})


def test_calls_of_several_turns_are_texts_and_categories_are_groups() -> None:
    calls = [[["a()"], ["b()"]], [["c()"]]]
    row = {"id": "multi_turn_base_0", "result": calls, "latency": [[1]], "input_token_count": [[1]]}
    outputs = read_outputs(lines(row, {**row, "id": "live_simple_0-0-0", "result": [{"f": "{}"}]}), "log.json")
    assert outputs.table.column("generations").to_pylist() == [[json.dumps(calls)], ['[{"f": "{}"}]']]
    assert outputs.table.column("group").to_pylist() == ["multi_turn_base", "live_simple"]


def test_right_calls_of_bfcl_are_shown_and_name_where_outputs_are() -> None:
    ids = [json.loads(line)["id"] for line in (LOGS / ASKED).read_text(encoding="utf-8").splitlines()]
    right_calls = lines(*({"id": name, "ground_truth": [{"choose": {"letter": ["A"]}}]} for name in ids))
    run = {f"{kind}/m/{name}": LOGS / name for kind, name in (("result", RESULT), ("score", SCORE))}
    whole = read_results({**run, ASKED: LOGS / ASKED, f"possible_answer/{ASKED}": right_calls})
    assert whole.models == ("m",) and whole.accuracy == (0.4,)
    items = whole.pool([], ["m"]).items
    assert items["prompt"].tolist() == QUESTIONS and set(items["reference"]) == {'[{"choose": {"letter": ["A"]}}]'}
    alone = read(right_calls, ASKED)
    assert alone.n_items == 5 and any("Outputs and scores are in the results" in note for note in alone.notes)


# -------------------------------------------------------------------------------------------------------- OpenAI evals


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


# ------------------------------------------------------------------------------------------------------------- Inspect


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


# ---------------------------------------------------------------------------------------------------------- all of them

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


# ------------------------------------------------------------------------------------------------------ What 1 means
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


def test_an_amount_is_no_metric_of_ragas() -> None:
    content = b"user_input,retrieved_contexts,response,latency,cost\nQ?,['c'],foo,0.9,0.2\n"
    assert losses_of(content) == [None]
