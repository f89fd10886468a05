"""Texts that have parts: chats, as lists of messages or in a table, and the options of an item in one text.

Of a chat that ends with a model's answer, ``messages[reply]`` is that answer and ``messages[prompt]`` what precedes it:
the question alone, or of a longer chat every turn with its speaker. What a system or a tool says is no turn.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice, pairwise
from string import ascii_lowercase, ascii_uppercase
from typing import Any, NamedTuple

from ..files.foreign_names import plain_key
from ..pool.problems import Problems, shown
from .field_names import NAMES
from .json_records import FileRow, said

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


def folded(rows: Iterable[FileRow], problems: Problems) -> Iterator[FileRow]:
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
        if plain_key(name) in NAMES["id"] and None not in values and runs < len(rows):
            return name
    return None


# “A. x”, “(A) x”, “A: x”, behind white space or what parts options.
_MARK = re.compile(
    r"(?<![^\s|;,/])(?P<open>[(\[（]?)(?P<mark>[A-Za-z]|[0-9]{1,2})"
    r"(?P<close>[)\]）]|[.．:：、)](?=\s)|[．：、])[^\S\n]*"
)
_SETS = (ascii_uppercase, ascii_lowercase, tuple(map(str, range(1, 27))))
_BETWEEN = " \t\r\n|;,/"
_SEPARATORS = ("\n", "|", ";")
_EMPTY_LINE = re.compile(r"\n\s*\n")


def options_in(text: str, apart: bool = True) -> list[str] | None:
    """Return the options that a text lists; None if it lists none, or fewer than two.

    Parameters
    ----------
    text : str
        The text of a column of options, or a question that ends with its options.
    apart : bool, default True
        Whether the text has nothing but options, which then may have numbers or stand in lines or between “|” or “;”.
    """
    for found in _runs(text, _SETS if apart else _SETS[:2]):
        if apart and text[: found[0].start()].strip(_BETWEEN):
            continue
        ends = [one.start() for one in found[1:]]
        parts = [text[one.end() : end] for one, end in zip(found, [*ends, len(text)], strict=True)]
        if not apart:
            in_lines = all("\n" in text[one.end() : end] for one, end in zip(found, ends, strict=False))
            parts[-1] = _EMPTY_LINE.split(parts[-1], 1)[0] if not in_lines else parts[-1].strip("\n").split("\n", 1)[0]
        options = [part.strip(_BETWEEN) for part in parts]
        if all(options):
            return options
    if not apart:
        return None
    for sign in _SEPARATORS:
        options = [part.strip() for part in text.strip().split(sign)]
        if len(options) > 1:
            return options if all(options) else None
    return None


def _runs(text: str, sets: tuple[str | tuple[str, ...], ...]) -> Iterator[list[re.Match[str]]]:
    """Yield the marks of options from the first on, with one kind of signs, those that begin last first."""
    marks = list(_MARK.finditer(text))
    for start in reversed(range(len(marks))):
        first = marks[start]
        names = next((some for some in sets if some[0] == first["mark"]), None)
        if names is None:
            continue
        found = [first]
        for one in marks[start + 1 :]:
            alike = (one["open"], one["close"]) == (first["open"], first["close"])
            if alike and len(found) < len(names) and one["mark"] == names[len(found)]:
                found.append(one)
        if len(found) > 1:
            yield found
