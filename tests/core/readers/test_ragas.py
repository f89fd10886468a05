"""Tables of Ragas."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from core.readers import read, read_outputs, read_results
from tests.core.readers.json_lines import lines
from tests.core.readers.scored import FIRST_RIGHT, LOGS, losses_of
from tests.core.readers.toy import SAMPLES


def ragas(form: str, frame: Any) -> bytes:
    orient = {"records": {"orient": "records"}, "lines": {"orient": "records", "lines": True}, "columns": {}}[form]
    written: str = frame.to_json(**orient)
    return written.encode()


@pytest.mark.parametrize("form", ["records", "lines", "columns"])
def test_a_table_of_ragas_is_the_same_in_every_form(form: str) -> None:

    frame = pd.read_csv(LOGS / "ragas.csv")
    results = read_results({"ragas.json": ragas(form, frame)})
    assert results.accuracy == (pytest.approx(FIRST_RIGHT),) and results.samples == (SAMPLES,)


def test_references_of_ragas_are_shown_and_not_compared_word_by_word() -> None:
    rows = [
        {"question": f"Why {n}?", "answer": "Because of this.", "contexts": "['a', 'b']", "ground_truth": "It is so.",
         "faithfulness": 0.5, "answer_correctness": score}
        for n, score in ((1, 0.25), (2, None), (3, "nan"))
    ]  # fmt: skip
    pool = read(lines(*rows), "m")
    assert np.array_equal(pool.losses("m"), [0.75, np.nan, np.nan], equal_nan=True)
    assert pool.items["reference"].tolist() == ["It is so."] * 3 and pool.items["contexts"].tolist() == ["a\n\nb"] * 3
    assert pool.items["faithfulness"].tolist() == [0.5] * 3
    assert any("“answer_correctness”" in note and "“faithfulness”" in note for note in pool.notes)


def test_verdicts_and_rubrics_of_ragas() -> None:
    rows = [
        {"user_input": str(n), "response": "x", "retrieved_contexts": [], "tone": tone} for n, tone in enumerate("pf")
    ]
    named = [{**row, "tone": {"p": "pass", "f": "fail"}[row["tone"]]} for row in rows]
    assert losses_of(lines(*named)) == [0, 1]
    graded = [{**row, "tone": grade} for row, grade in zip(rows, (1, 5), strict=True)]
    outputs = read_outputs(lines(*graded), "log")
    assert outputs.table.column("loss").to_pylist() == [None, None]
    assert any("from 1 to 5" in note for note in outputs.notes)


def test_a_chat_of_ragas_is_asked_as_a_chat() -> None:
    chat = [
        {"content": "Hi", "type": "human"},
        {"content": "Hello", "type": "ai"},
        {"content": "Why?", "type": "human"},
    ]
    row = {"user_input": chat, "response": "x", "agent_goal_accuracy": 1.0}
    assert read(lines(row, {**row, "user_input": "How?"})).items["prompt"].tolist()[0].endswith("User: Why?")


def test_an_amount_is_no_metric_of_ragas() -> None:
    content = b"user_input,retrieved_contexts,response,latency,cost\nQ?,['c'],foo,0.9,0.2\n"
    assert losses_of(content) == [None]
