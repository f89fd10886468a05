"""The version gate on page Versions: before labels, with known outcomes, and from its list on page Label back."""

from __future__ import annotations

import functools
import io

import numpy as np
import pandas as pd
import pytest

from core.archive import Archive
from core.bank import Bank
from core.design import Design, Scheme
from core.gates import chances, gate, known_losses, listed_pool
from core.pool import Pool
from core.study import Labelling
from core.words import first_sentence
from pages.parts.app import state
from pages.parts.app.address import VERSION
from pages.parts.plan.versions import STORY
from tests.core.gates.test_version_gate import without_answers
from tests.core.wording import Saying
from tests.pages.conftest import BARE, CREATED, bare, figures, messages, press, run

VERSIONS, NEWEST, LIST = "pages/versions.py", {"v": VERSION}, ("gate-list",)
ASKED = {"gate-old": "v1", "gate-new": "v2"}


@functools.cache
def versions(graded: bool = False) -> Pool:
    """Six hundred items that two versions answered, of which the old one is graded; a fifth of the answers differ."""
    rng = np.random.default_rng(7)
    records = []
    for place in range(600):
        old, differs = rng.choice(["A", "B"], p=[0.8, 0.2]), rng.random() < 0.2
        new = {"A": "B", "B": rng.choice(["A", "C"])}[old] if differs else old
        outcome = {"loss": float(new != "A")} if graded else {}
        targets = {"v1": {"answer": old, "loss": float(old != "A")}, "v2": {"answer": new} | outcome}
        records.append({"id": f"i{place}", "prompt": f"What is {place}?", "targets": targets})
    return Pool.from_records(records, "versions")


def text(app) -> str:
    return bare([*app.main.markdown, *app.main.caption]).replace("\u00a0", " ").replace("\n", " ")


def test_before_labels_it_says_how_many_of_which_items_and_what_they_decide(open_page):
    pool = versions()
    app = open_page(VERSIONS, pool, margin=3, **ASKED, **NEWEST)
    planned = gate(pool, "v1", "v2", 0.03, bank=Bank.of(pool))
    first, rest = first_sentence(planned.sentence)
    usual = chances(planned).usual_needed
    assert usual is not None and f"## {first.removesuffix('.')}, instead of {usual:,}" in text(app)
    for said in (rest, planned.rates, chances(planned).sentence, "the usual gate"):
        assert said.replace("\u00a0", " ") in text(app)
    (table,) = (one.value for one in app.dataframe if "known" in one.value.columns)
    assert table["items"].sum() == planned.n_unequal and table["labels"].sum() == planned.n_labels
    bar, drawn = (
        next(f for f in figures(app) if any(t.get("name") == name for t in f["data"]))
        for name in ("Same answer", "Pass")
    )
    assert sum(trace["x"][0] for trace in bar["data"]) == 600
    assert [trace["name"] for trace in drawn["data"]] == ["Pass", "Fail", "Pass, usual gate", "Fail, usual gate"]


def test_an_address_opens_the_page_with_its_choices(open_page):
    app = open_page(VERSIONS, versions(), margin=5, looks="any", verdicts="follows", **ASKED, **NEWEST)
    assert app.selectbox(key="gate-old").value == "v1" and app.selectbox(key="gate-new").value == "v2"
    assert (app.number_input(key="margin").value, app.selectbox(key="looks").value) == (5, "any")
    assert app.selectbox(key="verdicts").value == "follows" and "however often you look" in text(app)


def test_known_outcomes_decide_first_and_at_one_click_as_the_list_would_have(open_page):
    pool = versions(graded=True)
    app = open_page(VERSIONS, pool, LIST, **ASKED, **NEWEST)
    assert "worse than v1 on these items" in text(app)
    assert "What a list would have taken" in [one.label for one in app.main.get("expander")]
    app.toggle(key="known-outcomes").set_value(True)
    app = run(app)
    planned = gate(pool, "v1", "v2", bank=Bank.of(pool))
    known = known_losses(pool, "v2")
    decided = planned.decide({item: known[item] for item in planned.items["item_id"]})
    assert decided.sentence.replace("\u00a0", " ") in text(app)
    assert "All 600" in text(app) and any("worse by more than" in str(one["layout"]) for one in figures(app))


