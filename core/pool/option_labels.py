"""Texts that are the letter of an option and its text, as “A) Paris”."""

from __future__ import annotations

import re
from collections.abc import Sequence
from string import ascii_uppercase
from typing import NamedTuple

from ..answers.free_texts import fold, normalise
from ..answers.option_mentions import named_in

_LABELLED = re.compile(r"\s*[(\[（]?([A-Ja-j])[)\]）.．:：、]{1,2}\s*(\S.*)", re.DOTALL)
_ALONE = re.compile(r"[\W_]*([A-Ja-j])[\W_]*")


# Letters that look like Latin ones, and a capital that stands alone.
_ALIKE = str.maketrans("АВСЕ", "ABCE")
_CAPITAL = re.compile(r"(?<![^\W_])(?<!['’])([A-Z])(?![\w'’])(?<![AI](?=\s[a-z]))")
_SENTENCES = re.compile(r"(?<=[.!?])\s+|\n+")
_DENIED = re.compile(
    r"\b(?:not|no|never|neither|nor|except|incorrect|wrong|unlike|instead|than|other|another|also)\b|n['’]t\b",
    re.IGNORECASE,
)
_SHORT = 200


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


def letter_of(text: str, options: Sequence[str]) -> str | None:
    """Return the capital letter of the option that a right answer names, by its letter or its text; None for none."""
    letters, bare = ascii_uppercase[: len(options)], text.strip()
    if bare.upper() in [*letters]:
        return bare.upper()
    same = [name for name, one in zip(letters, options, strict=False) if normalise(one) == normalise(bare)]
    return same[0] if len(same) == 1 else None


def names_only(text: str, letter: str, options: Sequence[str]) -> bool:
    """Whether an output, or its last sentence, names one option by its letter or its text, and no other.

    Parameters
    ----------
    text : str
        The output.
    letter : str
        The letter of the option, A…Z.
    options : sequence of str
        The texts of all options, () if they are not known.
    """
    known = [normalise(option) for option in options]
    last = [one for one in _SENTENCES.split(text.strip()) if one.strip()][-1:]
    for said in ([text] if len(text) <= _SHORT else []) + last:
        if len(said) > _SHORT or _DENIED.search(said):
            continue
        texts = {ascii_uppercase[place] for place in named_in(fold(said), known[: len(ascii_uppercase)])}
        named = texts | set(_CAPITAL.findall(said.translate(_ALIKE)))
        # Behind an answer, a last sentence may speak of another letter.
        if named == {letter} and (said is text or letter in texts):
            return True
    return False


def is_labelled(text: str, truth: str) -> bool:
    """Whether an output is the letter or the text alone of a right answer such as “A) Paris”, or marks it otherwise."""
    label = labelled(truth)
    if label is None or text.strip() == truth.strip():
        return False
    alone = _ALONE.fullmatch(text)
    letter = alone[1].upper() if alone else ""
    return labelled(text) == label or plain_text(text) == label.text or letter == label.letter
