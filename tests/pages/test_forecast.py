"""What is forecast on the other pages: bands without outcomes, verdicts, prices, and decisions after labelling."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from core.archive import Archive
from core.design import PAPER, Design, recommend
from core.gates import Decision, decide_in_order
from core.prospect import Prospect, gate_scheme
from core.prospect.forecast import from_labels
from core.prospect.prior import belief
from core.prospect.sampling_frame import CHOSEN, Partition, design_frame
from core.simulation import rounds
from core.study import Labelling, Study, reached
from core.words import SPACE
from pages.parts.app.address import VERSION
from pages.parts.estimate.panel import _verdict
from tests.core.wording import Saying
from tests.pages.conftest import bare, figure, sentences
from tests.pages.estimate.conftest import judged, keep, plan_of, two_targets
from tests.pages.pools import odd, pool
from tests.pages.test_recommended import past_rows

NEWEST = {"v": VERSION}
PRECISION = {"list-detail": "precision"}
PRICED = {"price": 10, "minutes": 2, **NEWEST}


def text(app) -> str:
    return bare([*app.title, *app.main.markdown, *app.main.caption, *app.main.warning]).replace("\u00a0", " ")


@pytest.mark.parametrize("design", ["recommended", "paper"])
def test_explore_forecasts_where_no_outcome_is_known(open_page, design):
    unknown = odd("no targets")
    app = open_page("pages/explore.py", unknown, budget=20, design=design, believed="", **PRICED)
    plan = Design(20).draw(unknown)
    papers = Partition(plan.design.scheme, plan.strata, plan.stratum)
    items = design_frame(unknown, recommend(unknown, 20), chosen=papers)
    method = "recommended" if design == "recommended" else CHOSEN
    expected = from_labels(items, belief((0.7, 0.85)), 20, method=method)
    assert f"20 labels: about ±{100 * expected.half_width:.1f} points" in text(app)
    assert "200 €" in text(app) and "expected accuracy of 70 % to 85 %" in text(app)
    assert {"Range", "Worst case", "Your plan"} <= {trace.get("name") for trace in figure(app)["data"]}


def test_the_belief_of_page_plan_counts_everywhere(open_page):
    app = open_page("pages/explore.py", odd("no targets"), budget=20, auroc="weak", **NEWEST)
    assert "46 % to" not in text(app) and "50 % to 66 % of the time" in text(app)


def test_prices_are_shown_where_labels_are_counted(open_page):
    for page in ("pages/explore.py", "pages/label.py"):
        app = open_page(page, None, budget=60, **PRICED)
        assert "60 labels" in text(app) and "600 €" in text(app), page
    assert "€" not in text(open_page("pages/label.py", None, budget=60, **NEWEST))


def test_after_an_upload_the_pool_says_whether_it_will_help(open_page):
    app = open_page("pages/pool.py", odd("no targets"), **NEWEST)
    assert "No saving is to be expected" in text(app) and "Forecast\\: it assumes" in "".join(sentences(app))
    bare_pool = open_page("pages/pool.py", odd("only ids"), **NEWEST)
    assert "nothing predicts mistakes yet" in text(bare_pool)


def test_where_outcomes_are_known_every_page_states_the_same_exact_saving(open_page):
    known = pool(past_rows(300), "known")
    explore = text(open_page("pages/explore.py", known, budget=40, **NEWEST))
    needed, saved = re.search(r"would need (\d+) labels for the same precision: (\d+) % saved", explore).groups()
    exact = f"saves {saved} % of the labels: 40 labels instead of {needed} drawn uniformly"
    said = (
        "".join(sentences(open_page("pages/pool.py", known, budget=40, **NEWEST)))
        .replace("\\", "")
        .replace("\u00a0", " ")
    )
    assert exact in said and "is known on every item" in said and "(range" not in said
    plan = text(open_page("pages/plan.py", known, budget=40, **{"plan-for": "pool"}, **NEWEST))
    assert f"saves {saved} % of the labels" in plan and f"instead of {needed}" in plan
    assert "What is saved is exact" in plan and "(range" not in plan
    half, prospect = float(re.search(r"±([\d.]+) points: 40 labels", plan).group(1)), Prospect(known, "m0", 40)
    drawn = rounds(prospect.design, known, known.losses("m0"), trials=200, seed=1)
    assert half == pytest.approx(50 * (drawn["high"] - drawn["low"]).mean(), rel=0.05)


@pytest.fixture
def labelled(neyman_home):
    """A plan of 60 labels on a pool of two targets, the first 45 judged."""
    questions = two_targets()
    plan, _ = plan_of(questions, 60)
    keep(neyman_home, questions, plan, judged(questions, plan.ids[:45], "one"), "right-wrong", "one")
    return questions, plan


def test_the_verdict_of_a_gate_follows_labelling_into_the_report(open_page, labelled, downloads):
    """The page said Hold, and its report had neither the bar nor the decision."""
    questions, plan = labelled
    query = {"plan": plan.plan_id, "target": "one", "says": "Right or wrong", **NEWEST}
    low = open_page("pages/estimate.py", questions, bar=40, **query)
    high = open_page("pages/estimate.py", questions, bar=99, **query)
    first = downloads["Report (HTML)"]().split('class="folds"')[0]
    assert first.replace(SPACE, " ") == Saying("Hold: the accuracy is below 99.0 %. Confidence:")
    assert text(low) == Saying("Ship] The accuracy is at least 40.0 %")
    assert text(high) == Saying("Hold] The accuracy is below 99.0 %")
    losses = questions.losses("one")[plan.positions[:45]]
    early = decide_in_order(plan, plan.positions[:45], 1 - losses, 0.4)
    assert f"decided after {early.labels} of 45 labels" in text(low)
    open_page("pages/estimate.py", questions, **query)
    assert not re.search("Ship|Hold|Unclear|€", downloads["Report (HTML)"]())


def test_a_list_for_a_gate_is_decided_on_where_it_is_estimated(open_page, neyman_home, downloads):
    questions = two_targets()
    design = recommend(questions, 60, "one")
    plan = replace(design, scheme=gate_scheme(design.scheme)).draw(questions, seed=0)
    keep(neyman_home, questions, plan, judged(questions, plan.ids, "one"), "right-wrong", "one")
    query = {"plan": plan.plan_id, "target": "one", "says": "Right or wrong", "bar": 30, "band": 20, **NEWEST}
    app = open_page("pages/estimate.py", questions, **query)
    early = decide_in_order(plan, plan.positions, 1 - questions.losses("one")[plan.positions], 0.3, band=0.2)
    assert early.answer == "ship" and early.labels < 60
    assert f"decided after {early.labels} of 60 labels" in text(app)
    assert early.confidence > 0.999 and text(app) == Saying("Ship] ", "Confidence: more than 99.9 %")
    assert text(app) == Saying("test of all labels. Ship")
    report = downloads["Report (HTML)"]().replace(SPACE, " ")
    assert report == Saying("Ship: the accuracy is at least 30.0 %. Confidence: more than 99.9 %.")


@pytest.mark.parametrize(("confidence", "words"), [(0.9714, "97.1 %"), (0.9996, "more than 99.9 %")])
def test_no_verdict_is_called_certain(confidence, words):
    verdict = _verdict(Decision("ship", confidence, 30, 60), 0.8)
    assert verdict.replace(SPACE, " ") == Saying("Ship", "at least 80.0 %", f"Confidence: {words}")


@pytest.mark.parametrize("design", ["gate", "paper", "recommended"])
def test_a_list_is_forecast_as_it_is_drawn(open_page, design):
    unknown = odd("no targets")
    app = open_page("pages/label.py", unknown, budget=20, design=design, seed=1, **PRECISION, **NEWEST)
    recommended = recommend(unknown, 20)
    schemes = {"gate": gate_scheme(recommended.scheme), "paper": PAPER, "recommended": recommended.scheme}
    plan = Design(20, schemes[design], risk=recommended.risk).draw(unknown)
    items = design_frame(unknown, recommended, chosen=Partition(plan.design.scheme, plan.strata, plan.stratum))
    shown = Prospect(unknown, None, 20).likeness
    assert shown is not None
    expected = from_labels(items, belief(shown.accuracy), 20, method=CHOSEN)
    assert f"Forecast: {expected.sentence}".replace("\u00a0", " ") in text(app)
    assert any("This design" in trace.get("name", "") for trace in figure(app)["data"]) == (design != "recommended")


def test_what_labels_have_reached_is_drawn_over_the_forecast(open_page, labelled, neyman_home):
    questions, plan = labelled
    query = {"budget": 60, "design": plan.plan_id, "target": "one", "label-kind": "Right or wrong", **NEWEST}
    app = open_page("pages/label.py", questions, **query, **PRECISION)
    traces = {trace.get("name"): trace for trace in figure(app)["data"]}
    study = Study(Labelling.load(Archive(neyman_home), plan, questions, "right-wrong", "one"))
    table = reached(study.outcomes)
    assert traces["Reached"]["x"] == table["labels"].tolist() and table["labels"].iloc[-1] == 45
    assert traces["Reached"]["y"] == pytest.approx((100 * table["half_width"]).tolist())
    assert table["half_width"].iloc[-1] == pytest.approx(study.outcomes.half_width)
    assert table["half_width"].iloc[-1] < table["half_width"].iloc[0]


def test_more_labels_have_a_price_and_the_report_too(open_page, labelled, downloads):
    questions, plan = labelled
    query = {"plan": plan.plan_id, "target": "one", "says": "Right or wrong", "half-width": 6}
    app = open_page("pages/estimate.py", questions, **query, about="precision", **PRICED)
    assert "more labels" in text(app) and "€" in text(app)
    assert "450\u00a0€, 1.5\u00a0hours;" in downloads["Report (HTML)"]()
