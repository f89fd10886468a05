"""Page Estimate beyond the one number: strata without a label, two targets, other metrics, plans, scores."""

from __future__ import annotations

import json
import re

import numpy as np
import pandas as pd
import pytest

from core import labels, manifest
from core.archive import Archive
from core.contrasts import difference, metric
from core.design import Design
from core.estimation import stratified
from core.profile import profile
from core.readers import read
from core.report.numbers import SPACE, value
from tests.pages.conftest import figure, run, table
from tests.pages.pools import LETTERS, pool, records

ESTIMATE = "pages/estimate.py"
FIRST, SECOND = "2026-01-02T00:00:00+00:00", "2026-01-03T00:00:00+00:00"


def two_targets(n_items: int = 120, unasked=()):
    """Letters A to C; “one” is right more often than “two”, and leaves some answers out; “two” was not asked all."""
    rng = np.random.default_rng(2)
    rows = []
    for number, row in enumerate(records(n_items, target=None)):
        truth = LETTERS[number % 3]
        said = {
            name: truth if rng.random() < share else LETTERS[int(rng.integers(0, 4))]
            for name, share in (("one", 0.8), ("two", 0.4))
        }
        one = {"text": "no idea"} if number % 11 == 0 else {"answer": said["one"]}
        targets = {"one": one} if row["id"] in unasked else {"one": one, "two": {"answer": said["two"]}}
        rows.append({**row, "answer": truth, "answer_kind": "choice", "choices": list("wxyz"), "targets": targets})
    return pool(rows, "two targets")


def plan_of(found, budget, **more):
    seen = profile(found.classes())
    plan = Design(budget, **more).plan(found.digest, found.items.index.to_numpy(dtype=object), seen)
    return plan, plan.strata.of_level[seen.levels.member]


def keep(home, found, plan, given, kind, target="", created=FIRST, annotator="Ann"):
    """Keep labels, a dict by item id, as page Label does."""
    archive = Archive(home)
    archive.save_design(plan.plan_id, manifest.write(plan, found.name), found.digest, created)
    rows = pd.DataFrame({"item_id": list(given), "label": list(given.values()), "annotator": annotator})
    archive.save_labels(plan.plan_id, rows, created, "csv", kind, target)


def gold(found, ids):
    return dict(zip(map(str, ids), found.items["answer"].loc[list(ids)], strict=True))


def judged(found, ids, target):
    losses = found.losses(target)[found.items.index.get_indexer(list(ids))]
    return {str(item): "wrong" if loss else "right" for item, loss in zip(ids, losses, strict=True)}


def bare(words):
    return str(words).replace("\\", "").replace("\u2060", "").replace(SPACE, " ")


def press(app, label):
    next(button for button in app.button if bare(button.label) == label).click()
    return run(app)


def text(app):
    elements = [*app.markdown, *app.caption, *app.info, *app.warning, *app.error, *app.subheader]
    return bare("\n".join(str(e.value) for e in elements))


# Strata without a label


def test_strata_without_a_label_are_named_and_their_items_listed(open_page, neyman_home):
    found = two_targets()
    plan, member = plan_of(found, 30)
    order = labels.strata_of(plan)
    held = [item for item, h in zip(plan.ids, order, strict=True) if h < 3]
    keep(neyman_home, found, plan, gold(found, held), "gold")
    app = open_page(ESTIMATE, found, target="two")
    said = text(app)
    assert "Strata 3 and 4 have no label yet, so there is no estimate of the whole pool" in said
    assert "would not be unbiased" in said and "This is no estimate of the whole pool" in said
    assert not app.error and not app.metric
    first = table(app, 0)
    wanted = [str(i) for h in (3, 4) for i in plan.ids[order == h][:2]]
    assert sorted(first["item_id"]) == sorted(wanted)
    assert first["prompt"].tolist() == found.items["prompt"].loc[first["item_id"]].tolist()
    places = found.items.index.get_indexer(held)
    strata = member[places]
    own = stratified(1 - found.losses("two")[places], strata, plan.strata.sizes[:3])
    assert f"about {value(own.value, True)} (95 % interval".replace(SPACE, " ") in said
    assert any("Labels still missing" in panel.label for panel in app.expander)


