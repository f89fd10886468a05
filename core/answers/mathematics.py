"""Mathematical equality of answers by ``math-verify``, if it is installed (docs/method.md, 7.6)."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec

from ..errors import DesignError

_MODULE = "math_verify"
_MARKS = ("$", "\\(", "\\[", "\\boxed")
_COMMAND = re.compile(r"\\[A-Za-z]+")
_WORD = re.compile(r"[A-Za-z]{2}")


def available() -> bool:
    """Whether ``math-verify`` is installed."""
    return find_spec(_MODULE) is not None


def equality() -> Callable[[str, str], bool]:
    """Load what compares two answers.

    Returns
    -------
    callable
        Says of two answers whether they are the same number, set, interval or expression, whichever of them is taken
        for the truth. An answer without any mathematics equals nothing.

    Raises
    ------
    DesignError
        ``math-verify`` is not installed.
    """
    if not available():
        raise DesignError(
            "Mathematical equality needs the package math-verify: `pip install math-verify[antlr4_13_2]`."
        )
    library = import_module(_MODULE)
    parsed: dict[str, list[object]] = {}

    def parse(answer: str) -> list[object]:
        if answer not in parsed:
            # A bare expression is read as a whole only between dollar signs, where letters of a word are factors.
            bare = not any(mark in answer for mark in _MARKS) and not _WORD.search(_COMMAND.sub("", answer))
            parsed[answer] = (bare and library.parse(f"${answer}$")) or library.parse(answer)
        return parsed[answer]

    def equal(first: str, second: str) -> bool:
        one, other = parse(first), parse(second)
        return bool(one and other and (library.verify(one, other) or library.verify(other, one)))

    return equal
