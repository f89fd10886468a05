"""Comparing two targets on the same items: what difference can be detected, and which items tell about it.

Only items that one target gets right and the other wrong tell them apart. With d their share and Δ the difference of
the accuracies, the paired difference has variance d − Δ² an item (Connor 1987; docs/planning.md, 7).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from scipy.special import bdtr, gammaln, ndtr, ndtri

from core.errors import DesignError
from core.pool.pool import Pool

_STEPS = 60


@dataclass(frozen=True, slots=True)
class Pairing:
    """What is believed of two targets, and how sure one wants to be.

    Parameters
    ----------
    agreement : float
        Believed share of the items that both get right or both wrong, in [0, 1).
    differing : float
        Share of the items on which their answers differ, at least 1 − agreement, at most 1. Where answers are not
        known, 1.
    confidence : float
        Of the comparison, in (0, 1).
    power : float
        Wanted chance to detect the difference, in (0.5, 1).
    targets : int
        Targets compared, at least 2: all pairs are compared at once, with joint limits (Bonferroni).
    n_items : int or None
        N; None is very many.

    Raises
    ------
    DesignError
        A parameter is out of its range.
    """

    agreement: float
    differing: float = 1.0
    confidence: float = 0.95
    power: float = 0.8
    targets: int = 2
    n_items: int | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.agreement < 1 or not self.discordant - 1e-9 <= self.differing <= 1:
            raise DesignError(
                "The believed agreement must be at least 0 and below 1, and answers must differ at least where one "
                f"target is right and the other wrong. Found {self.agreement:g} and {self.differing:g}."
            )
        if not 0 < self.confidence < 1 or not 0.5 < self.power < 1 or self.targets < 2:
            raise DesignError(
                "Give a confidence between 0 and 1, a chance between 0.5 and 1, and at least two targets."
            )

    @property
    def discordant(self) -> float:
        """Share d of the items that one target gets right and the other wrong."""
        return 1 - self.agreement

    @property
    def quantile(self) -> float:
        """Normal quantile of a two-sided test, shared among all pairs."""
        pairs = self.targets * (self.targets - 1) / 2
        return float(ndtri(1 - (1 - self.confidence) / 2 / pairs))

    def chance(self, labels: int, difference: float) -> float:
        """Chance to detect a difference of accuracies with labels of the design that is drawn for the difference.

        Parameters
        ----------
        labels : int
            M on items where the answers differ, from 1 to their number.
        difference : float
            Δ, in (0, d].
        """
        spread = self.differing * self.discordant
        left = 0.0 if self.n_items is None else labels / max(self.differing * self.n_items, labels)
        if left >= 1:
            return 1.0
        scale = math.sqrt(labels / (1 - left))
        alternative = math.sqrt(max(spread - difference**2, 1e-300))
        edge = self.quantile * math.sqrt(spread)
        return float(ndtr((difference * scale - edge) / alternative) + ndtr((-difference * scale - edge) / alternative))

    def labels(self, difference: float) -> int:
        """Fewest labels with the wanted chance to detect a difference.

        Parameters
        ----------
        difference : float
            Δ, above 0 and at most d.

        Raises
        ------
        DesignError
            The difference is 0, or larger than the share of items on which the two can differ.
        """
        if not 0 < difference <= self.discordant:
            raise DesignError(
                f"Two targets that agree on {self.agreement:.0%} of the items differ by at most "
                f"{100 * self.discordant:.4g} points. Found a difference of {100 * difference:.4g}."
            )
        spread = self.differing * self.discordant
        root = self.quantile * math.sqrt(spread) + float(ndtri(self.power)) * math.sqrt(spread - difference**2)
        labels = (root / difference) ** 2
        if self.n_items is not None:
            labels = labels / (1 + labels / (self.differing * self.n_items))
        return max(1, math.ceil(labels - 1e-9))

    def detectable(self, labels: int) -> float:
        """Smallest difference that is detected with the wanted chance; d where even that is not.

        Parameters
        ----------
        labels : int
            As in `chance`.
        """
        low, high = 0.0, self.discordant
        for _ in range(_STEPS):
            middle = (low + high) / 2
            low, high = (low, middle) if self.chance(labels, middle) >= self.power else (middle, high)
        return high


def mcnemar_power(pairs: int, discordant: float, difference: float, alpha: float = 0.05) -> float:
    """Power of McNemar's exact one-sided test, for comparison with tables of it.

    Parameters
    ----------
    pairs : int
        M, the number of items with both outcomes.
    discordant : float
        d, in (0, 1].
    difference : float
        Δ, in (0, d].
    alpha : float
        One-sided level.

    Notes
    -----
    The number of discordant pairs n is binomial(M, d); given it, the test is binomial with 1/2 (McNemar 1947).
    """
    n = np.arange(pairs + 1)
    logs = gammaln(pairs + 1) - gammaln(n + 1) - gammaln(pairs - n + 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        weight = np.exp(logs + n * np.log(discordant) + np.where(n < pairs, (pairs - n) * np.log1p(-discordant), 0.0))
    share = (discordant + difference) / (2 * discordant)
    power = 0.0
    for count in range(1, pairs + 1):
        tails = 1 - bdtr(np.arange(count), count, 0.5)
        # Fewest wins of the better target, x, with P(X ≥ x) ≤ α under equality.
        enough = np.flatnonzero(tails <= alpha)
        if enough.size:
            power += float(weight[count] * (1 - bdtr(int(enough[0]), count, share)))
    return power


def answers_differ(pool: Pool, first: str, second: str, parser: str | None = None) -> NDArray[np.bool_]:
    """Whether a label can tell two targets apart, (N,): not where both gave the same answer.

    Parameters
    ----------
    pool : Pool
        With generations and answers of both targets.
    first, second : str
        The targets.
    parser : str, optional
        Answer kind of all items.

    Returns
    -------
    (N,) bool
        True also where an answer is not known.

    Raises
    ------
    DesignError
        The answers of a target are known nowhere.
    """
    one, other = (pool.target_classes(name, parser) for name in (first, second))
    for name, classes in ((first, one), (second, other)):
        if not np.any(classes >= 0):
            raise DesignError(f"No answer of “{name}” is in the pool. Add its answers to plan a comparison by them.")
    # Two answers that no generation gives are of one class without being the same.
    outside = pool.classes(parser).max(axis=1) + 1
    return np.asarray((one < 0) | (one != other) | (one >= outside))


def difference_pool(pool: Pool, first: str, second: str, parser: str | None = None) -> Pool:
    """Pool of the items on which two targets can differ: draw from it to compare them.

    The difference of the accuracies on the whole pool is that on these items times their share.

    Parameters
    ----------
    pool, first, second, parser
        As in `answers_differ`.

    Raises
    ------
    DesignError
        As `answers_differ`, or their answers are the same everywhere.
    """
    member = answers_differ(pool, first, second, parser)
    if not member.any():
        raise DesignError(f"“{first}” and “{second}” give the same answers everywhere: they do not differ.")
    return Pool(f"{pool.name}, where {first} and {second} differ", pool.table.filter(pa.array(member)))
