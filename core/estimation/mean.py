"""From labels to an estimate: value, standard error, interval (docs/method.md, 2.4 and 5.7)."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.special import rel_entr

from ..errors import DesignError
from ..words import counted, level, notebook, span, strata_named
from .intervals import DEFAULT, TILTED, Interval, Limits, within_pool
from .variance import satterthwaite, stratum_variances, variance_terms

CENSUS = "census: every item is labelled"
LONELY = "no interval: one label per stratum gives no variance"
CONSTANT = "no interval: labels that agree give no variance"
POOLED = " with the pooled variance for strata of one label"


@dataclass(frozen=True, slots=True)
class Estimate:
    """An estimate with its uncertainty.

    Parameters
    ----------
    value : float
        Of what ``measure`` names.
    standard_error : float
        With finite-population correction; NaN if the labels give no variance.
    low, high : float
        Confidence limits.
    n_labels : int
        M.
    method : str
        How the interval was made, in words.
    measure : str
        What is estimated: "mean loss", "accuracy", "mean score", "precision", "difference in accuracy", …
    warning : str
        Why the limits may be too narrow, with limits that hold all the same; "" if nothing says so.
    """

    value: float
    standard_error: float
    low: float
    high: float
    n_labels: int
    method: str
    measure: str = "mean loss"
    warning: str = ""

    @property
    def has_interval(self) -> bool:
        """Whether the labels give limits; False if these are the widest there are."""
        return not math.isnan(self.standard_error) and math.isfinite(self.high - self.low)

    def summary_frame(self) -> pd.DataFrame:
        """One row: value, standard_error, low, high, n_labels, method, measure, warning."""
        return pd.DataFrame([asdict(self)])

    def __repr__(self) -> str:
        labels = f"{self.n_labels:,} label{'' if self.n_labels == 1 else 's'}"
        numbers = f"{self.value:.3f} ({self.low:.3f} to {self.high:.3f})".replace("-", "−")
        # What the interval rests on stands in the field.
        said = f"Estimate of {self.measure}: {numbers}, {labels}, {self.method.split(',')[0]}"
        return f"{said}. {self.warning}" if self.warning else said

    def _repr_html_(self) -> str:
        columns = {"standard_error": "standard error", "n_labels": "labels"}
        table = self.summary_frame().drop(columns=["method", "measure", "warning"]).rename(columns=columns)
        return notebook.table(f"Estimate of {self.measure}", table, [self.method, *filter(None, [self.warning])])


@dataclass(frozen=True, slots=True, eq=False)
class Weighing:
    """Weights of the items of a sample whose losses are in units of the largest that their stratum allows.

    Parameters
    ----------
    share : (H,) float
        W_h = N_h u_h/Σ w, u_h the largest weight of the stratum: the mean is Σ W_h z̄_h + shift.
    shift : float
        0 of losses z = (w/u_h) ℓ; 1 − Σ W_h of values z = 1 − (w/u_h)(1 − v).
    known : float
        Σ w ℓ/Σ w over the labelled items.
    rest : float
        Share of the other items in Σ w.
    weights, losses : (M,) float
        Weights of the labelled items, where all of the pool have a mean of 1, and their losses or values.
    bands : (H,) int
        Band of each stratum, ascending: in each the strata have an order of risk of their own.
    """

    share: NDArray[np.float64]
    shift: float
    known: float
    rest: float
    weights: NDArray[np.float64]
    losses: NDArray[np.float64]
    bands: NDArray[np.int64]

    @property
    def binary(self) -> bool:
        """Whether all losses are 0 or 1."""
        return bool(np.isin(self.losses, (0.0, 1.0)).all())


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """A stratified sample in the numbers that every estimate needs.

    Parameters
    ----------
    counts, sizes : (H,) int
        Labels m_h and items N_h.
    means : (H,) float
        Mean losses ℓ̄_h.
    variances : (H,) float
        s_h² as used: pooled in a stratum of one label, NaN if nothing can be estimated.
    terms : (H,) float
        Variance terms W_h² (1−f_h) s_h²/m_h.
    pooled : bool
        Whether a stratum of one label took the pooled variance.
    fpc : bool
        Whether the terms have the finite-population correction.
    losses, strata : (M,)
        The labels themselves.
    weighing : Weighing or None
        If items count by their weights: losses, means and variances are then in units of its scale.
    """

    counts: NDArray[np.int64]
    sizes: NDArray[np.int64]
    means: NDArray[np.float64]
    variances: NDArray[np.float64]
    terms: NDArray[np.float64]
    pooled: bool
    fpc: bool
    losses: NDArray[np.float64]
    strata: NDArray[np.int64]
    weighing: Weighing | None = None

    @property
    def share(self) -> NDArray[np.float64]:
        """W_h, (H,)."""
        return self.sizes / self.sizes.sum() if self.weighing is None else self.weighing.share

    @property
    def value(self) -> float:
        """R̂ = Σ W_h ℓ̄_h."""
        if self.weighing is not None:
            return float(self.share @ self.means) + self.weighing.shift
        return float(self.sizes @ self.means / self.sizes.sum())

    @property
    def variance(self) -> float:
        """V̂ = Σ W_h² (1−f_h) s_h²/m_h; NaN if nothing can be estimated."""
        return float(self.terms.sum())

    @property
    def n_labels(self) -> int:
        """M."""
        return int(self.counts.sum())

    @property
    def df(self) -> int:
        """Degrees of freedom M − H."""
        return self.n_labels - self.sizes.size

    @property
    def satterthwaite_df(self) -> float:
        """Degrees of freedom (Σ v_h)² / Σ v_h²/(m_h − 1) of V̂; a stratum of one label counts with one."""
        return float(satterthwaite(self.terms, np.maximum(self.counts - 1, 1)))

    @property
    def census(self) -> bool:
        """Whether every item is labelled, so that nothing is left to estimate."""
        return self.fpc and np.array_equal(self.counts, self.sizes)

    def estimate(self, interval: Interval = DEFAULT) -> Estimate:
        """Estimate from the sample, as `stratified`."""
        value, variance, labels, method = self.value, self.variance, self.n_labels, interval.method
        if self.census:
            return Estimate(value, 0.0, value, value, labels, CENSUS)
        method += POOLED if self.pooled else ""
        if not interval.bounded:
            return student(interval, value, variance, self.satterthwaite_df, labels, method)
        if math.isnan(variance):
            return Estimate(value, math.nan, 0.0, 1.0, labels, LONELY)
        error, value = math.sqrt(variance), min(max(value, 0.0), 1.0)
        limits = self.limits(interval)
        if self.fpc and interval.name != "wald":
            limits = self.within_pool(limits, value)
        return self.warned(Estimate(value, error, float(limits.low), float(limits.high), labels, method), interval)

    def within_pool(self, limits: Limits, value: float) -> Limits:
        """Cut limits to what the labels leave possible."""
        if self.weighing is not None:
            known, most = self.weighing.known, self.weighing.known + self.weighing.rest
            low, high = np.clip((limits.low, limits.high), known, most)
            return Limits(np.minimum(low, value), np.maximum(high, value))
        total = float(self.counts @ self.means)
        return within_pool(limits, value, total, self.n_labels, int(self.sizes.sum()), self.binary)

    def warned(self, estimate: Estimate, interval: Interval, what: str = "the mean") -> Estimate:
        """Add to an estimate from these losses that large ones may be too rare to be seen, if that matters.

        Parameters
        ----------
        estimate : Estimate
            Of the sample, or of one that it is a part of.
        interval : Interval
            How its limits were made.
        what : str
            What the sample estimates.
        """
        half = (estimate.high - estimate.low) / 2
        binary = self.binary if self.weighing is None else self.weighing.binary
        if not interval.bounded or not estimate.has_interval or binary or self.census or self.unseen <= half / 2:
            return estimate
        labels, sure = counted(self.n_labels, "label"), level(interval.confidence)
        warning = (
            f"Hardly one of these {labels} lies near one end of the scale. Items there may be too rare to be seen; the "
            f"interval is too short then. Whatever the other items are, {what} is "
            f"{span(*self.whatever(interval.confidence), True)} (with {sure} confidence at least)."
        )
        return replace(estimate, warning=warning)

    def limits(self, interval: Interval = DEFAULT) -> Limits:
        """Limits of bounded losses, not cut to what is possible."""
        if not interval.tilted:
            return interval.limits(min(max(self.value, 0.0), 1.0), self.variance, self.n_labels, self.df)
        if self.weighing is not None:
            labels = by_stratum(self.losses, self.strata, self.counts)
            given = ~np.isnan(labels)
            parts = np.where(given, labels, 0.0), given.astype(np.float64), self.counts, self.sizes
            limits = interval.of_labels(*parts, finite=self.fpc, waves=self.weighing.bands, weights=self.share)
            return Limits(limits.low[0] + self.weighing.shift, limits.high[0] + self.weighing.shift)
        values, kind = np.unique(self.losses, return_inverse=True)
        tallies = tallied(self.strata, kind, self.sizes.size, values.size)
        limits = interval.of_labels(values, tallies[None], self.counts, self.sizes, finite=self.fpc)
        return Limits(limits.low[0], limits.high[0])

    def as_uniform(self, interval: Interval) -> Limits:
        """Limits of the uniform sample to expect from the pool that these labels tell of, with tilted limits."""
        values, kind = np.unique(self.losses, return_inverse=True)
        share = (self.sizes / self.counts)[self.strata] * self.n_labels / self.sizes.sum()
        tallies = np.bincount(kind, weights=share, minlength=values.size)[None, None]
        limits = interval.of_labels(values, tallies, [self.n_labels], [self.sizes.sum()], finite=self.fpc)
        total = self.n_labels * self.value
        limits = within_pool(limits, self.value, total, self.n_labels, int(self.sizes.sum()), self.binary)
        return Limits(limits.low[0], limits.high[0])

    @property
    def binary(self) -> bool:
        """Whether all losses are 0 or 1."""
        return bool(np.isin(self.losses, (0.0, 1.0)).all())

    @property
    def unseen(self) -> float:
        """Most by which losses near 0 or 1 that are too rare to be seen may shift the mean.

        That is 3/M times the distance from the end to the third loss from it: what fewer than 3 in M items have is
        missed by one sample in twenty, and three labels of a kind tell of it.
        """
        ordered, third = np.sort(self.losses), min(3, self.losses.size)
        return 3 / self.n_labels * float(max(ordered[third - 1], 1 - ordered[-third]) * self.share.sum())

    def whatever(self, confidence: float = 0.95) -> tuple[float, float]:
        """Limits of the mean of any losses in [0, 1], however rare the large ones are.

        Parameters
        ----------
        confidence : float
            In (0, 1), at least; both sides share what is left.

        Notes
        -----
        Hoeffding 1963, theorem 1, which holds for strata and without replacement: of M y_i = ℓ_i W_h/(m_h w), w the
        largest W_h/m_h, the mean is above μ with a probability of at most exp(−M KL(ȳ, μ)).
        """
        scale, whole = self.n_labels * float((self.share / self.counts).max()), float(self.share.sum())
        bound = math.log(2 / (1 - confidence)) / self.n_labels
        value, shift = min(max(float(self.share @ self.means), 0.0), whole), self.value - float(self.share @ self.means)
        low, high = whole - scale * _above((whole - value) / scale, bound), scale * _above(value / scale, bound)
        return max(low + shift, 0.0), min(high + shift, 1.0)

    def worst_case(self, given_up: NDArray[np.int64], interval: Interval = DEFAULT) -> tuple[float, float]:
        """Limits of the whole pool's mean loss whatever the losses in [0, 1] of items that get no label are.

        Parameters
        ----------
        given_up : (H,) int
            Items of each stratum that were drawn and will get no label. They are part of the sample: the lower limit
            is that with all of them 0, the upper one that with all of them 1 (Manski 2003, 1.2).
        interval : Interval
            How limits are made, bounded.
        """
        gone = np.repeat(np.arange(self.sizes.size), given_up)
        strata = np.concatenate([self.strata, gone])
        least, most = (
            self._with(np.concatenate([self.losses, np.full(gone.size, loss)]), strata) for loss in (0.0, 1.0)
        )
        return least.estimate(interval).low, most.estimate(interval).high

    def _with(self, losses: NDArray[np.float64], strata: NDArray[np.int64]) -> Sample:
        """The sample with other labels; of weights, in units of the largest of each stratum."""
        other = sample(losses, strata, self.sizes, fpc=self.fpc)
        if self.weighing is None:
            return other
        terms = variance_terms(other.counts, other.variances, other.sizes, self.fpc, self.share)
        return replace(other, terms=terms, weighing=self.weighing)

    def __repr__(self) -> str:
        return f"Sample of {self.n_labels:,} labels in {self.sizes.size} strata of {int(self.sizes.sum()):,} items"


def stratified(
    losses: ArrayLike,
    strata: ArrayLike,
    sizes: ArrayLike,
    confidence: float = 0.95,
    bounded: bool = True,
    *,
    interval: str = TILTED,
    conservative: bool | None = None,
    fpc: bool = True,
) -> Estimate:
    """Horvitz–Thompson estimate of the mean loss from a stratified sample, R̂ = (1/N) Σ_h N_h ℓ̄_h.

    Parameters
    ----------
    losses : (M,) float
        Losses of the labelled items, in [0, 1] if ``bounded``.
    strata : (M,) int
        Their strata, 0 … H−1.
    sizes : (H,) int
        Items N_h ≥ 1 of each stratum in the pool. Every stratum needs at least one label.
    confidence : float
        In (0, 1).
    bounded : bool
        Whether losses lie in [0, 1]. If not, limits are R̂ ± t SE with Satterthwaite's degrees of freedom. If so, they
        are cut to what the labels leave possible, [Σℓ/N, (Σℓ + N−M)/N]; Wald's stay as they are.
    interval : str
        For bounded losses, one of `core.words.INTERVAL_METHODS`: tilted limits (`core.estimation.tilting`), or others
        to compare them with.
    conservative : bool or None
        Without effect; see `Interval`.
    fpc : bool
        Whether to apply the finite-population correction. Without it the estimate is of all items that could have been
        in the pool, even a census leaves an interval, and limits are not cut.

    Returns
    -------
    Estimate
        V̂ = Σ W_h² (1−f_h) s_h²/m_h; a fully labelled stratum contributes 0. A stratum with one label takes the pooled
        within-stratum variance. If every stratum has one label, the standard error is NaN and the limits are 0 and
        1 (±inf without bounds). Without bounds V̂ = 0 leaves no limits either (`Estimate.has_interval`).

    Raises
    ------
    DesignError
        No stratum, a stratum without a label or with more labels than items, strata or sizes that are not whole
        numbers, a loss that is not finite or lies outside [0, 1], an unknown interval, a confidence outside (0, 1).

    Notes
    -----
    The paper, equation "estimator"; docs/method.md, 5.7; Korn & Graubard 1998 for n_eff.
    """
    how = Interval(interval, confidence, bounded, conservative)
    return sample(losses, strata, sizes, bounded, fpc).estimate(how)


def sample(losses: ArrayLike, strata: ArrayLike, sizes: ArrayLike, bounded: bool = True, fpc: bool = True) -> Sample:
    """Sample that `stratified` estimates from; the same parameters and errors."""
    loss, stratum, size = _checked(losses, strata, sizes, bounded)
    counts = np.bincount(stratum, minlength=size.size)
    if np.any(counts == 0):
        empty = strata_named(np.flatnonzero(counts == 0))
        raise DesignError(f"No item of {empty} is labelled: label at least one item of every stratum.")
    if np.any(counts > size):
        over = int(np.argmax(counts > size))
        raise DesignError(
            f"Stratum {over} has {counts[over]} labels but only {size[over]} items: remove duplicate labels."
        )
    means, squares = _means_and_squares(loss, stratum, counts)
    single = counts == 1
    if fpc:
        single &= size > 1
    variances = stratum_variances(counts, squares, single)
    terms = variance_terms(counts, variances, size, fpc)
    return Sample(counts, size, means, variances, terms, bool(single.any()), fpc, loss, stratum)


def uniform(losses: ArrayLike, pool_size: int, confidence: float = 0.95, bounded: bool = True) -> Estimate:
    """Mean of a simple random sample without replacement.

    Parameters
    ----------
    losses : (M,) float
        Losses of the labelled items.
    pool_size : int
        N ≥ M.
    confidence, bounded
        As in `stratified`, which this is with one stratum.
    """
    loss = np.asarray(losses, dtype=np.float64)
    return stratified(loss, np.zeros(loss.size, dtype=np.int64), [pool_size], confidence, bounded)


def student(
    interval: Interval, value: float, variance: float, df: float, labels: int, method: str, measure: str = "mean loss"
) -> Estimate:
    """Estimate value ± t SE of losses without bounds; ±inf if the variance is 0 or unknown.

    Parameters
    ----------
    interval : Interval
        Not bounded.
    value, variance, df : float
        R̂, V̂ (NaN: unknown) and its degrees of freedom.
    labels, method, measure
        As in `Estimate`.
    """
    if not variance > 0:
        error, reason = (math.nan, LONELY) if math.isnan(variance) else (0.0, CONSTANT)
        return Estimate(value, error, -math.inf, math.inf, labels, reason, measure)
    limits = interval.limits(value, variance, labels, df)
    return Estimate(value, math.sqrt(variance), float(limits.low), float(limits.high), labels, method, measure)


def by_stratum(
    losses: NDArray[np.float64], strata: NDArray[np.int64], counts: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Losses of a sample in a row for each stratum, (1, H, S); NaN beyond its labels."""
    table, order = np.full((1, counts.size, int(counts.max())), np.nan), np.argsort(strata, kind="stable")
    place = np.arange(strata.size) - np.repeat(np.cumsum(counts) - counts, counts)
    table[0, strata[order], place] = losses[order]
    return table


