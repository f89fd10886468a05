"""Every page on every kind of pool: it is drawn, and it says what cannot be known."""

from __future__ import annotations

import re
from itertools import product

import pytest

from core.readers import read
from pages.parts.app import frame
from pages.parts.app.address import VERSION
from pages.parts.markup import plain
from pages.parts.widgets.every import EVERY
from tests.conftest import ROOT
from tests.core.wording import Saying
from tests.pages.conftest import BARE, PAGES, button, dials, figures, messages, practice, press, run, sentences, turn
from tests.pages.first_sight import crowded, unexplained
from tests.pages.pools import ODD, ODDEST, odd, pool, records
from tests.sampled import sampled

KEY = re.compile(r'\bkey="([^"{}]+)"')


def is_sample(page: str, kind: str) -> bool:
    """What no other test draws: below Explore and Label are drawn with settings, in `test_lab` each part of Lab."""
    elsewhere = {"pages/lab.py": ODDEST[:-1], "pages/explore.py": ODDEST[1:-1], "pages/label.py": ODDEST[1:-1]}
    return page == "app.py" or (kind in ODDEST and kind not in elsewhere.get(page, ()))


@pytest.mark.parametrize(("page", "kind"), sampled(product(PAGES, ODD), is_sample))
def test_every_page_is_drawn_on_every_kind_of_pool(open_page, page, kind):
    app = open_page(page, odd(kind))
    assert app.title and not app.error and unexplained(app) == {}
    assert kind in [text.value for text in app.sidebar.text]


@pytest.mark.parametrize("page", PAGES)
def test_every_page_opens_on_published_models(open_page, page):
    app = open_page(page, BARE)
    # The one warning a sound pool may get: a simpler rule does better on it.
    assert app.title and not app.error and {w.icon for w in app.warning} <= {":material/balance:"}
    assert "MMLU-Pro" in [text.value for text in app.sidebar.text] and unexplained(app) == {}
    assert app.query_params["budget"] == "200" and "pool" not in app.query_params
    assert crowded(app) == []


@pytest.mark.parametrize("query", [{"v": "4"}, {"budget": "100"}, {"v": "3", "target": "tiny-target (1.2M)"}])
def test_an_earlier_address_without_a_pool_means_the_practice_pool(open_page, query):
    app = open_page("pages/pool.py", BARE, **query)
    assert "Practice pool" in [text.value for text in app.sidebar.text]
    assert app.query_params["pool"] == practice().digest[:16]


def test_what_this_version_writes_means_what_a_bare_address_shows(open_page):
    today = open_page("pages/pool.py", BARE, v=VERSION, budget="200")
    assert "MMLU-Pro" in [text.value for text in today.sidebar.text]


# The others are, with what they say of it, in the tests of Overview, Explore, Label, Lab and Estimate.
ONLY_DRAWN = ("pages/plan.py", "pages/pool.py", "pages/judge.py", "pages/models.py", "pages/surrogate.py")


@pytest.mark.parametrize("page", sampled(PAGES, ONLY_DRAWN.__contains__))
def test_every_page_is_drawn_on_a_real_pool(open_page, real_pool, page):
    app = open_page(page, read(real_pool("exams-gpt35-k10.jsonl")))
    assert app.title and not app.error and unexplained(app) == {}
    assert any("1,000 items" in caption.value for caption in app.sidebar.caption) and crowded(app) == []


@pytest.mark.parametrize("kind", sampled(ODD, lambda kind: kind in (*ODDEST[1:-1], "all SE = 0")))
@pytest.mark.parametrize("query", [{"strata": 10, "budget": 60, "offset": 0.0}, {"stratifier": "k-means", "strata": 2}])
def test_explore_and_label_take_any_setting_on_any_pool(open_page, kind, query):
    for page in ("pages/explore.py", "pages/label.py"):
        app = open_page(page, odd(kind), **query)
        assert not app.error


@pytest.mark.parametrize("page", ["app.py", "pages/label.py"])
@pytest.mark.parametrize("kind", ["no generations", "only ids"])
def test_without_generations_the_next_step_is_shown(open_page, page, kind):
    app = open_page(page, odd(kind))
    (info,) = messages(app, "info")
    assert "no generations" in info
    ways = ["surrogate", "pool"] if page == "pages/label.py" else ["surrogate", "label", "pool"]
    # What labels are for if the file says the accuracy already.
    ways = ["label", "explore"] * (page == "app.py" and kind == "no generations") + ways
    # No half screen is empty: the stories stand below.
    ways += ["versions", "models", "judge"] * (page == "app.py")
    assert [link.proto.page for link in app.main.get("page_link")] == ways
    assert not figures(app) and not app.dataframe


@pytest.mark.parametrize("kind", ["no generations", "only ids"])
def test_without_generations_explore_has_no_strata_to_set_and_leads_to_making_them(open_page, kind):
    app = open_page("pages/explore.py", odd(kind), design="paper")
    assert not app.error and not {"strata", "offset"} & set(dials(app))
    assert "surrogate" in {link.proto.page for link in app.main.get("page_link")}
    assert button(app, "Draw this list")
    assert Saying("Nothing is known", "items") in messages(app, "info")


