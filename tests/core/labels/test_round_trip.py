"""Out and back through every tool: the same labels, and the same estimate."""

from __future__ import annotations

import csv
import io
import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from openpyxl import load_workbook

from core.design import Design, Plan
from core.errors import LabelError
from core.estimation import stratified
from core.labels import FORMATS, export, losses, read, request, settle, strata_of
from core.labels.escaping import item_id, keep_id, unescape
from core.profile import profile

CONFIGS = {"label-studio-config", "argilla-settings"}
HARD = ["a,b", 'say "hi"', "two\nlines", "cr\rlf\r\n", "🙂🏳️‍🌈", "=1+1", "+1", "-1", "@SUM(A1)", "'=1", "''=1", "'q'"]
HARD += [" ", "'", "\t=1", "\n=1", "\u200b=1", "＝1", "0012", "1e5", "\x00", "nan", "NULL", "x;y", "_x0041_", "x005F_"]
HARD += [
    '"quoted"',
    '"',
    "[1]",
    '{"a": 1}',
    "#N/A",
    "TRUE",
    "\x0b",
    "2026-01-01",
    " lead",
    "trail ",
    "\ufeffbom",
    "\x7f",
]

ids_strategy = st.lists(
    st.one_of(
        st.sampled_from(HARD),
        st.text(st.characters(codec="utf-8"), min_size=1, max_size=8),
        st.text(st.sampled_from('=+-@\'\t\r\n _x0041",;"🙂'), min_size=1, max_size=6),
    ),
    min_size=4,
    max_size=10,
    unique=True,
)


def plan_for(ids: Sequence[str], budget: int | None = None) -> Plan:
    rng = np.random.default_rng(len(ids))
    found = profile(rng.integers(0, 3, (len(ids), 4)))
    return Design(budget or len(ids), n_strata=2).plan("ab" * 32, np.array(ids, dtype=object), found)


def items_for(ids: Sequence[str], choices: bool = True) -> pd.DataFrame:
    frame = pd.DataFrame({"prompt": [f"{item}?" for item in ids]}, index=pd.Index(ids, name="id", dtype=object))
    return frame.assign(choices=[["=x", "y,z", "🙂"]] * len(ids)) if choices else frame


# What each tool writes when somebody gave ``labels`` (item id → label, None = skipped).
def fill_csv(content: bytes, labels: dict[str, str | None]) -> bytes:
    rows = list(csv.reader(io.StringIO(content.decode("utf-8-sig"), newline="")))
    item, label = rows[0].index("item_id"), rows[0].index("label")
    plain = {keep_id(key): value for key, value in labels.items()}
    stream = io.StringIO()
    writer = csv.writer(stream)
    writer.writerow(rows[0])
    writer.writerows([*row[:label], plain[row[item]] or "", *row[label + 1 :]] for row in rows[1:])
    return stream.getvalue().encode()


def fill_jsonl(content: bytes, labels: dict[str, str | None]) -> bytes:
    records = [json.loads(line) for line in content.decode().split("\n") if line]
    return "\n".join(json.dumps({**record, "label": labels[record["item_id"]]}) for record in records).encode()


def fill_xlsx(content: bytes, labels: dict[str, str | None]) -> bytes:
    book = load_workbook(io.BytesIO(content))
    sheet = book.active
    header = [cell.value for cell in sheet[1]]
    for row in sheet.iter_rows(min_row=2):
        given_label = labels[item_id(unescape(str(row[header.index("item_id")].value)))]
        filled = row[header.index("label")]
        filled.value = given_label
        # The cells are formatted as text, so that what a person types stays text.
        assert filled.number_format == "@"
        filled.data_type = "s" if given_label is not None else "n"
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def _studio(content: bytes, labels: dict[str, str | None]) -> list[dict[str, Any]]:
    exported = []
    for number, task in enumerate(json.loads(content), start=1):
        label = labels[task["data"]["item_id"]]
        if "options" in task["data"]:
            value, kind = {"choices": [label]}, "choices"
        else:
            value, kind = {"text": [label]}, "textarea"
        result = [{"id": "r", "from_name": "neyman_label", "to_name": "shown_text", "type": kind, "value": value}]
        annotation = {
            "id": number * 7,
            "was_cancelled": label is None,
            "ground_truth": False,
            "completed_by": 3,
            "lead_time": 4.2,
            "result": result if label is not None else [],
        }
        # Label Studio numbers the tasks itself and drops their meta.
        exported.append({"id": number + 1000, "data": task["data"], "annotations": [annotation], "predictions": [9]})
    return exported


def fill_studio(content: bytes, labels: dict[str, str | None]) -> bytes:
    return json.dumps(_studio(content, labels)).encode()