def tallied(strata: NDArray[np.int64], kinds: NDArray[np.int64], n_strata: int, n_kinds: int) -> NDArray[np.int64]:
    """Count the labels of each kind in each stratum, (H, K), from the stratum and the kind of each, (M,)."""
    cells = np.bincount(strata * n_kinds + kinds, minlength=n_strata * n_kinds)
    return np.asarray(cells.reshape(n_strata, n_kinds))


def _above(mean: float, bound: float) -> float:
    """The largest μ in [mean, 1] with KL(mean, μ) ≤ bound, by bisection."""
    low, high = mean, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        near = float(rel_entr(mean, middle) + rel_entr(1 - mean, 1 - middle)) <= bound
        low, high = (middle, high) if near else (low, middle)
    return high


def _means_and_squares(
    loss: NDArray[np.float64], stratum: NDArray[np.int64], counts: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """ℓ̄_h and Σ (ℓ − ℓ̄_h)² of each stratum; exactly the loss and 0 if all labels of a stratum are equal.

    Deviations are taken from one loss of the stratum: rounding of the mean would pass for V̂ > 0 and shrink the interval
    to a point.
    """
    one_of_each = np.zeros(counts.size)
    one_of_each[stratum] = loss
    deviations = loss - one_of_each[stratum]
    shifts = np.bincount(stratum, weights=deviations, minlength=counts.size) / counts
    squares = np.bincount(stratum, weights=(deviations - shifts[stratum]) ** 2, minlength=counts.size)
    return one_of_each + shifts, np.asarray(squares, dtype=np.float64)


def _checked(
    losses: ArrayLike, strata: ArrayLike, sizes: ArrayLike, bounded: bool
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
    stratum, size = _whole(strata, "strata of the labelled items"), _whole(sizes, "sizes of the strata")
    try:
        loss = np.asarray(losses, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DesignError("Some losses are not numbers: give a number for each labelled item.") from error
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
        raise DesignError("Some losses lie outside 0 … 1: use bounded=False for such losses.")
    if loss.size and (stratum.min() < 0 or stratum.max() >= size.size):
        raise DesignError(f"Strata of the labelled items must be between 0 and {size.size - 1}.")
    return loss, stratum, size


def _whole(values: ArrayLike, name: str) -> NDArray[np.int64]:
    given = np.asarray(values)
    whole = given.dtype.kind in "iub" or (given.dtype.kind == "f" and np.array_equal(given, np.rint(given)))
    if given.size and not whole:
        raise DesignError(f"The {name} must be whole numbers.")
    return given.astype(np.int64)
