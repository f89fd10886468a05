"""Beliefs before any label: the accuracy of the target, and the signal's AUROC for what it fails.

A belief gives each item a probability of failing, p_i = 1/(1 + exp(−a − b x_i)) along the signal x; a and b are the
numbers with which the model has the believed accuracy and AUROC (docs/planning.md, 1).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from ..errors import DesignError
from ..estimation.tilting import roots
from ..signals.signal import USUAL
from ..words import counted, share_span

Array = NDArray[np.float64]

# Words for an AUROC, with the figures behind them.
AUROCS = USUAL
TYPICAL = AUROCS["typical"]
# A number that is believed stands for itself and for what lies so far around it.
ACCURACY_MARGIN, AUROC_MARGIN = 0.05, 0.1
MOST_AUROC = 0.99
# Beyond this slope, in standard deviations of the signal, the model is a step.
_STEEPEST = 64.0
_ROUNDS = 80


@dataclass(frozen=True, slots=True)
class Range:
    """A number that is believed, and the range in which it may lie.

    Parameters
    ----------
    low, middle, high : float
        Ascending.
    """

    low: float
    middle: float
    high: float


@dataclass(frozen=True, slots=True)
class Belief:
    """Believed accuracy and AUROC of a target on a pool.

    Parameters
    ----------
    accuracy : Range
        Of the target, in [0, 1].
    auroc : Range
        The chance that the signal is larger at an item that the target fails than at one that it gets right, in
        [0.5, 1).
    """

    accuracy: Range
    auroc: Range

    @property
    def extremes(self) -> tuple[tuple[float, float], ...]:
        """Pairs of accuracy and AUROC among which the widest and the narrowest interval are.

        An accuracy of 1/2 is the widest of all, so it is among them if it is inside the range.
        """
        accuracy, auroc = self.accuracy, self.auroc
        accuracies = {accuracy.low, accuracy.high}
        if accuracy.low < 0.5 < accuracy.high:
            accuracies.add(0.5)
        return tuple(product(sorted(accuracies), sorted({auroc.low, auroc.high})))

    def rests_on(
        self,
        signal: str,
        models: int = 0,
        accuracy_too: bool = False,
        why: str = "",
        known: str = "",
        ranked: bool = False,
    ) -> str:
        """Write what a forecast rests on.

        Parameters
        ----------
        signal : str
            The signal in words; "" if items are drawn uniformly, so that none matters.
        models : int
            Models of which the AUROC follows, each left out once, with room for a better one; 0 if it is assumed.
        accuracy_too : bool
            Whether the accuracy follows of them as well.
        why : str
            Why that accuracy is assumed, in words; "" if it is believed.
        known : str
            Which items' known outcomes the accuracy follows from, in words; "" if from none.
        ranked : bool
            Whether the AUROC follows from known outcomes of the target as well.
        """
        accuracy, order = self.accuracy, self.auroc
        percent, often = share_span(accuracy.low, accuracy.high), share_span(order.low, order.high)
        auroc = f"by {signal}, a wrong answer looks riskier than a right one {often} of the time"
        assumed = f"It also assumes that, {auroc}."
        several = ", each left out once and with room for a better one" if models > 1 else ""
        fared = f"As {counted(models, 'other model')} fared here{several}"
        if known:
            start = f"Forecast: it rests on {known}, as if the others were like them: an accuracy of {percent}"
            if not signal:
                return f"{start}."
            return f"{start}, and {auroc}." if ranked else f"{start}. {f'{fared}, {auroc}.' if models else assumed}"
        if not signal or why:
            start = f"Forecast: it assumes an accuracy of {percent}{f', {why}' if why else ''}."
            return f"{start} {assumed}" if signal else start
        expected = f"Forecast: it rests on an expected accuracy of {percent}."
        if ranked:
            return f"{expected} On the items whose outcome is known, {auroc}."
        if not models:
            return f"{expected} {assumed}"
        if accuracy_too:
            return f"Forecast: it rests on how{fared.removeprefix('As')}: an accuracy of {percent}, and {auroc}."
        return f"{expected} {fared}, {auroc}."


def belief(
    accuracy: float | tuple[float, float] | Range, auroc: float | str | tuple[float, float] | Range = TYPICAL
) -> Belief:
    """Make a belief from numbers or ranges.

    Parameters
    ----------
    accuracy : float, (float, float) or Range
        In [0, 1]. A number has a range of 0.05 on either side; the middle of a range is what is forecast.
    auroc : float, str, (float, float) or Range
        In [0.5, 1), or a key of `core.prospect.prior.AUROCS`. A number has a range of 0.1 on either side.

    Raises
    ------
    DesignError
        A number is out of its range, a range is not ascending, or there is no such word.
    """
    if isinstance(auroc, str):
        if auroc not in AUROCS:
            raise DesignError(f"There is no AUROC called “{auroc}”. Choose one of {', '.join(AUROCS)}, or a number.")
        auroc = AUROCS[auroc]
    return Belief(
        _range("accuracy", accuracy, ACCURACY_MARGIN, 0.0, 1.0), _range("AUROC", auroc, AUROC_MARGIN, 0.5, MOST_AUROC)
    )


def risks(signal: Array, items: Array, accuracy: float, auroc: float) -> Array:
    """Probability p of failing at each level of a signal, (G,), ascending in the signal.

    Parameters
    ----------
    signal : (G,) float
        The levels, ascending.
    items : (G,) float
        Items at each of them, above 0.
    accuracy : float
        In [0, 1]: the mean of 1 − p over the items.
    auroc : float
        In [0.5, 1): expected share of the pairs of a failed and a passed item in which the failed one has the larger
        signal, ties counting half. Ties set a limit to it, which is used if it is lower.

    Notes
    -----
    The equation of the mean is solved for a by Newton's method, that of the AUROC for b by the method of Illinois
    (Dowell & Jarratt 1971); both left sides ascend.
    """
    risk = 1.0 - accuracy
    share = items / items.sum()
    deviation = signal - share @ signal
    sd = float(np.sqrt(share @ deviation**2))
    if risk in (0.0, 1.0) or sd == 0 or auroc <= 0.5:
        return np.full(signal.size, risk)
    x = deviation / sd
    intercept = float(np.log(risk / accuracy))

    def model(slope: float) -> Array:
        nonlocal intercept
        intercept, p = _with_mean(x, share, slope, risk, intercept)
        return p

    def excess(slope: Array) -> Array:
        return np.array([expected_auroc(model(float(slope[0])), share) - auroc])

    high = np.ones(1)
    while high[0] < _STEEPEST and excess(high)[0] < 0:
        high *= 2
    if high[0] >= _STEEPEST:
        return model(_STEEPEST)
    return model(float(roots(excess, np.zeros(1), high, 1 - auroc)[0]))


def expected_auroc(p: Array, items: Array) -> float:
    """AUROC of independent Bernoulli losses with probabilities p along an ascending signal.

    Parameters
    ----------
    p : (G,) float
        Probability of failing at each level.
    items : (G,) float
        Items at each level.
    """
    failing, passing = items * p, items * (1 - p)
    return float(failing @ (np.cumsum(passing) - passing / 2) / (failing.sum() * passing.sum()))


def _with_mean(x: Array, share: Array, slope: float, mean: float, start: float) -> tuple[float, Array]:
    """Intercept a with Σ share σ(a + slope x) = mean, and the probabilities; Newton's steps inside a bracket."""
    bound = slope * float(np.abs(x).max()) + 40.0
    low, high, a = -bound, bound, start
    for _ in range(_ROUNDS):
        p = 0.5 * (1.0 + np.tanh(0.5 * (a + slope * x)))
        gap = float(share @ p) - mean
        low, high = (low, a) if gap > 0 else (a, high)
        step = gap / max(float(share @ (p * (1 - p))), 1e-300)
        if abs(gap) < 1e-13:
            break
        a = a - step if low < a - step < high else (low + high) / 2
    return a, p


def _range(name: str, given: float | tuple[float, float] | Range, margin: float, least: float, most: float) -> Range:
    if isinstance(given, Range):
        low, middle, high = given.low, given.middle, given.high
    elif isinstance(given, tuple):
        low, high = given
        middle = (low + high) / 2
    else:
        middle = given
        low, high = max(given - margin, least), min(given + margin, most)
    if not least <= low <= middle <= high <= max(most, middle) or not (middle < 1 or most == 1):
        raise DesignError(
            f"The expected {name} must be a number from {least:g} to {most:g}, or a range of two with the lower one "
            f"first. Found {given!r}."
        )
    return Range(low, middle, high)
