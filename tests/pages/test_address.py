"""Addresses say with which version they were written, and keep their meaning when a default changes."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from urllib.parse import parse_qs

import pytest

from core.readers import read
from pages.parts.app import address, session
from pages.parts.widgets import controls
from pages.parts.widgets.control import Control
from pages.parts.widgets.every import EVERY
from tests.core.wording import Saying
from tests.pages.conftest import PAGES, bare, dials, run
from tests.pages.pools import odd
from tests.test_structure import SOURCES

EXPLORE = "pages/explore.py"
VERSION = str(address.VERSION)


@pytest.fixture
def offset_was_lower(monkeypatch):
    """The first version of the addresses left out δ = 0.3, where this one leaves out 0.75."""
    earlier = replace(controls.OFFSET, earlier={1: 0.3})
    monkeypatch.setattr(address, "EVERY", (*EVERY, earlier))


@pytest.fixture
def pool():
    return odd("a target known for some items only")


def design(app):
    return app.radio(key="design").value


def offset(app):
    return dials(app)["offset"]


def test_an_address_knows_every_control_that_is_declared():
    modules = [name for name in SOURCES if name.startswith("pages.") and name.endswith(".controls")]
    declared = (vars(import_module(name)).values() for name in modules)
    known = {id(one) for one in EVERY}
    assert [one.key for some in declared for one in some if isinstance(one, Control) and id(one) not in known] == []
    assert len(modules) >= 5


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
    app.radio(key="design").set_value("paper")
    assert offset(run(app)) == 0.75


@pytest.mark.parametrize("page", ["app.py", EXPLORE, "pages/label.py", "pages/lab.py"])
def test_every_address_and_every_link_between_pages_has_the_version(open_page, pool, page):
    app = open_page(page, pool)
    assert app.query_params["v"] == VERSION
    links = app.get("page_link")
    assert links and all(f"v={VERSION}" in link.proto.query_string for link in links)


@pytest.mark.parametrize(
    ("page", "wrong"),
    [
        ("pages/label.py", {"seed": "1e999", "budget": "²"}),
        ("pages/label.py", {"seed": "99999999999999999999"}),
        ("pages/lab.py", {"lab-seed": "1e999", "lab-clip": "nan", "lab-trials": "a\x00b"}),
        ("pages/plan.py", {"budget": "-1e999", "price": "inf"}),
        (EXPLORE, {"simulate": "perhaps", "accuracy": "101"}),
    ],
)
def test_a_number_that_no_control_can_take_is_told_in_a_sentence(open_page, pool, page, wrong):
    app = open_page(page, pool, v=VERSION, **wrong)
    assert "cannot be used" in bare(app.caption)
    for key, given in wrong.items():
        label = next(one.label for one in EVERY if one.key == key)
        assert f"“{given}” for “{label}”" in bare(app.caption)
        assert app.query_params.get(key) != given


def test_what_cannot_be_used_is_told_until_another_page_is_opened(open_page, pool):
    app = open_page("pages/label.py", pool, v=VERSION, budget="²")
    run(app)
    assert "cannot be used" in bare(app.caption), "a run may end before it is read"
    app.switch_page("pages/pool.py")
    assert "cannot be used" not in bare(run(app).caption)


@pytest.mark.parametrize(
    ("page", "key", "shown"), [("pages/lab.py", "section", "All methods"), ("pages/label.py", "part", "The list")]
)
def test_a_tab_that_a_page_does_not_have_is_named_with_what_is_shown_instead(open_page, pool, page, key, shown):
    app = open_page(page, pool, v=VERSION, **{key: "Nowhere", "seed": "none"})
    said = bare(app.caption)
    assert "“Nowhere” for “" in said and shown in said and "“none” for “" in said
    assert app.query_params.get(key) != "Nowhere"
    assert "Nowhere" not in bare(open_page(page, pool, v=VERSION, **{key: shown}).caption)


@pytest.mark.parametrize("given", ["7", "0", "2147483647", ""])
def test_numbers_that_a_control_can_take_are_taken_silently(open_page, pool, given):
    app = open_page("pages/label.py", pool, v=VERSION, seed=given)
    assert "cannot be used" not in bare(app.caption)
    assert given == "" or app.number_input(key="seed").value == int(given)


def test_every_link_carries_every_choice(open_page, pool):
    app = open_page("pages/pool.py", pool, v=VERSION)
    given = {"budget": "50", "label-kind": "score", "seed": "3", "price": "12", "believed": ["60", "70"], "bar": "75"}
    app.query_params.update(given)
    for page in PAGES:
        app.switch_page(page)
        assert not run(app).error
        assert {name: app.query_params[name] for name in given} == given
        for link in app.sidebar.get("page_link"):
            carried = parse_qs(link.proto.query_string)
            wanted = {name: one if isinstance(one, list) else [one] for name, one in given.items()}
            assert {name: carried[name] for name in given} == wanted


def test_choices_are_read_from_an_address_and_written_to_one():
    texts = {"v": [VERSION], "pool": ["a" * 16], "target": ["one"], "budget": ["90"], "label-kind": ["score"]}
    texts |= {"plan": ["p0"], "seed": ["3"], "believed": ["60", "70"]}
    chosen = address.Choices.of(texts)
    assert (chosen.target, chosen.budget, chosen.kind, chosen.plan, chosen.seed) == ("one", 90, "score", "p0", 3)
    assert chosen.parameters() == texts
    assert chosen.replace(budget=200, plan=None).parameters() == {
        name: given for name, given in (texts | {"budget": ["200"]}).items() if name != "plan"
    }
    by_name = address.Choices.of({"design": ["The paper’s"], "label-kind": ["Right or wrong"], "budget": ["many"]})
    assert (by_name.design, by_name.kind, by_name.budget) == ("paper", "right-wrong", None)


def test_an_address_with_an_unknown_option_names_it_and_what_is_shown_instead(open_page, pool):
    app = open_page("pages/label.py", pool, v=VERSION, **{"label-kind": "foo", "allocation": "bar", "design": "paper"})
    assert "“foo” for “Kind of label”" in bare(app.caption) and "“bar” for “Share labels by”" in bare(app.caption)
    assert "The right answer" in bare(app.caption) and app.selectbox(key="label-kind").value == "gold"


def test_an_address_names_a_target_and_a_budget_that_the_pool_does_not_have(open_page, pool):
    app = open_page(EXPLORE, pool, v=VERSION, target="nobody", budget="99999")
    said = bare(app.caption)
    assert "“nobody” for “Target model”" in said and "“99999” for “Budget M (labels)”" in said
    assert f"“{app.selectbox(key='target').value}”" in said and dials(app)["budget"] < 99999


@pytest.mark.parametrize("given", ["new", "A new model"])
def test_a_new_model_on_page_lab_is_named_with_the_target_shown_instead(open_page, pool, given):
    app = open_page("pages/lab.py", pool, v=VERSION, target=given)
    assert bare(run(app).caption) == Saying(f"“{given}” for “Target model”", f"“{app.selectbox(key='target').value}”")
    app = open_page("pages/label.py", pool, v=VERSION, target=given)
    assert app.selectbox(key="target").value == "new" and "cannot be used" not in bare(app.caption)
    app.switch_page("pages/lab.py")
    assert f"“{given}” for “Target model”" in bare(run(app).caption), "a link of another page brings it"


@pytest.mark.parametrize("page", PAGES)
def test_an_address_names_a_target_of_a_pool_without_targets(open_page, page):
    rows = "\n".join(f'{{"id": "{number}", "generations": ["A", "B"]}}' for number in range(20))
    silent = read(rows.encode(), "silent")
    said = bare(open_page(page, silent, v=VERSION, target="nobody").caption)
    assert page == "pages/estimate.py" or "“nobody” for “Target model”" in said
    assert "cannot be used" not in bare(open_page(page, silent, v=VERSION, target="new").caption)


def test_an_address_with_an_unknown_plan_or_pool_says_what_is_shown(open_page, pool):
    app = open_page("pages/label.py", pool, v=VERSION, design="p000000000000")
    assert bare(app.caption) == Saying("“p000000000000”", "recommended design is shown")
    app = open_page("pages/label.py", None, v=VERSION, pool="0000000000000000")
    assert bare(app.warning) == Saying("“MMLU-Pro”")


@pytest.mark.parametrize(
    ("given", "version"),
    [
        ({}, address.VERSION),
        ({"__theme": ["light"], "utm_source": ["post"], "fbclid": ["x"]}, address.VERSION),
        ({"utm_source": ["post"], "budget": ["50"]}, 1),
        ({"v": ["3"]}, 3),
        ({"gate-old": ["a"], "gate-new": ["b"]}, address.VERSION),
    ],
)
def test_what_other_sites_add_makes_no_link_of_the_first_version(monkeypatch, given, version):
    """A link with such a parameter opened on the practice pool instead of MMLU-Pro."""
    monkeypatch.setattr(session, "address", lambda: given)
    assert address._version() == version
