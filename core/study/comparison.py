"""Two targets on the same labelled items: their values and the paired difference."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from ..errors import DesignError
from ..estimation.contrasts import difference
from ..estimation.intervals import DEFAULT, Interval
from ..estimation.mean import Estimate, sample
from ..estimation.waves import Waves
from ..estimation.weighting import WeightedLabels
from ..words import counted, level, shortened, strata_named
from ..words.scale import Unit
from .outcomes import in_unit, mean_named, summary_frame, text_of


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """A target on the labelled items.

    Parameters
    ----------
    name : str
        The target.
    values : (M,) float
        Its values (1 − loss); NaN = not known.
    basis : str
        How they are known, in words.
    """

    name: str
    values: NDArray[np.float64]
    basis: str


@dataclass(frozen=True, slots=True, repr=False)
class Comparison:
    """Two targets compared.

    Parameters
    ----------
    names, bases : tuple of str
        The two targets, and how the values of each are known.
    measure : str
        "accuracy" or "score".
    unit : bool or GradeScale
        Whether values lie in [0, 1], or the scale of grades that they are shown in.
    confidence : float
        The level of the intervals.
    n_both, left_out : int
        Items on which both are known, and items on which only one is.
    empty : tuple of int
        Strata without an item that has both; then there are no estimates.
    values : tuple of Estimate or None
        The two, on the items that have both.
    gap : Estimate or None
        The first less the second: positive if the first is better.
    """

    names: tuple[str, str]
    bases: tuple[str, str]
    measure: str
    unit: Unit
    confidence: float
    n_both: int
    left_out: int
    empty: tuple[int, ...]
    values: tuple[Estimate, Estimate] | None
    gap: Estimate | None

    def __repr__(self) -> str:
        """Show the two values and the difference."""
        first, second = self.names
        items, sure = counted(self.n_both, "item"), level(self.confidence)
        head = f"“{first}” and “{second}”: {self.measure} on {items}, {sure} intervals"
        if self.gap is None:
            return f"{head}; no item of {strata_named(self.empty)} is judged for both"
        return f"{head}\n{text_of(self.summary_frame())}\n{in_unit(self.gap, self.unit, gap=True)!r}"

    @property
    def separate_error(self) -> float:
        """Standard error of the difference of two separate samples, each with the same number of labels."""
        return math.nan if self.values is None else math.hypot(*(one.standard_error for one in self.values))

    @property
    def shown(self) -> bool:
        """Whether the interval of the difference leaves out 0; False if there is none."""
        return self.gap is not None and (self.gap.low > 0 or self.gap.high < 0)

    @property
    def sides(self) -> tuple[str, str]:
        """Return the meanings of a difference below 0 and of one above, for a figure."""
        verb = "better" if self.measure == "accuracy" else "higher"
        first, second = (shortened(name, 20) for name in self.names)
        return f"← {second} {verb}", f"{first} {verb} →"

    def summary_frame(self) -> pd.DataFrame:
        """Tabulate the two values, a row each: target, measure, value, standard_error, low, high, n_labels.

        No row if there are no estimates. The difference is ``gap``.
        """
        table = summary_frame(in_unit(one, self.unit) for one in self.values or ())
        table.insert(0, "target", self.names[: len(table)])
        return table

    def table(self) -> pd.DataFrame:
        """Tabulate the two values: label, value, low, high; no row if there are no estimates."""
        return _frame(dict(zip(self.names, self.values or (), strict=False)))

    def gap_table(self) -> pd.DataFrame:
        """Tabulate the difference: label, value, low, high."""
        return _frame({} if self.gap is None else {"Difference": self.gap})


def compare(
    first: Judged,
    second: Judged,
    strata: ArrayLike,
    sizes: ArrayLike,
    *,
    measure: str = "accuracy",
    interval: Interval = DEFAULT,
    in_waves: Waves | WeightedLabels | None = None,
    unit: Unit | None = None,
) -> Comparison:
    """Compare two targets on the items on which both are known.

    Parameters
    ----------
    first, second : Judged
        The two targets on the same M labelled items.
    strata : (M,) int
        Strata of the labelled items.
    sizes : (H,) int
        Items of each stratum.
    measure : str
        "accuracy" or "score".
    interval : Interval
        How intervals are made.
    in_waves : Waves or WeightedLabels, optional
        The labelled items, if they were labelled in waves; ``strata`` and ``sizes`` are then those of the last one.
    unit : bool or GradeScale, optional
        As in `Comparison`; by default whether the interval is bounded.

    Raises
    ------
    DesignError
        No item has both, lengths differ, or as `core.estimation.stratified`.
    """
    one, two = (np.asarray(target.values, dtype=np.float64) for target in (first, second))
    if one.shape != two.shape:
        raise DesignError(f"There are {one.size} and {two.size} values: both targets need the same labelled items.")
    both = ~np.isnan(one) & ~np.isnan(two)
    if not both.any():
        raise DesignError(
            f"No labelled item is judged for both “{first.name}” and “{second.name}”. Label the answers of the other "
            "target to the same items, or ask for right answers, which serve every target."
        )
    member, size = np.asarray(strata, dtype=np.int64)[both], np.asarray(sizes, dtype=np.int64)
    counts = np.bincount(member, minlength=size.size)
    n_both, n_any = int(both.sum()), int((~np.isnan(one) | ~np.isnan(two)).sum())
    values: tuple[Estimate, Estimate] | None = None
    gap = None
    if counts.all():
        waves = None if in_waves is None else in_waves.only(both)
        first_value, second_value = (
            (
                sample(x[both], member, size, interval.bounded)
                if waves is None
                else waves.of(x[both], interval.bounded)
            ).estimate(interval)
            for x in (one, two)
        )
        name = mean_named(measure)
        values = (replace(first_value, measure=name), replace(second_value, measure=name))
        gap = replace(difference(one[both], two[both], member, size, interval, waves), measure=f"difference in {name}")
    return Comparison(
        names=(first.name, second.name),
        bases=(first.basis, second.basis),
        measure=measure,
        unit=interval.bounded if unit is None else unit,
        confidence=interval.confidence,
        n_both=n_both,
        left_out=n_any - n_both,
        empty=tuple(np.flatnonzero(counts == 0).tolist()),
        values=values,
        gap=gap,
    )


def _frame(estimates: dict[str, Estimate]) -> pd.DataFrame:
    rows: list[dict[str, Any]] = [
        {"label": name, "value": one.value, "low": one.low, "high": one.high} for name, one in estimates.items()
    ]
    return pd.DataFrame(rows, columns=["label", "value", "low", "high"])
