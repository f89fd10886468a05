"""Several plans of one pool: their names, which is shown first, and labels that they share."""

from __future__ import annotations

from core.archive import Archive
from core.design import manifest
from tests.core.wording import Saying
from tests.pages.conftest import run
from tests.pages.estimate.conftest import (
    ESTIMATE,
    FIRST,
    SECOND,
    gold,
    judged,
    keep,
    plan_of,
    press,
    text,
    two_targets,
)


def test_plans_have_names_and_the_newest_label_is_shown_first(open_page, neyman_home):
    pool = two_targets()
    old, _ = plan_of(pool, 30, seed=1)
    new, _ = plan_of(pool, 40, n_strata=1)
    keep(neyman_home, pool, new, gold(pool, new.ids), "gold", created=FIRST)
    keep(neyman_home, pool, old, gold(pool, old.ids[:25]), "gold", created=SECOND)
    app = open_page(ESTIMATE, pool)
    box = app.selectbox(key="plan")
    assert box.value == old.plan_id
    assert box.options == [
        Saying("25 of 30 labels", "5 strata", "Proxy-Neyman", "seed 1", "3 Jan", old.plan_id[:6]),
        Saying("40 of 40 labels", "1 stratum", "Proxy-Neyman", "2 Jan", new.plan_id[:6]),
    ]
    box.set_value(new.plan_id)
    run(app)
    assert app.query_params["plan"] == new.plan_id and "from 40 labels" in text(app)
    assert open_page(ESTIMATE, pool, plan=new.plan_id).selectbox(key="plan").value == new.plan_id
    assert "The address names" not in text(app)
    app = open_page(ESTIMATE, pool, plan="p000000000000")
    assert app.selectbox(key="plan").value == old.plan_id
    assert text(app) == Saying("“p000000000000”", "no labels", "the newest")
    assert "The address names" not in text(open_page(ESTIMATE, pool, plan=""))


def test_a_topped_up_plan_counts_its_familys_labels_before_its_own(open_page, neyman_home):
    pool = two_targets()
    small, _ = plan_of(pool, 30)
    large, _ = plan_of(pool, 60)
    keep(neyman_home, pool, small, gold(pool, small.ids), "gold")
    archive = Archive(neyman_home)
    archive.plans.save(large.plan_id, manifest.write(large, pool.name), pool.digest, SECOND)
    app = open_page(ESTIMATE, pool)
    assert app.selectbox(key="plan").value == small.plan_id
    (first, *_) = app.selectbox(key="plan").options
    assert first.startswith("30 of 60 labels ·") and first.endswith(f"{large.plan_id[:6]}…")
    app.selectbox(key="plan").set_value(large.plan_id)
    run(app)
    assert text(app) == Saying("30 of 60 ", " have not been given yet", "the estimate is sound")
    assert "missing at random" not in text(app)


def test_labels_of_a_larger_list_are_told_and_no_odd_rows(open_page, neyman_home):
    pool = two_targets()
    small, _ = plan_of(pool, 30)
    large, _ = plan_of(pool, 60)
    keep(neyman_home, pool, small, gold(pool, small.ids), "gold")
    keep(neyman_home, pool, large, gold(pool, large.ids[30:]), "gold", created=SECOND)
    app = open_page(ESTIMATE, pool)
    assert app.selectbox(key="plan").value == large.plan_id and "from 60 labels" in text(app)
    app = open_page(ESTIMATE, pool, plan=small.plan_id)
    assert "from 30 labels" in text(app) and not app.warning
    assert text(app) == Saying("30 further items are labelled", "larger list")


def test_a_plan_whose_labels_were_all_taken_back_is_no_plan_with_labels(open_page, neyman_home):
    pool = two_targets()
    plan, _ = plan_of(pool, 30)
    keep(neyman_home, pool, plan, judged(pool, plan.ids, "two"), "right-wrong", "two")
    Archive(neyman_home).labels.undo(plan.plan_id)
    app = open_page(ESTIMATE, pool, plan=plan.plan_id)
    assert "no labels yet" in text(app) and "report" not in [one.key for one in app.get("download_button")]
    other, _ = plan_of(pool, 40, seed=3)
    keep(neyman_home, pool, other, judged(pool, other.ids, "two"), "right-wrong", "two")
    app = open_page(ESTIMATE, pool, plan=plan.plan_id)
    assert app.selectbox(key="plan").value == other.plan_id and "from 40 labels" in text(app)


def test_a_plan_of_which_only_a_withdrawn_decision_is_left_says_so(open_page, neyman_home):
    pool = two_targets()
    plan, _ = plan_of(pool, 30)
    item = str(plan.ids[0])
    keep(neyman_home, pool, plan, {item: "right"}, "right-wrong", "two")
    keep(neyman_home, pool, plan, {item: "wrong"}, "right-wrong", "two", annotator="Ben")
    app = open_page(ESTIMATE, pool, target="two")
    press(app, "“right” counts")
    press(app, "Withdraw the decision")
    for person in ("Ann", "Ben"):
        Archive(neyman_home).labels.undo(plan.plan_id, person)
    app = open_page(ESTIMATE, pool)
    assert "no labels" in text(app) and "report" not in [one.key for one in app.get("download_button")]


def test_a_damaged_manifest_is_named_and_the_other_plans_are_shown(open_page, neyman_home):
    pool = two_targets()
    plan, _ = plan_of(pool, 30)
    keep(neyman_home, pool, plan, gold(pool, plan.ids), "gold")
    Archive(neyman_home).plans.save("p0", "{}", pool.digest, SECOND, pool.items_digest)
    app = open_page(ESTIMATE, pool)
    assert not app.exception and "from 30 labels" in text(app)
    assert [one for one in app.warning if "p0" in one.value]
