"""Asking a target just the items of a list, on page Surrogate: the answers are known to Label and Estimate."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from core.answers import PARSER_VERSION
from core.archive import Archive
from core.design import Design, Scheme, manifest
from core.estimation import stratified
from core.pool import Pool
from core.surrogate import Store, jobs
from pages.parts import targets
from tests.core.surrogate.conftest import faking, forked_workers, save_pool
from tests.core.wording import Saying
from tests.pages.conftest import run
from tests.pages.estimate.conftest import headline_number
from tests.pages.test_surrogate import PAGE, filled, finished, plain_machine, press, texts

__all__ = ["forked_workers", "plain_machine"]
pytestmark = pytest.mark.usefixtures("forked_workers")
AWKWARD = ["a,b", "two\nlines", "=1+1", "🙂 \u2028", '"', " lead", "'"]


def asked_pool():
    """Ten-letter answers of a surrogate, so that there are strata, and ids that no list may break on."""
    records = [
        {"id": name, "prompt": f"Question {number}", "generations": ["1", "2"] if number % 2 else ["1", "1"]}
        for number, name in enumerate([*AWKWARD, *(f"i{n}" for n in range(13))])
    ]
    return Pool.from_records([{**record, "answer_kind": "number", "answer": "1"} for record in records], "asked")


def plan_of(pool):
    return Design(12, Scheme(n_strata=2), seed=0).draw(pool)


def plan_kept(pool, home):
    plan = plan_of(pool)
    save_pool(pool, home)
    document = manifest.write(plan, pool.name, dict(PARSER_VERSION))
    Archive(home).plans.save(plan.plan_id, document, pool.digest, "2026-11-20T12:00:00+00:00")
    return plan


def test_a_target_is_asked_the_items_of_a_list_alone(open_page, neyman_home):
    pool = asked_pool()
    plan = plan_kept(pool, neyman_home)
    with faking(answers=2) as server:
        app = open_page(PAGE, pool)
        app.segmented_control(key="role").set_value("target")
        app = filled(run(app), server.url)
        assert f"The list {plan.plan_id} (12 items)" in app.selectbox(key="asked-items").options
        app.selectbox(key="asked-items").set_value(plan.plan_id)
        app = run(app)
        assert "One answer to 12 items" in texts(app) and "12 requests" in texts(app)
        assert "--target=m" in texts(app) and "--items=" in texts(app)
        press(app, "Start")
        job = finished(neyman_home, pool)
        assert (job.state, job.done, job.generations) == ("done", 12, 12), job.log.read_text()
        assert len(server.stats()["asked"]) == 12
    app = run(app)
    assert "Label and Estimate know them" in texts(app)
    assert [link.label for link in app.get("page_link") if "Estimate from" in link.label]
    richer = targets.known(pool)
    answered = ~np.isnan(richer.losses("m"))
    assert set(richer.items.index[answered]) == set(map(str, plan.ids))
    assert "m" not in pool.targets, "the pool, and so the list, stays as it is"


def test_without_lists_all_items_are_offered(open_page):
    app = open_page(PAGE, asked_pool())
    app.segmented_control(key="role").set_value("target")
    app = run(app)
    assert app.selectbox(key="asked-items").options == ["All 20 items"]
    assert texts(app) == Saying("choose a list", "page Label")


def test_a_pool_without_runs_is_its_own(neyman_home):
    pool = asked_pool()
    assert targets.known(pool) is pool
    assert jobs(Store(neyman_home), pool.digest) == []


def test_from_the_list_to_the_estimate_with_a_target_that_was_run_on_it(open_page, neyman_home):
    pool = asked_pool()
    plan = plan_of(pool)
    app = open_page("pages/label.py", pool, budget=12, strata=2, part="The list", **{"list-detail": "run"})
    app = press(app, "Ask your model on page Surrogate")
    assert Archive(neyman_home).plans.table()["plan_id"].tolist() == [plan.plan_id]
    assert app.segmented_control(key="role").value == "target"
    assert app.selectbox(key="asked-items").value == plan.plan_id
    with faking(answers=2) as server:
        # The harness does not follow a switch of pages beyond one run.
        app.switch_page(PAGE)
        press(filled(run(app), server.url), "Start")
        assert finished(neyman_home, pool).done == 12
    gold = pd.DataFrame({"item_id": plan.ids, "label": "1", "annotator": "Ann"})
    Archive(neyman_home).labels.save(plan.plan_id, gold, "2026-11-20T13:00:00+00:00", "csv", "gold")
    app = open_page("pages/estimate.py", pool)
    assert app.selectbox(key="target").options == ["m"]
    right = 1 - targets.known(pool).losses("m")[pool.items.index.get_indexer(plan.ids)]
    assert 0 < right.sum() < 12
    expected = stratified(right, plan.items["stratum"].to_numpy(), plan.strata.sizes)
    assert headline_number(app) == f"{100 * expected.value:.1f} %"
