"""An accuracy gate: ship, hold, or unclear, with error rates that hold on every pool.

"Ship" says that the accuracy is at least the bar, "hold" that it is below; each is wrong with a probability of at most
1 − confidence. With a fixed number of labels from the whole pool the test is exact: the number of wrong answers is
hypergeometric (docs/planning.md, 5). With looks after every label it is the betting of `core.gates.betting`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from ..allocation.optimum import uniform_size
from ..design.design import Plan
from ..errors import DesignError
from ..estimation.intervals import DEFAULT, Interval
from ..estimation.mean import Estimate, Sample
from . import betting
from .combinations import hypergeometric, multinomial

Array = NDArray[np.float64]

SHIP, HOLD, UNCLEAR = "ship", "hold", "unclear"
# What "very many" items are; of more than the second number, draws with replacement are no different.
_VERY_MANY, _BINOMIAL = 10**9, 10**6
_EXACT_LABELS, _MOST_LABELS = 3000, 100_000
# Simulated gates whose numbers fit a CPU's cache.
_AT_ONCE = 100
# Rounding of a bar, and how often the range of a confidence is halved.
_ROUNDING, _HALVED = 1e-9, 30


@dataclass(frozen=True, slots=True)
class Gate:
    """A decision to ship or hold, with the certainty that it needs.

    Parameters
    ----------
    bar : float
        Ship if the accuracy is at least this, in (0, 1).
    band : float
        Distance from the bar within which no clear answer is needed, above 0; bar ± band lie in [0, 1].
    confidence : float
        Each of the answers "ship" and "hold" is wrong at most so rarely, in (0.5, 1).
    power : float
        Wanted chance of the right clear answer at bar ± band, in (0, 1).
    n_items : int or None
        N; None is very many.

    Raises
    ------
    DesignError
        A parameter is out of its range.
    """

    bar: float
    band: float = 0.05
    confidence: float = 0.95
    power: float = 0.8
    n_items: int | None = None

    def __post_init__(self) -> None:
        if not 0 < self.bar < 1 or not self.band > 0 or self.bar + self.band > 1 or self.bar < self.band:
            raise DesignError(
                f"The bar must lie between 0 and 1 with the band inside. Found {self.bar:g} ± {self.band:g}. Choose a "
                "narrower band."
            )
        if not 0.5 < self.confidence < 1 or not 0 < self.power < 1:
            raise DesignError("The confidence must lie between 0.5 and 1, and the chance of an answer between 0 and 1.")

    @property
    def items(self) -> int:
        """N, with a number for very many."""
        return _VERY_MANY if self.n_items is None else self.n_items

    @property
    def most_wrong(self) -> int:
        """Most wrong answers in a pool whose accuracy is at least the bar."""
        return math.floor(self.items * (1 - self.bar) + 1e-9)

    def limits(self, labels: int) -> tuple[int, int]:
        """Most wrong labels with which one ships (−1: never), and fewest with which one holds (M + 1: never).

        Parameters
        ----------
        labels : int
            M from the whole pool, from 1 to N.
        """
        alpha = (1 - self.confidence) * (1 + 1e-9)
        ship, hold = self.p_values(labels)
        return int(np.searchsorted(ship, alpha, side="right")) - 1, int(np.searchsorted(-hold, -alpha, side="left"))

    def p_values(self, labels: int) -> tuple[Array, Array]:
        """Chance of so few wrong labels just below the bar, and of so many at the bar, (M + 1,) each by their number.

        Parameters
        ----------
        labels : int
            As in `limits`.
        """
        at_bar = self._cdf(labels, self.most_wrong)
        return self._cdf(labels, self.most_wrong + 1), np.r_[1.0, 1.0 - at_bar[:-1]]

    def chances(self, labels: int, accuracies: ArrayLike) -> pd.DataFrame:
        """Chance of each answer at several true accuracies, exact.

        Parameters
        ----------
        labels : int
            M from the whole pool, from 1 to N.
        accuracies : (A,) float
            In [0, 1].

        Returns
        -------
        DataFrame
            A row an accuracy: accuracy, ship, hold, unclear.
        """
        ship, hold = self.limits(labels)
        rows = []
        for accuracy in np.asarray(accuracies, dtype=np.float64).tolist():
            cdf = self._cdf(labels, round(self.items * (1 - accuracy)))
            yes = float(cdf[ship]) if ship >= 0 else 0.0
            no = 1.0 - float(cdf[hold - 1]) if hold <= labels else 0.0
            rows.append((accuracy, yes, max(no, 0.0), max(1.0 - yes - no, 0.0)))
        return pd.DataFrame(rows, columns=["accuracy", SHIP, HOLD, UNCLEAR])

    def labels(self) -> int | None:
        """Fewest labels with the wanted chance of a clear answer at both ends of the band.

        The chance rises in a sawtooth; the first number that reaches it counts, as in G*Power. Beyond 3,000 labels the
        normal approximation is used; None if more than 100,000 are needed.
        """
        start = min(self._approximate(), self.items)
        if start > _EXACT_LABELS:
            return start if start <= _MOST_LABELS else None
        # A tooth is as long as it takes for the two ends of the band to be a wrong answer further apart.
        least = start - math.ceil(4 / self.band) - 10
        # In a pool of few items the ends of the band may be no accuracies that it can have.
        return next((labels for labels in range(max(1, least), self.items) if self._reached(labels)), self.items)

    def _reached(self, labels: int) -> bool:
        ends = self.chances(labels, (self.bar + self.band, self.bar - self.band))
        return bool(min(ends[SHIP][0], ends[HOLD][1]) >= self.power)

    def _approximate(self) -> int:
        """Labels by the normal approximation."""
        z, power = float(ndtri(self.confidence)), float(ndtri(self.power))
        at_bar, ends = z * math.sqrt(self.bar * (1 - self.bar)), (self.bar + self.band, self.bar - self.band)
        worst = max(((at_bar + power * math.sqrt(end * (1 - end))) / self.band) ** 2 for end in ends)
        return max(1, math.floor(uniform_size(1 / worst, 1.0, self.items)))

    def _cdf(self, labels: int, wrong: int) -> Array:
        """P(X ≤ x) for x = 0 … M wrong labels, if the pool has so many wrong answers, (M + 1,)."""
        x = np.arange(labels + 1)
        if self.items <= _BINOMIAL:
            mass = hypergeometric((wrong, self.items - wrong), (x, labels - x))
        else:
            share = min(wrong / self.items, 1.0)
            mass = multinomial((share, 1 - share), (x, labels - x))
        return np.asarray(np.minimum(np.cumsum(mass), 1.0))


def simulate(
    gate: Gate, sizes: ArrayLike, means: ArrayLike, most: int, trials: int = 300, seed: int = 0
) -> pd.DataFrame:
    """Simulated gates that are looked at after every label, labels drawn in turn from strata.

    Parameters
    ----------
    gate : Gate
        What is decided.
    sizes : (H,) int
        Items N_h.
    means : (H,) float
        Accuracy in each stratum.
    most : int
        Labels after which one stops without an answer.
    trials : int
        Number of simulations.
    seed : int
        Equal arguments give equal results.

    Returns
    -------
    DataFrame
        A row a simulation: answer, labels.
    """
    size = np.asarray(sizes, dtype=np.int64)
    rounds = max(1, min(most // size.size, int(size.min())))
    right = np.rint(size * np.asarray(means, dtype=np.float64))
    values = _drawn(size, right, rounds, trials, np.random.default_rng(seed))
    parts = np.array_split(values, math.ceil(trials / _AT_ONCE))
    strata = np.tile(np.arange(size.size), rounds)
    won = (capitals(betting.blocks(part.reshape(len(part), -1), strata, size), gate.bar, gate.band) for part in parts)
    firsts = [[betting.first(side, gate.confidence) for side in sides] for sides in won]
    ship, hold = np.concatenate(firsts, axis=1)
    place = np.minimum(ship, hold)
    open_end = place == rounds
    answer = np.where(open_end, UNCLEAR, np.where(ship == place, SHIP, HOLD))
    labels = np.where(open_end, most, (place + 1) * size.size)
    return pd.DataFrame({"answer": answer, "labels": labels})


def capitals(labelled: betting.Blocks, bar: float, band: float) -> tuple[Array, Array]:
    """Log-capital of the bets on "ship" and on "hold"; values are accuracies."""
    ship = betting.log_capital(betting.flipped(labelled), 1 - bar, band)
    return ship, betting.log_capital(labelled, bar, band)


def _drawn(sizes: NDArray[np.int64], right: Array, rounds: int, trials: int, rng: np.random.Generator) -> Array:
    """Values 0 or 1 drawn in turn from strata without replacement, (trials, rounds, H)."""
    values = rng.random((rounds, trials, sizes.size))
    left = np.tile(right, (trials, 1))
    for number, drawn in enumerate(values):
        drawn *= sizes - number
        np.less(drawn, left, out=drawn)
        left -= drawn
    return values.transpose(1, 0, 2)


@dataclass(frozen=True, slots=True)
class Decision:
    """The decision of a gate about labels.

    Parameters
    ----------
    answer : str
        "ship", "hold" or "unclear".
    confidence : float
        One-sided confidence of the likelier of the two clear answers.
    labels : int
        Labels that the answer rests on; if it was looked at early, those after which it was decided.
    total : int
        Labels of the plan that were looked at.
    likely : str
        The likelier of the two clear answers; "" if there is no label yet.
    """

    answer: str
    confidence: float
    labels: int
    total: int
    likely: str = ""


def decide(
    estimate: Callable[[Interval], Estimate],
    bar: float,
    confidence: float = 0.95,
    interval: Interval = DEFAULT,
    sample: Sample | None = None,
) -> Decision:
    """Decide after labelling, by one-sided limits of the design that was used.

    Parameters
    ----------
    estimate : callable
        From an interval to the estimate of the accuracy.
    bar : float
        Ship if the accuracy is at least this.
    confidence : float
        One-sided, in (0.5, 1).
    interval : Interval
        That of the estimate, bounded; its confidence is not kept.
    sample : Sample, optional
        The labels, if the estimate is made from them alone. Right and wrong answers of a simple random sample are
        decided by the exact test of `core.gates.Gate`, which a plan for it promises.

    Notes
    -----
    docs/planning.md, 5. One-sided limits meet the bar where the tail of the labels at the bar is as large as α.
    """
    at = estimate(interval)
    likely = SHIP if at.value >= bar - _ROUNDING else HOLD
    if sample is not None and sample.sizes.size == 1 and sample.weighing is None and sample.binary and 0 < bar < 1:
        gate = Gate(bar, min(bar, 1 - bar) / 2, n_items=int(sample.sizes[0]))
        chance = gate.p_values(at.n_labels)[likely != SHIP][round(float((1 - sample.losses).sum()))]
    else:
        # Doubtful beyond an even chance, and never certain.
        chance, least = 0.5, 1e-6
        for _ in range(_HALVED):
            alpha = (chance + least) / 2
            one = estimate(one_sided(interval, 1 - alpha))
            clear = one.low >= bar - _ROUNDING if likely == SHIP else one.high < bar - _ROUNDING
            chance, least = (alpha, least) if clear else (chance, alpha)
    answer = likely if chance <= (1 - confidence) * (1 + _ROUNDING) else UNCLEAR
    return Decision(answer, 1 - float(chance), at.n_labels, at.n_labels, likely)


def one_sided(interval: Interval, confidence: float) -> Interval:
    """Interval whose lower and whose upper limit are each wrong at most so rarely.

    Parameters
    ----------
    interval : Interval
        Bounded.
    confidence : float
        One-sided, in (0.5, 1).
    """
    return replace(interval, name=DEFAULT.name, confidence=2 * confidence - 1)


def decide_early(
    values: ArrayLike, strata: ArrayLike, sizes: ArrayLike, bar: float, confidence: float = 0.95, band: float = 0.05
) -> Decision:
    """Decide while labels come in; looking after every label does not raise the error rates.

    Parameters
    ----------
    values : (M,) float
        1 − loss of the labels in the plan's order, in [0, 1]: its longest labelled beginning.
    strata : (M,) int
        Their strata.
    sizes : (H,) int
        Items N_h of each stratum.
    bar, confidence, band : float
        As in `Gate`.

    Returns
    -------
    Decision
        Its confidence is 1 − 1/capital of the likelier answer.
    """
    labelled = betting.blocks(values, strata, sizes)
    total = int(np.asarray(values).size)
    ship, hold = capitals(labelled, bar, band)
    if not labelled.ends.size:
        return Decision(UNCLEAR, 0.0, 0, total)
    firsts = [int(betting.first(won, confidence)) for won in (ship, hold)]
    sure = float(-np.expm1(-max(float(ship.max()), float(hold.max()), 0.0)))
    place = min(firsts)
    if place == labelled.ends.size:
        likely = SHIP if float(ship.max()) >= float(hold.max()) else HOLD
        return Decision(UNCLEAR, sure, int(labelled.ends[-1]), total, likely)
    answer = SHIP if firsts[0] == place else HOLD
    return Decision(answer, sure, int(labelled.ends[place]), total, answer)


def decide_in_order(
    plan: Plan,
    positions: NDArray[np.int64],
    values: ArrayLike,
    bar: float,
    confidence: float = 0.95,
    band: float = 0.05,
) -> Decision:
    """`decide_early` on the longest labelled beginning of a plan's list.

    Parameters
    ----------
    plan : Plan
        Of a single wave.
    positions : (m,) int
        Places in the pool of the labelled items, in any order.
    values : (m,) float
        Their values, 1 − loss.
    bar, confidence, band : float
        As in `Gate`.
    """
    if plan.design.weights is not None:
        raise DesignError(
            "Labels of items with weights are decided once, when all are there: looks after every label count every "
            "item the same."
        )
    known = dict(zip(positions.tolist(), np.asarray(values, dtype=np.float64).tolist(), strict=True))
    waiting = [place for place, item in enumerate(plan.positions.tolist()) if item not in known]
    listed = plan.positions[: waiting[0]] if waiting else plan.positions
    ordered = [known[item] for item in listed.tolist()]
    carried, sizes = plan.design.carried, plan.strata.sizes
    if carried is not None and carried.follows:
        # The bar that the open items have to reach, so that all items reach theirs.
        open_, sure = max(float((~carried.known).mean()), 1e-12), float(np.nansum(1.0 - carried.values))
        bar, band, sizes = (bar - sure / carried.known.size) / open_, band / open_, sizes[:-1]
        if not 0 < bar < 1:
            answer = SHIP if bar <= 0 else HOLD
            return Decision(answer, 1.0, 0, len(ordered), answer)
    return decide_early(ordered, plan.stratum[listed], sizes, bar, confidence, band)
