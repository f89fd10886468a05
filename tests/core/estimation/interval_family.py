"""The family of designs on which limits by tilting are judged, with the lowest coverage of each kind.

``python -m tests.core.estimation.interval_family [ROUNDS]`` prints, for each kind of cell, the lowest coverage at 95 %
at three continuity corrections, the first of them that in use, and the ratio of widths.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import expit

from core.allocation import allocate
from core.estimation.tilting import limits
from core.estimation.working_model import working_model

CONTINUITY = (0.5, 0.45, 0.4)
_SLACK = 1e-12


@dataclass(frozen=True, slots=True)
class Cell:
    """One design on one pool of losses of 0 and 1.

    Parameters
    ----------
    kind : str
        What it is an example of.
    sizes, errors, labels : (H,) int
        Items, items with a loss of 1, and labels of each stratum.
    """

    kind: str
    sizes: NDArray[np.int64]
    errors: NDArray[np.int64]
    labels: NDArray[np.int64]

    @property
    def truth(self) -> float:
        """The share of items with a loss of 1."""
        return float(self.errors.sum() / self.sizes.sum())

    def samples(self, rounds: int, seed: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Draw samples; return the distinct ones (R, H), as labels with a loss of 1, and how often each came up."""
        rng = np.random.default_rng(seed)
        strata = zip(self.errors, self.sizes, self.labels, strict=True)
        drawn = np.stack([rng.hypergeometric(bad, size - bad, m, rounds) for bad, size, m in strata], axis=1)
        distinct, times = np.unique(drawn, axis=0, return_counts=True)
        return distinct, times / rounds


def one_stratum() -> Iterator[Cell]:
    """Uniform samples: pools of 300 to 5,000 items, 10 to 100 labels, accuracies from .5 to .99."""
    for size in (300, 1000, 5000):
        for labels in (10, 20, 50, 100):
            for accuracy in (0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99):
                errors = round(size * (1 - accuracy))
                yield Cell("one stratum", np.array([size]), np.array([errors]), np.array([labels]))


def few_strata(seed: int = 7) -> Iterator[Cell]:
    """Two to eight strata: proportional, equal, the paper's and random shares; errors of four shapes."""
    rng = np.random.default_rng(seed)
    shapes = {
        "monotone": lambda h: np.sort(rng.beta(1, 2, h)),
        "corner": lambda h: rng.beta(1, 1) * (np.arange(h) == rng.integers(h)),
        "rare": lambda h: rng.beta(0.3, 12, h),
        "any": lambda h: rng.random(h),
    }
    rules = {
        "proportional": lambda sizes: sizes.astype(float),
        "equal": lambda sizes: np.ones(sizes.size),
        "paper": lambda sizes: sizes * (np.sqrt(0.25 * rng.random(sizes.size)) + 0.75),
        "random": lambda sizes: rng.dirichlet(np.ones(sizes.size)),
    }
    for h in (2, 3, 5, 8):
        for shape, risk in shapes.items():
            for rule in rules.values():
                for _ in range(3):
                    size = int(rng.choice([300, 1000, 4000]))
                    sizes = np.maximum(8, (rng.dirichlet(np.full(h, 3.0)) * size).astype(int))
                    budget = max(int(rng.choice([18, 30, 50, 100])), 2 * h)
                    labels = np.maximum(allocate(rule(sizes), sizes, min(budget, int(sizes.sum()))), 2)
                    yield Cell(f"few strata, {shape}", sizes, np.round(risk(h) * sizes).astype(int), labels)


