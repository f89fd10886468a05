"""Exports as other tools write them, three questions each, with the paths that their fields have."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from typing import Any

QUESTIONS = (("Two and two?", "4"), ("Three and three?", "6"), ("Four and four?", "8"))
# Each question is answered twice: right and wrong, wrong twice, wrong and right; the first answer alone makes a target.
ANSWERS = (("4", "5"), ("5", "7"), ("7", "8"))


def csv_of(rows: list[dict[str, Any]]) -> bytes:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(dict.fromkeys(name for row in rows for name in row)))
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


def rows_of(one: Callable[[int, str, str, str, int, float], dict[str, Any]], runs: int = 1) -> list[dict[str, Any]]:
    """A row for each run, of number, question, right answer, answer, number of the run and a judge's score."""
    return [
        one(n, question, right, ANSWERS[n][run], run, 0.25 * (n + run))
        for n, (question, right) in enumerate(QUESTIONS)
        for run in range(runs)
    ]


def braintrust(n: int, question: str, right: str, answer: str, run: int, judged: float) -> dict[str, Any]:
    scores = {"Factuality": judged, "Match": int(answer == right)}
    metrics = {"start": 1.5, "prompt_tokens": 10, "tokens": 13}
    known = {
        "id": f"b{n}-{run}",
        "_xact_id": "1000",
        "created": "2026-11-20T12:00:00Z",
        "project_id": "p",
        "is_root": True,
    }
    known |= {"input": question, "output": answer, "expected": right, "scores": scores, "metrics": metrics}
    return known | {"metadata": {"model": "small"}, "span_id": f"s{n}-{run}", "root_span_id": f"s{n}-{run}"}


def chatted(n: int, question: str, right: str, answer: str, run: int, judged: float) -> dict[str, Any]:
    turns = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": question}]
    said = {"role": "assistant", "content": answer}
    return {**braintrust(n, question, right, answer, run, judged), "input": turns, "output": said}


def langsmith(n: int, question: str, right: str, answer: str, run: int, judged: float) -> dict[str, Any]:
    row = {"inputs.question": question, "outputs.output": answer, "error": None, "reference.answer": right}
    row |= {"feedback.correct": int(answer == right), "feedback.helpful": judged, "execution_time": 0.25}
    return row | {"example_id": f"e{n}", "id": f"r{n}-{run}"}


def langsmith_row(n: int, question: str, right: str, answer: str, run: int, judged: float) -> dict[str, Any]:
    results = [{"key": "helpful", "score": judged, "value": None}, {"key": "correct", "score": answer == right}]
    return {
        "run": {"id": f"r{n}-{run}", "inputs": {"question": question}, "outputs": {"output": answer}},
        "example": {"id": f"e{n}", "inputs": {"question": question}, "outputs": {"answer": right}},
        "evaluation_results": {"results": results},
    }


def weave(n: int, question: str, right: str, answer: str, run: int, judged: float) -> dict[str, Any]:
    scores = {"match": {"fits": answer == right}, "judge": {"relevance": judged}}
    return {
        "id": f"c{n}-{run}",
        "trace_id": "t",
        "inputs": {"self": "weave:///e", "model": "small", "example": {"question": question, "expected": right}},
        "output": {"output": answer, "scores": scores, "model_latency": 0.2},
        "summary": {"weave": {"status": "success", "latency_ms": 210}},
    }


def weave_trial(answer: str, right: str, judged: float) -> dict[str, Any]:
    scores = {"match": {"correct": answer == right}, "judge": {"relevance": judged}}
    call = {"predict_and_score_call_id": answer, "scorer_call_ids": {"match": "m"}}
    return {**call, "model_output": answer, "scores": scores, "model_latency_seconds": 0.2, "total_tokens": 12}


def mlflow(n: int, question: str, right: str, answer: str, run: int, judged: float) -> dict[str, Any]:
    """Of ``mlflow.genai.evaluate``, as pandas writes CSV: objects as Python prints them."""
    feedback = {"fits": answer == right, "length": judged}
    assessments: list[dict[str, Any]] = [
        {"assessment_id": f"a{n}", "assessment_name": name, "feedback": {"value": value}, "valid": True}
        for name, value in feedback.items()
    ]
    right_answer = {"assessment_name": "expected_response", "expectation": {"value": right}, "valid": True}
    info = {"request_preview": json.dumps({"question": question}), "assessments": assessments}
    row = {"trace_id": f"t{n}-{run}", **{f"{name}/value": value for name, value in feedback.items()}}
    row |= {"length/rationale": "long", "expected_response/value": right, "trace": json.dumps({"info": info})}
    return row | {"request": {"question": question}, "response": answer, "assessments": [*assessments, right_answer]}


def mlflow_trace(n: int, question: str, right: str, answer: str, run: int, judged: float) -> dict[str, Any]:
    row = mlflow(n, question, right, answer, run, judged)
    return {name: row[name] for name in ("trace_id", "trace", "request", "response", "assessments")}


