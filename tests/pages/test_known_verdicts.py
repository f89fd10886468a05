"""Verdicts that are known already: what pages Pool and Label show of them, and lists that carry them over."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from core.archive import Archive
from core.bank import Bank
from core.design import manifest, recommend
from core.pool import Pool
from core.study import Labelling
from pages.parts.app.address import VERSION
from tests.core.wording import Saying
from tests.pages.conftest import CREATED, bare, messages, run, sentences, turn

LABEL, POOL, NEWEST = "pages/label.py", "pages/pool.py", {"v": VERSION}
TAB = {"list-detail": "known"}


@pytest.fixture(scope="module")
def versions() -> Pool:
    """Two hundred items that two versions answered, of which the old one is graded; a fifth of the answers differ."""
    rng = np.random.default_rng(7)
    records = []
    for place in range(200):
        old, differs = rng.choice(["A", "B"], p=[0.8, 0.2]), rng.random() < 0.2
        new = {"A": "B", "B": "C"}[old] if differs else old
        targets = {"v1": {"answer": old, "loss": float(old != "A")}, "v2": {"answer": new}}
        records.append({"id": f"i{place}", "prompt": f"What is {place}?", "targets": targets})
    return Pool.from_records(records, "versions")


@pytest.mark.parametrize("page", [POOL, LABEL])
def test_what_is_known_is_shown_with_its_source_and_side_by_side(open_page, versions, page):
    app = open_page(page, versions, target="v2", contents="graded", **NEWEST, **TAB)
    known = Bank.of(versions).lookup(versions, "v2")
    assert bare(app.markdown) == Saying(f"On {known.n_known:,} of 200 items", "same answer")
    tables = [table.value for table in app.dataframe]
    (sources,) = (table for table in tables if "source" in table.columns and "items" in table.columns)
    assert sources["items"].sum() == known.n_known
    (examples,) = (table for table in tables if "same answer as" in table.columns)
    assert len(examples) == 10 and set(examples["verdict"]) <= {"right", "wrong"}


@pytest.mark.parametrize(("choice", "follows"), [("audited", False), ("follows", True)])
def test_the_list_carries_them_over_as_the_address_says(open_page, downloads, versions, choice, follows):
    address = {"budget": 30, "seed": 5, "target": "v2", "known-verdicts": choice, "label-kind": "right-wrong"}
    app = open_page(LABEL, versions, **address, **NEWEST)
    plan = recommend(versions, 30, "v2", bank=Bank.of(versions), follows=follows).draw(versions, seed=5)
    drawn = manifest.read(downloads["Manifest"]())
    assert (drawn.plan_id, drawn.design.carried) == (plan.plan_id, plan.design.carried)
    assert any("carried over from equal answers" in said for said in sentences(app))
    # What is said of lists of which every verdict is labelled does not hold: the audited ones are most of the pool.
    assert not messages(app, "warning") and not any(said.startswith("Forecast") for said in sentences(app))
    # Graders cannot tell which items are audits.
    assert "part" not in app.dataframe[0].value.columns


def test_a_move_of_the_budget_looks_nothing_up_again(open_page, versions, monkeypatch):
    address = {"budget": 30, "target": "v2", "known-verdicts": "follows", "label-kind": "right-wrong"}
    app = open_page(LABEL, versions, **address, **NEWEST)
    monkeypatch.setattr(Bank, "lookup", lambda *_, **__: pytest.fail("The bank was asked again."))
    turn(app, "budget", 35)


@pytest.mark.parametrize("follows", [False, True])
def test_page_estimate_says_what_was_carried_audited_and_found(open_page, neyman_home, versions, follows):
    plan = recommend(versions, 30, "v2", bank=Bank.of(versions), follows=follows).draw(versions, seed=5)
    archive = Archive(neyman_home)
    archive.pools.save(versions, CREATED)
    Labelling(plan, versions, pd.DataFrame(), "right-wrong", "v2").save_plan(archive, CREATED)
    answers = versions.target_answers("v2")
    labels = ["right" if answers[place] == "A" else "wrong" for place in plan.positions]
    rows = pd.DataFrame({"item_id": plan.ids, "label": labels})
    archive.labels.save(plan.plan_id, rows, CREATED, "csv", "right-wrong", "v2")
    address = {"plan": plan.plan_id, "target": "v2", "label-kind": "right-wrong"}
    app = open_page("pages/estimate.py", versions, **address, **NEWEST)
    said = " ".join(sentences(app)).replace("\u00a0", " ")
    known = int(plan.design.carried.known.sum())
    assert f"Verdicts of {known} of 200 items" in said
    audits = int((plan.items["part"] == "audit").sum())
    assert (
        ("follows from the answer alone" in said) if follows else (f"of {audits} audited verdicts were wrong" in said)
    )


def test_everything_is_labelled_unless_somebody_says_otherwise(open_page, downloads, versions):
    open_page(LABEL, versions, budget=30, seed=5, target="v2", **NEWEST)
    assert manifest.read(downloads["Manifest"]()).design.carried is None


def test_a_pool_without_answers_says_what_is_missing(open_page):
    bare_pool = Pool.from_records(
        [{"id": str(n), "prompt": f"q{n}", "targets": {"m": {"loss": n % 2}}} for n in range(30)]
    )
    app = open_page(POOL, bare_pool, contents="graded", **NEWEST)
    assert Saying("No verdict", "of “m”") in sentences(app)
    assert not messages(run(app), "error")
