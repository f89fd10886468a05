"""What is said of a judge, and the one rule by which each has its estimate, standard error and limits.

With u and q the shares of fail and pass verdicts, a = u p_F and b = q p_P: “the measure is at least t” is
L(t) = A a − B b + C ≥ 0, where A, B and C are linear in t. The estimate is the root of L; its limits are those t at
which the labels begin to be surprising (`core.judge.tails`; docs/judge.md, 3).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import product

import numpy as np
from numpy.typing import NDArray

from ..errors import DesignError
from ..words.catalogue import Catalogue
from .rates import VerdictSample, possible_of
from .tails import labelled, lines_of

Z_TWO_SIDED, Z_ONE_SIDED = 1.959964, 1.644854
_NOTHING = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeMeasure:
    """A measure of how a judge agrees with people.

    Parameters
    ----------
    name : str
        In frames and JSON.
    title : str
        In tables: the field's word.
    plainly : str
        What it is, in a few words.
    rule : callable
        From t and the shares u and q to A, B and C; linear in t.
    lowest : float
        The smallest value that it can have.
    denominator : callable
        From a, b, u and q to what it is a share of; at 0 there is nothing to measure.
    """

    name: str
    title: str
    plainly: str
    rule: Callable[[float, float, float], tuple[float, float, float]]
    lowest: float = 0.0
    denominator: Callable[[float, float, float, float], float] = lambda a, b, u, q: 1.0
    aliases: tuple[str, ...] = ()


TNR = JudgeMeasure(
    name="tnr",
    title="Failures caught (TNR)",
    plainly="of the items that people fail, the share that the judge fails",
    rule=lambda t, u, q: (1 - t, t, 0.0),
    denominator=lambda a, b, u, q: a + b,
)
TPR = JudgeMeasure(
    name="tpr",
    title="Good answers passed (TPR)",
    plainly="of the items that people pass, the share that the judge passes",
    rule=lambda t, u, q: (t, 1 - t, q * (1 - t) - u * t),
    denominator=lambda a, b, u, q: 1 - a - b,
)
PASS_RATE = JudgeMeasure(
    name="pass_rate",
    title="Corrected pass rate",
    plainly="the share of all items that people pass",
    rule=lambda t, u, q: (-1.0, 1.0, 1 - t),
)
AGREEMENT = JudgeMeasure(
    name="agreement",
    title="Agreement",
    plainly="the share of all items on which the judge and people say the same",
    rule=lambda t, u, q: (1.0, 1.0, q - t),
)
KAPPA = JudgeMeasure(
    name="kappa",
    title="Cohen’s κ",
    plainly="agreement beyond chance: 1 is perfect, 0 is what chance gives",
    rule=lambda t, u, q: (2 * q - t * (q - u), 2 * u + t * (q - u), -t * u),
    lowest=-1.0,
    denominator=lambda a, b, u, q: (a + b) * (u + (a + b) * (q - u)),
)
# What no catalogue lists: a difference, in points.
BIAS = "Bias of the judge’s rate"
MEASURES = Catalogue("measure of a judge", (PASS_RATE, TPR, TNR, AGREEMENT, KAPPA), DesignError)


@dataclass(frozen=True, slots=True)
class VerdictPair:
    """Labels of both classes: the items that the judge fails, and those that it passes.

    Parameters
    ----------
    fails, passes : VerdictSample
        Of F and of P; together at least one item.
    """

    fails: VerdictSample
    passes: VerdictSample

    @property
    def size(self) -> int:
        """N."""
        return self.fails.size + self.passes.size

    @property
    def whole(self) -> bool:
        """Whether every item is labelled."""
        return self.fails.whole and self.passes.whole

    @property
    def u(self) -> float:
        """Share of fail verdicts."""
        return self.fails.size / self.size

    @property
    def q(self) -> float:
        """Share of pass verdicts: the judge-only pass rate."""
        return self.passes.size / self.size

    @property
    def found(self) -> float:
        """Failing items found, by people’s labels."""
        return self.fails.n_fails + self.passes.n_fails

    def value(self, measure: JudgeMeasure) -> float:
        """The estimate; NaN if there is nothing to measure, such as failures caught without a failure found."""
        return self._at(measure, self.u * self.fails.rate, self.q * self.passes.rate)

    def _at(self, measure: JudgeMeasure, a: float, b: float) -> float:
        """The measure if a and b were these."""
        if abs(measure.denominator(a, b, self.u, self.q)) < _NOTHING:
            return math.nan
        start, slope = self._line(measure, a, b)
        return -start / slope

    def standard_error(self, measure: JudgeMeasure) -> float:
        """By the first derivatives in a and b; NaN if there is nothing to measure."""
        value = self.value(measure)
        if math.isnan(value):
            return math.nan
        u, q = self.u, self.q
        _, slope = self._line(measure, u * self.fails.rate, q * self.passes.rate)
        first, second, _ = measure.rule(value, u, q)
        return math.hypot(
            first * u * math.sqrt(self.fails.variance), second * q * math.sqrt(self.passes.variance)
        ) / abs(slope)

    def limits(self, measure: JudgeMeasure, z: float = Z_TWO_SIDED) -> tuple[float, float]:
        """Limits of a measure.

        Parameters
        ----------
        measure : JudgeMeasure
            Of `MEASURES`.
        z : float
            Of the normal distribution.
        """
        return _limits(self, z)[measure.name]

    def line(self, measure: JudgeMeasure, t: float) -> tuple[float, float, float]:
        """Return the slopes of L in b and in a, and its constant."""
        first, second, third = measure.rule(t, self.u, self.q)
        return -second, first, third

    def possible(self, measure: JudgeMeasure) -> tuple[float, float]:
        """Return the least and the most that a measure can be: it rises or falls with either class's rate alone."""
        rates = [possible_of(part, share) for part, share in ((self.fails, self.u), (self.passes, self.q))]
        return extremes(rates, lambda a, b: self._at(measure, a, b)) or (measure.lowest, 1.0)

    def _line(self, measure: JudgeMeasure, a: float, b: float) -> tuple[float, float]:
        """L(0) and its slope in t."""
        at = [
            first * a - second * b + third
            for first, second, third in (measure.rule(t, self.u, self.q) for t in (0.0, 1.0))
        ]
        return at[0], at[1] - at[0]


