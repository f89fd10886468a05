"""Strata beyond their labels: closed forms, and that draws are those of the Beta distribution for 0/1 losses."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from core.estimation.shrinkage import PRIOR_LABELS, draws

COUNTS, ONES, SIZES = np.array([20, 8, 2]), np.array([19, 3, 2]), np.array([200_000, 100_000, 100_000])
LOSSES = np.concatenate([np.repeat([1.0, 0.0], [k, m - k]) for m, k in zip(COUNTS, ONES, strict=True)])
STRATA = np.repeat(np.arange(3), COUNTS)
SHARE = (30 * float(SIZES @ (ONES / COUNTS) / SIZES.sum()) + 0.5) / 31


def test_draws_of_0_1_losses_are_betas() -> None:
    samples = draws(LOSSES, STRATA, SIZES)
    for h in range(3):
        a = ONES[h] + PRIOR_LABELS * SHARE
        b = COUNTS[h] - ONES[h] + PRIOR_LABELS * (1 - SHARE)
        assert stats.kstest(samples.means[:, h], stats.beta(a, b).cdf).pvalue > 1e-3
    assert samples.variances == pytest.approx(samples.means * (1 - samples.means), abs=1e-12)


def test_fully_labelled_strata_are_known() -> None:
    samples = draws(LOSSES, STRATA, np.array([20, 100, 100]))
    assert samples.means[:, 0] == pytest.approx(19 / 20, abs=1e-12)
    assert samples.means[:, 1].std() > 0.05


def test_draws_keep_the_scale_of_unbounded_losses() -> None:
    rng = np.random.default_rng(1)
    losses = np.concatenate([rng.normal(1e6, 3, 200), rng.normal(1e6 + 50, 1, 200)])
    samples = draws(losses, np.repeat([0, 1], 200), np.array([10_000, 10_000]), bounded=False)
    assert samples.means.mean(axis=0) - 1e6 == pytest.approx([0.4, 49.6], abs=0.5)
    assert samples.means.std(axis=0).max() < 1
    flat = draws(np.full(6, 7.0), np.repeat([0, 1], 3), np.array([10, 10]), bounded=False)
    assert flat.means == pytest.approx(7.0) and flat.variances == pytest.approx(0.0, abs=1e-12)
