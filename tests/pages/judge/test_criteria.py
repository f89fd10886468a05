"""Several criteria on pages Judge and Label: one pass at the desk is kept and undone as one, and files come back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import streamlit as st

import core as neyman
from core.archive import Archive
from core.judge import Criterion, labelling
from core.labels import asked, target_code
from core.pool import Pool
from tests.core.judge.pools import people_of, records_of
from tests.pages.conftest import CREATED, OpenPage, bare, press
from tests.pages.desk import desk, label, send
from tests.pages.label.test_back import upload

LABEL, SIZE = "pages/label.py", 120
CRITERIA = [Criterion("Helpful", "judge", "It answers the question."), Criterion("Safe", "safe", "It harms nobody.")]


@pytest.fixture(scope="module")
def pool() -> Pool:
    """A table with an output column that no model is named for, as colleagues have it."""
    rows = [row | {"safe": "pass" if number % 5 else "fail"} for number, row in enumerate(records_of(SIZE))]
    return Pool.from_records(rows, "outputs")


@pytest.fixture
def plan(pool: Pool, neyman_home: Path) -> neyman.Plan:
    drawn, archive = neyman.judge(pool, CRITERIA, 40, seed=2), Archive(neyman_home)
    archive.pools.save(pool, CREATED)
    labelling(archive, drawn, pool).save_plan(archive, CREATED)
    return drawn


def where(plan: neyman.Plan, part: str) -> dict[str, str]:
    assert plan.design.judging is not None
    target = asked(plan.design.judging)[0]
    return {"plan": plan.plan_id, "label-kind": "right-wrong", "target": target, "part": part, "annotator": "Ann"}


def rows(home: Path, plan: neyman.Plan) -> list[tuple[str, str, str]]:
    kept = Archive(home).labels.of(plan.plan_id)
    return list(kept[["item_id", "target", "label"]].itertuples(index=False, name=None))


def test_one_pass_is_kept_for_each_criterion_and_undone_as_one(
    open_page: OpenPage, neyman_home: Path, pool: Pool, plan: neyman.Plan
) -> None:
    app = open_page(LABEL, pool, **where(plan, "Label here"))
    shown = desk(app)
    assert [(one["name"], one["rubric"]) for one in shown["criteria"]] == [
        ("Helpful", "It answers the question."),
        ("Safe", "It harms nobody."),
    ]
    first = shown["items"][shown["order"][0]]
    assert first["prompt"] == f"question {first['id']}" and first["parts"][0]["text"] == f"answer {first['id']}"
    label(app, "right wrong")
    item = str(plan.ids[0])
    assert rows(neyman_home, plan) == [(item, "criterion Helpful", "right"), (item, "criterion Safe", "wrong")]
    assert desk(app)["back"]["label"] == "right wrong" and desk(app)["order"][0] == plan.ids[1]
    label(app, "Undo")
    assert rows(neyman_home, plan) == [] and desk(app)["order"][0] == item


def test_what_is_no_label_on_each_criterion_is_left_out(
    open_page: OpenPage, neyman_home: Path, pool: Pool, plan: neyman.Plan
) -> None:
    app = open_page(LABEL, pool, **where(plan, "Label here"))
    send(app, {"item": str(plan.ids[0]), "label": "right"})
    assert rows(neyman_home, plan) == [] and "left out" in str(desk(app)["replies"])


def test_another_tool_gets_the_list_of_the_criterion_that_is_chosen(
    open_page: OpenPage, pool: Pool, plan: neyman.Plan, downloads: dict, monkeypatch: pytest.MonkeyPatch
) -> None:
    names, draw = list[str](), st.download_button

    def noted(label: str, data: Any, name: str, *args: Any, **kwargs: Any) -> bool:
        names.append(name)
        return draw(label, data, name, *args, **kwargs)

    monkeypatch.setattr(st, "download_button", noted)
    app = open_page(LABEL, pool, **where(plan, "The list") | {"target": "criterion Safe"})
    app.selectbox(key="format").select("label-studio").run()
    assert "their list asks for “Safe”" in bare(app.caption)
    assert f"neyman-{plan.plan_id}-Safe.label-studio.json" in names
    data = [one["data"] for one in json.loads(downloads["Label Studio tasks"]())]
    assert {one["answers_of"] for one in data} == {target_code("criterion Safe")} and len(data) == 40


def test_a_filled_list_comes_back_to_each_criterion_and_page_judge_shows_both(
    open_page: OpenPage, neyman_home: Path, pool: Pool, plan: neyman.Plan, downloads: dict
) -> None:
    query = {"criteria": "safe", "judge": "judge", "budget": 40, "seed": 2, "judge-part": "list"}
    app = open_page("pages/judge.py", pool, **query)
    assert "The list is drawn for “safe”" in bare(app.caption)
    header = downloads["List as CSV"]().splitlines()[0]
    assert header.endswith("label: judge,label: safe,annotator")
    people = people_of(SIZE)
    lines = ["item_id,label: Helpful,label: Safe"]
    lines += [f"{item},{'pass' if people[item] else 'fail'},pass" for item in plan.ids]
    app = upload(open_page(LABEL, pool, **where(plan, "Take labels back")), "\n".join(lines).encode())
    assert "What do these words mean" not in bare(app.markdown)
    press(app, "Keep these labels")
    assert len(rows(neyman_home, plan)) == 80
    app = open_page("pages/judge.py", pool, plan=plan.plan_id, **{"judge-part": "criteria"})
    assert not app.error and app.dataframe[0].value["criterion"].tolist() == ["Helpful", "Safe"]
    numbers = {"judge-part": "numbers"}
    open_page("pages/judge.py", pool, plan=plan.plan_id, **numbers)
    document = json.loads(downloads["All numbers as JSON"]())
    assert document["labels"] == 40 and document["judge"] == "judge"
    open_page("pages/judge.py", pool, plan=plan.plan_id, criterion="Safe", **numbers)
    document = json.loads(downloads["All numbers as JSON"]())
    assert document["judge"] == "safe" and document["failures_found"] == 0
