"""Monte-Carlo trials of a stratified design, without drawing items where losses are 0/1.

The number of ones among m items drawn without replacement from N with K ones is hypergeometric, so a trial of a binary
pool costs one random number for each stratum (METHOD 5.2). The numbers come by inversion: a trial's uniform
number for a stratum depends only on (seed, stream, budget, stratum), so estimates move smoothly when a parameter does;
each method has a stream of its own, so that the methods' errors are independent.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

# Beyond so many standard deviations from the mean a hypergeometric tail is below 2⁻⁵³, the resolution of a uniform
# number.
_TAIL = 12.0
_CHUNK = 4_000_000
# Numbers of longer simulations are drawn anew each time: a thousand sets of these are 60 MB.
_KEPT_TRIALS = 5_000


def binary_trials(
    sizes: NDArray[np.int64],
    ones: NDArray[np.int64],
    allocation: NDArray[np.int64],
    trials: int,
    seed: int,
    stream: int = 0,
) -> NDArray[np.float64]:
    """Estimates (trials,) of the mean of a 0/1 population from stratified samples without replacement.

    ``sizes``, ``ones``, ``allocation``: (H,) int: N_h, number of ones, m_h. Each ``stream`` ≥ 0 is independent.
    """
    budget = int(allocation.sum())
    uniforms = _uniforms if trials <= _KEPT_TRIALS else _uniforms.__wrapped__
    estimates = np.zeros(trials)
    for stratum, (size, one, labels) in enumerate(zip(sizes.tolist(), ones.tolist(), allocation.tolist(), strict=True)):
        draws = _hypergeometric(size, one, labels, *uniforms(trials, seed, stream, budget, stratum))
        estimates += draws * (size / labels)
    return np.asarray(estimates / sizes.sum())


def prepare(budgets: Sequence[int], streams: int, strata: int, trials: int, seed: int) -> None:
    """Draw ahead the random numbers of these budgets, for ``streams`` streams and up to ``strata`` strata."""
    if trials <= _KEPT_TRIALS:
        for budget in budgets:
            for stream in range(streams):
                for stratum in range(strata if stream else 1):
                    _uniforms(trials, seed, stream, budget, stratum)


def drawn_trials(
    strata_losses: Sequence[NDArray[np.float64]],
    allocations: NDArray[np.int64],
    trials: int,
    seed: int,
    progress: Callable[[float], None] | None = None,
) -> NDArray[np.float64]:
    """Estimates (A, trials) for A allocations (A, H) of any losses, by drawing items.

    One random permutation for each trial and stratum serves every allocation: a stratum's sample of m items is the head
    of its permutation. ``progress`` is called with the share done.
    """
    n_items = sum(losses.size for losses in strata_losses)
    estimates = np.zeros((allocations.shape[0], trials))
    done = 0
    for stratum, losses in enumerate(strata_losses):
        rng = np.random.default_rng([seed, stratum])
        labels = allocations[:, stratum]
        step = max(1, _CHUNK // losses.size)
        for start in range(0, trials, step):
            stop = min(start + step, trials)
            shuffled = rng.permuted(np.broadcast_to(losses, (stop - start, losses.size)), axis=1)
            totals = np.cumsum(shuffled[:, : int(labels.max(initial=0))], axis=1)[:, labels - 1]
            estimates[:, start:stop] += (totals * (losses.size / labels)).T
            done += losses.size * (stop - start)
            if progress is not None:
                progress(done / (n_items * trials))
    return estimates / n_items


def _hypergeometric(
    size: int, ones: int, draws: int, ordered: NDArray[np.float64], rank: NDArray[np.int32]
) -> NDArray[np.float64]:
    """Hypergeometric numbers by inversion of uniforms given as their sorted values and the rank of each trial."""
    low, high = max(0, draws - (size - ones)), min(draws, ones)
    mean = draws * ones / size
    sd = np.sqrt(mean * (1 - ones / size) * (size - draws) / max(size - 1, 1))
    low, high = max(low, int(mean - _TAIL * sd) - 12), min(high, int(mean + _TAIL * sd) + 12)
    if low == high:
        return np.full(rank.size, float(low))
    x = np.arange(low, high, dtype=np.float64)
    steps = np.log((ones - x) * (draws - x) / ((x + 1) * (size - ones - draws + x + 1)))
    log_mass = np.concatenate([[0.0], np.cumsum(steps)])
    cumulative = np.cumsum(np.exp(log_mass - log_mass.max()))
    ends = np.searchsorted(ordered, cumulative[:-1] / cumulative[-1])
    bounds = np.empty(ends.size + 2, dtype=np.int64)
    bounds[0], bounds[1:-1], bounds[-1] = 0, ends, ordered.size
    counts = bounds[1:] - bounds[:-1]
    return np.repeat(np.arange(low, high + 1, dtype=np.float64), counts)[rank]


@lru_cache(maxsize=1024)
def _uniforms(
    trials: int, seed: int, stream: int, budget: int, stratum: int
) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """The uniform numbers of one stratum: sorted, and the rank of each trial's number."""
    rng = np.random.default_rng([seed, stream, budget, stratum])
    # Order statistics of uniforms are partial sums of exponentials over their total, and ranks are independent of them:
    # the same law as sorting, at a third of the time.
    sums = np.cumsum(rng.standard_exponential(trials + 1))
    ordered = sums[:-1] / sums[-1]
    rank = rng.permutation(trials).astype(np.int32)
    ordered.flags.writeable = rank.flags.writeable = False
    return ordered, rank
