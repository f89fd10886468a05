"""Batches, EvalScope, OpenCompass, every_eval_ever, Langfuse and VLMEvalKit; and files that complete each other."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from typing import Any

import pandas as pd
import pytest

from core.errors import PoolError
from core.readers import read, read_results


def lines(*values: dict[str, Any]) -> bytes:
    return "\n".join(map(json.dumps, values)).encode()


# ------------------------------------------------------------------------------------------------------------ batches


def answer(name: str, *texts: str, **other: Any) -> dict[str, Any]:
    choices = [{"index": place, "message": {"role": "assistant", "content": text}} for place, text in enumerate(texts)]
    body = {"model": "served", "choices": choices}
    response = {"status_code": 200, "request_id": "r", "body": body}
    return {"id": "batch_req_1", "custom_id": name, "response": response, "error": None, **other}


EXPIRED = {"code": "batch_expired", "message": "This request could not be executed."}
ITEMS = lines(*({"id": f"q{number}", "prompt": f"What is {number}?", "answer": str(number)} for number in (1, 2, 3)))


def test_lines_of_a_batch_are_samples_in_the_order_of_their_numbers() -> None:
    content = lines(
        answer("q2#s1", "2"), answer("q1#s10", "3"), answer("q1#s2", "2"), answer("q1#s0", "1"), answer("q2#s0", "x"),
        answer("q3#s0", response=None, error=EXPIRED),
    )  # fmt: skip
    results = read_results({"items.jsonl": ITEMS, "output.jsonl": content})
    assert results.models == ("served",) and results.default_split().committee == ("served",)
    pool = results.pool(["served"], [])
    assert pool.generations == [["1", "2", "3"], ["x", "2"], []]
    assert pool.items["prompt"].tolist()[2] == "What is 3?" and pool.items["answer"].tolist() == ["1", "2", "3"]
    assert any("1" in note and "batch_expired" in note and "q3#s0" in note for note in pool.notes)


def test_choices_of_one_request_are_samples_and_answers_again_are_left_out() -> None:
    content = lines(answer("a", "x", "y", "z"), answer("a", "other"), answer("b", "u", "v", "w"))
    pool = read(content)
    assert pool.items.index.tolist() == ["a", "b"] and pool.generations == [["x", "y", "z"], ["u", "v", "w"]]
    assert any("Repeated answers" in note and "1" in note for note in pool.notes)


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ({"choices": [{"index": 0, "text": "4"}]}, "4"),
        (
            {"output": [{"type": "reasoning"}, {"type": "message", "content": [{"type": "output_text", "text": "4"}]}]},
            "4",
        ),
        ({"choices": [{"message": {"content": [{"type": "text", "text": "4"}]}}]}, "4"),
        ({"choices": [{"message": {"content": None}}]}, ""),
    ],
)
def test_every_endpoint_of_a_batch_is_read(body: dict[str, Any], text: str) -> None:
    pool = read(lines(answer("a", response={"status_code": 200, "body": {"model": "m", **body}})), "batch")
    assert pool.targets["m"].texts == [text]


@pytest.mark.parametrize(
    "failed",
    [
        {"response": {"status_code": 400, "body": None}, "error": "too long"},
        {"response": {"status_code": 429, "body": {"error": {"message": "too long"}}}, "error": None},
        {"response": {"status_code": 200, "body": {"choices": []}}, "error": None},
        {"response": None, "error": None},
        {"response": "?"},
    ],
)
def test_failed_lines_of_a_batch_are_noted_and_their_items_stay(failed: dict[str, Any]) -> None:
    pool = read(lines(answer("a", "1", "2"), answer("b", **failed)))
    assert pool.items.index.tolist() == ["a", "b"] and pool.generations == [["1", "2"], []]
    assert any(note.startswith("Requests without an answer: 1") for note in pool.notes)


def test_a_batch_that_neyman_wrote_names_items_by_their_places_in_the_pool() -> None:
    job = "0123456789abcdef"
    content = lines(answer(f"{job}-2-0-2", "3", "4"), answer(f"{job}-0-1-1", "b"), answer(f"{job}-0-0-1", "a"))
    pool = read_results({"items.jsonl": ITEMS, "output.jsonl": content}).pool(["served"], [])
    assert pool.items.index.tolist() == ["q1", "q2", "q3"] and pool.generations == [["a", "b"], [], ["3", "4"]]
    with pytest.raises(PoolError, match="lacks"):
        read_results({"items.jsonl": ITEMS.split(b"\n")[0], "output.jsonl": content})
    with pytest.raises(PoolError, match="several"):
        read_results({"a.jsonl": ITEMS, "b.jsonl": ITEMS.split(b"\n")[0], "output.jsonl": content})


def test_requests_bring_the_questions_by_which_answers_are_matched() -> None:
    requests = [
        {"custom_id": f"request-{place}", "method": "POST", "url": "/v1/chat/completions", "body": {"messages": chat}}
        for place, chat in enumerate(
            [{"role": "system", "content": "Be brief."}, {"role": "user", "content": f"What is {number}?"}]
            for number in (3, 2, 1)
        )
    ]
    answers = lines(*(answer(f"request-{place}", text, text) for place, text in enumerate("cba")))
    results = read_results({"out.jsonl": answers, "in.jsonl": lines(*requests), "items.jsonl": ITEMS})
    pool = results.pool(["served"], [])
    assert pool.items.index.tolist() == ["q1", "q2", "q3"]
    assert pool.generations == [["a", "a"], ["b", "b"], ["c", "c"]]
    with pytest.raises(PoolError, match="requests only"):
        read(lines(*requests))


def test_a_batch_without_names_is_refused() -> None:
    with pytest.raises(PoolError) as caught:
        read(lines(answer("a", "1"), answer(" ", "2"), {"response": None}))
    assert [problem.row for problem in caught.value.problems] == [2, 3]


# ---------------------------------------------------------------------------------------------- EvalScope, OpenCompass


def review(index: int, group: int, text: str, read_as: str | None, score: float, **other: Any) -> dict[str, Any]:
    score_of = {"value": {"f1": 0.25, "acc": score}, "extracted_prediction": read_as, "prediction": text}
    return {
        "index": index,
        "input": [{"role": "user", "content": f"What is {group}?"}],
        "target": str(group),
        "sample_score": {
            "score": {**score_of, "main_score_name": "acc"},
            "sample_id": index,
            "group_id": group,
            "sample_metadata": {"subject": "sums"},
        },
        **other,
    }


def prediction(index: int, group: int, text: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": text}
    output = {"model": "m", "choices": [{"message": message, "stop_reason": "stop"}], "error": None}
    chat = [{"role": "user", "content": f"What is {group}?"}, message]
    return {"index": index, "model": "m", "model_output": output, "messages": chat}


REVIEWS = [
    review(2 * n + again, n, f"It is {n + again}", str(n + again), 1.0 - again) for n in (0, 1) for again in (0, 1)
]
PREDICTIONS = [prediction(2 * n + again, n, f"It is {n + again}") for n in (0, 1) for again in (0, 1)]


def test_reviews_of_evalscope_have_samples_answers_and_the_main_score() -> None:
    results = read_results({"reviews/m/sums_main.jsonl": lines(*REVIEWS)})
    assert results.models == ("m",) and results.accuracy == (1.0,)
    pool = results.pool(["m"], [])
    assert pool.answers() == [["0", "1"], ["1", "2"]] and pool.items["answer"].tolist() == ["0", "1"]
    assert pool.items["group"].tolist() == ["sums", "sums"]


def test_predictions_of_evalscope_are_completed_by_their_reviews() -> None:
    alone = read(lines(*PREDICTIONS))
    assert alone.generations == [["It is 0", "It is 1"], ["It is 1", "It is 2"]]
    files = {"predictions/m/sums_main.jsonl": lines(*PREDICTIONS), "reviews/m/sums_main.jsonl": lines(*REVIEWS)}
    both = read_results(files)
    assert both.models == ("m",) and both.accuracy == (1.0,)
    with pytest.raises(PoolError, match="two files of “m”"):
        changed = [
            {**one, "sample_score": {**one["sample_score"], "group_id": 1 - n // 2}} for n, one in enumerate(REVIEWS)
        ]
        read_results({**files, "reviews/m/sums_main.jsonl": lines(*changed)})


def run(api: str, *texts: str, late: bool = False) -> tuple[bytes, bytes]:
    """The predictions and reviews of one run, which names its API as ``api``; the reviews name no model."""
    asked = [prediction(place, place // 2, text) | {"model": api} for place, text in enumerate(texts)]
    scored = [review(n, n // 2, text, text, float(text == str(n // 2))) for n, text in enumerate(texts)]
    return lines(*asked[:: -1 if late else 1]), lines(*scored)


def test_predictions_and_reviews_are_joined_by_their_folders_whatever_the_lines_call_the_model() -> None:
    files = {}
    for model in ("small", "big", "third"):
        texts = ("0", "x", "1", model)
        # Predictions stand in the order in which they were answered.
        both = zip(("predictions", "reviews"), run(f"org/{model}", *texts, late=True), strict=True)
        files |= {f"outputs/20260131_1/{kind}/{model}/sums_main.jsonl": content for kind, content in both}
    results = read_results(files)
    assert results.models == ("small", "big", "third") and results.accuracy == (1.0, 1.0, 1.0)
    assert results.pool(["small"], []).generations == [["0", "x"], ["1", "small"]]


def test_runs_with_one_api_name_are_models_of_their_own() -> None:
    texts = (("0", "0", "1", "1"), ("0", "0", "x", "1"), ("x", "0", "x", "1"))
    named = {f"outputs/o/reviews/run-{n}/sums_main.jsonl": run("served", *some)[1] for n, some in enumerate(texts)}
    results = read_results(named)
    assert results.models == ("run-0", "run-1", "run-2") and results.accuracy == (1.0, 0.5, 0.0)
    for name in ("outputs/run-{n}/{kind}/served/sums_main.jsonl", "run-{n}.jsonl"):
        files = {
            name.format(n=n, kind=kind): content
            for n, some in enumerate(texts)
            for kind, content in list(zip(("predictions", "reviews"), run("served", *some), strict=True))
            if "{kind}" in name or kind == "predictions"
        }
        results = read_results(files)
        assert results.models == ("served (run-0)", "served (run-1)", "served (run-2)")
        assert any("“served”" in note and "3" in note for note in results.notes)
    same = {f"outputs/{n}/predictions/served/sums_{n}.jsonl": run("served", "0", str(n))[0] for n in (1, 2)}
    assert read_results(same).models == ("served",)


def test_lines_of_evalscope_that_a_later_one_replaces_and_ids_that_are_no_names_are_noted_or_left() -> None:
    metadata = {"sample_metadata": {"id": "unknown", "subject": "sums"}}
    first, second = (review(n, n, "x", "x", 0.0) for n in (0, 1))
    again = review(1, 1, "1", "1", 1.0)
    content = [{**one, "sample_score": {**one["sample_score"], **metadata}} for one in (first, second, again)]
    results = read_results({"reviews/m/sums.jsonl": lines(*content)})
    assert results.accuracy == (0.5,) and any("later line" in note and "1" in note for note in results.notes)
    assert results.pool([], ["m"]).items.index.tolist() == ["0", "1"]


def test_main_scores_of_evalscope_on_another_scale_are_unknown_and_noted() -> None:
    content = lines(*(review(n, n, "x", None, score) for n, score in enumerate((1.0, 7.0))))
    results = read_results({"reviews/m/sums.jsonl": content})
    assert results.accuracy[0] != results.accuracy[0]
    assert any("from 1 to 7" in note for note in results.notes)


def compass(*predictions: Any, **other: Any) -> bytes:
    rows = {
        str(place): {
            "origin_prompt": [{"role": "HUMAN", "prompt": f"What is {place % 2}?"}],
            "prediction": text,
            "gold": str(place % 2),
            **other,
        }
        for place, text in enumerate(predictions)
    }
    return json.dumps(rows, indent=4).encode()


def test_predictions_of_opencompass() -> None:
    results = read_results({"predictions/m/sums.json": compass("0", "x")})
    pool = results.pool([], ["m"])
    assert pool.targets["m"].texts == ["0", "x"] and pool.items["prompt"].tolist() == ["What is 0?", "What is 1?"]
    assert pool.items["answer"].tolist() == ["0", "1"]
    assert read(compass(["0", "1"], ["1", "1"])).answers() == [["0", "1"], ["1", "1"]]
    repeated = read(compass("0", "1", "0", "2"))
    assert repeated.answers() == [["0", "0"], ["1", "2"]]
    assert any("2 times" in note for note in repeated.notes)
    given = json.loads(compass("0", "x"))
    meanwhile = lines(*({"idx": int(place), **row} for place, row in given.items()))
    assert read_results({"predictions/m/sums.jsonl": meanwhile}).pool([], ["m"]).digest == pool.digest


def test_options_of_opencompass_and_conversations() -> None:
    options = {f"label: {letter}": {"testing input": "?", "prompt": letter, "PPL": 1.5} for letter in "AB"}
    rows = {"0": {"origin_prompt": "Which?", **options, "prediction": "B", "gold": "A"}}
    pool = read(json.dumps(rows).encode(), "m")
    assert pool.targets["m"].answers == ["B"] and pool.items["answer"].tolist() == ["A"]
    talk = [[{"role": "HUMAN", "prompt": f"And {n}?"}] for n in (1, 2)]
    rounds = {"0": {"gold": ["1", "2"], "prediction": ["one", "two"], "origin_prompt": talk}}
    pool = read(json.dumps(rows | {"0": rounds["0"]}).encode(), "m")
    assert pool.targets["m"].texts == ["two"] and pool.items.loc["0", ["prompt", "answer"]].tolist() == ["And 2?", "2"]


@pytest.mark.parametrize(
    ("content", "row"),
    [
        (lines(review(0, 0, "a", "a", 1), {"index": 1, "sample_score": {"score": 3}}), 2),
        (lines(prediction(0, 0, "a"), {"index": 1, "model_output": {"choices": [{}]}}), 2),
        (json.dumps({"0": {"prediction": "x"}, "1": {}}).encode(), 2),
        (b'{"0": {"prediction": "x"}', None),
    ],
)
def test_damaged_files_of_evalscope_and_opencompass_are_refused(content: bytes, row: int | None) -> None:
    with pytest.raises(PoolError) as caught:
        read(content)
    assert caught.value.problems[0].row == row


def test_a_column_of_a_pool_may_be_called_as_one_of_results() -> None:
    pools = lines(
        *({"id": f"q{n}", "generations": ["A", "B"], "model": "x", "loss": 2, "trace_id": "t"} for n in (1, 2))
    )
    pool = read_results({"small.jsonl": pools}).pool(["small"], [])
    assert pool.generations == [["A", "B"], ["A", "B"]] and pool.items["item_model"].tolist() == ["x", "x"]


# ---------------------------------------------------------------------------------------------------- every_eval_ever


def instance(name: str, texts: list[str], score: float, **other: Any) -> dict[str, Any]:
    marked = {"turn_idx": 0, "source": "output.raw", "extraction_method": "regex", "is_terminal": True}
    return {
        "schema_version": "0.2.2",
        "evaluation_id": "e",
        "model_id": "org/m",
        "evaluation_name": "colours",
        "sample_id": name,
        "interaction_type": "single_turn",
        "input": {"raw": f"Which {name}?", "reference": ["blue"], "choices": ["red", "blue"]},
        "output": {"raw": texts},
        "messages": None,
        "answer_attribution": [{**marked, "extracted_value": text} for text in texts],
        "evaluation": {"score": score, "is_correct": score > 0.5},
        "metadata": {"subject": "art"},
        **other,
    }


def test_records_of_every_eval_ever() -> None:
    content = lines(
        instance("a", ["B", "red"], 1.0), instance("b", ["A", "A"], 0.0),
        instance("a", ["B", "red"], 0.0, evaluation_result_id="f1"),
        instance("a", ["B"], 1.0, evaluation_name="shades", input={"raw": "Other?", "reference": []}),
    )  # fmt: skip
    pool = read_results({"x_samples.jsonl": content}).pool(["org/m"], [])
    assert pool.items.index.tolist() == ["colours:a", "colours:b", "shades:shades:a"]
    assert pool.answers() == [["B", "A"], ["A", "A"], ["B"]] and pool.items["answer"].tolist()[:2] == ["B", "B"]
    assert any("“colours f1”" in note for note in pool.notes)
    results = read_results({"x": lines(instance("a", ["B"], 1.0), instance("b", ["A"], 0.0))})
    assert results.accuracy == (0.5,) and results.pool([], ["org/m"]).losses("org/m").tolist() == [0, 1]


def test_answers_that_a_tool_has_read_are_right_however_they_are_spelled() -> None:
    given = {"raw": "Which?", "reference": ["Dark Blue"], "choices": None}
    said = [instance(name, [text], 2.0, input=given) for name, text in (("a", "dark blue."), ("b", "Red"))]
    for one in said:
        one["evaluation"] = {"score": None, "is_correct": None}
        one["output"] = {"raw": ["I say: " + one["answer_attribution"][0]["extracted_value"]]}
    results = read_results({"s.jsonl": lines(*said)})
    assert results.accuracy == (0.5,) and results.pool([], ["org/m"]).losses("org/m").tolist() == [0, 1]


def test_conversations_of_every_eval_ever_end_with_the_answer_and_totals_have_no_items() -> None:
    talk = [
        {"turn_idx": n, "role": role, "content": text}
        for n, (role, text) in enumerate([("user", "?"), ("assistant", "B"), ("tool", "x"), ("assistant", "A")])
    ]
    pool = read(lines(instance("a", [], 0.0, output=None, messages=talk)))
    assert pool.targets["org/m"].texts == ["A"]
    totals = {"schema_version": "0.2.2", "evaluation_id": "e", "evaluation_results": [], "model_info": {"id": "m"}}
    with pytest.raises(PoolError, match="no items"):
        read(json.dumps(totals, indent=2).encode())
    with pytest.raises(PoolError) as caught:
        read(lines(instance("a", ["B"], 1.0), instance("b", ["B"], 1.0, input=None)))
    assert [problem.row for problem in caught.value.problems] == [2]


# ----------------------------------------------------------------------------------------------------------- Langfuse


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


# ---------------------------------------------------------------------------------------------------------- VLMEvalKit

_OPTIONS = {"A": "red", "B": "blue", "C": "green"}
_ROTATED = {"A": "green", "B": "red", "C": "blue"}


def bench(**columns: Any) -> pd.DataFrame:
    who = {"A": "you", "B": "me", "C": None}
    rows = [
        {"index": 7, "question": "Which?", "hint": "Look.", **_OPTIONS, "answer": "B", "category": "colour"},
        {"index": 9, "question": "Who?", "hint": None, **who, "answer": "A", "category": "us"},
        {"index": 1_000_007, "question": "Which?", "hint": "Look.", **_ROTATED, "answer": "C", "category": "colour"},
    ]
    return pd.DataFrame(rows).assign(**columns)


def written(frame: pd.DataFrame, form: str) -> bytes:
    """As VLMEvalKit's ``dump`` writes it."""
    if form == "json":
        return json.dumps(frame.to_dict("records"), indent=4, ensure_ascii=False).encode()
    if form == "xlsx":
        stream = io.BytesIO()
        frame.to_excel(stream, index=False)
        return stream.getvalue()
    return frame.to_csv(sep="\t" if form == "tsv" else ",", index=False, quoting=csv.QUOTE_ALL).encode()


