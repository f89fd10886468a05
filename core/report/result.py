"""All numbers of an estimate, gathered once, so that page, report and JSON show the same."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from core.design.design import Plan
from core.errors import DesignError
from core.estimation.efficiency import Precision, TopUp, precision, top_up
from core.estimation.groups import domains
from core.estimation.intervals import RECOMMENDED, Interval
from core.estimation.mean import Estimate, Sample, sample
from core.estimation.variance import short_strata, uneven
from core.report.comparison import Comparison
from core.report.metrics import Answered, Metrics
from core.words import INTERVAL_METHODS

MEASURES = ("accuracy", "loss", "score")


@dataclass(frozen=True, slots=True)
class Labelled:
    """Labels that came back: ``ids`` (M,) of the items; ``positions`` (M,) int, their places in the pool; ``losses``
    (M,) float, finite."""

    ids: Sequence[str]
    positions: NDArray[np.int64]
    losses: NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Result:
    """Everything that is to be said of an estimate. All values are on the scale of ``measure``.

    ``measure``: "accuracy" and "score" are 1 − loss, "loss" is the loss; ``interval``: how it was made;
    ``planned`` labels of the plan; ``missing``: ids of the plan that have no label; ``estimate``; ``precision``: beside
    Uniform; ``intervals``: frame interval, label, low, high, width, recommended; ``strata``: frame stratum, se_low,
    se_high, items, share_of_pool, planned, labels, value, sd, share_of_variance; ``groups``: frame of
    `core.estimation.groups.domains`, None without groups; ``labels``: frame item_id, pool_position (from 0),
    list_position (from 1, None for a replacement), stratum, value; ``sample``, ``weights``: what a top-up is planned
    from; ``manifest``: of the plan, as an object; ``made``: when and by whom, in words, or empty; ``undecided``: items
    whose labels contradict each other, not decided yet; ``cut_short``: the labels are the first of the list and no
    others, the sample of a smaller budget; ``short``: strata with less than two thirds of the labels that the design
    gives them in a sample of this size; ``uneven``: the design itself spreads labels so
    (`core.estimation.variance.uneven`). For both the interval is widened. Where they were asked for: ``comparison``
    with another target, ``metrics`` of one answer,
    ``answered``: accuracy where the target answered, ``more``: labels for a wanted half-width.
    """

    pool: str
    target: str
    plan_id: str
    measure: str
    interval: Interval
    n_items: int
    planned: int
    missing: tuple[str, ...]
    estimate: Estimate
    precision: Precision
    intervals: pd.DataFrame
    strata: pd.DataFrame
    groups: pd.DataFrame | None
    labels: pd.DataFrame
    sample: Sample
    weights: NDArray[np.float64]
    manifest: dict[str, Any]
    made: str
    comparison: Comparison | None = None
    metrics: Metrics | None = None
    answered: Answered | None = None
    more: TopUp | None = None
    undecided: int = 0
    cut_short: bool = False
    short: tuple[int, ...] = ()
    uneven: bool = False

    @property
    def confidence(self) -> float:
        """The interval's confidence."""
        return self.interval.confidence

    @property
    def bounded(self) -> bool:
        """Whether losses lie in [0, 1]."""
        return self.interval.bounded

    @property
    def half_width(self) -> float:
        """Half the width of the interval."""
        return (self.estimate.high - self.estimate.low) / 2

    @property
    def beside_uniform(self) -> pd.DataFrame:
        """The two intervals of the main figure: label, value, low, high; limits are NaN where there is no interval."""
        both = {"This design": self.estimate, "Uniform, as many labels": self.precision.uniform}
        rows = []
        for label, own in both.items():
            low, high = (own.low, own.high) if own.has_interval else (math.nan, math.nan)
            rows.append({"label": label, "value": own.value, "low": low, "high": high})
        return pd.DataFrame(rows)

    def top_up(self, wanted: float) -> TopUp:
        """Labels for a wanted half-width, on the scale of the measure; errors as
        `core.estimation.efficiency.top_up`."""
        planned = replace(self.interval, conservative=None)
        return top_up(self.weights, self.sample, wanted, planned, self.half_width)


