"""Lists as each tool takes them: ids inside the payload, nothing that was not asked for, and settings that match."""

from __future__ import annotations

import io
import json
import re
import xml.etree.ElementTree as ET

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from openpyxl import load_workbook

from core.errors import LabelError
from core.labels import FORMATS, export, read, request
from tests.core.labels.conftest import ids_strategy, items_for, plan_for

CONFIGS = {"label-studio-config", "argilla-settings"}


@given(ids=ids_strategy, format=st.sampled_from(sorted(set(FORMATS) - CONFIGS)))
def test_exports_keep_the_order_and_hold_ids_inside_the_payload(ids: list[str], format: str) -> None:
    plan = plan_for(ids, len(ids) - 1)
    data = export(request(plan, items_for(ids)), format)
    if format in ("csv", "xlsx"):
        rows = read(data).rows
        assert rows["item_id"].tolist() == plan.ids.tolist()
        assert set(rows["plan_id"]) == {plan.plan_id}
        assert set(rows["status"]) == {"empty"}
        return
    text = data.decode()
    array = format in ("label-studio", "argilla")
    records = json.loads(text) if array else [json.loads(line) for line in text.split("\n") if line]
    payloads = [record["data"] if format == "label-studio" else record for record in records]
    assert [payload["item_id"] for payload in payloads] == plan.ids.tolist()
    assert {payload["plan_id"] for payload in payloads} == {plan.plan_id}
    # Label Studio overwrites data called id and what is called like a control; Prodigy overwrites answer.
    if format == "label-studio":
        assert all(set(record) == {"data"} for record in records)
        assert all({"id", "neyman_label", "label", "annotator"}.isdisjoint(payload) for payload in payloads)
    if format == "prodigy":
        assert all({"answer", "accept", "id", "label"}.isdisjoint(payload) for payload in payloads)


@pytest.mark.parametrize("format", sorted(set(FORMATS) - CONFIGS))
def test_strata_signals_and_answers_are_shown_only_when_asked_for(format: str) -> None:
    ids = ["a", "b", "c", "d"]
    plan = plan_for(ids)
    items = items_for(ids).assign(answer="SECRET", generations="SECRET")

    def content(frame: pd.DataFrame) -> str:
        data = export(frame, format)
        if format != "xlsx":
            return data.decode()
        return str(list(load_workbook(io.BytesIO(data)).active.iter_rows(values_only=True)))

    more = request(plan, items, ["ANSWERED"] * 4).assign(stratum=0, semantic_entropy=0.5)
    hidden, shown = content(request(plan, items)), content(more)
    assert all(word not in hidden for word in ("SECRET", "stratum", "entropy", "ANSWERED"))
    assert all(word in shown for word in ("stratum", "semantic_entropy", "ANSWERED"))
    assert "SECRET" not in shown


@given(title=st.text(max_size=20), image=st.sampled_from([None, "a.png", '"><script>']), kind=st.sampled_from("rgs"))
def test_the_labelling_config_is_well_formed_and_matches_the_tasks(title: str, image: str | None, kind: str) -> None:
    ids = ['<a href="x">', "]]>", "&amp;", "$text"]
    plan = plan_for(ids)
    frame = request(plan, items_for(ids).assign(image=image), ["<b>"] * 4)
    name = {"r": "right-wrong", "g": "gold", "s": "score"}[kind]
    root = ET.fromstring(export(frame, "label-studio-config", name, title))
    data = [task["data"] for task in json.loads(export(frame, "label-studio", name))]
    variables = {v[1:] for e in root.iter() if e.tag != "Header" for v in e.attrib.values() if v.startswith("$")}
    assert all(variables <= set(task) for task in data)
    assert {e.tag for e in root.iter()} <= {
        "View",
        "Header",
        "Text",
        "Image",
        "Choices",
        "Choice",
        "Number",
        "TextArea",
    }
    assert not re.search(r"\$[\w[\].{}]", root.find("Header").attrib["value"])
    controls = [e for e in root.iter() if e.attrib.get("toName")]
    assert [e.attrib["name"] for e in controls] == ["neyman_label", "neyman_note"]
    shown = {e.attrib["name"] for e in root.iter() if e.tag in ("Text", "Image")}
    assert {e.attrib["toName"] for e in controls} <= shown