def phoenix(n: int, question: str, right: str, answer: str, run: int, judged: float) -> dict[str, Any]:
    row = {"example_id": f"e{n}", "repetition_number": run + 1, "input": {"question": question}, "output": answer}
    scores = {"correct": float(answer == right), "relevance": judged}
    annotations = [
        {
            "name": name,
            "annotator_kind": "CODE",
            "label": str(answer == right),
            "score": score,
            "trace_id": f"a{n}-{run}",
        }
        for name, score in scores.items()
    ]
    times = {"start_time": "2026-11-22T19:19:18.906249+00:00", "latency_ms": 0.25, "trace_id": f"t{n}-{run}"}
    return row | {"reference_output": {"answer": right}, "annotations": annotations} | times


def phoenix_cells(n: int, question: str, right: str, answer: str, run: int, judged: float) -> dict[str, Any]:
    row = phoenix(n, question, right, answer, run, judged)
    cells: dict[str, Any] = {"input": json.dumps(row["input"]), "reference_output": json.dumps(row["reference_output"])}
    for one in row.pop("annotations"):
        cells |= {f"annotation_{one['name']}_{part}": one[part] for part in ("label", "score", "trace_id")}
    return row | cells


def phoenix_span(n: int, question: str, right: str, answer: str, run: int, judged: float) -> dict[str, Any]:
    row = {"name": "answer", "span_kind": "LLM", "start_time": "2026-11-22 19:19:18.906249+00:00", "status_code": "OK"}
    row |= {"context.span_id": f"s{n}-{run}", "context.trace_id": f"t{n}-{run}", "attributes.llm.model_name": "small"}
    row |= {"attributes.input.value": question, "attributes.output.value": answer}
    verdict = {"result.label": "correct" if answer == right else "incorrect", "result.score": float(answer == right)}
    return row | {"annotation_name": "correctness"} | verdict


def columns(prompt: str, text: str, answer: str, right: str, judge: str) -> dict[str, str]:
    return {"prompt": prompt, "text": text, "answer": answer, "right": right, "judge": judge}


def repeated(fields: dict[str, str], identity: str) -> dict[str, str]:
    """The same, if the answers are samples."""
    return {("generations" if name == "text" else name): path for name, path in fields.items()} | {"id": identity}