def test_the_list_goes_to_page_label_and_its_labels_come_back_as_a_verdict(open_page, neyman_home):
    pool = versions()
    app = open_page(VERSIONS, pool, parser="choice", **ASKED, **NEWEST)
    press(app, "Label these items")
    assert app.query_params["parser"] == "choice", "as the answers that differ were read"
    planned = gate(pool, "v1", "v2", bank=Bank.of(pool))
    listed = listed_pool(planned, pool)
    assert app.title[0].value == "Label" and f"All {listed.n_items} items to label" in text(app)
    assert (app.selectbox(key="label-kind").value, app.selectbox(key="target").value) == ("right-wrong", "v2")
    archive = Archive(neyman_home)
    answers = dict(zip(pool.ids, pool.target_answers("v2"), strict=True))
    rows = app.dataframe[0].value
    # As page Label keeps them.
    plan = Design(listed.n_items, Scheme(allocation="uniform")).draw(listed, seed=1)
    assert set(rows["item_id"]) == set(plan.ids)
    Labelling(plan, listed, pd.DataFrame(), "right-wrong", "v2").save_plan(archive, CREATED)
    said = ["right" if answers[item] == "A" else "wrong" for item in plan.ids]
    archive.labels.save(
        plan.plan_id, pd.DataFrame({"item_id": plan.ids, "label": said}), CREATED, "csv", "right-wrong", "v2"
    )
    losses = {item: float(answer != "A") for item, answer in answers.items()}
    sentence = planned.decide({item: losses[item] for item in listed.ids}).sentence.replace("\u00a0", " ")
    for current in (pool, listed):
        assert sentence in text(open_page(VERSIONS, current, **ASKED, **NEWEST))


def test_the_list_is_a_file_that_names_no_version_and_is_kept(open_page, downloads, neyman_home):
    open_page(VERSIONS, versions(), **ASKED, **NEWEST)
    table = pd.read_csv(io.StringIO(downloads["List as CSV"]()))
    planned = gate(versions(), "v1", "v2", bank=Bank.of(versions()))
    assert table["item_id"].tolist() == planned.gradings["item_id"].tolist()
    assert not table["answers_of"].isin(["v1", "v2"]).any() and "label" in table.columns


def test_a_pool_without_two_versions_leads_to_the_story(open_page):
    app = open_page(VERSIONS, None, **NEWEST)
    assert "fewer than two" in text(app) and not messages(app, "error")
    (link,) = (one.proto for one in app.main.get("page_link") if one.proto.label.startswith("See it on MMLU-Pro"))
    assert "known-outcomes=true" in link.query_string
    query = dict(pair.split("=") for pair in link.query_string.split("&"))
    # The first screen says that most verdicts are known: the gate takes them as known too.
    assert "Fail: " in (said := text(open_page(VERSIONS, None, **query))) and "93 labels to tell whether" in said
    # Both of its shares stand side by side, each with what it is of.
    assert said == Saying("82 % of the verdicts on", "are known already", "itself gave the same answer to 45 %")


def test_versions_of_which_verdicts_alone_are_known_lead_to_a_list_and_a_bar(open_page, neyman_home):
    """An agent's versions had no answers to compare, and the panel said that there were fewer than two versions."""
    rows = [
        {"id": f"t{n}", "targets": {f"v{v}": {"loss": float(n % 10 >= 4 + v)} for v in (1, 2, 3)}} for n in range(100)
    ]
    app = open_page(VERSIONS, Pool.from_records(rows, "agents"), **NEWEST)
    assert Saying("the answers of fewer than two", "right on at least 68", "“v3” is right on 70.0 %") == text(app)
    (link,) = (one.proto for one in app.main.get("page_link") if one.proto.label.startswith("Draw the list for"))
    asked = dict(pair.split("=") for pair in link.query_string.split("&"))
    assert (asked["target"], asked["bar"], asked["label-kind"]) == ("new", "68", "right-wrong")


@pytest.mark.parametrize("choice", [{"gate-old": "nobody", "gate-new": "v2"}, {"gate-old": "v2", "gate-new": "v2"}])
def test_an_address_that_names_no_pair_shows_one(open_page, choice):
    app = open_page(VERSIONS, versions(), **choice, **NEWEST)
    assert not messages(app, "error") and "give the same answer to" in text(app)


