"""Pool: what is shown of a pool, and where it leads."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal

import numpy as np
import pytest

from core.answers import PARSER_VERSION
from core.archive import Archive
from core.design import Design, Scheme, manifest
from core.pool import Pool
from tests.core.wording import Saying
from tests.pages.conftest import bare, figure, figures, messages, press, run, sentences
from tests.pages.first_sight import blocks
from tests.pages.pools import odd, pool, records, without


def test_the_newest_version_is_what_pages_begin_with(open_page):
    rows = [
        {**row, "targets": {"bot v9": {"answer": "A"}, "bot v10": {"answer": "B"}}} for row in records(60, target=None)
    ]
    several = pool(rows, "versions")
    assert open_page("pages/label.py", several).selectbox(key="target").value == "bot v10"
    assert "bot v10 is right on" in open_page("app.py", several).title[0].value


def test_what_is_in_the_pool(open_page):
    chosen = odd("three distinct values of SE")
    app = open_page("pages/pool.py", chosen, contents="answers")
    assert "60 items, scores of 1 model, 6 answers of a cheap model" in bare(app.markdown)
    models = app.dataframe[0].value
    assert models["role"].tolist() == ["model under test", "cheap model, 6 answers each"]
    assert models["known"].fillna(0).tolist() == [60, 0]
    (entropy,), (consistency,) = figure(app, 0)["data"], figure(app, 1)["data"]
    np.testing.assert_allclose(entropy["x"], [0, np.log(2), np.log(3)])
    np.testing.assert_allclose(entropy["y"], [100 / 3] * 3)
    np.testing.assert_allclose(consistency["x"], [1 / 3, 1 / 2, 1])


def test_a_table_says_an_accuracy_as_the_sentence_below_it(open_page):
    """A browser rounds 68.25 up and Python does not: the table said 68.3 %, and the sentence 68.2 %."""
    answered = [{"id": f"q{n}", "answer": "A", "targets": {"bot": {"answer": "AB"[n >= 273]}}} for n in range(400)]
    app = open_page("pages/pool.py", Pool.from_records(answered, "a tie"))
    in_browser = Decimal(app.dataframe[0].value["accuracy"][0]).quantize(Decimal("0.1"), ROUND_HALF_UP)
    assert f"bot is right on {in_browser}" in bare(app.markdown)


def test_without_generations_the_pool_page_shows_the_items_alone(open_page):
    app = open_page("pages/pool.py", odd("no generations"))
    assert not figures(app) and "cheap model" not in bare(app.markdown)
    assert len(app.dataframe[-1].value) == 60


@pytest.mark.parametrize(
    ("kind", "first", "second"),
    [
        ("no targets", "Plan", "label"),
        ("two items", "Explore", "plan"),
        ("no generations", "Ask a cheap model", "plan"),
        ("only ids", "Plan", "label"),
    ],
)
def test_every_pool_leads_on_with_one_filled_button(open_page, kind, first, second):
    app = open_page("pages/pool.py", odd(kind))
    assert [one.label.startswith(first) for one in app.button if one.proto.type == "primary"] == [True]
    (link,) = [link.proto for link in app.main.get("page_link")]
    assert link.page == second and (second != "plan" or "plan-for=pool" in link.query_string)
    app = press(app, first)
    assert app.query_params["plan-for"] == "pool" if first == "Plan" else "Pool" not in app.title[0].value


def test_groups_and_parse_report_open(open_page):
    rows = [{**row, "group": "odd" if number % 2 else "even"} for number, row in enumerate(records())]
    app = open_page("pages/pool.py", pool(rows), contents="groups")
    groups = next(frame.value for frame in app.dataframe if "group" in frame.value.columns and len(frame.value) == 2)
    assert groups["items"].tolist() == [30, 30]
    app = open_page("pages/pool.py", pool(rows), contents="answers")
    assert any("unparsed_share" in frame.value.columns for frame in app.dataframe)


def test_items_can_be_searched_and_ordered(open_page):
    app = open_page("pages/pool.py", pool(records()))
    app.text_input(key="find").set_value("QUESTION 1")
    run(app)
    assert set(app.dataframe[-1].value["id"]) == {"q1", *(f"q{n}" for n in range(10, 20))}
    app.selectbox(key="order").set_value("most disagreement first")
    run(app)
    assert app.dataframe[-1].value["semantic entropy"].is_monotonic_decreasing
    app.selectbox(key="order").set_value("most agreement first")
    run(app)
    assert app.dataframe[-1].value["semantic entropy"].is_monotonic_increasing
    app.text_input(key="find").set_value("(no such [text")
    run(app)
    assert any("No item" in info for info in messages(app, "info"))


def test_the_answer_kind_changes_classes_and_is_kept_on_the_other_pages(open_page):
    rows = [
        {**row, "generations": [f"I say ({g}), {i}" for i, g in enumerate(row["generations"])]} for row in records()
    ]
    app = open_page("pages/pool.py", pool(without("targets", rows)), contents="answers")
    assert any("raw texts" in warning for warning in messages(app, "warning"))
    app.selectbox(key="parser").set_value("choice")
    run(app)
    assert not any("raw texts" in warning for warning in messages(app, "warning"))
    run(app.switch_page("pages/label.py"))
    assert app.selectbox(key="parser").value == "choice"


def test_numbers_in_several_spellings_are_read_as_numbers_at_a_click(open_page):
    rows = [{**row, "generations": ["18", "$18", "18.0"]} for row in without("targets", records())]
    app = open_page("pages/pool.py", pool(rows), contents="answers")
    assert bare(app.markdown).replace("\u00a0", " ") == Saying(
        "100 % of the items", "several ways", "agree on 100 % of the items, now on 0 %"
    )
    press(app, "Read them as numbers")
    assert app.selectbox(key="parser").value == "number" and "cheap model) agree on" in bare(app.markdown)
    assert "Read them as numbers" not in [one.label for one in app.button]


def test_a_huge_prompt_is_shown_in_part_with_a_way_to_all_of_it(open_page):
    rows = [{"id": str(n), "prompt": "word " * 10_000, "generations": ["a", "b"]} for n in range(4)]
    app = open_page("pages/pool.py", pool(rows, "huge"))
    assert sum(len(text.value) for text in app.main.text) < 30_000
    assert not {"a", "b"} & {text.value for text in app.main.text}, "the heading says what a generation says"
    (switch,) = [one for one in app.toggle if one.label.startswith("Show all")]
    switch.set_value(True)
    assert sum(len(text.value) for text in run(app).main.text) >= 49_990


def test_versions_lead_to_their_gate_from_the_pool(open_page):
    def linked(*names):
        rows = [{**row, "targets": {name: {"answer": "A"} for name in names}} for row in records(12, target=None)]
        app = open_page("pages/pool.py", pool(rows, "versions"))
        return press(app, "Is the new version worse?") if "Is the new version worse?" in labels(app) else None

    def labels(app):
        return [one.label for one in app.button]

    query = linked("bot v9", "bot v10").query_params
    assert query["gate-old"] == "bot v9" and query["gate-new"] == "bot v10"
    assert linked("one", "other") is None


def test_lists_that_earlier_rules_drew_are_named_with_the_way_to_a_new_one(open_page, neyman_home):
    numbers = Pool.from_records(
        [{"id": str(n), "prompt": f"q{n}", "answer_kind": "number", "generations": [str(n), "2"]} for n in range(40)]
    )
    plan = Design(10, Scheme(n_strata=1), seed=0).draw(numbers)
    archive = Archive(neyman_home)
    archive.pools.save(numbers, "2026-01-01T00:00:00")
    for version, said in (("0", True), (PARSER_VERSION["number"], False)):
        text = manifest.write(plan, "numbers", {"number": version})
        archive.plans.save(plan.plan_id, text, numbers.digest, "2026-01-01", numbers.items_digest, plan.stratum)
        app = open_page("pages/pool.py", numbers)
        assert any("drawn when answers were read by earlier rules" in one for one in sentences(app)) is said
        labels = [link.proto.label for link in app.main.get("page_link")]
        assert ("Draw a list by today’s rules" in labels) is said


def test_a_pool_is_renamed_and_keeps_all_else(open_page, neyman_home):
    app = open_page("pages/pool.py", mine := pool(records(20), "mine.jsonl"), ["keeping"])
    (name,) = [one for one in app.text_input if one.label == "Name"]
    name.set_value("Shop, *November*")
    assert "Shop, *November*" in [text.value for text in run(app).sidebar.text]
    assert "“Shop, *November*”: 20 items" in bare(app.markdown)
    kept = Archive(neyman_home).pools
    assert kept.load(mine.digest).name == "Shop, *November*" and len(kept.table()) == 1
    assert not [one for one in open_page("pages/pool.py", None, ["keeping"]).text_input if one.label == "Name"]


def test_pools_used_before_have_their_dates(open_page, neyman_home):
    Archive(neyman_home).pools.save(pool(records(20), "earlier"), "2026-01-31T00:00:00+00:00")
    app = open_page("pages/pool.py")
    (before,) = [box for box in app.selectbox if box.label == "Pools used before"]
    assert before.options[0].startswith("earlier · 31 Jan 2026")


@pytest.mark.parametrize("kind", ["no targets", "only ids", "two items", "no generations"])
def test_the_first_screen_says_little(open_page, kind):
    """Words at first sight were 479, beside ten controls."""
    app = open_page("pages/pool.py", odd(kind))
    assert sum(len(one.split()) for one in blocks(app.main)) <= 200
    kinds = ("button", "selectbox", "text_input", "file_uploader", "multiselect", "toggle")
    assert sum(len(app.main.get(one)) for one in kinds) <= 6
