"""Estimates for each group of the pool (subject, language, source …) from the one stratified sample.

The groups' sizes in the strata are known from the pool. If every stratum that holds items of a group also holds at
least two labels of it, the group's labels are a stratified sample of the group itself, and the known sizes N_gh weight
it ("stratified within the group"; Särndal et al. 1992, 10.3, conditional on the numbers of labels). Otherwise the
estimate is the ratio Σ w ℓ / Σ w over the group's labels ("ratio"; docs/method.md, 6.2).

Beside it stands a model-based estimate, which borrows from the other groups and is biased: predictions of the group's
open items, moved by the mean residual of its n labels times n/(n + 15) (docs/method.md, 6.6).
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from ..errors import DesignError
from .carried import CarriedSample, recovered
from .contrasts import ratio
from .intervals import DEFAULT, Interval
from .mean import Estimate, sample
from .shrinkage import PRIOR_LABELS
from .waves import Waves
from .weighting import WeightedLabels

_OWN, _MODEL = ("value", "standard_error", "low", "high"), ("model_value", "model_low", "model_high")
_COLUMNS = ("group", "items", "labels", *_OWN, "joint_low", "joint_high", "estimator", "method", *_MODEL)
# Labels of a group that weigh as much as what the other groups predict of it.
_WORTH = 15.0
# Standard errors that are added to the variance between groups around a given prediction.
_CAUTION = 0.5
# Coefficients of a prediction that the labels may have corrected.
_FITTED = 2
WITHIN, RATIO, NONE = "stratified within the group", "ratio", "no labels"
CARRIED = "carried verdicts and open items"


@dataclass(frozen=True, slots=True, eq=False)
class _Labels:
    """M labels of a pool of N items: losses and places of the labelled ones, (M,), and the stratum of every item."""

    loss: NDArray[np.float64]
    place: NDArray[np.int64]
    stratum: NDArray[np.int64]

    def check(self, groups: Sequence[object] | pd.Categorical, bounded: bool) -> None:
        """Refuse what does not fit together."""
        loss, place, n_items = self.loss, self.place, self.stratum.size
        if loss.shape != place.shape:
            raise DesignError(
                f"There are {loss.size} losses and {place.size} positions: give both for each labelled item."
            )
        if not np.isfinite(loss).all():
            raise DesignError("Some losses are unknown: leave out items without a label.")
        if bounded and np.any((loss < 0) | (loss > 1)):
            raise DesignError("Some losses lie outside 0 … 1: use Interval(bounded=False) for such losses.")
        if n_items and self.stratum.min() < 0:
            raise DesignError("Strata of the items must be at least 0.")
        if len(groups) != n_items:
            raise DesignError(f"There are {len(groups)} groups for {n_items} items: give the group of every item.")
        if place.size and (place.min() < 0 or place.max() >= n_items):
            raise DesignError(f"Positions of labelled items must be between 0 and {n_items - 1}.")
        if np.unique(place).size != place.size:
            raise DesignError("An item has two labels: settle them first.")


def domains(
    losses: ArrayLike,
    positions: ArrayLike,
    strata: ArrayLike,
    groups: Sequence[object] | pd.Categorical,
    interval: Interval = DEFAULT,
    predicted: ArrayLike | None = None,
    in_waves: Waves | WeightedLabels | None = None,
) -> pd.DataFrame:
    """One row for each group of the pool, the largest first.

    Parameters
    ----------
    losses : (M,) float
        Losses of the labelled items, in [0, 1] if ``interval.bounded``.
    positions : (M,) int
        Their places in the pool.
    strata : (N,) int
        Stratum of every item.
    groups : (N,)
        Group of every item, also as a `pandas.Categorical`; None or NaN means no group.
    interval : Interval
        Of each group on its own.
    predicted : (N,) float, optional
        A prediction of every item's loss, of which at most two coefficients were fitted to the losses given here. None
        takes the means of the strata, each joined by three labels distributed as the whole pool's.
    in_waves : Waves or WeightedLabels, optional
        The same labels, if they were taken in waves: groups are then ratios with the waves' weights. Or if items count
        by their weights: losses are then values, 1 − loss, and no estimate is model-based.

    Returns
    -------
    DataFrame
        group, items, labels, value, standard_error, low, high, joint_low, joint_high, estimator (`WITHIN`, `RATIO`,
        `NONE`), method. A group without labels has NaN and [0, 1], or ±inf if not bounded. A group without a variance
        estimate has a value and the same limits. The confidence level applies to each interval separately: at 95 %, one
        interval in twenty misses on average. The joint limits hold for all groups with labels at once (Bonferroni).
        Then model_value, model_low, model_high: the model-based estimate of each group, also of those without labels,
        with limits from its mean squared error; NaN if the labels give no variance.

    Raises
    ------
    DesignError
        Lengths that differ, a position outside the pool or twice, or as `core.estimation.stratified`.
    """
    labels = _Labels(np.asarray(losses, np.float64), np.asarray(positions, np.int64), np.asarray(strata, np.int64))
    labels.check(groups, interval.bounded)
    # Groups are known by how they are written: 1 and "1" are one.
    given = pd.Series(groups) if isinstance(groups, pd.Categorical) else pd.Series(list(groups), dtype=object)
    code, names = pd.factorize(given.map(str, na_action="ignore"))
    group = code[labels.place]
    labelled = max(np.unique(group[group >= 0]).size, 1)
    joint_interval = replace(interval, confidence=1 - (1 - interval.confidence) / labelled)
    unknown = np.full(len(names), math.nan)
    models = (unknown, unknown, unknown)
    if not isinstance(in_waves, WeightedLabels):
        models = _model_based(labels, code, interval, predicted)
    rows = []
    for number in np.argsort(-np.bincount(code[code >= 0], minlength=len(names)), kind="stable").tolist():
        member = code == number
        (estimate, joint), estimator = _group(labels, member, (interval, joint_interval), in_waves)
        own = [getattr(estimate, name) for name in _OWN]
        model = [float(one[number]) for one in models]
        sizes = (str(names[number]), int(member.sum()), estimate.n_labels)
        rows.append((*sizes, *own, joint.low, joint.high, estimator, estimate.method, *model))
    return pd.DataFrame(rows, columns=list(_COLUMNS))


def domains_carried(
    losses: ArrayLike,
    positions: ArrayLike,
    strata: ArrayLike,
    groups: Sequence[object] | pd.Categorical,
    interval: Interval,
    carried: CarriedSample,
    verdicts: ArrayLike,
) -> pd.DataFrame:
    """As `domains`, of a list with carried verdicts; these are taken to be wrong as often in every group.

    Parameters
    ----------
    losses, positions, strata, groups, interval
        As in `domains`; known items have the highest stratum.
    carried : CarriedSample
        The same labels.
    verdicts : (N,) float
        Carried losses; NaN of open items.

    Returns
    -------
    DataFrame
        Of `domains`. Each row adds up a group's carried verdicts and the estimate of its open items, with the audits of
        the whole list as the correction and in the limits.
    """
    verdict, place = np.asarray(verdicts, dtype=np.float64), np.asarray(positions, dtype=np.int64)
    opened, loss = np.isnan(verdict), np.asarray(losses, dtype=np.float64)
    names = pd.Series(groups if isinstance(groups, pd.Categorical) else list(groups), dtype=object)
    dense, chosen = np.cumsum(opened) - 1, opened[place]
    part = domains(loss[chosen], dense[place[chosen]], np.asarray(strata)[opened], names[opened].tolist(), interval)
    of_open = {row["group"]: row for row in part.to_dict("records")}
    correction = 0.0 if carried.follows else carried.audited.shift
    rows = []
    code = names.map(str, na_action="ignore")
    for group, size in code.value_counts(sort=True).items():
        member = (code == group).to_numpy()
        known, total = int((member & ~opened).sum()), float(np.nansum(verdict[member]))
        row = of_open.get(str(group), dict.fromkeys(_COLUMNS[3:], 0.0) | {"method": ""})
        share = known / int(size)
        own = _with_known(row, total / int(size), share, carried, correction, interval)
        own["labels"] = int(member[place].sum())
        rows.append({"group": group, "items": int(size), **own})
    return pd.DataFrame(rows, columns=list(_COLUMNS))


def _with_known(
    row: dict[Hashable, Any], sure: float, share: float, carried: CarriedSample, correction: float, interval: Interval
) -> dict[str, Any]:
    """A group's row with its carried verdicts: their sum over its items, and their share of its items."""
    audits, beside = carried.audited, (0.0, 0.0)
    if not carried.exact:
        below, above = carried.distances(interval, [audits.n], [audits.up], [audits.down])
        beside = share * float(below[0]), share * float(above[0])
    result: dict[str, Any] = {}
    for value, low, high in (("value", "low", "high"), ("value", "joint_low", "joint_high"), _MODEL):
        middle = row[value] if not math.isnan(row[value]) else (row[low] + row[high]) / 2
        ends = ((1 - share) * (middle - row[low]), (1 - share) * (row[high] - middle))
        whole = sure + (1 - share) * middle + share * correction
        limits = recovered(whole, ends, beside)
        result |= {low: max(float(limits.low), 0.0), high: min(float(limits.high), 1.0)}
        result[value] = min(max(whole, 0.0), 1.0) if share == 1 or not math.isnan(row[value]) else math.nan
    result["standard_error"] = (1 - share) * row["standard_error"]
    return result | {"estimator": CARRIED, "method": row.get("method") or CARRIED}


