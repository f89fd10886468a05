"""Forecasts before any label: the precision of a number of labels, and the labels that a precision takes.

Expected squared errors are exact under the model of `core.prospect.prior`; half-widths are those of the interval at
the expected mean and variance (docs/planning.md, 2 and 3).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import count
from statistics import NormalDist

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..allocation.optimum import budget_options, uniform_size
from ..allocation.ways import RECOMMENDED, UNIFORM
from ..errors import DesignError
from ..estimation.intervals import DEFAULT, Interval
from ..pool.pool import Pool
from .prior import TYPICAL, Belief, belief, risks
from .promise import Promise
from .question import Costs, Payment
from .sampling_frame import CHOSEN, VERY_MANY, SamplingFrame, assumed_frame, layout, pool_frame

Array = NDArray[np.float64]

# Budget at which curves end, unless more is looked at.
_CURVE_END = 1000
_MOST_LABELS = 1_000_000
_ROUNDING = 1e-9
# Guesses after which the rest is bisection.
_GUESSES = 6


def forecast(
    pool_or_size: Pool | int | None,
    budget: int,
    accuracy: float | tuple[float, float],
    auroc: float | str | tuple[float, float] = TYPICAL,
    confidence: float = 0.95,
    *,
    target: str | None = None,
    past: Sequence[str] | None = None,
    parser: str | None = None,
) -> pd.DataFrame:
    """Forecast the half-width of the interval that a number of labels will give, before any label.

    Parameters
    ----------
    pool_or_size : Pool, int or None
        A pool; or the number of items N, None for very many: the signal is then an assumed one, which
        ``frame.attrs["signal"]`` names.
    budget : int
        M, the number of labels.
    accuracy : float or (float, float)
        Believed accuracy of the target, in [0, 1]; a number has a range of 0.05 on either side.
    auroc : float, str or (float, float)
        Believed AUROC of the signal, in [0.5, 1), or “weak”, “typical”, “strong”, “past results”; a number has a range
        of 0.1 on either side.
    confidence : float
        Of the interval, in (0, 1).
    target, past, parser : optional
        As in `core.design.recommend`; without a pool they do nothing.

    Returns
    -------
    DataFrame
        A row a method (“uniform”, “proxy-neyman” if there are generations, “recommended”): method, half_width,
        half_width_low, half_width_high (over the believed ranges), worst (whatever the losses are). Fractions of 1.

    Raises
    ------
    DesignError
        A parameter is out of its range.
    """
    if isinstance(pool_or_size, Pool):
        frame = pool_frame(pool_or_size, target, past, parser=parser)
    else:
        frame = assumed_frame(pool_or_size)
    table = curve(frame, belief(accuracy, auroc), [budget], Interval(confidence=confidence))
    columns = ["method", "half_width", "half_width_low", "half_width_high", "worst"]
    rows = table[columns].reset_index(drop=True)
    rows.attrs["signal"] = frame.signal
    return rows


def curve(frame: SamplingFrame, belief: Belief, budgets: Sequence[int], interval: Interval = DEFAULT) -> pd.DataFrame:
    """Half-widths of every method at several budgets.

    Parameters
    ----------
    frame : SamplingFrame
        The items.
    belief : Belief
        What is believed of the target.
    budgets : sequence of int
        Numbers of labels, from 1 to N; methods that need more of them have no row.
    interval : Interval
        How the interval is made.

    Returns
    -------
    DataFrame
        Tidy: method, budget, half_width, half_width_low, half_width_high, worst, relative_mse (expected squared error,
        Uniform = 1; NaN if Uniform's is 0).
    """
    rows = [
        _row(frame, belief, method, budget, interval)
        for method in frame.methods
        for budget in budgets
        if method != CHOSEN or budget >= frame.least(method)
    ]
    columns = ["method", "budget", "half_width", "half_width_low", "half_width_high", "worst", "relative_mse"]
    return pd.DataFrame(rows, columns=columns)


@lru_cache(maxsize=4096)
def _row(
    frame: SamplingFrame, belief: Belief, method: str, budget: int, interval: Interval
) -> tuple[str, int, float, float, float, float, float]:
    """A row of `curve`."""
    cut, whole = layout(frame, method, budget), layout(frame, UNIFORM.name, budget)
    middle = middle_risks(frame, belief)
    *widths, worst = forecast_widths(frame, belief, method, budget, interval)
    uniform = whole.mse(middle)
    ratio = cut.mse(middle) / uniform if uniform > 0 else math.nan
    return method, budget, widths[0], min(widths), max(widths), worst, ratio


@lru_cache(maxsize=4096)
def forecast_widths(
    frame: SamplingFrame, belief: Belief, method: str, budget: int, interval: Interval
) -> tuple[float, ...]:
    """Forecast half-widths at the middle of a belief, first, at its extremes, and, last, whatever the losses are.

    Parameters as in `layout`.
    """
    return tuple(layout(frame, method, budget).with_worst(_beliefs(frame, belief), interval).tolist())


def _beliefs(frame: SamplingFrame, belief: Belief) -> Array:
    """Risks at the middle of a belief, first, and at its extremes, (D, G)."""
    return np.stack([middle_risks(frame, belief), *(risks_of(frame, *pair) for pair in belief.extremes)])


def labels_for(
    frame: SamplingFrame, p: Array | None, method: str, half_width: float, interval: Interval = DEFAULT
) -> int | None:
    """Fewest labels whose forecast half-width is at most the wanted one; None if more than a million are needed.

    Parameters
    ----------
    frame : SamplingFrame
        The items.
    p : (G,) float or None
        Probability of failing at each level of the signal; None is the worst case.
    method : str
        As in `core.prospect.sampling_frame.layout`.
    half_width : float
        The wanted half-width, in (0, 1).
    interval : Interval
        How the interval is made.

    Raises
    ------
    DesignError
        The wanted half-width is not in (0, 1).
    """
    if not 0 < half_width < 1:
        raise DesignError(f"The half-width must lie between 0 and 1, such as 0.05 for 5 points. Found {half_width:g}.")

    def width(labels: int) -> float:
        return layout(frame, method, labels).half_width(p, interval)

    return fewest(width, frame.least(method), frame.n_items, half_width)


@lru_cache(maxsize=4096)
def uniform_labels(
    frame: SamplingFrame, belief: Belief, method: str, budget: int, interval: Interval
) -> tuple[int | None, ...]:
    """Labels with which Uniform is as precise, at the middle of a belief, first, and at its extremes.

    With fewer its expected squared error is larger, and its interval is wider. None if nothing varies, or more than a
    million are needed. Parameters as in `layout`.
    """
    beliefs, cut = _beliefs(frame, belief), layout(frame, method, budget)
    spread = layout(frame, UNIFORM.name, 1).moments(beliefs)[1][:, 0].tolist()
    widths = forecast_widths(frame, belief, method, budget, interval)[:-1]

    def needed(p: Array, variance: float, half_width: float) -> int | None:
        error = cut.mse(p)
        if min(error, variance) <= 0:
            return None
        exact = math.ceil((1 - _ROUNDING) * uniform_size(error, variance, frame.n_items))
        labels = fewest(lambda m: layout(frame, UNIFORM.name, m).half_width(p, interval), 1, exact, half_width) or exact
        return labels if labels <= _MOST_LABELS else None

    return tuple(map(needed, beliefs, spread, widths))


def fewest(width: Callable[[int], float], least: int, n_items: int, wanted: float) -> int | None:
    """Return the fewest labels from ``least`` on whose half-width is at most the wanted one; None if none of them is.

    Half-widths fall with the budget but for steps of whole strata, so a few budgets below the one found are tried too.
    """
    most, widest = min(n_items, _MOST_LABELS), wanted * (1 + _ROUNDING)
    # Half-widths fall about as 1/√M: each guess is the budget at which they would then be the wanted one.
    low, high = min(least, most) - 1, most + 1
    guess = max(min(most, 100), low + 1)
    for step in count():
        if high - low <= 1:
            break
        here = width(guess)
        fits = here <= widest
        low, high = (low, guess) if fits else (guess, high)
        guess = math.ceil(min(guess * (here / max(wanted, _ROUNDING)) ** 2, most + 1)) - fits
        if step >= _GUESSES:
            guess = (low + high) // 2
        guess = min(max(guess, low + 1), high - 1)
    first = high
    for fewer in (high - 2, high - 3):
        if fewer >= max(least, 1) and width(fewer) <= widest:
            first = fewer
    return first if high <= most else None


def grid(frame: SamplingFrame, *budgets: int) -> list[int]:
    """Round budgets for a curve, from 10 to 1,000 or twice the largest given one, at most N; and the given ones."""
    most = min(frame.n_items, max([_CURVE_END, *(2 * budget for budget in budgets)]))
    options = budget_options(min(10, most), most)
    ends = (options[0], options[-1])
    return sorted({*options[::2], *ends, *(min(budget, most) for budget in budgets)})


def middle_risks(frame: SamplingFrame, belief: Belief) -> Array:
    """Probabilities of failing at the levels of the frame's signal, at the middle of the belief, (G,)."""
    return risks_of(frame, belief.accuracy.middle, belief.auroc.middle)


@lru_cache(maxsize=256)
def risks_of(frame: SamplingFrame, accuracy: float, auroc: float) -> Array:
    """Probabilities of failing at the levels of the frame's signal, (G,), of `core.prospect.prior.risks`."""
    p = risks(frame.values, frame.items, accuracy, auroc)
    p.setflags(write=False)
    return p


def textbook_size(
    half_width: float, accuracy: float = 0.5, n_items: int | None = None, confidence: float = 0.95
) -> int:
    """Labels for a half-width by the textbook's formula for a simple random sample.

    Parameters
    ----------
    half_width : float
        e, in (0, 1).
    accuracy : float
        p, in [0, 1].
    n_items : int, optional
        N; None is very many.
    confidence : float
        In (0, 1).

    Returns
    -------
    int
        ⌈p(1−p)/(e²/z² + p(1−p)/N)⌉, as sample-size calculators give it. It rests on the normal approximation; the
        intervals of this package need a label or two more or fewer.

    Notes
    -----
    Cochran 1977, 4.4.
    """
    if not 0 < half_width < 1 or not 0 <= accuracy <= 1 or not 0 < confidence < 1:
        raise DesignError("Give a half-width and a confidence between 0 and 1, and an accuracy from 0 to 1.")
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    variance = accuracy * (1 - accuracy)
    if not variance:
        return 1
    return max(1, math.ceil(uniform_size(half_width**2 / z**2, variance, n_items or math.inf) - 1e-9))


def from_labels(
    frame: SamplingFrame,
    belief: Belief,
    labels: int,
    prices: Costs | None = None,
    interval: Interval = DEFAULT,
    method: str = RECOMMENDED.name,
    measured: bool = False,
    rests_on: str = "",
) -> Promise:
    """Return the promise of a number of labels, forecast from what is believed.

    Parameters
    ----------
    frame : SamplingFrame
        The items.
    belief : Belief
        What is believed of the target.
    labels : int
        M, from 1 to N.
    prices : Costs, optional
        What labels cost.
    interval : Interval
        How the interval is made.
    method : str
        As in `core.prospect.sampling_frame.layout`.
    measured, rests_on
        As in `Promise`.

    Raises
    ------
    DesignError
        The number of labels is out of its range.
    """
    *widths, worst = forecast_widths(frame, belief, method, labels, interval)
    needed = uniform_labels(frame, belief, method, labels, interval)
    saved = [1 - labels / count for count in needed if count is not None]
    n_items = None if frame.n_items >= VERY_MANY else frame.n_items
    return Promise(
        Payment(prices or Costs(), labels, needed[0], n_items),
        half_width=widths[0],
        low=min(widths),
        high=max(widths),
        uniform=layout(frame, UNIFORM.name, labels).half_width(middle_risks(frame, belief), interval),
        rests_on=rests_on,
        worst=worst,
        saved_low=min(saved, default=math.nan),
        saved_high=max(saved, default=math.nan),
        agreeing=frame.agreeing,
        measured=measured,
    )
