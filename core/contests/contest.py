"""The contest of K models: which items tell them apart, the labels of each wave, and what they decide.

With d_k = ℓ_A − ℓ_k, the loss of the leader A less that of a rival, acc_k − acc_A is the mean of d_k over the pool. d_k
is 0 where both gave the same answer: items on which all survivors agree are never labelled. Elsewhere one of the two
at most is right, and E d² = p_A + p_k with p the chance that an answer is right. A wave draws two labels in each of
strata of equal mass. The mass of an item is √ of the largest E d² − (E d)²/2 of a rival, weighed by how near that rival
is (half, since chances are guesses).

Later waves draw from what survivors still differ on. The estimate is Σ w_j θ̂_j with w_j fixed by the planned sizes;
θ̂_j takes what was labelled before wave j as known, and what survivors agreed on as 0.

Decision (multiple comparisons with the best, Hsu 1981), at each of L planned looks:

    A is within ε of the best  iff  the upper limit of acc_k − acc_A is below ε for every survivor k
    k is out                   iff  the upper limit of acc_k − acc_A is below 0

with one-sided tails at α/(L (K − 1)): only the tails of the true best can err. If ε = 0 the claim is strict, A is
better than all others, and tails are at α/(L K), since of equal models either may be called. docs/models.md.
"""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..design.sampling import in_turn, permanent_random_numbers, sampled_positions
from ..design.scheme import Scheme, probabilities, whole
from ..errors import DesignError
from ..estimation.intervals import Interval, Limits
from ..stratification.equal_mass import fine_strata
from ..stratification.profiles import EQUAL_MASS, signal_profile

Array = NDArray[np.float64]
Whole = NDArray[np.int64]
Mask = NDArray[np.bool_]

LEAST_LABELS = 20
MOST_LOOKS = 10
# An item on which survivors differ weighs at least this, beside 1 for the one that tells most.
_FLOOR = 0.25
# Of gaps between models, so that equal ones weigh something.
_LEAST_GAP = 0.002
_SEEDS = 2**31
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class SelectionRule:
    """All that is fixed before the first label.

    Parameters
    ----------
    models : tuple of str
        K ≥ 2 of them.
    within : float
        ε in [0, 1), in accuracy: 0.01 is one point; 0 asks for the one that is better than all others.
    confidence : float
        1 − α, in (0.5, 1).
    sizes : tuple of int
        Planned labels of each of the L waves; after each one the labels are looked at.
    seed : int
        Of the lists.

    Raises
    ------
    DesignError
        A number is out of its range, or a model is named twice.
    """

    models: tuple[str, ...]
    within: float = 0.01
    confidence: float = 0.95
    sizes: tuple[int, ...] = (LEAST_LABELS,)
    seed: int = 0

    def __post_init__(self) -> None:
        if len(self.models) < 2 or len({*self.models}) < len(self.models):
            raise DesignError("Give two models or more to choose among, each once.")
        if not 0 <= self.within < 1:
            raise DesignError(f"“Within” must lie between 0 and 1, such as 0.01 for one point. Found {self.within:g}.")
        if not 0.5 < self.confidence < 1:
            raise DesignError(f"The confidence must lie between 0.5 and 1, such as 0.95. Found {self.confidence:g}.")
        if not 1 <= len(self.sizes) <= MOST_LOOKS:
            raise DesignError(f"Plan 1 to {MOST_LOOKS} looks. Found {len(self.sizes)}.")
        for size in self.sizes:
            whole("number of labels of a wave", size, 1)
        whole("seed", self.seed, 0)

    @property
    def tail(self) -> float:
        """The one-sided tail of each contrast at each look."""
        ways = len(self.models) - 1 if self.within else len(self.models)
        return (1 - self.confidence) / (ways * len(self.sizes))

    def wave_seed(self, number: int, answers: str = "") -> int:
        """Seed of a wave's list: another rule, or other answers, draw another list."""
        document = [*self.models, self.within, self.confidence, *self.sizes, self.seed, number, answers]
        return int.from_bytes(hashlib.sha256(json.dumps(document).encode()).digest()[:4]) % _SEEDS