def test_odd_labels_are_told_while_a_stratum_waits(open_page, neyman_home):
    found = two_targets()
    plan, _ = plan_of(found, 30)
    item = str(plan.ids[0])
    keep(neyman_home, found, plan, {item: "perhaps"} | judged(found, plan.ids[1:3], "one"), "right-wrong", "one")
    app = open_page(ESTIMATE, found)
    assert "have no label yet" in text(app)
    assert f"“{item}” = “perhaps” by “Ann”" in text(app) and "row" not in app.warning[0].value


def test_the_way_to_label_sets_its_controls(open_page, neyman_home):
    found = two_targets()
    plan, _ = plan_of(found, 30, seed=7)
    keep(neyman_home, found, plan, judged(found, plan.ids[:2], "two"), "right-wrong", "two")
    app = open_page(ESTIMATE, found)
    assert app.selectbox(key="target").value == "two" and app.selectbox(key="says").value == "right-wrong"
    app.button(key="label-first").click()
    run(app)
    assert app.title[0].value == "Label"
    assert app.number_input(key="seed").value == 7 and app.selectbox(key="label-kind").value == "right-wrong"
    assert app.selectbox(key="target").value == "two"


def test_the_way_back_leads_to_the_list_of_the_plan(open_page, neyman_home):
    found = two_targets()
    plan, _ = plan_of(found, 33, seed=7, n_strata=4, stratifier="quantile", offset=0.5)
    keep(neyman_home, found, plan, judged(found, plan.ids, "two"), "right-wrong", "two")
    app = press(open_page(ESTIMATE, found), "Back to the list")
    assert app.title[0].value == "Label" and "33 of 120 items to label" in text(app)
    wanted = {"strata": "4", "seed": "7", "budget": "33", "offset": "0.5", "stratifier": "Quantile"}
    assert {name: app.query_params[name] for name in wanted} == wanted
    assert table(app, 0)["item_id"].tolist() == [str(item) for item in plan.ids]


# Labels judge one target


def test_labels_of_one_target_are_not_shown_as_anothers(open_page, neyman_home):
    found = two_targets()
    plan, member = plan_of(found, 40)
    keep(neyman_home, found, plan, judged(found, plan.ids, "two"), "right-wrong", "two")
    app = open_page(ESTIMATE, found)
    own = stratified(1 - found.losses("two")[plan.positions], member[plan.positions], plan.strata.sizes)
    assert app.metric[0].value == value(own.value, True) and "“two”" in text(app)
    app.selectbox(key="target").set_value("one")
    run(app)
    assert not app.metric
    assert "No label of this plan judges “one” yet. Kept are: 40 labels judge “two”" in text(app)


def test_right_answers_serve_every_target(open_page, neyman_home):
    found = two_targets()
    plan, member = plan_of(found, 40)
    keep(neyman_home, found, plan, gold(found, plan.ids), "gold")
    app = open_page(ESTIMATE, found)
    for name in ("one", "two"):
        app.selectbox(key="target").set_value(name)
        run(app)
        own = stratified(1 - found.losses(name)[plan.positions], member[plan.positions], plan.strata.sizes)
        assert app.metric[0].value == value(own.value, True)


def test_a_decision_about_one_target_decides_nothing_about_another(open_page, neyman_home):
    found = two_targets()
    plan, _ = plan_of(found, 40)
    item = str(plan.ids[3])
    for name in ("one", "two"):
        given = judged(found, plan.ids, name)
        keep(neyman_home, found, plan, given, "right-wrong", name)
        other = {"right": "wrong", "wrong": "right"}[given[item]]
        keep(neyman_home, found, plan, {item: other}, "right-wrong", name, annotator="Ben")
    app = open_page(ESTIMATE, found, target="one")
    press(app, "“wrong” counts")
    assert "1 of 40 planned labels" not in text(app)
    app = open_page(ESTIMATE, found, target="two")
    assert "1 of 40 planned labels is missing" in text(app)
    kept = Archive(neyman_home).labels(plan.plan_id)
    assert kept.loc[kept["annotator"] == "(decision)", "target"].tolist() == ["one"]