def test_the_old_version_may_be_one_that_the_bank_alone_knows(open_page, neyman_home):
    pool = versions()
    Archive(neyman_home).pools.save(pool, CREATED)
    records = [
        {"id": item, "prompt": row["prompt"], "targets": {"v2": {"answer": answer}}}
        for (item, row), answer in zip(pool.items.iterrows(), pool.target_answers("v2"), strict=True)
    ]
    alone = Pool.from_records(records, "alone")
    app = open_page(VERSIONS, alone, **ASKED, **NEWEST)
    assert app.selectbox(key="gate-old").options == ["v1 (bank)"]
    planned = gate(pool, "v1", "v2", bank=Bank.of(pool))
    assert first_sentence(planned.sentence)[1].replace("\u00a0", " ") in text(app)
    press(app, "Label these items")
    assert app.title[0].value == "Label" and f"All {planned.order.size} items to label" in text(app)


def test_a_gate_with_nothing_to_grade_says_its_verdict_once(open_page):
    targets = {"v1": {"answer": "A", "loss": 0.0}, "v2": {"answer": "A", "loss": 0.0}}
    records = [{"id": f"i{place}", "prompt": f"What is {place}?", "targets": targets} for place in range(600)]
    records[0] |= {"targets": {"v1": {"answer": "A", "loss": 0.0}, "v2": {"answer": "B", "loss": 1.0}}}
    pool = Pool.from_records(records, "alike")
    app = open_page(VERSIONS, pool, **ASKED, **NEWEST)
    decided = gate(pool, "v1", "v2", bank=Bank.of(pool)).decide({}).sentence.replace("\u00a0", " ")
    assert decided.startswith("Pass") and text(app).count(decided) == 1 and "All 600" in text(app)
    assert "Nothing has to be graded" in text(app) and "of the time" not in text(app)
    assert not [one for one in app.toggle if one.key == "known-outcomes"]


def test_a_link_of_an_earlier_version_leads_to_the_page(open_page):
    app = open_page("pages/plan.py", versions(), margin=5, **ASKED, **NEWEST)
    assert app.title[0].value.startswith("Versions") and app.number_input(key="margin").value == 5
    assert (app.query_params["gate-old"], app.query_params["gate-new"]) == ("v1", "v2")
    app.selectbox(key="gate-new").select("v1")
    run(app)
    assert (app.query_params["gate-old"], app.query_params["gate-new"]) == ("v2", "v1")


@pytest.mark.parametrize("choice", [{}, {"target": "v9"}, {"target": "v10"}])
def test_the_newest_version_is_compared_with_the_one_before_it(open_page, choice):
    targets = {name: {"answer": name} for name in ("v10", "v9")}
    records = [{"id": f"i{place}", "prompt": f"What is {place}?", "targets": targets} for place in range(30)]
    app = open_page(VERSIONS, Pool.from_records(records, "unordered"), **choice, **NEWEST)
    assert (app.selectbox(key="gate-old").value, app.selectbox(key="gate-new").value) == ("v9", "v10")


def test_a_link_that_left_out_one_version_keeps_its_pair(open_page):
    app = open_page(VERSIONS, versions(), **{"gate-old": "v2", "target": "v1"}, **NEWEST)
    assert (app.selectbox(key="gate-old").value, app.selectbox(key="gate-new").value) == ("v2", "v1")


def test_a_gate_whose_outcomes_the_file_knows_is_decided_first(open_page):
    records = [
        {"id": f"i{n}", "prompt": f"q{n}", "answer": "A"}
        | {"targets": {"v1": {"answer": "AB"[n % 3 == 0]}, "v2": {"answer": "AB"[n % 4 == 0]}}}
        for n in range(120)
    ]
    app = open_page(VERSIONS, Pool.from_records(records, "keyed"), **ASKED, **NEWEST)
    said = text(app)
    assert said == Saying(
        "## v2 is 8.3 points better than v1 on these items",
        "Not worse by more than 2 points",
        "120 are too few to tell which is better",
    )
    assert "labels to tell whether v2 is worse" not in said, "the list that nobody needs is in a closed panel"
    opened = text(open_page(VERSIONS, Pool.from_records(records, "keyed"), LIST, **ASKED, **NEWEST))
    assert "labels to tell whether v2 is worse" in opened


