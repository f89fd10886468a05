"""Parts of one piece of work, brought together: from homes and files, in any order, as often as one likes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.archive import Archive
from core.pool import Pool
from core.surrogate.faults import SurrogateError
from core.surrogate.filled_pool import Coverage, export, pool_with
from core.surrogate.job.events import Event, Failure, Generation
from core.surrogate.job.progress import failures, partitions, progress
from core.surrogate.job.spec import JobSpec, Shard
from core.surrogate.job.store import Store
from core.surrogate.merge import merge
from core.surrogate.parts import write_part
from tests.core.surrogate.conftest import pool_of, save_pool
from tests.core.surrogate.test_results import sampled, with_events
from tests.core.wording import Saying

POOL = pool_of(6)


def two(position: int) -> Event:
    """Both samples of an item."""
    return Event(position, sampled(f"Answer: {position}", "Answer: 9"), (1, 1))


def part(home: Path, events: list[Event], pool: Pool = POOL, **changes: Any) -> tuple[Store, str]:
    """A job in a home of its own."""
    store = Store(home)
    return store, with_events(store, home, pool, events, **changes)


def rows(store: Store, job: str) -> list[tuple[Any, ...]]:
    query = (
        "SELECT position, sample, text, answer, reasoning, finish, tokens, logprob, token_logprob"
        " FROM surrogate_generations WHERE job = ? ORDER BY position, sample"
    )
    with store.database.connection() as database:
        return list(database.execute(query, (store.row(job).number,)).fetchall())


@pytest.mark.parametrize("files", [False, True])
def test_shards_become_one_job_with_all_their_rows(
    files: bool, store: Store, neyman_home: Path, tmp_path: Path
) -> None:
    save_pool(POOL, neyman_home)
    shards = [Shard(i, 2) for i in range(2)]
    shares = [[i for i in range(6) if shard.has(f"i{i}")] for shard in shards]
    assert all(shares)
    places, expected = [], []
    for shard, share in zip(shards, shares, strict=True):
        home = shard.home(tmp_path)
        part_store, job = part(home, [two(i) for i in share], shard=shard)
        expected += rows(part_store, job)
        places.append(home)
        if files:
            places[-1] = tmp_path / f"{shard.index}.parquet"
            write_part(part_store, job, places[-1])
    first = merge(store, places[:1])
    n = len(shares[0])
    assert (first.added, first.coverage) == (2 * n, Coverage(n, 0, 6 - n))
    assert first.missing_shards == ("1/2",) and progress(store, first.job).resumable
    both = merge(store, places)
    assert (both.job, both.added, both.present) == (first.job, 12 - 2 * n, 2 * n)
    assert both.coverage == Coverage(6, 0, 0) and not both.missing_shards
    assert rows(store, both.job) == sorted(expected)
    now = progress(store, both.job)
    assert (now.state, now.done, now.generations, now.spec.shard) == ("done", 6, 12, None)
    assert partitions(store, both.job).items.tolist() == [6]
    again = merge(store, places)
    assert (again.added, again.present, again.coverage) == (0, 12, Coverage(6, 0, 0))


def test_a_folder_of_shards_is_searched_and_gives_the_pool(store: Store, tmp_path: Path) -> None:
    for index in range(3):
        shard = Shard(index, 3)
        part(shard.home(tmp_path), [two(i) for i in range(6) if shard.has(f"i{i}")], shard=shard)
    merged = merge(store, [tmp_path / "shards"])
    assert merged.coverage == Coverage(6, 0, 0)
    assert pool_with(store, Archive(store.folder).pools.load(POOL.digest), merged.job).n_generations == 2


def test_what_is_there_is_never_replaced_and_halves_of_an_item_make_a_whole(store: Store, tmp_path: Path) -> None:
    first, second = Generation(0, "Answer: 1", "1"), Generation(1, "Answer: 2", "2")
    other = Generation(0, "Answer: 7", "7")
    one, _ = part(tmp_path / "one", [Event(0, [first]), Event(3, [second])])
    two_, _ = part(tmp_path / "two", [Event(0, [other, second]), Event(3, [second])])
    merged = merge(store, [one.folder, two_.folder])
    assert (merged.added, merged.present, merged.coverage) == (3, 2, Coverage(1, 1, 4))
    assert [row[:3] for row in rows(store, merged.job)] == [
        (0, 0, "Answer: 1"),
        (0, 1, "Answer: 2"),
        (3, 1, "Answer: 2"),
    ]
    assert progress(store, merged.job).done == 1


def test_rows_of_an_item_may_lie_far_apart(
    store: Store, neyman_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.surrogate.merge._TOGETHER", 2)
    parts = []
    for sample in range(2):
        files, job = part(tmp_path / f"{sample}", [Event(i, [Generation(sample, "Answer: 1", "1")]) for i in range(6)])
        parts.append(tmp_path / f"{sample}.parquet")
        write_part(files, job, parts[-1])
    save_pool(POOL, neyman_home)
    merged = merge(store, [tmp_path / "0.parquet", tmp_path / "1.parquet"])
    assert merged.coverage == Coverage(6, 0, 0)
    assert (progress(store, merged.job).generations, partitions(store, merged.job).items.tolist()) == (12, [6])


def test_items_that_failed_for_good_are_not_asked_again(store: Store, tmp_path: Path) -> None:
    final, passing = Failure("too long", "It is.", True), Failure("no answer", "None.", False)
    one, _ = part(
        tmp_path / "one", [two(0), Event(1, failure=final), Event(2, failure=final), Event(3, failure=passing)]
    )
    two_, _ = part(tmp_path / "two", [two(2)])
    merged = merge(store, [one.folder, two_.folder])
    assert [item.position for item in failures(store, merged.job)] == [1]
    now = progress(store, merged.job)
    assert (now.done, now.failed, now.total, now.state) == (2, 1, 6, "stopped")


def test_lists_of_items_are_merged_to_the_items_of_all(store: Store, tmp_path: Path) -> None:
    one, _ = part(tmp_path / "one", [two(0)], items=("i0", "i1"))
    two_, _ = part(tmp_path / "two", [two(4)], items=("i4",))
    merged = merge(store, [one.folder, two_.folder])
    assert merged.coverage == Coverage(2, 0, 1)
    assert store.row(merged.job).spec.items == ("i0", "i1", "i4")
    assert merge(store, [two_.folder, one.folder]).job == merged.job
    whole, _ = part(tmp_path / "whole", [two(5)])
    assert merge(store, [one.folder, two_.folder, whole.folder]).coverage == Coverage(3, 0, 3)


def test_one_part_under_several_names_is_one_part(store: Store, neyman_home: Path, tmp_path: Path) -> None:
    save_pool(POOL, neyman_home)
    home, job = part(tmp_path / "parts" / "home", [two(0)])
    file = tmp_path / "parts" / "0.parquet"
    write_part(home, job, file)
    # Round in circles, too.
    (tmp_path / "parts" / "again").symlink_to(home.folder)
    (tmp_path / "parts" / "0-again.parquet").symlink_to(file)
    (tmp_path / "parts" / "up").symlink_to(tmp_path)
    (tmp_path / "parts" / "odd" / "neyman.sqlite").mkdir(parents=True)
    merged = merge(store, [tmp_path / "parts", file, file, home.folder, home.folder / "neyman.sqlite"])
    assert (merged.added, merged.present, merged.contradicted) == (2, 2, 0)


def test_a_part_that_contradicts_what_is_there_is_told(store: Store, tmp_path: Path) -> None:
    one, _ = part(tmp_path / "one", [two(0), two(1)])
    other = Event(1, sampled("Answer: 1", "Answer: 8"), (1, 1))
    two_, _ = part(tmp_path / "two", [two(0), other])
    merged = merge(store, [one.folder, two_.folder])
    assert (merged.added, merged.present, merged.contradicted) == (4, 4, 1)
    assert str(merged) == Saying("4 there before", "another answer", "1 of them")


def test_a_shard_without_items_is_not_missing(store: Store, tmp_path: Path) -> None:
    shards = [Shard(i, 9) for i in range(9)]
    homes = [
        part(tmp_path / str(shard.index), [two(i) for i in range(6) if shard.has(f"i{i}")], shard=shard)[0].folder
        for shard in shards
    ]
    merged = merge(store, homes)
    assert merged.coverage == Coverage(6, 0, 0) and not merged.missing_shards


def test_parts_of_other_work_are_refused_by_name_or_left_aside(store: Store, tmp_path: Path) -> None:
    one, _ = part(tmp_path / "one", [two(0)])
    two_, _ = part(tmp_path / "two", [two(1)], model="other")
    three, _ = part(tmp_path / "three", [two(1)], seed=3)
    for other, name in ((two_, "model"), (three, "seed")):
        with pytest.raises(SurrogateError, match=f"differ in {name}"):
            merge(store, [one.folder, other.folder])
    assert store.rows() == []
    work = two_.rows()[0].spec.work
    merged = merge(store, [one.folder, two_.folder], work=work[:12])
    assert (merged.added, store.row(merged.job).spec.model) == (2, "other")
    with pytest.raises(SurrogateError, match="nothing to merge"):
        merge(store, [one.folder], work="f" * 64)


def test_a_pool_must_be_there_and_the_right_one(store: Store, neyman_home: Path, tmp_path: Path) -> None:
    parts, job = part(tmp_path / "one", [two(0)])
    write_part(parts, job, tmp_path / "0.parquet")
    with pytest.raises(SurrogateError, match="--pool"):
        merge(store, [tmp_path / "0.parquet"])
    with pytest.raises(SurrogateError, match="another pool"):
        merge(store, [tmp_path / "0.parquet"], save_pool(pool_of(3), neyman_home))
    assert merge(store, [tmp_path / "0.parquet"], save_pool(POOL, neyman_home)).added == 2
    with pytest.raises(SurrogateError, match="There is no"):
        merge(store, [tmp_path / "nowhere"])


def test_a_second_part_keeps_the_first_ones_generations(store: Store, neyman_home: Path, tmp_path: Path) -> None:
    pool, parts = POOL, []
    for index in range(2):
        shard = Shard(index, 2)
        share = [i for i in range(6) if shard.has(f"i{i}")]
        job = with_events(store, neyman_home, pool, [two(i) for i in share], shard=shard)
        export(store, pool, job, tmp_path / f"{index}.jsonl")
        pool = pool_with(store, pool, job)
        parts.append(share)
    assert list(pool.generations or ()) == [[f"Answer: {i}", "Answer: 9"] for i in range(6)]
    assert pool.logprobs is not None and (pool.logprobs == -2.0).all()
    some = with_events(
        store, neyman_home, pool, [Event(2, sampled("Answer: 3", "Answer: 4"), (1, 1))], items=("i2", "i3")
    )
    texts = list(pool_with(store, pool, some).generations or ())
    # The list's items are the job's, answered or not; all others keep what they had.
    assert texts[2:5] == [["Answer: 3", "Answer: 4"], [], ["Answer: 4", "Answer: 9"]]


def test_jobs_of_one_home_are_merged_and_the_merged_one_is_none_of_its_parts(store: Store, neyman_home: Path) -> None:
    for i in range(2):
        with_events(store, neyman_home, POOL, [two(i)], items=(f"i{i}",))
    merged = merge(store, [neyman_home])
    assert (merged.added, merged.coverage) == (4, Coverage(2, 0, 0))
    assert merge(store, [neyman_home]).added == 0
    assert JobSpec.from_json(store.row(merged.job).spec_json) == replace(store.rows()[-1].spec, items=("i0", "i1"))
