"""From several runs of each item to an estimate: accuracy to expect, pass@k, pass^k.

A target that answers differently each time succeeds on item i with probability p_i in one run. The accuracy to expect
is the mean of p_i over the pool, pass@k that of 1 − (1 − p_i)^k (some of k tries succeeds), pass^k that of p_i^k (all
do). Of r_i runs c_i succeed; with U_k(x, r) = C(x, k)/C(r, k) an item's unbiased values are c/r = U_1(c, r),
1 − U_k(r − c, r) and U_k(c, r).

The variance has two stages, items and runs: V̂ = Σ W_h² [(1 − f_h) s_h² + f_h ŵ]/m_h, with s_h² that of the items'
values, which contains the runs' noise, and ŵ the noise's part of it. Of one item it is U_k(x, r)² − U_2k(x, r), without
bias; with fewer than 2k runs it is not known, and no finite-population correction is made, which is never too short.

Source: Cochran 1977, 10.3; Chen et al. 2021 (pass@k); Yao et al. 2024 (pass^k).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import DesignError
from .intervals import DEFAULT, Interval
from .mean import LONELY, Estimate, Sample, sample, tallied

Array = NDArray[np.float64]

MEAN, SOME, ALL = "accuracy", "pass@k", "pass^k"
MEASURES = (MEAN, SOME, ALL)
RUNS = ", two stages: items and their runs"
# One imagined item whose runs vary most keeps runs that happen to agree from saying that all of them always would.
_IMAGINED = 1.0
_MOST = 0.25
# A share above 0, however small, of a variance that runs give.
_LEAST = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class ItemRuns:
    """Runs of labelled items and how many of each succeeded.

    Parameters
    ----------
    right : (M,) int
        c_i, runs that succeeded.
    total : (M,) int
        r_i ≥ 1, runs with a verdict.

    Raises
    ------
    DesignError
        Numbers that are not whole, an item without a run, or more successes than runs.
    """

    right: NDArray[np.int64]
    total: NDArray[np.int64]

    def __post_init__(self) -> None:
        right, total = (np.asarray(x) for x in (self.right, self.total))
        if right.shape != total.shape or right.ndim != 1:
            raise DesignError(f"There are {right.size} numbers of successes and {total.size} of runs: give both.")
        if any(x.size and not np.array_equal(x, np.rint(x)) for x in (right, total)):
            raise DesignError("Successes and runs are counted: give whole numbers.")
        wrong = np.flatnonzero((total < 1) | (right < 0) | (right > total))
        if wrong.size:
            at = int(wrong[0])
            raise DesignError(
                f"{wrong.size} of {total.size} items have no run, or more successes than runs. The first is item "
                f"{at}, with {right[at]} successes of {total[at]} runs."
            )
        object.__setattr__(self, "right", right.astype(np.int64))
        object.__setattr__(self, "total", total.astype(np.int64))

    @classmethod
    def of(cls, losses: ArrayLike) -> ItemRuns:
        """Count the runs of items by their losses, (M, R), 0 or 1; NaN for none."""
        values = np.asarray(losses, dtype=np.float64)
        return cls((values == 0).sum(axis=1), np.isfinite(values).sum(axis=1))

    @property
    def flips(self) -> NDArray[np.bool_]:
        """Whether some runs of an item succeeded and some failed, (M,)."""
        return np.asarray((self.right > 0) & (self.right < self.total))

    def losses(self, measure: str = MEAN, tries: int = 1) -> Array:
        """Return the unbiased loss of each item, (M,), in [0, 1]; NaN with fewer runs than tries.

        Parameters
        ----------
        measure : str
            One of `MEASURES`.
        tries : int
            k ≥ 1; of "accuracy" it is 1.
        """
        k = _tries(measure, tries)
        if measure == ALL:
            return 1 - _share(self.right, self.total, k)
        return _share(self.total - self.right, self.total, k)

    def noise(self, measure: str = MEAN, tries: int = 1) -> Array:
        """Return the unbiased variance of each item's loss that its runs give, (M,); NaN with fewer than 2k runs.

        It may be below 0 for k > 1.
        """
        k = _tries(measure, tries)
        of = self.right if measure == ALL else self.total - self.right
        return _share(of, self.total, k) ** 2 - _share(of, self.total, 2 * k)


@dataclass(frozen=True, slots=True, eq=False)
class RunsSample:
    """A stratified sample of items with their runs, as one measure sees it.

    Parameters
    ----------
    items : Sample
        The items' losses, with the strata and sizes.
    share : float
        Share of the variance of an item's loss that its runs give, in (0, 1]; 1 where items have too few runs to tell.
    known : bool
        Whether the runs tell of it.
    left_out : int
        Items with fewer runs than tries, which do not count.
    """

    items: Sample
    share: float
    known: bool
    left_out: int

    @property
    def variance(self) -> float:
        """V̂ = Σ W_h² [(1 − f_h) + f_h share] s_h²/m_h."""
        counts, sizes = self.items.counts, self.items.sizes
        part = counts / sizes
        terms = (sizes / sizes.sum()) ** 2 * ((1 - part) + part * self.share) * self.items.variances / counts
        return float(terms.sum())

    def estimate(self, interval: Interval = DEFAULT) -> Estimate:
        """Estimate the mean loss to expect of the pool, whatever its runs happen to give."""
        items, method = self.items, interval.method + RUNS
        error = math.sqrt(self.variance) if not math.isnan(self.variance) else math.nan
        value = min(max(items.value, 0.0), 1.0)
        if math.isnan(error):
            return Estimate(value, error, 0.0, 1.0, items.n_labels, LONELY)
        values, kinds = np.unique(items.losses, return_inverse=True)
        tallies = tallied(items.strata, kinds, items.sizes.size, values.size)[None]
        limits = interval.of_labels(values, tallies, items.counts, items.sizes, noise=self.share)
        low, high = min(float(limits.low[0]), value), max(float(limits.high[0]), value)
        return Estimate(value, error, low, high, items.n_labels, method)


def runs_sample(runs: ItemRuns, strata: ArrayLike, sizes: ArrayLike, measure: str = MEAN, tries: int = 1) -> RunsSample:
    """Return the sample of items that `expected` estimates from; the same parameters and errors."""
    losses, stratum = runs.losses(measure, tries), np.asarray(strata)
    if losses.shape != stratum.shape:
        raise DesignError(f"There are {losses.size} items with runs and {stratum.size} strata: give one for each.")
    enough = ~np.isnan(losses)
    items = sample(losses[enough], stratum[enough], sizes)
    noise = runs.noise(measure, tries)[enough]
    known = not np.isnan(noise).any()
    return RunsSample(
        items, _share_of_runs(items, noise, runs.total[enough]) if known else 1.0, known, int((~enough).sum())
    )


def expected(
    runs: ItemRuns,
    strata: ArrayLike,
    sizes: ArrayLike,
    measure: str = MEAN,
    tries: int = 1,
    interval: Interval = DEFAULT,
) -> Estimate:
    """Estimate the mean loss to expect of a target that answers differently each time.

    Parameters
    ----------
    runs : ItemRuns
        Of the M labelled items.
    strata : (M,) int
        Their strata, 0 … H−1.
    sizes : (H,) int
        Items N_h of each stratum in the pool. Every stratum needs an item with at least ``tries`` runs.
    measure : str
        "accuracy" (the loss is its complement), "pass@k" or "pass^k".
    tries : int
        k of the last two.
    interval : Interval
        How limits are made, bounded.

    Returns
    -------
    Estimate
        Of the losses; with all items labelled, what their runs leave open remains.

    Raises
    ------
    DesignError
        As `core.estimation.mean.stratified`; an unknown measure, or fewer than one try.
    """
    return runs_sample(runs, strata, sizes, measure, tries).estimate(interval)


def expected_difference(new: ItemRuns, old: ItemRuns, interval: Interval = DEFAULT) -> Estimate:
    """Estimate the mean loss to expect of one target less that of another one, of which all items have graded runs.

    Parameters
    ----------
    new, old : ItemRuns
        Runs of the same N items.
    interval : Interval
        How limits are made, bounded.

    Notes
    -----
    An item's d = ȳ_old − ȳ_new has the noise of both; of (d + 1)/2, a loss in [0, 1], it is a quarter of their sum.
    """
    gaps = new.losses() - old.losses()
    items = sample((gaps + 1) / 2, np.zeros(gaps.size, dtype=np.int64), [gaps.size])
    noise = (new.noise() + old.noise()) / 4
    known, runs = not np.isnan(noise).any(), 4 / (1 / new.total + 1 / old.total)
    one = RunsSample(items, _share_of_runs(items, noise, runs) if known else 1.0, known, 0).estimate(interval)
    ends = (2 * x - 1 for x in (one.value, one.low, one.high))
    value, low, high = ends
    labels = int(new.total.sum() + old.total.sum())
    return Estimate(value, 2 * one.standard_error, low, high, labels, one.method)


def runs_per_item(item_cost: float, run_cost: float, between: float, within: float, runs: int = 1) -> float:
    """Return how many runs of each item give the smallest variance for their price; ∞ where only runs vary.

    Parameters
    ----------
    item_cost, run_cost : float
        Price of an item, whatever its runs, and of one more run.
    between : float
        Variance of the items' means, of so many runs each.
    within : float
        Variance of one run of an item, averaged over the items.
    runs : int
        r, of ``between``.

    Notes
    -----
    Cochran 1977, 10.6: √(cost of an item/cost of a run) √(S_w²/(S_b² − S_w²/r)).
    """
    true = between - within / runs
    if within <= 0:
        return 1.0
    return max(1.0, math.sqrt(item_cost / run_cost * within / true)) if true > 0 else math.inf


def _share_of_runs(items: Sample, noise: Array, total: NDArray[np.int64] | Array) -> float:
    """Return the share of the variance inside strata that runs give, with one imagined item whose runs vary most."""
    labels, df = items.n_labels, max(items.df, 1)
    squares = float((items.variances * np.maximum(items.counts - 1, 0)).sum())
    runs = (float(noise.sum()) + _IMAGINED * _MOST / float(np.mean(total))) / (labels + _IMAGINED)
    all_of_it = (squares + _IMAGINED * _MOST) / (df + _IMAGINED)
    return float(np.clip(runs / all_of_it, _LEAST, 1.0))


def _tries(measure: str, tries: int) -> int:
    if measure not in MEASURES:
        raise DesignError(f"There is no measure called “{measure}”. Choose one of {', '.join(MEASURES)}.")
    if tries < 1:
        raise DesignError(f"The number of tries must be at least 1. Found {tries}.")
    return 1 if measure == MEAN else tries


def _share(some: NDArray[np.int64], total: NDArray[np.int64], k: int) -> Array:
    """Return C(x, k)/C(r, k), (M,); NaN where r < k."""
    x, r = some.astype(np.float64), total.astype(np.float64)
    steps = np.arange(k)[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.maximum(x - steps, 0.0) / (r - steps)
    return np.where(total >= k, np.prod(ratio, axis=0), math.nan)
