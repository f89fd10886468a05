"""Paths to the values in a row, one or many at once, and cells that list several answers.

A path names keys from the outside in, ``doc.question``; ``choices[0].text`` is the first element,
``choices[].message.content`` a list with one value of each (the ``text`` of a message's parts is one text), and
``annotations[correct].score`` that of the one whose name or key is “correct”. A column whose own name has dots is named
as it is. A text that is JSON, or what Python prints, may be entered like the value it stands for: ``inputs.question``
if a CSV cell holds an object, and ``samples[]`` if it holds a list. ``messages[prompt]`` and ``messages[reply]`` are
those of `core.readers.chats`.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import pairwise
from typing import Any

from ..files.jsontext import BadJson, StrictDecoder, decode
from ..pool.columns import TARGETS
from ..pool.problems import Problems
from . import chats
from .json_records import LONGEST_COMPARED, is_one_of

_LONGEST = 1_000_000


def list_in(value: Any) -> Any:
    """Read a text that looks like a list; anything else, and what cannot be read, stays.

    Parameters
    ----------
    value : object
        A cell: ``["a", "b"]`` (JSON), ``['a', 'b']`` (Python), or a value that is no text.

    Returns
    -------
    object
        The list, or the value.
    """
    if not isinstance(value, str) or not value.strip().startswith("[") or len(value) > _LONGEST:
        return value
    try:
        return decode(value)
    except BadJson:
        pass
    try:
        tree = ast.parse(value.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return value
    if not isinstance(tree, ast.List) or _without_commas(value):
        return value
    cells = [element.value for element in tree.elts if isinstance(element, ast.Constant)]
    return cells if len(cells) == len(tree.elts) else value


def _without_commas(value: str) -> bool:
    """Whether two texts follow each other, as NumPy prints them; Python would make one text of them."""
    kinds = [token.type for token in tokenize.generate_tokens(io.StringIO(value.strip()).readline)]
    kinds = [kind for kind in kinds if kind != tokenize.NL]
    return (tokenize.STRING, tokenize.STRING) in pairwise(kinds)


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
    value = list_in(text)
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


# Many paths looked up together: what they have in common is entered once in each row.

_SIGNS = ".[]"


class PathTree:
    """Paths, by the keys that they share.

    Parameters
    ----------
    paths : iterable of str
        Paths as `core.readers.paths.at` takes them.
    """

    def __init__(self, paths: Iterable[str]) -> None:
        self._paths = tuple(paths)
        self._root = _Node()
        for path in self._paths:
            self._root.add(path, steps_of(path))

    def values(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """Look up all paths in a row; without those that lead nowhere in it."""
        if any(not key or any(sign in key for sign in _SIGNS) for key in row):
            # A column may be called like a path, or like the beginning of one.
            return {path: value for path in self._paths if (value := at(row, path)) is not None}
        found: dict[str, Any] = {}
        self._root.collect(row, found)
        return found


class _Node:
    """Where some paths lead after their first steps."""

    __slots__ = ("ends", "flat", "indices", "keys", "nested")

    def __init__(self) -> None:
        self.ends: list[str] = []
        self.keys: dict[str, _Node] = {}
        self.indices: dict[str, _Node] = {}
        # The paths through here: those that go through all elements of a list further on, and the others.
        self.nested: list[str] = []
        self.flat: list[str] = []

    def add(self, path: str, steps: tuple[tuple[str, str], ...]) -> None:
        (self.nested if ("", "") in steps else self.flat).append(path)
        if not steps:
            self.ends.append(path)
            return
        (key, index), *rest = steps
        children, name = (self.keys, key) if key else (self.indices, index)
        children.setdefault(name, _Node()).add(path, tuple(rest))

    @property
    def ends_in_text(self) -> list[str]:
        """The paths that end with the key “text” of what is here."""
        return self.keys["text"].ends if "text" in self.keys else []

    def collect(self, value: Any, found: dict[str, Any]) -> None:
        """Add what is at each path from a value on, which is not None."""
        for path in self.ends:
            found[path] = value
        if not self.keys and not self.indices:
            return
        value = entered(value)
        if isinstance(value, dict):
            for key in self.keys if len(self.keys) <= len(value) else value:
                if key in self.keys and (inner := value.get(key)) is not None:
                    self.keys[key].collect(inner, found)
        elif isinstance(value, list):
            for index, child in self.indices.items():
                if not index:
                    child.gather(value, found)
                    if child.ends_in_text and are_parts(value):
                        found.update(dict.fromkeys(child.ends_in_text, text_of_parts(value)))
                elif (inner := _element(value, index)) is not None:
                    child.collect(inner, found)

    def gather(self, values: list[Any], found: dict[str, Any]) -> None:
        """Add a list for each path, with what the elements of a list have there; further lists become one."""
        for path in self.ends:
            found[path] = values
        if not self.keys and not self.indices:
            return
        inside = [entered(value) for value in values]
        for key, child in self.keys.items():
            child.gather_known([one.get(key) if isinstance(one, dict) else None for one in inside], found)
        for index, child in self.indices.items():
            if not index:
                lists = [one for one in inside if isinstance(one, list)]
                child.gather([part for one in lists for part in one], found)
                if child.ends_in_text and any(map(are_parts, lists)):
                    said = [_known(text_of_parts(one)) if are_parts(one) else _texts(one) for one in lists]
                    texts = [text for some in said for text in some]
                    found.update((path, texts) for path in child.ends_in_text)
            else:
                elements = [_element(one, index) if isinstance(one, list) else None for one in inside]
                child.gather_known(elements, found)

    def gather_known(self, values: list[Any], found: dict[str, Any]) -> None:
        if any(value is not None for value in values):
            self.gather(values, found)
        else:
            found.update(dict.fromkeys(self.flat, values))
            found.update({path: [] for path in self.nested})


def _known(text: str | None) -> list[Any]:
    return [] if text is None else [text]


def _texts(values: list[Any]) -> list[Any]:
    inside = map(entered, values)
    return [one.get("text") if isinstance(one, dict) else None for one in inside]


def _element(values: list[Any], index: str) -> Any:
    if index.isdecimal():
        return values[int(index)] if int(index) < len(values) else None
    return named(values, index)


# Several right answers of an item: a list, or a text that a table's cell has for one.

_STRAIGHT = str.maketrans("“”", '""')


def answers_in(value: Any, said: Iterable[Any]) -> Any:
    """Return the right answers that a text lists, such as ["JFK", "Kennedy"]; any other value as it is.

    Where an output has a bracket, the right answer is a list itself; letters may be all to be chosen.

    Parameters
    ----------
    value : Any
        The right answer of a row.
    said : iterable
        What models said there.
    """
    if not isinstance(value, str) or not value.strip().startswith("["):
        return value
    inside = entered(value.strip().translate(_STRAIGHT))
    if not isinstance(inside, list) or not inside or not all(isinstance(one, str) and one.strip() for one in inside):
        return value
    is_list = max(map(len, inside)) == 1 or any("[" in text for text in said if isinstance(text, str))
    return value if is_list else inside


def accept(alternatives: list[Any], record: dict[str, Any], row: int, problems: Problems) -> None:
    """Take several right answers of an item: an output is right if it is one of them."""
    texts = [str(one) for one in alternatives if isinstance(one, (str, int, float)) and not isinstance(one, bool)]
    if len(texts) < len(alternatives):
        return
    record["answer"] = texts[0]
    is_short = max(len(text.split()) for text in texts) <= LONGEST_COMPARED
    for outcome in record.get(TARGETS, {}).values():
        said = outcome.get("answer") or outcome.get("text")
        if outcome.get("loss") is None and not outcome.get("unscored") and isinstance(said, str):
            outcome |= {"loss": float(not is_one_of(said, texts))} if is_short else {"unscored": True}
    rule = "They are free texts, so right or wrong is unknown"
    if is_short:
        rule = "An output is right if it is one of them"
    problems.note(f"Items have several right answers, of which the first is shown. {rule}.")
