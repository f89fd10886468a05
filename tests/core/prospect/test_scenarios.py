"""Rows of what may be known of the items: as the pool has it, or else as such a signal is usually worth."""

from __future__ import annotations

import math

import pytest

from core.commands import main
from core.errors import DesignError
from core.pool import Pool
from core.prospect import Costs, Prospect, Question, scenario_table, scenarios
from core.prospect.forecast import labels_for, middle_risks
from core.prospect.prior import belief
from core.prospect.sampling_frame import assumed_frame

COSTS = Costs(4)


def bare(items: int = 2000) -> Pool:
    """Items with a model's texts, of which nothing else is known."""
    rows = [{"id": f"q{n}", "prompt": "?", "targets": {"mine": {"text": f"a{n}"}}} for n in range(items)]
    return Pool.from_records(rows, "bare")


def test_rows_without_a_pool_are_forecasts_of_signals_as_they_usually_are() -> None:
    asked = Prospect(None, question=Question(n_items=2000, costs=COSTS))
    table = scenario_table(asked, half_width=0.03).set_index("known")
    items = assumed_frame(2000)
    for name, word in (("poor", "weak"), ("surrogate", "typical"), ("answers", "strong"), ("past", "past results")):
        risks = middle_risks(items, belief((0.7, 0.85), word))
        assert table.loc[name, "labels"] == labels_for(items, risks, "recommended", 0.03)
    nothing = labels_for(items, middle_risks(items, belief((0.7, 0.85))), "uniform", 0.03)
    assert table.loc["nothing", "labels"] == nothing and (table["uniform_labels"] == nothing).all()
    assert table["saved"].tolist() == pytest.approx((1 - table["labels"] / nothing).tolist())
    assert table["break_even"].tolist() == pytest.approx((4 * (nothing - table["labels"])).tolist())
    assert not table["assumed"].any() and table["own"].tolist() == [name == "surrogate" for name in table.index]


def test_what_the_pool_lacks_is_assumed_for_a_pool_of_its_size() -> None:
    rows = scenarios(Prospect(bare(), "mine", question=Question(costs=COSTS)), half_width=0.03)
    alike = scenario_table(Prospect(None, question=Question(n_items=2000, costs=COSTS)), half_width=0.03)
    assert [one.labels for one in rows] == alike["labels"].tolist()
    assert [one.name for one in rows if one.own] == ["nothing"]
    assert [one.name for one in rows if one.assumed] == ["poor", "surrogate", "answers", "past"]


def test_money_pays_for_the_cheap_model_only_in_rows_that_need_it() -> None:
    costs = Costs(4, tokens=100.0, million_tokens=1000.0)
    table = scenario_table(Prospect(None, question=Question(n_items=2000, costs=costs)), money=1000).set_index("known")
    # 2,000 items at 100 tokens of 1,000 a million are 200.
    assert table["labels"].to_dict() == {"nothing": 250, "poor": 200, "surrogate": 200, "answers": 200, "past": 250}
    assert (table["money"] == 1000).all()


@pytest.mark.parametrize(
    ("auroc", "own"), [(None, "surrogate"), ("weak", "poor"), ("strong", "answers"), (0.7, "believed")]
)
def test_the_row_that_the_plan_rests_on_has_its_promise(auroc: str | float | None, own: str) -> None:
    asked = Prospect(None, budget=150, question=Question(n_items=900, auroc=auroc))
    (row,) = (one for one in scenarios(asked) if one.own)
    assert row.name == own and row.half_width == asked.promise.half_width
    assert row.payment.uniform_labels == asked.promise.uniform_labels
    assert "money" in scenario_table(asked) and scenario_table(asked)["money"].isna().all()


def test_groups_are_a_row_of_their_own() -> None:
    rows = [{"id": f"q{n}", "group": "ab"[n % 2], "targets": {"mine": {"text": f"a{n}"}}} for n in range(90)]
    table = scenario_table(Prospect(Pool.from_records(rows, "grouped"), "mine", 30))
    assert table["known"].tolist()[:2] == ["nothing", "group"] and table["own"].tolist()[1]


def test_past_results_without_answers_are_one_row() -> None:
    rows = [
        {"id": f"q{n}", "targets": {f"m{m}": {"loss": float((n * (m + 3)) % 7 < 2)} for m in range(4)}}
        for n in range(140)
    ]
    table = scenario_table(Prospect(Pool.from_records(rows, "board"), "m0", 40)).set_index("known")
    assert "both" not in table.index and table.loc["past", "own"] and not table.loc["past", "assumed"]


@pytest.mark.parametrize("wanted", [{"half_width": 0.05, "money": 9.0}, {"half_width": 1.5}, {"money": 100.0}])
def test_contradictions_are_refused(wanted: dict[str, float]) -> None:
    with pytest.raises(DesignError):
        scenarios(Prospect(None, question=Question(n_items=500)), **wanted)


def test_the_command_prints_the_same_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", "--items", "2000", "--half-width", "0.03", "--price", "4"]) == 0
    said = capsys.readouterr().out
    table = scenario_table(Prospect(None, question=Question(n_items=2000, costs=COSTS)), half_width=0.03)
    assert said.startswith("±3.0")
    lines = said.splitlines()[-len(table) :]
    for line, row in zip(lines, table.to_dict("records"), strict=True):
        assert row["title"] in line and f" {row['labels']:,} " in line and line.startswith("→") == row["own"]
        limit = row["break_even"]
        assert line.endswith("–") if not limit > 0 or math.isnan(limit) else f"{limit:,.0f}" in line
