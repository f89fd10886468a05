"""Files of labels as the tools write them, and everything that is none."""

from __future__ import annotations

import gzip
import io
import json
import zipfile
from functools import reduce
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl import Workbook

from core.errors import LabelError
from core.labels import LabelFile, read, settle
from tests.core.labels.conftest import faults


def dumped(*records: Any) -> bytes:
    return json.dumps(list(records)).encode()


def rows_of(returned: LabelFile) -> list[list[Any]]:
    return returned.rows[["item_id", "label", "annotator", "status"]].values.tolist()


def annotation(value: Any, kind: str, **more: Any) -> dict[str, Any]:
    result = [{"from_name": "neyman_label", "to_name": "shown_text", "type": kind, "value": {kind: value}}]
    return {"id": 1, "was_cancelled": False, "completed_by": 1, "result": result, **more}


def test_label_studio_annotations_of_several_people_cancelled_and_absent() -> None:
    data = {"item_id": "q", "plan_id": "p"}
    note = {"from_name": "neyman_note", "type": "textarea", "value": {"text": ["hm"]}}
    noted = annotation(["A"], "choices", completed_by={"id": 4, "email": "ann@x.org"})
    noted["result"].append(note)
    content = dumped(
        {"id": 1, "data": data, "annotations": [noted, annotation(["B"], "choices", was_cancelled=True)]},
        {"id": 2, "data": data, "annotations": []},
        {"id": 3, "data": data, "annotations": [annotation(0.25, "number"), annotation(4, "rating")]},
        {"id": 4, "data": data, "annotations": [annotation(["A", "B"], "choices")], "predictions": [3, 4]},
    )
    returned = read(content)
    assert returned.source == "label-studio"
    assert rows_of(returned) == [
        ["q", "A", "ann@x.org", ""],
        ["q", None, "1", "cancelled"],
        ["q", None, "", "empty"],
        ["q", "0.25", "1", ""],
        ["q", "4", "1", ""],
        ["q", "A | B", "1", "several"],
    ]
    assert returned.rows["note"].tolist()[0] == "hm"
    assert returned.rows["row"].tolist() == [1, 1, 2, 3, 3, 4]


def test_label_studio_options_come_back_as_their_letters() -> None:
    data = {"item_id": "q", "options": [{"value": "A. yes, it is", "alias": "A"}]}
    assert rows_of(read(dumped({"data": data, "annotations": [annotation(["A. yes, it is"], "choices")]})))[0][1] == "A"


def test_a_label_studio_control_of_another_name() -> None:
    one = annotation(["A"], "choices")
    one["result"][0]["from_name"] = "verdict"
    data = {"item_id": "q"}
    assert [row[1] for row in rows_of(read(dumped({"data": data, "annotations": [one]})))] == ["A"]


@pytest.mark.parametrize("apart", [False, True])
def test_the_label_studio_control_is_one_for_the_whole_file(apart: bool) -> None:
    """A task that fills only the comment has no label, whether the other control is filled there or elsewhere."""

    def tasks(control: str) -> bytes:
        verdict, comment = annotation(["right"], "choices"), annotation(["blurred"], "text")
        verdict["result"][0]["from_name"], comment["result"][0]["from_name"] = control, "comment"
        if not apart:
            verdict["result"] += comment["result"]
        return dumped(
            {"data": {"item_id": "q0"}, "annotations": [verdict]}, {"data": {"item_id": "q1"}, "annotations": [comment]}
        )

    rows = rows_of(read(tasks("neyman_label")))
    assert rows == [["q0", "right", "1", ""], ["q1", None, "1", "empty"]]
    with pytest.raises(LabelError, match=r"controls.*“comment”.*“verdict”"):
        read(tasks("verdict"))


def test_argilla_responses_of_several_people() -> None:
    metadata = {"item_id": "q", "plan_id": "p", "id": "q"}
    flat = {
        **metadata,
        "text": "?",
        "_server_id": "s",
        "status": "completed",
        "neyman_label.responses": ["A", "B", "A"],
        "neyman_label.responses.users": ["u1", "u2", "u3"],
        "neyman_label.responses.status": ["submitted", "discarded", "draft"],
        "neyman_note.responses": ["hm"],
        "neyman_note.responses.users": ["u1"],
        "neyman_label.suggestion": "C",
    }
    expected = [["q", "A", "u1", ""], ["q", None, "u2", "discarded"], ["q", None, "u3", "draft"]]
    assert rows_of(read(dumped(flat))) == expected
    assert read(dumped(flat)).rows["note"].tolist()[0] == "hm"
    nested = {
        "id": "q",
        "fields": {"text": "?"},
        "metadata": {"plan_id": "p"},
        "responses": {
            "neyman_label": [
                {"value": "A", "user_id": "u1"},
                {"value": "B", "user_id": "u2", "status": "discarded"},
                {"value": "A", "user_id": "u3", "status": "draft"},
            ]
        },
        "status": "completed",
    }
    assert rows_of(read(dumped(nested))) == expected
    assert read(dumped(nested)).rows["plan_id"].tolist() == ["p"] * 3


