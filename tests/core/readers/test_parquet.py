"""Parquet files, as other programs write them."""

from __future__ import annotations

import datetime
import io
from decimal import Decimal
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from core.errors import PoolError
from core.pool import Pool
from core.readers import read
from tests.core.wording import Saying


def parquet(**columns: Any) -> bytes:
    buffer = io.BytesIO()
    pq.write_table(pa.table(columns), buffer)
    return buffer.getvalue()


def problems_of(content: bytes) -> list[tuple[int | None, str | None, str]]:
    with pytest.raises(PoolError) as caught:
        read(content)
    return [(problem.row, problem.field, problem.message) for problem in caught.value.problems]


TEXTS = ["a", "b"]
LISTS = [["A", "B"], ["B"]]
PLAIN = Pool.from_records([{"id": "a", "generations": ["A", "B"]}, {"id": "b", "generations": ["B"]}])


@pytest.mark.parametrize(
    ("ids", "generations"),
    [
        (pa.array(TEXTS), pa.array(LISTS)),
        (pa.array(TEXTS, pa.large_string()), pa.array(LISTS, pa.large_list(pa.large_string()))),
        (pa.array(TEXTS).dictionary_encode(), pa.array(LISTS, pa.list_(pa.dictionary(pa.int8(), pa.string())))),
        (pa.array(TEXTS, pa.string_view()), pa.array(LISTS, pa.list_(pa.string_view()))),
    ],
)
def test_texts_of_every_kind_are_the_same_pool(ids: pa.Array, generations: pa.Array) -> None:
    assert read(parquet(id=ids, generations=generations)).digest == PLAIN.digest


def test_numbers_stand_for_texts_and_wider_numbers() -> None:
    content = parquet(
        id=pa.array([7, 8]),
        generations=pa.array([[1, 2], [3]], pa.list_(pa.int16())),
        logprobs=pa.array([[-1, -2], [-3]], pa.list_(pa.float32())),
        answer=pa.array([1.5, None]),
    )
    expected = [
        {"id": 7, "generations": [1, 2], "logprobs": [-1, -2], "answer": 1.5},
        {"id": 8, "generations": [3], "logprobs": [-3]},
    ]
    assert read(content).digest == Pool.from_records(expected).digest


@pytest.mark.parametrize(
    "targets",
    [
        pa.array([{"m": {"answer": "A", "loss": 0.0}}, {"m": None}]),
        pa.array([{"m": {"answer": "A", "loss": 0.0}}, None]),
        pa.array([{"m": {"answer": "A", "loss": 0.0, "n": None}}, {"m": {"answer": None, "loss": None, "n": 1}}]),
        pa.array(['{"m": {"answer": "A", "loss": 0}}', None]),
        pa.array(
            [[("m", {"answer": "A", "loss": 0.0})], None],
            pa.map_(pa.string(), pa.struct({"answer": pa.string(), "loss": pa.float32()})),
        ),
    ],
)
def test_targets_of_every_shape_are_the_same(targets: pa.Array) -> None:
    expected = Pool.from_records([{"id": "a", "targets": {"m": {"answer": "A", "loss": 0}}}, {"id": "b"}])
    assert read(parquet(id=TEXTS, targets=targets)).digest == expected.digest


def test_extra_columns_become_plain_ones() -> None:
    pool = read(
        parquet(
            id=TEXTS,
            small=pa.array([1, 2], pa.uint8()),
            large=pa.array([2**64 - 1, 1], pa.uint64()),
            half=pa.array([0.5, float("nan")], pa.float32()),
            day=pa.array([datetime.date(2026, 1, 2), None]),
            price=pa.array([Decimal("1.50"), None]),
            parts=pa.array([[1, 2], None]),
            kind=pa.array(["x", "y"]).dictionary_encode(),
            raw=pa.array([b"\xff", b"x"]),
            nothing=pa.nulls(2),
        )
    )
    table = pool.table.to_pydict()
    assert table == {
        "id": TEXTS,
        "small": [1, 2],
        "large": [str(2**64 - 1), "1"],
        "half": [0.5, None],
        "day": ["2026-01-02", None],
        "price": ['"1.50"', None],
        "parts": ["[1, 2]", None],
        "kind": ["x", "y"],
    }
    assert pool.notes[:-1] == (Saying("“raw”", "not kept"),)
    assert Pool.from_records(pool.table.to_pylist()).digest == pool.digest


