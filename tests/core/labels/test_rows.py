"""Tables of labels from anywhere: numbers and truth values count as text, anything else is told with its rows."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from core.archive import Archive
from core.errors import LabelError
from core.labels import read, settle

NOON = "2026-11-20T12:00:00+00:00"


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    return Archive(tmp_path)


def table(items: list[Any], given: list[Any], **more: list[Any]) -> pd.DataFrame:
    return pd.DataFrame({"item_id": items, "label": given, **more}, dtype=object)


VALUES = [1, 0.5, 2.0, True, np.int64(3), np.float64(0.25), np.bool_(False), "x", None, float("nan"), pd.NA]
TEXTS = ["1", "0.5", "2", "true", "3", "0.25", "false", "x"]


def test_numbers_and_truth_values_are_kept_as_text_and_only_once(archive: Archive) -> None:
    rows = table(list(range(len(VALUES))), VALUES, note=VALUES[::-1])
    assert archive.save_labels("p", rows, NOON) == len(TEXTS)
    assert archive.save_labels("p", rows, NOON) == 0
    kept = archive.labels("p")
    assert kept["item_id"].tolist() == [str(number) for number in range(len(TEXTS))]
    assert kept["label"].tolist() == TEXTS
    assert kept["note"].tolist()[3:] == TEXTS[::-1][:5]


def test_numbers_and_truth_values_count_as_text() -> None:
    rows = pd.DataFrame({"item_id": [1, 2, 3], "label": [1.0, 0.0, 1.0]})
    found = settle(rows, [1, 2, 3, 4], "p", "right-wrong")  # type: ignore[list-item]
    assert found.labels["label"].tolist() == ["right", "wrong", "right"]
    assert found.missing == ("4",)
    assert found.rows["label"].tolist() == ["1", "0", "1"]
    assert settle(rows.assign(label=[True, False, True]), ["1", "2", "3"], "p", "right-wrong").missing == ()
    assert settle(table([1, "1"], [5, "6"]), ["1"], "p", decisions={"1": 6}).labels["label"].tolist() == ["6"]  # type: ignore[dict-item]
    odd = settle(table(["a", "b"], ["x", 7]).astype({"label": object}), ["a", "b"], "p", "right-wrong").odd
    assert odd["label"].tolist() == ["x", "7"]


WRONG: list[tuple[pd.DataFrame, str]] = [
    (table(["a", None, "c", float("nan")], ["x"] * 4), r"row 2: there is no item_id; row 4: there is no item_id\."),
    (table([True, "b"], ["x"] * 2), "row 1: item_id is neither text nor a number"),
    (table(["a", "b"], ["x", ["y", "z"]]), "row 2: label is neither text nor a number"),
    (table(["a"], [date(2026, 2, 1)]), "row 1: label is neither text nor a number"),
    (table(["a"], ["x"], note=[{"a": 1}]), "row 1: note is neither text nor a number"),
    (table(["a", "\ud800"], ["x", "y"], row=[7, 9]), "row 9: item_id holds half a surrogate pair"),
    (table([float("inf")], ["x"]), "row 1: item_id is neither"),
    (table([None] * 9, ["x"] * 9), r"row 5: there is no item_id \(4 more rows like these\)\. Nothing was kept"),
    (pd.DataFrame({"id": ["a"], "answer": ["x"]}), "no column “item_id” and “label” \\(it has “id”, “answer”\\)"),
    (pd.DataFrame([["a", "x", "y"]], columns=["item_id", "label", "label"]), "two columns “label”"),
]


@pytest.mark.parametrize(("rows", "told"), WRONG)
def test_what_is_no_label_is_told_and_nothing_is_kept(archive: Archive, rows: pd.DataFrame, told: str) -> None:
    with pytest.raises(LabelError, match=told):
        archive.save_labels("p", rows, NOON)
    with pytest.raises(LabelError, match=told):
        settle(rows, ["a", "b"], "p")
    assert archive.labels("p").empty


def test_halves_of_surrogate_pairs_in_labels_are_replaced_as_in_files(archive: Archive) -> None:
    archive.save_labels("p", table(["a"], ["x\ud800"], note=["\udfff"]), NOON)
    assert archive.labels("p")[["label", "note"]].values.tolist() == [["x?", "?"]]


def test_as_many_lists_of_options_as_items() -> None:
    with pytest.raises(LabelError, match="There are 1 lists of options for 2 items: give one for each"):
        settle(table(["a"], ["x"]), ["a", "b"], "p", choices=[["x", "y"]])
    with pytest.raises(LabelError, match="Id 2 of the list is no text"):
        settle(table(["a"], ["x"]), ["a", None], "p")  # type: ignore[list-item]


def test_an_empty_table_is_no_fault(archive: Archive) -> None:
    assert settle(pd.DataFrame(), ["a"], "p").missing == ("a",)
    assert archive.save_labels("p", pd.DataFrame(), NOON) == 0


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_a_list_of_kept_labels_says_their_kind_and_why_there_is_none(ending: str) -> None:
    rows = [
        {"item_id": "a", "label": "A", "kind": "gold", "status": ""},
        {"item_id": "b", "label": "right", "kind": "right-wrong", "status": "skipped"},
        {"item_id": "c", "label": "", "kind": "a kind of item", "status": "given up"},
        {"item_id": "d", "label": "", "kind": "", "status": "open"},
    ]
    text = pd.DataFrame(rows).to_csv(index=False) if ending == "csv" else "\n".join(map(json.dumps, rows))
    found = read(text.encode()).rows
    assert found["kind"].tolist() == ["gold", "right-wrong", None, None]
    assert found["status"].tolist() == ["", "", "given up", "empty"], "a label counts, whatever stood there before"


def test_labels_of_nobody_stay_nobody_s() -> None:
    found = read(b"item_id,label,annotator\na,1,(no name)\nb,1,(pool)\n")
    assert found.rows["annotator"].tolist() == ["(no name)", ""] and len(found.notes) == 1