BRAINTRUST = columns("input", "output", "expected", "scores.Match", "scores.Factuality")
LANGSMITH = columns("inputs.question", "outputs.output", "reference.answer", "feedback.correct", "feedback.helpful")
WEAVE = columns(
    "inputs.example.question",
    "output.output",
    "inputs.example.expected",
    "output.scores.match.fits",
    "output.scores.judge.relevance",
)
TRIALS = columns(
    "raw_data_row.question",
    "evaluations[].trials[].model_output",
    "raw_data_row.expected",
    "evaluations[].trials[].scores.match.correct",
    "evaluations[].trials[].scores.judge.relevance",
)
RUNS = columns(
    "inputs.question",
    "runs[].outputs.output",
    "outputs.answer",
    "runs[].feedback_stats.correct.avg",
    "runs[].feedback_stats.helpful.avg",
)
MLFLOW = columns("request.question", "response", "expected_response/value", "fits/value", "length/value")
ASSESSED = columns(
    "request.question",
    "response",
    "assessments[expected_response].expectation.value",
    "assessments[fits].feedback.value",
    "assessments[length].feedback.value",
)
PHOENIX = columns(
    "input.question", "output", "reference_output.answer", "annotations[correct].score", "annotations[relevance].score"
)
CELLS = PHOENIX | {"right": "annotation_correct_score", "judge": "annotation_relevance_score"}
SPANS = {"prompt": "attributes.input.value", "text": "attributes.output.value", "right": "result.score", "answer": None}
NAMED = "evaluation_results.results[{}].score".format
# As MLflow 3.17 and Phoenix 20 write them, and as the SDKs of LangSmith 0.15, Braintrust 0.48 and Weave 0.54 do.
FORMS: dict[str, tuple[Any, dict[str, str | None]]] = {
    "Braintrust": (rows_of(braintrust), BRAINTRUST | {"id": "id"}),
    "Braintrust, trials": ({"events": rows_of(braintrust, 2), "cursor": None}, repeated(BRAINTRUST, "input")),
    "Braintrust, chats": (
        rows_of(chatted, 2),
        repeated(BRAINTRUST, "input[].content") | {"prompt": "input[].content", "generations": "output.content"},
    ),
    "LangSmith": (csv_of(rows_of(langsmith)), LANGSMITH | {"id": "example_id"}),
    "LangSmith, repetitions": (csv_of(rows_of(langsmith, 2)), repeated(LANGSMITH, "example_id")),
    "LangSmith, result rows": (
        rows_of(langsmith_row),
        {"id": "example.id", "text": "run.outputs.output", "right": NAMED("correct"), "judge": NAMED("helpful")},
    ),
    "LangSmith, examples with runs": (
        [
            {
                "id": f"e{n}",
                "inputs": {"question": question},
                "outputs": {"answer": right},
                "runs": [
                    {
                        "id": f"r{n}-{run}",
                        "trace_id": f"r{n}-{run}",
                        "inputs": {"question": question},
                        "outputs": {"output": answer},
                        "feedback_stats": {
                            "correct": {"n": 1, "avg": float(answer == right), "stdev": 0},
                            "helpful": {"n": 1, "avg": 0.25 * n},
                        },
                        "total_tokens": 31,
                    }
                    for run, answer in enumerate(ANSWERS[n])
                ],
            }
            for n, (question, right) in enumerate(QUESTIONS)
        ],
        repeated(RUNS, "id"),
    ),
    "MLflow, model evaluation": (
        {
            "columns": ["inputs", "ground_truth", "outputs", "token_count", "exact_match/v1/score"],
            "data": [[q, a, "4", 3, int(n == 0)] for n, (q, a) in enumerate(QUESTIONS)],
        },
        {"prompt": "inputs", "answer": "ground_truth", "text": "outputs", "right": "exact_match/v1/score"},
    ),
    "MLflow": (csv_of(rows_of(mlflow)), MLFLOW | {"id": "trace_id"}),
    "MLflow, runs": (rows_of(mlflow, 2), repeated(MLFLOW, "request.question")),
    "MLflow, traces": (csv_of(rows_of(mlflow_trace, 2)), repeated(ASSESSED, "request.question")),
    "Phoenix": (rows_of(phoenix), PHOENIX | {"id": "example_id"}),
    "Phoenix, repetitions": (rows_of(phoenix, 2), repeated(PHOENIX, "example_id")),
    "Phoenix, cells": (csv_of(rows_of(phoenix_cells, 2)), repeated(CELLS, "example_id")),
    "Phoenix, spans": (csv_of(rows_of(phoenix_span)), SPANS | {"id": "context.trace_id"}),
    "Phoenix, runs": (
        [
            {"dataset_example_id": f"e{n}", "output": answer, "start_time": "2026-11-22T19:19:19", "id": f"r{n}-{run}"}
            for n, answers in enumerate(ANSWERS)
            for run, answer in enumerate(answers)
        ],
        {"id": "dataset_example_id", "prompt": None, "generations": "output"},
    ),
    "Weave": (rows_of(weave), WEAVE | {"id": "id"}),
    "Weave, trials": (rows_of(weave, 2), repeated(WEAVE, "inputs.example.question")),
    "Weave, results": (
        {
            "rows": [
                {
                    "row_digest": f"d{n}",
                    "raw_data_row": {"question": question, "expected": right},
                    "evaluations": [
                        {
                            "evaluation_call_id": "e",
                            "trials": [weave_trial(answer, right, 0.25 * n) for answer in ANSWERS[n]],
                        }
                    ],
                }
                for n, (question, right) in enumerate(QUESTIONS)
            ],
            "total_rows": 3,
            "warnings": [],
        },
        repeated(TRIALS, "") | {"id": None},
    ),
    "LangSmith, answers called alike": (
        [
            {"outputs.answer": "4", "inputs.question": question, "reference.answer": right, "id": f"r{n}"}
            for n, (question, right) in enumerate(QUESTIONS)
        ],
        {"prompt": "inputs.question", "text": "outputs.answer", "answer": "reference.answer", "id": "id"},
    ),
    "Weave, answers called alike": (
        [
            {"output": {"answer": "4"}, "inputs": {"example": {"question": question, "answer": right}}}
            for question, right in QUESTIONS
        ],
        {"prompt": "inputs.example.question", "text": "output.answer", "answer": "inputs.example.answer"},
    ),
    "a table for retrieval": (
        [
            {"query": question, "answer": "4", "ground_truth": right, "answer_relevancy": "0.5"}
            for question, right in QUESTIONS
        ],
        {"prompt": "query", "text": "answer", "answer": "ground_truth"},
    ),
    "a colleague's table": (
        [
            {
                "User question": q,
                "Correct answer": a,
                "gpt4_answer": "4",
                "gpt4_correct": ("no", "yes")[n == 0],
                "response_time": "1.5",
            }
            for n, (q, a) in enumerate(QUESTIONS)
        ],
        columns("User question", "gpt4_answer", "Correct answer", "gpt4_correct", ""),
    ),
    "one record a key": (
        {f"q{n}": {"question": q, "answer": a, "responses": ["4", "5"]} for n, (q, a) in enumerate(QUESTIONS)},
        {"id": "key", "prompt": "question", "generations": "responses"},
    ),
    "pandas' columns": (
        {name: {str(n): pair[side] for n, pair in enumerate(QUESTIONS)} for side, name in enumerate(("query", "gold"))},
        {"prompt": "query", "answer": "gold"},
    ),
}


EXPORTS = [given if isinstance(given, bytes) else json.dumps(given).encode() for given, _ in FORMS.values()]