def test_prodigy_rejected_and_ignored_are_missing() -> None:
    base = {"item_id": "q", "text": "?", "_task_hash": 1, "_input_hash": 2, "_session_id": "db-ann"}
    records = [
        {**base, "accept": ["A"], "answer": "accept"},
        {**base, "accept": ["A"], "answer": "reject"},
        {**base, "accept": [], "answer": "ignore"},
        {**base, "accept": [], "answer": "accept"},
        {**base, "accept": ["A", "B"], "answer": "accept"},
        {**base, "neyman_label": "seven", "answer": "accept", "_annotator_id": "ann"},
    ]
    returned = read("\n".join(map(json.dumps, records)).encode())
    assert returned.source == "prodigy"
    assert rows_of(returned) == [
        ["q", "A", "db-ann", ""],
        ["q", None, "db-ann", "rejected"],
        ["q", None, "db-ann", "ignored"],
        ["q", None, "db-ann", "empty"],
        ["q", "A | B", "db-ann", "several"],
        ["q", "seven", "ann", ""],
    ]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_a_plain_list_of_any_spreadsheet(encoding: str, delimiter: str) -> None:
    lines = [["Label", "item_id", "Annotator", "note"], ["'=1", "'=q", "Ann", "–"], ["", "r", "", ""], ["", "", "", ""]]
    returned = read("\r\n".join(delimiter.join(line) for line in lines).encode(encoding))
    assert returned.source == "csv"
    assert rows_of(returned) == [["=q", "=1", "Ann", ""], ["r", None, "", "empty"]]
    assert returned.rows[["row", "note", "plan_id"]].values.tolist() == [[2, "–", None], [3, None, None]]


def test_the_separator_is_looked_for_outside_of_quotes() -> None:
    content = b'item_id;label;"note, if any, and, why"\na;x;y\n'
    assert rows_of(read(content)) == [["a", "x", "", ""]]
    inches = b'item_id;label;5" screen, or "more"\na;x;y\n'
    assert rows_of(read(inches)) == [["a", "x", "", ""]]
    several = b'"first, line\nsecond, line";item_id;label\ny;a;x\n'
    assert rows_of(read(several)) == [["a", "x", "", ""]]


def test_a_list_whose_first_column_begins_like_a_zip_is_a_list() -> None:
    assert rows_of(read(b"PK,item_id,label\n1,a,x\n")) == [["a", "x", "", ""]]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_carriage_return_inside_a_cell_without_quotes(end: str) -> None:
    lines = ["item_id,neyman_label,annotation_id", "a\rb,A,1", '"c\rd",B,2']
    assert [row[:2] for row in rows_of(read(end.join(lines).encode()))] == [["a\rb", "A"], ["c\rd", "B"]]
    old = "item_id,label\ra,x\rb,y\r"
    assert [row[:2] for row in rows_of(read(old.encode()))] == [["a", "x"], ["b", "y"]]


def test_an_empty_plan_is_none_said() -> None:
    minimal = {"item_id": "a", "plan_id": "", "neyman_label": "A", "annotation_id": 1}
    plain = {"item_id": "a", "plan_id": "", "label": "A"}
    files = [dumped(minimal), dumped(plain), b"item_id,plan_id,neyman_label,annotation_id\na,,A,1\n"]
    for content in files:
        rows = read(content).rows
        assert rows["plan_id"].tolist() == [None]
        assert settle(rows, ["a"], "p").labels["label"].tolist() == ["A"]


def test_a_workbook_of_somebodys_own() -> None:
    book = Workbook()
    book.active.append(["nothing here"])
    sheet = book.create_sheet("labels")
    for row in (["item_id", None, "label"], [12, "x", 1], [12.0, "x", True], ["r", None, None], [None, None, None]):
        sheet.append(row)
    stream = io.BytesIO()
    book.save(stream)
    returned = read(stream.getvalue())
    assert returned.source == "xlsx"
    assert rows_of(returned) == [["12", "1", "", ""], ["12", "true", "", ""], ["r", None, "", "empty"]]


def test_json_values_of_every_kind() -> None:
    records = [{"item_id": 7, "label": value} for value in (1, 0.5, True, ["A"], [], None, "", {"value": "A"}, 1.0)]
    labels = [row[1] for row in rows_of(read(dumped(*records)))]
    assert labels == ["1", "0.5", "true", "A", None, None, None, "A", "1"]


