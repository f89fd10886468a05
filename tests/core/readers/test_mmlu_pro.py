"""MMLU-Pro result files."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.errors import PoolError
from core.readers import ModelResults, Split, read, read_results
from tests.core.wording import Saying


def record(number: int, pred: str | None, **other: Any) -> dict[str, Any]:
    return {
        "question_id": number,
        "question": f"Question {number}?",
        "options": ["a", "N/A", f"c{number}"],
        "answer": "A",
        "answer_index": 0,
        "cot_content": "",
        "category": "law",
        "src": "s",
        "pred": pred,
        "generated_text": f"The answer is ({pred}).",
        **other,
    }


def zipped(records: list[dict[str, Any]]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("results.json", json.dumps(records))
        archive.writestr("__MACOSX/._results.json", b"\0")
    return buffer.getvalue()


def file_of(model: str) -> str:
    return f"model_outputs_{model}_5shots.zip"


ALL = {
    file_of("one"): zipped([record(10, "A"), record(2, "B"), record(3, "A")]),
    file_of("two"): zipped([record(3, None), record(2, "A"), record(10, "C")]),
    file_of("three"): zipped([record(2, "A"), record(3, "A"), record(10, "A")]),
}


def test_files_in_any_order_become_one_pool() -> None:
    results = read_results(ALL)
    assert results.models == ("one", "two", "three")
    pool = results.pool(["two", "one"], ["three"])
    assert pool.items.index.tolist() == ["2", "3", "10"]
    assert pool.items["choices"].tolist() == [["a", "N/A", "c2"], ["a", "N/A", "c3"], ["a", "N/A", "c10"]]
    assert pool.items.loc["3", ["prompt", "answer", "group", "src"]].tolist() == ["Question 3?", "A", "law", "s"]
    assert pool.answers() == [["A", "B"], [None, "A"], ["C", "A"]]
    assert pool.classes().tolist() == [[0, 1], [0, 1], [0, 1]]
    assert pool.generations is not None
    assert pool.generations[1] == ["The answer is (None).", "The answer is (A)."]
    assert pool.targets["three"].answers == ["A", "A", "A"]
    assert pool.targets["three"].texts == ["The answer is (A)."] * 3
    assert results.pool(["one"], ["two"]).losses("two").tolist() == [0, 1, 1]
    assert pool.notes == (Saying("one has 67\u00a0% of 3 items right", "three has 100"),)


def test_the_summary_counts_and_ranks_the_models() -> None:
    results = read_results(ALL)
    assert results.summary().to_dict("list") == {
        "model": ["three", "one", "two"],
        "items": [3, 3, 3],
        "samples": [1, 1, 1],
        "accuracy": pytest.approx([1, 2 / 3, 1 / 3]),
        "unparsed": [0, 0, 1],
    }
    assert results.default_split() == Split(("one", "two"), ("three",))
    like_two = zipped([record(3, None), record(2, "A"), record(10, "C", generated_text="C, I say.")])
    four = read_results({**ALL, file_of("four"): like_two})
    assert four.default_split() == Split(("two", "four"), ("three", "one"))


def test_questions_that_a_model_lacks_are_missing_not_wrong() -> None:
    files = {**ALL, file_of("few"): zipped([record(2, "B"), record(77, "A")])}
    results = read_results(files)
    assert results.notes[-2] == "few lacks 2 of 4 questions."
    pool = results.pool(["one", "few"], ["two"])
    assert pool.items.index.tolist() == ["2", "3", "10", "77"]
    assert pool.answers() == [["B", "B"], ["A"], ["A"], ["A"]]
    np.testing.assert_array_equal(pool.losses("two"), [0, 1, 1, np.nan])
    assert pool.targets["two"].answers == ["A", None, "C", None]
    assert Saying("3 of 4 items", "fewer than 2 generations") in pool.notes
    assert Saying("two ", "3 of 4 items") in pool.notes
    assert results.pool(["one"], ["three"]).n_items == 3


def test_one_file_alone_is_a_pool_with_one_target(tmp_path: Path) -> None:
    path = tmp_path / file_of("gemma-7b")
    path.write_bytes(ALL[file_of("one")])
    pool = read(path)
    assert list(pool.targets) == ["gemma-7b"]
    assert pool.generations is None
    assert pool.losses("gemma-7b").tolist() == [1, 0, 0]
    assert pool.origin is not None and pool.origin.format == "MMLU-Pro results" and "a target" in pool.notes[-1]
    unpacked = json.dumps([record(10, "A"), record(2, "B"), record(3, "A")]).encode()
    assert read(unpacked, "gemma-7b").digest == pool.digest


def test_raw_texts_are_found_under_their_other_name() -> None:
    old = [record(1, "A")]
    old[0]["model_outputs"] = old[0].pop("generated_text") + " Indeed."
    results = read_results({"x.zip": zipped(old)})
    assert results.pool(["x"], []).generations == [["The answer is (A). Indeed."]]


def test_an_output_that_is_null_is_an_empty_text() -> None:
    results = read_results({"x.zip": zipped([record(1, None, generated_text=None)])})
    assert results.pool(["x"], []).generations == [[""]]


def test_a_few_questions_of_another_edition_are_judged_by_that_of_most_files() -> None:
    files = {
        name: zipped([record(number, "A", generated_text=f"{name}: A") for number in range(40)])
        for name in ("a.zip", "b.zip")
    }
    other = [record(number, "A") for number in range(40)]
    other[7] |= {"answer": "B", "pred": "B"}
    other[8]["question"] = "Question\t8 ?"
    results = read_results({"c.zip": zipped(other), **files})
    assert results.notes[:-1] == (Saying("c ", "0 questions and 1 answers differ (item 7)", "most files"),)
    pool = results.pool(["a"], ["c"])
    assert pool.items.loc["7", "answer"] == "A"
    assert np.flatnonzero(pool.losses("c")).tolist() == [7]
    assert results.accuracy == pytest.approx((39 / 40, 1, 1))


def test_files_of_different_questions_are_a_problem_for_each_question() -> None:
    files = {**ALL, file_of("four"): zipped([record(2, "A", answer="B"), record(3, "A", question="Other?")])}
    with pytest.raises(PoolError) as caught:
        read_results(files)
    assert [(problem.row, problem.message) for problem in caught.value.problems] == [
        (1, Saying("four ", "answer of item 2")),
        (2, Saying("four ", "question of item 3")),
    ]


@pytest.mark.parametrize(
    ("committee", "targets", "message"),
    [
        (["one"], ["one"], "“one” is in the committee and a target"),
        (["one", "one"], ["two"], "“one” is chosen twice"),
        (["one"], ["gpt"], "no results of “gpt”. There are: one, two, three"),
        ([], [], "no model is chosen"),
    ],
)
def test_impossible_choices_are_refused(committee: list[str], targets: list[str], message: str) -> None:
    with pytest.raises(PoolError, match=message):
        read_results(ALL).pool(committee, targets)


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({}, "there is no result file"),
        ({"a.zip": zipped([{"x": "x"}])}, "a.zip: the file is in no known format.*say which field is what"),
        (
            {"a.zip": b'{"question_id": "x"}'},
            "or make a pool of it, and read that: neyman pool map a.zip --out a.parquet",
        ),
        (
            {"a.zip": zipped([record(1, "A"), record(1, "B")])},
            "a.zip, row 2, question_id: the question_id is missing",
        ),
        ({"a.zip": zipped([record(1, "A"), record(2, ["B"])])}, r"a.zip, row 2, pred: “\['B'\]” is not a text"),
        ({"x/a.zip": zipped([record(1, "A")]), "a_5shots.zip": zipped([record(1, "B")])}, "two files of “a”"),
    ],
)
def test_files_that_are_no_results_are_refused(files: dict[str, bytes | Path], message: str) -> None:
    with pytest.raises(PoolError, match=message):
        read_results(files)


def test_the_published_files_have_their_reference_figures(official: ModelResults) -> None:
    split = official.default_split()
    assert split.targets == ("Meta-Llama-3-70B", "jamba-1.5-large")
    pool = official.pool(split.committee, split.targets)
    assert (pool.n_items, pool.n_generations) == (12_032, 10)
    assert (pool.classes().max(axis=1) == 0).mean() == pytest.approx(0.06, abs=5e-3)
    assert pool.losses("jamba-1.5-large").mean() == pytest.approx(0.507, abs=5e-4)
    assert pool.losses("Meta-Llama-3-70B").mean() == pytest.approx(0.480, abs=5e-4)