def test_ties_are_walked_through_decided_and_decisions_withdrawn(open_page, neyman_home):
    found = two_targets()
    plan, _ = plan_of(found, 40)
    tied = [str(item) for item in plan.ids[2:5]]
    given = judged(found, plan.ids, "two")
    keep(neyman_home, found, plan, given, "right-wrong", "two")
    turned = {item: {"right": "wrong", "wrong": "right"}[given[item]] for item in tied}
    rows = pd.DataFrame(
        {"item_id": tied, "label": turned.values(), "annotator": "Ben", "note": [None, "why not", None]}
    )
    Archive(neyman_home).save_labels(plan.plan_id, rows, SECOND, "csv", "right-wrong", "two")
    app = open_page(ESTIMATE, found, target="two")
    assert app.expander[0].label == "3 items wait for your decision, of 3 disputed"
    assert "3 items are undecided" in text(app) and "1 of 3" in text(app)
    press(app, "Next")
    item = found.items.loc[tied[1]]
    shown = [t.value for t in app.text]
    assert item["prompt"] in shown and "A. w" in shown and "Answer to judge" in text(app)
    assert table(app, 0)["Note"].tolist() == ["", "why not"] and table(app, 0)["Person"].tolist() == ["Ann", "Ben"]
    assert app.button(key="disputed-next").disabled is False and "2 of 3" in text(app)
    press(app, "“right” counts")
    assert "2 items are undecided" in text(app) and "3 of 3" in text(app), "the next one that waits"
    press(app, "“right” counts")
    press(app, "“right” counts")
    assert "undecided" not in text(app) and "from 40 labels" in text(app)
    assert app.button(key="disputed-previous").disabled
    press(app, "Next")
    assert "What counts, by decision: right" in text(app) and "2 of 3" in text(app)
    press(app, "Withdraw the decision")
    assert "1 item is undecided" in text(app) and "Undecided: as many say one as the other" in text(app)
    assert (Archive(neyman_home).labels(plan.plan_id)["annotator"] == "(decision)").sum() == 2
    press(app, "“wrong” counts")
    assert "undecided" not in text(app) and "What counts, by decision: wrong" in text(app)


# Labels as they were given


def test_labels_as_given_are_shown_and_leave_as_a_file(open_page, neyman_home, downloads):
    found = two_targets()
    plan, _ = plan_of(found, 40)
    given = judged(found, plan.ids, "two")
    keep(neyman_home, found, plan, given, "right-wrong", "two")
    some = [str(item) for item in plan.ids[:4]]
    rows = pd.DataFrame({"item_id": some, "label": [given[i] for i in some], "annotator": "Ben", "note": "=look"})
    Archive(neyman_home).save_labels(plan.plan_id, rows, SECOND, "csv", "right-wrong", "two")
    app = open_page(ESTIMATE, found, target="two")
    panel = next(panel for panel in app.expander if panel.label.startswith("Labels as given"))
    assert panel.label == "Labels as given (44 by 2 people)"
    app.session_state["as-given"] = True
    run(app)
    assert "4 items have two labels or more; on 4 of them (100 %) all agree" in text(app)
    extra = pd.DataFrame({"item_id": some[:1], "label": ["right"], "annotator": "(decision)"})
    Archive(neyman_home).save_labels(plan.plan_id, extra, SECOND, "here", "right-wrong", "two")
    run(app)
    assert "(decision)" not in downloads["Labels as CSV"]()
    back = labels.read(downloads["Labels as CSV"]().encode(), "labels.csv").rows
    kept = Archive(neyman_home).labels(plan.plan_id).iloc[:-1]
    assert back[["item_id", "annotator", "label", "note"]].equals(kept[["item_id", "annotator", "label", "note"]])
    page, document = downloads["Report (HTML)"](), json.loads(downloads["Everything as JSON"]())
    assert "44 labels of 40 items by 2 people: Ann 40 and Ben 4." in page
    own = document["provenance"]
    assert (own["kind"], own["people"], own["conflicts"]) == ("right-wrong", [["Ann", 40], ["Ben", 4]], 0)
    assert [note["note"] for note in own["notes"]] == ["=look"] * 4


