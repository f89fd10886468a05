"""What is read out of answers."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.surrogate.client.replies import read_reply, split_reasoning
from core.surrogate.faults import TransientFault


@pytest.mark.parametrize(
    ("text", "answer", "reasoning"),
    [
        ("Answer: 4", "Answer: 4", None),
        ("<think>two and two</think>\n\nAnswer: 4", "Answer: 4", "two and two"),
        ("two and two</think>Answer: 4", "Answer: 4", "two and two"),
        ("<think>endless", "", "endless"),
        ("<think>a</think>b<think>c</think>d", "d", "a</think>b<think>c"),
        ("<thinking>x</thinking>y", "y", "x"),
        ("1 < 2", "1 < 2", None),
    ],
)
def test_reasoning_is_kept_apart(text: str, answer: str, reasoning: str | None) -> None:
    assert split_reasoning(text) == (answer, reasoning)


def reply(**message: Any) -> bytes:
    choice = {"index": 0, "message": message, "finish_reason": "length"}
    return json.dumps({"choices": [choice], "usage": {"completion_tokens": 5}}).encode()


def test_reasoning_in_a_field_of_its_own_is_read_and_the_text_left_whole() -> None:
    for name in ("reasoning", "reasoning_content"):
        (choice,) = read_reply(reply(content="<think> is a tag", **{name: "hm"})).completions
        assert (choice.text, choice.reasoning, choice.finish) == ("<think> is a tag", "hm", "length")
    (choice,) = read_reply(reply(content=None, reasoning="hm")).completions
    assert (choice.text, choice.reasoning) == ("", "hm")
    (choice,) = read_reply(reply(content="half \ud83d pair")).completions
    assert choice.text == "half \ufffd pair"


@pytest.mark.parametrize("indexes", [(0, 0, 0), (1, 2, 3), (None, None, None), (2, 1, 0), (0, 2, 1)])
def test_every_choice_is_a_sample_however_choices_are_numbered(indexes: tuple[int | None, ...]) -> None:
    choices = [{"index": index, "message": {"content": str(place)}} for place, index in enumerate(indexes)]
    completions = read_reply(json.dumps({"choices": choices}).encode()).completions
    assert sorted(completion.sample for completion in completions) == [0, 1, 2]
    assert sorted(completion.text for completion in completions) == ["0", "1", "2"]
    if set(indexes) == {0, 1, 2}:
        assert [completion.sample for completion in completions] == list(indexes)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(exclude_categories=[])),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
PARTS = {
    "choices": st.lists(
        st.fixed_dictionaries(
            {
                "message": st.fixed_dictionaries({}, optional={"content": JSON, "reasoning": JSON, "refusal": JSON})
                | JSON
            },
            optional={"index": JSON, "finish_reason": JSON, "logprobs": JSON},
        )
        | JSON,
        max_size=3,
    )
    | JSON,
    "usage": st.fixed_dictionaries({}, optional={"prompt_tokens": JSON, "completion_tokens": JSON}) | JSON,
    "model": JSON,
}


@given(st.fixed_dictionaries({}, optional=PARTS) | JSON)
def test_whatever_a_server_answers_is_a_storable_reply_or_trouble(body: Any) -> None:
    try:
        answer = read_reply(json.dumps(body).encode())
    except TransientFault:
        return
    for choice in answer.completions:
        for text in (choice.text, choice.reasoning or "", choice.finish or "", answer.model):
            text.encode()
        assert choice.logprob is None or math.isfinite(choice.logprob)
    assert 0 <= answer.prompt_tokens < 2**63 and 0 <= answer.completion_tokens < 2**63


@pytest.mark.parametrize(
    "content",
    [
        *(
            b"",
            b"{",
            b"[]",
            b"null",
            b'"x"',
            b"{}",
            b"[" * 100_000,
            b"\xff\xfe",
            b'{"choices": null}',
            b'{"choices": []}',
        ),
        *(b'{"choices": [{}]}', b'{"choices": [{"message": "x"}]}', b'{"choices": [{"index": "a", "message": {}}]}'),
    ],
)
def test_what_is_no_chat_completion_is_tried_again(content: bytes) -> None:
    with pytest.raises(TransientFault):
        read_reply(content)


def test_a_choice_that_is_none_costs_no_other() -> None:
    choices = [{"index": 0, "message": {"content": "a"}}, None, {"index": 2, "message": {"content": 5}}, {"index": 3}]
    answer = read_reply(json.dumps({"choices": [*choices, {"index": 4, "message": {"content": "b"}}]}).encode())
    assert [(one.sample, one.text) for one in answer.completions] == [(0, "a"), (4, "b")]


def test_a_number_of_thousands_of_digits_costs_no_answer() -> None:
    usage = b'{"prompt_tokens": ' + b"9" * 5_000 + b', "completion_tokens": 7}'
    answer = read_reply(b'{"choices": [{"message": {"content": "a"}}], "usage": ' + usage + b"}")
    assert answer.completions[0].text == "a" and (answer.prompt_tokens, answer.completion_tokens) == (0, 7)
