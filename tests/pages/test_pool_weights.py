"""Pool: weights of items are given there, and every page follows or refuses them in words."""

from __future__ import annotations

import pytest

from core.archive import Archive
from pages.parts.app import address
from tests.pages.conftest import PAGES, bare, button, messages, press, run
from tests.pages.pools import records
from tests.pages.uploads import as_lines, contents, upload


def given(open_page, by: str):
    rows = [{**row, "traffic": 1 + place % 5, "group": "abc"[place % 3]} for place, row in enumerate(records(60))]
    app = upload(open_page("pages/pool.py"), ("ours.jsonl", as_lines(rows)))
    assert "“traffic” looks like a weight and is not used" in bare(app.caption) + bare(app.markdown)
    contents(app, "weights")
    app.selectbox(key="weights-by").set_value(by)
    return run(app)


def test_a_share_of_traffic_is_typed(open_page, neyman_home):
    app = given(open_page, "By shares of groups")
    assert button(app, "Use these weights").disabled
    next(field for field in app.number_input if field.label == "b, %").set_value(40.0)
    run(app)
    assert "2 other groups together: 60\u00a0%" in bare(app.caption)
    press(app, "Use these weights")
    pool = Archive(neyman_home).pools.load(app.query_params["pool"])
    assert pool.name == "ours.jsonl (weighted)", (messages(app, "error"), app.exception, [t.value for t in app.toast])
    assert pool.weights[pool.groups == 1].sum() / 60 == pytest.approx(0.4)
    contents(app, "weights")
    assert "Items count by shares of groups: “b” 40 %" in bare(app.markdown)
    press(app, "No weights")
    assert Archive(neyman_home).pools.load(app.query_params["pool"]).weights is None


def test_every_page_opens_on_weighted_items(open_page, neyman_home):
    app = given(open_page, "By column “traffic”")
    press(app, "Use these weights")
    digest = app.query_params["pool"]
    for page in PAGES:
        other = open_page(page, pool=digest, v=address.VERSION)
        assert not other.exception, page
        said = [error.value for error in other.error]
        assert all("weights" in one for one in said), (page, said)
