"""Estimate: the accuracy with its interval, from the labels that came back."""

from pages.parts import (
    estimate_inputs,
    estimate_missing,
    estimate_odd,
    estimate_result,
    estimate_shown,
    estimate_unread,
    frame,
)

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