def test_page_and_report_plan_the_same_top_up(open_page, neyman_home, downloads):
    found = two_targets(400)
    plan, _ = plan_of(found, 60)
    keep(neyman_home, found, plan, judged(found, plan.ids, "two"), "right-wrong", "two")
    said = text(open_page(ESTIMATE, found))
    wanted, more = re.search(r"down to ([\d.]+ points): about \*\*([\d,]+) more label", said).groups()
    page = bare(downloads["Report (HTML)"]())
    assert f"<td>{wanted}</td><td>{more}</td>" in page and "<td>±" not in page


# Comparison


def compared(found, plan, member, ids=None):
    places = plan.positions if ids is None else found.items.index.get_indexer(ids)
    right = [1 - found.losses(name)[places] for name in ("one", "two")]
    return difference(*right, member[places], plan.strata.sizes)


def test_two_targets_from_right_answers(open_page, neyman_home, downloads):
    found = two_targets()
    plan, member = plan_of(found, 60)
    keep(neyman_home, found, plan, gold(found, plan.ids), "gold")
    app = open_page(ESTIMATE, found)
    assert "Compare with another target" in text(app) and "is right more often" not in text(app)
    app = open_page(ESTIMATE, found, compare="two")
    gap = compared(found, plan, member)
    assert f"“one” is right more often than “two” by {100 * gap.value:.1f} points" in text(app)
    assert "by labels that say what is right" in text(app) and "two separate samples" in text(app)
    drawn = [figure(app, n) for n in range(len(app.get("plotly_chart")))]
    assert any(one["layout"].get("shapes") for one in drawn), "the line at 0"
    assert "Beside another target" in downloads["Report (HTML)"]()
    document = json.loads(downloads["Everything as JSON"]())
    assert document["comparison"]["gap"]["value"] == pytest.approx(gap.value)


def test_two_targets_from_labels_of_each(open_page, neyman_home):
    found = two_targets()
    plan, member = plan_of(found, 60)
    keep(neyman_home, found, plan, judged(found, plan.ids, "one"), "right-wrong", "one")
    # Says the opposite of what the pool knows, so that the source shows.
    turned = {i: {"right": "wrong", "wrong": "right"}[x] for i, x in judged(found, plan.ids, "two").items()}
    keep(neyman_home, found, plan, turned, "right-wrong", "two")
    app = open_page(ESTIMATE, found, target="one", compare="two")
    right = [1 - found.losses("one")[plan.positions], found.losses("two")[plan.positions]]
    gap = difference(*right, member[plan.positions], plan.strata.sizes)
    assert f"by {abs(100 * gap.value):.1f} points" in text(app)
    assert "60 items judged for both, by labels that say right or wrong" in text(app)


def test_the_pools_own_outcomes_stand_in_for_labels_of_the_other(open_page, neyman_home):
    found = two_targets()
    plan, member = plan_of(found, 60)
    keep(neyman_home, found, plan, judged(found, plan.ids, "one"), "right-wrong", "one")
    app = open_page(ESTIMATE, found, compare="two")
    assert f"by {100 * compared(found, plan, member).value:.1f} points" in text(app)
    assert "“two” by the outcomes that the pool knows" in text(app)


def test_a_pool_with_one_target_offers_no_comparison(open_page, neyman_home):
    found = pool(records(), "one target")
    plan, _ = plan_of(found, 20)
    keep(neyman_home, found, plan, dict.fromkeys(map(str, plan.ids), "right"), "right-wrong", "model")
    app = open_page(ESTIMATE, found)
    assert app.metric and "Compare with another target" not in text(app)


# Precision, recall, F1, and what was answered


def test_metrics_of_one_answer(open_page, neyman_home, downloads):
    found = two_targets()
    plan, member = plan_of(found, 60)
    keep(neyman_home, found, plan, gold(found, plan.ids), "gold")
    app = open_page(ESTIMATE, found, target="two", positive="B")
    items = found.items.loc[list(plan.ids)]
    said = np.array([found.targets["two"].answers[place] == "B" for place in plan.positions])
    true = (items["answer"] == "B").to_numpy()
    own = metric("precision", said, true, member[plan.positions], plan.strata.sizes)
    assert f"When “two” says “B” it is right {100 * own.value:.0f} % (" in text(app)
    assert "Precision, recall, F1" in downloads["Report (HTML)"]()
    rows = json.loads(downloads["Everything as JSON"]())["metrics"]["rows"]
    assert rows[0]["value"] == pytest.approx(own.value)


