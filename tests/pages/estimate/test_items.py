"""Numbers lead to items: those of a stratum, a group or a disagreement, the wrong ones first."""

from __future__ import annotations

from tests.pages.conftest import bare, run, table
from tests.pages.estimate.conftest import (
    ESTIMATE,
    SECOND,
    gold,
    keep,
    two_targets,
)
from tests.pages.pools import plan_of


def rows(app):
    return next(one for one in (table(app, n) for n in range(len(app.dataframe))) if "Counts" in one)


def test_the_items_of_a_number_are_listed_the_wrong_ones_first(open_page, neyman_home):
    pool = two_targets()
    plan, _ = plan_of(pool, 40)
    answers = gold(pool, plan.ids)
    keep(neyman_home, pool, plan, answers, "gold")
    app = open_page(ESTIMATE, pool, about="items", target="one")
    counts = rows(app)["Counts"].tolist()
    assert len(counts) == 40 and counts == sorted(counts, reverse=True) and {"right", "wrong"} == set(counts)
    first = rows(app).iloc[0]
    assert first["Label"] == answers[first["Item"]] != first["Target"] and "×" in first["Surrogate"]
    assert pool.items.at[first["Item"], "prompt"] in [text.value for text in app.text]
    app.selectbox(key="items-of").set_value("stratum 1")
    inside = {str(item) for item in plan.ids if plan.stratum[pool.items.index.get_loc(item)] == 1}
    assert set(rows(run(app))["Item"]) == inside


def test_what_annotators_disagree_about_is_one_of_the_choices(open_page, neyman_home):
    pool = two_targets()
    plan, _ = plan_of(pool, 40)
    answers = gold(pool, plan.ids)
    keep(neyman_home, pool, plan, answers, "gold")
    app = open_page(ESTIMATE, pool, about="items", target="one")
    assert "disputed" not in app.selectbox(key="items-of").options
    item = str(plan.ids[0])
    for name in ("Ben", "Cem"):
        other = "A" if answers[item] != "A" else "B"
        keep(neyman_home, pool, plan, {item: other}, "gold", created=SECOND, annotator=name)
    app = open_page(ESTIMATE, pool, about="items", target="one")
    app.selectbox(key="items-of").set_value("disputed")
    assert rows(run(app))["Item"].tolist() == [item] and "Annotators disagree" in bare(app.selectbox) + str(
        app.selectbox(key="items-of").options
    )
