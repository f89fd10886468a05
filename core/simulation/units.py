"""Errors in the units that people think in: margins, and the labels that Uniform needs for the same precision."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import pandas as pd


def in_units(errors: pd.DataFrame, n_items: int, confidence: float = 0.95) -> pd.DataFrame:
    """Add to mean squared errors their margins and their worth in labels.

    Parameters
    ----------
    errors : DataFrame
        Columns budget, mse, relative_mse (a ratio, NaN if Uniform's error is 0); for simulated errors also
        standard_error and relative_standard_error.
    n_items : int
        N, at least every budget.
    confidence : float
        Of the margin, in (0, 1).

    Returns
    -------
    DataFrame
        The same rows with margin (z √mse, in the unit of the losses), label_share (M as a share of the labels that
        Uniform needs for the same error; below 1 labels are saved) and uniform_labels (these labels, not rounded); for
        simulated errors also margin_error and label_share_error, their standard errors.

    Notes
    -----
    Uniform's error (1/M − 1/N) S² is solved for M: with r, the error relative to Uniform's, the share is
    r + (1 − r) M/N. The margin takes the estimate as normally distributed; the interval that labels give is wider if
    they are few, uneven or nearly all right. docs/method.md, 5.1.
    """
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    budget, relative, mse = (errors[name].to_numpy(np.float64) for name in ("budget", "relative_mse", "mse"))
    labelled, root = budget / n_items, np.sqrt(np.maximum(mse, 0.0))
    share = relative + (1.0 - relative) * labelled
    columns = {"margin": z * root, "label_share": share, "uniform_labels": budget / share}
    if "standard_error" in errors:
        error, relative_error = (errors[name].to_numpy() for name in ("standard_error", "relative_standard_error"))
        columns["margin_error"] = z * error / (2.0 * np.where(root > 0, root, np.nan))
        columns["label_share_error"] = relative_error * (1.0 - labelled)
    return errors.assign(**columns)


def beside(exact: pd.DataFrame, simulated: pd.DataFrame | None) -> pd.DataFrame:
    """Tabulate exact and simulated errors side by side; what was not simulated stays empty.

    Parameters
    ----------
    exact : DataFrame
        Columns method, budget, mse, relative_mse.
    simulated : DataFrame or None
        The same and relative_standard_error; None if nothing was simulated.

    Returns
    -------
    DataFrame
        The exact rows; with simulated ones simulated_mse, simulated_relative_mse and relative_standard_error too.
    """
    rows = exact[["method", "budget", "mse", "relative_mse"]]
    if simulated is None:
        return rows
    columns = ["method", "budget", "mse", "relative_mse", "relative_standard_error"]
    named = {name: f"simulated_{name}" for name in ("mse", "relative_mse")}
    return rows.merge(simulated[columns].rename(columns=named), on=["method", "budget"], how="left")
