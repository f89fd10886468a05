"""Scores as shares of right answers: 1 is right, 0 wrong; those on another scale are unknown, with a note."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ..pool.problems import Problems, shown

_NAMED = 5


def number_of(value: Any) -> float | None:
    """Return a finite number, or what true and false count as; None for anything else."""
    known = isinstance(value, (bool, int, float)) and abs(value) < float("inf")
    return float(value) if known else None


@dataclass(frozen=True, slots=True)
class ScoreScale:
    """How the values of one score are read.

    Parameters
    ----------
    name : str
        What the score is called.
    read : callable
        A value → its number, None if it has none.
    """

    name: str
    read: Callable[[Any], float | None] = number_of

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
                f"Scores of {shown(self.name)} go {scale}: they are no shares of right answers, so they are unknown."
            )
            return [None] * len(read)
        strange = [value for value, one in zip(values, read, strict=True) if one is None and _is_strange(value)]
        if strange:
            keys = list(dict.fromkeys(key for value in strange if isinstance(value, dict) for key in value))
            listed = ", ".join(dict.fromkeys(shown(str(one), 40) for one in (keys or strange)[:_NAMED]))
            what = "objects of which the file does not say what counts" if keys else "neither verdicts nor numbers"
            problems.note(f"Scores of {shown(self.name)} that are {what} are unknown: {len(strange):,} ({listed}).")
        return read


def _is_strange(value: Any) -> bool:
    # NaN says that a sample was not scored.
    return value is not None and value == value
