"""The one number that a person wrote as a right answer; a cell that holds more, or something else, says none."""

from __future__ import annotations

import re
import unicodedata

from ..answers import parse
from ..answers.digits import is_number_in_words
from ..pool.verdict_words import CERTAIN, SAYS_NOTHING, SAYS_RIGHT, spelling

_FRAME = re.compile(
    r"(?:#{2,4}|(?:the\s+)?(?:(?:right|correct|final)\s+)?answer(?:\s+is|\s*[:=])|it(?:\s+i|[’'])s|(?:[a-z]\s*)?=)\s*",
    re.IGNORECASE,
)
_DECIMAL_COMMA = re.compile(r"(?<![0-9.,])([0-9]+),([0-9]{1,2}|[0-9]{4,}|(?<=0,)[0-9]+)(?![0-9.,])")
_CURRENCY = r"(?:[$€£¥₹]|[A-Z]{3}\s)?\s?"
# Western, with one sign between all groups, or Indian.
_GROUPED = r"[1-9][0-9]{0,2}(?:(?:,[0-9]{3})+|(?:['’][0-9]{3})+|(?:[\s_][0-9]{3})+)|[1-9][0-9]?(?:,[0-9]{2})+,[0-9]{3}"
_NUMBER = re.compile(
    rf"{_CURRENCY}[-+]?{_CURRENCY}"
    rf"(?:(?:[0-9]+\s)?[0-9]+\s?/\s?[0-9]+|(?:(?:{_GROUPED}|[0-9]+)(?:\.[0-9]*)?|\.[0-9]+)(?:e[-+]?[0-9]+)?)"
    r"(\s?(?:[%$€£¥₹°]|[^\W\d_][^\W\d_/²³°.]{0,14}))?",
    re.IGNORECASE,
)
# Formulas have several numbers and one value.
_FORMULA = re.compile(r"[\\\\^√π×]")
_SEVERAL = re.compile(r"[,;]\s|\b(?:and|or|to)\b")
_FEW_WORDS = 4
_SIGNS = str.maketrans(dict.fromkeys("−–‐‑﹣－", "-") | {"⁄": "/"})


def one_number(text: str) -> str | None:
    """Return a text with its only number in a spelling that kind ``number`` reads; None if it is not one number.

    A decimal comma becomes a point. A currency, one unit and a short frame ("the answer is 5") are no further words.
    """
    bare = unicodedata.normalize("NFKC", text.strip()).translate(_SIGNS)
    framed = _FRAME.match(bare)
    said = (bare[framed.end() :] if framed else bare).strip().rstrip(".;, ")
    if len(said) > 1 and said[0] == "(" and said[-1] == ")":
        said = said[1:-1].strip()
    if _FORMULA.search(text):
        readable = parse(text, "number") is not None and len(said.split()) <= _FEW_WORDS
        return text.strip() if readable and not _SEVERAL.search(said) else None
    if not any(sign.isdigit() for sign in said):
        return text.strip() if is_number_in_words(said) else None
    pointed = _DECIMAL_COMMA.sub(r"\1.\2", said)
    found = _NUMBER.fullmatch(pointed)
    if found is None:
        return None
    unit = spelling(found[1] or "")
    if len(unit) > 1 and (unit in SAYS_NOTHING or unit in CERTAIN or unit in SAYS_RIGHT):
        return None
    return text.strip() if pointed == said else pointed
