"""Scores as shares of right answers: 1 is right, 0 wrong; those on another scale are unknown, with a note."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ..pool.problems import Problems, shown
from .field_names import AMOUNTS, SCORE_NAMES, is_fault, last_name, words_of

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


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


def in_order_of_names(names: Iterable[str]) -> list[str]:
    """Sort scores: called correct first, then as they come, at last those of which 1 is bad; amounts are left out."""
    scores = [name for name in names if AMOUNTS.isdisjoint(words_of(name)[-1])]
    return sorted(scores, key=lambda name: (is_fault(name), last_name(name) not in SCORE_NAMES))


def _is_strange(value: Any) -> bool:
    # NaN says that a sample was not scored.
    return value is not None and value == value
