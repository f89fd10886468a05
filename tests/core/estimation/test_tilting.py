"""Limits by tilting a working model: reference vectors, the definition root by root, and coverage by enumeration."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import expit, logit
from scipy.stats import hypergeom, norm

from core.estimation import tilting
from core.estimation.contrasts import metric
from core.estimation.tilting import limits
from core.estimation.working_model import BinaryLaws, WorkingModel, working_model
from tests.core.estimation.interval_family import Cell, coverage, family, tilted
from tests.core.estimation.interval_reach import Mixed, mixed
from tests.sampled import sampled

Z = float(norm.ppf(0.975))


def of_counts(m, sizes, wrong, **options):
    """Limits of one sample of losses of 0 and 1."""
    m, wrong = np.asarray(m), np.asarray(wrong)
    model = working_model([0.0, 1.0], np.stack([m - wrong, wrong], axis=-1)[None], m, sizes, **options)
    low, high = limits(model)
    return float(low[0]), float(high[0])


VECTORS = [
    ([20], [1000], [0], 0.0, 0.164356),
    ([20], [1000], [1], 0.001248, 0.245971),
    ([20], [1000], [10], 0.273630, 0.726370),
    ([100], [12032], [48], 0.379388, 0.581817),
    ([38, 15, 17, 16, 14], [1486, 374, 405, 380, 355], [0, 3, 11, 8, 7], 0.172149, 0.302530),
    ([5, 6, 9], [100, 150, 250], [0, 0, 3], 0.038248, 0.363649),
    ([10, 10], [50, 500], [10, 0], 0.036309, 0.367275),
    ([19, 22, 10], [19, 400, 200], [4, 6, 1], 0.097483, 0.381106),
    ([2] * 12, [50] * 12, [0, 0, 0, 0, 0, 1, 0, 1, 1, 2, 1, 2], 0.186586, 0.497321),
    ([20, 30], [40, 100], [3, 12], 0.215912, 0.452838),
]
SCALES = [
    ([0, 0.5, 1], [[1, 55, 4]], [3000], 0.5, 0.484423, 0.574025),
    ([0, 0.5, 1], [[1, 18, 1], [0, 16, 4], [2, 13, 5]], [500, 300, 200], 0.5, 0.488421, 0.603104),
    ([0, 0.25, 0.5, 0.75, 1], [[3, 2, 1, 0, 4], [0, 1, 0, 2, 7]], [500, 200], 0.25, 0.419583, 0.795442),
]


@pytest.mark.parametrize(("m", "sizes", "wrong", "low", "high"), VECTORS)
def test_losses_of_0_and_1_have_the_limits_of_two_independent_implementations(m, sizes, wrong, low, high) -> None:
    assert of_counts(m, sizes, wrong) == pytest.approx((low, high), abs=5e-7)


@pytest.mark.parametrize(("values", "labels", "sizes", "step", "low", "high"), SCALES)
def test_differences_and_steps_have_the_limits_of_two_independent_implementations(
    values, labels, sizes, step, low, high
) -> None:
    model = working_model(values, np.array([labels], float), np.sum(labels, axis=1), sizes)
    both = [float(one[0]) for one in limits(model, step=step)]
    assert both == pytest.approx((low, high), abs=5e-7)


def test_labels_of_very_different_weights_are_tilted_to_any_mean() -> None:
    """Newton's method alone jumps to and fro here, and ended at 24 for 72."""
    laws, one = BinaryLaws(np.array([[3.10792764, 6.20132908]])), np.ones(1)
    draws, steps = np.array([[71.97062424, 31.9376392]]), np.array([[0.58836759, 2.26728639]])
    model = WorkingModel(laws, draws, steps, one, 0 * one, one, one, one)
    for target in np.array([0.5, 24.1, 60.0, 72.4117745373333, 90.0, 112.6, 114.7]):
        _, tilted_laws = tilting._observed(model, target * one)
        assert model.total(steps * tilted_laws.mean) == pytest.approx(target, rel=1e-9)


def slow_lower(m, sizes, wrong) -> float:
    """The definition for losses of 0 and 1, by root finding in plain sums; every stratum is partly labelled."""
    m, sizes, wrong = (np.asarray(one, float) for one in (m, sizes, wrong))
    share, labels = sizes / sizes.sum(), m.sum()
    z = norm.ppf(np.cumsum(share) - share / 2)
    z -= m @ z / labels
    z = z / np.sqrt(m @ z**2 / labels) if m @ z**2 > 1e-20 else 0 * z

    def level(beta: float) -> float:
        return brentq(lambda a: (wrong - m * expit(a + beta * z)).sum() + 0.5 - expit(a), -400, 400, xtol=1e-14)

    beta = brentq(lambda b: ((wrong - m * expit(level(b) + b * z)) * z).sum() - b / 4, -25, 25, xtol=1e-14)
    q, r, b = expit(level(beta) + beta * z), (wrong.sum() + 0.5) / (labels + 1), np.minimum(m / 12, 1.5)
    p = (wrong + 2 * q + b * r) / (m + 2 + b)
    draws = m * (sizes - 1) / (sizes - m)
    w = share / draws
    v = draws * w**2 * p * (1 - p)
    unit = (v @ w) / v.sum()
    u = w / unit
    rho = (wrong / m) @ share / unit - 0.5 * (v @ (share / m)) / (unit * v.sum())
    if rho <= 0:
        return 0.0

    def cumulant(t: float) -> float:
        return float(draws @ np.logaddexp(np.log1p(-p), np.log(p) + t * u))

    def slope(t: float) -> float:
        return float((draws * u) @ expit(logit(p) + t * u))

    s = brentq(lambda t: slope(t) - rho, -200, 200, xtol=1e-13)
    tilted = expit(logit(p) + s * u)
    root = float(np.sqrt((draws * u**2) @ (tilted * (1 - tilted))))

    def surprise(d: float) -> float:
        omega = np.sqrt(2 * (cumulant(s - d) - cumulant(s) + d * rho))
        return float(omega + np.log(2 * np.sinh(d / 2) * root / omega) / omega)

    near = far = 0.3 / max(root, 0.3)
    while surprise(far) < Z:
        far *= 1.4
    while surprise(near) > Z and near > 1e-3:
        near /= 2
    return unit * slope(s - brentq(lambda d: surprise(d) - Z, near, far, xtol=1e-12))