def _zip(**members: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"", "is empty"),
        (b" \n", "is empty"),
        (b"[]", "no records"),
        (b"[1, 2]", "not objects"),
        (b"{", "Row 1: This is not JSON"),
        (b'{"item_id": "a", "label": "A"}\n{"item_id"', "Row 2: This is not JSON"),
        (b'{"item_id": "a", "label": "A"}\n  \n{"item_id"', "Row 3: This is not JSON"),
        (b"[" * 100_000, "nested too deeply"),
        (b'[{"item_id": ' + b"9" * 5000 + b"}]", "Row 1: A number has too many digits"),
        (dumped({"question": "?"}), "no labels"),
        (b"id,question\n1,2\n", "no column `label`"),
        (b"thing,label\n1,2\n", "no column `item_id`"),
        (b"item_id,label\n", "no rows"),
        (b"item_id,label,Label\na,,x\n", "several columns “label”"),
        (b"id,item_id,label,id\na,a,x,b\n", "several columns “id”"),
        (b"item_id,annotation_id,verdict,verdict\na,1,x,y\n", "several columns “verdict”"),
        ("item_id,label\né,A\na,".encode() + b"\xff\n", r"Row 3: byte 22 of the file is not UTF-8"),
        (b"PK\x03\x04rubbish", "cannot be read. The zip is damaged"),
        (_zip(a=b"x"), "no column `item_id` and `label`. It has “x”"),
        (_zip(a=b"x", b=b"y"), "is a zip with 2 files: “a”, “b”. Unpack it"),
        (reduce(lambda inner, _: _zip(a=inner), range(5), b"x"), "is a zip within several others"),
        (_zip(**{"xl/workbook.xml": b"x"}), "workbook cannot be read"),
        (gzip.compress(b"item_id,label", mtime=0), "no rows"),
        (gzip.compress(b"item_id,label\na,A\n", mtime=0)[:-9], "The gzip file ends early"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "The file is an image. Choose a filled list"),
        (b"%PDF-1.7\n%abc", "The file is a PDF. Choose a filled list"),
        (b"PAR1\x15\x04", "is a Parquet file"),
        (b'[{"item_id": "a", "label": "A"}]\n[{"item_id": "b", "label": "B"}]', "Several JSON values stand one after"),
        (b'{"item_id": "a", "label": "A"}\n{"item_id": "b"}{"item_id": "c"}', "Row 2: Several JSON values stand one"),
    ],
)
def test_what_is_no_file_of_labels_is_refused(content: bytes, fault: str) -> None:
    with pytest.raises(LabelError, match=f"“my labels.csv”.*{fault}|This {fault}") as caught:
        read(content, "my labels.csv")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("content", "rows"),
    [
        (
            dumped({"item_id": "a", "label": "A"}, {"label": "B"}, {"item_id": [], "label": "B"}),
            [(2, "item_id"), (3, "item_id")],
        ),
        (dumped({"data": {"x": 1}}), [(1, "item_id")]),
        (dumped({"data": {"item_id": "a"}}, 3), [(2, "data")]),
        (dumped({"data": {"item_id": "a"}, "annotations": [3]}), [(1, "annotations")]),
        (dumped({"_task_hash": 1, "accept": ["A"]}), [(1, "item_id")]),
        (dumped({"_task_hash": 1, "accept": ["A"], "item_id": "a"}, 3), [(2, "")]),
        (dumped({"item_id": "a", "label": "A"}, 3), [(2, "")]),
        (b"item_id,label\na,b,c\nd\n", [(2, ""), (3, "")]),
        (b"item_id,neyman_label\na,b,c\nd\n", [(2, ""), (3, "")]),
        (b'item_id,label\n"a,b\n', [(2, "")]),
        (b'item_id,label\n"a\nb",right\nc,"x"y\nd,right\n', [(3, "")]),
        (b'{"item_id": 1e400, "label": "A"}', [(1, "")]),
        (b'{"item_id": "a\\ud800", "label": "A"}', [(1, "item_id")]),
        (b"item_id,label\n" + b"a,b,c\n" * 9, [(row, "") for row in range(2, 7)]),
    ],
)
def test_rows_that_cannot_be_read_are_listed_with_their_fields(content: bytes, rows: list[tuple[int, str]]) -> None:
    with pytest.raises(LabelError, match=r"“my labels\.csv” cannot be read") as caught:
        read(content, "my labels.csv")
    assert faults(caught.value) == rows and "\n" not in str(caught.value)