@pytest.mark.parametrize("form", ["xlsx", "tsv", "json", "csv"])
def test_predictions_of_vlmevalkit_and_the_dataset_they_are_about(form: str) -> None:
    predictions = written(bench(prediction=["B", "A", "C. blue"]), form)
    pool = read_results({f"GPT4o_MMBench_DEV_EN.{form}": predictions}).pool([], ["GPT4o"])
    assert pool.items.index.tolist() == ["7", "9", "1000007"] and pool.name == "MMBench_DEV_EN"
    assert pool.items["prompt"].tolist()[:2] == ["Hint: Look.\nQuestion: Which?", "Who?"]
    assert pool.losses("GPT4o").tolist() == [0, 0, 0] and pool.targets["GPT4o"].texts == ["B", "A", "C. blue"]
    assert any("circular copies" in note and "1" in note for note in pool.notes)
    files = {"MMBench_DEV_EN.tsv": written(bench(), "tsv"), f"GPT4o_MMBench_DEV_EN.{form}": predictions}
    results = read_results(files)
    assert results.models == ("GPT4o",) and results.pool([], ["GPT4o"]).losses("GPT4o").tolist() == [0, 0]
    wrong = written(bench(prediction=["B", "A", "B"]), form)
    folded = read_results({**files, f"GPT4o_MMBench_DEV_EN.{form}": wrong}).pool([], ["GPT4o"])
    assert folded.items.index.tolist() == ["7", "9"] and folded.losses("GPT4o").tolist() == [1, 0]


