"""How the answers of a tool's results are to be parsed, where the tool does not say."""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_uppercase

from core.answers import parse


def kind_of(answer: str | None, choices: Sequence[str] | None) -> str:
    """Choose the kind of answer by the right one: a letter of an option, a number, or a text."""
    if answer is not None and len(answer) == 1 and answer in ascii_uppercase[: len(choices or "ABCDEFGHIJ")]:
        return "choice"
    return "number" if answer is not None and parse(answer, "number") is not None else "text"
