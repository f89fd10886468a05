"""The digests: the same after a way through any file, and another after any change."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from core.errors import PoolError
from core.pool import Pool
from core.pool.digest import are_row_numbers
from core.readers import read
from tests.core.pool.conftest import pool_of

AWKWARD = ["a,b;c\td", 'say "hi"', "two\nlines\r\n", "🙂 é\u2028", "=1+1", "+x", "-x", "@x", " padded ", "007", "nul\0"]


@pytest.mark.parametrize("suffix", [".jsonl", ".jsonl.gz", ".parquet"])
def test_a_written_pool_reads_back_the_same(suffix: str, tmp_path: Path) -> None:
    pool = Pool.from_records(
        {
            "id": name,
            "prompt": name * 2,
            "choices": ["N/A", name],
            "answer": "" if number == 3 else name,
            "group": "g",
            "answer_kind": "as-is",
            "generations": [name, "", "x"][: 3 - number % 2],
            "generation_answers": [name, None, None][: 3 - number % 2],
            "logprobs": [-1e-300, -0.0, -12.5][: 3 - number % 2],
            "targets": {"m:1": {"answer": name}, "é": {"loss": number / 3}} if number else {},
            "whole": number,
            "decimal": number / 7,
            "flag": number > 2,
            "mixed": number if number % 2 else name,
            "nested": {"deep": [number, None, {"x": name}]},
            "empty": None,
        }
        for number, name in enumerate(AWKWARD)
    )
    path = tmp_path / f"pool{suffix}"
    pool.write(path)
    again = read(path)
    assert again.digest == pool.digest
    assert again.items.index.tolist() == AWKWARD
    assert again.generations == pool.generations
    assert again.name == "pool"
    assert "empty" not in again.items
    assert pool.items["nested"].iloc[1] == json.dumps({"deep": [1, None, {"x": AWKWARD[1]}]}, ensure_ascii=False)


def test_another_suffix_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PoolError, match=r"\.xlsx"):
        pool_of({}).write(tmp_path / "pool.xlsx")


def test_the_digest_does_not_depend_on_chunks_or_name() -> None:
    records = [{"id": str(n), "generations": ["a" * n, "b"], "targets": {"m": {"loss": n}}} for n in range(9)]
    pool = Pool.from_records(records)
    table = pa.concat_tables([pool.table.slice(0, 2), pool.table.slice(2, 5), pool.table.slice(7)])
    assert Pool("other", table, ("note",)).digest == pool.digest
    assert Pool("other", pool.table.slice(1)).digest == Pool.from_records(records[1:]).digest


@pytest.mark.parametrize(
    "change",
    [
        {"id": "z"},
        {"generations": ["A", "C"]},
        {"generations": ["AB", ""]},
        {"generations": ["A", "B", ""]},
        {"generations": []},
        {"answer": None},
        {"answer": ""},
        {"targets": {"m": {"loss": 0}, "n": {"loss": 0}}},
        {"targets": {"m": {"answer": "0"}}},
        {"targets": {"n": {"loss": 0}}},
        {"extra": 1},
        {"prompt": "A"},
    ],
)
def test_every_change_changes_the_digest(change: dict[str, Any]) -> None:
    record = {"id": "a", "answer": "A", "generations": ["A", "B"], "targets": {"m": {"loss": 0}}}
    other = {"id": "b"}
    assert Pool.from_records([{**record, **change}, other]).digest != Pool.from_records([record, other]).digest


def test_the_order_of_items_changes_the_digest_and_that_of_keys_does_not() -> None:
    first, second = {"id": "a", "x": 1, "answer": "A"}, {"id": "b", "answer": "B", "x": 2}
    digest = Pool.from_records([first, second]).digest
    assert Pool.from_records([second, first]).digest != digest
    assert Pool.from_records([dict(reversed(first.items())), second]).digest == digest


def test_absent_null_and_empty_list_are_the_same() -> None:
    assert pool_of({"generations": [], "choices": None, "targets": {"m": {"loss": None}}}).digest == pool_of({}).digest


RECORD = {"id": "a", "prompt": "p", "choices": ["x", "y"], "image": "a.png", "answer": "A", "generations": ["A", "B"]}


@pytest.mark.parametrize(
    "addition",
    [
        {"generations": ["A", "C", ""]},
        {"generations": []},
        {"generation_answers": ["A", None]},
        {"logprobs": [-1.0, -2.0], "token_logprobs": [-0.1, -0.2]},
        {"targets": {"m": {"text": "The answer is B.", "answer": "B", "loss": 0.5}}},
        {"judge": 0.25, "group": "physics"},
        {"answer": "B", "answer_kind": "choice"},
    ],
)
def test_what_is_added_to_items_leaves_their_digest(addition: dict[str, Any]) -> None:
    pool, other = (Pool.from_records([{**RECORD, **more}, {"id": "b"}]) for more in ({}, addition))
    assert other.items_digest == pool.items_digest
    assert other.digest != pool.digest


@pytest.mark.parametrize(
    "change",
    [
        {"id": "z"},
        {"prompt": "p "},
        {"prompt": None},
        {"choices": ["xy", ""]},
        {"choices": ["y", "x"]},
        {"choices": None},
        {"image": "b.png"},
        {"image": ["a.png", "b.png"]},
    ],
)
def test_a_change_of_what_people_label_changes_the_digest_of_the_items(change: dict[str, Any]) -> None:
    pool, other = (Pool.from_records([{**RECORD, **more}, {"id": "b"}]) for more in ({}, change))
    assert other.items_digest != pool.items_digest


def test_the_digest_of_the_items_depends_on_their_order_and_not_on_the_file(tmp_path: Path) -> None:
    records = [{**RECORD, "id": name} for name in AWKWARD]
    pool = Pool.from_records(records)
    pool.write(tmp_path / "pool.parquet")
    assert read(tmp_path / "pool.parquet").items_digest == pool.items_digest != pool.digest
    assert Pool.from_records(records[::-1]).items_digest != pool.items_digest
    assert Pool.from_records(records[:-1]).items_digest != pool.items_digest


@pytest.mark.parametrize("first", ["9" * 5000, "9" * 19, "²", "", "a"])
def test_ids_that_count_no_rows(first: str) -> None:
    assert not are_row_numbers(np.array([first], dtype=object))
