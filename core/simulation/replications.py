"""Simulated rounds of labelling: many stratified samples at once, and designs drawn again and again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import astuple, dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from ..design.design import Design, Plan
from ..design.losses import pool_losses
from ..design.sampling import permanent_random_numbers, sampled_positions
from ..design.scheme import pool_profile, whole
from ..design.two_waves import Kinds, joined, second_strata
from ..errors import DesignError
from ..estimation.intervals import DEFAULT, Interval, Limits, within_pool
from ..estimation.variance import satterthwaite, stratum_variances, variance_terms
from ..pool.outcomes import in_unit
from ..pool.pool import Pool
from ..stratification.profiles import Stratification

if TYPE_CHECKING:
    from ..estimation.waves import Waves

Array = NDArray[np.float64]

# Relative error of a sum of doubles.
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Samples:
    """T stratified samples of one allocation.

    Parameters
    ----------
    counts, sizes : (H,) int
        Labels m_h and items N_h.
    means : (T, H) float
        Mean losses ℓ̄_h.
    squares : (T, H) float
        Sums of squares Σ (ℓ − ℓ̄_h)².
    losses : (T, H, S) float, optional
        The losses themselves, NaN beyond m_h. Tilted limits need them unless all are 0 or 1.
    """

    counts: NDArray[np.int64]
    sizes: NDArray[np.int64]
    means: Array
    squares: Array
    losses: Array | None = None

    @property
    def known(self) -> bool:
        """Whether the labels give a variance: not with one label in each of several items' strata."""
        return bool(np.any(self.counts > 1) or np.all(self.counts == self.sizes))

    def estimates(self, interval: Interval = DEFAULT) -> pd.DataFrame:
        """Estimates of the samples, each as `core.estimation.mean.Sample.estimate`.

        Returns
        -------
        DataFrame
            One row a sample: value, standard_error, low, high.

        Raises
        ------
        ValueError
            Limits are to be tilted, and losses between 0 and 1 are not given.
        """
        variances = stratum_variances(self.counts, self.squares, (self.counts == 1) & (self.sizes > 1))
        terms = variance_terms(self.counts, variances, self.sizes)
        value, variance = self.means @ self.sizes / self.sizes.sum(), terms.sum(axis=-1)
        error, labels = np.sqrt(variance), int(self.counts.sum())
        if np.array_equal(self.counts, self.sizes):
            return pd.DataFrame({"value": value, "standard_error": 0.0, "low": value, "high": value})
        df: Array | int = labels - self.sizes.size
        if interval.bounded:
            value = np.clip(value, 0.0, 1.0)
        else:
            df = satterthwaite(terms, np.maximum(self.counts - 1, 1))
        tilted = interval.tilted and self.known
        limits = self._tilted(interval) if tilted else interval.limits(value, variance, labels, df)
        if self.known and interval.bounded and interval.name != "wald":
            total = self.means @ self.counts
            # Σ ℓ² is Σ ℓ for losses of 0 and 1, and below it if one lies between.
            binary = total - (self.squares + self.counts * self.means**2).sum(axis=-1) <= _ROUNDING * labels
            limits = within_pool(limits, value, total, labels, int(self.sizes.sum()), binary)
        return pd.DataFrame({"value": value, "standard_error": error, "low": limits.low, "high": limits.high})

    def _tilted(self, interval: Interval) -> Limits:
        if self.losses is not None:
            values, tallies = _tallies(self.losses)
            return interval.of_labels(values, tallies, self.counts, self.sizes)
        ones = np.rint(self.means * self.counts)
        if np.abs(self.means * self.counts - ones).max() > _ROUNDING * self.counts.max():
            raise ValueError("Tilted limits of losses between 0 and 1 need the losses.")
        # Of simulated samples many are alike.
        shown, which = np.unique(ones, axis=0, return_inverse=True)
        tallies = np.stack([self.counts - shown, shown], axis=-1)
        limits = interval.of_labels([0.0, 1.0], tallies, self.counts, self.sizes)
        return Limits(limits.low[which.ravel()], limits.high[which.ravel()])


def _tallies(losses: Array) -> tuple[Array, Array]:
    """Return values and how many labels have each, from losses (T, H, S) with NaN: a few levels, or one a label."""
    given = ~np.isnan(losses)
    levels = np.unique(losses[given])
    if levels.size > losses.shape[-1]:
        return np.where(given, losses, 0.0), given.astype(np.float64)
    return levels, np.stack([(losses == level).sum(axis=-1) for level in levels], axis=-1).astype(np.float64)


# Numbers in one array of a block of rounds.
_CELLS = 2_000_000
# Rounds in two waves whose limits are found at once.
_TOGETHER = 500


