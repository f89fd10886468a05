"""Why a text has no answer: the pattern that it follows, for people who choose a parser."""

from __future__ import annotations

import re
from types import MappingProxyType

from .reasoning import without_reasoning

EMPTY, ENDLESS, REFUSAL, SEVERAL = "empty", "reasoning never ends", "refusal", "several letters"
UNMARKED, CUT, NO_LETTER, NO_NUMBER, OTHER = "letter without marker", "cut off", "no letter", "no number", "other"
# What each pattern means, in the order in which they are looked for.
PATTERNS = MappingProxyType(
    {
        EMPTY: "No text at all.",
        ENDLESS: "A reasoning block is opened and never closed, as at a length limit.",
        REFUSAL: "The model declines, or says that it cannot tell.",
        SEVERAL: "More than one option is named, and none is marked as the answer.",
        UNMARKED: "One option is named, without “the answer is” or the like.",
        CUT: "The text ends in the middle of a sentence, as at a length limit.",
        NO_LETTER: "No option is named.",
        NO_NUMBER: "There is no number.",
        OTHER: "None of these.",
    }
)
_LETTERED = frozenset({"choice", "mmlu-pro", "mmlu-redux", "gpqa", "mmbench"})
_REFUSAL = re.compile(
    r"\bI(?:['’]m| am) (?:sorry|unable|not able)|\bI (?:cannot|can['’]?t|can not|do not know|don['’]t know)\b"
    r"|\bas an AI\b|\bunable to (?:answer|determine|assist|help)|\bcannot be determined\b",
    re.IGNORECASE,
)
# The article and the pronoun count only if brackets or a stop set them apart.
_LETTER = re.compile(r"(?<![A-Za-z0-9'’])(?:\(([A-J])\)|([AI])(?=[).:*]|\s*$)|([B-HJ])(?![A-Za-z0-9'’]))")
_ENDED = re.compile(r"[.!?:;)\]}>\"'”’`*_$…。0-9]\s*$")
_LOOKED_AT = 2_000
_LONG = 200


def pattern(text: str, kind: str) -> str:
    """Name the pattern of a text in which a parser finds no answer.

    Parameters
    ----------
    text : str
        The text; of a long one the first and last 2,000 characters count.
    kind : str
        The parser, one of `core.answers.KINDS`.

    Returns
    -------
    str
        One of `PATTERNS`.
    """
    if not text.strip():
        return EMPTY
    said = without_reasoning(text)
    if not said.strip():
        return ENDLESS
    if _REFUSAL.search(said[:_LOOKED_AT]):
        return REFUSAL
    end = said[-_LOOKED_AT:]
    is_cut = len(said) >= _LONG and _ENDED.search(end[-10:]) is None
    if kind in _LETTERED:
        letters = {letter for match in _LETTER.finditer(end) for letter in match.groups() if letter}
        if not letters or is_cut:
            return CUT if is_cut else NO_LETTER
        return SEVERAL if len(letters) > 1 else UNMARKED
    if is_cut:
        return CUT
    return NO_NUMBER if kind == "number" and not any(sign.isdigit() for sign in said) else OTHER