@dataclass(frozen=True, slots=True, eq=False)
class Wave:
    """The items of a wave's list.

    Parameters
    ----------
    stratum : (N,) int
        Stratum of each item that may be drawn; −1 of the others.
    sizes, counts : (H,) int
        Items and labels of each stratum.
    order : (m,) int
        Places of the listed items, in labelling order.
    earlier : (N,) bool
        Items that earlier waves had listed.
    survivors : (K,) bool
        Models that are left.
    risk : (n,) float
        What the items that may be drawn are sorted by, of which √(q(1 − q)) is their mass.
    seed : int
        Of the list.
    """

    stratum: Whole
    sizes: Whole
    counts: Whole
    order: Whole
    earlier: Mask
    survivors: Mask
    risk: tuple[float, ...] = ()
    seed: int = 0

    @property
    def places(self) -> Whole:
        """Places of the items that may be drawn, (n,)."""
        return np.flatnonzero(self.stratum >= 0)


@dataclass(frozen=True, slots=True, eq=False)
class InterimLook:
    """State of a contest by the labels of all waves up to one.

    Parameters
    ----------
    leader : int
        A, the model with the highest estimate.
    value, low, high : (K,) float
        acc_k − acc_A with its limits, each side at the tail of the rule; of models that dropped out earlier those of
        their last look, against the leader of that look.
    out_at : (K,) int
        Number of the look, from 1, after which a model was out; 0 of survivors.
    decided : bool
        Whether the leader is claimed.
    number : int
        Of the look, from 1.
    """

    leader: int
    value: Array
    low: Array
    high: Array
    out_at: Whole
    decided: bool
    number: int

    @property
    def survivors(self) -> Mask:
        """Models that are left, the leader among them, (K,)."""
        return np.asarray(self.out_at == 0)


@dataclass(frozen=True, slots=True, eq=False)
class Course:
    """The waves so far, each with its look if its list is labelled.

    Parameters
    ----------
    waves : tuple of Wave
        The last one may wait for labels.
    looks : tuple of InterimLook
        Of the waves whose lists are labelled.
    waiting : (w,) int
        Places of the listed items without a label, in labelling order.
    """

    waves: tuple[Wave, ...]
    looks: tuple[InterimLook, ...]
    waiting: Whole


