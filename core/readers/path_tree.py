"""Many paths looked up together: what they have in common is entered once in each row."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .paths import are_parts, at, entered, named, steps_of, text_of_parts

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
