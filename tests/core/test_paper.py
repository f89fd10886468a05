"""The method on one page: against reference numbers, enumeration, and the fast code of which it is the oracle."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest

from core import paper
from core.allocation import allocate, proxy_neyman
from core.estimation import stratified
from core.signals import self_consistency, semantic_entropy
from core.simulation import exact_mse, uniform_mse
from core.stratification import stratify
from tests.conftest import ROOT

SIZES = np.array([1400, 400, 400, 400, 400])
CONSISTENCY = np.array([1, 0.88, 0.74, 0.60, 0.45])
CORRECT = (1358, 360, 312, 248, 180)
RULE = {
    5: (1, 1, 1, 1, 1),
    7: (3, 1, 1, 1, 1),
    22: (8, 3, 3, 4, 4),
    70: (25, 10, 11, 12, 12),
    100: (35, 15, 16, 17, 17),
    200: (71, 29, 32, 34, 34),
    2900: (1300, 400, 400, 400, 400),
}


def whole_pool() -> tuple[paper.Floats, paper.Ints]:
    losses = [[0.0] * right + [1.0] * (size - right) for right, size in zip(CORRECT, SIZES, strict=True)]
    return np.concatenate([np.array(some) for some in losses]), np.repeat(np.arange(5), SIZES)


@pytest.mark.parametrize(("labels", "expected"), RULE.items())
def test_the_allocation_is_the_integer_optimum(labels: int, expected: tuple[int, ...]) -> None:
    assert tuple(paper.allocate(paper.proxy_neyman(SIZES, CONSISTENCY), SIZES, labels)) == expected


def test_exact_errors_are_those_of_the_survey_package_of_r() -> None:
    losses, strata = whole_pool()
    m = np.array(RULE[70])
    assert paper.variance(losses, strata, m) == pytest.approx(0.00137189075169, rel=1e-11)
    assert paper.relative_error(losses, strata, m) == pytest.approx(0.664030087934, rel=1e-11)
    assert paper.relative_error(losses, strata, np.array(RULE[200])) == pytest.approx(0.659502104365, rel=1e-11)


def test_the_estimate_is_unbiased_and_its_error_exact_by_enumeration() -> None:
    losses, strata = np.array([0, 0, 1, 0.5, 1, 1, 0, 1]), np.array([0, 0, 0, 0, 1, 1, 1, 2])
    m, sizes = np.array([2, 2, 1]), np.array([4, 3, 1])
    samples = product(*(combinations(np.flatnonzero(strata == h), m[h]) for h in range(3)))
    values = [
        paper.estimate(losses[chosen], strata[chosen], sizes) for chosen in (np.concatenate(one) for one in samples)
    ]
    assert np.mean(values) == pytest.approx(losses.mean(), abs=1e-12)
    assert np.var(values) == pytest.approx(paper.variance(losses, strata, m), rel=1e-12)


def test_every_item_of_a_stratum_is_drawn_as_often() -> None:
    strata, m = np.array([0] * 6 + [1] * 4), np.array([2, 3])
    rng = np.random.default_rng(0)
    times = np.bincount(np.concatenate([paper.draw(strata, m, rng) for _ in range(4_000)]), minlength=10) / 4_000
    expected = np.repeat(m / np.array([6, 4]), [6, 4])
    assert np.all(np.abs(times - expected) < 4.5 * np.sqrt(expected * (1 - expected) / 4_000))


@pytest.mark.parametrize("seed", range(60))
def test_the_fast_code_computes_the_same(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n_items, k, h = int(rng.integers(1, 300)), int(rng.integers(1, 11)), int(rng.integers(1, 9))
    classes = rng.integers(0, rng.integers(1, 6), (n_items, k))
    classes[rng.random(n_items) < rng.choice([0, 0.3, 0.7])] = 0
    entropy, consistency = paper.semantic_entropy(classes), paper.self_consistency(classes)
    assert semantic_entropy(classes) == pytest.approx(entropy, abs=1e-8)
    assert self_consistency(classes) == pytest.approx(consistency)
    strata = paper.adaptive_strata(entropy, h)
    assert stratify(semantic_entropy(classes), h).tolist() == strata.tolist()
    sizes = np.bincount(strata)
    p = np.array([consistency[strata == one].mean() for one in range(sizes.size)])
    weights = paper.proxy_neyman(sizes, p)
    assert proxy_neyman(sizes, p) == pytest.approx(weights)
    m = paper.allocate(weights, sizes, int(rng.integers(sizes.size, n_items + 1)))
    assert allocate(weights, sizes, int(m.sum())).tolist() == m.tolist()
    losses = (rng.random(n_items) < 0.3).astype(float) if seed % 3 else rng.random(n_items)
    assert exact_mse(losses, strata, m) == pytest.approx(paper.variance(losses, strata, m), abs=1e-15)
    if uniform_mse(losses, int(m.sum())):
        ratio = exact_mse(losses, strata, m) / uniform_mse(losses, int(m.sum()))
        assert paper.relative_error(losses, strata, m) == pytest.approx(ratio)
    chosen = paper.draw(strata, m, rng)
    value = stratified(losses[chosen], strata[chosen], sizes).value
    assert paper.estimate(losses[chosen], strata[chosen], sizes) == pytest.approx(value)


def test_the_page_is_printed_in_the_method_and_fits_on_it() -> None:
    page = (ROOT / "core" / "paper.py").read_text(encoding="utf-8")
    assert f"```python\n{page}```" in (ROOT / "docs" / "method.md").read_text(encoding="utf-8")
    assert len(page.splitlines()) <= 100
