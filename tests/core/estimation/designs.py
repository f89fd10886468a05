"""Designs whose pools are known, and samples of them, for the tests of labels saved and labels needed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from core.allocation import allocate, proxy_neyman
from core.design import Design
from core.estimation import Sample, sample
from core.estimation.intervals import DEFAULT, Interval
from core.readers import read
from core.simulation.replications import Samples
from core.stratification import profile
from tests.conftest import ROOT

SIZES = (1400, 400, 400, 400, 400)
WEIGHTS = proxy_neyman(SIZES, (1.0, 0.88, 0.74, 0.60, 0.45))


def labelled(counts: tuple[int, ...], ones: tuple[int, ...], sizes: tuple[int, ...] = SIZES) -> Sample:
    losses = [np.repeat([1.0, 0.0], [k, m - k]) for m, k in zip(counts, ones, strict=True)]
    return sample(np.concatenate(losses), np.repeat(np.arange(len(counts)), counts), sizes)


D1 = labelled((25, 10, 11, 12, 12), (24, 9, 8, 7, 5))


@dataclass(frozen=True)
class Known:
    """A pool all of whose losses are known, and the design of its first labels."""

    losses: np.ndarray
    member: np.ndarray
    sizes: np.ndarray
    weights: np.ndarray
    counts: np.ndarray
    turns: np.ndarray

    def shared(self, budget: int) -> np.ndarray:
        labels = np.empty_like(self.sizes)
        labels[self.turns] = allocate(self.weights[self.turns], self.sizes[self.turns], budget)
        return labels

    @property
    def ones(self) -> np.ndarray:
        return np.bincount(self.member, weights=self.losses).round().astype(int)

    def drawn(self, rng: np.random.Generator, counts: np.ndarray, times: int) -> np.ndarray:
        pairs = zip(self.ones, self.sizes - self.ones, counts, strict=True)
        return np.stack([rng.hypergeometric(one, none, m, times) for one, none, m in pairs], axis=1)

    def half_width(self, rng: np.random.Generator, budget: int, interval: Interval) -> float:
        """Mean half-width over 1,000 samples. Their median jumps if single wrong answers decide."""
        counts = self.shared(budget)
        ones = self.drawn(rng, counts, 1000)
        table = Samples(counts, self.sizes, ones / counts, ones * (counts - ones) / counts).estimates(interval)
        return float((table["high"] - table["low"]).mean()) / 2

    def needed(self, rng: np.random.Generator, half_width: float, interval: Interval = DEFAULT) -> int:
        """Smallest budget whose mean half-width is the wanted one."""
        low, high = int(self.counts.sum()), int(self.sizes.sum())
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if self.half_width(rng, middle, interval) <= half_width else (middle + 1, high)
        return low

    def saved(self) -> float:
        """Share of Uniform's labels that the design truly saves."""
        n_items, share = self.losses.size, self.sizes / self.losses.size
        sample_variances = np.array([self.losses[self.member == h].var(ddof=1) for h in range(self.sizes.size)])
        variance = float((share**2 * (1 - self.counts / self.sizes) * sample_variances / self.counts).sum())
        return 1 - float(self.counts.sum()) * (variance / float(self.losses.var(ddof=1)) + 1 / n_items)

    def samples(self, rng: np.random.Generator, times: int) -> list[Sample]:
        rows = self.drawn(rng, self.counts, times).tolist()
        return [labelled(tuple(self.counts.tolist()), tuple(row), tuple(self.sizes.tolist())) for row in rows]


def known(path: Path, target: int, budget: int) -> Known:
    pool = read(path)
    known = profile(pool.classes())
    plan = Design(budget, seed=0).draw(pool, profile=known)
    member = plan.stratum
    losses = pool.losses(list(pool.targets)[target])
    return Known(losses, member, plan.strata.sizes, plan.weights, plan.allocation, plan.turns)


SAMPLES = 60
DEMO = ROOT / "data" / "demo.jsonl.gz"
POOLS = {"demo": DEMO, "mmlu-pro": ROOT / "data" / "mmlu-pro.parquet"}
