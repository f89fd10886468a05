"""The answer on page Plan in words: what its signs mean, and what it rests on."""

from __future__ import annotations

import math

from core.planning import Outlook, textbook_size
from core.words import level, per_cent, width
from pages.parts.plan.inputs import Inputs


def meaning(outlook: Outlook, confidence: float) -> str:
    """Write what "±" and "Uniform" mean, for somebody who has heard of neither."""
    return (
        f"±{width(outlook.half_width, True)} is the margin: {level(confidence)} of such evaluations come that close to "
        "the true accuracy. Uniform draws every item with the same chance."
    )


def rests_on(inputs: Inputs) -> str:
    """Write what the forecast rests on, and what a calculator would say."""
    outlook = inputs.outlook
    text = (
        "The recommended design labels more of the items that your model probably gets wrong. It sorts them by "
        f"{inputs.frame.signal}."
    )
    if inputs.chosen is not None and not math.isnan(outlook.agreeing):
        text += f" Another model’s answers agree with each other on {per_cent(outlook.agreeing)} of the items."
    if 0 < outlook.half_width < 1:
        accuracy, confidence = inputs.belief.accuracy.middle, inputs.interval.confidence
        labels = textbook_size(outlook.half_width, accuracy, outlook.n_items, confidence)
        text += f" The textbook’s formula for Uniform: {labels:,} labels."
    if inputs.frame.paper is not None:
        text += " The paper’s design has five groups of items, by how much another model’s answers disagree."
    return text
