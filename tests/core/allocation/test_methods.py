"""The methods compared: each one's weights, strata and labels."""

from __future__ import annotations

import math

import numpy as np
import pytest

from core.allocation import METHODS, optimum
from core.allocation.ways import method_allocations, method_moments, stratum_consistency, weights
from core.errors import DesignError
from core.stratification.moments import moments

LOSSES = np.array([0, 0, 0, 1, 0, 1, 0, 1, 1, 1, 0, 1], dtype=float)
STRATA = np.repeat([0, 1, 2], [5, 4, 3])
CONSISTENCY = (1.0, 0.8, 0.5)
FOUND = moments(LOSSES, STRATA)


def test_the_papers_methods_come_first_uniform_before_all() -> None:
    """Simulations number their random streams by these places."""
    assert METHODS[:6] == ("uniform", "equal", "proportional", "power", "proxy-neyman", "oracle-neyman")


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("equal", (1, 1, 1)),
        ("proportional", (5, 4, 3)),
        ("power", (math.sqrt(5), 2, math.sqrt(3))),
        ("proxy-neyman", (5 * 0.75, 4 * 1.15, 3 * 1.25)),
        ("oracle-neyman", (5 * math.sqrt(0.2), 4 * 0.5, 3 * math.sqrt(1 / 3))),
    ],
)
def test_weights(method: str, expected: tuple[float, ...]) -> None:
    shares = weights(FOUND.sizes, CONSISTENCY, method, sds=FOUND.sds)
    np.testing.assert_allclose(shares / shares.sum(), np.array(expected) / sum(expected), rtol=1e-14)


def test_the_offset_belongs_to_proxy_neyman() -> None:
    np.testing.assert_allclose(weights(FOUND.sizes, CONSISTENCY, "proxy-neyman", 0.0), [0, 1.6, 1.5])
    both = [weights(FOUND.sizes, CONSISTENCY, "power", offset) for offset in (0.0, 5.0)]
    np.testing.assert_array_equal(*both)


def test_the_oracle_needs_what_nobody_knows_yet() -> None:
    with pytest.raises(DesignError, match="oracle-neyman"):
        weights(FOUND.sizes, CONSISTENCY, "oracle-neyman")


def test_uniform_takes_the_pool_as_one_stratum() -> None:
    assert method_moments(FOUND, "uniform").sizes.tolist() == [12]
    assert method_allocations(FOUND, CONSISTENCY, "uniform", [1, 7]).tolist() == [[1], [7]]
    assert method_moments(FOUND, "equal") is FOUND


@pytest.mark.parametrize("method", METHODS[1:])
def test_labels_are_the_whole_number_optimum_of_the_weights(method: str) -> None:
    labels = method_allocations(FOUND, CONSISTENCY, method, [3, 6, 12])
    weight = weights(FOUND.sizes, CONSISTENCY, method, sds=FOUND.sds)
    expected = [optimum.allocate(weight, FOUND.sizes, m) for m in (3, 6, 12)]
    np.testing.assert_array_equal(labels, expected)


def test_an_unknown_method_is_named_with_the_known_ones() -> None:
    with pytest.raises(DesignError, match="no allocation called “best”"):
        weights(FOUND.sizes, CONSISTENCY, "best")


def test_consistency_of_strata_from_items_or_given() -> None:
    items = np.repeat([1.0, 0.8, 0.5], [5, 4, 3]) + np.array([0, 0, 0, 0, -0.5, 0, 0, 0, 0, 0.1, 0, -0.1])
    np.testing.assert_allclose(stratum_consistency(items, STRATA, 3), [0.9, 0.8, 0.5])
    np.testing.assert_array_equal(stratum_consistency(CONSISTENCY, STRATA, 3), CONSISTENCY)
    np.testing.assert_array_equal(stratum_consistency([0.2, 0.9], [1, 0], 2), [0.9, 0.2])
    with pytest.raises(DesignError, match="4 values for 12 items"):
        stratum_consistency([0.5] * 4, STRATA, 3)
