"""Files of any other shape."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from core.errors import PoolError
from core.pool import Pool
from core.readers import read, read_or_shape, read_outputs
from core.readers.__main__ import main
from core.readers.field_map import FieldMap, at, read_mapped
from core.readers.model_results import joined
from core.readers.shape import Shape
from core.signals.columns import column_values

ROWS = [
    {
        "uuid": f"u{number}",
        "data": {"question": f"What is {number}?", "category": "sums"},
        "expected": str(number),
        "runs": [{"text": "1"}, {"text": "2"}],
        "response": "1",
        "is_correct": number == 1,
        "judge": 0.5,
    }
    for number in (1, 2, 3)
]


def parquet(rows: list[dict[str, Any]]) -> bytes:
    sink = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows), sink)
    return sink.getvalue()


CONTENTS = {
    "lines": "\n".join(map(json.dumps, ROWS)).encode(),
    "array": json.dumps(ROWS).encode(),
    "object": json.dumps({"meta": {"n": 3}, "results": {"rows": ROWS}}, indent=1).encode(),
    "object on one line": json.dumps({"results": {"rows": ROWS}}).encode(),
    "Parquet": parquet(ROWS),
}


@pytest.mark.parametrize("content", CONTENTS.values(), ids=CONTENTS)
def test_fields_are_guessed_and_read(content: bytes) -> None:
    shape = Shape.of(content, "big.jsonl")
    assert shape.guess == FieldMap(
        {
            "id": "uuid",
            "prompt": "data.question",
            "answer": "expected",
            "group": "data.category",
            "generations": "runs[].text",
        },
        {"big": {"text": "response", "right": "is_correct"}},
        judges=("judge",),
    )
    assert [place.path for place in shape.places][:3] == ["uuid", "data.question", "data.category"]
    assert FieldMap.of_json(json.loads(json.dumps(shape.guess.as_json()))) == shape.guess
    pool = read_mapped(content, shape.guess, "big")
    assert pool.items.index.tolist() == ["u1", "u2", "u3"] and column_values(pool, "judge").tolist() == [0.5] * 3
    assert pool.items["prompt"].tolist()[0] == "What is 1?" and pool.answers() == [["1", "2"]] * 3
    assert pool.losses("big").tolist() == [0, 1, 1]
    assert pool.origin is not None and pool.origin.fields["big · right"] == "is_correct"
    preview = read_mapped(content, shape.guess, "big", most=2)
    assert preview.items.index.tolist() == ["u1", "u2"]


def test_tables_and_numbered_columns_are_read() -> None:
    content = b"key;question;output_1;output_2;passed\na;Why?;x;y;yes\nb;How?;x;;no\n"
    fields = Shape.of(content, "t").guess
    assert fields.fields == {"id": "key", "prompt": "question", "generations": ("output_1", "output_2")}
    pool = read_mapped(content, fields, "t")
    assert pool.answers() == [["x", "y"], ["x"]] and pool.losses("t").tolist() == [0, 1]


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
    """The same, where the answers are samples."""
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


@pytest.mark.parametrize(("place", "tool"), list(enumerate(FORMS)), ids=FORMS)
def test_exports_of_other_tools_are_guessed(place: int, tool: str) -> None:
    content, expected = EXPORTS[place], FORMS[tool][1]
    shape = read_or_shape(content, "export")
    assert isinstance(shape, Shape)
    (target,) = shape.guess.targets.values() or ({},)
    known = {**shape.guess.fields, **target, "judge": ", ".join(shape.guess.judges)}
    assert {name: known.get(name) for name in expected} == expected
    pool = read_mapped(content, shape.guess)
    assert pool.n_items == 3
    if "right" in expected:
        several = "s[]." in str(expected["right"])
        assert pool.losses(next(iter(pool.targets))).tolist() == ([0.5, 1, 0.5] if several else [0, 1, 1])
    if "generations" in expected and expected["generations"] != "responses":
        assert pool.answers() == [list(answers) for answers in ANSWERS]


SAMPLES = {
    "a list": [{"qid": "a", "question": "Why?", "samples": ["x", "y"]}],
    "a list as text": [{"qid": "a", "question": "Why?", "samples": '["x", "y"]'}],
    "a list as Python prints it": [{"qid": "a", "question": "Why?", "samples": "['x', 'y']"}],
    "an object as Python prints it": [{"qid": "a", "row": "{'question': 'Why?', 'samples': ['x', 'y'], 'cost': None}"}],
    "columns": [{"qid": "a", "question": "Why?", "output_1": "x", "output_2": "y"}],
    "rows": [{"qid": "a", "question": "Why?", "output": "x"}, {"qid": "a", "question": "Why?", "output": "y"}],
    "rows without an id": [{"question": "Why?", "output": "x"}, {"question": "Why?", "output": "y"}],
    "objects": [{"qid": "a", "question": "Why?", "runs": [{"text": "x"}, {"text": "y"}]}],
}


@pytest.mark.parametrize("form", SAMPLES)
def test_samples_of_every_form_are_those_of_an_item(form: str) -> None:
    rows = "\n".join(map(json.dumps, SAMPLES[form]))
    other = rows.replace("Why?", "Why?!").replace('"a"', '"b"')
    content = f"{rows}\n{other}".encode()
    pool = read_mapped(content, Shape.of(content).guess)
    assert pool.answers() == [["x", "y"]] * 2 and pool.items["prompt"].tolist() == ["Why?", "Why?!"]


def test_rows_of_one_item_have_one_prompt_and_the_mean_of_their_judge() -> None:
    rows = [{"q": "a", "p": "Why?", "o": "x", "j": j, "ok": ok} for j, ok in (("0.5", None), ("1", "correct"))]
    fields = FieldMap({"id": "q", "prompt": "p", "generations": "o"}, {"m": {"right": "ok"}}, judges=("j",))
    pool = read_mapped(json.dumps(rows).encode(), fields)
    assert column_values(pool, "j").tolist() == [0.75] and pool.losses("m").tolist() == [0]
    assert "2 rows, 1 item" in pool.notes[0]
    with pytest.raises(PoolError) as caught:
        read_mapped(json.dumps([*rows, {**rows[0], "p": "How?"}, {**rows[0], "j": "n/a", "ok": 7}]).encode(), fields)
    assert [(problem.row, problem.field) for problem in caught.value.problems] == [(3, "prompt"), (4, "ok"), (4, "j")]


def test_rows_of_several_models_are_results_of_each() -> None:
    rows = [
        {"id": float(number), "question": f"{number}?", "model": model, "output": f"{model}{number}", "correct": right}
        for model, right in (("a", 1), ("b", 0))
        for number in (1, 2)
    ]
    guess = Shape.of(json.dumps(rows).encode(), "log").guess
    assert guess.model == "model" and FieldMap.of_json(guess.as_json()) == guess
    pool = read_mapped(json.dumps(rows).encode(), guess)
    assert pool.items.index.tolist() == ["1", "2"]
    assert pool.losses("a").tolist() == [0, 0] and pool.targets["a"].texts == ["a1", "a2"]
    assert pool.generations == [["b1"], ["b2"]] and any("Targets: a" in note for note in pool.notes)
    kept = {Shape.of(json.dumps(rows).encode(), "log").digest: guess}
    outputs = joined([read_outputs(json.dumps(rows).encode(), "log.json", kept)])
    assert outputs.models == ("a", "b") and outputs.accuracy == (1, 0)
    judged = [{**row, "judge": place / 4} for place, row in enumerate(rows)]
    some = FieldMap(guess.fields, guess.targets, judges=("judge",), model="model")
    assert column_values(read_mapped(json.dumps(judged).encode(), some), "judge").tolist() == [0.25, 0.5]
    with pytest.raises(PoolError) as caught:
        read_mapped(json.dumps([*rows, {**rows[0], "question": "?"}, {**rows[0], "model": None}]).encode(), guess)
    assert [(problem.row, problem.field) for problem in caught.value.problems] == [(5, "prompt"), (6, None)]


def test_scores_of_faults_are_no_right_answers_and_names_may_end_with_id() -> None:
    rows = [{"frage_id": f"f{n}", "question": f"{n}?", "output": "x", "scores": {"hallucination": n}} for n in (0, 1)]
    guess = Shape.of(json.dumps(rows).encode(), "log").guess
    assert guess.fields["id"] == "frage_id" and guess.targets == {"log": {"text": "output"}}
    assert guess.judges == ("scores.hallucination",)


def test_models_side_by_side_are_targets_and_a_map_fits_files_without_some_fields() -> None:
    content = (
        b"id,question,topic,gpt_output,gpt_correct,claude output,claude correct\na,Why?,x,p,1,q,0\nb,How?,y,p,0,q,0\n"
    )
    guess = Shape.of(content, "table").guess
    assert guess.targets == {
        "gpt": {"text": "gpt_output", "right": "gpt_correct"},
        "claude": {"text": "claude output", "right": "claude correct"},
    }
    assert read_mapped(content, guess).losses("gpt").tolist() == [0, 1]
    assert not Shape.of(b"id,question,model_note,right_side\na,Why?,x,1\nb,How?,y,2\n").guess.targets
    some = guess.within({"id", "question", "gpt_output", "claude output"})
    assert some.fields == {"id": "id", "prompt": "question"} and some.targets["gpt"] == {"text": "gpt_output"}


@pytest.mark.parametrize(
    ("numbers", "output", "answers"),
    [
        ([0, 1], "B", ["A", "B"]),
        ([2, 1], "B", ["B", "A"]),
        ([1, 1], "B", ["1", "1"]),
        ([0, 1], "1", ["0", "1"]),
        ([0, 7], "B", ["0", "7"]),
    ],
)
@pytest.mark.parametrize("model", ["", "who"])
def test_right_answers_that_number_the_options_become_letters(
    numbers: list[int], output: str, answers: list[str], model: str
) -> None:
    rows = [
        {"q": f"q{place}", "options": ["x", "y"], "gold": number, "out": output, "who": "m"}
        for place, number in enumerate(numbers)
    ]
    fields = FieldMap({"id": "q", "choices": "options", "answer": "gold"}, {"m": {"text": "out"}}, model=model)
    pool = read_mapped(json.dumps(rows).encode(), fields)
    assert pool.items["answer"].tolist() == answers
    assert pool.losses("m").tolist() == [float(output != answer) for answer in answers]


def test_a_file_of_more_columns_with_one_name_is_refused_and_a_line_of_the_delimiter_is_none() -> None:
    with pytest.raises(PoolError) as caught:
        Shape.of(b"id,question,output,output\na,Why?,x,y\n")
    assert [problem.field for problem in caught.value.problems] == ["output"]
    pool = read_mapped(b"sep=;\nnr;frage\n1;Was?\n", FieldMap({"prompt": "frage"}))
    assert pool.items["prompt"].tolist() == ["Was?"] and any("numbers of their rows" in note for note in pool.notes)


def test_the_shape_is_that_of_paths_and_kinds() -> None:
    def digest(*rows: dict[str, Any]) -> str:
        return Shape.of("\n".join(map(json.dumps, rows)).encode()).digest

    one = digest({"a": 1, "b": {"c": "x"}}, {"a": 2.5, "b": {"c": "y"}})
    assert digest({"b": {"c": "z"}, "a": 7}) == one
    assert digest({"a": "1", "b": {"c": "x"}}) != one != digest({"a": 1, "b": {"d": "x"}})


def test_a_kept_map_names_the_target_of_each_file_and_reads_it_beside_others() -> None:
    shape = Shape.of(CONTENTS["lines"], "big.jsonl")
    kept = shape.guess.unnamed(shape.model)
    assert list(kept.targets) == [""] and list(kept.named("other").targets) == ["other"]
    assert list(shape.guess.unnamed("else").targets) == ["big"]
    outputs = read_outputs(CONTENTS["lines"], "other.jsonl", {shape.digest: kept})
    results = joined([outputs])
    assert results.models == ("other (samples)", "other") and results.samples == (2, 1)
    with pytest.raises(PoolError, match=r"other\.jsonl: the file is in no known format"):
        read_outputs(CONTENTS["lines"], "other.jsonl")


def test_a_table_without_a_header_is_refused() -> None:
    with pytest.raises(PoolError):
        read_or_shape(b'\n\n"')


def test_a_file_is_a_pool_or_a_shape() -> None:
    native = json.dumps({"id": "a", "prompt": "Why?", "generations": ["x"]}).encode()
    assert isinstance(read_or_shape(native), Pool)
    assert isinstance(read_or_shape(b"id,prompt\na,Why?\n"), Pool)
    assert isinstance(read_or_shape(b"id,prompt,answer,answer_kind\na,How many?,1,number\n"), Pool)
    assert isinstance(read_or_shape(b"id,prompt,response\na,Why?,x\n"), Shape)
    assert isinstance(read_or_shape(CONTENTS["lines"]), Shape)
    with pytest.raises(PoolError, match="no rows"):
        read_or_shape(b"name,age\n")


@pytest.mark.parametrize(
    ("path", "value"),
    [("a.b", 1), ("c[1]", 3), ("c[9]", None), ("d[].e", [4, None]), ("x.y", "dotted"), ("a.b.c", None), ("c.a", None)],
)
def test_paths(path: str, value: Any) -> None:
    assert at({"a": {"b": 1}, "c": [2, 3], "d": [{"e": 4}, {}], "x.y": "dotted"}, path) == value


def test_paths_that_lead_nowhere_and_ids_that_repeat_are_refused() -> None:
    with pytest.raises(PoolError, match=r"no row has “data\.answer”"):
        read_mapped(CONTENTS["lines"], FieldMap({"id": "uuid", "answer": "data.answer"}))
    with pytest.raises(PoolError) as caught:
        read_mapped(CONTENTS["lines"], FieldMap({"id": "data.category"}))
    assert [problem.row for problem in caught.value.problems] == [2, 3]
    with pytest.raises(PoolError, match="there is no field"):
        FieldMap({"prmpt": "x"})


def test_the_command_writes_a_pool_and_says_what_it_took_for_what(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, out = tmp_path / "log.jsonl", tmp_path / "pool.parquet"
    file.write_bytes(CONTENTS["lines"])
    assert (
        main(["map", str(file), "--generations", "runs[].text", "--target", "big:right=is_correct", "--out", str(out)])
        == 0
    )
    printed = capsys.readouterr().out
    assert "data.question" in printed and "3 items" in printed
    assert read(out).losses("big").tolist() == [0, 1, 1]
    assert main(["map", str(file), "--target", "big"]) == 2
    assert "MODEL:FIELD=PATH" in capsys.readouterr().err
    assert main(["map", str(out)]) == 0 and "Neyman pool" in capsys.readouterr().out
    assert main(["map", str(file), "--out", str(tmp_path / "none" / "pool.parquet")]) == 2
    assert main(["map", str(file), "--id", "x", "--group", "y"]) == 2
    printed = capsys.readouterr().err
    assert "“x”" in printed and "“y”" in printed
    log = tmp_path / "target.csv"
    log.write_text("id,one,two\nu1,1,0\nu2,1,1\n")
    joint = tmp_path / "joint.jsonl"
    assert main(["join", str(out), str(log), "--surrogate", "pool", "--target", "one", "--out", str(joint)]) == 0
    assert read(joint).losses("one").tolist()[:2] == [0, 0]