def fine_strata() -> Iterator[Cell]:
    """Strata of two labels each: errors along, against and without the order, and in one part of the list alone."""
    for size in (400, 1500, 5000):
        for accuracy in (0.5, 0.8, 0.9, 0.95, 0.98):
            for labels in (18, 30, 50, 100):
                h = labels // 2
                sizes, place = np.full(h, size // h), (np.arange(h) + 0.5) / h
                for shape, risk in _risks(place, 1 - accuracy).items():
                    errors = np.round(risk * sizes).astype(int)
                    yield Cell(f"fine strata, {shape}", sizes, errors, np.full(h, 2))


def hidden_errors(seed: int = 11) -> Iterator[Cell]:
    """Fine strata of equal mass √(p̂q̂) + floor, with 2 or 5 % errors in one tenth of the items alone."""
    rng = np.random.default_rng(seed)
    for size in (1000, 4000):
        for labels in (20, 50, 100, 200):
            h = labels // 2
            for floor in (1.0, 0.5, 0.25, 0.125):
                risk = np.sort(rng.beta(0.6, 2, size))
                mass = np.cumsum(np.sqrt(risk * (1 - risk)) + floor)
                stratum = np.minimum((mass / mass[-1] * h - 1e-9).astype(int), h - 1)
                sizes = np.bincount(stratum, minlength=h)
                for share in (0.02, 0.05):
                    for where, first in {"safest": 0, "middle": size // 2, "riskiest": size - size // 10}.items():
                        bad = first + rng.choice(size // 10, int(share * size), replace=False)
                        errors = np.bincount(stratum[bad], minlength=h)
                        if sizes.min() >= 2:
                            yield Cell(f"hidden in the {where} tenth", sizes, errors, np.full(h, 2))


def family() -> list[Cell]:
    """List the cells of the family."""
    return [*one_stratum(), *few_strata(), *fine_strata(), *hidden_errors()]


def tilted(cell: Cell, wrong: NDArray[np.int64], continuity: float = 0.5) -> tuple[NDArray[np.float64], ...]:
    """Return the limits by tilting of samples (R, H), cut to what the labels leave possible."""
    model = working_model([0.0, 1.0], np.stack([cell.labels - wrong, wrong], axis=-1), cell.labels, cell.sizes)
    low, high = limits(model, continuity=continuity)
    seen, left = wrong.sum(axis=1), cell.sizes.sum() - cell.labels.sum()
    return np.maximum(low, seen / cell.sizes.sum()), np.minimum(high, (seen + left) / cell.sizes.sum())


def coverage(cell: Cell, both: tuple[NDArray[np.float64], ...], times: NDArray[np.float64]) -> float:
    """Return the share of samples whose limits contain the truth."""
    low, high = both
    return float(times @ ((low <= cell.truth + _SLACK) & (high >= cell.truth - _SLACK)))


def measured(cells: list[Cell], rounds: int) -> pd.DataFrame:
    """Measure every cell: a row each with kind, labels, and coverage and mean width of each kind of limits."""
    rows = []
    for number, cell in enumerate(cells):
        wrong, times = cell.samples(rounds, number)
        row: dict[str, str | float] = {"kind": cell.kind, "labels": int(cell.labels.sum())}
        for name in CONTINUITY:
            both = tilted(cell, wrong, name)
            row[f"coverage, {name:g}"] = coverage(cell, both, times)
            row[f"width, {name:g}"] = float(times @ (both[1] - both[0]))
        rows.append(row)
    return pd.DataFrame(rows)


def _risks(place: NDArray[np.float64], mean: float) -> dict[str, NDArray[np.float64]]:
    def steep(slope: float) -> NDArray[np.float64]:
        return expit(brentq(lambda level: expit(level + slope * place).mean() - mean, -40, 40) + slope * place)

    block = np.clip(mean * place.size - np.abs(place - 0.5) * 2 * place.size, 0, 1)
    risks = {"logistic": steep(6), "reversed": steep(-6), "flat": np.full(place.size, mean)}
    if block.any():
        risks["block"] = np.minimum(1, block * mean * place.size / block.sum())
    if mean <= 0.1:
        tenth = max(1, place.size // 10)
        risks["riskiest tenth"] = np.where(np.arange(place.size) >= place.size - tenth, mean * place.size / tenth, 0.0)
        risks["safest tenth"] = risks["riskiest tenth"][::-1]
    return {name: np.minimum(risk, 1.0) for name, risk in risks.items()}


def main(rounds: int) -> None:
    """Print the lowest coverage and the mean ratio of widths of each kind."""
    table = measured(family(), rounds)
    names = [f"{one:g}" for one in CONTINUITY]
    kinds = table.groupby("kind")
    shown = kinds[[f"coverage, {name}" for name in names]].min().round(3)
    for name in names[1:]:
        ratio = table[f"width, {name}"] / table[f"width, {names[0]}"]
        shown[f"width ratio, {name}"] = ratio.groupby(table["kind"]).mean().round(3)
    shown.insert(0, "cells", kinds.size())
    print(shown.to_string())
    print("\nMean coverage:", {name: round(float(table[f"coverage, {name}"].mean()), 3) for name in names})


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2_000)
