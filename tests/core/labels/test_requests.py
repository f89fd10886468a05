"""Label requests: what annotators see, and files from which nothing is lost and which run nothing."""

from __future__ import annotations

import csv
import io
import json
import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.design import Design, Plan, Scheme
from core.labels import escape, lost, request, to_csv, to_jsonl, unescape
from core.labels.formats.escaping import item_id, keep, keep_id
from core.labels.requests import given_up, replacements
from core.stratification import profile
from tests.core.lab.conftest import pool_of
from tests.core.labels.conftest import HARD as HARD_IDS

FORMULA_STARTS = "=+-@＝＋－＠"
HARD = [*HARD_IDS, "", "\ufeff=1", "—dash"]

texts = st.one_of(
    st.text(st.characters(codec="utf-8"), max_size=12),
    st.text(st.sampled_from(FORMULA_STARTS + "'\t\r\n \u00a0\u200b,\"a1"), max_size=6),
    st.sampled_from(HARD),
)


def plan_for(ids: list[str], budget: int | None = None) -> Plan:
    signals = profile(np.arange(len(ids) * 3).reshape(-1, 3) % 2)
    return Design(budget or len(ids), Scheme(n_strata=1), seed=0).plan("ab" * 32, np.array(ids, dtype=object), signals)


def frame_of(ids: list[str], **columns: list[Any]) -> pd.DataFrame:
    return pd.DataFrame(columns, index=pd.Index(ids, name="id", dtype=object))


def test_a_request_lists_the_sample_in_order_with_what_annotators_need() -> None:
    ids = [f"q{i}" for i in range(6)]
    items = frame_of(
        ids,
        prompt=[f"What is {i}?" for i in range(6)],
        choices=[["a", "b"]] * 6,
        answer=["a"] * 6,
        group=["math"] * 6,
        image=[None] * 6,
        hint=["x"] * 6,
    )
    plan = plan_for(ids, 4)
    label_request = request(plan, items)
    assert label_request.columns.tolist() == ["position", "item_id", "plan_id", "group", "prompt", "choices", "image"]
    assert label_request["position"].tolist() == [1, 2, 3, 4]
    assert label_request["item_id"].tolist() == plan.ids.tolist()
    assert label_request["prompt"].tolist() == [f"What is {p}?" for p in plan.positions]
    assert set(label_request["plan_id"]) == {plan.plan_id}


def test_a_request_shows_no_truth_stratum_signal_or_answer_of_a_model() -> None:
    ids = ["a", "b"]
    items = frame_of(ids, answer=["1", "2"], generations=[["1"], ["2"]], semantic_entropy=[0.0, 1.0])
    assert request(plan_for(ids), items).columns.tolist() == ["position", "item_id", "plan_id"]


@given(texts)
def test_unescape_undoes_escape(text: str) -> None:
    assert unescape(escape(text)) == text


@given(texts, texts)
def test_different_texts_stay_different(one: str, other: str) -> None:
    assert (escape(one) == escape(other)) == (one == other)


@given(texts | st.from_regex("-[1-9][0-9]{0,3}", fullmatch=True))
def test_nothing_starts_a_formula(text: str) -> None:
    """A negative whole number is none: every spreadsheet shows it as it is."""
    safe = escape(text)
    if re.fullmatch("-[1-9][0-9]{0,14}", text):
        assert safe == text
        return
    assert not safe.strip("\u200b\ufeff\u00a0 \t\r\n\x00").startswith(tuple(FORMULA_STARTS))
    assert safe[:1] not in {*FORMULA_STARTS, "\t", "\r"}


@given(texts | st.from_regex(r"'{0,2}[0-9/:. Mar-]{1,6}", fullmatch=True))
def test_what_a_spreadsheet_would_change_comes_back_whole(text: str) -> None:
    assert unescape(escape(text)) == text
    assert unescape(keep(text)) == text
    assert item_id(unescape(keep_id(text))) == text


@pytest.mark.parametrize(
    "hidden",
    ["\u2002", "\u3000", "\u2060", "\u00ad", "\u180e", "\u202e", "\u2028", "\x1f", "\ufe0f", "\u3164", "\u00a0\u200b"],
)
@pytest.mark.parametrize("start", ["=1+1", "＝1", "﹦1", "﹢1", "-1", "@SUM(A1)"])
def test_a_formula_behind_what_shows_nothing_is_escaped(hidden: str, start: str) -> None:
    text = hidden + start
    assert escape(text) == keep(text) == "'" + text
    assert unescape(escape(text)) == text


@pytest.mark.parametrize(
    "text", ["0012", "1e5", "12E3", "1/2", "3-4", "3 - 2", "2026-01-01", "12:30", "5 pm", "50%", "$5"]
)
@pytest.mark.parametrize("quoted", ["", "'"])
def test_numbers_and_dates_stay_text(text: str, quoted: str) -> None:
    assert keep(quoted + text) == keep_id(quoted + text) == "'" + quoted + text


@pytest.mark.parametrize(
    "text", ["3.10", "(5)", "1,5", "1234567890123456", "Mar-1", "1 March", "sept2", "TRUE", "false"]
)
def test_more_numbers_dates_and_truth_values_stay_text(text: str) -> None:
    assert keep(text) == "'" + text


