"""Coverage where errors are few and lie where the signal expects them: the family of docs/method.md, 5.7."""

from __future__ import annotations

import numpy as np
import pytest

from core.lab.coverage import recommended
from core.pool import Pool
from core.prospect import Prospect, Question

TRIALS = 2000
BUDGETS = (10, 14, 18, 20, 30, 50, 100, 200, 400)


def ranked(n_items: int, accuracy: float, share: float) -> Pool:
    """A pool with a column that ranks it, and this share of the errors in the tenth that the column calls riskiest."""
    rng, losses, top = np.random.default_rng(1), np.zeros(n_items), n_items // 10
    wrong = max(1, round(n_items * (1 - accuracy)))
    inside = min(round(wrong * share), top)
    losses[rng.choice(np.arange(n_items - top, n_items), inside, replace=False)] = 1
    losses[rng.choice(n_items - top, wrong - inside, replace=False)] = 1
    rows = [{"id": f"q{n}", "risk": n, "targets": {"m": {"loss": loss}}} for n, loss in enumerate(losses.tolist())]
    return Pool.from_records(rows, "ranked")


def lowest(n_items: int, accuracy: float, share: float, budgets: tuple[int, ...]) -> float:
    """The lowest coverage over the budgets up to N/3, two standard errors added."""
    prospect = Prospect(ranked(n_items, accuracy, share), "m", 20, Question(signal="column", column="risk"))
    assert prospect.known is not None
    fitting = [budget for budget in budgets if budget <= n_items / 3]
    table = recommended(prospect, prospect.known, fitting, TRIALS)
    low = float((table["coverage"] + 2 * table["coverage_error"]).min())
    print(f"N = {n_items:,}, accuracy {accuracy}, {share:.0%} in the riskiest tenth: {100 * low:.1f} %")
    return low


@pytest.mark.parametrize("n_items", [300, 1319])
def test_errors_of_the_riskiest_tenth_are_covered(n_items: int) -> None:
    """With a wider prior of the curve's slope, 79 to 81 % at M = 18."""
    assert lowest(n_items, 0.95, 1.0, (18, 20, 30)) >= 0.94


@pytest.mark.trial
@pytest.mark.parametrize("share", [0.5, 0.75, 1.0])
@pytest.mark.parametrize("accuracy", [0.85, 0.9, 0.95, 0.98, 0.995])
@pytest.mark.parametrize("n_items", [300, 1319, 5000, 12000])
def test_the_whole_family_is_covered(n_items: int, accuracy: float, share: float) -> None:
    """At 99.5 % single wrong answers decide, and coverage jumps from budget to budget."""
    assert lowest(n_items, accuracy, share, BUDGETS) >= (0.94 if accuracy <= 0.98 else 0.91)
