"""What is known of a target whose outcome is known on some items alone, and what it lets one expect of all."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from scipy.special import betaincinv, ndtr, ndtri

from ..errors import DesignError
from ..pool.pool import Pool
from ..stratification.profiles import Outcome
from ..words import counted, per_cent, value
from .belief import MOST_AUROC, Range

# What is believed otherwise counts as so many known outcomes, and the ends of a range hold 80 % of a distribution.
_PRIOR, _ENDS = 4.0, (0.1, 0.5, 0.9)
_Z = NormalDist().inv_cdf(_ENDS[2])
# On the scale of `_distances`: how far errors at other budgets lie from those of the AUROC that fits one budget.
_MODEL = 0.25
# Fewer wrong or right answers do not say how well a signal tells them apart.
_FEW = 10


@dataclass(frozen=True, slots=True)
class KnownPart:
    """The known outcomes of a target, if those of other items are not known.

    Parameters
    ----------
    target : str
        Its name.
    outcome : Outcome
        Of the known items.
    """

    target: str
    outcome: Outcome

    @property
    def ranks(self) -> bool:
        """Whether there are enough wrong and right answers to say how well a signal tells them apart."""
        wrong = float(self.outcome.losses.sum())
        return self.outcome.moments.binary and _FEW <= wrong <= self.outcome.losses.size - _FEW

    @property
    def said(self) -> str:
        """How many of how many items these are."""
        return f"the {self.outcome.losses.size:,} of {self.outcome.n_items:,} items whose outcome is known"

    def sentence(self, assumed: bool) -> str:
        """What is known, and that figures of all items are forecasts, which may rest on what is known."""
        known, mean = self.outcome, self.outcome.moments.mean
        binary = known.moments.binary
        said = f"is right on {per_cent(1 - mean, 1)}" if binary else f"has a mean loss of {value(mean, False)} on those"
        kind = "" if binary else ", and speak of answers that are right or wrong"
        return (
            f"{self.target} {said} of the {counted(known.losses.size, 'item')} whose outcome is known, of "
            f"{known.n_items:,} in all. Figures here are forecasts for all {known.n_items:,}{kind}"
            f"{'; they take the others to be like the known ones' if assumed else ''}."
        )

    def accuracy(self, believed: Range) -> Range:
        """80 % range of the accuracy on all items, if the others are like the known ones.

        The posterior of the pool's share, Beta with the finite population's correction; ``believed`` is what is
        believed otherwise, and counts as four known outcomes.
        """
        known = self.outcome
        if not self.is_share:
            return believed
        # Of n known items of N, the variance of the mean is (1 − n/N) times that of n draws.
        weight = known.losses.size / max(1 - known.losses.size / known.n_items, 1e-9)
        right = 1 - known.moments.mean
        a, b = (
            weight * one + _PRIOR * two for one, two in ((right, believed.middle), (1 - right, 1 - believed.middle))
        )
        low, middle, high = (float(betaincinv(max(a, 1e-9), max(b, 1e-9), end)) for end in _ENDS)
        return Range(low, middle, high)

    def ranking(self, auroc: float, believed: Range, measured: bool) -> Range:
        """80 % range of the signal's AUROC: of the known items, joined with what is believed otherwise.

        ``auroc`` is the one with which the model of forecasts has the exact error of the design on these items. Both
        are normal on the scale u = √2 Φ⁻¹(AUROC), on which n₁ wrong and n₀ right answers of n have the variance
        (1 − n/N) (1/n₁ + 1/n₀ + u²/2n), about. What is ``measured`` on other models has that of its range, and an
        assumption that of two wrong and two right answers.
        """
        n, wrong = self.outcome.losses.size, float(self.outcome.losses.sum())
        low, middle, high, own = _distances(np.array([believed.low, believed.middle, believed.high, auroc]))
        prior = ((high - low) / (2 * _Z)) ** 2 if measured else 4 / _PRIOR
        error = (1 - n / self.outcome.n_items) * (1 / wrong + 1 / (n - wrong) + own**2 / (2 * n))
        share = prior / (prior + error)
        at, reach = middle + share * (own - middle), _Z * math.hypot(math.sqrt(share * error), _MODEL)
        ends = ndtr(np.maximum([at - reach, at, at + reach], 0.0) / math.sqrt(2))
        return Range(*(float(end) for end in np.clip(ends, 0.5, MOST_AUROC)))

    @property
    def is_share(self) -> bool:
        """Whether losses lie between 0 and 1, so that their mean stands for an accuracy."""
        losses = self.outcome.losses
        return bool(np.all((losses >= 0) & (losses <= 1)))


def known_items(pool: Pool, target: str, parser: str | None = None) -> Pool:
    """Make a pool of the items alone on which a target's outcome is known; ``parser`` as in `core.pool.Pool.losses`.

    Raises
    ------
    DesignError
        No loss is known.
    """
    known = np.isfinite(pool.losses(target, parser))
    if not known.any():
        raise DesignError(f"No outcome of “{target}” is known. Add its losses, or its answers and the truth.")
    return pool if known.all() else Pool(pool.name, pool.table.filter(pa.array(known)))


def _distances(aurocs: NDArray[np.float64]) -> NDArray[np.float64]:
    """U = √2 Φ⁻¹(AUROC)."""
    return np.asarray(math.sqrt(2) * ndtri(np.clip(aurocs, 0.5, MOST_AUROC)))