def test_right_or_wrong_labels_know_no_precision(open_page, neyman_home):
    found = two_targets()
    plan, _ = plan_of(found, 60)
    keep(neyman_home, found, plan, judged(found, plan.ids, "one"), "right-wrong", "one")
    assert "Precision, recall, F1" not in text(open_page(ESTIMATE, found))


def test_accuracy_where_the_target_answered(open_page, neyman_home):
    found = two_targets()
    plan, _ = plan_of(found, 60)
    keep(neyman_home, found, plan, gold(found, plan.ids), "gold")
    assert "“one” answers " in text(open_page(ESTIMATE, found, target="one"))
    assert "Where the model answered" not in text(open_page(ESTIMATE, found, target="two"))


# Plans


def test_plans_have_names_and_the_newest_label_is_shown_first(open_page, neyman_home):
    found = two_targets()
    old, _ = plan_of(found, 30, seed=1)
    new, _ = plan_of(found, 40, n_strata=1)
    keep(neyman_home, found, new, gold(found, new.ids), "gold", created=FIRST)
    keep(neyman_home, found, old, gold(found, old.ids[:25]), "gold", created=SECOND)
    app = open_page(ESTIMATE, found)
    box = app.selectbox(key="plan")
    assert box.value == old.plan_id
    assert box.options == [
        f"{old.plan_id[:6]}… · labels for 25 of 30 · 5 strata, Proxy-Neyman, seed 1 · 3 Jan",
        f"{new.plan_id[:6]}… · labels for 40 of 40 · 1 stratum, Proxy-Neyman · 2 Jan",
    ]
    box.set_value(new.plan_id)
    run(app)
    assert app.query_params["plan"] == new.plan_id and "from 40 labels" in text(app)
    assert open_page(ESTIMATE, found, plan=new.plan_id).selectbox(key="plan").value == new.plan_id
    assert open_page(ESTIMATE, found, plan="p000000000000").selectbox(key="plan").value == old.plan_id


def test_a_topped_up_plan_counts_its_familys_labels_before_its_own(open_page, neyman_home):
    found = two_targets()
    small, _ = plan_of(found, 30)
    large, _ = plan_of(found, 60)
    keep(neyman_home, found, small, gold(found, small.ids), "gold")
    archive = Archive(neyman_home)
    archive.save_design(large.plan_id, manifest.write(large, found.name), found.digest, SECOND)
    app = open_page(ESTIMATE, found)
    assert app.selectbox(key="plan").value == small.plan_id
    assert app.selectbox(key="plan").options[0].startswith(f"{large.plan_id[:6]}… · labels for 30 of 60 ·")
    app.selectbox(key="plan").set_value(large.plan_id)
    run(app)
    assert "30 of 60 planned labels are missing" in text(app)


def test_labels_of_a_larger_list_are_told_and_no_odd_rows(open_page, neyman_home):
    found = two_targets()
    small, _ = plan_of(found, 30)
    large, _ = plan_of(found, 60)
    keep(neyman_home, found, small, gold(found, small.ids), "gold")
    keep(neyman_home, found, large, gold(found, large.ids[30:]), "gold", created=SECOND)
    app = open_page(ESTIMATE, found)
    assert app.selectbox(key="plan").value == large.plan_id and "from 60 labels" in text(app)
    app = open_page(ESTIMATE, found, plan=small.plan_id)
    assert "from 30 labels" in text(app) and not app.warning
    assert "30 further items are labelled on a larger list of this design" in text(app)


def test_a_plan_whose_labels_were_all_taken_back_is_no_plan_with_labels(open_page, neyman_home):
    found = two_targets()
    plan, _ = plan_of(found, 30)
    keep(neyman_home, found, plan, judged(found, plan.ids, "two"), "right-wrong", "two")
    Archive(neyman_home).undo_labels(plan.plan_id)
    app = open_page(ESTIMATE, found, plan=plan.plan_id)
    assert "No label of this pool has come back yet" in text(app)
    other, _ = plan_of(found, 40, seed=3)
    keep(neyman_home, found, other, judged(found, other.ids, "two"), "right-wrong", "two")
    app = open_page(ESTIMATE, found, plan=plan.plan_id)
    assert app.selectbox(key="plan").value == other.plan_id and "from 40 labels" in text(app)