def _group(
    labels: _Labels,
    member: NDArray[np.bool_],
    intervals: Sequence[Interval],
    in_waves: Waves | WeightedLabels | None,
) -> tuple[list[Estimate], str]:
    """Estimate of one group with each of the intervals, and how it was made."""
    loss, place, stratum = labels.loss, labels.place, labels.stratum
    labelled = member[place]
    if not labelled.any():
        low, high = (0.0, 1.0) if intervals[0].bounded else (-math.inf, math.inf)
        nothing = Estimate(math.nan, math.nan, low, high, 0, "no interval: no item of the group is labelled")
        return [nothing] * len(intervals), NONE
    whole = np.bincount(stratum)
    sizes = np.bincount(stratum[member], minlength=whole.size)
    counts = np.bincount(stratum[place[labelled]], minlength=whole.size)
    alone = np.zeros(whole.size, dtype=bool) if isinstance(in_waves, Waves) else counts >= 2
    within = bool(np.all(alone | (counts == sizes)))
    # Strata without an item of the group say nothing of it, but waves need all of theirs.
    occupied = (sizes > 0) | (in_waves is not None and not within)
    dense, there, weight = (np.cumsum(occupied) - 1)[stratum[place]], occupied[stratum[place]], labelled.astype(float)
    if within and isinstance(in_waves, WeightedLabels):
        of_group = in_waves.among(member).of(loss[labelled], intervals[0].bounded)
        return [of_group.estimate(interval) for interval in intervals], WITHIN
    if within:
        inside = sample(loss[labelled], dense[labelled], sizes[occupied], intervals[0].bounded)
        return [inside.estimate(interval) for interval in intervals], WITHIN
    parts = ((loss * weight)[there], weight[there], dense[there], whole[occupied])
    return [ratio(*parts, interval, in_waves) for interval in intervals], RATIO