@pytest.mark.parametrize("page", ["app.py", "pages/pool.py"])
def test_the_list_of_a_gate_is_no_pool_with_an_accuracy(open_page, page):
    pool = versions(graded=True)
    planned = gate(pool, "v1", "v2", bank=Bank.of(pool))
    app = open_page(page, listed_pool(planned, pool), **NEWEST)
    said = bare([*app.main.markdown, *app.info])
    assert planned.selection in said and "right on" not in said
    assert not any(one.label == "True accuracy" for one in app.metric)
    (link,) = (one.proto for one in app.main.get("page_link") if one.proto.label == "What this list decides")
    assert "gate-old=v1" in link.query_string and link.page == "versions"
    app = open_page(VERSIONS, listed_pool(planned, pool), **NEWEST)
    (link,) = (one.proto for one in app.main.get("page_link") if one.proto.label == "The pool of this gate")
    assert "gate-old=v1" in link.query_string and "target=v2" in link.query_string


@pytest.mark.parametrize("page", ["app.py", "plan", "explore", "judge", "lab", "estimate"])
def test_no_page_with_figures_of_a_pool_takes_a_selection_for_one(open_page, page):
    pool = versions()
    listed = listed_pool(gate(pool, "v1", "v2", bank=Bank.of(pool)), pool)
    app = open_page(page if page.endswith(".py") else f"pages/{page}.py", listed, **NEWEST)
    assert any("is the list of a version gate" in one for one in messages(app, "info"))
    assert not figures(app) and not app.main.get("metric")


def test_the_published_pool_begins_with_two_versions_of_one_model(open_page):
    published = state.published().digest[:16]
    app = open_page(VERSIONS, BARE, pool=published, target="Meta-Llama-3-70B", **NEWEST)
    for name in ("gate-old", "gate-new"):
        assert app.selectbox(key=name).value == STORY[name]


def test_a_list_of_an_earlier_version_says_which_items_nobody_can_grade_and_offers_no_more_labels(
    open_page, neyman_home
):
    """Items without an answer of the new version do not keep its list undecided, and page Label has nothing left."""
    pool = versions()
    planned = gate(pool, "v1", "v2", bank=Bank.of(pool))
    ids = planned.items["item_id"].tolist()
    listed = listed_pool(planned, without_answers(pool, {"v2": tuple(ids[:2])}))
    archive = Archive(neyman_home)
    plan = Design(listed.n_items, Scheme(allocation="uniform")).draw(listed, seed=1)
    Labelling(plan, listed, pd.DataFrame(), "right-wrong", "v2").save_plan(archive, CREATED)
    labels = pd.DataFrame({"item_id": ids[2:], "label": "right"})
    archive.labels.save(plan.plan_id, labels, CREATED, "csv", "right-wrong", "v2")
    app = open_page(VERSIONS, listed, **NEWEST)
    assert text(app) == Saying("Pass: v2 is not worse", "2 items of the list have no answer of v2", "(no answer)")


def test_items_without_an_answer_are_counted_on_the_page_and_stay_out_of_the_list(open_page):
    pool = without_answers(versions(), {"v2": ("i1", "i2", "i3")})
    app = open_page(VERSIONS, pool, **ASKED, **NEWEST)
    assert text(app) == Saying("of 597 items", "3 of 600 items have no answer of v2 and are left out")
    press(app, "Label these items")
    assert not {"i1", "i2", "i3"} & {*app.dataframe[0].value["item_id"]} and "wait until" not in text(app)


