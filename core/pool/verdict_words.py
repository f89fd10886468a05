"""The one vocabulary of verdicts: words that say right or wrong, and words that say neither.

Four sets: `CERTAIN` always counts. `SAYS_RIGHT` holds pairs of many languages, which a person confirms before they
count as labels. `SAYS_NOTHING` is known to be no verdict. `SAYS_NO_OPTION` says of an item that no option is right.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from functools import lru_cache

from ..words.verdict_lists import NO_OPTION, NO_VALUE, PAIRS, SIGNS, UNKNOWN

_SPACES = re.compile(r"\s+")
_MARKS = ".!,;: \ufe0f"
_SHORT = 24
_FULL_WIDTH = {wide: wide - 0xFEE0 for wide in range(0xFF01, 0xFF5F)}


def spelling(text: str) -> str:
    """Return a word as verdicts are compared: without white space and punctuation around it, in lower case.

    The mark that makes a sign an emoji is no part of it. All apostrophes are alike, and so are full-width signs of East
    Asian keyboards and the usual ones.
    """
    return _spelling(text) if len(text) <= _SHORT else _spelled(text)


# Tables say the same few words in millions of cells.
@lru_cache(maxsize=4_096)
def _spelling(text: str) -> str:
    return _spelled(text)


def _spelled(text: str) -> str:
    bare = (text if text.isascii() else text.translate(_FULL_WIDTH)).strip()
    return _SPACES.sub(" ", (bare.rstrip(_MARKS) or bare).replace("’", "'")).casefold()


def number_in(text: str) -> float | None:
    """Return the finite number that a text writes, perhaps with a decimal comma or in per cent; None for none."""
    bare = text.strip()
    is_share = bare.endswith("%")
    if "_" in bare:
        return None
    try:
        value = float(bare.removesuffix("%").replace(",", "."))
    except ValueError:
        return None
    # 7 % is 0.07, not 0.07 plus an error in the sixteenth digit.
    value = float(f"{value / 100:.15g}") if is_share else value
    return value if math.isfinite(value) else None


def word_key(text: str) -> str:
    """Return a label as words are compared: of a number, the number however it is written."""
    number = None if "%" in text else number_in(text)
    return spelling(text) if number is None else f"{number:.15g}"


# Word to whether it says right; as `spelling` writes them.
SAYS_RIGHT: Mapping[str, bool] = {
    spelling(word): says
    for pairs in (*PAIRS.values(), SIGNS)
    for pair in pairs.split()
    for word, says in zip(pair.split("/"), (True, False), strict=True)
}
# Word to whether it says right, wherever verdicts are asked for.
CERTAIN: Mapping[str, bool] = {
    **dict.fromkeys(("right", "correct", "true", "yes", "y", "1", "1.0", "r", "✓", "✔", "✅"), True),
    **dict.fromkeys(("wrong", "incorrect", "false", "no", "n", "0", "0.0", "w", "✗", "✘", "✖", "❌"), False),
}
SAYS_NO_VALUE = frozenset(spelling(word.replace("_", " ")) for word in NO_VALUE.split())
SAYS_NOTHING = frozenset(spelling(word.replace("_", " ")) for word in UNKNOWN.split())
# Of an item with options: none of them is right.
SAYS_NO_OPTION = frozenset(spelling(word.replace("_", " ")) for word in NO_OPTION.split())