@pytest.mark.parametrize("kind", ["right-wrong", "gold", "score"])
@pytest.mark.parametrize("image", [None, "a.png"])
def test_the_settings_of_argilla_match_the_records(kind: str, image: str | None) -> None:
    ids = ["a", "b", "c"]
    items = items_for(ids).assign(image=image)
    items["choices"] = [["x", "y", "z"], ["x", "y"], ["x", "y"]]
    frame = request(plan_for(ids), items, ["<b>"] * 3, target="m")
    settings = json.loads(export(frame, "argilla-settings", kind, "Plan"))
    records = json.loads(export(frame, "argilla", kind))
    required = {field["name"] for field in settings["fields"] if field["required"]}
    named = {entry["name"] for entry in settings["fields"] + settings["metadata"]}
    assert required == {"text"}
    assert ("image" in named) == (image is not None)
    assert {"text", "item_id", "plan_id", "position", "answers_of"} <= named
    assert all(named <= set(record) for record in records)
    question, note = settings["questions"]
    assert [question["name"], note["name"]] == ["neyman_label", "neyman_note"]
    assert question["required"] and not note["required"]
    labels = [option["value"] for option in question["settings"].get("options", [])]
    assert labels == {"right-wrong": ["right", "wrong"], "gold": ["A", "B", "C"], "score": []}[kind]


def test_items_with_several_images_show_each_of_them() -> None:
    ids = ["none", "one", "three"]
    items = items_for(ids).assign(image=[None, ["a"], ["b", "c", "d"]])
    frame = request(plan_for(ids), items)
    root = ET.fromstring(export(frame, "label-studio-config"))
    assert [e.attrib["value"] for e in root.iter("Image")] == ["$image", "$image_2", "$image_3"]
    assert len({e.attrib["name"] for e in root.iter("Image")}) == 3
    # Label Studio wants every field in every task, Argilla only those that an item has.
    data = {t["data"]["item_id"]: t["data"] for t in json.loads(export(frame, "label-studio"))}
    assert [[data[i][name] for name in ("image", "image_2", "image_3")] for i in ids] == [
        ["", "", ""],
        ["a", "", ""],
        ["b", "c", "d"],
    ]
    fields = [field["name"] for field in json.loads(export(frame, "argilla-settings"))["fields"]]
    assert fields == ["text", "image", "image_2", "image_3"]
    records = {r["id"]: r for r in json.loads(export(frame, "argilla"))}
    assert [[records[i].get(name) for name in fields[1:]] for i in ids] == [
        [None, None, None],
        ["a", None, None],
        ["b", "c", "d"],
    ]


def test_argilla_shows_angle_brackets_as_they_are() -> None:
    items = items_for(["a", "b", "c"], choices=False).assign(prompt="if a<b and c>d: &lt; <class 'int'>")
    text = json.loads(export(request(plan_for(["a", "b", "c"]), items), "argilla"))[0]["text"]
    assert text == "if a&lt;b and c&gt;d: &amp;lt; &lt;class 'int'&gt;"


@pytest.mark.parametrize("kind", ["right-wrong", "score"])
def test_judging_an_answer_needs_the_answer(kind: str) -> None:
    with pytest.raises(LabelError, match="target's answers"):
        export(request(plan_for(["a", "b", "c"]), items_for(["a", "b", "c"])), "csv", kind)


def test_no_such_format_and_kind() -> None:
    frame = request(plan_for(["a", "b", "c"]), items_for(["a", "b", "c"]))
    with pytest.raises(LabelError, match="no format “pdf”"):
        export(frame, "pdf")
    with pytest.raises(LabelError, match="no label kind called “x”"):
        export(frame, "csv", "x")
