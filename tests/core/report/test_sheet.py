"""A plan as a page and as a table: all that is promised, with its costs; texts are never markup."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from markupsafe import escape

from core.pool import Pool
from core.prospect import Costs, Prospect, Question, savings, scenarios
from core.report import Sheet
from core.words import per_cent

COSTS = Costs(label=3, minutes=2, target_run=0.5, tokens=1000, million_tokens=10, currency="CHF")


@pytest.fixture
def prospect() -> Prospect:
    losses = [float(number % 4 == 0) for number in range(120)]
    records = [
        {"id": str(place), "generations": ["A", "B" if place % 3 else "A"], "targets": {"<b>one</b>": {"loss": loss}}}
        for place, loss in enumerate(losses)
    ]
    pool = Pool.from_records(records, name="<script>alert(1)</script>")
    return Prospect(pool, "<b>one</b>", 40, Question(costs=COSTS))


def test_texts_of_a_pool_are_never_markup(prospect: Prospect) -> None:
    page = Sheet(prospect).html()
    assert "<script" not in page and "<b>" not in page and "&lt;script&gt;" in page


def test_the_page_has_the_promise_and_its_costs(prospect: Prospect) -> None:
    promise, page = prospect.promise, Sheet(prospect).html()
    own = next(one for one in scenarios(prospect) if one.own)
    for words in (own.sentence, own.beside, own.worth, prospect.explained, prospect.meaning):
        assert escape(words) in page
    # 40 labels at 3 and 0.5; 120 items at 1,000 tokens of 10 a million.
    for amount in (120, 20, 1.2, 141.2):
        assert COSTS.amount(amount) in page
    assert "Uniform" in page and promise.uniform_labels is not None
    free = Prospect(prospect.pool, "<b>one</b>", 40)
    assert "What it costs" not in Sheet(free).html()


def test_the_table_has_costs_of_every_row(prospect: Prospect) -> None:
    gate, pairs = prospect.gate(0.75, 0.1), prospect.pairs(0.8, 0.1)
    table = Sheet(prospect, gate, prospect.gate_checked_early(gate), pairs).frame()
    extra = (table["method"] != "uniform") * 1.2
    assert table["money"].tolist() == pytest.approx((3.5 * table["budget"] + extra).tolist())
    assert table["hours"].tolist() == pytest.approx((table["budget"] / 30).tolist())
    curve = prospect.half_width_curve()
    assert table["half_width"][: len(curve)].tolist() == curve["half_width"].tolist()
    free = Sheet(Prospect(prospect.pool, "<b>one</b>", 40), gate).frame()
    # What has no price does not cost nothing.
    assert free["money"].isna().all() and free["hours"].isna().all()


def test_the_table_has_every_number_of_gate_and_comparison(prospect: Prospect) -> None:
    gate, pairs = prospect.gate(0.75, 0.1), prospect.pairs(0.8, 0.1)
    early = prospect.gate_checked_early(gate)
    assert early is not None and gate.labels is not None
    table = Sheet(prospect, gate, early, pairs).frame().set_index("question")

    def of(words: str) -> pd.DataFrame:
        return table[table.index.str.contains(words, regex=False)]

    once = of("decided once").iloc[0]
    assert (once["budget"], once["chance"]) == (gate.labels, 0.8)
    planned = of("with the plan’s labels").set_index("answer")["chance"].to_dict()
    better, worse = gate.rule.chances(40, [0.85, 0.65]).to_dict("records")
    assert planned == pytest.approx({"ship": better["ship"], "hold": worse["hold"]})
    drawn = of("decided once, chances").pivot(index="accuracy", columns="answer", values="chance")
    expected = gate.chances.set_index("accuracy")
    assert drawn[expected.columns].to_numpy() == pytest.approx(expected.to_numpy())
    mean = of("checked after every label, mean").set_index("answer")
    assert mean.loc["hold", ["budget", "chance"]].tolist() == [round(early.hold.labels), early.hold.decided]
    # At the bar itself most lists stay without an answer.
    said = str(early.finding)
    assert "At either accuracy, " in said and f"{gate.most:,} labels; between them, " in said
    assert of("at most")["budget"].item() == gate.most
    assert of("the smallest")["difference"].item() == pairs.detectable


def test_the_page_says_what_each_thing_that_may_be_known_is_worth(prospect: Prospect) -> None:
    rows = scenarios(prospect)
    page = Sheet(prospect).html()
    assert all(str(escape(one.title)) in page for one in rows) and len(rows) > 2
    chosen = next(one for one in rows if one.name == "nothing")
    assert str(escape(chosen.sentence)) in Sheet(prospect, chosen=chosen).html()


def test_scores_have_no_accuracy_and_no_ranking() -> None:
    rng = np.random.default_rng(0)
    rows = [
        {"id": f"q{n}", "generations": ["A", "AB"[n % 2]], "targets": {"graded": {"loss": 10 * float(rng.random())}}}
        for n in range(60)
    ]
    (saving,) = savings(Pool.from_records(rows, "scores"))
    assert math.isnan(saving.accuracy) and math.isnan(saving.auroc) and math.isfinite(saving.saved)


def test_a_gate_says_what_the_labels_at_hand_decide(prospect: Prospect) -> None:
    """Exact: the chances of the test with the plan's own number of labels, at the ends of the band."""
    gate = prospect.gate(0.8, 0.05)
    better, worse = gate.rule.chances(prospect.budget, [0.85, 0.75]).to_dict("records")
    said = str(gate.of_planned)
    assert f"With your {prospect.budget} labels" in said and "85.0" in said and "75.0" in said
    assert f"chance of {per_cent(better['ship'])}" in said and f"chance of {per_cent(worse['hold'])}" in said
    assert str(escape(said)) in Sheet(prospect, gate).html()