def _model_based(
    labels: _Labels, code: NDArray[np.int64], interval: Interval, predicted: ArrayLike | None
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Model-based value and limits of each group, each (G,)."""
    loss, place, stratum = labels.loss, labels.place, labels.stratum
    n_groups = int(code.max(initial=-1)) + 1
    df = loss.size - (np.unique(stratum).size if predicted is None else _FITTED)
    if not n_groups or df < 1:
        unknown = np.full(n_groups, math.nan)
        return unknown, unknown, unknown
    # What the strata say of an item that no label tells of, and how far that may be off.
    counts = np.bincount(stratum[place], minlength=int(stratum.max()) + 1)
    sums, share = np.bincount(stratum[place], weights=loss, minlength=counts.size), np.bincount(stratum) / stratum.size
    pool = float(share @ (sums / np.maximum(counts, 1)))
    means = (sums + PRIOR_LABELS * pool) / (counts + PRIOR_LABELS)
    given = means[stratum] if predicted is None else np.asarray(predicted, dtype=np.float64)
    residuals = loss - given[place]
    residual_variance = float(residuals @ residuals) / df
    off = residual_variance / (counts + PRIOR_LABELS) if predicted is None else np.zeros(counts.size)

    group = code[place]
    inside = group >= 0
    n = np.bincount(group[inside], minlength=n_groups).astype(np.float64)
    total = np.bincount(group[inside], weights=loss[inside], minlength=n_groups)
    shift = np.bincount(group[inside], weights=residuals[inside], minlength=n_groups) / np.maximum(n, 1)
    unseen = code >= 0
    unseen[place] = False
    left = np.bincount(code[unseen], minlength=n_groups).astype(np.float64)
    guess = np.bincount(code[unseen], weights=given[unseen], minlength=n_groups)
    cells = np.zeros((n_groups, counts.size))
    np.add.at(cells, (code[unseen], stratum[unseen]), 1.0)

    weight = n / (n + _WORTH)
    items = n + left
    value = (total + guess + left * weight * shift) / items
    # Variance between groups beyond the predictions: at least what the weight n/(n + 15) takes it for.
    between = (n @ shift**2 - (n > 0).sum() * residual_variance) / max(n.sum(), 1.0)
    between = max(between, residual_variance / _WORTH)
    if predicted is not None:
        # Few groups may look alike by chance.
        sampled = n[n > 0]
        noise = math.sqrt(2 * float(((sampled * between + residual_variance) ** 2).sum()))
        between += _CAUTION * noise / max(n.sum(), 1.0)
    mean_error = weight**2 * residual_variance / np.maximum(n, 1) + (1 - weight) ** 2 * between
    far = (1 - weight) ** 2 * (cells**2 @ off) / np.maximum(left, 1) ** 2
    error = (left / items) ** 2 * (mean_error + far) + left * residual_variance / items**2
    if interval.bounded:
        value = np.clip(value, 0.0, 1.0)
    limits = interval.limits(value, error, np.maximum(n, 1), df)
    low, high = limits.low, limits.high
    if interval.bounded:
        low, high = np.maximum(low, total / items), np.minimum(high, (total + left) / items)
    return value, np.where(left > 0, np.minimum(low, value), value), np.where(left > 0, np.maximum(high, value), value)
