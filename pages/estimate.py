"""Estimate: the accuracy with its interval, from the labels that came back."""

from pages.parts import frame
from pages.parts.estimate import chosen as estimate_inputs
from pages.parts.estimate import missing as estimate_missing
from pages.parts.estimate import oddities as estimate_odd
from pages.parts.estimate import panel as estimate_shown
from pages.parts.estimate import result as estimate_result
from pages.parts.estimate import unread as estimate_unread

pool = frame.frame("Estimate")
frame.need_generations(pool)
with frame.errors():
    chosen = estimate_inputs.select(pool)
    found = estimate_inputs.settled(chosen)
    estimate_odd.section(chosen, found)
    seen = estimate_result.outcomes(chosen, found)
    estimate_unread.section(chosen, found, seen)
    waiting = estimate_result.missing_strata(chosen, seen)
    if waiting is None:
        estimate_shown.show(chosen, found, seen, estimate_result.result_of(chosen, found, seen))
    else:
        estimate_missing.strata(chosen, waiting)
    estimate_missing.items(chosen, found)
