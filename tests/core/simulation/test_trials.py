"""Monte-Carlo trials: hypergeometric numbers by inversion, and drawn samples, against their exact distributions."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from core.simulation.trials import _at_most, _hypergeometric, _uniforms, binary_trials, drawn_trials


@st.composite
def populations(draw: st.DrawFn, most: int = 3000) -> tuple[int, int, int]:
    """Size, number of ones, number of draws."""
    size = draw(st.integers(1, most))
    return size, draw(st.integers(0, size)), draw(st.integers(1, size))


def inverted(size: int, ones: int, draws: int, uniforms: np.ndarray) -> np.ndarray:
    order = np.argsort(uniforms)
    rank = np.empty(uniforms.size, dtype=np.int64)
    rank[order] = np.arange(uniforms.size)
    return _hypergeometric(size, ones, draws, uniforms[order], rank)


@given(populations(), st.randoms(use_true_random=False))
def test_inversion_of_the_exact_distribution(population: tuple[int, int, int], random: object) -> None:
    size, ones, draws = population
    uniforms = (np.arange(500) + 0.5) / 500
    random.shuffle(uniforms)  # type: ignore[attr-defined]
    exact = stats.hypergeom(size, ones, draws)
    numbers = inverted(size, ones, draws, uniforms)
    assert np.all((numbers >= max(0, draws - (size - ones))) & (numbers <= min(draws, ones)))
    assert np.all(exact.cdf(numbers) >= uniforms - 1e-9)
    assert np.all(exact.cdf(numbers - 1) <= uniforms + 1e-9)


@pytest.mark.parametrize(
    "population", [(10**6, 10**5, 10**4), (10**6, 3, 10**5), (10**6, 10**6 - 2, 999_000), (12032, 6000, 800)]
)
def test_far_tails_of_large_populations(population: tuple[int, int, int]) -> None:
    exact = stats.hypergeom(*population)
    uniforms = np.array([0.0, 1e-12, 1e-6, 0.3, 0.5, 0.999999, 1 - 1e-12])
    numbers = inverted(*population, uniforms)
    assert np.all(exact.cdf(numbers[1:]) >= uniforms[1:] * (1 - 1e-6))
    assert np.all(exact.sf(numbers[1:] - 1) >= (1 - uniforms[1:]) * (1 - 1e-3))
    assert np.all(np.diff(numbers) >= 0)


@pytest.mark.parametrize("population", [(20, 7, 5), (400, 48, 11), (1400, 42, 25), (50, 25, 49), (3000, 542, 70)])
def test_numbers_of_ones_follow_the_distribution(population: tuple[int, int, int]) -> None:
    size, ones, draws = population
    trials = 20_000
    estimates = binary_trials(np.array([size]), np.array([ones]), np.array([draws]), trials, seed=11)
    counts = np.bincount(np.rint(estimates * draws).astype(int), minlength=draws + 1)
    expected = trials * stats.hypergeom(size, ones, draws).pmf(np.arange(draws + 1))
    common = expected >= 5
    assert np.allclose(estimates * draws, np.rint(estimates * draws))
    observed, rows = [*counts[common], counts[~common].sum()], [*expected[common], expected[~common].sum()]
    if rows[-1] < 1:
        observed, rows = [*observed[:-2], sum(observed[-2:])], [*rows[:-2], sum(rows[-2:])]
    chi_square = sum((o - w) ** 2 / w for o, w in zip(observed, rows, strict=True))
    assert stats.chi2.sf(chi_square, len(rows) - 1) > 1e-4


def test_strata_are_drawn_independently_of_each_other() -> None:
    trials = 20_000
    half = np.array([200, 200])
    both = binary_trials(half, half // 2, np.array([20, 20]), trials, seed=2)
    one = stats.hypergeom(200, 100, 20).var() / 20**2
    assert both.var() == pytest.approx(one / 2, rel=4 * np.sqrt(2 / trials))


@given(st.lists(st.tuples(st.integers(2, 12), st.floats(0, 1), st.floats(0, 1)), min_size=11, max_size=60))
def test_many_strata_of_few_labels_follow_the_same_distribution(given_strata: list[tuple[int, float, float]]) -> None:
    sizes = np.array([size for size, _, _ in given_strata])
    ones = np.rint([size * share for size, share, _ in given_strata]).astype(int)
    labels = np.array([1 + round((min(size, 8) - 1) * share) for size, _, share in given_strata])
    exact = stats.hypergeom(sizes, ones, labels)
    below = _at_most(sizes, ones, labels)
    np.testing.assert_allclose(below, np.stack([exact.cdf(x) for x in range(labels.max())], axis=1), atol=1e-12)
    drawn = binary_trials(sizes, ones, labels, 2000, 0)
    variances = labels * (ones / sizes) * (1 - ones / sizes) * (sizes - labels) / (sizes - 1)
    sd = math.sqrt(float((variances * (sizes / labels) ** 2).sum())) / sizes.sum()
    assert drawn.mean() == pytest.approx(ones.sum() / sizes.sum(), abs=5 * sd / math.sqrt(2000) + 1e-12)
    assert drawn.std() == pytest.approx(sd, rel=0.15, abs=1e-12)


def test_a_full_sample_has_no_error() -> None:
    fine = np.arange(1, 9).repeat(4)
    np.testing.assert_allclose(binary_trials(fine, fine // 2, fine, 50, 0), (fine // 2).sum() / fine.sum())
    estimates = binary_trials(np.array([5, 9]), np.array([2, 9]), np.array([5, 9]), 50, seed=0)
    np.testing.assert_allclose(estimates, 11 / 14, rtol=1e-15)


def test_estimates_move_smoothly_with_the_outcome() -> None:
    """Common random numbers: one more wrong item in the pool never lowers an estimate."""
    sizes, labels = np.array([300]), np.array([30])
    before = binary_trials(sizes, np.array([60]), labels, 2000, seed=4)
    after = binary_trials(sizes, np.array([61]), labels, 2000, seed=4)
    assert np.all(after >= before)
    assert (after > before).any()


def test_the_kept_uniform_numbers_cannot_be_changed() -> None:
    ordered, rank = _uniforms(100, 0, 0, 10, 0)
    assert not ordered.flags.writeable
    assert not rank.flags.writeable
    assert np.all(np.diff(ordered) >= 0)
    assert sorted(rank.tolist()) == list(range(100))


def test_drawn_samples_are_equally_likely() -> None:
    losses = np.array([0.0, 1.0, 10.0, 100.0, 1000.0])
    trials = 20_000
    estimates = drawn_trials([losses], np.array([[2], [3]]), trials, seed=6)
    assert estimates.shape == (2, trials)
    for draws, row in zip((2, 3), estimates, strict=True):
        possible = [sum(s) / draws for s in itertools.combinations(losses.tolist(), draws)]
        counts = [int(np.isclose(row, value).sum()) for value in possible]
        assert sum(counts) == trials
        assert stats.chisquare(counts).pvalue > 1e-4


def test_a_larger_drawn_sample_contains_the_smaller_one() -> None:
    losses = [2.0 ** np.arange(12)]
    small, large = drawn_trials(losses, np.array([[4], [7]]), 200, seed=1) * np.array([[4], [7]])
    bits = [np.rint(total).astype(int) for total in (small, large)]
    assert np.all(bits[0] & bits[1] == bits[0])
    assert {int(b).bit_count() for b in bits[0]} == {4}


def test_drawing_in_several_parts_covers_every_trial(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.simulation.trials._CHUNK", 100)
    shares: list[float] = []
    losses = [np.arange(30.0), np.arange(7.0)]
    estimates = drawn_trials(losses, np.array([[30, 7], [3, 2]]), 50, 0, shares.append)
    np.testing.assert_allclose(estimates[0], (435 + 21) / 37)
    assert estimates[1].std() > 0
    assert np.all(estimates[1] > 0)
    assert shares[-1] == 1
    assert shares == sorted(shares)


def test_no_allocation_no_estimate() -> None:
    assert drawn_trials([np.arange(4.0)], np.empty((0, 1), dtype=np.int64), 10, 0).shape == (0, 10)
