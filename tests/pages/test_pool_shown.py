"""Pool: what is shown of a pool, and where it leads."""

from __future__ import annotations

import numpy as np
import pytest

from core.answers import PARSER_VERSION
from core.archive import Archive
from core.design import Design, Scheme, manifest
from core.pool import Pool
from tests.core.wording import Saying
from tests.pages.conftest import bare, figure, figures, messages, press, run, sentences
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
    app = open_page("pages/pool.py", chosen)
    shown = {metric.label: metric.value for metric in app.metric}
    assert shown["Items"] == "60" and shown["Cheap model’s answers"] == "6" and shown["Models tested"] == "1"
    (entropy,), (consistency,) = figure(app, 0)["data"], figure(app, 1)["data"]
    np.testing.assert_allclose(entropy["x"], [0, np.log(2), np.log(3)])
    np.testing.assert_allclose(entropy["y"], [100 / 3] * 3)
    np.testing.assert_allclose(consistency["x"], [1 / 3, 1 / 2, 1])


def test_without_generations_the_pool_page_shows_the_items_alone(open_page):
    app = open_page("pages/pool.py", odd("no generations"))
    assert not figures(app)
    assert any("without answers of a second, cheap model" in sentence for sentence in sentences(app))
    assert len(app.dataframe[-1].value) == 60


@pytest.mark.parametrize(
    ("kind", "first"),
    [("no targets", "explore"), ("two items", "explore"), ("no generations", "surrogate"), ("only ids", "surrogate")],
)
def test_every_pool_leads_on(open_page, kind, first):
    links = [link.proto for link in open_page("pages/pool.py", odd(kind)).main.get("page_link")]
    assert [link.page for link in links] == [first, "plan", "label"]
    assert "plan-for=pool" in links[1].query_string


def test_groups_and_parse_report_open(open_page):
    rows = [{**row, "group": "odd" if number % 2 else "even"} for number, row in enumerate(records())]
    app = open_page("pages/pool.py", pool(rows), ["groups", "report"])
    groups = next(frame.value for frame in app.dataframe if "group" in frame.value.columns and len(frame.value) == 2)
    assert groups["items"].tolist() == [30, 30]
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
    app = open_page("pages/pool.py", pool(without("targets", rows)))
    assert any("raw texts" in warning for warning in messages(app, "warning"))
    app.selectbox(key="parser").set_value("choice")
    run(app)
    assert not any("raw texts" in warning for warning in messages(app, "warning"))
    run(app.switch_page("pages/label.py"))
    assert app.selectbox(key="parser").value == "choice"


def test_numbers_in_several_spellings_are_read_as_numbers_at_a_click(open_page):
    rows = [{**row, "generations": ["18", "$18", "18.0"]} for row in without("targets", records())]
    app = open_page("pages/pool.py", pool(rows))
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
        links = open_page("pages/pool.py", pool(rows, "versions")).main.get("page_link")
        return [link.proto.query_string for link in links if link.proto.label == "Is the new version worse?"]

    (query,) = linked("bot v9", "bot v10")
    assert "gate-old=bot+v9" in query and "gate-new=bot+v10" in query
    assert not linked("one", "other")


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