FAULTS = {
    '{"item_id": "a", "label": "A", "label": "B"}': "“label” appears twice",
    '{"item_id": "a", "label": NaN}': "NaN",
    '{"item_id": 1e400, "label": "A"}': "“1e400” cannot be represented",
    '{"item_id": 12345678901234567.0, "label": "A"}': "“12345678901234567.0” cannot be represented",
    '{"item_id": "a\\ud800", "label": "A"}': "surrogate",
    '{"item_id": "a", "label": "A", "meta": ' + "[" * 100 + "]" * 100 + "}": "nested too deeply",
}


@pytest.mark.parametrize("fault", FAULTS)
def test_what_python_would_change_in_silence_is_refused_by_row(fault: str) -> None:
    content = "\n".join(['{"item_id": "q", "label": "A"}', "", fault, '{"item_id": "r", "label": "A"}', "{"])
    with pytest.raises(LabelError, match=f"Row 3: .*{FAULTS[fault]}.* Row 5: This is not JSON") as caught:
        read(content.encode())
    assert [row for row, _ in faults(caught.value)] == [3, 5]


def test_every_refused_element_of_an_array_is_listed() -> None:
    texts = ['{"item_id": 1, "label": 2}', *(text for text, fault in FAULTS.items() if "deeply" not in fault)]
    with pytest.raises(LabelError) as caught:
        read(f"[{', '.join(texts)}]".encode())
    assert [row for row, _ in faults(caught.value)] == list(range(2, len(texts) + 1))


def test_every_row_that_cannot_be_read_is_in_the_error() -> None:
    with pytest.raises(LabelError) as caught:
        read(b"item_id,label\n" + b"a,b,c\n" * 300)
    assert [problem.row for problem in caught.value.problems] == list(range(2, 202)) and caught.value.total == 300


def test_an_id_of_a_cell_with_half_of_a_surrogate_pair_is_on_no_list() -> None:
    rows = read(b'item_id,label\n"""a\\ud800""",A\nq,B\n').rows
    assert rows["item_id"].tolist() == ['"a\\ud800"', "q"]
    assert settle(rows, ["q", "a"], "p").odd["what"].tolist() == ["foreign id"]


def test_a_label_that_is_an_object_can_be_stored_whatever_it_holds() -> None:
    (row,) = rows_of(read(b'[{"item_id": "q", "label": {"a": "\\ud800"}}]'))
    assert row[1] == '{"a": "?"}'


def test_one_object_over_several_lines_is_one_record() -> None:
    whole = json.dumps({"item_id": "a", "label": "A"}, indent=1).encode()
    assert rows_of(read(whole)) == [["a", "A", "", ""]]
    with pytest.raises(LabelError, match=r"Row 1: .*“label”.* twice"):
        read(whole.replace(b"item_id", b"label"))


@pytest.mark.parametrize("status", ["cancelled", "Rejected ", "ignored", "discarded", "draft", "given up"])
@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_a_status_that_contradicts_its_label_is_odd_and_the_label_does_not_count(status: str, form: str) -> None:
    records = [{"item_id": "a", "label": "A", "status": status}, {"item_id": "b", "label": "B", "status": "done"}]
    content = (
        f"item_id,label,status\na,A,{status}\nb,B,done\n".encode()
        if form == "csv"
        else "\n".join(map(json.dumps, records)).encode()
    )
    settled = settle(read(content).rows, ["a", "b"], "p")
    assert settled.labels["item_id"].tolist() == ["b"] and settled.missing == ("a",)
    assert settled.odd[["what", "item_id", "label"]].values.tolist() == [["contradiction", "a", "A"]]
    assert settled.rows["item_id"].tolist() == ["b"]


def test_too_many_values_are_refused_before_they_are_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.files.jsontext.StrictDecoder._value", None)
    for content in (b"{}\n" * 10_000_001, b"[" + b"{}," * 5_000_000 + b"{}]"):
        with pytest.raises(LabelError, match="more than 10,000,000 values"):
            read(content)


def test_a_workbook_that_unpacks_to_too_much_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.files.sheets._MAX_UNPACKED", 1000)
    with pytest.raises(LabelError, match="unpacks to more"):
        read(_zip(**{"xl/workbook.xml": b"0" * 2000}))


leaves = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=4), st.sampled_from(["A", "q", "cancelled"])
)
keys = st.sampled_from(
    [
        "item_id",
        "id",
        "plan_id",
        "label",
        "data",
        "annotations",
        "result",
        "from_name",
        "type",
        "value",
        "choices",
        "text",
        "was_cancelled",
        "completed_by",
        "fields",
        "metadata",
        "responses",
        "neyman_label",
        "neyman_label.responses",
        "neyman_label.responses.users",
        "options",
        "alias",
        "user_id",
        "neyman_label.responses.status",
        "_server_id",
        "accept",
        "answer",
        "_task_hash",
        "annotation_id",
        "annotator",
        "note",
        "status",
    ]
)
trees = st.recursive(
    leaves,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(keys, inner, max_size=6)),
    max_leaves=25,
)


