"""Sentences on a comparison of two targets."""

from __future__ import annotations

from ..study.comparison import Comparison
from ..words import SPACE, counted, gap_span, level, strata_named, width


def headline(comparison: Comparison) -> str:
    """Whether a difference is shown, which of the two is better on these labels, and by how much.

    The difference and its limits are those of the first less the second, as in table and figure.
    """
    first, second = (f"“{name}”" for name in comparison.names)
    if comparison.gap is None:
        where = strata_named(comparison.empty)
        return f"{first} and {second} cannot be compared yet: no item of {where} is judged for both."
    gap = comparison.gap
    more, less, alike = {
        "accuracy": ("is right more often than", "is right less often than", "are right equally often"),
        "score": ("scores higher than", "scores lower than", "score the same"),
    }[comparison.measure]
    if gap.value == 0:
        claim = f"{first} and {second} {alike}"
    else:
        claim = f"{first} {more if gap.value > 0 else less} {second} by {width(abs(gap.value), comparison.unit)}"
    if not gap.has_interval:
        return f"No difference is shown. On these labels {claim}, but they do not vary, so there is no interval."
    limits = gap_span(gap.low, gap.high, comparison.unit)
    sure = f"{level(comparison.confidence)} interval of the difference: {limits}"
    if comparison.shown:
        return f"{claim}. {sure}."
    return f"No difference is shown. On these labels {claim} ({sure}, which includes 0)."


def beside_separate(comparison: Comparison) -> str:
    """Say what the same items for both are worth beside two separate samples; "" without an interval."""
    if comparison.gap is None or not comparison.gap.has_interval:
        return ""
    paired, separate = comparison.gap.standard_error, comparison.separate_error
    said = f"The same items for both: standard error of the difference {width(paired, comparison.unit)}"
    apart = "two separate samples, each with the same number of labels, would have"
    return f"{said}; {apart} {width(separate, comparison.unit)}."


def remarks(comparison: Comparison) -> list[str]:
    """Say what was used and what was left out."""
    first, second = comparison.names
    verb = "is" if comparison.n_both == 1 else "are"
    used = f"{counted(comparison.n_both, 'item')} {verb} judged for both"
    one, other = comparison.bases
    used += f", by {one}." if one == other else f"; “{first}” by {one}, “{second}” by {other}."
    if not comparison.left_out:
        return [used]
    verb = "is" if comparison.left_out == 1 else "are"
    return [used, f"{counted(comparison.left_out, 'item')}{SPACE}{verb} left out: only one of the two is judged there."]
