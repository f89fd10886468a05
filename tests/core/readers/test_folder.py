"""A folder of Parquet files is the pool that its rows are in one file; problems name file and row."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pandas.testing import assert_frame_equal

from core.design import Design, manifest, recommend
from core.errors import PoolError
from core.pool import Pool
from core.pool.origin import filled
from core.readers import FolderPool, profile, read
from core.readers.folder.folder import Folder
from core.readers.folder.folder_pool import read_folder
from core.readers.folder.profiling import read_ahead
from core.signals import signal

ROWS = 400


def records() -> list[dict[str, Any]]:
    rng = np.random.default_rng(0)
    rows = []
    for i in range(ROWS):
        answers = [str(letter) for letter in rng.choice(["A", "B", "I say A", "none of it"], 5)]
        known = {"loss": float(rng.integers(2))} if i > 150 else {}
        rows.append(
            {
                "id": f"item {i}",
                "prompt": f"Which one is {i}?",
                "choices": ["this", "that"] if i % 3 else [],
                "answer": "A",
                "answer_kind": "choice",
                "group": f"exam {rng.integers(4)}" if i % 7 else None,
                "generations": answers[: 5 - (i % 40 == 1)],
                "difficulty": float(rng.random()),
                "note": f"n{i}" if i > 300 else None,
                "targets": {"asked": {"text": f"It is {answers[0]}"} if i % 11 else {}, "scored": known},
            }
        )
    return rows


@pytest.fixture(scope="module")
def whole() -> Pool:
    return Pool.from_records(records(), "pool")


@pytest.fixture
def folder(whole: Pool, tmp_path: Path) -> Path:
    """Three files; the second lies in a folder of its own."""
    path = tmp_path / "pool"
    (path / "more").mkdir(parents=True)
    cuts = {"a.parquet": (0, 150), "more/b.parquet": (150, 151 + 1), "part.parquet": (152, ROWS)}
    for name, (start, end) in cuts.items():
        pq.write_table(whole.table.slice(start, end - start), path / name, row_group_size=64)
    (path / "_started").write_text("")
    return path


def test_a_folder_is_the_pool_of_its_rows(whole: Pool, folder: Path) -> None:
    pool = read(folder)
    assert isinstance(pool, FolderPool)
    assert (pool.name, pool.notes, pool.n_items) == (whole.name, whole.notes, ROWS)
    assert (pool.digest, pool.items_digest, pool.leaves) == (whole.digest, whole.items_digest, tuple(pool.leaves))
    assert (pool.n_generations, pool.complete, pool.source.column_names) == (5, False, whole.source.column_names)
    assert np.array_equal(pool.groups, whole.groups)  # type: ignore[arg-type]
    settings: dict[str, Any] = {"target": "asked", "past": ["scored"], "column": "difficulty"}
    for name in ("semantic-entropy", "agreement", "group", "past-results", "column"):
        ours, theirs = signal(pool, name, **settings), signal(whole, name, **settings)
        assert np.array_equal(ours.values, theirs.values, equal_nan=True)
        assert ours.how == theirs.how
    for target in whole.targets:
        assert np.array_equal(pool.losses(target), whole.losses(target), equal_nan=True)
        assert np.array_equal(pool.agreeing(target), whole.agreeing(target))
    report = whole.parse_report().drop(columns="distinct_answers")
    assert_frame_equal(pool.parse_report().drop(columns="distinct_answers"), report)


def test_every_item_of_a_folder_is_accounted_for(whole: Pool, folder: Path) -> None:
    pool = read(folder)
    assert pool.account is not None and pool.account.items == pool.account.seen == whole.n_items
    assert set(pool.account.filled) == set(filled(whole.table, {}))


def test_texts_are_looked_up_and_all_can_still_be_read(whole: Pool, folder: Path) -> None:
    pool = read(folder)
    places = [399, 0, 151, 152, 0]
    assert pool.part(places).table.equals(whole.part(places).table)
    assert_frame_equal(pool.rows(places), whole.rows(places))
    assert pool.places(["item 7", "nobody’s", "item 399"]).tolist() == [7, -1, 399]
    assert [pool.item_answers(place) for place in (1, 160)] == [whole.item_answers(place) for place in (1, 160)]
    assert list(pool.ids[[3, 1]]) == ["item 3", "item 1"]
    assert (pool.ids[-1], len(pool.ids)) == ("item 399", ROWS)
    assert_frame_equal(pool.items, whole.items)
    assert np.array_equal(pool.classes("text"), whole.classes("text"))
    assert pool.table.equals(whole.table)


@pytest.mark.parametrize("draw", [lambda pool: Design(40), lambda pool: recommend(pool, 40, "asked")])
def test_a_plan_is_the_same_and_reproduced_by_either_pool(
    draw: Callable[[Pool], Design], whole: Pool, folder: Path
) -> None:
    pool = read(folder)
    ours, theirs = draw(pool).draw(pool, seed=3), draw(whole).draw(whole, seed=3)
    assert (ours.plan_id, ours.sample_digest, ours.strata_digest) == (
        theirs.plan_id,
        theirs.sample_digest,
        theirs.strata_digest,
    )
    text = manifest.write(ours, pool.name, {})
    assert manifest.reproduce(manifest.read(text), whole).ids.tolist() == ours.ids.tolist()
    losses = {item: float(place % 3 == 0) for place, item in enumerate(ours.ids)}
    assert ours.estimate(losses) == theirs.estimate(losses)


def test_a_profile_is_opened_again_until_the_folder_changes(folder: Path, tmp_path: Path, whole: Pool) -> None:
    file = profile(folder, tmp_path / "kept.profile").path
    assert read(file).digest == whole.digest
    opened = read(file)
    pq.write_table(whole.table.slice(150, 2).replace_schema_metadata({"a": "b"}), folder / "more" / "b.parquet")
    for look in (lambda: read(file), lambda: opened.part([150])):
        with pytest.raises(PoolError) as caught:
            look()
        assert caught.value.problems[0].file == "more/b.parquet"
    assert opened.rows([0]).index.tolist() == ["item 0"]
    (folder / "a.parquet").unlink()
    with pytest.raises(PoolError):
        opened.rows([1])


def test_two_processes_profile_a_folder_one_after_the_other(folder: Path, tmp_path: Path, whole: Pool) -> None:
    out, done, shares = tmp_path / "kept.profile", list[str](), list[float]()

    def other() -> None:
        done.append(FolderPool.of(profile(folder, out), "pool").digest)

    def first(share: float) -> None:
        if not shares:
            second.start()
            second.join(0.1)
        shares.append(share)
        assert not done

    second = Thread(target=other)
    assert FolderPool.of(profile(folder, out, first), "pool").digest == whole.digest
    second.join()
    assert done == [whole.digest]


def interrupted(folder: Path, out: Path, at: float) -> None:
    """Profile a folder until more than this share is done."""

    def stop(share: float) -> None:
        if share > at:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        profile(folder, out, stop)


def test_an_interrupted_profile_takes_finished_files_from_before(
    folder: Path, tmp_path: Path, whole: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "kept.profile"
    interrupted(folder, out, 0.5)
    assert not out.exists()
    parsed = list[int]()
    original = Pool.class_counts
    monkeypatch.setattr(Pool, "class_counts", lambda pool, *more: parsed.append(pool.n_items) or original(pool, *more))
    shares = list[float]()
    assert FolderPool.of(profile(folder, out, shares.append), "pool").digest == whole.digest
    assert sum(parsed) == ROWS - 152
    assert shares == sorted(shares)
    assert [path.name for path in tmp_path.iterdir() if "kept" in path.name] == ["kept.profile"]


def test_files_that_other_processes_read_ahead_make_the_same_profile(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = profile(folder, tmp_path / "alone.profile").path.read_bytes()
    out, files = tmp_path / "kept.profile", Folder.of(folder)
    for file in files.files[::-1]:
        read_ahead(files, out, file)
    monkeypatch.setattr(Pool, "class_counts", lambda pool, *more: pytest.fail("A file was parsed again."))
    read_ahead(files, out, files.files[0])
    assert profile(folder, out).path.read_bytes() == alone


@pytest.mark.parametrize("damage", ["cut", "version", "rows", "text"])
def test_a_part_that_is_not_whole_or_of_another_version_is_made_again(
    damage: str, folder: Path, tmp_path: Path, whole: Pool
) -> None:
    out = tmp_path / "kept.profile"
    interrupted(folder, out, 0.9)
    scratch = tmp_path / ".kept.profile.parts"
    facts, *_ = scratch.glob("*.json")
    recorded = json.loads(facts.read_text())
    segment = scratch / recorded["segments"][0]
    if damage == "cut":
        segment.write_bytes(segment.read_bytes()[:-100])
    elif damage == "rows":
        with pa.ipc.open_file(segment.read_bytes()) as reader:
            rows = reader.read_all()
        with pa.ipc.new_file(segment, rows.schema) as writer:
            writer.write_table(rows.slice(1))
    else:
        facts.write_text("[]" if damage == "text" else json.dumps(recorded | {"version": 0}))
    assert FolderPool.of(profile(folder, out), "pool").digest == whole.digest


def table(first: int, size: int = 2, **more: Any) -> pa.Table:
    ids = [f"i{number}" for number in range(first, first + size)]
    return pa.table({"id": ids, "generations": [["A", "B"]] * size} | more)


@pytest.mark.parametrize(
    ("second", "row", "field"),
    [
        (table(1), 1, "id"),
        (table(2).drop_columns("generations"), None, None),
        (table(2, prompt=["p", "q"]), None, None),
        (pa.table({"id": ["x"], "generations": [["A", "B", "C"]]}), None, "generations"),
        (pa.table({"name": ["x"], "generations": [["A", "B"]]}), None, None),
        (table(2, logprobs=[[-1.0, -2.0], [1.0]]).drop_columns("generations"), None, None),
        (pa.table({"id": ["x", None], "generations": [["A", "B"]] * 2}), 2, "id"),
        (table(2, score=["high", "low"]), None, "score"),
        (pa.table({"item": ["i0"], "sample": [0], "text": ["A"], "work": ["w"]}), None, None),
        (b"PAR1 is no Parquet file", None, None),
    ],
)
def test_what_is_wrong_is_named_with_its_file_and_row(
    second: pa.Table | bytes, row: int | None, field: str | None, tmp_path: Path
) -> None:
    score = {"score": [0.5, 0.25]} if field == "score" else {}
    pq.write_table(table(0, **score), tmp_path / "a.parquet")
    if isinstance(second, bytes):
        (tmp_path / "b.parquet").write_bytes(second)
    else:
        pq.write_table(second, tmp_path / "b.parquet")
    with pytest.raises(PoolError) as caught:
        read(tmp_path)
    problem = caught.value.problems[0]
    assert (problem.file, problem.row, problem.field) == ("b.parquet", row, field)
    assert problem.remedy


def test_rows_are_counted_through_a_file_of_many_batches(tmp_path: Path) -> None:
    size = 40_000
    rows = pa.table({"id": [f"i{n}" for n in range(size - 1)] + ["i7"], "generations": [["A", "A"]] * size})
    pq.write_table(rows, tmp_path / "a.parquet")
    with pytest.raises(PoolError) as caught:
        read(tmp_path)
    assert (caught.value.problems[0].row, caught.value.problems[0].field, caught.value.total) == (size, "id", 1)
    assert "row 8" in str(caught.value)


@pytest.mark.parametrize("empty", ["0", "b", "z"])
def test_a_file_without_rows_beside_others_changes_nothing(empty: str, tmp_path: Path) -> None:
    for name, rows in (("a", table(0)), ("c", table(2)), (empty, table(4, 0))):
        pq.write_table(rows, tmp_path / f"{name}.parquet")
    together = pa.concat_tables([table(0), table(2)])
    pq.write_table(together, tmp_path.with_suffix(".parquet"))
    assert read(tmp_path).digest == read(tmp_path.with_suffix(".parquet")).digest


@pytest.mark.parametrize("content", [None, pa.table({"id": pa.array([], pa.string())})])
def test_a_folder_without_items_is_refused(content: pa.Table | None, tmp_path: Path) -> None:
    if content is not None:
        pq.write_table(content, tmp_path / "a.parquet")
    with pytest.raises(PoolError):
        read(tmp_path)


def test_a_single_file_is_read_piece_by_piece_beside_others(whole: Pool, folder: Path, tmp_path: Path) -> None:
    pool = read_folder(folder / "part.parquet", "part")
    assert (pool.n_items, pool.name) == (ROWS - 152, "part")
    pool.write(tmp_path / "copy.parquet")
    assert read(tmp_path / "copy.parquet").digest == pool.digest
    assert pool.items_digest == whole.part(range(152, ROWS)).items_digest