@lru_cache(maxsize=256)
def _limits(pair: VerdictPair, z: float) -> dict[str, tuple[float, float]]:
    """Return the limits of every measure."""
    low_high = limits_of([pair], MEASURES.entries, z)[0].tolist()
    return {one.name: (low, high) for one, (low, high) in zip(MEASURES.entries, low_high, strict=True)}


def limits_of(
    pairs: Sequence[VerdictPair], measures: Sequence[JudgeMeasure], z: float = Z_TWO_SIDED
) -> NDArray[np.float64]:
    """Return the limits of measures of several samples of the same strata, (R, K, 2).

    Parameters
    ----------
    pairs : sequence of VerdictPair
        R samples.
    measures : sequence of JudgeMeasure
        K of `MEASURES`.
    z : float
        Of the normal distribution.
    """
    asked = [(pair, one) for pair in pairs for one in measures]
    inside = np.array([pair.value(one) for pair, one in asked])
    # κ is 0 where nobody fails an item.
    nobody = [one is KAPPA and pair.u > 0 and not pair.whole for pair, one in asked]
    inside[np.isnan(inside) & nobody] = 0.0
    limits = np.array([pair.possible(one) for pair, one in asked])
    ends = np.array([(one.lowest, 1.0) for _, one in asked])
    limits[np.isnan(inside)] = ends[np.isnan(inside)]
    open_ = np.flatnonzero(~np.isnan(inside) & (limits[:, 0] < limits[:, 1]))
    if open_.size:
        lines = lines_of([partial(pair.line, one) for pair, one in (asked[place] for place in open_)])
        samples = labelled([(asked[place][0].passes, asked[place][0].fails) for place in open_])
        limits[open_] = samples.limits(lines, z, inside[open_], limits[open_])
    # Rounding leaves a limit below an end by a few units in the last place.
    return np.clip(limits, ends[:, :1], ends[:, 1:]).reshape(len(pairs), len(measures), 2)


def extremes(ranges: Sequence[tuple[float, float]], at: Callable[..., float]) -> tuple[float, float] | None:
    """The least and the most of a measure that rises or falls with each share alone; None if it may be nothing."""
    corners = [at(*corner) for corner in product(*ranges)]
    return None if any(map(math.isnan, corners)) else (min(corners), max(corners))
