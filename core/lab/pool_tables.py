"""The tables that set several pools side by side."""

from __future__ import annotations

import pandas as pd

from . import across, sentences, tables
from .topic import LabTable


def across_tables(frame: pd.DataFrame) -> list[LabTable]:
    """The tables of several pools, from `core.lab.across.compare`: errors, means, label savings; coverage and bias.

    Parameters
    ----------
    frame : DataFrame
        With rounds, coverage and bias follow.
    """
    if frame.empty:
        return []
    means, saved = across.means(frame), across.savings(frame)
    exact = "Squared error, % of Uniform’s, exact except for designs in waves. “–”: the pool lacks what it needs."
    results = [
        LabTable("across", "Across pools", sentences.across(means), exact, frame, tables.across(frame)),
        LabTable(
            "means",
            "Means",
            sentences.worst_across(means),
            "A pool’s mean is over its budgets and targets. In the mean of all pools, every target counts equally.",
            means,
            tables.means(means),
        ),
        LabTable(
            "saved-across",
            "Label savings",
            sentences.saved_across(saved),
            "Labels for equal errors, exact. Uniform needs: the fewest labels for the error that the method "
            "reaches with its labels.",
            saved,
            tables.saved_across(saved),
        ),
    ]
    if frame["coverage"].notna().any():
        results += [
            LabTable(
                "coverage-across",
                "Coverage",
                sentences.coverage_across(frame),
                "Share of simulated rounds whose interval contains the truth, in %. The default interval, at 95 %.",
                frame,
                tables.coverage_across(frame),
            ),
            LabTable(
                "bias-across",
                "Bias",
                sentences.bias_across(frame),
                "Mean of the simulated estimates less the truth, in points.",
                frame,
                tables.bias_across(frame),
            ),
        ]
    return results
