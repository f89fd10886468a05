"""Verdicts of cells on an output: the number in one, or the number that a word stands for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from ..pool.verdict_words import CERTAIN, SAYS_NO_VALUE, SAYS_RIGHT, number_in, spelling, word_key

_WORDS: Mapping[str, float] = {
    **{word: float(says) for word, says in SAYS_RIGHT.items()},
    **{word: float(says) for word, says in CERTAIN.items() if number_in(word) is None},
    "c": 1.0,
    "i": 0.0,
    # SimpleQA's third grade: a model that says that it does not know is not right.
    **dict.fromkeys(("not_attempted", "not attempted"), 0.0),
}
# How programs write that there is no value.
_MEANT: Mapping[str, float] = {"right": 1.0, "wrong": 0.0}
_NOBODY: Mapping[str, str] = MappingProxyType({})
# Words whose meaning turns with the name of what they answer, such as “yes” in a column of errors.
_TURNING_WORDS = (
    "1 0 1.0 0.0 y n yes no true false 是 否 不是 हाँ नहीं हां नही sí si no verdadero falso verdadera falsa vrai faux "
    "oui non نعم لا হ্যাঁ না sim não verdadeiro да нет ہاں نہیں ya tidak wahr falsch ja nein はい いいえ 예 아니요 아니오 "
    "vero evet hayır doğru yanlış ✓ ✗ ✔ ✘ ☑ ☒ ✅ ❌ √ ✖ ○ × ◯ ✕"
)
_TURNING = frozenset(map(spelling, _TURNING_WORDS.split()))
# Of these, beside no other word, nobody knows which they answer: “wrong?” or “is it right?”.
_WRONG_OR_FALSE = frozenset(("falsch", "faux", "falso", "falsa"))
_NOTHING = SAYS_NO_VALUE | {"", "nan", "null", "<na>", "n.a", "#n/a", "nil"}


def alone(value: Any) -> Any:
    """Return the only element of a list, and any other value as it is."""
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def word_of(value: Any) -> str:
    """Return a value as words are compared: 5 and 5.0 are one number."""
    return word_key(str(value))


def number(value: Any, words: Mapping[str, str] = _NOBODY) -> float | None:
    """Return the number that a value, or a word such as “correct”, stands for, of a list the mean; None for none.

    ``words`` (as `word_key` writes them) mean “right” or “wrong”, or leave the number open.
    """
    value = alone(value)
    if isinstance(value, list):
        numbers = [number(one, words) for one in value if not says_nothing(one)]
        known = [one for one in numbers if one is not None]
        return sum(known) / len(known) if known and len(known) == len(numbers) else None
    if words and (word := word_of(value)) in words:
        return _MEANT.get(words[word])
    if isinstance(value, str):
        said = number_in(value)
        return _WORDS.get(spelling(value)) if said is None else said
    return float(value) if isinstance(value, (bool, int, float)) else None


def right_words(values: Iterable[Any], said: Mapping[str, str] = _NOBODY) -> str:
    """Name what stands for 1 among some values, 1 if nothing does: “correct”, or “pass” or 1."""
    words = [right_word(value, said) for value in values if number(value, said) == 1] or [right_word(1)]
    return " or ".join({word.casefold(): word for word in reversed(words)}.values())


def right_word(value: Any, said: Mapping[str, str] = _NOBODY) -> str:
    """Return how a value that stands for 1 is named: a word such as “correct” in quotes, any other as 1."""
    text = value if isinstance(value := alone(value), str) else ""
    if spelling(text) in _WORDS:
        return f"“{text.strip()}”"
    return f"“{text.strip() or word}”" if (word := word_of(value)) in said else "1"


def say_themselves(values: Iterable[Any]) -> bool:
    """Whether values are words of verdicts such as “passed” and “incorrect”, whatever their column is called.

    “Yes” and “true” are none, alone: in a column of errors they mean wrong.
    """
    words = {spelling(str(alone(value))) for value in values if not says_nothing(value)}
    return words <= CERTAIN.keys() | SAYS_RIGHT.keys() and not words <= _TURNING


def are_wrong_or_false(values: Iterable[Any]) -> bool:
    """Whether all values are one word such as “falsch”, which says that an output is wrong, or that this is untrue."""
    words = {spelling(str(alone(value))) for value in values if not says_nothing(value)}
    return len(words) == 1 and words <= _WRONG_OR_FALSE


def says_nothing(value: Any) -> bool:
    """Whether a value leaves the number open: None, NaN, an empty list, or a word such as “n/a”."""
    value = alone(value)
    if isinstance(value, str):
        return spelling(value) in _NOTHING
    return value is None or value == [] or value != value
