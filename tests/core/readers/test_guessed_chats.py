"""What is guessed of chats, and of rows that are messages."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from core.readers import FieldMap, read_mapped
from tests.core.readers.guessed import guess, lines, table

CHATS: dict[str, tuple[list[dict[str, Any]], str | None, str | None]] = {
    "one question": (
        [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Two and two?"},
            {"role": "assistant", "content": "4"},
        ],
        "Two and two?",
        "4",
    ),
    "several turns": (
        [
            {"from": "human", "value": "Two and two?"},
            {"from": "gpt", "value": "5"},
            {"from": "human", "value": "Sure?"},
            {"from": "gpt", "value": "4"},
        ],
        "User: Two and two?\n\nAssistant: 5\n\nUser: Sure?",
        "4",
    ),
    "parts": (
        [
            {"role": "user", "content": [{"type": "text", "text": "Two and two?"}]},
            {"role": "assistant", "content": None, "tool_calls": []},
            {"role": "tool", "content": "4"},
            {"role": "assistant", "content": [{"type": "text", "text": "It is 4."}]},
        ],
        "Two and two?",
        "It is 4.",
    ),
}


def chats() -> bytes:
    return lines([{"id": form, "messages": messages} for form, (messages, _, _) in CHATS.items()])


@pytest.mark.parametrize("form", CHATS)
@pytest.mark.parametrize("as_text", [False, True])
def test_of_a_chat_the_last_answer_is_the_output_and_the_rest_the_prompt(form: str, as_text: bool) -> None:
    messages, prompt, reply = CHATS[form]
    chat = json.dumps(messages) if as_text else messages
    content = lines([{"id": f"c{n}", "messages": chat, "score": n % 2} for n in range(4)])
    fields = guess(content)
    assert fields.fields == {"id": "id", "prompt": "messages[prompt]"}
    assert fields.targets == {"m": {"text": "messages[reply]", "right": "score"}}
    pool = read_mapped(content, fields, "m")
    assert pool.items["prompt"].tolist() == [prompt] * 4 and pool.targets["m"].texts == [reply] * 4


def test_a_chat_that_waits_for_an_answer_is_a_prompt_as_before() -> None:
    turns = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Why?"}]
    fields = guess(lines([{"id": f"c{n}", "messages": turns, "response": "x"} for n in range(4)]))
    assert fields.fields["prompt"] == "messages[].content" and fields.targets == {"m": {"text": "response"}}


def messages(n_chats: int) -> list[dict[str, Any]]:
    turns = [("user", "{}?"), ("assistant", "a{}"), ("user", "Sure?"), ("assistant", "b{}")]
    return [
        {"Conversation_id": f"c{n}", "Role": role, "Content": text.format(n), "rating": n % 2 if place == 3 else None}
        for n in range(n_chats)
        for place, (role, text) in enumerate(turns)
    ]


@pytest.mark.parametrize("write", [table, lines])
def test_rows_that_are_messages_are_put_together(write: Callable[[Sequence[dict[str, Any]]], bytes]) -> None:
    content = write(messages(30))
    fields = guess(content)
    assert fields.fields == {"id": "Conversation_id", "prompt": "messages[prompt]"}
    assert fields.targets == {"m": {"text": "messages[reply]"}} and fields.judges == ("rating",)
    pool = read_mapped(content, fields, "m")
    assert pool.n_items == 30 and pool.targets["m"].texts == [f"b{n}" for n in range(30)]
    assert pool.items["prompt"].iloc[2] == "User: 2?\n\nAssistant: a2\n\nUser: Sure?"
    assert pool.account is not None and (pool.account.seen, pool.account.items, pool.account.completing) == (
        120,
        30,
        90,
    )
    others = [{"id": row["Conversation_id"], "role": "nurse", "text": row["Content"]} for row in messages(3)]
    assert read_mapped(write(others), FieldMap({"prompt": "text"})).n_items == 12
