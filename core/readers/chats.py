"""Chats in one value or in a table, as one text: a list of messages, each with a role and what was said.

Of a chat that ends with a model's answer, ``messages[reply]`` is that answer and ``messages[prompt]`` what precedes it:
the question alone, or of a longer chat every turn with its speaker. What a system or a tool says is no turn.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice, pairwise
from typing import Any, NamedTuple

from ..files.foreign_names import plain_key
from ..pool.problems import Problems, shown
from .answers import said
from .field_names import ID_NAMES

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


# Tables in which each row is a message of a chat: the rows of a chat as one row with its messages.

MESSAGES = "messages"
_LOOKED_AT = 50


def folded(rows: Iterable[tuple[int, dict[str, Any]]], problems: Problems) -> Iterator[tuple[int, dict[str, Any]]]:
    """Put the rows of each chat together if the first rows are messages; rows of any other table stay as they are.

    A chat has the values of its last row that has one, and its messages as a list (`core.readers.chats`). Its rows
    follow one another.
    """
    rest = iter(rows)
    first = list(islice(rest, _LOOKED_AT))
    name = _chat_name([row for _, row in first])
    if name is None:
        yield from chain(first, rest)
        return
    problems.note(f"Each row is a message. Rows with the same {shown(name)} form a chat, which is one item.")
    place, chat = 0, dict[str, Any]()
    for row, message in chain(first, rest):
        if not chat or chat[name] != message.get(name):
            if chat:
                yield place, chat
            place, chat = row, {MESSAGES: []}
        else:
            problems.tally.complete(row)
        chat[MESSAGES].append(message)
        chat |= {key: value for key, value in message.items() if value is not None and not is_of_message(key)}
        chat.setdefault(name, message.get(name))
    if chat:
        yield place, chat


def _chat_name(rows: Sequence[Mapping[str, Any]]) -> str | None:
    """Return the column that names the chat of a message, None if rows are no messages."""
    roles = {role_of(row) for row in rows}
    if not roles <= ROLES or not roles & MODELS or not roles & USERS or MESSAGES in rows[0]:
        return None
    for name in rows[0]:
        values = [row.get(name) for row in rows]
        runs = sum(one != other for one, other in pairwise(values)) + 1
        if plain_key(name) in ID_NAMES and None not in values and runs < len(rows):
            return name
    return None
