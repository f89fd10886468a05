"""Speed of what follows the labels: coverage of the intervals, groups, top-up, the report."""

from __future__ import annotations

import numpy as np
import pandas as pd

from bench import Row, median
from bench.pools import ITEMS, simulated
from core.design import Design
from core.estimation import domains, sample, top_up
from core.lab import coverage
from core.report import report_html
from core.study import Result

LABELS, GROUPS = 400, 57
BUDGETS = (20, 30, 50, 100, 200, 400)


def rows() -> list[Row]:
    known = simulated(ITEMS)
    plan = Design(LABELS, seed=0).plan("digest", np.arange(ITEMS).astype(str).astype(object), known.profile)
    member, groups = plan.stratum, np.random.default_rng(0).integers(0, GROUPS, ITEMS).tolist()
    place, outcomes = plan.positions, known.losses[plan.positions]
    labelled = sample(outcomes, member[place], plan.strata.sizes)
    weights = plan.weights
    table = pd.DataFrame({"item_id": plan.ids, "position": place, "stratum": member[place], "value": 1.0 - outcomes})

    def report() -> str:
        by_group = domains(1.0 - outcomes, place, member, groups)
        return report_html(Result(plan, table, pool="pool", groups=by_group))

    name = f"coverage of 3 intervals, {len(BUDGETS)} budgets, T = {coverage.TRIALS:,}"
    return [
        (name, median(lambda: coverage.coverage(known, BUDGETS)), 2.0),
        (
            f"estimates of {GROUPS} groups, {LABELS} labels",
            median(lambda: domains(outcomes, place, member, groups)),
            0.2,
        ),
        ("labels for a wanted half-width", median(lambda: top_up(weights, labelled, 0.02)), 0.1),
        (f"result and HTML report, {LABELS} labels, {GROUPS} groups", median(report), 0.5),
    ]
