"""Options of an item that stand in one text, with their letters or numbers or with signs between them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from string import ascii_lowercase, ascii_uppercase

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
