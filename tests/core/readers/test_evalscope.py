"""Predictions and reviews of EvalScope, which complete each other."""

from __future__ import annotations

from typing import Any

import pytest

from core.errors import PoolError
from core.readers import read, read_results
from tests.core.readers.json_lines import lines


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


@pytest.mark.parametrize(
    "damaged",
    [
        lines(review(0, 0, "a", "a", 1), {"index": 1, "sample_score": {"score": 3}}),
        lines(prediction(0, 0, "a"), {"index": 1, "model_output": {"choices": [{}]}}),
    ],
)
def test_damaged_files_of_evalscope_are_refused(damaged: bytes) -> None:
    with pytest.raises(PoolError) as caught:
        read(damaged)
    assert caught.value.problems[0].row == 2