def _minimal(content: bytes, labels: dict[str, str | None]) -> list[dict[str, Any]]:
    times = {"created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z", "lead_time": 4.2}
    return [
        {
            **task["data"],
            "id": task["id"],
            "neyman_label": labels[task["data"]["item_id"]],
            "annotator": 3,
            "annotation_id": task["annotations"][0]["id"],
            **times,
        }
        for task in _studio(content, labels)
        if not task["annotations"][0]["was_cancelled"]
    ]


def fill_studio_min(content: bytes, labels: dict[str, str | None]) -> bytes:
    return json.dumps(_minimal(content, labels)).encode()


def fill_studio_csv(content: bytes, labels: dict[str, str | None]) -> bytes:
    return _csv_of(_minimal(content, labels))


def _studio_csv(document: list[dict[str, Any]]) -> bytes:
    given_labels = [task["annotations"][0]["result"][0]["value"]["choices"][0] for task in document]
    rows = zip(document, given_labels, strict=True)
    return _csv_of([{**task["data"], "neyman_label": label, "annotation_id": 1} for task, label in rows])


def _csv_of(records: list[dict[str, Any]]) -> bytes:
    rows = [{k: json.dumps(v) if isinstance(v, list) else v for k, v in record.items()} for record in records]
    stream = io.StringIO()
    writer = csv.DictWriter(stream, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return stream.getvalue().encode()


_METADATA = ("item_id", "plan_id", "position", "group")


def fill_argilla_flat(content: bytes, labels: dict[str, str | None]) -> bytes:
    records = []
    for number, record in enumerate(json.loads(content)):
        label = labels[record["id"]]
        responses = {
            "neyman_label.responses": [label or "A"],
            "neyman_label.responses.users": ["u-1"],
            "neyman_label.responses.status": ["submitted" if label is not None else "discarded"],
        }
        records.append(
            {**record, "status": "completed", "_server_id": str(number), "neyman_label.suggestion": None, **responses}
        )
    return json.dumps(records).encode()


def fill_argilla_nested(content: bytes, labels: dict[str, str | None]) -> bytes:
    records = []
    for record in json.loads(content):
        label = labels[record["id"]]
        metadata = {key: record[key] for key in _METADATA if key in record}
        records.append(
            {
                "id": record["id"],
                "fields": {"text": record["text"]},
                "metadata": metadata,
                "suggestions": {},
                "responses": {"neyman_label": [{"value": label, "user_id": "u-1"}]} if label is not None else {},
                "status": "completed" if label is not None else "pending",
                "_server_id": "s",
            }
        )
    return json.dumps(records).encode()


def fill_prodigy(content: bytes, labels: dict[str, str | None]) -> bytes:
    lines = []
    for line in content.decode().split("\n"):
        if line:
            record = json.loads(line)
            label = labels[record["item_id"]]
            given_label = {"accept": [label] if label else []} if "options" in record else {"neyman_label": label}
            lines.append(
                {
                    **record,
                    **given_label,
                    "answer": "accept" if label is not None else "ignore",
                    "_input_hash": 1,
                    "_task_hash": 2,
                    "_view_id": "choice",
                    "_session_id": "db-ann",
                    "_timestamp": 1,
                }
            )
    return "".join(json.dumps(line) + "\n" for line in lines).encode()


Fill = Callable[[bytes, dict[str, str | None]], bytes]
TOOLS: list[tuple[str, str, Fill]] = [
    ("csv", "csv", fill_csv),
    ("jsonl", "jsonl", fill_jsonl),
    ("xlsx", "xlsx", fill_xlsx),
    ("label-studio", "label-studio", fill_studio),
    ("label-studio", "label-studio-min", fill_studio_min),
    ("label-studio", "label-studio-csv", fill_studio_csv),
    ("argilla", "argilla", fill_argilla_flat),
    ("argilla", "argilla", fill_argilla_nested),
    ("prodigy", "prodigy", fill_prodigy),
]


@pytest.mark.parametrize(("format", "source", "fill"), TOOLS, ids=[f.__name__ for *_, f in TOOLS])
@pytest.mark.parametrize("kind", ["gold", "right-wrong", "score", "free"])
@settings(max_examples=6, suppress_health_check=[HealthCheck.too_slow])
@given(ids=ids_strategy, seed=st.integers(0, 99))
def test_labels_and_estimate_survive_the_round_trip(
    format: str, source: str, fill: Fill, kind: str, ids: list[str], seed: int
) -> None:
    rng = np.random.default_rng(seed)
    words = {
        "gold": ["A", "B", "C"],
        "right-wrong": ["right", "wrong"],
        "score": ["0.0", "0.1", "0.3333333333333333", "1.0"],
        "free": ["=SUM(A1)", "a,b", "-7", "naïve 🙂", "[1, 2]"],
    }[kind]
    plan = plan_for(ids)
    items = items_for(ids, choices=kind != "free")
    choices = [["=x", "y,z", "🙂"]] * len(ids) if kind == "gold" else None
    given_labels: dict[str, str | None] = {item: str(rng.choice(words)) for item in ids}
    answers: dict[str, str | None] = {item: str(rng.choice(words)) for item in ids}
    label_kind = "gold" if kind == "free" else kind
    shown = [answers[item] for item in plan.ids] if label_kind != "gold" else None
    frame = request(plan, items, shown)
    # Free texts and scores are typed, not chosen.
    data = export(frame, format, label_kind)
    if format == "label-studio" and kind in ("right-wrong", "score"):
        document = json.loads(data)
        for task in document:
            task["data"].setdefault("options", [])
        data = json.dumps(document).encode()
    returned = read(fill(data, given_labels))
    assert returned.source == source
    settled = settle(returned.rows, plan.ids.tolist(), plan.plan_id, label_kind, choices)
    assert settled.labels["item_id"].tolist() == plan.ids.tolist()
    assert settled.labels["label"].tolist() == [given_labels[item] for item in plan.ids]
    assert (settled.missing, len(settled.odd), len(settled.conflicts)) == ((), 0, 0)

    found = losses(settled, answers, items)
    if label_kind == "gold":
        truth = [float(answers[item] != given_labels[item]) for item in plan.ids]
    elif kind == "score":
        truth = [1 - float(str(given_labels[item])) for item in plan.ids]
    else:
        truth = [float(given_labels[item] == "wrong") for item in plan.ids]
    one, other = (stratified(values, strata_of(plan), plan.strata.sizes) for values in (found["loss"], truth))
    assert (one.n_labels, one.method) == (other.n_labels, other.method)
    numbers = [(e.value, e.standard_error, e.low, e.high) for e in (one, other)]
    np.testing.assert_allclose(*numbers, rtol=0, atol=1e-12)


@pytest.mark.parametrize(("format", "source", "fill"), TOOLS, ids=[f.__name__ for *_, f in TOOLS])
def test_the_hardest_ids_and_skipped_items(format: str, source: str, fill: Fill) -> None:
    plan = plan_for(HARD)
    given_labels: dict[str, str | None] = {item: (None if n % 3 == 0 else "B") for n, item in enumerate(HARD)}
    returned = read(fill(export(request(plan, items_for(HARD)), format), given_labels))
    assert returned.source == source
    settled = settle(returned.rows, plan.ids.tolist(), plan.plan_id, "gold", [["=x", "y,z", "🙂"]] * len(HARD))
    assert settled.missing == tuple(item for item in plan.ids if given_labels[item] is None)
    assert len(settled.labels) == len(HARD) - len(settled.missing)
    assert set(settled.odd["what"]) <= {"cancelled"}


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
    found = profile(np.random.default_rng(4).integers(0, 3, (4, 4)))
    items = items_for(ids).assign(answer="SECRET", generations="SECRET")

    def content(frame: pd.DataFrame) -> str:
        data = export(frame, format)
        if format != "xlsx":
            return data.decode()
        return str(list(load_workbook(io.BytesIO(data)).active.iter_rows(values_only=True)))

    hidden, shown = content(request(plan, items)), content(request(plan, items, ["ANSWERED"] * 4, found))
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


def test_label_studio_shows_dollars_and_their_labels_come_back() -> None:
    ids = ["a", "b", "c"]
    choices = [["$5", "$x^2$", "${y}"]] * 3
    plan = plan_for(ids)
    document = json.loads(export(request(plan, items_for(ids).assign(choices=choices)), "label-studio"))
    shown = [option["value"] for option in document[0]["data"]["options"]]
    assert not any(re.search(r"\$[\w[\].{}]", text) for text in shown)
    # Versions that export what is shown instead of the alias.
    for task, text in zip(document, shown, strict=True):
        result = [{"from_name": "neyman_label", "type": "choices", "value": {"choices": [text]}}]
        task["annotations"] = [{"id": 1, "completed_by": 1, "was_cancelled": False, "result": result}]
    for content in (json.dumps(document).encode(), _studio_csv(document)):
        settled = settle(read(content).rows, plan.ids.tolist(), plan.plan_id, "gold", choices)
        assert settled.labels["label"].tolist() == ["A", "B", "C"]


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
    with pytest.raises(LabelError, match="no label kind “x”"):
        export(frame, "csv", "x")
