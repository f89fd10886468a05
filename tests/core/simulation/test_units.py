"""Errors in half-widths and labels: exact, and the same as drawing that many labels."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from core.simulation import beside, exact_mse, in_units, uniform_mse

LOSSES = np.r_[np.zeros(70), np.ones(30)]
STRATA = np.r_[np.zeros(50, int), np.ones(50, int)]


def errors(budget=20):
    mse = exact_mse(LOSSES, STRATA, [budget // 4, budget - budget // 4])
    return pd.DataFrame({"budget": [budget], "mse": [mse], "relative_mse": [mse / uniform_mse(LOSSES, budget)]})


def test_uniform_has_the_same_error_with_the_labels_that_it_needs():
    row = in_units(errors(), 100).iloc[0]
    below, above = int(row["uniform_labels"]), int(row["uniform_labels"]) + 1
    assert uniform_mse(LOSSES, below) >= row["mse"] >= uniform_mse(LOSSES, above)
    assert row["label_share"] == pytest.approx(20 / row["uniform_labels"])


def test_the_margin_is_the_normal_quantile_times_the_standard_error():
    row = in_units(errors(), 100, confidence=0.95).iloc[0]
    assert row["margin"] == pytest.approx(1.959964 * np.sqrt(row["mse"]), rel=1e-6)


def test_uniform_itself_and_the_whole_pool():
    rows = pd.DataFrame({"budget": [20, 100], "mse": [uniform_mse(LOSSES, 20), 0.0], "relative_mse": [1.0, np.nan]})
    one, whole = in_units(rows, 100).to_dict("records")
    assert one["label_share"] == 1 and one["uniform_labels"] == 20
    assert whole["margin"] == 0 and np.isnan(whole["label_share"])


def test_standard_errors_follow_the_slope_of_their_unit():
    step = 1e-7
    rows = errors().assign(standard_error=step)
    rows["relative_standard_error"] = step * rows["relative_mse"] / rows["mse"]
    moved = rows.assign(mse=rows["mse"] + step, relative_mse=rows["relative_mse"] + rows["relative_standard_error"])
    here, there = (in_units(one, 100).iloc[0] for one in (rows, moved))
    assert here["margin_error"] == pytest.approx(there["margin"] - here["margin"], rel=1e-3)
    assert here["label_share_error"] == pytest.approx(there["label_share"] - here["label_share"], rel=1e-3)


def test_simulated_errors_stand_beside_the_exact_ones_and_what_was_not_simulated_stays_empty():
    exact = pd.DataFrame({"method": "uniform", "budget": [10, 20], "mse": [0.2, 0.1], "relative_mse": [1.0, 1.0]})
    simulated = exact[1:].assign(mse=0.11, relative_mse=1.1, relative_standard_error=0.05)
    table = beside(exact, simulated)
    assert table["mse"].tolist() == [0.2, 0.1] and table["simulated_mse"].isna().tolist() == [True, False]
    assert table.iloc[1][["simulated_mse", "simulated_relative_mse", "relative_standard_error"]].tolist() == [
        0.11,
        1.1,
        0.05,
    ]
    assert beside(exact, None).equals(exact)
