"""Shards: which items each has, and which one a task of Slurm is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from core.surrogate.faults import SurrogateError
from core.surrogate.job.source import ItemSource
from core.surrogate.job.spec import Shard, shard_of
from core.surrogate.job.store import Store
from tests.core.surrogate.conftest import pool_of, spec_for


def test_every_item_is_in_exactly_one_shard_of_about_equal_size(store: Store, neyman_home: Path) -> None:
    spec = spec_for(pool_of(4_000), neyman_home, "http://127.0.0.1:9/v1")
    sources = [ItemSource(store.folder, replace(spec, shard=Shard(i, 8))) for i in range(8)]
    positions = [[item.position for item in source.items()] for source in sources]
    assert sorted(place for places in positions for place in places) == list(range(4_000))
    assert [len(places) for places in positions] == [source.size for source in sources]
    # Binomial: mean 500, standard deviation 21.
    assert all(400 < source.size < 600 for source in sources)
    some = tuple(f"i{i}" for i in range(0, 4_000, 8))
    of_some = [ItemSource(store.folder, replace(spec, shard=Shard(i, 2), items=some)).size for i in range(2)]
    assert sum(of_some) == 500 and min(of_some) > 200


def test_work_is_shared_by_shards_and_lists_of_items_and_keys_are_not(store: Store, neyman_home: Path) -> None:
    spec = spec_for(pool_of(2), neyman_home, "http://127.0.0.1:9/v1")
    parts = [spec, *(replace(spec, shard=Shard(i, 3)) for i in range(3)), replace(spec, items=("i1",))]
    assert len({part.work for part in parts}) == 1
    assert len({part.key for part in parts}) == 5
    assert replace(spec, model="n").work != spec.work
    assert [store.row(store.create(part, 1)).spec.shard for part in parts] == [part.shard for part in parts]


ARRAYS = {
    "0-7": ({"ID": "3", "COUNT": "8", "MIN": "0", "MAX": "7", "STEP": "1"}, Shard(3, 8)),
    "1-8": ({"ID": "1", "COUNT": "8", "MIN": "1", "MAX": "8"}, Shard(0, 8)),
    "0-14:2": ({"ID": "14", "COUNT": "8", "MIN": "0", "MAX": "14", "STEP": "2"}, Shard(7, 8)),
    "0": ({"ID": "0", "COUNT": "1", "MIN": "0", "MAX": "0"}, None),
    "no array": ({}, None),
}


@pytest.mark.parametrize("array", ARRAYS)
def test_a_task_of_a_slurm_array_is_a_shard(array: str) -> None:
    environment, shard = ARRAYS[array]
    assert shard_of(None, {f"SLURM_ARRAY_TASK_{name}": value for name, value in environment.items()}) == shard


@pytest.mark.parametrize(("ids", "task"), [((3,), 3), ((4, 5, 6, 7), 4), ((0, 5, 9), 5)])
def test_a_part_of_an_array_does_not_say_how_many_shards_there_are(ids: tuple[int, ...], task: int) -> None:
    values = {"ID": task, "COUNT": len(ids), "MIN": min(ids), "MAX": max(ids), "STEP": 1}
    environment = {f"SLURM_ARRAY_TASK_{name}": str(value) for name, value in values.items()}
    with pytest.raises(SurrogateError, match="Give --shard"):
        shard_of(None, environment)
    assert shard_of(f"{task}/64", environment) == Shard(task, 64)
    assert shard_of("0/1", environment) is None


@pytest.mark.parametrize("text", ["3", "3/", "-1/8", "8/8", "1/0", "0/200000", "a/b"])
def test_what_is_no_shard_is_refused(text: str) -> None:
    with pytest.raises(SurrogateError):
        shard_of(text, {})


def test_a_shard_has_a_home_of_its_own_in_any_home(tmp_path: Path) -> None:
    home = Shard(3, 8).home(tmp_path)
    assert home == tmp_path / "shards" / "3-of-8"
    assert Shard(3, 8).home(home) == home