@dataclass(frozen=True, slots=True, eq=False)
class ModelContest:
    """K models and their answers to N items.

    Parameters
    ----------
    answers : (N, K) int
        Codes of answers: equal where models gave the same one.
    chances : (N, K) float
        p, the chance that a model's answer is right as far as is known before labels.
    rule : SelectionRule
        What is fixed.
    groups : (N,) int, optional
        Groups of items, which strata keep together if they can.
    digest : str
        Of answers and chances, on which lists depend; by default it is computed.
    """

    answers: Whole
    chances: Array
    rule: SelectionRule
    groups: Whole | None = None
    digest: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        if not self.digest:
            content = (np.ascontiguousarray(one).tobytes() for one in (self.answers, np.round(self.chances, 6)))
            object.__setattr__(self, "digest", hashlib.sha256(b"".join(content)).hexdigest())

    @property
    def n_items(self) -> int:
        """N."""
        return len(self.answers)

    def differing(self, survivors: ArrayLike) -> Mask:
        """Whether not all of some models gave the same answer, (N,)."""
        some = self.answers[:, np.asarray(survivors)]
        return np.asarray((some != some[:, :1]).any(axis=1))

    @property
    def expected(self) -> Array:
        """Accuracy of each model as far as the chances know it, (K,)."""
        return np.asarray(self.chances.mean(axis=0))

    def risk(self, leader: int, survivors: Mask, gaps: Array) -> Array:
        """Risk q that sorts the items and gives their mass √(q(1 − q)), (N,).

        Items that speak for the leader lie above ½ and those that speak for the rival that weighs most below.

        Parameters
        ----------
        leader : int
            A.
        survivors : (K,) bool
            Models that are left.
        gaps : (K,) float
            acc_A − acc_k, as far as it is known.
        """
        rivals = np.flatnonzero(survivors & (np.arange(survivors.size) != leader))
        room = np.maximum(gaps[rivals], 0.0) + max(self.rule.within, _LEAST_GAP)
        differs = self.answers[:, rivals] != self.answers[:, [leader]]
        own, others = self.chances[:, [leader]], self.chances[:, rivals]
        square = np.where(differs, own + others - (own - others) ** 2 / 2, 0.0) * (room.min() / room) ** 2
        at = square.argmax(axis=1)
        mass = np.sqrt(np.take_along_axis(square, at[:, None], axis=1)[:, 0]) + _FLOOR
        part = np.minimum(mass / (1 + _FLOOR), 1.0)
        q = (1 - np.sqrt(1 - part**2)) / 2
        ahead = own[:, 0] >= np.take_along_axis(others, at[:, None], axis=1)[:, 0]
        return np.asarray(np.where(ahead, 1 - q, q))

    def wave(self, number: int, last: InterimLook | None, earlier: Mask) -> Wave:
        """Draw the list of a wave.

        Parameters
        ----------
        number : int
            From 1; the one after the planned ones has all items that are left.
        last : InterimLook or None
            Of the wave before.
        earlier : (N,) bool
            Items that earlier waves had listed.
        """
        everyone = np.ones(len(self.rule.models), dtype=bool)
        survivors = everyone if last is None else last.survivors
        gaps = self.expected.max() - self.expected if last is None else -last.value
        leader = int(self.expected.argmax()) if last is None else last.leader
        places = np.flatnonzero(self.differing(survivors) & ~earlier)
        stratum, none = np.full(self.n_items, -1, dtype=np.int64), np.empty(0, dtype=np.int64)
        if not places.size:
            return Wave(stratum, none, none, none, earlier, survivors)
        planned = self.rule.sizes[number - 1] if number <= len(self.rule.sizes) else places.size
        labels = min(planned, places.size)
        q = probabilities(self.risk(leader, survivors, gaps)[places])
        scheme = scheme_of(labels, places.size)
        known = np.asarray(q)
        groups = None if self.groups is None else np.unique(self.groups[places], return_inverse=True)[1]
        profile = signal_profile(known, np.full(places.size, math.nan), known, groups)
        strata = scheme.stratify(profile)
        own, seed = profile.stratum(strata), self.rule.wave_seed(number, self.digest)
        turns = in_turn(scheme.weights(strata), strata.sizes, scheme.turns(strata), labels)
        counts = np.bincount(turns, minlength=strata.n_strata)
        positions = sampled_positions(own, turns, counts, permanent_random_numbers(seed, places.size))
        stratum[places] = own
        return Wave(stratum, strata.sizes, counts, places[positions], earlier, survivors, q, seed)

    def follow(self, losses: Array, skipped: Mask | None = None) -> Course:
        """Follow the contest as far as labels go.

        If the last planned look leaves it open, one more wave has all items on which survivors differ: it is exact.

        Parameters
        ----------
        losses : (N, K) float
            In [0, 1]; NaN of what is not labelled.
        skipped : (N,) bool, optional
            Items that came back without a verdict: limits hold whichever way it would have gone.
        """
        skip = np.zeros(self.n_items, dtype=bool) if skipped is None else skipped
        waves, looks, earlier = list[Wave](), list[InterimLook](), np.zeros(self.n_items, dtype=bool)
        for number in range(1, len(self.rule.sizes) + 2):
            wave = self.wave(number, looks[-1] if looks else None, earlier)
            waves.append(wave)
            missing = np.isnan(losses[np.ix_(wave.order, wave.survivors)]).any(axis=1)
            waiting = wave.order[missing & ~skip[wave.order]]
            if waiting.size:
                return Course(tuple(waves), tuple(looks), waiting)
            looks.append(self.look(waves, losses, looks[-1] if looks else None))
            if looks[-1].decided:
                break
            earlier = earlier.copy()
            earlier[wave.order] = True
        return Course(tuple(waves), tuple(looks), np.empty(0, dtype=np.int64))

    def look(self, waves: list[Wave], losses: Array, last: InterimLook | None) -> InterimLook:
        """Look at the labels of some waves.

        Parameters
        ----------
        waves : list of Wave
            All so far; every listed item has a label or none that counts.
        losses : (N, K) float
            As in `follow`.
        last : InterimLook or None
            Of the wave before.
        """
        n_models, number = len(self.rule.models), 1 if last is None else last.number + 1
        out_at = np.zeros(n_models, dtype=np.int64) if last is None else last.out_at.copy()
        survivors = np.flatnonzero(out_at == 0)
        first = survivors[0]
        listed = np.concatenate([wave.order for wave in waves])
        means, _, _ = self._limits(waves, losses, first, survivors, listed, limited=False)
        leader = int(survivors[means.argmax()])
        rivals = survivors[survivors != leader]
        found = self._limits(waves, losses, leader, rivals, listed)
        value, low, high = (
            np.zeros(n_models) if last is None else getattr(last, name).copy() for name in ("value", "low", "high")
        )
        for whole_, part in zip((value, low, high), found, strict=True):
            whole_[leader], whole_[rivals] = 0.0, part
        out_at[rivals[found[2] < -_ROUNDING]] = number
        # An exact difference may be ε itself.
        bar = self.rule.within + (_ROUNDING if self.rule.within else -_ROUNDING)
        return InterimLook(leader, value, low, high, out_at, bool((found[2] < bar).all()), number)

    def _limits(
        self, waves: list[Wave], losses: Array, leader: int, rivals: Whole, listed: Whole, limited: bool = True
    ) -> tuple[Array, Array, Array]:
        """Return acc_k − acc_A of rivals, and their lower and upper limits, (R,) each."""
        gaps = losses[:, [leader]] - losses[:, rivals]
        differs = self.answers[:, rivals] != self.answers[:, [leader]]
        seen = np.zeros(self.n_items, dtype=bool)
        seen[listed] = True
        without = seen[:, None] & differs & np.isnan(gaps)
        gaps = np.where(differs & seen[:, None], gaps, 0.0)
        open_ = (differs & ~seen[:, None]).sum(axis=0)
        known = np.where(without, 0.0, gaps)
        middle = np.where(open_ > 0, self._combined(waves, known), known.sum(axis=0) / self.n_items)
        # With items without a verdict at either end.
        ways = [np.where(without, side, gaps) for side in (-1.0, 1.0)] if without.any() else [known]
        low, high = (
            ways[place].sum(axis=0) / self.n_items + side * open_ / self.n_items for place, side in ((0, -1), (-1, 1))
        )
        if open_.any() and limited:
            limits = [self._of_labels(waves, d) for d in ways]
            low = np.where(open_ > 0, np.maximum(low, limits[0].low), low)
            high = np.where(open_ > 0, np.minimum(high, limits[-1].high), high)
        return middle, np.minimum(low, middle), np.maximum(high, middle)

    def _of_labels(self, waves: list[Wave], d: Array) -> Limits:
        """Return the limits of the labels so far, (R,) each."""
        drawn = [one for one in waves if one.sizes.size]
        values, tallies = _tallied([(one.order, one.stratum[one.order], one.sizes) for one in drawn], d)
        fixed, weights = self._parts(waves, d)
        limits = self._tilted(drawn, values, tallies, weights)
        return Limits(fixed + limits.low, fixed + limits.high)

    def _parts(self, waves: list[Wave], d: Array) -> tuple[Array, Array]:
        """Return the known part of the estimate, (R,), and the weight W of each stratum, (H,)."""
        # Of the wave after the planned ones everything is known, whatever it weighs.
        sizes = np.array([*self.rule.sizes, 1][: len(waves)], dtype=np.float64)
        shares = sizes / sizes.sum()
        fixed = shares @ np.array([d[one.earlier].sum(axis=0) for one in waves])
        weights = np.concatenate([share * one.sizes for share, one in zip(shares, waves, strict=True)])
        return fixed / self.n_items, weights / self.n_items

    def _combined(self, waves: list[Wave], d: Array) -> Array:
        """Return Σ w_j θ̂_j, (R,)."""
        fixed, weights = self._parts(waves, d)
        means = [
            np.array([np.bincount(one.stratum[one.order], column, one.sizes.size) for column in d[one.order].T]).T
            / np.maximum(one.counts, 1)[:, None]
            for one in waves
            if one.sizes.size
        ]
        return np.asarray(fixed + weights @ np.concatenate(means) if means else fixed)

    def above(self, waves: list[Wave], d: Array) -> Array:
        """Distance of the upper limits of the labels to expect above the differences, (R,).

        Parameters
        ----------
        waves : list of Wave
            All so far.
        d : (N, R) float
            ℓ_A − ℓ_k of all items.
        """
        drawn = [one for one in waves if one.sizes.size]
        values, tallies = _tallied([(one.places, one.stratum[one.places], one.sizes) for one in drawn], d)
        sizes, counts = (np.concatenate([getattr(one, name) for one in drawn]) for name in ("sizes", "counts"))
        expected = tallies * (counts / sizes)[:, None]
        _, weights = self._parts(waves, d)
        middle = (expected @ values / counts) @ weights
        return np.asarray(self._tilted(drawn, values, expected, weights).high - middle)

    def _tilted(self, drawn: list[Wave], values: Array, tallies: Array, weights: Array) -> Limits:
        """Return the limits of Σ W_h d̄_h by tilting, (R,) each, from labels of each value of d."""
        limits = Interval(confidence=1 - 2 * self.rule.tail).of_labels(
            (values + 1) / 2,
            tallies,
            np.concatenate([one.counts for one in drawn]),
            np.concatenate([one.sizes for one in drawn]),
            waves=np.repeat(np.arange(len(drawn)), [one.sizes.size for one in drawn]),
            weights=2 * weights,
        )
        return Limits(limits.low - weights.sum(), limits.high - weights.sum())


