"""From labels to an estimate: value, standard error, interval.

The value and the standard error are the design-based ones (METHOD 2.4); the default interval is METHOD 5.7's, the
others are those of `core.estimation.intervals`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtrit

from core.errors import DesignError
from core.estimation import intervals
from core.estimation.variance import cautious, degrees, stratum_variances, uneven, variance_terms


@dataclass(frozen=True, slots=True)
class Estimate:
    """An estimated mean loss with its uncertainty.

    ``value`` R̂; ``standard_error`` with finite-population correction; ``low``, ``high`` the confidence limits;
    ``n_labels`` M; ``method``: how the interval was made, in words.
    """

    value: float
    standard_error: float
    low: float
    high: float
    n_labels: int
    method: str

    @property
    def has_interval(self) -> bool:
        """Whether the labels show a spread from which limits follow; False → the limits are the widest there are."""
        return not math.isnan(self.standard_error) and math.isfinite(self.high - self.low)


@dataclass(frozen=True, slots=True)
class Sample:
    """A stratified sample in the numbers that every estimate needs.

    ``counts`` (H,) m_h; ``sizes`` (H,) N_h; ``means`` (H,) ℓ̄_h; ``variances`` (H,) s_h² as used (pooled in a stratum of
    one label, NaN where nothing can be estimated); ``terms`` (H,) W_h² (1−f_h) s_h²/m_h; ``borrowed``: whether a
    stratum of one label took the pooled variance; ``losses``, ``strata`` (M,) the labels themselves.
    """

    counts: NDArray[np.int64]
    sizes: NDArray[np.int64]
    means: NDArray[np.float64]
    variances: NDArray[np.float64]
    terms: NDArray[np.float64]
    borrowed: bool
    losses: NDArray[np.float64]
    strata: NDArray[np.int64]

    @property
    def value(self) -> float:
        """R̂ = Σ W_h ℓ̄_h."""
        return float(self.sizes @ self.means / self.sizes.sum())

    @property
    def variance(self) -> float:
        """V̂ = Σ W_h² (1−f_h) s_h²/m_h; NaN where nothing can be estimated."""
        return float(self.terms.sum())

    @property
    def n_labels(self) -> int:
        """M."""
        return int(self.counts.sum())

    @property
    def free(self) -> int:
        """M − H."""
        return self.n_labels - self.sizes.size

    @property
    def census(self) -> bool:
        """Whether every item is labelled."""
        return np.array_equal(self.counts, self.sizes)


def stratified(
    losses: ArrayLike,
    strata: ArrayLike,
    sizes: ArrayLike,
    confidence: float = 0.95,
    bounded: bool = True,
    interval: str = "wilson",
    finite: bool = True,
    sturdy: bool | None = False,
) -> Estimate:
    """Horvitz–Thompson estimate of the mean loss from a stratified sample, R̂ = (1/N) Σ_h N_h ℓ̄_h.

    Parameters
    ----------
    losses : (M,) float, the labelled items' losses; in [0, 1] if ``bounded``. strata : (M,) int, their strata, 0 … H−1.
    sizes : (H,) int ≥ 1, the strata's sizes N_h in the pool; every stratum needs at least one label.
    confidence : in (0, 1). bounded : True → limits by ``interval``, one of `core.estimation.intervals.NAMES`; the
        default is Wilson with effective sample size n_eff = R̂(1−R̂)/V̂ and t_{M−H}, n_eff = M when V̂ = 0. False → R̂
        ± t·SE with Satterthwaite degrees of freedom. finite : False → no finite-population correction: the estimate is
        then of all items that could have been in the pool, not of this pool, and even a census leaves an interval.
        sturdy : True → limits for a sample in which strata have few labels for their size, for losses in [0, 1], by
        `core.estimation.variance.cautious`: two or three labels that agree then no longer pass for a stratum without
        spread. None → where the labels are `core.estimation.variance.uneven`.
        The standard error stays as it is.

    Returns
    -------
    Estimate. V̂ = Σ W_h² (1−f_h) s_h²/m_h; a fully labelled stratum contributes 0; a stratum with one label has no
    variance of its own and takes the pooled within-stratum variance (named in ``method``). Where no variance can be
    estimated at all (one label in each stratum) standard error and limits fall back to the widest honest ones: NaN
    and [0, 1] (±inf). Without bounds V̂ = 0 leaves no limits either: ±inf (`Estimate.has_interval`).

    Raises
    ------
    DesignError : no stratum, one without a label or with more labels than items, strata or sizes that are no whole
        numbers, a loss that is not finite or outside [0, 1], an unknown interval, a confidence outside (0, 1).

    Source: paper, equation "estimator"; METHOD 5.7; Wilson 1927; Korn & Graubard 1998 for n_eff.
    """
    intervals.check(interval, confidence)
    found = sample(losses, strata, sizes, bounded, finite)
    value, variance = found.value, found.variance
    note = " with the pooled variance for strata of one label" if found.borrowed else ""
    if found.census and finite:
        return Estimate(value, 0.0, value, value, found.n_labels, "census: every item is labelled")
    if math.isnan(variance):
        low, high = (0.0, 1.0) if bounded else (-math.inf, math.inf)
        words = "no interval: one label in each stratum shows no spread"
        return Estimate(value, math.nan, low, high, found.n_labels, words)
    error = math.sqrt(variance)
    if bounded:
        value, free = min(max(value, 0.0), 1.0), float(found.free)
        if uneven(found.counts, found.sizes) if sturdy is None else sturdy:
            likely, freedom = cautious(found.counts, found.sizes, found.means, found.variances, finite)
            variance, free = float(likely), float(freedom)
            note += ", widened for strata with few labels"
        reach = intervals.limits(interval, value, variance, found.n_labels, free, confidence)
        words = intervals.NAMES[interval] + note
        return Estimate(value, error, float(reach.low), float(reach.high), found.n_labels, words)
    if not variance > 0:
        words = "no interval: labels that agree show no spread, and losses have no bounds"
        return Estimate(value, 0.0, -math.inf, math.inf, found.n_labels, words)
    half = float(stdtrit(satterthwaite(found), 0.5 + confidence / 2)) * error
    return Estimate(value, error, value - half, value + half, found.n_labels, "stratified t, Satterthwaite" + note)


def sample(losses: ArrayLike, strata: ArrayLike, sizes: ArrayLike, bounded: bool = True, finite: bool = True) -> Sample:
    """The sample that `stratified` estimates from; the same parameters and errors."""
    loss, stratum, size = _checked(losses, strata, sizes, bounded)
    counts = np.bincount(stratum, minlength=size.size)
    _check_counts(counts, size)
    means, squares = _means_and_squares(loss, stratum, counts)
    single = counts == 1
    if finite:
        single &= size > 1
    variances = stratum_variances(counts, squares, single)
    terms = variance_terms(counts, variances, size, finite)
    return Sample(counts, size, means, variances, terms, bool(single.any()), loss, stratum)


def uniform(
    losses: ArrayLike, pool_size: int, confidence: float = 0.95, bounded: bool = True, interval: str = "wilson"
) -> Estimate:
    """Mean of a simple random sample without replacement, as `stratified` with one stratum of ``pool_size`` items."""
    loss = np.asarray(losses, dtype=np.float64)
    return stratified(loss, np.zeros(loss.size, dtype=np.int64), [pool_size], confidence, bounded, interval)


def _means_and_squares(
    loss: NDArray[np.float64], stratum: NDArray[np.int64], counts: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """ℓ̄_h and Σ (ℓ − ℓ̄_h)² of each stratum; exactly the loss and 0 where all labels of a stratum are equal.

    Deviations are taken from one loss of the stratum: a spread that is only rounding of the mean would pass for V̂ > 0
    and shrink the interval to a point.
    """
    one_of_each = np.zeros(counts.size)
    one_of_each[stratum] = loss
    deviations = loss - one_of_each[stratum]
    shifts = np.bincount(stratum, weights=deviations, minlength=counts.size) / counts
    squares = np.bincount(stratum, weights=(deviations - shifts[stratum]) ** 2, minlength=counts.size)
    return one_of_each + shifts, np.asarray(squares, dtype=np.float64)


def satterthwaite(found: Sample) -> float:
    """Degrees of freedom (Σ v_h)² / Σ v_h²/(m_h − 1) of V̂ > 0; one-label strata count with one degree."""
    return float(degrees(found.terms, np.maximum(found.counts - 1, 1)))


def _checked(
    losses: ArrayLike, strata: ArrayLike, sizes: ArrayLike, bounded: bool
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
    stratum, size = _whole(strata, "strata of the labelled items"), _whole(sizes, "sizes of the strata")
    try:
        loss = np.asarray(losses, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DesignError("Some losses are no numbers: give a number for each labelled item.") from error
    if size.ndim != 1 or not size.size or size.min() < 1:
        raise DesignError("The sizes of the strata must be a list of numbers of items, each at least 1.")
    if loss.shape != stratum.shape or loss.ndim != 1:
        raise DesignError(
            f"There are {loss.size} losses and {stratum.size} strata: give the stratum of each labelled item."
        )
    unknown = int((~np.isfinite(loss)).sum())
    if unknown:
        raise DesignError(f"{unknown} of {loss.size} losses are unknown (NaN or infinite): leave unlabelled items out.")
    if bounded and np.any((loss < 0) | (loss > 1)):
        raise DesignError("Some losses lie outside 0 … 1: choose the interval for unbounded losses.")
    if loss.size and (stratum.min() < 0 or stratum.max() >= size.size):
        raise DesignError(f"Strata of the labelled items must be between 0 and {size.size - 1}.")
    return loss, stratum, size


def _whole(values: ArrayLike, name: str) -> NDArray[np.int64]:
    given = np.asarray(values)
    whole = given.dtype.kind in "iub" or (given.dtype.kind == "f" and np.array_equal(given, np.rint(given)))
    if given.size and not whole:
        raise DesignError(f"The {name} must be whole numbers.")
    return given.astype(np.int64)


def _check_counts(counts: NDArray[np.int64], size: NDArray[np.int64]) -> None:
    if np.any(counts == 0):
        empty = ", ".join(str(h) for h in np.flatnonzero(counts == 0))
        raise DesignError(f"No item of stratum {empty} is labelled: label at least one item of every stratum.")
    if np.any(counts > size):
        over = int(np.argmax(counts > size))
        raise DesignError(
            f"Stratum {over} has {counts[over]} labels but only {size[over]} items: remove double labels."
        )