def either_way(content: bytes) -> None:
    """A valid result, which can be settled, or a LabelError: nothing else."""
    try:
        returned = read(content)
        assert len(returned.rows) and all(isinstance(item, str) for item in returned.rows["item_id"])
        assert all(label is None or (isinstance(label, str) and label) for label in returned.rows["label"])
        settled = settle(returned.rows, ["q", "A", ""], "p", "gold", [["x", "y"], None, None])
        assert len(settled.labels) + len(settled.missing) == 3
        str(settled.sentences).encode()
    except LabelError as error:
        assert "\n" not in str(error)


@given(st.lists(trees, max_size=3), st.booleans())
@settings(max_examples=max(100, settings().max_examples))
def test_any_json_is_labels_or_an_error(records: list[Any], lines: bool) -> None:
    either_way("\n".join(map(json.dumps, records)).encode() if lines else json.dumps(records).encode())


@given(st.dictionaries(keys, trees, max_size=8).map(lambda record: {"item_id": "q", "plan_id": "p", **record}))
def test_any_record_of_ours_is_labels_or_an_error(record: dict[str, Any]) -> None:
    either_way(json.dumps([record]).encode())
    either_way(json.dumps([{"data": record, "annotations": record.get("annotations", [])}]).encode())


@given(
    st.binary(max_size=60),
    st.sampled_from([b"", b"item_id,label\n", b"PK\x03\x04", b"\xff\xfe", b"[{", b"\xef\xbb\xbf"]),
)
@settings(max_examples=max(100, settings().max_examples))
def test_any_bytes_are_labels_or_an_error(content: bytes, head: bytes) -> None:
    either_way(head + content)


@given(st.integers(0, 10**6), st.integers(0, 255))
@settings(max_examples=max(30, settings().max_examples))
def test_a_damaged_workbook_is_labels_or_an_error(place: int, byte: int) -> None:
    content = bytearray(_workbook())
    content[place % len(content)] = byte
    either_way(bytes(content))
    either_way(bytes(content[: place % len(content)]))


def _workbook() -> bytes:
    book = Workbook()
    for row in (["item_id", "label"], ["q", "A"]):
        book.active.append(row)
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


@pytest.mark.parametrize("name", ["label 2", "Second label", "Ben", "verdict", "Urteil"])
@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_a_second_column_of_labels_is_told_whatever_it_is_called(name, form):
    given = pd.DataFrame({"item_id": ["a", "b", "c"], "label": ["A", "B", "A"], name: ["B", "B", "A"]})
    returned = read(as_file(given, form))
    (note,) = returned.notes
    assert f"“{name.lower()}” (3 labels) is not read" in note and returned.rows["label"].tolist() == ["A", "B", "A"]
    assert read(as_file(given.assign(**{name: ["richtig", "falsch", None]}), form)).notes != ()


@pytest.mark.parametrize("values", [["easy", "hard", "easy"], [None, None, None], ["x", "x", "y"], [0.1, 0.2, 0.3]])
@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_a_column_about_the_items_is_none_of_labels(values, form):
    given = pd.DataFrame({"item_id": ["a", "b", "c"], "label": ["A", "B", "A"], "difficulty": values})
    assert read(as_file(given, form)).notes == ()


NUMBERS = [str(7 * number) for number in range(60)]
ANNS = [*NUMBERS[:50], *["3"] * 10]
WORDS = ["Rome", "Oslo", "Bonn", "Paris", "Bern", "Rome"]


@pytest.mark.parametrize("form", ["csv", "jsonl", "xlsx"])
@pytest.mark.parametrize(
    ("name", "labels", "other", "said"),
    [
        ("Ben", NUMBERS, ANNS, 60),
        ("Ben", NUMBERS, [f"{number}.0" for number in ANNS], 60),
        ("Ben", WORDS, ["rome", "Oslo", "Bonn.", "Lyon", "Bern", None], 5),
        # He has labelled what the other has not.
        ("Ben", [*WORDS[:4], None, None], WORDS, 6),
        (None, WORDS, ["rome", "Oslo", "Bonn", "Lyon", "Bern", None], 5),
        # A copy changes nothing.
        ("Ben", NUMBERS, NUMBERS, 0),
        ("Ben", NUMBERS, [*NUMBERS[:55], *[None] * 5], 0),
        # Answers of a model, and what is about the items.
        ("model answer", NUMBERS, ANNS, 0),
        ("gpt-4o", NUMBERS, ANNS, 0),
        ("seconds", NUMBERS, NUMBERS[::-1], 0),
        ("steps", ["1", "2", "1", "3", "2", "4"] * 4, ["1", "1", "2", "3", "1", "1", "5", "2"] * 3, 0),
        (None, WORDS, ["one note", None, None, None, None, None], 0),
    ],
)
def test_right_answers_of_another_person_are_told(form, name, labels, other, said):
    ids = [f"q{number}" for number in range(len(labels))]
    given = pd.DataFrame({"item_id": ids, "label": labels, name or "": other})
    if form == "jsonl" and name is None:
        return
    notes = read(as_file(given, form)).notes
    named = f"“{name.lower()}”" if name else "“C (no heading)”"
    assert [note.startswith(f"Column {named} ({said} labels) is not read, only “label”.") for note in notes] == (
        [True] * bool(said)
    )


