"""A pool, a plan of 60 labels on it, and results of its labels, for all that is said of labels."""

from __future__ import annotations

import json
from dataclasses import asdict, replace

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from core.design import Design, Plan, manifest
from core.estimation import Estimate, Interval, domains, stratified
from core.study import Outcomes, Result
from tests.core.lab.conftest import pool_of

NASTY = "<script>alert(1)</script> & \"q\" 'x' =1+1 😀"
POOL = pool_of(500, seed=3)
PLAN = Design(60, seed=5).draw(POOL)
LOSSES = POOL.losses("model")
DEFAULT = Interval()
# In groups of which one bears a name that would run as a script.
GROUPS = [NASTY if i % 3 == 0 else None if i % 3 == 1 else "law" for i in range(500)]


def accuracy(*labels, **more) -> Estimate:
    """The estimate of labels that are values, not losses."""
    return replace(stratified(*labels, **more), measure="accuracy")


def numbers(estimate: Estimate) -> dict[str, object]:
    """All that an estimate says but what it is of."""
    return {name: value for name, value in asdict(estimate).items() if name != "measure"}


def outcomes(
    plan: Plan = PLAN, keep: ArrayLike | slice = slice(None), values: ArrayLike | None = None, **more
) -> Outcomes:
    """The labels of some items of a plan's list, by place in it; their values are what the pool knows."""
    places = plan.positions[keep]
    table = pd.DataFrame(
        {
            "item_id": [str(item) for item in plan.ids[keep]],
            "position": places,
            "stratum": plan.stratum[places],
            "value": 1 - LOSSES[places] if values is None else np.asarray(values, dtype=float),
        }
    )
    return Outcomes(plan, table, **more)


def result_of(
    plan: Plan = PLAN,
    keep: ArrayLike | slice = slice(None),
    values: ArrayLike | None = None,
    target: str = "model",
    measure: str = "accuracy",
    interval: Interval = DEFAULT,
    groups: list[str | None] | None = GROUPS,
    **more,
) -> Result:
    """The result of some labels of a plan."""
    sample = outcomes(plan, keep, values, target=target, measure=measure, interval=interval)
    table = None if groups is None else domains(sample.values, sample.positions, plan.stratum, groups, sample.interval)
    document = json.loads(manifest.write(plan, NASTY))
    kept = np.arange(plan.ids.size)[keep]
    later = tuple(map(str, plan.ids[kept.max() + 1 :])) if kept.size else ()
    given = {"pool": NASTY, "manifest": document, "groups": table, "not_yet": later} | more
    return Result(plan, sample.table, target, measure, interval, **given)


def shown(result: Result, **derived: object) -> Result:
    """The same result with other derived numbers, as if the labels had given them."""
    fields = {name: getattr(result, name) for name in result.__dataclass_fields__}
    other = Result(**fields)
    other.__dict__.update(derived)
    return other
