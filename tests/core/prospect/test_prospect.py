"""Promises of designs: by known outcomes, forecast if there are none, and nothing computed twice."""

from __future__ import annotations

from dataclasses import replace
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest

import neyman
from core.allocation import METHODS
from core.design import Scheme, fine, pool_profile, recommend
from core.errors import DesignError
from core.estimation import Interval
from core.pool import Pool
from core.prospect import ELSEWHERE, Costs, Memo, Prospect, Question, gate_scheme, knowledge
from core.prospect.forecast import from_labels
from core.prospect.prior import belief
from core.prospect.sampling_frame import assumed_frame, pool_frame
from core.simulation import exact_mse, uniform_mse
from core.words import share_span
from tests.core.wording import Saying

MODELS = ("one", "two", "three")


def records(seed: int = 0, n_items: int = 240, *, generations: bool = True, known: int | None = None) -> list[Any]:
    """Items that get harder, with what three models got wrong; the first one's outcome on as many items as known."""
    rng = np.random.default_rng(seed)
    rows = []
    for number in range(n_items):
        hard = number / n_items
        wrong = {name: {"loss": float(rng.random() < 0.1 + 0.8 * hard)} for name in MODELS}
        if known is not None and number >= known:
            del wrong["one"]
        row: dict[str, Any] = {"id": f"{seed}-{number}", "targets": wrong}
        if generations:
            letters = ["A" if rng.random() > 0.7 * hard else "BCD"[rng.integers(3)] for _ in range(4)]
            row |= {"generations": letters, "answer": "A"}
        rows.append(row)
    return rows


def pool_of(**more: Any) -> Pool:
    return Pool.from_records(records(**more), "a pool")


@pytest.fixture(scope="module")
def pool() -> Pool:
    return pool_of()


def test_with_a_known_outcome_uniform_is_as_precise_by_its_exact_error_or_its_interval(pool: Pool) -> None:
    prospect = neyman.Prospect(pool, "one", 60)
    design = recommend(pool, 60, "one")
    signals = pool_profile(pool, design.scheme, design.risk)
    strata, losses = design.scheme.stratify(signals), pool.losses("one")
    error = exact_mse(losses, signals.stratum(strata), design.scheme.allocate(strata, 60))
    promise, uniform = prospect.promise, prospect.half_widths_of("uniform", range(1, 241))
    narrow = uniform <= promise.half_width
    needed = next(labels for labels in range(1, 241) if uniform_mse(losses, labels) <= error or narrow[labels - 1])
    assert prospect.design == design and prospect.errors([60]) == pytest.approx(error)
    assert promise.exact and promise.uniform_labels == needed and promise.saved == 1 - 60 / needed
    assert "60 labels instead of" in promise.title and "known on every item" in promise.rests_on
    assert f"it would take {needed} labels" in promise.sentence and "xact" not in promise.rests_on


# Design, labels, and the factor of losses that are scores; None: right or wrong.
_WIDTHS = {
    "few labels": ({}, 12, None),
    "the recommended design": ({}, 60, None),
    "the paper’s strata": ({"scheme": Scheme(n_strata=4)}, 60, None),
    "uneven strata": ({"scheme": Scheme(n_strata=4, offset=0.1)}, 60, None),
    "one stratum": ({"scheme": Scheme(n_strata=1)}, 30, None),
    "a gate": ({"gate": True}, 40, None),
    "another confidence": ({"confidence": 0.8}, 60, None),
    "scores": ({}, 60, 1.0),
    "scores without bounds": ({}, 60, 10.0),
}


@pytest.mark.parametrize(("asked", "labels", "factor"), _WIDTHS.values(), ids=_WIDTHS)
def test_where_the_outcome_is_known_the_half_width_is_that_which_labels_give(
    asked: dict[str, Any], labels: int, factor: float | None
) -> None:
    rows = records()
    for number, row in enumerate(rows if factor is not None else ()):
        target = row["targets"]["one"]
        target["loss"] = factor * (0.6 * target["loss"] + 0.4 * ((number * 7) % 10) / 10)
    prospect = Prospect(Pool.from_records(rows, "a pool"), "one", labels, Question(**asked))
    losses, confidence = prospect.pool.losses("one"), prospect.question.confidence
    drawn = neyman.rounds(prospect.design, prospect.pool, losses, 200, seed=1, confidence=confidence)
    given = float((drawn["high"] - drawn["low"]).mean()) / 2
    promise, z = prospect.promise, NormalDist().inv_cdf(0.5 + confidence / 2)
    assert promise.half_width == pytest.approx(given, rel=0.12)
    assert abs(promise.half_width - given) <= abs(z * prospect.errors([labels])[0] ** 0.5 - given) + 0.02 * given
    curve = prospect.curve([labels]).set_index("method")["half_width"]
    assert curve[prospect.method] == pytest.approx(promise.half_width)


