"""Estimates of many samples at once are those of each sample alone."""

from __future__ import annotations

from dataclasses import astuple

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from core.estimation import Interval, sample
from core.simulation.replications import Samples
from core.words import INTERVAL_METHODS
from tests.core.estimation.test_estimation import labels

INTERVALS = [Interval(name, 0.9) for name in INTERVAL_METHODS]


@given(labels(st.integers(0, 100).map(lambda per_cent: per_cent / 100)), st.sampled_from(INTERVALS), st.booleans())
@example(([0.0], [0], [2]), INTERVALS[0], True)
def test_each_estimate_is_the_samples_own(
    labelled: tuple[list[float], list[int], list[int]], interval: Interval, bounded: bool
) -> None:
    how = interval if bounded else Interval(bounded=False)
    both = [sample(losses, *labelled[1:], bounded) for losses in (labelled[0], labelled[0][::-1])]
    squares = [np.where(one.counts > 1, one.variances * (one.counts - 1), 0.0) for one in both]
    losses = np.full((2, both[0].counts.size, int(both[0].counts.max())), np.nan)
    for row, one in zip(losses, both, strict=True):
        for stratum in range(one.counts.size):
            row[stratum, : one.counts[stratum]] = one.losses[one.strata == stratum]
    many = Samples(both[0].counts, both[0].sizes, np.stack([one.means for one in both]), np.stack(squares), losses)
    for row, one in zip(many.estimates(how).itertuples(index=False), both, strict=True):
        alone = one.estimate(how)
        assert tuple(row) == pytest.approx(astuple(alone)[:4], rel=1e-8, abs=1e-8, nan_ok=True)