def test_a_plan_of_which_only_a_withdrawn_decision_is_left_says_so(open_page, neyman_home):
    found = two_targets()
    plan, _ = plan_of(found, 30)
    item = str(plan.ids[0])
    keep(neyman_home, found, plan, {item: "right"}, "right-wrong", "two")
    keep(neyman_home, found, plan, {item: "wrong"}, "right-wrong", "two", annotator="Ben")
    app = open_page(ESTIMATE, found, target="two")
    press(app, "“right” counts")
    press(app, "Withdraw the decision")
    for person in ("Ann", "Ben"):
        Archive(neyman_home).undo_labels(plan.plan_id, person)
    said = text(open_page(ESTIMATE, found))
    assert "No label of this p" in said


# Scores


def test_scores_outside_0_to_1_are_told_and_allowed_on_demand(open_page, neyman_home):
    found = two_targets()
    plan, member = plan_of(found, 40)
    given = np.random.default_rng(0).uniform(3, 9, 40)
    ids = [str(item) for item in plan.ids]
    keep(neyman_home, found, plan, dict(zip(ids, map(str, given), strict=True)), "score", "one")
    app = open_page(ESTIMATE, found)
    assert "40 labels give a score outside 0 to 1" in text(app) and not app.metric and not app.error
    assert f"“{ids[0]}” = " in text(app) and "by “Ann”" in text(app)
    app.toggle(key="unbounded").set_value(True)
    run(app)
    own = stratified(given, member[plan.positions], plan.strata.sizes, bounded=False)
    shown = app.metric[0]
    assert (shown.label, shown.value) == ("Mean score", value(own.value, False))
    assert "more labels" in text(app)


def test_unbounded_scores_with_one_label_in_each_stratum_have_no_interval(open_page, neyman_home):
    found = two_targets()
    plan, _ = plan_of(found, 40)
    ids = [str(item) for item in plan.ids[: plan.strata.n_strata]]
    keep(neyman_home, found, plan, dict.fromkeys(ids, "7"), "score", "one")
    app = open_page(ESTIMATE, found, unbounded="true")
    assert (app.metric[0].value, app.metric[0].delta) == ("7.000", "no interval yet")
    assert "there is no 95 % confidence interval yet" in text(app) and "label more items before planning" in text(app)
    assert not app.error


def test_groups_of_unbounded_scores_are_missed_aloud(open_page, neyman_home, downloads):
    rows = [{**row, "group": "ab"[number % 2]} for number, row in enumerate(records(target="one"))]
    found = pool(rows, "grouped")
    plan, _ = plan_of(found, 30)
    keep(neyman_home, found, plan, dict.fromkeys(map(str, plan.ids), "0.7"), "score", "one")
    missed = "There are no estimates of groups: they need scores from 0 to 1."
    assert missed not in text(open_page(ESTIMATE, found))
    assert missed in text(open_page(ESTIMATE, found, unbounded="true"))
    assert missed in downloads["Report (HTML)"]()


def test_scores_in_0_to_1_have_a_mean(open_page, neyman_home):
    found = two_targets()
    plan, member = plan_of(found, 40)
    given = np.random.default_rng(0).uniform(0, 1, 40)
    keep(neyman_home, found, plan, dict(zip(map(str, plan.ids), map(str, given), strict=True)), "score", "one")
    app = open_page(ESTIMATE, found)
    own = stratified(given, member[plan.positions], plan.strata.sizes)
    assert (app.metric[0].label, app.metric[0].value) == ("Mean score", value(own.value, True))
    assert "has an estimated mean score of" in text(app)


# Edges


@pytest.mark.parametrize(("label", "shown"), [("right", "100.0 %"), ("wrong", "0.0 %")])
def test_all_right_and_all_wrong(open_page, neyman_home, label, shown):
    found = two_targets()
    plan, _ = plan_of(found, 40)
    keep(neyman_home, found, plan, dict.fromkeys(map(str, plan.ids), label), "right-wrong", "one")
    app = open_page(ESTIMATE, found)
    assert app.metric[0].value.replace(SPACE, " ") == shown
    said = text(app)
    assert f"gets an estimated {shown} of all 120 items" in said and "± 0.0" not in said
    assert "To bring half the interval’s width from" in said and "nan" not in said