@pytest.mark.parametrize("seed", range(40))
def test_limits_are_where_the_definition_puts_them(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n_strata = int(rng.integers(1, 25))
    sizes = rng.integers(20, 300, n_strata)
    m = rng.integers(1, 12, n_strata)
    wrong = rng.binomial(m, np.clip(rng.beta(1, 2) * 2 * rng.random(n_strata), 0.05, 0.95))
    low, high = of_counts(m, sizes, wrong)
    assert low == pytest.approx(slow_lower(m, sizes, wrong), abs=1e-7)
    assert 1 - high == pytest.approx(slow_lower(m, sizes, m - wrong), abs=1e-7)


def test_many_samples_have_the_limits_of_each_alone() -> None:
    rng = np.random.default_rng(0)
    m, sizes = np.array([2, 7, 30, 4]), np.array([9, 7, 200, 40])
    wrong = np.stack([rng.binomial(m, p) for p in (0, 0.02, 0.3, 0.5, 0.97, 1)])
    low, high = limits(working_model([0.0, 1.0], np.stack([m - wrong, wrong], axis=-1), m, sizes))
    alone = np.array([of_counts(m, sizes, one) for one in wrong])
    assert np.stack([low, high], axis=-1) == pytest.approx(alone, abs=1e-9)


@pytest.mark.parametrize("n_items", [300, 1000, 5000])
@pytest.mark.parametrize("labels", [18, 30, 60, 100])
def test_one_stratum_covers_in_every_pool_by_enumeration(n_items: int, labels: int) -> None:
    """Coverage of every share of errors on a grid, from the hypergeometric distribution: no simulation."""
    x = np.arange(labels + 1)
    low, high = limits(
        working_model([0.0, 1.0], np.stack([labels - x, x], axis=-1)[:, None], np.array([labels]), np.array([n_items]))
    )
    low, high = np.maximum(low, x / n_items), np.minimum(high, (x + n_items - labels) / n_items)
    for errors in np.unique(np.linspace(0, n_items, 41).astype(int)):
        inside = (low <= errors / n_items + 1e-12) & (high >= errors / n_items - 1e-12)
        assert hypergeom.pmf(x, n_items, errors, labels)[inside].sum() >= 0.94


ROUNDS = 2_000


@pytest.mark.parametrize("cell", sampled(family(), lambda cell: cell.labels.sum() <= 30 and cell.sizes.sum() <= 400))
def test_limits_cover_on_the_whole_family(cell: Cell) -> None:
    """Every cell at .94 less three standard errors of its simulation: of 700 cells, one may fall by chance so far."""
    wrong, times = cell.samples(ROUNDS, seed=1)
    assert coverage(cell, tilted(cell, wrong), times) >= 0.94 - 3 * np.sqrt(0.94 * 0.06 / ROUNDS)


@pytest.mark.parametrize(
    "cell", sampled(list(mixed()), lambda cell: cell.items.sum() <= 600 and cell.labels.sum() <= 25)
)
def test_limits_cover_differences_ratios_and_steps(cell: Mixed) -> None:
    """Every cell at .93 less three standard errors of its simulation."""
    assert cell.coverage(ROUNDS, seed=1) >= 0.93 - 3 * np.sqrt(0.93 * 0.07 / ROUNDS)


@pytest.mark.parametrize("number", range(6))
def test_membership_of_a_ratio_is_that_of_its_limits(number: int) -> None:
    """The tail at a ratio, which coverage is measured by, beside the limits that a user sees."""
    cell = [one for one in mixed() if one.kind == "ratio"][number]
    rng = np.random.default_rng(number)
    counts = np.stack([rng.multivariate_hypergeometric(i, m) for i, m in zip(cell.items, cell.labels, strict=True)])
    kind = np.concatenate([np.repeat(np.arange(3), row) for row in counts])
    stratum = np.repeat(np.arange(cell.labels.size), cell.labels)
    seen = metric("precision", kind > 0, kind > 1, stratum, cell.items.sum(axis=1))
    inside = [seen.low + 1e-4, seen.high - 1e-4]
    outside = [seen.low - 1e-4] + ([seen.high + 1e-4] if seen.high < 1 else [])
    assert all(cell.contains(counts[None].astype(float), theta)[0] for theta in inside)
    assert not any(cell.contains(counts[None].astype(float), theta)[0] for theta in outside)