def rounds(
    design: Design,
    pool: Pool,
    losses: Mapping[str, float] | pd.Series | ArrayLike,
    trials: int = 1000,
    seed: int = 0,
    confidence: float = 0.95,
) -> pd.DataFrame:
    """Estimates of simulated rounds of labelling: draw, label, estimate.

    Round t is ``design.draw(pool, seed=round_seeds(trials, seed)[t]).estimate(losses, confidence)``, without making
    each plan. Of a design in two waves it is the estimate of the second wave's plan, drawn after the first is labelled.

    Parameters
    ----------
    design : Design
        What is drawn; its own seed is not used.
    pool : Pool
        A pool with generations.
    losses : (N,) float over the pool, or Series or mapping of item id → loss
        Finite losses of all items: 0 = right, 1 = wrong, or any number. Limits are those of losses in [0, 1] if all
        of them are.
    trials : int
        Rounds, at least 1.
    seed : int
        At least 0; equal arguments give equal rounds.
    confidence : float
        In (0, 1).

    Returns
    -------
    DataFrame
        One row a round: value, standard_error, low, high.

    Raises
    ------
    DesignError
        An unknown loss, numbers of losses and items that differ, a parameter out of its range, or as `Design.draw`.
    PoolError
        The pool has no generations.
    """
    # Here, so that exact errors do not wait for SciPy.
    from ..estimation.intervals import Interval

    seeds = round_seeds(trials, seed)
    pool.check_unweighted("A simulated round")
    plan = design.draw(pool, seed=0)
    loss = pool_losses(losses, plan.pool_ids)
    if not np.isfinite(loss).all():
        unknown = int((~np.isfinite(loss)).sum())
        raise DesignError(
            f"{unknown:,} of {loss.size:,} losses are unknown. A simulated round needs the loss of every item."
        )
    interval = Interval(confidence=confidence, bounded=in_unit(loss))
    if design.scheme.in_waves:
        return _rounds_in_waves(plan, pool, loss, seeds, interval)
    means, squares = np.empty((trials, plan.allocation.size)), np.empty((trials, plan.allocation.size))
    labelled = None
    if not np.isin(loss, (0.0, 1.0)).all():
        labelled = np.full((trials, plan.allocation.size, int(plan.allocation.max())), np.nan)
    for block, numbers in _blocks(seeds, loss.size):
        for h, labels in enumerate(plan.allocation.tolist()):
            member = np.flatnonzero(plan.stratum == h)
            drawn = loss[member][_smallest(numbers[:, member], labels)]
            means[block, h], squares[block, h] = _means_and_squares(drawn)
            if labelled is not None:
                labelled[block, h, :labels] = drawn
    return Samples(plan.allocation, plan.strata.sizes, means, squares, labelled).estimates(interval)


def _rounds_in_waves(
    plan: Plan, pool: Pool, losses: NDArray[np.float64], seeds: NDArray[np.integer], interval: Interval
) -> pd.DataFrame:
    """Estimates of both waves of each round; the strata of the first are the plan's."""
    from ..estimation.waves import estimates_in_waves

    design, n_items = plan.design, losses.size
    profile = pool_profile(pool, design.scheme, design.risk)
    kinds, turns, least = Kinds.of(profile), design.turns(plan.strata), plan.positions.size

    roomy = dict[int, NDArray[np.int64]]()

    def turns_after(strata: Stratification) -> NDArray[np.int64]:
        """Turns of a second wave, the same for all strata that have room for them."""
        count = strata.n_strata
        if count not in roomy:
            sizes = np.r_[least, np.full(count - 1, design.budget)]
            roomy[count] = design.turns(replace(strata, sizes=sizes), second=True)
        fits = np.bincount(roomy[count], minlength=count) <= strata.sizes
        return roomy[count] if fits.all() else design.turns(strata, second=True)

    def drawn(seed: int) -> Waves:
        places = sampled_positions(plan.stratum, turns, plan.allocation, permanent_random_numbers(seed, n_items))
        strata = second_strata(
            profile, places, losses[places], design.budget - least, design.scheme.n_strata, design.scheme.floor, kinds
        )
        more = turns_after(strata)
        labels = np.bincount(more, minlength=strata.n_strata)
        later = sampled_positions(strata.of_level, more, labels, permanent_random_numbers(seed, n_items, wave=2))
        positions = np.r_[places, later[strata.of_level[later] > 0]]
        first, second = (plan.stratum, plan.strata.sizes), (strata.of_level, strata.sizes)
        return joined(first, second, positions, losses[positions], least / design.budget, interval.bounded)

    columns, each = ["value", "standard_error", "low", "high"], seeds.tolist()
    estimates = [
        astuple(one)[: len(columns)]
        for start in range(0, len(each), _TOGETHER)
        for one in estimates_in_waves(map(drawn, each[start : start + _TOGETHER]), interval)
    ]
    return pd.DataFrame(estimates, columns=columns)


def round_seeds(trials: int, seed: int) -> NDArray[np.integer]:
    """Seeds of the rounds, (trials,) int."""
    return np.random.SeedSequence(whole("seed", seed, 0)).generate_state(whole("number of trials", trials, 1))


def _blocks(seeds: NDArray[np.integer], n_items: int) -> Iterator[tuple[slice, NDArray[np.uint64]]]:
    """Blocks of rounds that fit into memory, and the items' random numbers in each of their rounds, (rounds, N)."""
    step = max(1, _CELLS // n_items)
    for start in range(0, seeds.size, step):
        block = slice(start, min(start + step, seeds.size))
        yield block, np.stack([permanent_random_numbers(int(one), n_items) for one in seeds[block]])


def _smallest(numbers: NDArray[np.uint64], count: int) -> NDArray[np.int64]:
    """Places of the ``count`` smallest numbers of each row, ascending."""
    places = np.argpartition(numbers, count - 1, axis=1)[:, :count]
    order = np.argsort(np.take_along_axis(numbers, places, axis=1), axis=1)
    return np.take_along_axis(places, order, axis=1)


def _means_and_squares(losses: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Mean and sum of squares of each row, summed one by one from its last loss as in a single sample."""
    deviations = losses - losses[:, -1:]
    shifts = np.cumsum(deviations, axis=1)[:, -1] / losses.shape[1]
    squares = np.cumsum((deviations - shifts[:, None]) ** 2, axis=1)[:, -1]
    return losses[:, -1] + shifts, squares
