"""Two targets on the same labelled items: their values, the paired difference, and what can be said of it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from core.errors import DesignError
from core.estimation.contrasts import difference
from core.estimation.intervals import WILSON, Interval
from core.estimation.mean import Estimate, sample
from core.estimation.variance import short_strata
from core.words import SPACE, counted, level, listed, points, shortened, signed, width


@dataclass(frozen=True, slots=True)
class Judged:
    """A target and its losses on the labelled items, (M,) float, NaN = not known; ``basis``: how they are known."""

    name: str
    losses: NDArray[np.float64]
    basis: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two targets compared.

    ``measure``, ``unit`` (values are shares), ``confidence`` as in `core.report.Result`; ``bases``: how the losses of
    each are known; ``n_both`` items on which both are known, ``left_out`` items on which only one is; ``empty``: strata
    without an item that has both, and then there are no estimates; ``values`` of the two on these items; ``gap``: the
    first less the second, positive where the first is better (where ``measure`` is "loss": where it loses more).
    """

    names: tuple[str, str]
    bases: tuple[str, str]
    measure: str
    unit: bool
    confidence: float
    n_both: int
    left_out: int
    empty: tuple[int, ...]
    values: tuple[Estimate, Estimate] | None
    gap: Estimate | None

    @property
    def separate_error(self) -> float:
        """Standard error of the difference of two separate samples of as many labels each."""
        return math.nan if self.values is None else math.hypot(*(one.standard_error for one in self.values))

    @property
    def shown(self) -> bool:
        """Whether the interval leaves out 0; not where there is none."""
        return self.gap is not None and (self.gap.low > 0 or self.gap.high < 0)

    @property
    def sides(self) -> tuple[str, str]:
        """What a difference below 0 means, and one above."""
        said = {"accuracy": "better", "score": "higher", "loss": "loses more"}[self.measure]
        first, second = (shortened(name, 20) for name in self.names)
        return f"← {second} {said}", f"{first} {said} →"

    def table(self) -> pd.DataFrame:
        """The two values: label, value, low, high; no row where there are no estimates."""
        return _frame(dict(zip(self.names, self.values or (), strict=False)))

    def gap_table(self) -> pd.DataFrame:
        """The difference: label, value, low, high."""
        return _frame({} if self.gap is None else {"Difference": self.gap})


def compare(
    first: Judged,
    second: Judged,
    strata: ArrayLike,
    sizes: ArrayLike,
    measure: str = "accuracy",
    interval: Interval = WILSON,
    weights: ArrayLike | None = None,
) -> Comparison:
    """Compare two targets on the items on which both are known.

    Parameters
    ----------
    strata : (M,) int, the labelled items' strata. sizes : (H,) of the pool. weights : (H,) of the design: where strata
    have far fewer labels than it gives them, each target's limits are widened, as in `core.report.result`; None = not
    known. The others as there.

    Raises
    ------
    DesignError : no item has both, lengths differ, or as `core.estimation.stratified`.
    """
    loss, other = np.asarray(first.losses, dtype=np.float64), np.asarray(second.losses, dtype=np.float64)
    if loss.shape != other.shape:
        raise DesignError(f"There are {loss.size} and {other.size} losses: both targets need the same labelled items.")
    both = ~np.isnan(loss) & ~np.isnan(other)
    if not both.any():
        raise DesignError(
            f"No labelled item is judged for both “{first.name}” and “{second.name}”: label the other target’s "
            "answers to the same items, or ask for right answers, which serve every target."
        )
    member, size = np.asarray(strata, dtype=np.int64)[both], np.asarray(sizes, dtype=np.int64)
    known = int((~np.isnan(loss) | ~np.isnan(other)).sum())
    empty = np.flatnonzero(np.bincount(member, minlength=size.size) == 0)
    values: tuple[Estimate, Estimate] | None = None
    gap = None
    if not empty.size:
        own = [x[both] if measure == "loss" else 1.0 - x[both] for x in (loss, other)]
        short = weights is not None and short_strata(np.bincount(member, minlength=size.size), size, weights)
        each = replace(interval, conservative=True) if short else interval
        one, two = (sample(x, member, size, interval.bounded).estimate(each) for x in own)
        values = (one, two)
        gap = difference(own[0], own[1], member, size, interval)
    return Comparison(
        names=(first.name, second.name),
        bases=(first.basis, second.basis),
        measure=measure,
        unit=interval.bounded,
        confidence=interval.confidence,
        n_both=int(both.sum()),
        left_out=known - int(both.sum()),
        empty=tuple(int(h) for h in empty),
        values=values,
        gap=gap,
    )


def headline(found: Comparison) -> str:
    """Whether a difference is shown, which of the two is better on these labels, and by how much.

    The difference and its limits are those of the first less the second, as in table and figure.
    """
    first, second = (f"“{name}”" for name in found.names)
    if found.gap is None:
        strata = f"{'stratum' if len(found.empty) == 1 else 'strata'} {listed([str(h) for h in found.empty])}"
        return f"{first} and {second} cannot be compared yet: no item of {strata} is judged for both."
    gap = found.gap
    more, less, alike = {
        "accuracy": ("is right more often than", "is right less often than", "are right equally often"),
        "score": ("scores higher than", "scores lower than", "score the same"),
        "loss": ("loses more than", "loses less than", "lose the same"),
    }[found.measure]
    if gap.value == 0:
        claim = f"{first} and {second} {alike}"
    else:
        claim = f"{first} {more if gap.value > 0 else less} {second} by {width(abs(gap.value), found.unit)}"
    if not gap.has_interval:
        return f"No difference is shown: on these labels {claim}, but these labels show no spread."
    reach = f"{signed(gap.low, found.unit)} to {signed(gap.high, found.unit)}{points(found.unit)}"
    sure = f"{level(found.confidence)} interval of the difference: {reach}"
    if found.shown:
        return f"{claim} ({sure})."
    return f"No difference is shown: on these labels {claim} ({sure}, which includes 0)."


def beside_separate(found: Comparison) -> str:
    """What it is worth that both answered the same items."""
    if found.gap is None or not found.gap.has_interval:
        return ""
    paired, separate = found.gap.standard_error, found.separate_error
    said = f"The same items for both: standard error of the difference {width(paired, found.unit)}"
    return f"{said}; two separate samples of as many labels each would have {width(separate, found.unit)}."


def remarks(found: Comparison) -> list[str]:
    """What was used, and what was left out."""
    first, second = found.names
    used = f"Used: {counted(found.n_both, 'item')} judged for both"
    one, other = found.bases
    used += f", by {one}." if one == other else f"; “{first}” by {one}, “{second}” by {other}."
    if not found.left_out:
        return [used]
    verb = "is" if found.left_out == 1 else "are"
    return [used, f"{counted(found.left_out, 'item')}{SPACE}{verb} left out: only one of the two is judged there."]


def _frame(estimates: dict[str, Estimate]) -> pd.DataFrame:
    rows: list[dict[str, Any]] = [
        {"label": name, "value": one.value, "low": one.low, "high": one.high} for name, one in estimates.items()
    ]
    return pd.DataFrame(rows, columns=["label", "value", "low", "high"])
