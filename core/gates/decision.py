"""Ship, hold or unclear, from labels: once, at the end, or while they come in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaincinv

from ..design.design import Plan
from ..estimation.intervals import DEFAULT, Interval
from ..estimation.mean import Estimate
from . import betting
from .accuracy_gate import HOLD, SHIP, UNCLEAR, capitals

Array = NDArray[np.float64]

# So few wrong labels are rare.
_RARE = 3


@dataclass(frozen=True, slots=True)
class Decision:
    """What a gate says of labels.

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
    """

    answer: str
    confidence: float
    labels: int
    total: int


def decide(
    estimate: Callable[[Interval], Estimate], bar: float, confidence: float = 0.95, interval: Interval = DEFAULT
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

    Notes
    -----
    docs/planning.md, 5: `one_sided`, with no more than the labels' own number if fewer than four are wrong.
    """

    def sure(alpha: float) -> tuple[float, float]:
        one = estimate(one_sided(interval, 1 - alpha))
        low, high = outward(one.value, one.low, one.high, one.n_labels, 1 - alpha)
        return float(low), float(high)

    at = estimate(interval)
    likely = SHIP if at.value >= bar else HOLD
    # Doubtful beyond an even chance, and never certain.
    most, least = 0.5, 1e-6
    for _ in range(30):
        alpha = (most + least) / 2
        low, high = sure(alpha)
        clear = low >= bar if likely == SHIP else high < bar
        most, least = (alpha, least) if clear else (most, alpha)
    low, high = sure(1 - confidence)
    answer = SHIP if low >= bar else HOLD if high < bar else UNCLEAR
    return Decision(answer, 1 - most, at.n_labels, at.n_labels)


def one_sided(interval: Interval, confidence: float) -> Interval:
    """Interval whose lower and whose upper limit are each wrong at most so rarely.

    Limits that miss 10 % of the time together miss on one side up to 20 %: errors are not symmetric. So the interval
    of this confidence itself is taken, of which each side may miss as often as both together (docs/planning.md, 5).

    Parameters
    ----------
    interval : Interval
        Bounded.
    confidence : float
        One-sided, in (0.5, 1).
    """
    return replace(interval, name=DEFAULT.name, confidence=confidence)


def outward(values: ArrayLike, low: ArrayLike, high: ArrayLike, labels: int, confidence: float) -> tuple[Array, Array]:
    """Limits of `one_sided` that hold if three labels or fewer are wrong, or right: strata prove nothing then.

    Parameters
    ----------
    values, low, high : (…) float
        Accuracies and their limits; equal limits are those of a census and stay.
    labels : int
        M, which then count as M independent ones (Clopper & Pearson 1934).
    confidence : float
        As in `one_sided`.
    """
    value, least, most = (np.asarray(one, dtype=np.float64) for one in (values, low, high))
    right, wrong, alpha = labels * value, labels * (1 - value), (1 - confidence) / 2
    rare = (least < most) & (np.minimum(right, wrong) <= _RARE)
    below = np.where(right > 0, betaincinv(np.maximum(right, 1e-12), wrong + 1, alpha), 0.0)
    above = np.where(wrong > 0, 1 - betaincinv(np.maximum(wrong, 1e-12), right + 1, alpha), 1.0)
    return np.where(rare, np.minimum(least, below), least), np.where(rare, np.maximum(most, above), most)


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
    most = max(float(ship.max()), float(hold.max()))
    sure = float(-np.expm1(-max(most, 0.0)))
    place = min(firsts)
    if place == labelled.ends.size:
        return Decision(UNCLEAR, sure, int(labelled.ends[-1]), total)
    return Decision(SHIP if firsts[0] == place else HOLD, sure, int(labelled.ends[place]), total)


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
    known = dict(zip(positions.tolist(), np.asarray(values, dtype=np.float64).tolist(), strict=True))
    waiting = [place for place, item in enumerate(plan.positions.tolist()) if item not in known]
    listed = plan.positions[: waiting[0]] if waiting else plan.positions
    ordered = [known[item] for item in listed.tolist()]
    carried = plan.design.carried
    if carried is None or not carried.follows:
        return decide_early(ordered, plan.stratum[listed], plan.strata.sizes, bar, confidence, band)
    # The bar that the open items have to reach, so that all items reach theirs.
    share, sure = float(carried.known.mean()), float(np.nansum(1.0 - carried.values)) / carried.known.size
    needed = (bar - sure) / max(1.0 - share, 1e-12)
    if not 0 < needed < 1:
        return Decision(SHIP if needed <= 0 else HOLD, 1.0, 0, len(ordered))
    return decide_early(
        ordered, plan.stratum[listed], plan.strata.sizes[:-1], needed, confidence, band / max(1.0 - share, 1e-12)
    )
