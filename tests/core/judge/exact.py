"""Chances over all samples of a judge's pool with one stratum a class of verdicts: exact, without simulation."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import hypergeom

from core.design.judging import class_labels
from core.judge.decision import NOT_TRUSTED, TRUSTED
from core.judge.measures import MEASURES, TNR, TPR, Z_ONE_SIDED, Z_TWO_SIDED, JudgeMeasure, Labelled, VerdictPair
from core.judge.rates import VerdictSample

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

    def samples(self, budget: int) -> tuple[Labelled, NDArray[np.float64]]:
        """Every sample that is likely enough, the passes first, with its chance."""
        sizes = self.missed + self.good, self.caught + self.alarms
        labels = class_labels(*sizes[::-1], budget)[::-1]
        found, chances = [], []
        for size, failing, m in zip(sizes, (self.missed, self.caught), labels, strict=True):
            fails = np.arange(max(0, m - size + failing), min(m, failing) + 1)
            chance = hypergeom(size, failing, m).pmf(fails)
            found.append(fails[chance > _NEGLIGIBLE])
            chances.append(chance[chance > _NEGLIGIBLE])
        fails = np.stack(np.meshgrid(*found, indexing="ij"), axis=-1).reshape(-1, 2).astype(float)
        every = Labelled(
            np.array(sizes, float), np.arange(2), np.broadcast_to(np.array(labels, float), fails.shape), fails
        )
        return every, np.outer(*chances).ravel()

    def beyond(self, every: Labelled, measure: JudgeMeasure, t: float) -> NDArray[np.float64]:
        """r* of every sample if the measure were t: that it lies so high, and that it lies so low, (2, R)."""
        lines = np.repeat([[self.whole.line(measure, at) for at in (0.0, 1.0)]], len(every.fails), axis=0)
        at = np.full(len(every.fails), t)
        return np.array([every.surprise(lines, at, np.full(at.size, upper)) for upper in (False, True)])

    def coverage(self, budget: int, measures: tuple[str, ...]) -> dict[str, float]:
        """Chance that the limits of each measure hold its true value."""
        every, chances = self.samples(budget)
        held = {}
        for name in measures:
            value = self.whole.value(MEASURES[name])
            # Without a failure TNR is anything.
            nothing = every.fails.sum(axis=1) == 0 if name == "tnr" else np.zeros(chances.size, bool)
            outside = (self.beyond(every, MEASURES[name], value) >= Z_TWO_SIDED).any(axis=0) & ~nothing
            held[name] = 1 - float(chances @ outside)
        return held

    def verdicts(self, budget: int, tpr: float = 0.9, tnr: float = 0.8) -> dict[str, float]:
        """Chances of TRUSTED and of NOT TRUSTED."""
        every, chances = self.samples(budget)
        found = every.fails.sum(axis=1) > 0
        good, caught = (self.beyond(every, one, bar) for one, bar in ((TPR, tpr), (TNR, tnr)))
        below = (good[1] >= Z_TWO_SIDED) | (caught[1] >= Z_TWO_SIDED) & found
        above = (good[0] >= Z_ONE_SIDED) & (caught[0] >= Z_ONE_SIDED) & found
        return {NOT_TRUSTED: float(chances @ below), TRUSTED: float(chances @ (above & ~below))}
