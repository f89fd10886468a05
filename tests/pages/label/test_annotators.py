"""Annotators: their names, the items they share, and what they are shown of the design."""

from __future__ import annotations

import json

import pytest

from core import labels
from core.archive import Archive
from tests.core.wording import Saying
from tests.pages.conftest import bare, components, run
from tests.pages.desk import desk, label
from tests.pages.label.conftest import GOLD, HERE, LABEL, progress, shown_item
from tests.pages.pools import plan_of


def test_the_name_is_in_the_address(open_page, neyman_home, letters):
    plan, _ = plan_of(letters, 8)
    app = open_page(LABEL, letters, budget=8, annotator="Ann", **HERE)
    assert app.text_input(key="annotator").value == "Ann"
    label(app, "A")
    assert Archive(neyman_home).labels.of(plan.plan_id)["annotator"].tolist() == ["Ann"]
    assert open_page(LABEL, letters, budget=8, **HERE).text_input(key="annotator").value == ""


def test_strata_and_entropy_are_shown_to_annotators_only_where_asked_for(open_page, downloads, letters):
    plan, signals = plan_of(letters, 8)
    app = open_page(LABEL, letters, budget=8, **GOLD)
    assert not {"stratum", "semantic_entropy"} & set(app.dataframe[0].value)
    app.multiselect(key="also-show").set_value(["semantic_entropy", "stratum"])
    run(app)
    assert "influences annotators" in bare(app.caption)
    strata, entropy = plan.items["stratum"], signals.signal[plan.positions]
    expected = labels.request(plan, letters.items).assign(stratum=strata, semantic_entropy=entropy)
    assert downloads["CSV"]() == labels.to_csv(expected)
    app.multiselect(key="also-show").set_value(["stratum"])
    run(app)
    record = json.loads(downloads["JSON Lines"]().splitlines()[0])
    assert record["stratum"] == expected["stratum"].iloc[0] and "semantic_entropy" not in record


def test_a_label_given_in_another_tab_is_not_overwritten(open_page, neyman_home, letters):
    plan, _ = plan_of(letters, 8)
    one, two = (open_page(LABEL, letters, budget=8, annotator="Ann", **HERE) for _ in range(2))
    label(one, "A")
    label(two, "B")
    (reply,) = desk(two)["replies"].values()
    assert reply["message"] == Saying("labelled as “A”", "(Ann)")
    assert shown_item(two) == str(plan.ids[1])
    label(two, "B")
    rows = Archive(neyman_home).labels.of(plan.plan_id)
    assert rows[["item_id", "label"]].to_numpy().tolist() == [[plan.ids[0], "A"], [plan.ids[1], "B"]]


@pytest.mark.parametrize("name", ["(pool)", " (Decision) ", "(no name)"])
def test_nobody_is_called_as_the_program_calls_its_own(open_page, letters, name):
    app = open_page(LABEL, letters, budget=8, annotator=name, **HERE)
    assert "This name is reserved" in bare(app.error) and not components(app, "neyman_desk")


def test_several_people_can_share_the_items(open_page, letters):
    plan, _ = plan_of(letters, 8)
    app = open_page(LABEL, letters, budget=8, annotator="Ann", **HERE)
    for _ in range(3):
        label(app, "A")
    app = open_page(LABEL, letters, budget=8, annotator="Ben", **HERE)
    assert shown_item(app) == str(plan.ids[0])
    app.toggle(key="only-free").set_value(True)
    run(app)
    assert shown_item(app) == str(plan.ids[3]) and progress(app).startswith("0 of 5 items")
