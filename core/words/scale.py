"""Scales on which people grade: their ends, their names, and where a grade lies between worst and best."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from ..errors import LabelError

if TYPE_CHECKING:
    import pandas as pd

# A number, or a column of them.
Number = TypeVar("Number", float, "pd.Series[float]")
_NUMBER = r"[-−]?[0-9]+(?:\.[0-9]+)?"
_NAME = re.compile(rf"\s*({_NUMBER})\s*(?:-|–|…|\.\.|\bto\b)\s*({_NUMBER})\s*")
# Where a grade counts as good, as a share of the way from the worst to the best.
_GOOD = 0.75


@dataclass(frozen=True, slots=True)
class GradeScale:
    """A scale of grades, higher is better.

    Parameters
    ----------
    low, high : float
        The worst and the best grade, both finite.

    Raises
    ------
    LabelError
        The worst is not below the best.
    """

    low: float
    high: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "low", float(self.low) + 0.0)
        object.__setattr__(self, "high", float(self.high) + 0.0)
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low < self.high):
            raise LabelError(f"A scale goes from the worst grade up to the best, such as 1-5. Found {self.name}.")

    @classmethod
    def of(cls, text: str) -> GradeScale:
        """Read a scale from its ends, such as “1-5”, “0 to 10” or “-1-1”.

        Raises
        ------
        LabelError
            The text names no scale.
        """
        ends = _NAME.fullmatch(text)
        if ends is None:
            raise LabelError(f"“{text}” is no scale: write its worst and its best grade, such as 1-5.")
        return cls(*(float(end.replace("−", "-")) for end in ends.groups()))

    @classmethod
    def read(cls, scale: GradeScale | tuple[float, float] | str) -> GradeScale:
        """Read a scale from its ends, as a pair or as `of` reads them; a scale is returned as it is."""
        return scale if isinstance(scale, GradeScale) else cls.of(scale) if isinstance(scale, str) else cls(*scale)

    @property
    def name(self) -> str:
        """Its ends as `of` reads them, “1-5”."""
        return f"{self.low:.12g}-{self.high:.12g}"

    @property
    def span(self) -> float:
        """The best grade less the worst."""
        return self.high - self.low

    @property
    def good(self) -> float:
        """The grade from which on answers are called good unless somebody says another: 4 of 1 to 5, 8 of 0 to 10."""
        at = self.low + _GOOD * self.span
        return float(math.ceil(at)) if self.low.is_integer() and self.high.is_integer() and self.span > 1 else at

    def has(self, grade: float) -> bool:
        """Whether a grade lies on the scale."""
        return self.low <= grade <= self.high

    def share(self, grade: float) -> float:
        """Return the place of a grade, from 0 (worst) to 1 (best)."""
        return (grade - self.low) / self.span

    def grade(self, share: Number) -> Number:
        """Return the grade at a share of the way from the worst to the best; of a column, those of its shares."""
        return self.low + self.span * share

    def __str__(self) -> str:
        return grade_span(self.low, self.high)


def grade_span(low: float, high: float) -> str:
    """Write the ends of some grades, “1 to 2”; once if they are the same."""
    return " to ".join(f"{end:.12g}" for end in dict.fromkeys((low, high))).replace("-", "−")


# What values are shown in: shares in per cent (True), plain numbers (False), or grades of a scale.
Unit = bool | GradeScale