@pytest.mark.parametrize("text", ["0", "12", "123456789012345", "q1", "e1", "item-7", "3f2a", "market-1", "mar", "a 1"])
def test_ordinary_ids_stay_as_they_are(text: str) -> None:
    assert keep_id(text) == keep(text) == text


@pytest.mark.parametrize("text", ["", "plain", "a=b", "'tis", "3 - x", "— and", "'", "''"])
def test_harmless_text_is_left_alone(text: str) -> None:
    assert escape(text) == text
    assert unescape(text) == text


@given(st.lists(texts, min_size=1, max_size=8, unique=True))
def test_csv_gives_the_ids_back(ids: list[str]) -> None:
    plan = plan_for(ids)
    frame = request(plan, frame_of(ids, prompt=ids))
    text = to_csv(frame)
    text.encode("utf-8")
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert [item_id(unescape(row["item_id"])) for row in rows] == plan.ids.tolist()
    assert [unescape(row["prompt"]) for row in rows] == plan.ids.tolist()
    assert [row["position"] for row in rows] == [str(i + 1) for i in range(len(ids))]
    assert {row["label"] for row in rows} == {""}
    assert {row["plan_id"] for row in rows} == {plan.plan_id}


def test_csv_of_the_hardest_ids() -> None:
    frame = request(plan_for(HARD), frame_of(HARD, prompt=HARD))
    rows = list(csv.reader(io.StringIO(to_csv(frame), newline="")))
    assert rows[0] == ["position", "item_id", "plan_id", "prompt", "label", "annotator"]
    assert sorted(item_id(unescape(row[1])) for row in rows[1:]) == sorted(HARD)


def test_csv_cells_of_lists_and_of_nothing() -> None:
    ids = ["a", "b", "c"]
    items = frame_of(ids, group=[None, pd.NA, float("nan")], choices=[["=1", "2"], np.array(["x", "y"]), None])
    by_id = {
        row["item_id"]: row for row in csv.DictReader(io.StringIO(to_csv(request(plan_for(ids), items)), newline=""))
    }
    assert [by_id[i]["choices"] for i in ids] == ["'=1\n2", "x\ny", ""]
    assert [by_id[i]["group"] for i in ids] == ["", "", ""]


@given(st.lists(texts, min_size=1, max_size=8, unique=True), st.lists(texts, max_size=4))
def test_json_lines_lose_nothing(ids: list[str], choices: list[str]) -> None:
    plan = plan_for(ids)
    frame = request(plan, frame_of(ids, prompt=ids, choices=[choices] * len(ids), group=[None] * len(ids)))
    lines = to_jsonl(frame).encode("utf-8").decode("utf-8").split("\n")
    assert lines.pop() == ""
    records = [json.loads(line) for line in lines]
    assert [r["item_id"] for r in records] == plan.ids.tolist()
    assert [r["prompt"] for r in records] == plan.ids.tolist()
    assert all(r["choices"] == choices and r["group"] is None and r["label"] is None for r in records)
    assert [r["position"] for r in records] == list(range(1, len(ids) + 1))


def test_json_lines_of_arrow_columns() -> None:
    import pyarrow as pa

    ids = ["a", "b"]
    items = frame_of(ids).assign(
        prompt=pd.array(["p", None], dtype=pd.ArrowDtype(pa.string())),
        choices=pd.array([["x", "y"], None], dtype=pd.ArrowDtype(pa.list_(pa.string()))),
    )
    records = {r["item_id"]: r for r in map(json.loads, to_jsonl(request(plan_for(ids), items)).splitlines())}
    assert (records["a"]["prompt"], records["a"]["choices"]) == ("p", ["x", "y"])
    assert (records["b"]["prompt"], records["b"]["choices"]) == (None, None)


def test_lost_is_what_was_given_up_and_never_labelled() -> None:
    rows = [
        ("a", "right", ""),
        ("b", None, "given up"),
        ("c", None, "skipped"),
        ("d", None, "empty"),
        ("e", None, "cancelled"),
        ("e", "wrong", ""),
        ("f", None, "rejected"),
        ("f", None, "skipped"),
        ("b", None, "cancelled"),
    ]
    assert lost(pd.DataFrame(rows, columns=["item_id", "label", "status"])) == ["b", "f"]
    assert lost(pd.DataFrame([], columns=["item_id", "label", "status"])) == []


def test_items_given_up_are_those_that_were_drawn_before_the_last_that_counts() -> None:
    plan = Design(30, seed=2).draw(pool_of(200, seed=1))
    lost, places = [str(plan.ids[0]), str(plan.ids[5])], plan.positions[[0, 5]]
    assert given_up(plan, lost).tolist() == sorted(places)
    spare = replacements(plan, lost).iloc[0]
    assert given_up(plan, [*lost, spare["item_id"]]).tolist() == sorted([*places, spare["place"]])
    beyond = [str(item) for item in plan.with_budget(190).ids[150:]]
    assert given_up(plan, beyond).size == 0 == given_up(plan, []).size