def test_a_tie_between_answers_with_commas_is_decided(open_page, neyman_home):
    rows = [{**row, "answer": "1, 2", "targets": {"one": {"answer": "1, 2"}}} for row in records()]
    found = pool(rows, "commas")
    plan, _ = plan_of(found, 20)
    item = str(plan.ids[0])
    keep(neyman_home, found, plan, gold(found, plan.ids), "gold")
    keep(neyman_home, found, plan, {item: "2: 1, 3"}, "gold", annotator="Ben")
    app = open_page(ESTIMATE, found)
    assert found.items.at[item, "prompt"] in [t.value for t in app.text]
    shown = [bare(button.label) for button in app.button if "counts" in button.label]
    assert shown == ["“1, 2” counts", "“2: 1, 3” counts"]
    press(app, "“2: 1, 3” counts")
    assert "from 20 labels" in text(app) and app.metric[0].value != value(1.0, True)


def test_labels_without_an_answer_of_the_target_are_told(open_page, neyman_home):
    plan, _ = plan_of(two_targets(), 60)
    found = two_targets(unasked=set(map(str, plan.ids[5:7])))
    plan, _ = plan_of(found, 60)
    keep(neyman_home, found, plan, gold(found, plan.ids), "gold")
    app = open_page(ESTIMATE, found, target="two", compare="one")
    assert "2 labels cannot be compared: the pool knows no answer of “two”" in text(app)
    assert "from 58 labels" in text(app)
    assert "58 items judged for both" in text(app) and "2 items are left out" in text(app)


def test_right_answers_that_cannot_be_read_are_told_with_their_cause(open_page, neyman_home):
    rows = [
        {**row, "answer": str(n), "answer_kind": "number", "targets": {"m one": {"answer": str(n + n % 2)}}}
        for n, row in enumerate(records(target=None))
    ]
    found = pool(rows, "numbers")
    plan, _ = plan_of(found, 30)
    # One of each stratum is read.
    order = labels.strata_of(plan).tolist()
    some = [str(plan.ids[n]) for n in range(30) if order[n] in order[:n]][:5]
    keep(neyman_home, found, plan, gold(found, plan.ids) | dict.fromkeys(some, "no idea"), "gold")
    said = text(open_page(ESTIMATE, found))
    assert "5 right answers cannot be read as a number and are left out" in said
    assert f"item {some[0]} = “no idea” by “Ann”" in said and "knows no answer" not in said
    assert "from 25 labels" in said
    keep(neyman_home, found, plan, dict.fromkeys(map(str, plan.ids), "no idea"), "gold")
    app = open_page(ESTIMATE, found)
    assert "30 right answers cannot be read" in text(app) and "Run a target" not in text(app) and not app.metric


def whole_sentences():
    """A pool with options and no answer kind, whose target says more than its answer."""
    rows = []
    for number, row in enumerate(records(target=None)):
        said = f"So it is. Answer: {LETTERS[number % 4]}"
        rows.append({**row, "answer": "B", "choices": list("wxyz"), "targets": {"m": {"text": said}}})
    return pool(rows, "sentences")


def test_how_a_targets_answers_are_read_can_be_chosen(open_page, neyman_home):
    found = whole_sentences()
    plan, member = plan_of(found, 30)
    keep(neyman_home, found, plan, gold(found, plan.ids), "gold")
    app = open_page(ESTIMATE, found)
    assert "None of the 30 answers of “m” is an option of its item or a right answer" in text(app)
    assert "Answer: " in text(app) and app.metric[0].value.startswith("0.0")
    app.selectbox(key="read-as").set_value("choice")
    run(app)
    own = stratified(plan.positions % 4 == 1, member[plan.positions], plan.strata.sizes)
    assert app.metric[0].value == value(own.value, True) and "look like answers" not in text(app)
    app = open_page(ESTIMATE, found, **{"read-as": "choice"})
    assert app.metric[0].value == value(own.value, True)


