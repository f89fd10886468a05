"""Predictions of VLMEvalKit in its tables and workbooks, and the dataset that they are about."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from typing import Any

import pandas as pd
import pytest

from core.errors import PoolError
from core.readers import read, read_results

_OPTIONS = {"A": "red", "B": "blue", "C": "green"}
_ROTATED = {"A": "green", "B": "red", "C": "blue"}


def bench(**columns: Any) -> pd.DataFrame:
    who = {"A": "you", "B": "me", "C": None}
    rows = [
        {"index": 7, "question": "Which?", "hint": "Look.", **_OPTIONS, "answer": "B", "category": "colour"},
        {"index": 9, "question": "Who?", "hint": None, **who, "answer": "A", "category": "us"},
        {"index": 1_000_007, "question": "Which?", "hint": "Look.", **_ROTATED, "answer": "C", "category": "colour"},
    ]
    return pd.DataFrame(rows).assign(**columns)


def written(frame: pd.DataFrame, form: str) -> bytes:
    """As VLMEvalKit's ``dump`` writes it."""
    if form == "json":
        return json.dumps(frame.to_dict("records"), indent=4, ensure_ascii=False).encode()
    if form == "xlsx":
        stream = io.BytesIO()
        frame.to_excel(stream, index=False)
        return stream.getvalue()
    return frame.to_csv(sep="\t" if form == "tsv" else ",", index=False, quoting=csv.QUOTE_ALL).encode()


@pytest.mark.parametrize("form", ["xlsx", "tsv", "json", "csv"])
def test_predictions_of_vlmevalkit_and_the_dataset_they_are_about(form: str) -> None:
    predictions = written(bench(prediction=["B", "A", "C. blue"]), form)
    pool = read_results({f"GPT4o_MMBench_DEV_EN.{form}": predictions}).pool([], ["GPT4o"])
    assert pool.items.index.tolist() == ["7", "9", "1000007"] and pool.name == "MMBench_DEV_EN"
    assert pool.items["prompt"].tolist()[:2] == ["Hint: Look.\nQuestion: Which?", "Who?"]
    assert pool.losses("GPT4o").tolist() == [0, 0, 0] and pool.targets["GPT4o"].texts == ["B", "A", "C. blue"]
    assert any("circular copies" in note and "1" in note for note in pool.notes)
    files = {"MMBench_DEV_EN.tsv": written(bench(), "tsv"), f"GPT4o_MMBench_DEV_EN.{form}": predictions}
    results = read_results(files)
    assert results.models == ("GPT4o",) and results.pool([], ["GPT4o"]).losses("GPT4o").tolist() == [0, 0]
    wrong = written(bench(prediction=["B", "A", "B"]), form)
    folded = read_results({**files, f"GPT4o_MMBench_DEV_EN.{form}": wrong}).pool([], ["GPT4o"])
    assert folded.items.index.tolist() == ["7", "9"] and folded.losses("GPT4o").tolist() == [1, 0]


def test_judged_files_complete_the_predictions_of_the_same_rows() -> None:
    judged = bench(prediction=["B", "so so", "C"], hit=[1, 0, 1]).iloc[:2].assign(log="…")
    plain = bench(prediction=["B", "so so", "C"]).iloc[:2]
    name = "m-2_MMBench_DEV_EN"
    for files in (
        {f"{name}_openai_result.xlsx": written(judged, "xlsx")},
        {f"{name}_openai_result.tsv": written(judged, "tsv"), f"{name}.json": written(plain, "json")},
    ):
        results = read_results(files)
        assert results.models == ("m-2",) and results.accuracy == (0.5,)


def test_other_workbooks_are_refused() -> None:
    with pytest.raises(PoolError, match="no column “id”; the columns are: “a”"):
        read(written(pd.DataFrame({"a": [1]}), "xlsx"))
    with pytest.raises(PoolError) as caught:
        read(written(bench(prediction="A").assign(index=[7, None, 8]), "json"))
    assert [(problem.row, problem.field) for problem in caught.value.problems] == [(2, "index")]


LAUGHS = '<!DOCTYPE x [<!ENTITY a "' + "ha" * 500 + '">' + "".join(
    f'<!ENTITY {name} "{f"&{before};" * 50}">' for before, name in zip("abcd", "bcde", strict=True)
) + "]>"  # fmt: skip
OUTSIDE = f'<!DOCTYPE x [<!ENTITY e SYSTEM "file://{__file__}">]>'


@pytest.mark.parametrize("declared", [LAUGHS, OUTSIDE])
def test_entities_in_a_workbook_are_not_resolved(declared: str) -> None:
    packed = io.BytesIO(written(bench(prediction=["B", "A", "C"]), "xlsx"))
    stream = io.BytesIO()
    with zipfile.ZipFile(packed) as archive, zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as out:
        for name in archive.namelist():
            part = archive.read(name).decode()
            if name.endswith(("sheet1.xml", "sharedStrings.xml")):
                start = part.index("<", part.index("?>") + 2 if part.startswith("<?xml") else 0)
                part = part[:start] + declared + part[start:].replace("Which?", "&e;")
            out.writestr(name, part)
    try:
        pool = read(stream.getvalue())
    except PoolError:
        return
    assert max(pool.items["prompt"].map(len)) < 1000 and "def test" not in "".join(pool.items["prompt"])


def test_a_workbook_that_unpacks_too_far_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.files.sheets._MAX_UNPACKED", 1_000)
    with pytest.raises(PoolError, match="unpacks to more"):
        read(written(bench(prediction=["B", "A", "C"]), "xlsx"))
