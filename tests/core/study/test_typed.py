"""Right answers as people type them: with units, signs, letters for zeros, lost zeros, and letters of other options."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import openpyxl
import pandas as pd
import pytest
from openpyxl.styles import Font

import neyman
from core.design import Plan
from core.errors import NeymanError
from core.pool import Pool

CASES = Path(__file__).parents[2] / "cases" / "labels"
TYPED, CRITERIA, FAULTS = (
    [json.loads(line) for line in (CASES / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]
    for name in ("typed", "criteria", "faults")
)
TOWNS = ["Rome", "Oslo", "Bonn", "Lima"]


def plan_of(case: dict[str, Any]) -> Plan:
    records = []
    for place in range(40):
        right, other = (written(case["gives"], number) for number in (place, place + 1))
        said = {"M": {"answer": right if place % 3 else other}}
        record = {"id": f"q{place}", "generations": [right, other], "targets": said, "answer_kind": case.get("kind")}
        records.append(record | ({"choices": TOWNS} if "shows" in case else {}))
    return neyman.Design(24).draw(Pool.from_records(records, "typed"), seed=0)


def written(text: str, place: int) -> str:
    return text.format(n=place % 9 + 1, letter="ABCD"[place % 4], town=TOWNS[place % 4])


def listed(case: dict[str, Any], plan: Plan) -> bytes:
    stream = io.StringIO()
    writer = csv.writer(stream)
    shows = ["\n".join(case["shows"])] if "shows" in case else []
    writer.writerow(["item_id", *["choices"] * len(shows), "label"])
    for row, item in enumerate(map(str, plan.ids)):
        label = case["odd"] if "odd" in case and row == 3 else written(case["typed"], int(item[1:]))
        writer.writerow([item, *shows, label])
        if "second" in case:
            writer.writerow([item, *shows, written(case["second"], int(item[1:]))])
    return stream.getvalue().encode()


@pytest.mark.parametrize("case", TYPED, ids=lambda case: case["name"])
def test_a_typed_answer_is_read_with_a_word_or_asked_about(case: dict[str, Any]) -> None:
    plan = plan_of(case)
    content = listed(case, plan)
    if "refused" not in case:
        said = repr(neyman.labelled(plan, content, "M", "gold"))
        assert case.get("says", "") in said and case.get("silent", "\0") not in said
        return
    with pytest.raises(NeymanError) as refused:
        neyman.labelled(plan, content, "M", "gold").estimate()
    assert case["refused"] in str(refused.value)
    # What is offered to type ends in a number.
    for offer in re.findall(r"words=(\{.*?\}) in Python", str(refused.value)):
        neyman.labelled(plan, content, "M", "gold", words=json.loads(offer)).estimate()


@pytest.mark.parametrize("case", CRITERIA, ids=lambda case: case["name"])
def test_labels_of_several_criteria_have_a_word(case: dict[str, Any]) -> None:
    plan, values = plan_of(TYPED[0]), case["values"]
    rows = [(str(item), values[row % len(values)], "right") for row, item in enumerate(plan.ids)]
    frame = pd.DataFrame(rows, columns=["item_id", case["column"], "label"])
    for file in (frame, frame.to_csv(index=False).encode()):
        said = repr(neyman.labelled(plan, file, "M", "right-wrong"))
        assert case.get("says", "") in said and ("answers to one question" in said) == ("says" in case)


@pytest.mark.parametrize("case", FAULTS, ids=lambda case: case["name"])
def test_faults_beside_labels_that_say_right_have_a_word(case: dict[str, Any]) -> None:
    plan = plan_of(TYPED[0])
    rows = [(str(item), *case["rows"][row % len(case["rows"])]) for row, item in enumerate(plan.ids)]
    frame = pd.DataFrame(rows, columns=["item_id", "label", case["column"]])
    for file in (frame, frame.to_csv(index=False).encode(), frame.to_json(orient="records").encode()):
        said = repr(neyman.labelled(plan, file, "M", "right-wrong"))
        assert ("If the labels mean the opposite" in said) == case["doubted"], said


@pytest.mark.parametrize("columns", [["item_id", None], ["item_id", "note", None], ["item_id", None, "note"]], ids=str)
def test_labels_below_no_heading_are_named_by_their_letter(columns: list[str | None]) -> None:
    plan, letter = plan_of(TYPED[0]), "ABC"[columns.index(None)]
    book, text = openpyxl.Workbook(), io.StringIO()
    for row in [columns, *([{"item_id": str(item), None: "right"}.get(name) for name in columns] for item in plan.ids)]:
        book.active.append(row)
        csv.writer(text).writerow(row)
    book.save(stream := io.BytesIO())
    for content in (stream.getvalue(), text.getvalue().encode()):
        with pytest.raises(NeymanError, match=rf"If “{letter} \(no heading\)” holds the labels"):
            neyman.labelled(plan, content, "M", "right-wrong")


def workbook(plan: Plan, struck: list[str], right: object, wrong: object) -> bytes:
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(["item_id", "label", "note"])
    for place, item in enumerate(plan.ids):
        sheet.append([str(item), right if place % 3 else wrong, "seen"])
    sheet.merge_cells("C2:C4")
    for name in struck:
        sheet[name].font = Font(strike=True)
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


@pytest.mark.parametrize(("right", "wrong"), [("right", "wrong"), (1, 0), (True, False)])
@pytest.mark.parametrize(("struck", "rows"), [(["B5"], "5"), (["A7", "B7", "C7"], "7"), (["B6", "B9"], "6, 9")])
def test_what_is_struck_through_is_withdrawn(struck: list[str], rows: str, right: object, wrong: object) -> None:
    plan = plan_of(TYPED[0])
    study = neyman.labelled(plan, workbook(plan, struck, right, wrong), "M", "right-wrong")
    gone = len({name[1:] for name in struck})
    assert f"{24 - gone} labels, {gone} without a verdict" in repr(study)
    assert f"struck through in this workbook (row{'s' * (gone > 1)} {rows})" in repr(study)
    alone = [line for line in repr(study).splitlines() if line.startswith("Accuracy")]
    blank = workbook(plan, [], right, wrong)
    assert alone != repr(neyman.labelled(plan, blank, "M", "right-wrong")).splitlines()[:1]


def test_a_line_through_other_cells_withdraws_nothing() -> None:
    plan = plan_of(TYPED[0])
    said = repr(neyman.labelled(plan, workbook(plan, ["C5", "B40"], "right", "wrong"), "M", "right-wrong"))
    assert "24 labels (right or wrong)" in said and "struck" not in said
