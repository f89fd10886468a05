"""Verdicts of cells on an output, and scores as shares of right answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from ..pool.problems import Problems, shown
from ..words.verdict_words import CERTAIN, SAYS_NO_VALUE, SAYS_RIGHT, number_in, spelling, word_key
from .field_names import NAMES, WORDS, is_fault, last_name, words_of

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
_TURNING = frozenset(map(spelling, WORDS["turning"]))
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


# Scores as shares of right answers: 1 is right, 0 wrong; those on another scale are unknown, with a note.

_NAMED = 5


def number_of(value: Any) -> float | None:
    """Return a finite number, or what true and false count as; None for anything else."""
    known = isinstance(value, (bool, int, float)) and abs(value) < float("inf")
    return float(value) if known else None


@dataclass(frozen=True, slots=True)
class ScoreScale:
    """The scale on which the values of one score are read.

    Parameters
    ----------
    name : str
        What the score is called.
    read : callable
        A value → its number, None if it has none.
    verdicts : frozenset of str
        Values that say right or wrong themselves, whatever the score is called.
    """

    name: str
    read: Callable[[Any], float | None] = number_of
    verdicts: frozenset[str] = frozenset()

    def right(self, values: Sequence[Any], problems: Problems, others: Sequence[str] = ()) -> list[float | None]:
        """Read all values of a file as shares of right answers, and say so; parameters as for :meth:`shares`.

        If the name sounds as if 1 meant wrong, none is known: the tool does not say, and the opposite would be as
        likely. ``others`` are the scores of the file that are not taken.
        """
        but = f", not of {', '.join(map(shown, others))}" if others else ""
        if is_fault(self.name) and not all(value is None or value in self.verdicts for value in map(_text, values)):
            problems.note(
                f"Scores are those of {shown(self.name)}{but}. The name sounds as if 1 meant wrong, so right or wrong "
                "is unknown. Label items, or say what 1 means: neyman pool map FILE --target MODEL:wrong=PATH, or "
                "right=PATH."
            )
            return [None] * len(values)
        shares = self.shares(values, problems)
        if any(share is not None for share in shares):
            problems.note(f"Scores are those of {shown(self.name)}{but}.")
        return shares

    def shares(self, values: Sequence[Any], problems: Problems) -> list[float | None]:
        """Read all values of a file.

        Parameters
        ----------
        values : sequence of Any
            One a sample; None and NaN are unknown.
        problems : Problems
            Where notes are added of values that are no shares.

        Returns
        -------
        list of float or None
            Shares between 0 and 1. If a number lies outside, the scale is another one, and no number is a share.
        """
        read = [self.read(value) for value in values]
        known = [one for one in read if one is not None]
        if known and (min(known) < 0 or max(known) > 1):
            scale = f"from {min(known):g} to {max(known):g}"
            problems.note(
                f"Scores of {shown(self.name)} go {scale}: they are not shares of right answers, so they are unknown."
            )
            return [None] * len(read)
        strange = [value for value, one in zip(values, read, strict=True) if one is None and _is_strange(value)]
        if strange:
            keys = list(dict.fromkeys(key for value in strange if isinstance(value, dict) for key in value))
            listed = ", ".join(dict.fromkeys(shown(str(one), 40) for one in (keys or strange)[:_NAMED]))
            what = "objects without a score that is known to count" if keys else "neither verdicts nor numbers"
            problems.note(f"Scores of {shown(self.name)} that are {what} are unknown: {len(strange):,} ({listed}).")
        return read


def shares_of(scores: Mapping[str, tuple[str, Any]], problems: Problems) -> dict[str, float | None]:
    """Read the scores of items, each with the name of its metric, as shares of right answers.

    All of a metric that goes beyond 0 to 1 are unknown, with a note.
    """
    shares = dict[str, float | None]()
    for metric in dict.fromkeys(name for name, _ in scores.values()):
        of_metric = {item: value for item, (name, value) in scores.items() if name == metric}
        shares |= zip(of_metric, ScoreScale(metric).shares([*of_metric.values()], problems), strict=True)
    return shares


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


def in_order_of_names(names: Iterable[str]) -> list[str]:
    """Sort scores: called correct first, then as they come, at last those of which 1 is bad; amounts are left out."""
    scores = [name for name in names if WORDS["amounts"].isdisjoint(words_of(name)[-1])]
    return sorted(scores, key=lambda name: (is_fault(name), last_name(name) not in NAMES["score"]))


def _is_strange(value: Any) -> bool:
    # NaN says that a sample was not scored.
    return value is not None and value == value
