"""A plan as a page and as a table: all that is promised, with its costs; texts are never markup."""

from __future__ import annotations

import pytest
from markupsafe import escape

from core.planning import Costs
from core.pool import Pool
from core.prospect import Prospect, Question
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
    for words in (promise.sentence, promise.verdict, prospect.explained, prospect.meaning):
        assert escape(words) in page
    # 40 labels at 3 and 0.5; 120 items at 1,000 tokens of 10 a million.
    for amount in (120, 20, 1.2, 141.2):
        assert COSTS.amount(amount) in page
    assert "Uniform" in page and COSTS.spent(int(promise.uniform_labels or 0)) in page
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
    decided = table[len(curve) :]
    assert decided["budget"].iloc[0] == gate.labels and decided["budget"].iloc[-1] == pairs.labels
    assert len(decided) == 4 and decided["half_width"].isna().all()


def test_a_gate_says_what_the_labels_at_hand_decide(prospect: Prospect) -> None:
    """Exact: the chances of the test with the plan's own number of labels, at the ends of the band."""
    gate = prospect.gate(0.8, 0.05)
    better, worse = gate.rule.chances(prospect.budget, [0.85, 0.75]).to_dict("records")
    said = str(gate.of_planned)
    assert f"With your {prospect.budget} labels" in said and "85.0" in said and "75.0" in said
    assert f"chance of {per_cent(better['ship'])}" in said and f"chance of {per_cent(worse['hold'])}" in said
    assert str(escape(said)) in Sheet(prospect, gate).html()
