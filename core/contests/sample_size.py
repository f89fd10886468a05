"""Labels that a contest will take, and the chance of each look to decide, before anybody labels.

The course to expect is followed once: strata and survivors of each wave as they will mostly be, limits of the labels to
expect. Estimates then vary around the true differences as the sampling makes them. Beside it uniform pairing: items
drawn from all, every model graded, the same limits at one look.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from .contest import LEAST_LABELS, Array, InterimLook, Mask, ModelContest, Wave, planned

# As `ModelContest.wave`.
_Draw: TypeAlias = Callable[[ModelContest, int, InterimLook | None, Mask], Wave]

_DRAWS = 2000
# Numbers of labels are found to this share.
_NEAR = 0.02
_TINY = 1e-12
# Rivals whose limits are followed.
_NEAREST = 4


@dataclass(frozen=True, slots=True)
class SampleSize:
    """Labels of a contest beside those of uniform pairing.

    Parameters
    ----------
    sizes : tuple of int
        Labels of each wave.
    chances : tuple of float
        Chance that the labels up to each look decide.
    uniform : int
        Labels with which uniform pairing decides as often as asked.
    power : float
        That chance.
    differing : int
        Items on which models differ, which decide exactly.
    """

    sizes: tuple[int, ...]
    chances: tuple[float, ...]
    uniform: int
    power: float
    differing: int

    @property
    def labels(self) -> int:
        """Labels of all waves, at most the items on which models differ."""
        return min(sum(self.sizes), self.differing)

    @property
    def expected(self) -> float:
        """Labels to expect: contests that are decided early take no more."""
        each = np.diff([0.0, *self.chances[:-1], 1.0])
        return float(each @ np.minimum(np.cumsum(self.sizes), self.differing))


def sample_size(
    contest: ModelContest, losses: Array, looks: int, power: float, gaps: Array | None = None
) -> SampleSize:
    """Find the labels with which a contest is decided as often as asked.

    Parameters
    ----------
    contest : ModelContest
        Its rule's sizes are ignored.
    losses : (N, K) float
        Of all items, as they are or as `likely_losses` imagines them.
    looks : int
        L.
    power : float
        Chance that the planned labels decide.
    gaps : (K,) float, optional
        acc_best − acc_k; by default those of the losses.
    """
    leader = int(losses.mean(axis=0).argmin())
    d = losses[:, [leader]] - losses
    theta = d.mean(axis=0) if gaps is None else -gaps
    differing = int(contest.differing(np.ones(len(theta), dtype=bool)).sum())

    def by_waves(total: int) -> tuple[float, ...]:
        return _chances(planned(contest, total, looks), d, theta, leader, ModelContest.wave)

    def uniformly(total: int) -> tuple[float, ...]:
        return _chances(planned(contest, total, 1), d, theta, leader, _uniform)

    total = _least(lambda labels: by_waves(labels)[-1] >= power, LEAST_LABELS, differing)
    uniform = _least(lambda labels: uniformly(labels)[-1] >= power, LEAST_LABELS, contest.n_items)
    one = planned(contest, total, looks)
    return SampleSize(one.rule.sizes, by_waves(total), uniform, power, differing)


def likely_losses(contest: ModelContest, seed: int = 0) -> Array:
    """Imagine which answers are right, from the chances that they are, (N, K)."""
    answers, chances = contest.answers, contest.chances
    same = (answers[:, :, None] == answers[:, None, :]).sum(axis=2)
    through = np.cumsum(chances / same, axis=1)
    below = np.random.default_rng(seed).random(len(answers))[:, None] < through
    right = np.take_along_axis(answers, below.argmax(axis=1)[:, None], axis=1)
    return np.where((answers == right) & below.any(axis=1, keepdims=True), 0.0, 1.0)


def _least(enough: Callable[[int], bool], low: int, high: int) -> int:
    """Return the least number that is enough, to a per cent; the highest one is."""
    low = min(low, high)
    if enough(low):
        return low
    while high - low > max(1, _NEAR * low):
        middle = round((low * high) ** 0.5)
        middle = min(max(middle, low + 1), high - 1)
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _uniform(contest: ModelContest, number: int, last: InterimLook | None, earlier: Mask) -> Wave:
    """Return a wave of items drawn from all."""
    n, labels = contest.n_items, min(contest.rule.sizes[0], contest.n_items)
    one, everyone = np.zeros(n, dtype=np.int64), np.ones(len(contest.rule.models), dtype=bool)
    return Wave(one, np.array([n]), np.array([labels]), np.arange(labels), np.zeros(n, dtype=bool), everyone)


def _chances(contest: ModelContest, d: Array, theta: Array, leader: int, draw: _Draw) -> tuple[float, ...]:
    """Return the chance that the labels up to each look decide for the leader."""
    rule, rng = contest.rule, np.random.default_rng(0)
    n_models = theta.size
    # The nearest rivals decide when; the others are out no later.
    rest = np.delete(np.arange(n_models), leader)
    near = rest[np.argsort(-theta[rest], kind="stable")[:_NEAREST]]
    waves, draws, spreads, decided = list[Wave](), list[Array](), list[Array](), np.zeros(_DRAWS, dtype=bool)
    last, earlier, chances = None, np.zeros(contest.n_items, dtype=bool), list[float]()
    for number in range(1, len(rule.sizes) + 1):
        wave = draw(contest, number, last, earlier)
        waves.append(wave)
        spreads.append(_covariance(wave, d[:, near]))
        draws.append(rng.multivariate_normal(theta[near], spreads[-1], _DRAWS, method="eigh"))
        out_at = np.zeros(n_models, dtype=np.int64) if last is None else last.out_at.copy()
        rivals = near[out_at[near] == 0]
        exact = int((wave.sizes - wave.counts).sum()) == 0
        if exact:
            chances += [1.0] * (len(rule.sizes) - number + 1)
            break
        share = np.array(rule.sizes[:number]) / sum(rule.sizes[:number])
        left = out_at[near] == 0
        found = np.tensordot(share, draws, 1)[:, left]
        # Limits of the nearest rival; those of the others are as many standard errors away.
        errors = np.sqrt(share**2 @ [one.diagonal() for one in spreads])[left]
        nearest = [int(np.where(errors > 0, theta[rivals], -np.inf).argmax())]
        above = contest.above(waves, d[:, rivals[nearest]]) * errors / max(errors[nearest[0]], _TINY)
        decided |= (found + above < rule.within).all(axis=1)
        chances.append(float(decided.mean()))
        out_at[rivals[theta[rivals] + above < 0]] = number
        far = (out_at == 0) & (theta < theta[near].min()) & (out_at[near] > 0).any()
        out_at[far] = number
        zeros = np.zeros(n_models)
        last = InterimLook(leader, theta, zeros, zeros, out_at, False, number)
        earlier = earlier.copy()
        earlier[wave.order] = True
    return tuple(chances)


def _covariance(wave: Wave, d: Array) -> Array:
    """Return the covariance of the wave's estimates of the differences, (K, K)."""
    places = wave.places
    part, own = d[places], wave.stratum[places]
    factor = wave.sizes**2 * (1 - wave.counts / wave.sizes) / wave.counts / np.maximum(wave.sizes - 1, 1) / len(d) ** 2
    means = np.array([np.bincount(own, column, wave.sizes.size) for column in part.T]).T / wave.sizes[:, None]
    apart = part - means[own]
    return np.asarray((apart * factor[own][:, None]).T @ apart)
