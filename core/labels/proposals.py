"""Proposals for words that are not understood: a verdict or an answer, which a person has to confirm."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ..words.verdict_words import CERTAIN, SAYS_NOTHING, SAYS_RIGHT, number_in, spelling
from .kinds import RIGHT, RIGHT_WRONG, WRONG, canonical

SKIP = "skip"
_PROPOSED = {
    **dict.fromkeys(SAYS_NOTHING, SKIP),
    **dict.fromkeys(("yep", "yup", "yeah", "correctly", "rightly"), RIGHT),
    **dict.fromkeys(("nope", "nah", "naw", "incorrectly", "wrongly"), WRONG),
    **{word: RIGHT if says else WRONG for word, says in SAYS_RIGHT.items()},
}
# A dash is no verdict, but where others have a plus.
PLUS, DASHES = frozenset("+＋"), frozenset(("-", "−", "–", "—"))
_BESIDE_PLUS = {**dict.fromkeys(PLUS, RIGHT), **dict.fromkeys(DASHES, WRONG)}
# Words that a slip may have been meant for; shorter ones are too much alike.
_KNOWN = {
    **{word: meaning for word, meaning in _PROPOSED.items() if len(word) > 3},
    **{word: RIGHT if says else WRONG for word, says in CERTAIN.items() if len(word) > 2 and number_in(word) is None},
}
# Shorter words, of which another word may be a slip as well.
_TOO_SHORT = {
    word: RIGHT if says else WRONG for word, says in CERTAIN.items() if len(word) == 2 and number_in(word) is None
}
_SHORT = 3
_NEGATED = re.compile(r"(?:is )?(?:not|isn't|nicht|no|non|pas|não|не) (.+)")
_DENIED = re.compile(r"\b(?:no|not|never|neither|nor|none|without|except|wrong|false|or)\b|n't\b")
# Words that say right or wrong of an answer, and are hardly ever one.
ONLY_VERDICTS = frozenset({"right", "correct", "wrong", "incorrect", "r", "w"})


def proposed(word: str) -> str | None:
    """Return what a word most likely means, "right", "wrong" or "skip"; None if nothing suggests it.

    Parameters
    ----------
    word : str
        As `spelling` writes it. A slip of one letter, or two letters in the wrong order, counts as the word, unless a
        known word of another meaning stands in it; a word with a question mark is no verdict. A sign may be repeated,
        and “not” before a word for right is wrong.
    """
    known = _PROPOSED.get(word, _KNOWN.get(word))
    if known is None and len(word) > 1 and len({*word} - {"\ufe0f"}) == 1 and not word[0].isalnum():
        return {**_BESIDE_PLUS, **_PROPOSED}.get(word[0])
    if known is None and (negated := _NEGATED.fullmatch(word)) is not None:
        return WRONG if {**_KNOWN, **_PROPOSED}.get(negated[1]) == RIGHT else None
    if (meaning := _BESIDE_PLUS.get(word, known)) is not None or len(word) < _SHORT:
        return meaning
    if word.endswith(("?", "？")):
        return SKIP
    near = {meaning for other, meaning in _KNOWN.items() if other[0] == word[0] and _one_edit(word, other)}
    near |= {meaning for other, meaning in _TOO_SHORT.items() if near and _one_edit(word, other)}
    # “iscorrect” is not a slip of “incorrect”.
    within = max((other for other in _KNOWN if other in word), key=len, default="")
    return near.pop() if len(near) == 1 and near <= {_KNOWN.get(within, *near)} else None


def is_word(label: str) -> bool:
    """Whether a label is a word that says right or wrong, or may say so; a digit or a letter may be an answer."""
    word = spelling(label)
    certain = canonical(label, RIGHT_WRONG.name) is not None and (len(word) > 1 or not word.isascii())
    return word in _PROPOSED or (certain and number_in(word) is None)


def slip_of(word: str, answers: Iterable[str]) -> str | None:
    """Return the only answer that differs from a word by one letter, or by two that changed places; None without.

    A number is no slip of another one.
    """
    if number_in(word) is not None:
        return None
    near = [answer for answer in answers if min(len(word), len(answer)) > 1 and _one_edit(word, answer.casefold())]
    return near[0] if len(near) == 1 else None


def answer_meant(word: str, answers: Iterable[str]) -> str | None:
    """Return the only answer that a word most likely means; None without.

    That is an answer of which the word is a slip; “yes” for “ja” or “true”, if no other answer says the like; or the
    only one that stands in it, as in “A?” or “Paris, I think”, unless it is denied.

    Parameters
    ----------
    word : str
        As `word_key` writes it.
    answers : iterable of str
        Of the item or the pool.
    """
    there = list(answers)
    if (near := slip_of(word, there)) is not None:
        return near
    says = None if word in ONLY_VERDICTS else CERTAIN.get(word, SAYS_RIGHT.get(word))
    alike = [one for one in there if says is not None and CERTAIN.get(spelling(one)) is says]
    if len(alike) == 1:
        return alike[0]
    within = answers_within(word, there)
    if len(within) != 1 or number_in(word) is not None:
        return None
    before, _, behind = word.partition(within[0].casefold())
    # “A” may be an article.
    is_led = not before.strip("([\"' ")
    return within[0] if (is_led or len(within[0]) > 1) and not _DENIED.search(f"{before} | {behind}") else None


def answers_within(word: str, answers: Iterable[str]) -> list[str]:
    """List the answers that stand in a text as words of it."""
    return [one for one in answers if re.search(rf"(?<!\w){re.escape(one.casefold())}(?!\w)", word.casefold())]


def _one_edit(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    if len(long) - len(short) > 1 or one == other:
        return False
    same = next((place for place in range(len(short)) if short[place] != long[place]), len(short))
    if len(short) < len(long):
        return short[same:] == long[same + 1 :]
    swapped = long[:same] + long[same : same + 2][::-1] + long[same + 2 :]
    return short[same + 1 :] == long[same + 1 :] or short == swapped
