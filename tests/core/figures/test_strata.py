"""The figure of the strata, and the table of neighbouring ones together."""

from __future__ import annotations

import json

import numpy as np
import pytest
from plotly.graph_objects import Figure

from core.figures import strata as figures
from core.stratification import merged_table, profile, stratum_table


def drawn(figure):
    """The figure as the browser gets it."""
    return json.loads(Figure(figure).to_json())


def table(outcome=True):
    rng = np.random.default_rng(0)
    classes = rng.integers(0, 3, (90, 4)) * (rng.random((90, 1)) < 0.6)
    signals = profile(classes)
    strata = signals.stratify(3)
    moments = signals.moments((rng.random(90) < 0.3).astype(float)).merge(strata.of_level) if outcome else None
    return stratum_table(strata, [5] * strata.n_strata, [0.5] * strata.n_strata, moments)


def test_bars_show_the_shares_of_pool_and_labels():
    frame = table()
    for bar, share, count in zip(
        drawn(figures.shares(frame))["data"], ("share_of_pool", "share_of_budget"), ("items", "labels"), strict=True
    ):
        assert bar["y"] == pytest.approx((100 * frame[share]).tolist())
        assert bar["customdata"] == frame[count].tolist()


def test_merged_strata_keep_their_sums_and_their_range():
    frame = table()
    merged = merged_table(frame, 2)
    assert len(merged) == 2
    for name in ("items", "labels", "share_of_pool", "share_of_budget"):
        assert merged[name].sum() == pytest.approx(frame[name].sum())
    assert (merged["se_low"][0], merged["se_high"][1]) == (frame["se_low"].min(), frame["se_high"].max())
    assert merged["mean_loss"] @ merged["items"] == pytest.approx(frame["mean_loss"] @ frame["items"])
