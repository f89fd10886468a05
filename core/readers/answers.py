"""The kind of the answers in a tool's results, and parts of JSON values that may have any shape."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from string import ascii_uppercase
from typing import Any

from ..answers import EXTRACTED, parse
from ..answers.digits import plain_digits
from ..answers.formulas import formula_key


def object_of(value: Any) -> dict[str, Any]:
    """Return an object as it is, for anything else an empty one."""
    return value if isinstance(value, dict) else {}


def list_of(value: Any) -> list[Any]:
    """Return a list as it is, for anything else an empty one."""
    return value if isinstance(value, list) else []


def objects_in(value: Any) -> list[dict[str, Any]]:
    """Return the objects in a list; none for anything else."""
    return [one for one in list_of(value) if isinstance(one, dict)]


def filled(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record without what is None."""
    return {name: value for name, value in record.items() if value is not None}


# One number with signs around it and at most a word behind it: “12,5”, “0,125”, “7 8”, a date or \\frac{\\pi}{2} is
# none, though the kind “number” finds one in it; and marks of a result at the end of a calculation.
_WHOLE = r"(?:(?!0)(?:\d{1,3}(?:,\d{3})+|\d{1,2}(?:,\d{2})+,\d{3})|\d+)"
_FRACTION = r"(?:\d+\s+)?\d+\s*/\s*\d+|\d*\s*\\[dt]?frac\s*\{\s*\d+\s*\}\s*\{\s*\d+\s*\}"
_NUMBER = re.compile(
    rf"\W*(?:[a-z]\s*=\W*)?(?:{_FRACTION}|{_WHOLE}(?:\.\d*)?(?:[eE][-+]?\d+)?|\.\d+)(?![.,/]?\d)\W*(?:[^\W\d]{{1,12}}(?:\^\{{?[23])?\W*)?"
)
# Codes such as a ZIP code; answers of competitions have up to three digits with zeros in front.
_PADDED = re.compile(r"\s*0\d{3,}\s*")
_SET = re.compile(r"[^{},]*\\\{[^{}]*,[^{}]*\\\}[^{},]*")
_LONGEST = 60
# A right answer of more words may be said in others.
LONGEST_COMPARED = 5
_RESULT = ("####", "\\boxed")


def kind_of(answer: str | None, choices: Sequence[str] | None) -> str:
    """Choose the kind of answer by the right one: a letter of an option, a number, or a text, as “Apollo 11” is."""
    if answer is not None and len(answer) == 1 and answer in ascii_uppercase[: len(choices or "ABCDEFGHIJ")]:
        return "choice"
    if answer is None or _PADDED.fullmatch(answer) or _SET.fullmatch(answer):
        return "text"
    result = (parse(answer, "text") or "") if any(mark in answer for mark in _RESULT) else answer
    plain = plain_digits(result) if "\\" in result or "{,}" in result or not result.isascii() else result
    result = result if "π" in plain or "√" in plain else plain
    is_number = len(result) <= _LONGEST and _NUMBER.fullmatch(result)
    return "number" if is_number and parse(answer, "number") is not None else "text"


def alike(answer: str, right: str, kind: str | None) -> bool:
    """Whether two answers are one, as a kind reads them, in different spellings."""
    if answer == right or kind not in ("text", "number"):
        return answer == right
    read, meant = parse(answer, kind), parse(right, kind)
    if kind == "text" and read is not None and meant is not None:
        return formula_key(read) == formula_key(meant)
    return read is not None and read == meant


def is_one_of(said: str, right: Sequence[str]) -> bool:
    """Whether an output is one of several right answers, each read by its own kind."""
    for answer in right:
        kind = kind_of(answer, None)
        read = parse(said, kind)
        if read is not None and read == parse(answer, EXTRACTED.get(kind, kind)):
            return True
    return False


def letter_of(answer: str | None, choices: Sequence[str] | None) -> str | None:
    """Return the letter of the option that the answer spells out, or else the answer as it is."""
    letters = ascii_uppercase[: len(choices or ())]
    if answer is None or answer in letters or choices is None or list(choices).count(answer) != 1:
        return answer
    place = list(choices).index(answer)
    return letters[place] if place < len(letters) else answer


def text_of(value: Any) -> str | None:
    """Return a text as it is and anything else as JSON; None for nothing."""
    if value is None or value == "":
        return None
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def loss_of(score: Any) -> float | None:
    """Return one less a score that is a share, or true or false; None for any other."""
    return 1 - float(score) if isinstance(score, (bool, int, float)) and 0 <= score <= 1 else None


def question_of(messages: Any) -> str | None:
    """Return the question: a text as it is, or what the user says in the messages of a chat."""
    if not isinstance(messages, list):
        return text_of(messages)
    chat = objects_in(messages)
    users = [message for message in chat if message.get("role") in ("user", "human", "HUMAN")] or chat
    texts = [said(message.get("content", message.get("prompt"))) for message in users]
    return "\n\n".join(text for text in texts if text) or None


def said(content: Any) -> str | None:
    """Return the text of a message's content, which may be a list of parts."""
    if isinstance(content, list):
        parts = [
            part if isinstance(part, str) else part.get("text") for part in content if isinstance(part, (str, dict))
        ]
        return "\n".join(part for part in parts if isinstance(part, str) and part) or None
    return text_of(content)