@pytest.mark.parametrize("kind", ["no targets", "a target without any known outcome"])
def test_without_outcomes_explore_says_what_cannot_be_known_and_shows_the_strata(open_page, kind):
    app = open_page("pages/explore.py", odd(kind))
    assert any("knows no outcome of your model" in info for info in messages(app, "info"))
    # The forecast, and the strata.
    assert len(figures(app)) == 1 and app.dataframe[0].value["labels"].sum() == dials(app)["budget"]
    assert "simulate" not in [toggle.key for toggle in app.toggle]


@pytest.mark.parametrize("kind", ["no targets", "a target without any known outcome"])
def test_without_outcomes_there_is_a_label_list_all_the_same(open_page, kind):
    app = open_page("pages/label.py", odd(kind), budget=20)
    assert len(app.dataframe[0].value) == 20


def test_a_partial_outcome_is_told_with_its_numbers(open_page):
    app = open_page("pages/explore.py", odd("a target known for some items only"))
    assert any("40 items whose outcome is known, of 60 in all" in warning for warning in messages(app, "warning"))
    drawn = open_page("pages/label.py", odd("a target known for some items only"), budget=60)
    assert len(drawn.dataframe[0].value) == 60


@pytest.mark.parametrize("kind", ["all SE = 0", "k = 1"])
def test_without_disagreement_there_is_one_stratum_and_that_is_uniform_sampling(open_page, kind):
    app = open_page("pages/explore.py", odd(kind))
    text = " ".join(sentences(app))
    assert "1 stratum" in text and "5 were requested" in text and "which is Uniform" in text
    on_pool = " ".join(sentences(open_page("pages/pool.py", odd(kind), contents="answers")))
    assert on_pool == Saying("all items", "one group")


def test_one_item_leaves_nothing_to_save(open_page):
    app = open_page("pages/explore.py", odd("one item"))
    assert any("nothing left to save" in sentence for sentence in sentences(app))
    assert len(open_page("pages/label.py", odd("one item")).dataframe[0].value) == 1


def test_constant_losses_need_no_method(open_page):
    app = open_page("pages/explore.py", odd("constant losses"))
    assert any("same loss" in sentence for sentence in sentences(app))


def test_ten_strata_of_three_values_are_three(open_page):
    app = open_page("pages/explore.py", odd("three distinct values of SE"), strata=10)
    assert dials(app)["strata"] == 10
    said = " ".join(sentences(app))
    assert "3 strata" in said and "10 were requested" in said


def test_an_unknown_digest_in_the_address_is_told_and_another_pool_shown(open_page):
    app = open_page("app.py", pool="0123456789abcdef")
    assert any("no pool" in warning for warning in messages(app, "warning"))
    assert "MMLU-Pro" in [text.value for text in app.sidebar.text]


@pytest.mark.parametrize("digest", ["", "../../etc/passwd", "'; DROP TABLE pools; --", "ffff", "%", "💥"])
def test_nonsense_in_the_address_is_harmless(open_page, digest):
    app = open_page("pages/explore.py", pool=digest, strata="eleven", budget="-5", stratifier="none", offset="nan")
    assert dials(app)["strata"] == 5 and app.selectbox(key="stratifier").value == "adaptive"


def test_pages_switch_and_keep_pool_and_controls(open_page):
    saved = pool(records(), "kept")
    app = open_page("pages/explore.py", saved, v=VERSION)
    turn(app, "budget", 40)
    run(app.switch_page("pages/label.py"))
    assert dials(app)["budget"] == 40
    assert "kept" in [text.value for text in app.sidebar.text]
    run(app.switch_page("app.py"))
    run(app.switch_page("pages/explore.py"))
    assert dials(app)["budget"] == 40


def test_every_page_is_drawn_after_the_next_one_in_one_session(open_page):
    """The other way round they are drawn by `test_every_link_carries_every_choice`."""
    app = open_page("pages/plan.py", question="Is one target better than another?")
    for page in reversed(PAGES):
        run(app.switch_page(page))
        assert app.title and not app.error


def test_no_other_widget_has_the_name_of_a_control_whose_value_it_would_take():
    """Streamlit keeps a session's values by name, whatever page and widget they were set with."""
    names = {control.key for control in EVERY}
    scripts = [path for path in (ROOT / "pages").rglob("*.py") if path.name != "controls.py"]
    assert [(path.name, key) for path in scripts for key in KEY.findall(path.read_text()) if key in names] == []


@pytest.mark.parametrize("kind", ["no generations", "only ids"])
def test_the_papers_design_without_generations_leads_to_the_recommended_one(open_page, kind):
    app = open_page("pages/label.py", odd(kind), design="paper")
    assert messages(app, "info")[0] == Saying("no generations", "surrogate")
    press(app, "Draw the recommended design")
    assert not app.error and not app.info and len(app.dataframe[0].value) > 0


@pytest.mark.parametrize("said", ["78 % are right.", "78 % are right", plain("78 % are right.")])
def test_a_headline_has_no_full_stop(monkeypatch, said):
    drawn = []
    monkeypatch.setattr(frame.st, "markdown", lambda words, **_: drawn.append(words))
    frame.finding(said)
    frame.headline(said)
    frame.headline(f"{said.removesuffix('.')}. So says one.")
    assert drawn == ["## 78 % are right"] * 3 + ["So says one."]