@pytest.mark.parametrize("graded", [False, True])
def test_a_gate_of_few_of_the_items_says_beside_each_number_what_is_left_out(open_page, downloads, neyman_home, graded):
    """The page compares what both versions answered, which the command does only if it is told to."""
    ids = [f"i{place}" for place in range(600)]
    pool = without_answers(versions(graded), {"v2": tuple(ids[100:])})
    app = open_page(VERSIONS, pool, **ASKED, **NEWEST)
    assert "500 of 600 items have no answer of v2 and are left out" in text(app)
    planned = gate(pool, "v1", "v2", bank=Bank.of(pool), partial=True)
    listed, archive = listed_pool(planned, pool), Archive(neyman_home)
    archive.pools.save(listed, CREATED)
    plan = Design(listed.n_items, Scheme(allocation="uniform")).draw(listed, seed=1)
    Labelling(plan, listed, pd.DataFrame(), "right-wrong", "v2").save_plan(archive, CREATED)
    given = pd.DataFrame({"item_id": plan.ids, "label": "right"})
    archive.labels.save(plan.plan_id, given, CREATED, "csv", "right-wrong", "v2")
    for current in (pool, listed):
        assert "500 of 600 items have no answer of v2 and are left out" in text(
            open_page(VERSIONS, current, **ASKED, **NEWEST)
        )
        assert "500 of 600 items have no answer of v2" in downloads["Verdict as HTML"]()


def test_a_finished_list_offers_its_verdict_and_no_further_labels(open_page, downloads, neyman_home):
    pool = versions()
    planned = gate(pool, "v1", "v2", bank=Bank.of(pool))
    listed, archive, ids = listed_pool(planned, pool), Archive(neyman_home), planned.items["item_id"].tolist()
    plan = Design(listed.n_items, Scheme(allocation="uniform")).draw(listed, seed=1)
    Labelling(plan, listed, pd.DataFrame(), "right-wrong", "v2").save_plan(archive, CREATED)

    def shown(labelled: list[str]) -> tuple:
        labels = pd.DataFrame({"item_id": labelled, "label": "right"})
        archive.labels.save(plan.plan_id, labels, CREATED, "csv", "right-wrong", "v2")
        app = open_page(VERSIONS, listed, **NEWEST)
        return app, {one.proto.label for one in app.main.get("page_link")}

    app, links = shown(ids[1:])
    assert "Continue its list" in links and "Verdict as HTML" not in downloads
    app, links = shown(ids)
    assert app.title[0].value.startswith("Versions") and "Continue its list" not in links
    assert planned.why_rates.replace("\u00a0", " ") == Saying("90 % limits", "5 % on each side", "at most 6 %")
    verdict = planned.decide(dict.fromkeys(ids, 0.0))
    page = downloads["Verdict as HTML"]()
    assert first_sentence(verdict.sentence)[0] in page and "<script" not in page
    table = pd.read_csv(io.StringIO(downloads["Verdict of each item as CSV"]()))
    assert set(table["item_id"]) == set(ids) and (table["new_loss"] == 0).all() and table["old_loss"].notna().all()


@pytest.mark.parametrize("begun", [False, True])
def test_page_label_has_no_control_that_the_list_of_a_gate_ignores(open_page, neyman_home, begun):
    pool = versions()
    listed = listed_pool(gate(pool, "v1", "v2", bank=Bank.of(pool)), pool)
    if begun:
        archive = Archive(neyman_home)
        plan = Design(listed.n_items, Scheme(allocation="uniform")).draw(listed, seed=1)
        Labelling(plan, listed, pd.DataFrame(), "right-wrong", "v2").save_plan(archive, CREATED)
        labels = pd.DataFrame({"item_id": plan.ids[:3], "label": "right"})
        archive.labels.save(plan.plan_id, labels, CREATED, "csv", "right-wrong", "v2")
    app = open_page("pages/label.py", listed, target="v2", budget=20, **NEWEST)
    keys = {
        one.key for kind in ("selectbox", "number_input", "select_slider", "slider", "button") for one in app.get(kind)
    }
    assert not keys & {"budget", "design", "allocation", "stratifier", "strata", "offset", "seed", "new-list"}
    assert f"All {listed.n_items} items to label" in text(app) and "larger budget" not in text(app)


