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
from core.labels.rows import spelled
from core.readers import read as read_pool
from tests.core.labels.conftest import NOON, faults


def table(items: list[Any], given: list[Any], **more: list[Any]) -> pd.DataFrame:
    return pd.DataFrame({"item_id": items, "label": given, **more}, dtype=object)


VALUES = [1, 0.5, 2.0, True, np.int64(3), np.float64(0.25), np.bool_(False), "x", None, float("nan"), pd.NA]
TEXTS = ["1", "0.5", "2", "true", "3", "0.25", "false", "x"]


def test_numbers_and_truth_values_are_kept_as_text_and_only_once(archive: Archive) -> None:
    rows = table(list(range(len(VALUES))), VALUES, note=VALUES[::-1])
    assert archive.labels.save("p", rows, NOON) == len(TEXTS)
    assert archive.labels.save("p", rows, NOON) == 0
    stored = archive.labels.of("p")
    assert stored["item_id"].tolist() == [str(number) for number in range(len(TEXTS))]
    assert stored["label"].tolist() == TEXTS
    assert stored["note"].tolist()[3:] == TEXTS[::-1][:5]


def test_numbers_and_truth_values_count_as_text() -> None:
    rows = pd.DataFrame({"item_id": [1, 2, 3], "label": [1.0, 0.0, 1.0]})
    settlement = settle(rows, [1, 2, 3, 4], "p", "right-wrong")  # type: ignore[list-item]
    assert settlement.labels["label"].tolist() == ["right", "wrong", "right"]
    assert settlement.missing == ("4",)
    assert settlement.rows["label"].tolist() == ["1", "0", "1"]
    assert settle(rows.assign(label=[True, False, True]), ["1", "2", "3"], "p", "right-wrong").missing == ()
    assert settle(table([1, "1"], [5, "6"]), ["1"], "p", decisions={"1": 6}).labels["label"].tolist() == ["6"]  # type: ignore[dict-item]
    odd = settle(table(["a", "b"], ["x", 7]).astype({"label": object}), ["a", "b"], "p", "right-wrong").odd
    assert odd["label"].tolist() == ["x", "7"]


WRONG: list[tuple[pd.DataFrame, list[tuple[int, str]]]] = [
    (table(["a", None, "c", float("nan")], ["x"] * 4), [(2, "item_id"), (4, "item_id")]),
    (table([True, "b"], ["x"] * 2), [(1, "item_id")]),
    (table(["a", "b"], ["x", ["y", "z"]]), [(2, "label")]),
    (table(["a"], [date(2026, 2, 1)]), [(1, "label")]),
    (table(["a"], ["x"], note=[{"a": 1}]), [(1, "note")]),
    (table(["a", "\ud800"], ["x", "y"], row=[7, 9]), [(9, "item_id")]),
    (table([float("inf")], ["x"]), [(1, "item_id")]),
    (table([None] * 9, ["x"] * 9), [(row, "item_id") for row in range(1, 6)]),
]


@pytest.mark.parametrize(("rows", "listed"), WRONG)
def test_rows_that_are_no_labels_are_listed_and_nothing_is_kept(
    archive: Archive, rows: pd.DataFrame, listed: list[tuple[int, str]]
) -> None:
    for work in (lambda: archive.labels.save("p", rows, NOON), lambda: settle(rows, ["a", "b"], "p")):
        with pytest.raises(LabelError) as caught:
            work()
        assert faults(caught.value) == listed
        assert ("4 more rows" in str(caught.value)) == (len(rows) == 9)
    assert archive.labels.of("p").empty


@pytest.mark.parametrize(
    ("rows", "fault"),
    [
        (pd.DataFrame({"id": ["a"], "answer": ["x"]}), "no column `item_id` and `label`.*“id”, “answer”"),
        (pd.DataFrame([["a", "x", "y"]], columns=["item_id", "label", "label"]), "two columns `label`"),
    ],
)
def test_a_table_without_the_columns_of_labels_is_refused(archive: Archive, rows: pd.DataFrame, fault: str) -> None:
    with pytest.raises(LabelError, match=fault):
        archive.labels.save("p", rows, NOON)
    with pytest.raises(LabelError, match=fault):
        settle(rows, ["a", "b"], "p")
    assert archive.labels.of("p").empty


def test_halves_of_surrogate_pairs_in_labels_are_replaced_as_in_files(archive: Archive) -> None:
    archive.labels.save("p", table(["a"], ["x\ud800"], note=["\udfff"]), NOON)
    assert archive.labels.of("p")[["label", "note"]].values.tolist() == [["x?", "?"]]


def test_as_many_lists_of_options_as_items() -> None:
    with pytest.raises(LabelError, match="1 list of options for 2 items"):
        settle(table(["a"], ["x"]), ["a", "b"], "p", choices=[["x", "y"]])
    with pytest.raises(LabelError, match="Item id 2 "):
        settle(table(["a"], ["x"]), ["a", None], "p")  # type: ignore[list-item]


def test_an_empty_table_is_no_fault(archive: Archive) -> None:
    assert settle(pd.DataFrame(), ["a"], "p").missing == ("a",)
    assert archive.labels.save("p", pd.DataFrame(), NOON) == 0


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_a_list_of_kept_labels_says_their_kind_and_why_there_is_none(ending: str) -> None:
    rows = [
        {"item_id": "a", "label": "A", "kind": "gold", "status": ""},
        {"item_id": "b", "label": "right", "kind": "right-wrong", "status": "skipped"},
        {"item_id": "c", "label": "", "kind": "a kind of item", "status": "given up"},
        {"item_id": "d", "label": "", "kind": "", "status": "open"},
    ]
    text = pd.DataFrame(rows).to_csv(index=False) if ending == "csv" else "\n".join(map(json.dumps, rows))
    read_rows = read(text.encode()).rows
    assert read_rows["kind"].tolist() == ["gold", "right-wrong", None, None]
    assert read_rows["status"].tolist() == ["", "", "given up", "empty"], "a label counts, whatever stood there before"


def test_labels_of_nobody_stay_nobody_s() -> None:
    pool = read(b"item_id,label,annotator\na,1,(no name)\nb,1,(pool)\n")
    assert pool.rows["annotator"].tolist() == ["(no name)", ""] and len(pool.notes) == 1


def test_whole_ids_with_a_fraction_are_those_of_the_pool_unless_it_has_such_ids(tmp_path: Path) -> None:
    path = tmp_path / "pool.jsonl"
    path.write_text("\n".join(json.dumps({"id": name, "prompt": "?"}) for name in ("0", "1", "2.0", "2", "x.0")))
    rows = table(["0.0", "1.00", "2.0", "1.5", "x.0", "7.0", "1"], ["a"] * 7)
    assert spelled(rows, read_pool(path))["item_id"].tolist() == ["0", "1", "2.0", "1.5", "x.0", "7.0", "1"]