@pytest.mark.parametrize("percent", [False, True])
def test_what_stands_right_of_the_columns_of_a_workbook_is_no_row(percent):
    """A legend beside the list has no item; of a sheet that is written again, nothing is cut."""
    book, stream = Workbook(), io.BytesIO()
    rows = [["item_id", "label"], ["a", "r", None, "r = right"], ["b", "w", None, "w = wrong"], [None, None, None, "x"]]
    for row in rows:
        book.active.append(row)
    if percent:
        book.active["B2"], book.active["B2"].number_format = 1, "0%"
    book.save(stream)
    returned = read(stream.getvalue())
    assert returned.rows["item_id"].tolist() == ["a", "b"]
    assert not any("heading" in note for note in returned.notes)


def test_no_column_that_the_list_itself_has_is_one_of_labels():
    names = ["position", "group", "target_answer", "stratum", "kind", "target", "source"]
    given = pd.DataFrame({"item_id": ["a", "b"], "label": ["A", "B"], **{name: ["B", "A"] for name in names}})
    assert read(as_file(given, "csv")).notes == ()


def as_file(table, form):
    if form == "xlsx":
        book, stream = Workbook(), io.BytesIO()
        for row in [[name or None for name in table.columns], *table.to_numpy(dtype=object).tolist()]:
            book.active.append(row)
        book.save(stream)
        return stream.getvalue()
    text = table.to_csv(index=False) if form == "csv" else table.to_json(orient="records", lines=True)
    return text.encode()


@pytest.mark.parametrize(("ids", "label"), [("task", "result"), ("Case", "passed"), ("item_id", "verdict")])
def test_results_that_somebody_wrote_are_read_by_the_names_of_their_columns(ids: str, label: str) -> None:
    """A table of tasks and results was refused for want of `item_id` and `label`."""
    file = read(f"{ids},run,{label}\nt1,7,pass\nt2,8,fail\n".encode())
    assert file.rows["item_id"].tolist() == ["t1", "t2"] and file.rows["label"].tolist() == ["pass", "fail"]
    assert any(f"“{label}” is read as the label" in note for note in file.notes)
    with pytest.raises(LabelError, match="has no column"):
        read(f"{ids},result,verdict\nt1,pass,fail\n".encode())
    coded = read(f"case_ref,seconds,{label}\nC-1,7,pass\nC-2,7,fail\n".encode())
    assert coded.rows["item_id"].tolist() == ["C-1", "C-2"] and "“case_ref” is read as the item’s id" in coded.notes[-1]
    with pytest.raises(LabelError, match="has no column `item_id`"):
        read(f"case_ref,seconds,{label}\nC-1,7,pass\nC-1,7,fail\n".encode())
    own = read(f"{ids if ids != 'item_id' else 'case'},item_id,label,{label}\nx,t1,right,wrong\n".encode())
    assert own.rows["item_id"].tolist() == ["t1"] and own.rows["label"].tolist() == ["right"]


@pytest.mark.parametrize(
    "table",
    [
        "item_id,outcome,your label\nt1,1,right\nt2,1,wrong\n",
        "item_id,grade,human_label\nt1,1,right\nt2,1,wrong\n",
        "item_id,correct,human_label\nt1,B,right\nt2,C,wrong\n",
        "item_id,correct\nt1,B\nt2,C\n",
        "item_id,result,anna_says\nt1,The answer is 7,right\nt2,It is 8,wrong\n",
    ],
)
def test_a_column_of_results_is_no_label_beside_labels_or_if_it_holds_answers(table: str) -> None:
    with pytest.raises(LabelError, match="no column `label`"):
        read(table.encode())


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_columns_of_criteria_are_labels_that_are_read(form):
    given = pd.DataFrame(
        {"item_id": ["a", "b"], "label: helpful": ["right", "wrong"], "label: safe": ["wrong", "right"]}
    )
    returned = read(as_file(given, form))
    assert returned.notes == () and len(returned.rows) == 4
    with pytest.raises(LabelError, match="and in “label”, which would count for every criterion"):
        read(as_file(given.assign(label="right"), form))


