"""Addresses say with which version they were written, and keep their meaning when a default changes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pages.parts import address, controls
from tests.pages.conftest import run
from tests.pages.pools import odd

EXPLORE = "pages/explore.py"
VERSION = str(address.VERSION)


@pytest.fixture
def offset_was_lower(monkeypatch):
    """The first version of the addresses left out δ = 0.3, where this one leaves out 0.75."""
    earlier = replace(controls.OFFSET, earlier={1: 0.3})
    monkeypatch.setattr(address, "CONTROLS", (*controls.CONTROLS, earlier))


@pytest.fixture
def pool():
    return odd("a target known for some items only")


def design(app):
    return app.selectbox(key="design").value


def offset(app):
    return app.slider(key="offset").value


@pytest.mark.parametrize(
    ("earlier", "version", "default"),
    [({}, 1, 9), ({1: 5}, 1, 5), ({1: 5}, 2, 9), ({3: 7, 1: 5}, 1, 5), ({3: 7, 1: 5}, 2, 7), ({3: 7, 1: 5}, 4, 9)],
)
def test_a_control_knows_the_default_of_every_version(earlier, version, default):
    control = replace(controls.STRATA, default=9, earlier=earlier)
    assert control.default_in(version) == default


@pytest.mark.usefixtures("offset_was_lower")
def test_an_address_without_a_version_has_the_first_one_s_defaults(open_page, pool):
    app = open_page(EXPLORE, pool)
    assert offset(app) == 0.3
    assert (app.query_params["offset"], app.query_params["v"]) == ("0.3", VERSION)
    again = open_page(EXPLORE, None, **app.query_params)
    assert offset(again) == 0.3


@pytest.mark.usefixtures("offset_was_lower")
@pytest.mark.parametrize(("query", "expected"), [({"v": VERSION}, 0.75), ({"offset": 1.5}, 1.5), ({"v": "99"}, 0.75)])
def test_what_an_address_says_counts_before_an_earlier_default(open_page, pool, query, expected):
    assert offset(open_page(EXPLORE, pool, design="paper", **query)) == expected


@pytest.mark.usefixtures("offset_was_lower")
def test_a_visit_without_an_address_and_a_session_that_goes_on_have_this_version_s_defaults(open_page, pool):
    assert design(open_page(EXPLORE)) == "recommended"
    app = open_page("pages/pool.py", pool, v=VERSION)
    app.query_params = {"pool": pool.digest[:16]}
    app.switch_page(EXPLORE)
    assert design(run(app)) == "recommended"
    app.selectbox(key="design").set_value("paper")
    assert offset(run(app)) == 0.75


@pytest.mark.parametrize("page", ["app.py", EXPLORE, "pages/label.py", "pages/lab.py"])
def test_every_address_and_every_link_between_pages_has_the_version(open_page, pool, page):
    app = open_page(page, pool)
    assert app.query_params["v"] == VERSION
    links = app.get("page_link")
    assert links and all(f"v={VERSION}" in link.proto.query_string for link in links)