def test_page_label_asks_of_a_gate_s_list_how_good_both_versions_answers_are(open_page, neyman_home):
    """A list of which both versions' answers are graded was opened with right answers, which the command refuses."""
    rows = [
        {"id": f"i{n}", "prompt": f"q{n}", "targets": {"v1": {"answer": "A"}, "v2": {"answer": "AB"[n % 3 == 0]}}}
        for n in range(300)
    ]
    pool = Pool.from_records(rows, "not graded")
    app = open_page(VERSIONS, pool, **ASKED, **NEWEST)
    press(app, "Label these items")
    kinds = app.selectbox(key="label-kind")
    assert kinds.value == "right-wrong" and not any("right answer" in one for one in kinds.options)
    assert "Answers of v1 are graded too" in text(app) and app.selectbox(key="target").value == "v2"
    listed = listed_pool(gate(pool, "v1", "v2", bank=Bank.of(pool)), pool)
    app = open_page("pages/label.py", listed, **{"label-kind": "gold"}, **NEWEST)
    assert app.selectbox(key="label-kind").value == "right-wrong"
    archive = Archive(neyman_home)
    plan = Design(listed.n_items, Scheme(allocation="uniform")).draw(listed, seed=1)
    Labelling(plan, listed, pd.DataFrame(), "right-wrong", "v2").save_plan(archive, CREATED)
    given = pd.DataFrame({"item_id": plan.ids, "label": "right"})
    archive.labels.save(plan.plan_id, given, CREATED, "csv", "right-wrong", "v2")
    app = open_page(VERSIONS, listed, **NEWEST)
    (link,) = (one.proto for one in app.main.get("page_link") if one.proto.label == "Continue its list")
    assert "target=v1" in link.query_string


def test_an_undecided_list_leads_to_its_rest_which_is_exact(open_page, neyman_home):
    """Few items were left, and the page said only that the list no longer changes."""
    pool, archive = versions(), Archive(neyman_home)
    planned = gate(pool, "v1", "v2", bank=Bank.of(pool))
    ids = planned.pool_ids[planned.unequal].tolist()
    old = dict(zip(ids, planned.old_loss.tolist(), strict=True))

    def label(listed: Pool, when: str, wrong: set[str]) -> None:
        archive.pools.save(listed, when)
        plan = Design(listed.n_items, Scheme(allocation="uniform")).draw(listed, seed=1)
        Labelling(plan, listed, pd.DataFrame(), "right-wrong", "v2").save_plan(archive, when)
        said = pd.DataFrame({"item_id": plan.ids, "label": ["wrong" if one in wrong else "right" for one in plan.ids]})
        archive.labels.save(plan.plan_id, said, when, "csv", "right-wrong", "v2")

    listed = listed_pool(planned, pool)
    lost, mended = ([one for one in ids if old[one] == loss] for loss in (0, 1))
    # Near the margin of two points the list cannot tell.
    wrong = next(
        wrong
        for wrong in ({*lost[:count], *mended} for count in range(len(lost)))
        if planned.decide({one: float(one in wrong) for one in listed.ids}).verdict == "undecided"
    )
    label(listed, CREATED, wrong)
    left = len(ids) - listed.n_items
    app = open_page(VERSIONS, pool, **ASKED, **NEWEST)
    assert text(app) == Saying("## Undecided whether v2", f"Grade the other {left} items", "known exactly")
    press(app, "Label these items")
    assert app.title[0].value == "Label" and f"All {left} items to label" in text(app)
    assert f"Grade the other {left} items" in text(open_page(VERSIONS, listed, **NEWEST))
    rest = planned.rest({one: float(one in wrong) for one in listed.ids})
    label(listed_pool(rest, pool), "2099-01-01T00:00:00+00:00", wrong)
    gap = sum(float(one in wrong) - old[one] for one in ids) / 6
    app = open_page(VERSIONS, pool, **ASKED, **NEWEST)
    assert f"exactly {-gap:+.1f} points".replace("-", "−") in text(app) and "Grade the other" not in text(app)


def test_free_texts_are_warned_of_above_the_plan_and_read_otherwise_there(open_page):
    records = [
        {"id": f"i{n}", "prompt": f"q{n}"}
        | {"targets": {"v1": {"text": f"That is {n}."}, "v2": {"text": f"It is {n + n % 3 // 2}."}}}
        for n in range(90)
    ]
    app = open_page(VERSIONS, Pool.from_records(records, "texts"), **ASKED, **NEWEST)
    (warned,) = (one for one in messages(app, "warning") if "word for word" in one)
    assert "none of 90 items" in warned
    app.selectbox(key="parser").select("number")
    app = run(app)
    assert not messages(app, "warning") and "the same answer to 60 of 90" in text(app)
    assert app.selectbox(key="parser").value == "number"