def test_where_it_is_not_known_the_promise_is_the_forecast(pool: Pool) -> None:
    asked = Question(expected=(0.4, 0.7), costs=Costs(label=2.0), confidence=0.9)
    prospect = Prospect(pool, None, 60, asked)
    seen = prospect.record
    assert seen is not None and prospect.known is None
    believed, interval = belief((0.4, 0.7), seen.auroc), Interval(confidence=0.9)
    forecast = from_labels(pool_frame(pool), believed, 60, Costs(label=2.0), interval, measured=True)
    promise = prospect.promise
    assert not promise.exact and promise == prospect.forecast == replace(forecast, rests_on=prospect.rests_on)
    assert share_span(0.4, 0.7) in promise.rests_on


def test_without_a_pool_there_are_forecasts_and_no_design() -> None:
    prospect = Prospect(None, budget=150, question=Question(n_items=900))
    forecast = from_labels(assumed_frame(900), belief((0.7, 0.85)), 150, rests_on=prospect.rests_on)
    assert prospect.promise == forecast
    with pytest.raises(DesignError, match="no pool"):
        _ = prospect.design


def test_another_budget_computes_nothing_again_that_does_not_depend_on_it(
    pool: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = []

    def counted(*given: Any, **more: Any) -> Any:
        calls.append(given)
        return recommend(*given, **more)

    monkeypatch.setattr(knowledge, "recommend", counted)
    prospect = Prospect(pool, "one", 60)
    first = prospect.promise
    same = Prospect(pool, "one", 60, memo=prospect.memo)
    assert same.promise == first and prospect.at(80).promise.labels == 80 and len(calls) == 1
    assert prospect.at(80).profile is prospect.profile is same.profile


@pytest.mark.parametrize("change", [{}, {"gate": True}, {"signal": "semantic-entropy"}, {"scheme": Scheme(n_strata=3)}])
def test_losses_of_the_target_decide_no_design(change: dict[str, Any]) -> None:
    rows = records()
    flipped = [
        {**row, "targets": {**row["targets"], "one": {"loss": 1 - row["targets"]["one"]["loss"]}}} for row in rows
    ]
    drawn = [
        Prospect(Pool.from_records(part, "pool"), None, 40, Question("one", **change)).plan(seed=3)
        for part in (rows, flipped)
    ]
    assert drawn[0].ids.tolist() == drawn[1].ids.tolist()


def test_a_design_that_is_asked_for_is_compared_with_each_rule_and_the_recommended_one(pool: Pool) -> None:
    recommended = Prospect(pool, "one", 60)
    asked = recommended.asking(replace(recommended.question, scheme=Scheme(n_strata=4, offset=0.5)))
    lines = asked.curve().set_index(["method", "budget"])["mse"]
    assert set(lines.index.unique(0)) == {*METHODS, "recommended"}
    assert lines["recommended", 60] == pytest.approx(recommended.errors([60])[0])
    gain = asked.promise.gain
    assert gain is not None and lines["proxy-neyman", 60] == pytest.approx(gain.standard_error**2)
    assert asked.rounds(0) is None
    simulated = asked.rounds(500)
    assert simulated is not None and set(simulated["method"]) == set(METHODS)


@pytest.mark.parametrize("budget", [57, 60, 63, 100])
def test_a_curve_has_no_budget_that_is_almost_the_one_asked_for(pool: Pool, budget: int) -> None:
    at = np.unique(Prospect(pool, "one", budget).curve()["budget"])
    assert [one for one in at if abs(one - budget) < 0.05 * budget] == [budget] and pool.n_items in at


def test_simulated_rounds_scatter_around_the_exact_line(pool: Pool) -> None:
    prospect = Prospect(pool, "one", 60)
    simulated, exact = prospect.rounds(4000), prospect.curve().set_index(["method", "budget"])["mse"]
    assert simulated is not None and 60 in set(simulated["budget"])
    for row in simulated.itertuples():
        assert abs(row.mse - exact["recommended", row.budget]) < 5 * row.standard_error


@pytest.mark.parametrize(("budget", "why"), [(10, "same outcome"), (40, "every item")])
def test_an_error_of_nothing_says_why(budget: int, why: str) -> None:
    pool = Pool.from_records({"id": str(n), "targets": {"one": {"loss": 0.0}}} for n in range(40))
    assert Prospect(pool, "one", budget).promise.brief == Saying("No error", why)


def test_a_gate_has_coarse_strata(pool: Pool) -> None:
    recommended = Prospect(pool, "one", 60)
    gate = recommended.asking(replace(recommended.question, gate=True))
    assert gate.scheme == gate_scheme(recommended.whole.scheme) and gate.method == "gate"
    assert gate.promise.exact and gate.promise.half_width > recommended.promise.half_width
    assert set(gate.curve()["method"]) >= {"gate", "uniform"}
    unknown = gate.asking(replace(gate.question, target=None)).promise
    assert not unknown.exact and unknown.labels == 60


def test_a_plan_promises_what_its_design_does(pool: Pool) -> None:
    prospect = Prospect(pool, "one", 60)
    assert prospect.drawn(prospect.plan(1)).promise == prospect.promise
    paper = Prospect(pool, "one", 60, Question(scheme=Scheme(n_strata=4)))
    plan = paper.plan(1)
    promised = prospect.drawn(plan).promise
    assert promised.exact and promised.half_width == pytest.approx(paper.promise.half_width)
    assert prospect.drawn(prospect.plan(1, waves=2)).promise == prospect.promise
    new = prospect.asking(Question()).drawn(plan)
    assert not new.promise.exact and new.promise.half_width == new.forecast.half_width


def test_without_generations_the_recommended_design_is_beside_uniform_alone() -> None:
    bare = pool_of(generations=False)
    prospect = Prospect(bare, "one", 60)
    assert prospect.knowledge.signals == ("risk", "past-results") and prospect.knowledge.past == ("two", "three")
    assert set(prospect.curve()["method"]) == {"recommended", "uniform"}
    assert prospect.signals["signal"].tolist() and prospect.promise.exact
    with pytest.raises(DesignError, match="No outcome"):
        prospect.asking(Question()).errors([20])


def test_labels_for_a_half_width_are_the_fewest(pool: Pool) -> None:
    prospect = Prospect(pool, "one", 60)
    enough = prospect.for_half_width(0.05)
    assert enough.promise.half_width <= 0.05 < prospect.at(enough.budget - 1).promise.half_width
    new = prospect.asking(Question()).for_half_width(0.05)
    assert new.promise.half_width <= 0.05
    with pytest.raises(DesignError, match="million labels"):
        Prospect(None).for_half_width(1e-5)
    costs = replace(prospect.question, costs=Costs(label=2.0))
    assert prospect.asking(costs).for_money(100.0).budget == 50


def test_the_half_widths_of_a_figure_are_those_that_are_promised(pool: Pool) -> None:
    for question in (Question("one"), Question()):
        prospect = Prospect(pool, None, 60, question)
        table = prospect.half_width_curve()
        here = table[(table["method"] == "recommended") & (table["budget"] == 60)]
        assert here["half_width"].iloc[0] == pytest.approx(prospect.promise.half_width)


def test_other_pools_teach_a_risk() -> None:
    here, elsewhere = pool_of(), pool_of(seed=5)
    prospect = Prospect(here, "one", 60, Question(signal=ELSEWHERE), others=[here, elsewhere])
    assert prospect.question.others == (elsewhere.digest,)
    assert prospect.signal == Saying("risk", "other pools") and prospect.design.risk is not None
    assert "risk by your other pools" in prospect.signals["signal"].tolist()
    assert prospect.best == "risk"


def test_a_scheme_of_the_recommended_design_follows_the_budget(pool: Pool) -> None:
    prospect = Prospect(pool, "one", 60, memo=Memo())
    assert prospect.at(90).scheme == fine(prospect.whole.scheme, 90, 240)
    assert prospect.least == 2 and prospect.labels.sum() == 60 and prospect.guard is None
    assert prospect.table["labels"].sum() == 60


@pytest.mark.parametrize("budget", [0, 241])
def test_a_budget_that_does_not_fit_is_refused(pool: Pool, budget: int) -> None:
    with pytest.raises(DesignError, match="from 1 to 240"):
        Prospect(pool, "one", budget)
