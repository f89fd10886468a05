"""What a budget buys before any label, by what is believed of the judge."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import core as neyman
from core.design.judging import class_labels
from core.errors import DesignError
from core.judge import JudgeBelief, everything, follows_risk, forecast, forecasts, verdicts
from core.judge.belief import labels_for
from core.judge.measures import PASS_RATE, TNR, TPR, VerdictPair, limits_of
from core.judge.rates import VerdictSample
from core.readers import read
from tests.conftest import ROOT
from tests.core.judge.exact import JudgeCell

WANTED = (TNR, TPR, PASS_RATE)


def sizes(fails: float, tpr: float = 0.9, tnr: float = 0.8) -> tuple[int, int]:
    """N_F and N_P of 2,000 items."""
    n_fail = round(2_000 * (fails * tnr + (1 - fails) * (1 - tpr)))
    return n_fail, 2_000 - n_fail


@pytest.mark.parametrize(
    ("fails", "needed"),
    [(0.05, (240, 450, 890)), (0.1, (125, 245, 515)), (0.2, (60, 120, 275)), (0.5, (20, 40, 90))],
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


def test_strata_along_a_risk_hardly_change_what_is_expected() -> None:
    """They sort failures by an AUROC of .65 in a class, and cost a few imagined labels."""
    plain, along = (forecast(*sizes(0.2), 200, JudgeBelief(risk=risk)) for risk in (False, True))
    assert along.failures == pytest.approx(plain.failures, abs=0.2)
    for measure in (TNR, TPR, PASS_RATE):
        assert 0.95 < along.half_width(measure) / plain.half_width(measure) < 1.06
    few = (forecast(*sizes(0.2), 12, JudgeBelief(risk=risk)).half_width(TNR) for risk in (False, True))
    assert len(set(few)) == 1


def half_widths(cell: JudgeCell, budget: int, rounds: int) -> NDArray[np.float64]:
    """Half the widths of TNR, TPR and pass rate of drawn lists of one stratum a class, (R, 3)."""
    rng, parts = np.random.default_rng(budget), ((cell.caught, cell.alarms), (cell.missed, cell.good))
    labels = class_labels(*map(sum, parts), budget)
    pairs = [
        VerdictPair(
            *(
                VerdictSample((sum(part),), (m,), (int(rng.hypergeometric(*part, m)),))
                for part, m in zip(parts, labels, strict=True)
            )
        )
        for _ in range(rounds)
    ]
    return np.asarray(np.diff(limits_of(pairs, WANTED))[..., 0] / 2)


@pytest.mark.parametrize(
    ("fails", "budget"),
    [(0.1, 100), *(pytest.param(f, m, marks=pytest.mark.trial) for f in (0.05, 0.1, 0.2, 0.5) for m in (50, 100, 200))],
)
def test_what_is_promised_is_the_mean_of_what_lists_give(fails: float, budget: int) -> None:
    """Within 3 % and two standard errors of 400 lists, if the judge is as believed."""
    cell = JudgeCell.of(2_000, fails, 0.9, 0.8)
    given = half_widths(cell, budget, 400)
    one = forecast(cell.caught + cell.alarms, cell.missed + cell.good, budget, JudgeBelief(fails=fails))
    for measure, halves in zip(WANTED, given.T, strict=True):
        error = 2 * halves.std() / halves.mean() / len(halves) ** 0.5
        assert one.half_width(measure) / halves.mean() == pytest.approx(1, abs=0.03 + error), measure.name


# Items that both fail, that the judge alone fails, that people alone fail, that both pass: four models' answers to
# EVOUNA-NQ by string match, and four judges on LLMBar.
REAL = (
    *((931, 303, 7, 1779), (1035, 457, 7, 1521), (747, 526, 69, 1678), (633, 523, 6, 1858)),
    *((172, 31, 41, 175), (141, 59, 72, 147), (61, 97, 152, 109), (92, 113, 121, 93)),
)
# As bad as 33 judges of relevance: TPR .48 to .90, TNR .39 to .89.
MADE = tuple(
    JudgeCell.of(2_000, 0.45, *rates) for rates in ((0.5, 0.9), (0.6, 0.8), (0.7, 0.7), (0.8, 0.55), (0.9, 0.4))
)


@pytest.mark.parametrize(
    "budget", [50, pytest.param(100, marks=pytest.mark.trial), pytest.param(200, marks=pytest.mark.trial)]
)
def test_ranges_hold_what_lists_of_real_judges_give(budget: int) -> None:
    """Nothing said of them: of each measure, at least .8 of 20 lists each of 13 judges."""
    held = []
    for cell in (*(JudgeCell(*one) for one in REAL), *MADE):
        one = forecast(cell.caught + cell.alarms, cell.missed + cell.good, budget)
        ranges = np.array([one.half_widths(measure) for measure in WANTED])
        given = half_widths(cell, budget, 20)
        held.append(((ranges[:, 0] - 1e-9 <= given) & (given <= ranges[:, 1] + 1e-9)).mean(axis=0))
        assert all(low <= one.half_width(of) <= high for of, (low, high) in zip(WANTED, ranges, strict=True))
    print(dict(zip((of.name for of in WANTED), np.mean(held, axis=0).round(3).tolist(), strict=True)))
    assert np.mean(held, axis=0).min() >= 0.8


@pytest.mark.parametrize("budget", [0, -3, 16])
def test_a_budget_that_no_list_can_have_is_refused(budget: int) -> None:
    """A hundred labels of fifteen items were promised to say all within ±0 points."""
    with pytest.raises(DesignError, match="between 1 and the number of items, 15"):
        forecast(10, 5, budget)
