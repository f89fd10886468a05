"""Options that running words choose: by a verdict on their letter ("B is correct"), or by their text at the end."""

from __future__ import annotations

import re
from collections.abc import Sequence
from string import ascii_uppercase

_LETTER = re.compile(r"(?<![^\W_])(?<!['’])[(\[*_]{0,3}(?P<letter>[A-Z])(?=[)\].:*_,]|\s)")
_ENDS = re.compile(r"\n|[.!?;](?=\s)(?!\s?[✓✔✅☑✗✘❌])(?<!\b[A-Z][.])")
_JOINS = re.compile(r"[)\].*_]{0,3}\s?(?:,|/|&|and|or)\s?[(\[*_]{0,3}")
_RIGHT = re.compile(
    r"(?:\b(?:is|seems|appears|would be|must be|are)\b[^.\n]{0,40}?|[-–—:→]\s?[*_(]{0,3})"
    r"\b(?:correct|the right (?:answer|option|choice)|the answer|the best|yes)\b|[✓✔✅☑]|\((?:correct|right|yes)\b",
    re.IGNORECASE,
)
_WRONG = re.compile(
    r"\b(?:not|no|incorrect|wrong|false|never|cannot|neither|nor|partially|if|would be right)\b|n['’]t\b|[✗✘❌×]",
    re.IGNORECASE,
)
_NONE = re.compile(r"\b(?:none|neither|not|no|nor|through|isn['’]t)\b[^.\n]*\Z", re.IGNORECASE)
_LATE = 250
_SENTENCE = re.compile(r"(?:^|[\n]|[.!?:](?=\s))\s*(?P<said>[^\n]{2,200}?)[.!]?[*_\s]*$")
_COPULA = (
    r"(?:\b(?:is|are|was|were|be|called|named|say|guess|choose|pick|select|with|probably|definitely|likely|certainly)|['’]s|[:=→])"
    r"\s(?:the |an? |most likely |probably |option |that )?[\"“'*_(]{0,3}"
)
_DENIED = re.compile(
    r"\b(?:not|no|never|neither|nor|except|incorrect|wrong|unlike|rather|instead|than|or|if)\b|n['’]t\b"
)
_CLAUSE = re.compile(r",|\bbut\b")
_SHORT = 120
# What joins letters of which none is chosen: "B or C", "weder B noch C".
JOINED = (
    r"[,;/&+|–]|(?:and/or|and|or|nor|vs\.?|versus|und|oder|noch|et|ou|ni|y|o|e|en|of|og|och|eller|i|lub|и|или|ve|veya"
    r"|dan|atau|và|hoặc)(?=\s|[(\[*])|和|或|と|か|또는"
)
# Words that reject the letter in front of them or behind them, and words that choose the one behind them.
_NOUN = r"(?:(?:the|option|choice|letter|answer)\s)*[(\[*_\"“'‘]*"
_REJECTED = re.compile(
    r"""(?: \b(?:not|neither|nor|except(?:\sfor)?|excluding|(?:anything|everything|all|none)\sbut|wrong:|incorrect:
             |eliminate[ds]?|eliminating|rul(?:e|ed|ing)\sout|exclude[ds]?|rejects?|rather\sthan|instead\sof
             |weder|noch|nicht|niet|kein|pas|ni|não|inte|ikke|nie|bukan|не) | n['’]t )\s
          NOUN(?-i:(?P<behind>[A-Z]))(?![\w'’])
      | (?<![\w'’])(?-i:(?P<before>[A-Z]))[)\]*_"'”’]{0,3}\s?
          (?: (?:is|are|was|seems|looks)(?:n['’]t\b|\s(?:not|never|wrong|incorrect|false|out)\b)
            | ist\s(?:falsch|nicht)\b | [✗✘❌×] )""".replace("NOUN", _NOUN),
    re.IGNORECASE | re.VERBOSE,
)
_CHOOSES = re.compile(
    r"(?:\b(?:so|thus|hence|therefore|but|no|actually|rather|go(?:ing)?\s(?:with|for)|choose|pick|select|say|guess|is)\b|->|→|=>)[,:]?\s"
    r"(?:(?:it|that)(?:\sis|['’]s)\s)?" + _NOUN + "$",
    re.IGNORECASE,
)


def declared(text: str, n_options: int) -> str | None:
    """Return the one letter of which a text says that it is correct; None if it says so of none or of several.

    The verdict counts at the end of the text, or if the text rejects the others.
    """
    letters = ascii_uppercase[:n_options]
    found = [one for one in _LETTER.finditer(text) if one["letter"] in letters]
    right, judged, last = set[str](), set[str](), 0
    for place, one in enumerate(found):
        stop = found[place + 1].start() if place + 1 < len(found) else len(text)
        end = _ENDS.search(text, one.end() + 2, stop)
        said = text[one.end() : min(end.start() if end else stop, one.end() + 240)]
        if one["letter"] == "I" and not said.startswith((")", "]", "*", ".")):
            continue
        before = text[max(0, one.start() - 80, found[place - 1].end() if place else 0) : one.start()]
        if _WRONG.search(said) or _NONE.search(before):
            judged.add(one["letter"])
        elif _RIGHT.search(said):
            right.add(one["letter"])
            if place and _JOINS.fullmatch(text, found[place - 1].end(), one.start()):
                right.add(found[place - 1]["letter"])
            last = one.start()
    if len(right) != 1 or right & judged:
        return None
    return next(iter(right)) if last >= len(text) - _LATE or judged == set(letters) - right else None


def concluded(text: str, options: Sequence[str]) -> int | None:
    """Return the place of the one option with whose text the last sentence ends, as in "I think it is Paris.".

    Parameters
    ----------
    text : str
        A folded text.
    options : sequence of str
        Folded texts of the options.
    """
    whole = text.strip()
    if len(whole) > _SHORT and whole[-1:] not in ".!*_":
        return None  # It may be cut off.
    match = _SENTENCE.search(whole[-220:])
    said = match["said"].rstrip("*_\"”'’) ") if match else ""
    named = [place for place, option in enumerate(options) if option and _occurs(option, said)]
    # One option within another is not named itself.
    named = [one for one in named if not any(one != other and options[one] in options[other] for other in named)]
    clause = _CLAUSE.split(said.replace(options[named[0]], ""))[-1] if named else ""
    if len(named) != 1 or _DENIED.search(clause):
        return None
    return named[0] if re.search(_COPULA + re.escape(options[named[0]]) + "$", said) else None


def rejected(text: str) -> frozenset[str]:
    """Return the letters that a short text rejects, as in "neither A nor B", "anything but C" or "A is wrong"."""
    return frozenset(one["behind"] or one["before"] for one in _REJECTED.finditer(text))


def is_chosen(before: str) -> bool:
    """Whether the words in front of a letter choose it, as in "A? No, B." or "not sure, but I pick B"."""
    return _CHOOSES.search(before) is not None


def _occurs(option: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(option)}(?!\w)", text) is not None
