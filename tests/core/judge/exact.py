"""Chances over all samples of a judge's pool with one stratum a class of verdicts: exact, without simulation."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.stats import hypergeom

from core.design.judging import class_labels
from core.judge import MEASURES, VerdictPair, VerdictSample

# Samples that are less likely together are left out, on either side of each class.
_NEGLIGIBLE = 1e-7


@dataclass(frozen=True)
class JudgeCell:
    """A pool by the judge's and by people's verdicts.

    Parameters
    ----------
    caught, alarms, missed, good : int
        Items: both fail; the judge alone fails; people alone fail; both pass.
    """

    caught: int
    alarms: int
    missed: int
    good: int

    @classmethod
    def of(cls, size: int, fails: float, tpr: float, tnr: float) -> JudgeCell:
        failing = round(size * fails)
        caught, good = math.floor(failing * tnr), round((size - failing) * tpr)
        return cls(caught, size - failing - good, failing - caught, good)

    @property
    def failing(self) -> int:
        return self.caught + self.missed

    @property
    def tnr(self) -> float:
        return self.caught / self.failing

    @property
    def whole(self) -> VerdictPair:
        """Every item labelled."""
        n_fail, n_pass = self.caught + self.alarms, self.missed + self.good
        fails = VerdictSample((n_fail,), (n_fail,), (self.caught,)) if n_fail else VerdictSample((), (), ())
        passes = VerdictSample((n_pass,), (n_pass,), (self.missed,)) if n_pass else VerdictSample((), (), ())
        return VerdictPair(fails, passes)

    def samples(self, budget: int) -> list[tuple[VerdictPair, float]]:
        """Every sample that is likely enough, with its chance."""
        n_fail, n_pass = self.caught + self.alarms, self.missed + self.good
        labels = class_labels(n_fail, n_pass, budget)
        classes = []
        for size, failing, m in zip((n_fail, n_pass), (self.caught, self.missed), labels, strict=True):
            found = np.arange(max(0, m - size + failing), min(m, failing) + 1)
            chances = hypergeom(size, failing, m).pmf(found) if size else np.ones(1)
            likely = chances > _NEGLIGIBLE
            made = [VerdictSample((size,), (m,), (int(d),)) if size else VerdictSample((), (), ()) for d in found]
            classes.append([(one, p) for one, p, keep in zip(made, chances, likely, strict=True) if keep])
        return [(VerdictPair(f, p), float(pf * pp)) for f, pf in classes[0] for p, pp in classes[1]]

    def chance(self, budget: int, holds: Callable[[VerdictPair], bool]) -> float:
        """How likely something holds."""
        return sum(chance for pair, chance in self.samples(budget) if holds(pair))

    def coverage(self, budget: int, measures: tuple[str, ...]) -> dict[str, float]:
        """Chance that the limits of each measure hold its true value."""
        truth = {name: self.whole.value(MEASURES[name]) for name in measures}
        found = dict.fromkeys(measures, 0.0)
        for pair, chance in self.samples(budget):
            for name, value in truth.items():
                low, high = pair.limits(MEASURES[name])
                found[name] += chance * (math.isnan(value) or low - 1e-9 <= value <= high + 1e-9)
        return found
