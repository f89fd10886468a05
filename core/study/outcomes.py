"""What labels say of a target, item by item: the sample from which everything is estimated."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.design.design import Plan
from core.estimation.intervals import WILSON, Interval
from core.estimation.mean import Estimate, Sample, sample
from core.estimation.variance import short_strata


@dataclass(frozen=True, eq=False, repr=False)
class Outcomes:
    """The labelled items of a plan with their values.

    Parameters
    ----------
    plan : Plan
        The plan that was labelled.
    table : DataFrame
        A row for each labelled item: item_id, position (in the pool, from 0), stratum, value (1 − loss).
    target : str
        The model whose answers the values judge; "" = not named.
    measure : str
        What values are called: "accuracy" or "score".
    interval : Interval
        How intervals are made; not ``bounded``: values may lie outside 0 to 1.
    """

    plan: Plan
    table: pd.DataFrame
    target: str = ""
    measure: str = "accuracy"
    interval: Interval = WILSON

    @property
    def values(self) -> NDArray[np.float64]:
        """(M,) values of the labelled items."""
        return self.table["value"].to_numpy(dtype=np.float64)

    @property
    def positions(self) -> NDArray[np.int64]:
        """(M,) places of the labelled items in the pool."""
        return self.table["position"].to_numpy(dtype=np.int64)

    @property
    def strata(self) -> NDArray[np.int64]:
        """(M,) strata of the labelled items."""
        return self.table["stratum"].to_numpy(dtype=np.int64)

    @property
    def counts(self) -> NDArray[np.int64]:
        """(H,) labels of each stratum."""
        return np.bincount(self.strata, minlength=self.plan.strata.n_strata)

    @property
    def bounded(self) -> bool:
        """Whether values lie in [0, 1]."""
        return self.interval.bounded

    @property
    def confidence(self) -> float:
        """The level of the intervals."""
        return self.interval.confidence

    @cached_property
    def sample(self) -> Sample:
        """The stratified sample; raises :class:`core.errors.DesignError` where a stratum has no label."""
        return sample(self.values, self.strata, self.plan.strata.sizes, self.bounded)

    @cached_property
    def short(self) -> tuple[int, ...]:
        """Strata with less than two thirds of the labels that the design gives them in a sample of this size."""
        return short_strata(self.sample.counts, self.sample.sizes, self.plan.weights)

    @property
    def careful(self) -> Interval:
        """The interval, made conservative where strata are short of labels."""
        return self.interval.careful(self.sample.counts, self.sample.sizes, self.plan.weights)

    @cached_property
    def estimate(self) -> Estimate:
        """The pool's mean value with its interval; raises as ``sample``."""
        return self.sample.estimate(self.careful)
