"""Comparing two targets on the same items: what difference can be detected, and which items tell about it.

Only items that one target gets right and the other wrong tell them apart: d is their share, Δ the difference of the
accuracies. A difference is detected if its interval, of `core.estimation.contrasts.difference`, excludes 0; the
chance is summed over all samples (docs/planning.md, 7).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from scipy.special import ndtri

from ..allocation.optimum import uniform_size
from ..errors import DesignError
from ..estimation.tilting import surprise
from ..estimation.working_model import working_model
from ..gates.combinations import hypergeometric, multinomial
from ..pool.pool import Pool

Array = NDArray[np.float64]

_STEPS = 30
_VERY_MANY = 10**6
# Beyond this, the textbook's number stands.
_EXACT_LABELS = 5000


@dataclass(frozen=True, slots=True)
class Pairing:
    """Beliefs about two targets, and the wanted certainty.

    Parameters
    ----------
    agreement : float
        Believed share of the items that both get right or both wrong, in [0, 1).
    differing : float
        Share of the items on which their answers differ, at least 1 − agreement, at most 1. If answers are not
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
                "The expected agreement must be at least 0 and below 1, and answers must differ on every item that "
                f"one target gets right and the other wrong. Found {self.agreement:g} and {self.differing:g}."
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
    def level(self) -> float:
        """Confidence of each pair's limits, so that all pairs hold together."""
        pairs = self.targets * (self.targets - 1) / 2
        return 1 - (1 - self.confidence) / pairs

    @property
    def items(self) -> int:
        """Items on which the answers differ, with a number for very many."""
        return _VERY_MANY if self.n_items is None else max(1, round(self.differing * self.n_items))

    def chance(self, labels: int, difference: float) -> float:
        """Chance that the interval of the difference excludes 0, exact for labels drawn uniformly.

        Parameters
        ----------
        labels : int
            M on items where the answers differ, from 1 to their number; more count as all of them.
        difference : float
            Δ of the accuracies on the whole pool, in [0, d].
        """
        m = min(labels, self.items)
        if m == self.items:
            return float(difference > 0)
        share, gap = self.discordant / self.differing, difference / self.differing
        ahead, behind = (min(share, 1.0) + gap) / 2, (min(share, 1.0) - gap) / 2
        better, worse = _counts(m, ahead), _counts(m, behind)
        mass = _mass(m, self.items, ahead, behind, better, worse)
        return float((mass * _detected(m, self.items, self.level, better, worse)).sum())

    def labels(self, difference: float) -> int:
        """Fewest labels with the wanted chance to detect a difference, but for the sawtooth of the chance.

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
        share, gap = self.discordant / self.differing, difference / self.differing
        start = connor_size(min(share, 1.0), min(gap, share, 1.0), self.level, self.power)
        start = max(2, math.floor(uniform_size(1 / start, 1.0, self.items)))
        if start > _EXACT_LABELS:
            return start
        low, high = 1, start
        while high < self.items and self.chance(high, difference) < self.power:
            low, high = high, min(high + max(4, high // 8), self.items)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self.chance(middle, difference) >= self.power else (middle, high)
        return high

    def detectable(self, labels: int) -> float:
        """Smallest difference that is detected with the wanted chance; d if even that is not.

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


def connor_size(discordant: float, difference: float, confidence: float = 0.95, power: float = 0.8) -> int:
    """Labels to detect a difference by the textbook's formula, two-sided, very many items.

    Parameters
    ----------
    discordant : float
        d, in (0, 1].
    difference : float
        Δ, in (0, d].
    confidence, power : float
        In (0, 1).

    Returns
    -------
    int
        ⌈((z √d + z_power √(d − Δ²))/Δ)²⌉, as calculators give it.

    Notes
    -----
    Connor 1987.
    """
    z, z_power = float(ndtri(0.5 + confidence / 2)), float(ndtri(power))
    root = z * math.sqrt(discordant) + z_power * math.sqrt(max(discordant - difference**2, 0.0))
    return max(1, math.ceil((root / difference) ** 2 - 1e-9))


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
        True even if an answer is not known.

    Raises
    ------
    DesignError
        The answers of a target are known nowhere.
    """
    one, other = (pool.target_classes(name, parser) for name in (first, second))
    for name, classes in ((first, one), (second, other)):
        if not np.any(classes >= 0):
            raise DesignError(f"No answer of “{name}” is in the pool. Add its answers to plan a comparison by them.")
    # Two answers that no generation gives are of one class without being the same, and no answer is none's equal.
    outside = pool.classes(parser).max(axis=1) + 1
    silent = np.array([answer is None for answer in pool.target_answers(first, parser)], dtype=bool)
    return np.asarray((one < 0) | (one != other) | (one >= outside) | silent)


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


def _counts(labels: int, share: float) -> NDArray[np.int64]:
    """Numbers of labels that are likely at a share: eight standard deviations around the mean."""
    middle, half = labels * share, 8 * math.sqrt(labels * share * (1 - share)) + 8
    return np.arange(max(0, math.floor(middle - half)), min(labels, math.ceil(middle + half)) + 1)


def _mass(
    labels: int, items: int, ahead: float, behind: float, better: NDArray[np.int64], worse: NDArray[np.int64]
) -> Array:
    """Probability of each pair of numbers: (multivariate) hypergeometric, or multinomial for very many items."""
    x, y = better[:, None], worse[None, :]
    counts = (x, y, labels - x - y)
    if items >= _VERY_MANY:
        return multinomial((ahead, behind, 1 - ahead - behind), counts)
    whole = [round(items * ahead), round(items * behind)]
    return hypergeometric((*whole, items - sum(whole)), counts)


def _detected(
    labels: int, items: int, confidence: float, better: NDArray[np.int64], worse: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Whether the limits of `core.estimation.contrasts.difference` for a uniform sample exclude 0, for each pair."""
    most = int(max(better[-1], worse[-1]))
    first = np.array(_first(labels, items, confidence, most + 1))
    x, y = better[:, None], worse[None, :]
    return np.asarray((x >= first[y]) | (y >= first[x]))


@lru_cache(maxsize=256)
def _first(labels: int, items: int, confidence: float, most: int) -> tuple[int, ...]:
    """Fewest labels of one kind that are shown to be more than 0, 1 … of the other, by bisection; labels + 1: never."""
    fewer, z = np.arange(most), float(ndtri(0.5 + confidence / 2))
    low, high = fewer, np.maximum(labels - fewer, fewer) + 1
    while np.any(high - low > 1):
        x = (low + high) // 2
        tallies = np.stack([fewer, labels - fewer - x, x], axis=-1)[:, None]
        model = working_model([0.0, 0.5, 1.0], np.maximum(tallies, 0), [labels], [items])
        step = np.where(x == labels - fewer, 1.0, 0.5)
        shown = (surprise(model, 0.5, step) > z) | (x - fewer > items - labels)
        low, high = np.where(shown, low, x), np.where(shown, x, high)
    return tuple(np.where(high > labels - fewer, labels + 1, high).tolist())
