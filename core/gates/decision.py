"""Ship, hold or unclear, from labels: once, at the end, or while they come in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..design.design import Plan
from ..estimation.intervals import DEFAULT, Interval
from ..estimation.mean import Estimate, Sample
from . import betting
from .accuracy_gate import HOLD, SHIP, UNCLEAR, Gate, capitals

Array = NDArray[np.float64]

# Rounding of a bar, and how often the range of a confidence is halved.
_ROUNDING, _HALVED = 1e-9, 30


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
    """

    answer: str
    confidence: float
    labels: int
    total: int


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
    if sample is not None and sample.sizes.size == 1 and sample.binary and 0 < bar < 1:
        gate = Gate(bar, min(bar, 1 - bar) / 2, n_items=int(sample.sizes[0]))
        chance = gate.p_values(at.n_labels)[likely != SHIP][round(float((1 - sample.losses).sum()))]
    else:
        # Doubtful beyond an even chance, and never certain.
        chance, least = 0.5, 1e-6
        for _ in range(_HALVED):
            alpha = (chance + least) / 2
            chance, least = (alpha, least) if _clear(estimate, interval, alpha, bar, likely) else (chance, alpha)
    answer = likely if chance <= (1 - confidence) * (1 + _ROUNDING) else UNCLEAR
    return Decision(answer, 1 - float(chance), at.n_labels, at.n_labels)


def _clear(estimate: Callable[[Interval], Estimate], interval: Interval, alpha: float, bar: float, answer: str) -> bool:
    """Whether a one-sided limit lies on the side of the bar that an answer says."""
    one = estimate(one_sided(interval, 1 - alpha))
    return one.low >= bar - _ROUNDING if answer == SHIP else one.high < bar - _ROUNDING


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