@pytest.mark.parametrize("form", ["csv", "jsonl"])
@pytest.mark.parametrize("status", ["withdrawn", "Deleted", "invalid", "needs review", "duplicate", "canceled"])
def test_a_label_beside_a_status_that_is_not_known_counts_and_is_remarked(status, form):
    given = pd.DataFrame({"item_id": ["a", "b"], "label": ["right", "wrong"], "status": [status, None]})
    returned = read(as_file(given, form))
    (note,) = returned.notes
    assert f"does not know (“{status}”): it counts" in note and returned.rows["status"].tolist() == ["", ""]
    for known in ("completed", "submitted", "skipped"):
        assert read(as_file(given.assign(status=known), form)).notes == ()
    assert read(as_file(given.assign(label=[None, "wrong"]), form)).notes == ()


@pytest.mark.parametrize("form", ["csv", "jsonl"])
@pytest.mark.parametrize(("text", "noted"), [("1.23457E+11", True), ("1,2E+10", True), ("1e5", False), ("1.5", False)])
def test_a_number_that_a_spreadsheet_shortened_is_remarked(text, noted, form):
    given = pd.DataFrame({"item_id": ["a"], "label": [text]})
    assert any("shortens long ones" in note for note in read(as_file(given, form)).notes) == noted


@pytest.mark.parametrize("form", ["csv", "jsonl"])
@pytest.mark.parametrize(
    ("one", "other", "says"),
    [
        (["right", "wrong"], ["wrong", "right"], True),
        ([1, 0], [1, 1], True),
        ([0.5, 1], [0.25, 0], True),
        (["richtig", "falsch"], ["falsch", None], True),
        (["Rome", "Oslo"], ["Rome", "Bern"], False),
    ],
)
def test_a_list_with_a_column_a_person_is_refused_with_what_to_do(one, other, says, form):
    given = pd.DataFrame({"item_id": ["a", "b"], "anna": one, "bob": other})
    with pytest.raises(LabelError) as refused:
        read(as_file(given, form))
    assert ("“anna” and “bob” are labels of several people, write a row" in str(refused.value)) == says


@pytest.mark.parametrize("more", [{}, {"annotator": "1", "lead_time": "3.2"}])
def test_a_list_with_a_column_annotation_id_is_read(more):
    given = pd.DataFrame(
        {
            "position": ["1", "2"],
            "item_id": ["'=7", "b"],
            "plan_id": "p",
            "group": "g",
            "prompt": ["Who?", "When?"],
            "image": None,
            "target_answer": ["Ann", "Then"],
            "label": ["right", "wrong"],
            "annotation_id": ["1", "2"],
            **more,
        }
    )
    returned = read(as_file(given, "csv"))
    assert returned.rows["label"].tolist() == ["right", "wrong"] and returned.rows["item_id"].tolist() == ["=7", "b"]
    (note,) = read(as_file(given.assign(label2="right"), "csv")).notes
    assert note.startswith("Column “label2” (2 labels) is not read, only “label”.")
    with pytest.raises(LabelError, match="in the columns “choice” or “second”: rename"):
        read(as_file(given.rename(columns={"label": "choice"}).assign(second="right"), "csv"))


@pytest.mark.parametrize("title", ["Grading in June,,\n", "Grading in June\n\nby Ann,,\n", "Grading\n,,\n"])
@pytest.mark.parametrize(
    "names", ["item_id,label,annotator", "ID,Label", "id,Verdict?", "item_id,label: safe,label: kind"]
)
@pytest.mark.parametrize("form", ["csv", "xlsx"])
def test_a_title_above_the_names_of_the_columns_is_named(title, names, form):
    row = title.count("\n") + 1
    content = f"{title}{names}\na,right,right\n".encode()
    if form == "xlsx":
        book, stream = Workbook(), io.BytesIO()
        for line in content.decode().splitlines():
            book.active.append([cell or None for cell in line.split(",")])
        book.save(stream)
        content = stream.getvalue()
    with pytest.raises(
        LabelError, match=f"Row {row} names the columns, which the first row has to do: remove the rows"
    ):
        read(content)


def test_a_file_without_names_of_columns_is_not_said_to_have_a_title():
    with pytest.raises(LabelError) as refused:
        read(b"x,y\nlabel,right\nid,wrong\n")
    assert "names the columns" not in str(refused.value)


