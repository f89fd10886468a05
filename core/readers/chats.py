"""Chats in one value: a list of messages, each with a role and what was said.

Of a chat that ends with a model's answer, ``messages[reply]`` is that answer and ``messages[prompt]`` what precedes it:
the question alone, or of a longer chat every turn with its speaker. What a system or a tool says is no turn.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from .answers import said

PROMPT, REPLY = "[prompt]", "[reply]"
_ROLES, _TEXTS = ("role", "from", "speaker"), ("content", "value", "text", "message")
MODELS = frozenset({"assistant", "gpt", "ai", "bot", "model", "chatgpt", "llm", "agent"})
USERS = frozenset({"user", "human", "prompter", "customer", "person"})
ROLES = MODELS | USERS | {"system", "developer", "tool", "function"}
_NAMES = {True: "Assistant", False: "User"}


class Turn(NamedTuple):
    """One turn of a side in a chat."""

    by_model: bool
    text: str


def reply(value: Any) -> str | None:
    """Return the model's answer that a chat ends with; None for a chat that ends otherwise, and for anything else."""
    turns = _turns(value)
    return turns[-1].text if turns and turns[-1].by_model else None


def prompt(value: Any) -> str | None:
    """Return what precedes the last answer; None without a turn of a user."""
    turns = _turns(value)
    while turns and turns[-1].by_model:
        turns = turns[:-1]
    if len(turns) < 2:
        return turns[0].text if turns else None
    return "\n\n".join(f"{_NAMES[turn.by_model]}: {turn.text}" for turn in turns)


def is_answered(value: Any) -> bool:
    """Whether a value is a chat that ends with a model's answer to somebody."""
    return reply(value) is not None and prompt(value) is not None


def role_of(message: Mapping[str, Any]) -> str:
    """Return who says a message, in lower case; empty if it does not say so."""
    role = next((value for value in _values(message, _ROLES) if isinstance(value, str)), "")
    return role.strip().lower()


def is_of_message(key: str) -> bool:
    """Whether this is a key of a message itself, not of its chat."""
    return key.lower() in (*_ROLES, *_TEXTS)


def _values(message: Mapping[str, Any], names: Sequence[str]) -> Iterator[Any]:
    """Yield what stands in a message under names, in any case, without nothing."""
    for name in names:
        yield from (value for key, value in message.items() if key.lower() == name and value is not None)


def _turns(value: Any) -> list[Turn]:
    if not isinstance(value, list) or not all(isinstance(one, Mapping) for one in value):
        return []
    turns = []
    for message in value:
        role = role_of(message)
        text = next(map(said, _values(message, _TEXTS)), None)
        if role in MODELS | USERS and text:
            turns.append(Turn(role in MODELS, text))
    return turns
