"""Paths to the values in a row.

A path names keys from the outside in, ``doc.question``; ``choices[0].text`` is the first element,
``choices[].message.content`` a list with one value of each (the ``text`` of a message's parts is one text), and
``annotations[correct].score`` that of the one whose name or key is “correct”. A column whose own name has dots is named
as it is. A text that is JSON, or what Python prints, may be entered like the value it stands for: ``inputs.question``
if a CSV cell holds an object, and ``samples[]`` if it holds a list. ``messages[prompt]`` and ``messages[reply]`` are
those of `core.readers.chats`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from ..files.jsontext import BadJson, StrictDecoder
from . import chats
from .benchmarks.literals import listed

_STEP = re.compile(r"([^.\[\]]+)|\[([^\[\]]*)\]")
# What models write around JSON.
_FENCED = re.compile(r"\s*```(?:json|JSON)?\s*([{\[].*[}\]])\s*```\s*", re.DOTALL)
_MAX_TEXT = 1024**2
_MAX_LITERAL = 64 * 1024
# The text of a message in parts, and the kinds of its parts that are what is said.
_TEXT_OF_PARTS = (("text", ""),)
_SAYS = frozenset({"text", "output_text", "input_text"})
# What tells the elements of a list apart if none has a name.
_NAMED_BY = ("model", "model_id", "llm", "metric", "criterion", "dimension")
_OF_CHATS = {chats.PROMPT: chats.prompt, chats.REPLY: chats.reply}


def at(source: Any, path: str) -> Any:
    """Look up a path; None if it leads nowhere."""
    if isinstance(source, Mapping) and path in source:
        return source[path]
    steps = steps_of(path)
    if isinstance(source, Mapping) and steps and steps[0][0] not in source:
        # A column with dots in its name, entered further.
        outer = next((key for key in source if path.startswith((f"{key}.", f"{key}["))), None)
        if outer is not None:
            return _follow(source[outer], steps_of(path[len(outer) :]))
    return _follow(source, steps)


@lru_cache(4_096)
def steps_of(path: str) -> tuple[tuple[str, str], ...]:
    """Split a path into keys and indices, one of the two empty in each step."""
    return tuple((key, index) for key, index in _STEP.findall(path))


def name_of(element: Any) -> str | None:
    """Return the name that one of several objects has: its ``name``, ``key``, or what ends so; or its ``model``."""
    if not isinstance(element, Mapping):
        return None
    key = next((key for key in ("name", "key", *element) if key in element and key.endswith(("name", "key"))), None)
    key = key or next((key for key in _NAMED_BY if key in element), None)
    name = element.get(key) if key is not None else None
    return name if isinstance(name, str) and name and not name.isdecimal() and not set(name) & set("[]") else None


def entered(value: Any) -> Any:
    """Return the object or list that a text stands for, fenced as code or not; any other value as it is."""
    if isinstance(value, str) and value[:1] in ("{", "[", "`", "\n", " ") and len(value) <= _MAX_TEXT:
        text = fenced[1] if (fenced := _FENCED.fullmatch(value)) else value.strip()
        inner = _decoded(text) if text[:1] in ("{", "[") else text
        return value if isinstance(inner, str) else inner
    return value


@lru_cache(maxsize=64)
def _decoded(text: str) -> Any:
    try:
        return StrictDecoder(lenient=True).decode(text)
    except BadJson:
        pass
    value = listed(text)
    if isinstance(value, list) or len(text) > _MAX_LITERAL:
        return value
    try:
        value = ast.literal_eval(text)
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        return text
    objects = value if text.startswith("[") else [value]
    plain = all(isinstance(one, dict) and all(isinstance(key, str) for key in one) for one in objects)
    return value if plain else text


def named(values: list[Any], index: str) -> Any:
    """Return the one of several objects that has a name, or of a chat its prompt or its reply."""
    found = next((one for one in values if name_of(one) == index), None)
    if found is None and f"[{index}]" in _OF_CHATS:
        return _OF_CHATS[f"[{index}]"](values)
    return found


def are_parts(values: list[Any]) -> bool:
    """Whether these are the parts of one message, such as its reasoning and its text."""
    kinds = [one.get("type") if isinstance(one, Mapping) else None for one in values]
    return all(isinstance(kind, str) for kind in kinds) and not _SAYS.isdisjoint(kinds)


def text_of_parts(parts: list[Any]) -> str | None:
    """Return what the parts of a message say, a line each, without its reasoning; None for nothing."""
    said = [part["text"] for part in parts if part["type"] in _SAYS and isinstance(part.get("text"), str)]
    return "\n".join(said) or None


def _follow(value: Any, steps: tuple[tuple[str, str], ...]) -> Any:
    for place, (key, index) in enumerate(steps):
        value = entered(value)
        if key and isinstance(value, Mapping) and key not in value:
            return _by_dotted_key(value, steps[place:])
        if key:
            value = value.get(key) if isinstance(value, Mapping) else None
        elif not isinstance(value, list):
            return None
        elif index.isdecimal():
            value = value[int(index)] if int(index) < len(value) else None
        elif index:
            value = named(value, index)
        elif steps[place + 1 :] == _TEXT_OF_PARTS and are_parts(value):
            return text_of_parts(value)
        else:
            inner = [_follow(one, steps[place + 1 :]) for one in value]
            if ("", "") not in steps[place + 1 :]:
                return inner
            return [part for one in inner if one is not None for part in (one if isinstance(one, list) else [one])]
    return value


def _by_dotted_key(value: Mapping[str, Any], steps: tuple[tuple[str, str], ...]) -> Any:
    """Follow a key that has dots itself, such as “gpt-3.5”, which several steps make up."""
    for end in range(2, len(steps) + 1):
        keys = [key for key, _ in steps[:end]]
        if not all(keys):
            break
        if (joined := ".".join(keys)) in value:
            return _follow(value[joined], steps[end:])
    return None