def test_the_wide_columns_of_csv_are_understood() -> None:
    content = parquet(
        id=TEXTS,
        generation_2=["", None],
        generation_1=["A", "B"],
        generation_answer_1=["X", "Y"],
        generation_answer_2=pa.array([None, None], pa.string()),
        logprob_1=[-1.0, 0.0],
        logprob_2=[-2.0, None],
        choice_A=["x", "z"],
        choice_B=["y", None],
        **{"m:loss": [0, 1], "m:answer": ["A", None]},
    )
    expected = [
        {"id": "a", "generations": ["A", ""], "generation_answers": ["X", None], "logprobs": [-1, -2]},
        {"id": "b", "generations": ["B"], "generation_answers": ["Y"], "logprobs": [0]},
    ]
    expected[0] |= {"choices": ["x", "y"], "targets": {"m": {"loss": 0, "answer": "A"}}}
    expected[1] |= {"choices": ["z"], "targets": {"m": {"loss": 1}}}
    assert read(content).digest == Pool.from_records(expected).digest


def test_a_frame_of_pandas_is_read_with_its_index() -> None:
    buffer = io.BytesIO()
    frame = pd.DataFrame({"id": TEXTS, "generations": LISTS, "image": ["x.png", None]}, index=[5, 9])
    frame.to_parquet(buffer)
    pool = read(buffer.getvalue())
    assert list(pool.table.column_names) == ["id", "image", "generations"]
    assert pool.items["image"].iloc[0] == ["x.png"]
    buffer = io.BytesIO()
    frame.set_index("id").to_parquet(buffer)
    assert read(buffer.getvalue()).digest == pool.digest


def test_null_texts_among_generations_are_empty() -> None:
    pool = read(parquet(id=TEXTS, generations=[["A", None], None]))
    assert pool.generations == [["A", ""], []]
    assert Saying("generations", "empty text") in pool.notes


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (parquet(name=TEXTS), [(None, None, Saying("“id”", "name"))]),
        (parquet(id=["a", "a"]), [(2, "id", Saying("“a”", "row 1"))]),
        (parquet(id=pa.array([], pa.string())), [(None, None, Saying("no item"))]),
        (
            parquet(id=TEXTS, generations=TEXTS),
            [(n, "generations", Saying(f"“{t}”", "list of texts")) for n, t in ((1, "a"), (2, "b"))],
        ),
        (
            parquet(id=TEXTS, generations=[["A"]] * 2, logprobs=[[float("nan")], [-1]]),
            [(1, "logprobs", Saying("log-probability", "NaN"))],
        ),
        (
            parquet(id=TEXTS, targets=[{"m": {"loss": float("inf")}}, None]),
            [(1, "targets.m.loss", Saying("loss", "inf"))],
        ),
        (parquet(id=TEXTS, targets=[{"m": {"loss": "x"}}, None]), [(1, "targets.m.loss", Saying("“x”", "a number"))]),
        (
            parquet(id=TEXTS, generation_2=TEXTS),
            [(None, "generation", Saying("generation_…", "1 to 1"))],
        ),
        (parquet(id=TEXTS, targets=["{", None]), [(1, "targets", Saying("not JSON"))]),
    ],
)
def test_what_is_wrong_is_told_with_row_and_field(
    content: bytes, expected: list[tuple[int | None, str | None, Saying]]
) -> None:
    assert problems_of(content) == expected


def test_bytes_that_are_no_text_are_refused() -> None:
    invalid = pa.Array.from_buffers(pa.string(), 1, [None, pa.array([b"\xff"]).buffers()[1], pa.py_buffer(b"\xff")])
    with pytest.raises(PoolError, match=r"damaged.*UTF"):
        read(parquet(id=invalid))


def test_a_truncated_file_is_refused() -> None:
    content = parquet(id=TEXTS)
    with pytest.raises(PoolError, match="damaged"):
        read(content[:-20])


def test_a_file_that_unpacks_to_too_much_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.readers.parquet.MAX_MEMORY", 10_000)
    with pytest.raises(PoolError, match="GiB when unpacked"):
        read(parquet(id=[str(n) for n in range(100)], prompt=["x" * 1_000] * 100))
