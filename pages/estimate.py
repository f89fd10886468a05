"""Estimate: the accuracy with its interval, from the labels that came back."""

from pages.parts import estimate_inputs, estimate_shown, frame

pool = frame.frame("Estimate")
frame.need_generations(pool)
with frame.errors():
    chosen = estimate_inputs.choose(pool)
    found = estimate_inputs.settled(chosen)
    estimate_shown.odd(chosen, found)
    result = estimate_inputs.result_of(chosen, found)
    estimate_shown.show(chosen, found, result)