def test_a_targets_answers_are_first_read_as_the_plans_generations(open_page, neyman_home):
    found = whole_sentences()
    seen = profile(found.classes("choice"))
    plan = Design(30, parser="choice").plan(found.digest, found.items.index.to_numpy(dtype=object), seen)
    keep(neyman_home, found, plan, gold(found, plan.ids), "gold")
    app = open_page(ESTIMATE, found)
    assert app.selectbox(key="read-as").value == "choice" and not app.warning
    app = open_page(ESTIMATE, found, **{"read-as": "own"})
    assert app.selectbox(key="read-as").value == "own" and app.metric[0].value.startswith("0.0")


@pytest.mark.parametrize(
    ("given", "taken"), [("korn-graubard", "korn-graubard"), ("wilson", "wilson"), ("wald", "wilson")]
)
def test_a_link_names_the_interval_and_none_that_misses_too_often(open_page, neyman_home, given, taken):
    found = two_targets()
    plan, _ = plan_of(found, 40)
    keep(neyman_home, found, plan, judged(found, plan.ids, "two"), "right-wrong", "two")
    app = open_page(ESTIMATE, found, interval=given)
    box = app.selectbox(key="interval")
    assert (box.value, box.options) == (taken, ["Wilson", "Korn–Graubard"])


def test_right_answers_without_any_answer_of_a_target_lead_to_running_one(open_page, neyman_home):
    found = pool(records(target=None), "no target")
    plan, _ = plan_of(found, 20)
    keep(neyman_home, found, plan, gold(found, plan.ids), "gold")
    app = open_page(ESTIMATE, found)
    assert "20 right answers came back, but no target’s answer" in text(app) and not app.error and not app.metric
    press(app, "Run a target on these items")
    assert app.title[0].value == "Surrogate"
    assert app.session_state["asked-items"] == plan.plan_id


def test_a_target_of_another_pool_in_the_address_does_not_hide_what_was_labelled(open_page, neyman_home):
    found = two_targets()
    plan, _ = plan_of(found, 40)
    keep(neyman_home, found, plan, judged(found, plan.ids, "two"), "right-wrong", "two")
    assert open_page(ESTIMATE, found, target="three").selectbox(key="target").value == "two"


def test_given_up_items_are_replaced(open_page, neyman_home):
    found = two_targets()
    plan, _ = plan_of(found, 40)
    keep(neyman_home, found, plan, gold(found, plan.ids[1:]), "gold")
    lost = pd.DataFrame({"item_id": [str(plan.ids[0])], "label": [None], "annotator": ["Ann"], "status": ["cancelled"]})
    Archive(neyman_home).save_labels(plan.plan_id, lost, SECOND, "csv", "gold")
    app = open_page(ESTIMATE, found)
    assert any(panel.label == "Given up (1)" for panel in app.expander)
    assert "1 of 40 planned labels is missing" in text(app)
    seen = profile(found.classes())
    ids = found.items.index.to_numpy(dtype=object)
    spare = labels.replacements(plan, seen, ids, [str(plan.ids[0])])["item_id"].iloc[0]
    keep(neyman_home, found, plan, gold(found, [spare]), "gold", created=SECOND)
    said = text(open_page(ESTIMATE, found))
    assert "from 40 labels" in said and "1 replacement in the design’s order came instead" in said


def test_a_real_pool(open_page, neyman_home, downloads, shared_pool):
    found = read(shared_pool("exams-gpt35-k10.jsonl"))
    plan, member = plan_of(found, 150)
    keep(neyman_home, found, plan, gold(found, plan.ids), "gold")
    one, two = found.targets
    app = open_page(ESTIMATE, found, compare=two, positive="A")
    right = [1 - found.losses(name)[plan.positions] for name in (one, two)]
    gap = difference(*right, member[plan.positions], plan.strata.sizes)
    assert f"by {abs(100 * gap.value):.1f} points" in text(app)
    own = stratified(right[0], member[plan.positions], plan.strata.sizes)
    assert app.metric[0].value == value(own.value, True)
    assert not app.error and not app.warning
    page = downloads["Report (HTML)"]()
    assert "Beside another target" in page and "Precision, recall, F1" in page
