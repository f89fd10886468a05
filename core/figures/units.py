"""The units of an error that a figure shows: relative to Uniform's, in points, in labels."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from ..words import PER_CENT, UNKNOWN


@dataclass(frozen=True, slots=True)
class Unit:
    """The unit in which a figure shows an error.

    Parameters
    ----------
    name : str
        What people choose.
    title : str
        Of the axis.
    column, error : str
        Columns of the value and of a simulated value's standard error, as of `core.simulation.in_units`.
    number : str
        How a value is written, scaled.
    scale : float
        Factor from the frame's value to the one that is shown.
    log : bool
        The axis is logarithmic, so that it never shows 0.
    low : str
        What a low value means, in a sentence.
    """

    name: str
    title: str
    column: str
    error: str
    number: str
    scale: float = 100.0
    log: bool = False
    low: str = f"Below 100{PER_CENT}: fewer labels than Uniform for the same squared error."

    def written(self, value: float) -> str:
        """A value of the frame with its unit, “77.7 %”; “–” if it is not known."""
        return UNKNOWN if math.isnan(value) else self.number.format(self.scale * value)


UNITS = {
    "relative": Unit(
        "Relative error",
        "Squared error, % of Uniform’s",
        "relative_mse",
        "relative_standard_error",
        "{:.1f}" + PER_CENT,
    ),
    "points": Unit(
        "Points",
        "±1.96 standard errors, in points (log scale, not from 0)",
        "margin",
        "margin_error",
        "±{:.1f}",
        log=True,
        low="Further down: a smaller error from the same number of labels.",
    ),
    "labels": Unit(
        "Labels needed",
        "Labels, % of Uniform’s at equal squared error",
        "label_share",
        "label_share_error",
        "{:.1f}" + PER_CENT,
    ),
}


def unit(name: str, share: bool = True) -> Unit:
    """Return a unit.

    Parameters
    ----------
    name : str
        One of `UNITS`.
    share : bool
        Losses are shares, so that their errors are percentage points; otherwise they have the losses' unit.
    """
    one = UNITS[name]
    if share or name != "points":
        return one
    return replace(
        one, title="±1.96 standard errors, in the losses’ unit (log scale, not from 0)", number="±{:.3g}", scale=1.0
    )