def result(
    plan: Plan,
    pool: str,
    labelled: Labelled,
    strata: ArrayLike,
    groups: Sequence[object] | None = None,
    *,
    target: str = "",
    measure: str = "accuracy",
    interval: Interval | None = None,
    manifest: str = "{}",
    made: str = "",
    undecided: int = 0,
) -> Result:
    """Estimate from the labels that came back.

    Parameters
    ----------
    plan : the plan. pool : its pool's name. labelled : labels of items of the plan, or of replacements in its order.
    strata : (N,) int, the stratum of every item of the pool. groups : (N,) the items' groups. target : the model that
    was examined. measure : of `MEASURES`; where losses are unbounded there is no accuracy, and the loss is shown.
    interval : None = the default, bounded as these losses are. manifest : the plan's, JSON text of
    `core.design.manifest.write`. made : a remark on when and by whom. undecided : items left out because their labels
    contradict each other.

    Raises
    ------
    DesignError : no label in a stratum, an item twice or outside the pool, an unknown measure or interval, strata of
    another pool, numbers of ids and losses that differ, a manifest that is none.
    """
    if measure not in MEASURES:
        raise DesignError(f"There is no measure called “{measure}”: choose one of {', '.join(MEASURES)}.")
    member = np.asarray(strata, dtype=np.int64)
    sizes = plan.strata.sizes
    if not np.array_equal(np.bincount(member, minlength=sizes.size), sizes):
        raise DesignError("The strata of the items are not those of the plan: load the pool of the plan.")
    loss, place = np.asarray(labelled.losses, dtype=np.float64), np.asarray(labelled.positions, dtype=np.int64)
    if not loss.shape == place.shape == (len(labelled.ids),):
        raise DesignError(
            f"There are {len(labelled.ids)} ids, {place.size} positions and {loss.size} losses of labels."
        )
    if place.size and not 0 <= place.min() <= place.max() < member.size:
        raise DesignError(f"Positions of labelled items must be between 0 and {member.size - 1}.")
    if np.unique(place).size != place.size:
        raise DesignError("An item is labelled twice: settle its label first.")
    if interval is None:
        interval = Interval(bounded=bool(np.all((loss >= 0) & (loss <= 1))))
    shown = "loss" if measure == "accuracy" and not interval.bounded else measure
    value = loss if shown == "loss" else 1.0 - loss
    own = member[place]
    found, weights = sample(value, own, sizes, interval.bounded), plan.weights
    short = short_strata(found.counts, sizes, weights)
    if short:
        interval = replace(interval, conservative=True)
    estimate = found.estimate(interval)
    have, planned = set(map(str, labelled.ids)), [str(i) for i in plan.ids]
    return Result(
        pool=pool,
        target=target,
        plan_id=plan.plan_id,
        measure=shown,
        interval=interval,
        n_items=plan.strata.n_items,
        planned=len(planned),
        missing=tuple(i for i in planned if i not in have),
        estimate=estimate,
        precision=precision(found, interval),
        intervals=_intervals(found, interval) if interval.bounded else _only(estimate),
        strata=_strata(plan, found),
        groups=None if groups is None else domains(value, place, member, groups, interval),
        labels=_labels(labelled, planned, own, value),
        sample=found,
        weights=weights,
        manifest=_document(manifest),
        made=made,
        undecided=undecided,
        cut_short=len(have) < len(planned) and have == set(planned[: len(have)]),
        short=short,
        uneven=bool(uneven(found.counts, sizes)),
    )


def _document(manifest: str) -> dict[str, Any]:
    try:
        found = json.loads(manifest)
    except ValueError as error:
        raise DesignError("The manifest is not JSON: give the text of `core.design.manifest.write`.") from error
    if not isinstance(found, dict):
        raise DesignError("The manifest is no JSON object: give the text of `core.design.manifest.write`.")
    return found


def _labels(
    labelled: Labelled, planned: list[str], stratum: NDArray[np.int64], value: NDArray[np.float64]
) -> pd.DataFrame:
    """A row for each label, with its places in pool and list."""
    listed = {item: place for place, item in enumerate(planned, start=1)}
    places = pd.Series([listed.get(str(item)) for item in labelled.ids], dtype=object)
    columns = {"item_id": list(labelled.ids), "pool_position": labelled.positions, "list_position": places}
    return pd.DataFrame(columns | {"stratum": stratum, "value": value})


def _intervals(found: Sample, interval: Interval) -> pd.DataFrame:
    estimates = {name: found.estimate(replace(interval, name=name)) for name in INTERVAL_METHODS}
    return pd.DataFrame(
        [_row(name, INTERVAL_METHODS[name], one, name in RECOMMENDED) for name, one in estimates.items()]
    )


def _only(estimate: Estimate) -> pd.DataFrame:
    return pd.DataFrame([_row("t", estimate.method, estimate, True)])


def _row(name: str, label: str, one: Estimate, recommended: bool) -> dict[str, Any]:
    width = one.high - one.low
    return {
        "interval": name,
        "label": label,
        "low": one.low,
        "high": one.high,
        "width": width,
        "recommended": recommended,
    }


def _strata(plan: Plan, found: Sample) -> pd.DataFrame:
    """One row a stratum; the sd is the one used, pooled where the stratum has one label."""
    variance = found.variance
    part = found.terms / variance if variance > 0 else np.full(found.terms.size, math.nan)
    return pd.DataFrame(
        {
            "stratum": np.arange(found.sizes.size),
            "se_low": plan.strata.low,
            "se_high": plan.strata.high,
            "items": found.sizes,
            "share_of_pool": found.sizes / found.sizes.sum(),
            "planned": plan.allocation,
            "labels": found.counts,
            "value": found.means,
            "sd": np.sqrt(found.variances),
            "share_of_variance": part,
        }
    )
