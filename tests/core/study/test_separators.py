"""Numbers with a comma or a point before three digits: either reading is remarked unless answers confirm it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pandas as pd
import pytest

import neyman
from core.errors import LabelError
from core.study import Study

NUMBERS = [1000 + 37 * number for number in range(20)]
DECIMALS = [f"{number / 1000:.3f}" for number in NUMBERS]


def study(folder: Path, answers: list[str], labels: list[str], kind: str, answer_kind: str | None = "number") -> Study:
    path = folder / "pool.jsonl"
    facts = {} if answer_kind is None else {"answer_kind": answer_kind}
    rows = [
        {"id": f"q{number}", "prompt": "?", "generations": ["x", "x"], "targets": {"M": {"answer": answer}}, **facts}
        for number, answer in enumerate(answers)
    ]
    path.write_text("\n".join(map(json.dumps, rows)))
    plan = neyman.Design(budget=len(answers)).draw(neyman.read(path), seed=0)
    table = pd.DataFrame({"item_id": [f"q{number}" for number in range(len(labels))], "label": labels})
    interval = neyman.Interval(bounded=kind != "score")
    return neyman.labelled(plan, table, "M", kind, interval=interval)


POINTS = [f"{number // 1000}.{number % 1000:03}" for number in NUMBERS]
COMMAS = [f"{number // 1000},{number % 1000:03}" for number in NUMBERS]
WHOLE = [str(number) for number in NUMBERS]


@pytest.mark.parametrize(
    ("answers", "labels", "kind", "remarked"),
    [
        (WHOLE, POINTS, "gold", "“1.000” is read as 1. If it means 1000"),
        (WHOLE, [*POINTS[:-2], "2,5", "3,5"], "gold", "three digits behind a point"),
        (WHOLE, [f"€{text}" for text in POINTS], "gold", "“1.000” is read as 1. If it means 1000"),
        (WHOLE, [f"{text} kg" for text in POINTS], "gold", "three digits behind a point"),
        (WHOLE, COMMAS, "gold", ""),
        (WHOLE, [f"${text}" for text in COMMAS], "gold", ""),
        (WHOLE, WHOLE, "gold", ""),
        (DECIMALS, POINTS, "gold", ""),
        (DECIMALS, COMMAS, "gold", "“1,000” is read as 1000. If it means 1,"),
        (WHOLE, ["950"] * 10 + ["1,250"] * 10, "score", "“1,250” is read as 1.25. If it means 1250"),
        (WHOLE, ["950"] * 10 + ["1.250"] * 10, "score", "“1.250” is read as 1.25. If it means 1250"),
        (WHOLE, ["-1.250"] * 20, "score", "If it means -1250"),
        (WHOLE, ["950"] * 10 + ["1,25"] * 10, "score", ""),
        (WHOLE, ["0.950"] * 10 + ["1.250"] * 5 + ["2.5"] * 5, "score", ""),
    ],
    ids=str,
)
def test_a_sign_that_may_part_thousands_is_remarked(
    answers: list[str], labels: list[str], kind: str, remarked: str, tmp_path: Path
) -> None:
    said = repr(study(tmp_path, answers, labels, kind))
    assert remarked in said and ("three digits behind" in said) == bool(remarked)


def test_texts_with_such_a_sign_are_compared_and_quoted_as_they_are_written(tmp_path: Path) -> None:
    mixed = [label if number % 2 else WHOLE[number] for number, label in enumerate(COMMAS)]
    read = study(tmp_path, WHOLE, mixed, "gold", None)
    assert read.estimate().value == 0.5 and re.search(r"“[123],\d{3}” beside “[123]\d{3}”", repr(read))
    with pytest.raises(LabelError, match="“1,000”"):
        neyman.labelled(read.plan, pd.DataFrame({"item_id": [f"q{n}" for n in range(20)], "label": COMMAS}), "M")