def _tallied(parts: list[tuple[Whole, Whole, Whole]], d: Array) -> tuple[Array, Array]:
    """Return the values of d at some places, and how often each stratum has each, (R, H, S)."""
    values, kinds = np.unique(np.concatenate([d[places] for places, _, _ in parts]), return_inverse=True)
    starts = np.cumsum([0, *(sizes.size for *_, sizes in parts)])
    cell = np.concatenate([start + own for start, (_, own, _) in zip(starts, parts, strict=False)])
    shape = d.shape[1], int(starts[-1]), values.size
    key = (np.arange(shape[0]) * shape[1] + cell[:, None]) * shape[2] + kinds.reshape(cell.size, shape[0])
    tallies = np.bincount(key.ravel(), minlength=shape[0] * shape[1] * shape[2])
    return values, tallies.reshape(shape).astype(np.float64)


def scheme_of(labels: int, n_items: int) -> Scheme:
    """Scheme of a wave's list: strata of equal mass, two labels each."""
    return Scheme(
        signal="risk", stratifier=EQUAL_MASS, n_strata=fine_strata(labels, n_items), allocation="equal", floor=0.0
    )


def planned(contest: ModelContest, total: int, looks: int) -> ModelContest:
    """A contest with so many labels in waves, each of twice as many as the one before."""
    first = total / (2**looks - 1)
    sizes = tuple(max(1, round(first * 2**place)) for place in range(looks))
    return replace(contest, rule=replace(contest.rule, sizes=sizes))