def test_judged_files_complete_the_predictions_of_the_same_rows() -> None:
    judged = bench(prediction=["B", "so so", "C"], hit=[1, 0, 1]).iloc[:2].assign(log="…")
    plain = bench(prediction=["B", "so so", "C"]).iloc[:2]
    name = "m-2_MMBench_DEV_EN"
    for files in (
        {f"{name}_openai_result.xlsx": written(judged, "xlsx")},
        {f"{name}_openai_result.tsv": written(judged, "tsv"), f"{name}.json": written(plain, "json")},
    ):
        results = read_results(files)
        assert results.models == ("m-2",) and results.accuracy == (0.5,)


def test_other_workbooks_are_refused() -> None:
    with pytest.raises(PoolError, match="no column “id”; the columns are: “a”"):
        read(written(pd.DataFrame({"a": [1]}), "xlsx"))
    with pytest.raises(PoolError) as caught:
        read(written(bench(prediction="A").assign(index=[7, None, 8]), "json"))
    assert [(problem.row, problem.field) for problem in caught.value.problems] == [(2, "index")]


LAUGHS = '<!DOCTYPE x [<!ENTITY a "' + "ha" * 500 + '">' + "".join(
    f'<!ENTITY {name} "{f"&{before};" * 50}">' for before, name in zip("abcd", "bcde", strict=True)
) + "]>"  # fmt: skip
OUTSIDE = f'<!DOCTYPE x [<!ENTITY e SYSTEM "file://{__file__}">]>'


@pytest.mark.parametrize("declared", [LAUGHS, OUTSIDE])
def test_entities_in_a_workbook_are_not_resolved(declared: str) -> None:
    packed = io.BytesIO(written(bench(prediction=["B", "A", "C"]), "xlsx"))
    stream = io.BytesIO()
    with zipfile.ZipFile(packed) as archive, zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as out:
        for name in archive.namelist():
            part = archive.read(name).decode()
            if name.endswith(("sheet1.xml", "sharedStrings.xml")):
                start = part.index("<", part.index("?>") + 2 if part.startswith("<?xml") else 0)
                part = part[:start] + declared + part[start:].replace("Which?", "&e;")
            out.writestr(name, part)
    try:
        pool = read(stream.getvalue())
    except PoolError:
        return
    assert max(pool.items["prompt"].map(len)) < 1000 and "def test" not in "".join(pool.items["prompt"])


def test_a_workbook_that_unpacks_too_far_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.pool.sheets._MAX_UNPACKED", 1_000)
    with pytest.raises(PoolError, match="unpacks to more"):
        read(written(bench(prediction=["B", "A", "C"]), "xlsx"))
