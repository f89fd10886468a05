"""Coverage of limits by tilting beyond means of 0 and 1 at 95 %: other levels, hostile designs, contrasts and scores.

``python -m tests.core.estimation.interval_reach [ROUNDS]`` prints the lowest and the mean coverage of each.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import ndtri
from scipy.stats import beta as beta_law

from core.estimation.tilting import limits, surprise
from core.estimation.working_model import working_model
from tests.core.estimation.interval_family import Cell, coverage, family, tilted

LEVELS = (0.8, 0.9, 0.99)
# Labels of a domain from which on its ratio is expected to be covered.
TELLING = 8
_SLACK = 1e-12


@dataclass(frozen=True, slots=True)
class Mixed:
    """One design on one pool whose items are of several kinds.

    Parameters
    ----------
    kind : str
        What it is an example of.
    items : (H, S) int
        Items of each stratum and kind.
    labels : (H,) int
        Labels of each stratum.
    values : (S,) float
        Losses of the kinds in [0, 1]; of a ratio, its numerator.
    below : (S,) float
        Of a ratio, its denominator; 1 for means.
    step : float
        The step of the scale.
    """

    kind: str
    items: NDArray[np.int64]
    labels: NDArray[np.int64]
    values: NDArray[np.float64]
    below: NDArray[np.float64]
    step: float

    @property
    def truth(self) -> float:
        """The mean or the ratio of the pool."""
        each = self.items.sum(axis=0)
        return float(each @ self.values / (each @ self.below))

    @property
    def telling(self) -> float:
        """Labels to expect in the domain of a ratio; all of them for means."""
        shares = self.items / self.items.sum(axis=1, keepdims=True)
        return float(self.labels @ shares @ (self.below > 0))

    def coverage(self, rounds: int, seed: int) -> float:
        """Return the share of samples whose limits contain the truth: the tail at it, on both sides."""
        rng = np.random.default_rng(seed)
        pairs = zip(self.items, self.labels, strict=True)
        drawn = np.stack([rng.multivariate_hypergeometric(items, m, rounds) for items, m in pairs], axis=1)
        distinct, times = np.unique(drawn, axis=0, return_counts=True)
        return float(times @ self.contains(distinct.astype(float), self.truth) / rounds)

    def contains(self, counts: NDArray[np.float64], theta: float) -> NDArray[np.bool_]:
        """Tell of samples of counts (R, H, S) whether a mean or ratio is inside the limits, (R,)."""
        model = working_model(self.values + theta * (1 - self.below), counts, self.labels, self.items.sum(axis=1))
        z = float(ndtri(0.975))
        below = surprise(model, theta + _SLACK, self.step) <= z
        above = surprise(model.mirror(), 2 * model.base + model.rest - theta + _SLACK, self.step) <= z
        return np.asarray(below & above)


def hostile(cells: int = 800, seed: int = 23) -> Iterator[Cell]:
    """Random sizes, random shares of labels from one up, and risks of 0, 1, a few per cent or any."""
    rng = np.random.default_rng(seed)
    while cells:
        h = int(rng.integers(1, 41))
        sizes = np.maximum(4, rng.lognormal(4, 1.2, h).astype(int))
        labels = np.minimum(1 + rng.poisson(rng.gamma(0.7, rng.choice([2, 8, 20]), h)), sizes - 1)
        risks = np.stack([np.zeros(h), np.ones(h), rng.beta(0.5, 20, h), rng.random(h)])
        risk = risks[rng.choice(4, h, p=rng.dirichlet([1, 0.3, 1, 1])), np.arange(h)]
        errors = rng.binomial(sizes, risk)
        if labels.sum() >= 18 and 0 < errors.sum() < sizes.sum():
            cells -= 1
            yield Cell("hostile", sizes, errors, labels)


def mixed(seed: int = 29) -> Iterator[Mixed]:
    """Differences of two targets, scores of five steps, and precision, in one stratum, in a few and in fine ones."""
    rng = np.random.default_rng(seed)
    one = np.ones
    for h, size, budget in [
        (h, size, budget) for h in (1, 3, 8, 0) for size in (500, 3000) for budget in (20, 50, 100, 200)
    ]:
        strata = h or budget // 2
        sizes = np.maximum(4, np.round(size * rng.dirichlet(np.full(strata, 20.0)))).astype(int)
        labels = np.full(strata, 2) if not h else np.maximum(2, np.round(budget * sizes / sizes.sum())).astype(int)
        labels = np.minimum(labels, sizes - 1)
        for share in (0.02, 0.1, 0.3):
            for lean in (0.2, 0.5):
                chances = np.array([share * lean, 1 - share, share * (1 - lean)])
                yield Mixed("difference", _items(rng, sizes, chances), labels, np.array([0, 0.5, 1]), one(3), 0.5)
        for shape in ((0.6, 0.2, 0.1, 0.05, 0.05), (0.05, 0.1, 0.2, 0.3, 0.35), (0.45, 0.03, 0.04, 0.03, 0.45)):
            yield Mixed("five steps", _items(rng, sizes, np.array(shape)), labels, np.arange(5) / 4, one(5), 0.25)
        for domain in (0.1, 0.3, 0.7):
            for right in (0.5, 0.8, 0.95):
                chances = np.array([1 - domain, domain * (1 - right), domain * right])
                cell = Mixed(
                    "ratio", _items(rng, sizes, chances), labels, np.array([0.0, 0, 1]), np.array([0.0, 1, 1]), 1
                )
                if cell.telling >= TELLING and 0 < cell.truth < 1:
                    yield cell


def clopper_pearson(cell: Cell, wrong: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the limits of Clopper and Pearson of one stratum's samples (R, 1)."""
    x, m = wrong[:, 0], int(cell.labels[0])
    low = np.where(x > 0, beta_law.ppf(0.025, x, m - x + 1), 0.0)
    return low, np.where(x < m, beta_law.ppf(0.975, x + 1, m - x), 1.0)


