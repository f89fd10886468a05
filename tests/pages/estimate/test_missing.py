"""Labels that are missing: strata without any, items given up, and the ways back to the list."""

from __future__ import annotations

import pandas as pd
from streamlit.elements.lib import policies

from core import labels
from core.archive import Archive
from core.design import recommend
from core.estimation import stratified
from core.words import SPACE, value
from tests.core.wording import Saying
from tests.pages.conftest import run, table
from tests.pages.estimate.conftest import (
    ESTIMATE,
    SECOND,
    gold,
    headline_number,
    judged,
    keep,
    plan_of,
    press,
    text,
    two_targets,
)


def test_strata_without_a_label_are_named_and_their_items_listed(open_page, neyman_home):
    pool = two_targets()
    plan, member = plan_of(pool, 30)
    order = plan.items["stratum"].to_numpy()
    easier = [item for item, h in zip(plan.ids, order, strict=True) if h < 3]
    keep(neyman_home, pool, plan, gold(pool, easier), "gold")
    app = open_page(ESTIMATE, pool, target="two")
    said = text(app)
    assert said == Saying("Strata 3 and 4", "no label", "no estimate")
    assert "not be unbiased" in said and said == Saying("not an estimate", "whole pool")
    assert not app.error and not headline_number(app)
    first = table(app, 0)
    missing = [str(i) for h in (3, 4) for i in plan.ids[order == h][:2]]
    assert sorted(first["item_id"]) == sorted(missing)
    assert first["prompt"].tolist() == pool.items["prompt"].loc[first["item_id"]].tolist()
    places = pool.items.index.get_indexer(easier)
    strata = member[places]
    alone = stratified(1 - pool.losses("two")[places], strata, plan.strata.sizes[:3])
    assert f"about {value(alone.value, True)} (95 % interval".replace(SPACE, " ") in said
    assert "Labels still missing" in text(open_page(ESTIMATE, pool, target="two", about="labels"))


def test_strata_without_a_verdict_give_a_number_that_says_so(open_page, neyman_home):
    pool = two_targets()
    plan = recommend(pool, 40, "two").draw(pool, seed=0)
    came = [item for number, item in enumerate(plan.ids) if number % 5]
    empty = [
        item for item, h in zip(plan.ids, plan.items["stratum"], strict=True) if h == plan.items["stratum"].iloc[1]
    ]
    came = [item for item in came if item not in empty]
    for place, person in enumerate(("Ann", "Ben")):
        given = judged(pool, came[place::2], "two")
        keep(neyman_home, pool, plan, given, "right-wrong", "two", annotator=person)
    app = open_page(ESTIMATE, pool, target="two")
    said = text(app)
    # Whoever labels, an item before the last labelled one has no verdict: it is never missing at random.
    assert said == Saying("“two” gets about", "provisional", "no label") and "missing at random" not in said
    assert "have no label:" in said and said == Saying("whatever", "without a label")
    assert "Labels still missing" in text(open_page(ESTIMATE, pool, target="two", about="labels"))


def test_odd_labels_are_told_while_a_stratum_waits(open_page, neyman_home):
    pool = two_targets()
    plan, _ = plan_of(pool, 30)
    item = str(plan.ids[0])
    keep(neyman_home, pool, plan, {item: "rihgt"} | judged(pool, plan.ids[1:3], "one"), "right-wrong", "one")
    app = open_page(ESTIMATE, pool)
    assert "no number while labels are not understood" in text(app) and not headline_number(app)
    assert f"“rihgt” (item “{item}”). Say below what each means" in text(app) and "word=rihgt" not in text(app)


def test_the_way_to_label_sets_its_controls(open_page, neyman_home):
    pool = two_targets()
    plan, _ = plan_of(pool, 30, seed=7)
    keep(neyman_home, pool, plan, judged(pool, plan.ids[:2], "two"), "right-wrong", "two")
    app = open_page(ESTIMATE, pool)
    assert app.selectbox(key="target").value == "two" and app.selectbox(key="label-kind").value == "right-wrong"
    app.button(key="label-first").click()
    run(app)
    assert app.title[0].value == "Label"
    assert app.selectbox(key="design").value == plan.plan_id and app.selectbox(key="label-kind").value == "right-wrong"
    assert app.selectbox(key="target").value == "two"


def test_the_way_back_leads_to_the_list_of_the_plan(open_page, neyman_home, monkeypatch, logged):
    monkeypatch.setattr(policies, "_shown_default_value_warning", False)
    pool = two_targets()
    plan, _ = plan_of(pool, 33, seed=7, n_strata=4, stratifier="quantile", offset=0.5)
    keep(neyman_home, pool, plan, judged(pool, plan.ids, "two"), "right-wrong", "two")
    app = press(open_page(ESTIMATE, pool, about="labels"), "Back to the list")
    assert "was created with a default value" not in logged.stream.getvalue(), "a control was set twice"
    assert app.title[0].value == "Label" and "33 of 120 items to label" in text(app)
    assert app.selectbox(key="design").value == plan.plan_id
    assert table(app, 0)["item_id"].tolist() == [str(item) for item in plan.ids]
    again = open_page("pages/label.py", pool, **{name: value for name, value in app.query_params.items()})
    assert table(again, 0)["item_id"].tolist() == [str(item) for item in plan.ids]


def test_given_up_items_are_replaced(open_page, neyman_home):
    pool = two_targets()
    plan, _ = plan_of(pool, 40)
    keep(neyman_home, pool, plan, gold(pool, plan.ids[1:]), "gold")
    lost = pd.DataFrame({"item_id": [str(plan.ids[0])], "label": [None], "annotator": ["Ann"], "status": ["cancelled"]})
    Archive(neyman_home).labels.save(plan.plan_id, lost, SECOND, "csv", "gold")
    app = open_page(ESTIMATE, pool, about="labels")
    assert "Cannot be labelled (1)" in text(app)
    assert "39 labels" in text(app) and "1 without a verdict" in text(app)
    spare = labels.replacements(plan, [str(plan.ids[0])])["item_id"].iloc[0]
    keep(neyman_home, pool, plan, gold(pool, [spare]), "gold", created=SECOND)
    said = text(open_page(ESTIMATE, pool))
    assert "from 40 labels" in said and "1 replacement" in said and "without a verdict" not in said
