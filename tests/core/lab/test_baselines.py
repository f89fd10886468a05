"""Baselines: exact rules and simulated LURE on one scale."""

from __future__ import annotations

import math

import numpy as np
import pytest

from core import lure, simulation
from core.design import Scheme
from core.lab import baselines
from core.pool import Pool
from core.signals import predictive_entropy, self_consistency
from core.stratification import stratify
from tests.core.lab.conftest import outcome_of, pool_of


def test_exact_is_the_curve_of_the_items(binary):
    outcome = outcome_of(binary)
    table = baselines.exact(outcome, [20, 100], Scheme(stratifier="quantile", n_strata=3, offset=0.2))
    strata = stratify(outcome.profile.signal, 3, "quantile")
    expected = simulation.relative_mse_curve(
        binary.losses("model"), strata, self_consistency(binary.classes()), [20, 100], 0.2
    )
    np.testing.assert_allclose(table["relative_mse"], expected["relative_mse"], rtol=1e-9)


def test_scores_are_entropies_of_the_known_items(binary):
    outcome = outcome_of(binary)
    given = baselines.scores(binary, outcome, np.ones(400, dtype=bool))
    np.testing.assert_array_equal(given["se-lure"], outcome.profile.signal)
    np.testing.assert_array_equal(given["pe-lure"], predictive_entropy(binary.token_logprobs))


def test_without_token_log_probabilities_there_is_no_pe_lure(binary):
    pool = Pool(binary.name, binary.table.drop_columns(["token_logprobs"]))
    assert list(baselines.scores(pool, outcome_of(pool), np.ones(400, dtype=bool))) == ["se-lure"]
    assert "token_logprobs" in baselines.PE_LACKS


@pytest.mark.parametrize("kind", ["binary", "real"])
def test_simulated_lure_is_the_mean_squared_error_of_its_estimates(request, kind):
    pool = request.getfixturevalue(kind)
    losses, scores = pool.losses("model"), outcome_of(pool).profile.signal
    shares: list[float] = []
    table = baselines.simulated(
        losses, {"se-lure": scores, "pe-lure": scores**2}, [20, 100], 200, 0.3, 4, shares.append
    )
    squared = (lure.estimates(losses, scores, [20, 100], 200, 0.3, 4) - losses.mean()) ** 2
    first = table[table["method"] == "se-lure"]
    np.testing.assert_allclose(first["mse"], squared.mean(axis=0))
    np.testing.assert_allclose(first["standard_error"], squared.std(axis=0, ddof=1) / math.sqrt(200))
    uniform = [simulation.uniform_mse(losses, m) for m in (20, 100)]
    np.testing.assert_allclose(first["relative_mse"], squared.mean(axis=0) / uniform)
    assert shares[-1] == 1 and len(table) == 4


def test_constant_losses_have_no_relative_error():
    table = baselines.simulated(np.ones(30), {"se-lure": np.arange(30.0)}, [5, 30], 20)
    assert table["relative_mse"].isna().all()


def test_with_equal_scores_lure_is_uniform():
    pool = pool_of(300)
    table = baselines.simulated(pool.losses("model"), {"se-lure": np.ones(300)}, [50], 4000)
    assert abs(table["relative_mse"].iloc[0] - 1) < 4.5 * table["relative_standard_error"].iloc[0]
