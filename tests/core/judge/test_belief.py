"""What a budget buys before any label, by what is believed of the judge."""

from __future__ import annotations

import numpy as np
import pytest

import core as neyman
from core.errors import DesignError
from core.judge import JudgeBelief, everything, follows_risk, forecast, forecasts, labels_for, verdicts
from core.judge.measures import PASS_RATE, TNR, TPR
from core.readers import read
from tests.conftest import ROOT


def sizes(fails: float, tpr: float = 0.9, tnr: float = 0.8) -> tuple[int, int]:
    """N_F and N_P of 2,000 items."""
    n_fail = round(2_000 * (fails * tnr + (1 - fails) * (1 - tpr)))
    return n_fail, 2_000 - n_fail


@pytest.mark.parametrize(
    ("fails", "needed"),
    [(0.05, (275, 425, 825)), (0.1, (145, 235, 475)), (0.2, (70, 115, 255)), (0.5, (20, 35, 80))],
)
def test_labels_for_a_precision_of_failures_caught(fails: float, needed: tuple[int, ...]) -> None:
    assert tuple(labels_for(*sizes(fails), "tnr", width) for width in (0.2, 0.15, 0.1)) == needed


@pytest.mark.parametrize(("fails", "failures"), [(0.05, 9), (0.1, 16), (0.2, 27), (0.5, 51)])
def test_failures_that_a_list_of_100_holds(fails: float, failures: int) -> None:
    assert round(forecast(*sizes(fails), 100).failures) == failures


def test_the_share_of_failures_follows_from_the_judges_own_rate() -> None:
    assert JudgeBelief(0.9, 0.8).failing(0.17) == pytest.approx(0.1)
    assert JudgeBelief(0.9, 0.8, fails=0.3).failing(0.17) == 0.3
    assert JudgeBelief(0.9, 0.8).failing(0.01) == 0.02


def test_more_labels_are_never_expected_to_say_less() -> None:
    table = forecasts(*sizes(0.1), range(50, 400, 25))
    for name in ("tnr", "tpr", "pass_rate", "kappa"):
        assert (table[name].diff().dropna() <= 0.003).all(), name


def test_a_precision_that_no_budget_gives_is_none() -> None:
    assert labels_for(10, 20, "tnr", 0.001) is None


@pytest.mark.parametrize("given", [{"tpr": 1.2}, {"tnr": -0.1}, {"fails": 0.0}])
def test_beliefs_out_of_range_are_refused(given: dict[str, float]) -> None:
    with pytest.raises(DesignError, match="expected"):
        JudgeBelief(**given)


@pytest.mark.trial
@pytest.mark.parametrize(("name", "judge"), [("evouna", "string match"), ("llmbar", "GPT-4"), ("llmbar", "PaLM2")])
def test_forecasts_are_as_wide_as_what_lists_of_the_bundled_judges_give(name: str, judge: str) -> None:
    """Forecast over actual width .95 to 1.08, within two standard errors of 150 lists, if the judge is as believed."""
    pool, rounds = read(ROOT / "data" / f"{name}.parquet"), 150
    people, said = verdicts(pool, "people"), verdicts(pool, judge)
    truth, labels = everything(said, people), dict(zip(pool.items.index, (~people.fails).tolist(), strict=True))
    risk = follows_risk(neyman.judge(pool, judge, 100, seed=0))
    belief = JudgeBelief(truth.value(TPR), truth.value(TNR), float(people.fails.mean()), risk)
    for budget in (50, 100, 200):
        one = forecast(said.n_fail, said.n_pass, budget, belief)
        lists = [neyman.judged(neyman.judge(pool, judge, budget, seed=seed), labels).pair for seed in range(rounds)]
        for measure in (TNR, TPR, PASS_RATE):
            widths = np.array([high - low for low, high in (pair.limits(measure) for pair in lists)])
            ratio, error = 2 * one.half_width(measure) / widths.mean(), widths.std() / widths.mean() / rounds**0.5
            assert 0.95 - 2 * error <= ratio <= 1.08 + 2 * ratio * error, (budget, measure.name, ratio)


def test_strata_along_a_risk_are_expected_to_save_a_little() -> None:
    """Up to 4 % of the width, as of an AUROC of .65 in a class; nothing in classes of one stratum, or of few fails."""
    plain, along = (forecast(*sizes(0.2), 200, JudgeBelief(risk=risk)) for risk in (False, True))
    assert along.failures == pytest.approx(plain.failures, abs=0.2)
    for measure in (TNR, TPR, PASS_RATE):
        assert 0.95 < along.half_width(measure) / plain.half_width(measure) < 1
    few = (forecast(*sizes(0.2), 12, JudgeBelief(risk=risk)).half_width(TNR) for risk in (False, True))
    assert len(set(few)) == 1


@pytest.mark.parametrize("budget", [0, -3, 16])
def test_a_budget_that_no_list_can_have_is_refused(budget: int) -> None:
    """A hundred labels of fifteen items were promised to say all within ±0 points."""
    with pytest.raises(DesignError, match="between 1 and the number of items, 15"):
        forecast(10, 5, budget)
