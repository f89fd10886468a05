"""What runs of a target say, in one place for pages and commands: real trials of one agent, and odd numbers of runs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import pytest

from core.commands import main
from core.design import Design
from core.errors import DesignError
from core.pool import Pool
from core.readers import read
from core.report.sentences import finding, headline
from core.study import TargetRuns, labelled, runs
from tests.pools import HERE

AGENT = HERE / "tau-bench-airline-gpt4o.csv"


def of_losses(losses: Sequence[Sequence[float | None]]) -> TargetRuns | None:
    items = [{"id": str(n), "targets": {"m": {"loss": one[0], "run_losses": one}}} for n, one in enumerate(losses)]
    return runs(Pool.from_records(items), "m")


def test_trials_of_an_agent_are_said_as_published(capsys: pytest.CaptureFixture[str]) -> None:
    """pass^1 .42, pass@4 .72, pass^4 .20, and 26 tasks that flip."""
    pool = read(AGENT)
    assert pool.sizes == "50 items × 4 runs" and pool.remarks[0].startswith(pool.sizes)
    found = runs(pool, pool.name)
    assert found is not None
    table = found.table().set_index("measure")
    assert table["value"].round(3).to_dict() == {"expected accuracy": 0.42, "pass@4": 0.72, "pass^4": 0.2}
    # All runs are graded: what they were is known, and what to expect is not.
    assert (table["low_here"] == table["high_here"]).all() and (table["high"] - table["low"] > 0.05).all()
    assert len(found.flips) == 26
    assert [row for row in found.table(2)["measure"]] == ["expected accuracy", "pass@2", "pass^2"]
    assert main(["pool", "map", str(AGENT)]) == 0
    said = capsys.readouterr().out
    for sentence in found.sentences():
        assert sentence in said


def test_one_more_run_narrows_as_the_variance_says() -> None:
    rng = np.random.default_rng(4)
    chance = rng.beta(0.5, 0.5, 400)

    def half(count: int) -> tuple[float, float]:
        found = of_losses((rng.random((400, count)) > chance[:, None]).astype(float).tolist())
        assert found is not None
        return found.one_more

    (now, then), (after, _) = half(4), half(5)
    assert then < now and then == pytest.approx(after, rel=0.1)
    assert then / now == pytest.approx(np.sqrt(4 / 5), rel=0.01)


@pytest.mark.parametrize(
    ("losses", "said"),
    [
        ([[0.0, 0], [1, 1], [0, 0]], "No item flips: all runs of an item agree (3 items × 2 runs)."),
        ([[0.0, 1], [1, 1], [0, 0, 1]], "2 of 3 items (67 %) flip: some of their runs are right"),
        ([[0.0, 1, 1], [1], [1, 0]], "without 1 item of fewer runs"),
    ],
)
def test_odd_numbers_of_runs_have_their_words(losses: list[list[float]], said: str) -> None:
    found = of_losses(losses)
    assert found is not None and said in " ".join(found.sentences()).replace("\u00a0", " ")


@pytest.mark.parametrize("losses", [[[0.5, 1.0]], [[0.0], [1.0]], [[None, None], [0.0, 1.0]]])
def test_without_verdicts_on_several_runs_nothing_is_said(losses: list[list[float | None]]) -> None:
    assert of_losses(losses) is None


def test_more_tries_than_runs_are_refused() -> None:
    found = of_losses([[0.0, 1], [1, 1]])
    assert found is not None
    with pytest.raises(DesignError, match=r"No item has 3 runs\. Ask for at most 2 runs"):
        found.table(3)


def test_a_study_of_first_runs_says_what_to_expect_and_never_that_it_is_exact() -> None:
    pool = read(AGENT)
    target = pool.name
    plan = Design(budget=50, allocation="uniform").draw(pool, seed=0)
    filled = pd.DataFrame({"item_id": plan.ids, "label": [1 - int(one) for one in pool.losses(target)[plan.positions]]})
    study = labelled(plan, filled, target, "right-wrong")
    assert study.runs is not None and study.varies
    first, expected = study.remarks[:2]
    assert "about the first one" in first and expected == study.runs.estimates()[0].line
    result = study.result()
    assert result.census and result.varies
    assert "xact" not in " ".join([*finding(result), headline(result)])
