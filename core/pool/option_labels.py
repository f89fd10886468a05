"""Texts that are the letter of an option and its text, as “A) Paris”."""

from __future__ import annotations

import re
from typing import NamedTuple

_LABELLED = re.compile(r"\s*[(\[（]?([A-Ja-j])[)\]）.．:：、]{1,2}\s*(\S.*)", re.DOTALL)
_ALONE = re.compile(r"[\W_]*([A-Ja-j])[\W_]*")


class OptionLabel(NamedTuple):
    """The capital letter of an option, and its text without differences of case and signs."""

    letter: str
    text: str


def labelled(text: str) -> OptionLabel | None:
    """Split “A) Paris” into the letter of the option and its text; None for another text."""
    found = _LABELLED.fullmatch(text)
    return OptionLabel(found[1].upper(), plain_text(found[2])) if found and plain_text(found[2]) else None


def plain_text(text: str) -> str:
    """Return a text without differences of case and signs."""
    return " ".join(re.findall(r"\w+", text.casefold()))


def is_labelled(text: str, truth: str) -> bool:
    """Whether an output is the letter or the text alone of a right answer such as “A) Paris”, or marks it otherwise."""
    label = labelled(truth)
    if label is None or text.strip() == truth.strip():
        return False
    alone = _ALONE.fullmatch(text)
    letter = alone[1].upper() if alone else ""
    return labelled(text) == label or plain_text(text) == label.text or letter == label.letter
