"""Outputs of batches, by vLLM or an API, with and without the requests that they answer."""

from __future__ import annotations

from typing import Any

import pytest

from core.errors import PoolError
from core.readers import read, read_results
from tests.core.readers.json_lines import lines


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


def test_fields_of_ones_own_in_the_lines_of_a_batch_are_named() -> None:
    pool = read(lines(answer("q1", "1", gold="1"), answer("q2", "2", gold="2", note="x")))
    assert "Fields not used: “gold” and “note”." in pool.notes
