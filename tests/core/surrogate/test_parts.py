"""Rows of generations: written a little at a time, read back, and everything about them kept."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from core.errors import PoolError
from core.surrogate.faults import SurrogateError
from core.surrogate.job.events import Event, Generation
from core.surrogate.job.store import Store
from core.surrogate.parts import SCHEMA, PartFile, Place, table_of, write_part
from tests.core.surrogate.conftest import pool_of
from tests.core.surrogate.test_results import with_events

EVENTS = [
    Event(1, [Generation(0, "Answer: 1 Ω", "1", "Well …", "stop", 3, -1.5, -0.5), Generation(1, "", None)], (1, 1)),
    Event(3, [Generation(1, "Answer: 2", "2", None, "length", 9, None, None)]),
]


def test_a_part_has_every_generation_with_its_item_seed_and_work(
    store: Store, neyman_home: Path, tmp_path: Path
) -> None:
    job = with_events(store, neyman_home, pool_of(5), EVENTS, seed=7)
    assert write_part(store, job, tmp_path / "part.parquet") == 3
    part = PartFile(Place(str(tmp_path / "part.parquet")))
    spec = store.row(job).spec
    assert (part.size, part.spec) == (3, spec)
    rows = [row for batch in part.batches() for row in batch]
    assert [(row.item, row.generation) for row in rows] == [
        (f"i{event.position}", generation) for event in EVENTS for generation in event.generations
    ]
    first, second, third = (row.seed for row in rows)
    assert first is not None and second == first + 1 and third not in (first, None)
    table = pq.read_table(tmp_path / "part.parquet")
    assert table.schema.equals(SCHEMA)
    assert set(table.column("work").to_pylist()) == {spec.work}


def test_without_a_seed_none_is_written(store: Store, neyman_home: Path, tmp_path: Path) -> None:
    job = with_events(store, neyman_home, pool_of(5), EVENTS)
    write_part(store, job, tmp_path / "part.parquet")
    assert pq.read_table(tmp_path / "part.parquet").column("seed").null_count == 3


def test_a_part_is_written_in_row_groups_and_may_be_empty(store: Store, neyman_home: Path, tmp_path: Path) -> None:
    pool = pool_of(2_000)
    events = [Event(i, [Generation(s, "é" * 3_000 + f"{i} {s}", "1") for s in range(2)], (2,)) for i in range(2_000)]
    job = with_events(store, neyman_home, pool, events)
    assert write_part(store, job, tmp_path / "part.parquet") == 4_000
    with pq.ParquetFile(tmp_path / "part.parquet") as file:
        assert file.num_row_groups >= 4
    sizes = [len(batch) for batch in PartFile(Place(str(tmp_path / "part.parquet"))).batches()]
    assert sum(sizes) == 4_000 and max(sizes) <= 2_048
    empty = with_events(store, neyman_home, pool_of(1), [])
    assert write_part(store, empty, tmp_path / "empty.parquet") == 0
    assert PartFile(Place(str(tmp_path / "empty.parquet"))).size == 0


def test_what_is_no_part_is_refused(store: Store, neyman_home: Path, tmp_path: Path) -> None:
    job = with_events(store, neyman_home, pool_of(5), EVENTS)
    for name in ("part.jsonl", "none/part.parquet"):
        with pytest.raises(PoolError):
            write_part(store, job, tmp_path / name)
    write_part(store, job, tmp_path / "part.parquet")
    content = (tmp_path / "part.parquet").read_bytes()
    (tmp_path / "half.parquet").write_bytes(content[: len(content) // 2])
    pool_of(2).write(tmp_path / "pool.parquet")
    for name in ("half.parquet", "pool.parquet", "none.parquet"):
        with pytest.raises(SurrogateError, match=name):
            PartFile(Place(str(tmp_path / name)))


def test_a_file_with_rows_of_two_works_is_refused(store: Store, neyman_home: Path, tmp_path: Path) -> None:
    job = with_events(store, neyman_home, pool_of(5), EVENTS)
    write_part(store, job, tmp_path / "part.parquet")
    rows = [row for batch in PartFile(Place(str(tmp_path / "part.parquet"))).batches() for row in batch]
    spec = store.row(job).spec
    other = table_of(rows, replace(spec, model="n")).replace_schema_metadata(table_of([], spec).schema.metadata)
    pq.write_table(pa.concat_tables([table_of(rows, spec), other]), tmp_path / "mixed.parquet")
    with pytest.raises(SurrogateError, match="several runs"):
        list(PartFile(Place(str(tmp_path / "mixed.parquet"))).batches())


@pytest.mark.parametrize(("column", "value"), [("item", None), ("text", None), ("sample", None), ("sample", 2)])
def test_a_row_that_cannot_be_one_of_the_job_is_refused(
    column: str, value: object, store: Store, neyman_home: Path, tmp_path: Path
) -> None:
    job = with_events(store, neyman_home, pool_of(5), EVENTS)
    path = tmp_path / "part.parquet"
    write_part(store, job, path)
    table = pq.read_table(path)
    values = table.column(column).to_pylist()
    values[-1] = value
    place = SCHEMA.get_field_index(column)
    pq.write_table(table.set_column(place, SCHEMA.field(place), pa.array(values, SCHEMA.field(place).type)), path)
    part = PartFile(Place(str(path)))
    with pytest.raises(SurrogateError, match=path.name):
        list(part.batches())
    if column != "text":
        with pytest.raises(SurrogateError, match=path.name):
            list(part.hashes())


TYPES = {
    "sample": (pa.string(), "first"),
    "item": (pa.binary(), b"\xff"),
    "text": (pa.list_(pa.string()), ["a"]),
    "answer": (pa.list_(pa.string()), ["a"]),
    "tokens": (pa.string(), "many"),
    "logprob": (pa.string(), "little"),
}


@pytest.mark.parametrize("column", TYPES)
def test_a_column_of_another_type_is_told(column: str, store: Store, neyman_home: Path, tmp_path: Path) -> None:
    job = with_events(store, neyman_home, pool_of(5), EVENTS)
    path = tmp_path / "part.parquet"
    write_part(store, job, path)
    table = pq.read_table(path)
    kind, value = TYPES[column]
    values = pa.array([value] * len(table), kind)
    pq.write_table(table.set_column(SCHEMA.get_field_index(column), column, values), path)
    with pytest.raises(SurrogateError, match=r"part.parquet” has a column of another type"):
        list(PartFile(Place(str(path))).batches())


def test_numbers_that_cannot_be_right_are_unknown(store: Store, neyman_home: Path, tmp_path: Path) -> None:
    job = with_events(store, neyman_home, pool_of(5), EVENTS)
    path = tmp_path / "part.parquet"
    write_part(store, job, path)
    table = pq.read_table(path)
    for name, value in (("logprob", float("inf")), ("token_logprob", float("nan")), ("tokens", -5)):
        field = SCHEMA.field(name)
        values = pa.array([value] * len(table), field.type)
        table = table.set_column(SCHEMA.get_field_index(name), field, values)
    pq.write_table(table, path)
    generations = [row.generation for rows in PartFile(Place(str(path))).batches() for row in rows]
    assert generations and all(
        (one.logprob, one.token_logprob, one.tokens) == (None, None, None) for one in generations
    )


@pytest.mark.parametrize(
    "job",
    [
        b"{",
        b"[1]",
        b"{}",
        b'"x"',
        b"[" * 100_000,
        b"\xff\xfe",
        b'{"connection": null}',
        b'{"connection": {"base_url": []}}',
    ],
)
def test_a_part_of_a_job_that_is_none_is_told(job: bytes, store: Store, neyman_home: Path, tmp_path: Path) -> None:
    path = tmp_path / "part.parquet"
    write_part(store, with_events(store, neyman_home, pool_of(5), EVENTS), path)
    pq.write_table(pq.read_table(path).replace_schema_metadata({b"neyman.job": job}), path)
    with pytest.raises(SurrogateError, match=r"part.parquet” cannot be merged"):
        PartFile(Place(str(path)))
