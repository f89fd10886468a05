"""Pools with thousands of models on the pages: asked which to keep, named once they are there; and pools forgotten."""

from __future__ import annotations

import numpy as np
import streamlit as st

from core.archive import Archive
from core.pool import Pool
from core.surrogate import Store
from tests.pages.conftest import bare, button, run
from tests.pages.pools import pool, records
from tests.pages.uploads import as_lines, current, upload

NOON = "2026-01-01T00:00:00+00:00"
MODELS = 240


def board(models=MODELS, rows=30):
    scores = np.random.default_rng(1).integers(0, 2, (rows, models)).tolist()
    header = ",".join(["id", *(f"model-{number}" for number in range(models))])
    return "\n".join([header, *(",".join(map(str, [f"q{place}", *row])) for place, row in enumerate(scores))]).encode()


def test_a_table_of_very_many_models_asks_which_to_keep_and_the_pool_before_stays(open_page, neyman_home):
    app = upload(open_page("pages/pool.py", pool(records(20), "before")), ("wide.csv", board()))
    assert "before" in current(app) and "wide.csv" not in current(app)
    assert "“wide.csv” has 240 models on 30 items." in bare(app.markdown)
    (chooser,) = [box for box in app.multiselect if box.label == "Models to keep"]
    assert len(chooser.options) == MODELS
    chooser.set_value(["model-3", "model-200"])
    assert "before" in current(run(app))
    button(app, "Use this table").click()
    assert "wide.csv" in current(run(app))
    saved = Archive(neyman_home).pools.load(app.query_params["pool"])
    assert list(saved.targets) == ["model-3", "model-200"] and "Kept are 2 of 240 models." in saved.notes


def test_all_of_very_many_models_can_be_kept(open_page, neyman_home):
    app = upload(open_page("pages/pool.py", pool(records(20), "before")), ("wide.csv", board()))
    button(app, "Use this table").click()
    assert "wide.csv" in current(run(app))
    assert len(Archive(neyman_home).pools.load(app.query_params["pool"]).targets) == MODELS
    assert "scores of 240 models" in bare(app.markdown) and "40 more models." in bare(app.caption)
    for page in ("pages/plan.py", "pages/lab.py"):
        assert "wide.csv" in current(run(app.switch_page(page)))


def test_a_page_names_a_pool_once_all_that_takes_long_is_there(open_page, monkeypatch):
    """Meanwhile a browser shows the page before, whose figures go with the name before."""
    events = []

    def said(draw):
        def drawing(text="", *given, **named):
            events.extend(["named"] if "## “slow”" in str(text) else [])
            return draw(text, *given, **named)

        return drawing

    def seen(read):
        def reading(*given, **named):
            events.append("computed")
            return read(*given, **named)

        return reading

    app = open_page("pages/pool.py", pool(records(20), "slow"))
    monkeypatch.setattr(st, "markdown", said(st.markdown))
    monkeypatch.setattr(Pool, "losses", seen(Pool.losses))
    run(app)
    assert "named" in events and events[0] == "computed"


def forget(app):
    (pressed,) = [one for one in app.button if one.key == "forget-pool"]
    return pressed


def test_a_pool_is_forgotten_and_comes_back_with_its_file(open_page, neyman_home):
    mine = pool(records(20), "mine.jsonl")
    app = open_page("pages/pool.py", mine, ["keeping"])
    assert "Open its file again, and it is back." in bare(app.markdown)
    forget(app).click()
    assert "mine.jsonl" not in current(run(app))
    archive = Archive(neyman_home)
    assert archive.pools.listed().empty and archive.pools.table()["digest"].tolist() == [mine.digest]
    assert not [box for box in app.selectbox if box.label == "Pools used before"]
    upload(app, ("mine.jsonl", as_lines(records(20))))
    assert "mine.jsonl" in current(app) and archive.pools.listed()["digest"].tolist() == [mine.digest]


def test_a_pool_on_which_a_run_works_is_not_forgotten(open_page, neyman_home):
    mine = pool(records(20), "mine")
    app = open_page("pages/pool.py", mine, ["keeping"])
    with Store(neyman_home).database.writing() as database:
        database.execute(
            "INSERT INTO surrogate_jobs (id, key, digest, spec, total, created, state, heartbeat)"
            " VALUES ('run-1', 'k', ?, '{}', 12, ?, 'waiting', 0)",
            (mine.digest, NOON),
        )
    button_there = forget(run(app))
    assert button_there.disabled and "The run run-1 works on it" in bare(app.caption)


def test_what_comes_with_the_app_is_not_forgotten(open_page):
    app = open_page("pages/pool.py", None, ["keeping"])
    assert "forget-pool" not in [one.key for one in app.button]
