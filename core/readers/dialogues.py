"""Tables in which each row is a message of a chat: the rows of a chat as one row with its messages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice, pairwise
from typing import Any

from ..files.foreign_names import plain_key
from ..pool.problems import Problems, shown
from . import chats
from .field_names import ID_NAMES

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
        chat |= {key: value for key, value in message.items() if value is not None and not chats.is_of_message(key)}
        chat.setdefault(name, message.get(name))
    if chat:
        yield place, chat


def _chat_name(rows: Sequence[Mapping[str, Any]]) -> str | None:
    """Return the column that names the chat of a message, None if rows are no messages."""
    roles = {chats.role_of(row) for row in rows}
    if not roles <= chats.ROLES or not roles & chats.MODELS or not roles & chats.USERS or MESSAGES in rows[0]:
        return None
    for name in rows[0]:
        values = [row.get(name) for row in rows]
        runs = sum(one != other for one, other in pairwise(values)) + 1
        if plain_key(name) in ID_NAMES and None not in values and runs < len(rows):
            return name
    return None