@pytest.mark.parametrize("form", ["csv", "jsonl"])
@pytest.mark.parametrize("column", ["annotator", "note"])
@pytest.mark.parametrize(("right", "wrong"), [("right", "wrong"), ("Yes", "No"), ("pass", "fail"), ("✓", "✗")])
def test_verdicts_in_the_column_beside_that_of_the_labels_are_remarked(right, wrong, column, form):
    given = pd.DataFrame({"item_id": ["a", "b", "c"], "label": None, "annotator": None, "note": None})
    (note,) = read(as_file(given.assign(**{column: [right, wrong, None]}), form)).notes
    first = {"csv": 2, "jsonl": 1}[form]
    assert note == (
        f"2 rows without a label have a verdict in the column {column}, such as “{right}” (rows {first}, {first + 1}). "
        "It does not count there: write it in the column label."
    )
    some = given.assign(label=["right", None, "wrong"], **{column: [None, wrong, None]})
    (note,) = read(as_file(some, form)).notes
    assert note.startswith(f"1 row without a label has a verdict in the column {column}, such as “{wrong}” (row ")


@pytest.mark.parametrize("form", ["csv", "jsonl"])
@pytest.mark.parametrize("name", ["Ann", "1", "A", "unsure", "see mail", None])
def test_names_and_notes_beside_blank_labels_are_no_verdicts(name, form):
    given = pd.DataFrame({"item_id": ["a", "b"], "label": ["right", None], "annotator": name, "note": name})
    assert read(as_file(given, form)).notes == ()
    sai = given.assign(annotator="Sai", note=None)
    assert read(as_file(sai, form)).notes == ()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("item_id,label,final\n1,7,\n2,,8\n3,9,\n4,,5", "Column “final” (2 labels) is not read, only “label”."),
        ("item_id,label,comment\n1,7,\n2,,odd\n3,9,\n4,,", ""),
        ("item_id,label,corrected\n1,7,8\n2,8,", "Column “corrected” (1 label) is not read, only “label”."),
        ("item_id,label,Final answer\n1,Rome,Bonn\n2,Bonn,", "Column “final answer” (1 label) is not read, only"),
        ("item_id,label,exclude\n1,right,x\n2,wrong,", "1 label stands beside “x” in the column “exclude”"),
        ("item_id,label,skip\n1,right,1\n2,wrong,0", "1 label stands beside “1” in the column “skip”"),
        (
            "item_id,label,Ignore\n1,right,yes\n2,no,yes",
            "2 labels stand beside “yes” in the column “ignore”, which leaves none",
        ),
        ("item_id,label,cannot judge\n1,7,x\n2,8,", "To leave a label out, empty it, or write rejected in a column"),
        ("item_id,label,comment\n1,7,Exclude\n2,8,good", "1 label stands beside “Exclude” in the column “comment”"),
        ("item_id,label,exclude,skip\n1,right,no,0\n2,wrong,n/a,", ""),
        ("item_id,label,comment\n1,7,x\n2,8,skip the first word", ""),
        ("item_id,label,exclude\n1,7,\n2,,x", ""),
        ('{"item_id": "1", "label": "right", "exclude": true}', "1 label stands beside “true” in the column “exclude”"),
        ("item_id,label (Ann),label (Bob)\n1,right,wrong", "call them “label: ann” and “label: bob”."),
        ("item_id,label [Ann]\n1,right", "call it “label: ann”."),
        ('{"q1": "right", "q2": "wrong"}', "If it maps ids to labels, write a record for each"),
    ],
)
def test_columns_of_labels_are_named_as_they_are(content: str, said: str) -> None:
    try:
        found = " ".join(read(content.encode()).notes)
    except LabelError as error:
        found = str(error)
    assert said in found if said else found == ""
    assert "several people" not in found or "Bob" in content


def test_a_lists_own_columns_are_no_labels_of_label_studio() -> None:
    own = {"item_id": "q", "choices": ["a", "b"], "target_answer": "a", "annotation_id": 1, "lead_time": 2.0}
    tasks = [{**own, "id": n, "annotator": 1, "quality": "right"} for n in range(3)]
    assert read(json.dumps(tasks).encode()).rows["label"].tolist() == ["right"] * 3


@pytest.mark.parametrize(("runs", "later"), [("12", "1 label may"), ("22", "2 labels may"), ("11", None), ("ab", None)])
def test_labels_of_later_runs_are_not_read_as_the_first_without_a_word(runs: str, later: str | None) -> None:
    rows = [{"item_id": name, "run": run, "label": "1"} for name, run in zip("ab", runs, strict=True)]
    table = "item_id,run,label\n" + "".join(f"{row['item_id']},{row['run']},1\n" for row in rows)
    for content in (table, "\n".join(map(json.dumps, rows))):
        notes = [note for note in read(content.encode()).notes if "column `run`" in note]
        assert len(notes) == (later is not None) and all(str(later) in note for note in notes)
