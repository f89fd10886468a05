"""Estimate: a target with several graded runs has a tab that says what other runs give, as page Pool does."""

from __future__ import annotations

import pandas as pd

from core.archive import Archive
from core.design import Design
from core.readers import read
from core.study import labelled, runs
from tests.pages.conftest import bare, table
from tests.pools import HERE


def test_runs_are_on_a_tab(open_page, neyman_home):
    pool = read(HERE / "tau-bench-airline-gpt4o.csv")
    target = pool.name
    plan = Design(budget=20, allocation="uniform", n_strata=1).draw(pool, seed=0)
    right = 1 - pool.losses(target)[plan.positions]
    study = labelled(plan, pd.DataFrame({"item_id": plan.ids, "label": right.astype(int)}), target, "right-wrong")
    archive = Archive(neyman_home)
    study.labels.save(archive, study.labels.log, "csv", "2026-01-01T00:00:00+00:00")
    app = open_page("pages/estimate.py", pool, about="runs", target=target)
    found = runs(pool, target)
    assert found is not None and found.of_flips in bare(app.markdown)
    assert table(app, -1)["To expect"].tolist() == ["42.0\u00a0%", "72.0\u00a0%", "20.0\u00a0%"]