def measured(rounds: int) -> pd.DataFrame:
    """Measure every cell: a row each with kind and coverage."""
    rows = []
    for number, cell in enumerate(family()):
        wrong, times = cell.samples(rounds, number)
        for level in LEVELS:
            rows.append((f"family at {level:.0%}", coverage(cell, _at(cell, wrong, level), times)))
        if cell.kind == "one stratum":
            rows.append(("one stratum", coverage(cell, tilted(cell, wrong), times)))
            rows.append(("one stratum, Clopper–Pearson", coverage(cell, clopper_pearson(cell, wrong), times)))
    for number, cell in enumerate(hostile()):
        wrong, times = cell.samples(rounds, number)
        rows.append(("hostile", coverage(cell, tilted(cell, wrong), times)))
    rows += [(cell.kind, cell.coverage(rounds, number)) for number, cell in enumerate(mixed())]
    return pd.DataFrame(rows, columns=["kind", "coverage"])


def _items(rng: np.random.Generator, sizes: NDArray[np.int64], chances: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return items of each stratum and kind (H, S), whose chances vary from stratum to stratum."""
    varied = rng.dirichlet(np.maximum(chances, 1e-3) * 12, sizes.size)
    return np.stack([rng.multinomial(size, chance) for size, chance in zip(sizes, varied, strict=True)])


def _at(cell: Cell, wrong: NDArray[np.int64], level: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the limits at one level, cut to what the labels leave possible."""
    model = working_model([0.0, 1.0], np.stack([cell.labels - wrong, wrong], axis=-1), cell.labels, cell.sizes)
    low, high = limits(model, level)
    size, seen = cell.sizes.sum(), wrong.sum(axis=1)
    return np.maximum(low, seen / size), np.minimum(high, (seen + size - cell.labels.sum()) / size)


def main(rounds: int) -> None:
    """Print cells, the lowest, the fifth-lowest and the mean coverage of each kind."""
    kinds = measured(rounds).groupby("kind")["coverage"]
    fifth = kinds.apply(lambda one: np.sort(one)[min(4, one.size - 1)])
    table = pd.DataFrame({"cells": kinds.size(), "lowest": kinds.min(), "fifth": fifth, "mean": kinds.mean()})
    print(table.round(3).to_string())


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2_000)
