"""Files that look like those of a tool and are of another, or hold more; and totals that look like items."""

from __future__ import annotations

import json
from typing import Any

import pytest

from core.errors import PoolError
from core.readers import Shape, read, read_mapped, read_or_shape, read_results
from tests.core.wording import Saying

CODE = [{"task_id": f"t{n}", "completion": f"return {n}"} for n in range(4)]
CHAT = [{"instruction": f"Do {n}.", "output": f"x {n}", "generator": "m"} for n in range(4)]


def lines(rows: list[dict[str, Any]]) -> bytes:
    return "\n".join(map(json.dumps, rows)).encode()


@pytest.mark.parametrize("rows", [CODE, CHAT])
def test_lines_with_a_score_of_their_own_are_read_by_a_map(rows: list[dict[str, Any]]) -> None:
    assert not isinstance(read_or_shape(lines(rows)), Shape)
    content = lines([{**row, "correct": n % 2} for n, row in enumerate(rows)])
    shape = read_or_shape(content, "m")
    assert isinstance(shape, Shape)
    assert read_mapped(content, shape.guess, "m").losses("m").tolist() == [1, 0, 1, 0]


def test_whether_tests_pass_may_be_a_number() -> None:
    for values, losses in (([1, 0, 0, 1], [0, 1, 1, 0]), (["true", "false", False, True], [0, 1, 1, 0])):
        rows = [{**row, "passed": value} for row, value in zip(CODE, values, strict=True)]
        results = read_results({"m.jsonl": lines(rows)})
        assert results.pool([], results.models).losses(results.models[0]).tolist() == losses


def test_lines_and_rows_that_name_their_model_are_of_several_models() -> None:
    both = [{**row, "model": name, "passed": name == "a"} for row in CODE for name in ("a", "b")]
    assert read_results({"x.jsonl": lines(both)}).accuracy == (1, 0)
    rows = [
        {"model": name, "user_input": f"{n}?", "retrieved_contexts": ["c"], "response": f"{name} {n}", "reference": "r"}
        | {"answer_correctness": int(name == "a")}
        for n in range(3)
        for name in ("a", "b")
    ]
    results = read_results({"x.jsonl": lines(rows)})
    assert results.models == ("a", "b") and results.accuracy == (1, 0)


def test_of_several_annotators_the_first_counts_and_the_others_are_left_out() -> None:
    rows = [
        {"instruction": f"Do {n}.", "output_1": "r", "output_2": "x", "generator_1": "base", "generator_2": "m"}
        | {"annotator": judge, "preference": preference}
        for n in range(3)
        for judge, preference in (("one", 2.0), ("two", 1.0))
    ]
    pool = read(json.dumps(rows).encode())
    assert pool.losses("m").tolist() == [0, 0, 0] and pool.account is not None
    assert [one.words for one in pool.account.left_out] == [Saying("3 annotations", "“one”", "2, 4, 6")]


@pytest.mark.parametrize(
    "content",
    [
        b"name,accuracy,n\nmmlu,0.86,1000\nmine,0.92,100\n",
        b"model,benchmark,score\na,x,0.8\na,y,0.7\nb,x,0.6\nb,y,0.5\n",
        b"task,gpt-4,claude-3\nmmlu,0.86,0.85\ngsm8k,0.92,0.95\narc_challenge,0.5,0.4\n",
        b"benchmark,gpt-4,claude-3\nx,86,85\ny,92,95\n",
        b'[{"task": "mmlu (5-shot)", "score": 0.6}, {"task": "gsm8k", "score": 0.4}]',
        b'{"overall": {"accuracy": 0.5}, "by_subject": [{"subject": "law", "accuracy": 0.4, "n": 10}]}',
    ],
)
def test_tables_of_benchmarks_are_totals(content: bytes) -> None:
    for reader in (read, read_or_shape, lambda content: read_results({"a": content})):
        with pytest.raises(PoolError, match="it has totals but no items"):
            reader(content)


@pytest.mark.parametrize(
    "content",
    [
        b"task,gpt-4,claude-3\nmmlu_1,0.86,0.85\ngsm8k/2,0.92,0.95\n",
        b"task,gpt-4,claude-3\nfirst,0.86,0.85\nsecond,0.92,0.95\n",
        b"dataset,question,score\nmmlu,Why?,1\ngsm8k,How?,0.5\n",
        b"dataset,score\nmmlu,1\nmmlu,0\ngsm8k,0.5\n",
        b"name,correct,n\nfirst,1,1\nsecond,0,1\n",
    ],
)
def test_items_of_benchmarks_are_no_totals(content: bytes) -> None:
    read_or_shape(content)
