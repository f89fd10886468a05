"""Speed of what follows the labels: coverage of the intervals, groups, top-up, the report."""

from __future__ import annotations

import numpy as np
import pandas as pd

from bench import Row, median
from core.design import Design
from core.estimation import domains, sample, top_up
from core.lab import coverage
from core.pool import Pool
from core.report import report_html
from core.simulation import rounds
from core.stratification import outcome, profile
from core.study import Result

ITEMS, LABELS, GROUPS = 12_032, 400, 57
BUDGETS = (20, 30, 50, 100, 200, 400)


def rows() -> list[Row]:
    rng = np.random.default_rng(0)
    ease = rng.beta(1.2, 0.9, (ITEMS, 1))
    classes = np.where(rng.random((ITEMS, 10)) < ease, 0, rng.integers(0, 4, (ITEMS, 10)))
    signals = profile(classes)
    answers = [["ABCD"[c] for c in row] for row in classes.tolist()]
    pool = Pool.from_records([{"id": f"q{i}", "generations": row} for i, row in enumerate(answers)])
    losses = (rng.random(ITEMS) > 0.3 + 0.7 * ease[:, 0]).astype(np.float64)
    known = outcome(signals, losses)
    assert known is not None
    plan = Design(LABELS, seed=0).plan("digest", np.arange(ITEMS).astype(str).astype(object), signals)
    member, groups = plan.stratum, rng.integers(0, GROUPS, ITEMS).tolist()
    place, outcomes = plan.positions, losses[plan.positions]
    labelled = sample(outcomes, member[place], plan.strata.sizes)
    weights = plan.weights
    table = pd.DataFrame({"item_id": plan.ids, "position": place, "stratum": member[place], "value": 1.0 - outcomes})

    def report() -> str:
        by_group = domains(1.0 - outcomes, place, member, groups)
        return report_html(Result(plan, table, pool="pool", groups=by_group))

    simulated = f"coverage of 3 intervals, {len(BUDGETS)} budgets, T = {coverage.TRIALS:,}"
    return [
        (simulated, median(lambda: coverage.coverage(known, BUDGETS)), 2.0),
        (
            f"estimates of {GROUPS} groups, {LABELS} labels",
            median(lambda: domains(outcomes, place, member, groups)),
            0.2,
        ),
        ("1,000 rounds of 200 labels, N = 12,032", median(lambda: rounds(Design(200), pool, losses)), 3.0),
        ("labels for a wanted half-width", median(lambda: top_up(weights, labelled, 0.02)), 0.1),
        (f"result and HTML report, {LABELS} labels, {GROUPS} groups", median(report), 0.5),
    ]
