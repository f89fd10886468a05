"""One piece of work on every engine: the same rows for the same seeds, compared one by one."""

from __future__ import annotations

import json
import os
import random
import sqlite3
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import psutil
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from core.readers import read
from core.surrogate import cli
from core.surrogate.job.parameters import KEY_VARIABLE
from core.surrogate.job.store import Store
from tests.core.surrogate.batch.fake_service import batch_service
from tests.core.surrogate.conftest import Fake, fork, pool_of
from tests.core.surrogate.fake_server import Fake as Answers

N_ITEMS, K = 40, 3
ROWS = N_ITEMS * K
BEHAVIOUR: dict[str, Any] = {"deterministic": True, "answers": 1_000}


def surrogate(*words: str) -> None:
    assert cli.main(words) == 0


def sorted_rows(path: Path) -> pa.Table:
    return pq.read_table(path).sort_by([("item", "ascending"), ("sample", "ascending")])


@pytest.fixture
def options(tmp_path: Path) -> list[str]:
    """The options of the work, but for its server."""
    pool_of(N_ITEMS).write(tmp_path / "pool.jsonl")
    return [f"--pool={tmp_path / 'pool.jsonl'}", "--model=m", f"--k={K}", "--seed=5"]


@pytest.fixture
def single(neyman_home: Path, tmp_path: Path, options: list[str], fake: Fake) -> pa.Table:
    """The rows of one machine."""
    path = tmp_path / "single.parquet"
    surrogate("run", *options, f"--base-url={fake(**BEHAVIOUR).url}", f"--out={path}", "--rows")
    rows = sorted_rows(path)
    assert len(rows) == ROWS and len(set(rows.column("seed").to_pylist())) == ROWS
    assert len(set(rows.column("text").to_pylist())) > ROWS / 2
    return rows


def test_a_whole_is_made_of_shards(
    neyman_home: Path, tmp_path: Path, options: list[str], fake: Fake, single: pa.Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Servers that take all samples together, four at most, or one by one: it makes no difference.
    servers = [fake(**BEHAVIOUR, **more) for more in ({}, {"most": 2}, {"ignore_n": True})]
    parts = []
    for index, server in enumerate(servers):
        parts.append(tmp_path / f"part-{index}.parquet")
        with monkeypatch.context() as patch:
            task = {"ID": index + 1, "COUNT": 3, "MIN": 1, "MAX": 3, "STEP": 1}
            for name, value in task.items():
                patch.setenv(f"SLURM_ARRAY_TASK_{name}", str(value))
            surrogate("run", *options, f"--base-url={server.url}", f"--out={parts[-1]}")
        assert (neyman_home / "shards" / f"{index}-of-3" / "neyman.sqlite").exists()
    assert sum(pq.read_metadata(part).num_rows for part in parts) == ROWS
    for name, sources in (("files", parts), ("stores", [neyman_home / "shards"])):
        monkeypatch.setenv("NEYMAN_HOME", str(tmp_path / name))
        merge = ["merge", *map(str, sources), f"--pool={tmp_path / 'pool.jsonl'}"]
        surrogate(*merge, f"--out={tmp_path / name}.parquet", "--rows")
        assert sorted_rows(tmp_path / f"{name}.parquet").equals(single)
        surrogate(*merge, f"--out={tmp_path / name}.jsonl")
        assert read(tmp_path / f"{name}.jsonl").n_generations == K


def test_the_only_shard_is_the_whole_pool(
    neyman_home: Path, tmp_path: Path, options: list[str], fake: Fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {"ID": 1, "COUNT": 3, "MIN": 0, "MAX": 2}.items():
        monkeypatch.setenv(f"SLURM_ARRAY_TASK_{name}", str(value))
    out = tmp_path / "whole.jsonl"
    surrogate("run", *options, f"--base-url={fake(**BEHAVIOUR).url}", "--shard=0/1", f"--out={out}")
    assert (read(out).n_items, read(out).n_generations) == (N_ITEMS, K)
    assert [row.done for row in Store(neyman_home).rows()] == [N_ITEMS]


def test_run_batch_files_of_each_shard_give_the_same(
    neyman_home: Path, tmp_path: Path, options: list[str], single: pa.Table, capsys: pytest.CaptureFixture[str]
) -> None:
    for index in range(2):
        shard, folder = f"--shard={index}/2", tmp_path / f"requests-{index}"
        surrogate("batch", "write", *options, shard, "--format=vllm", f"--out={folder}", *(["--one-each"] * index))
        said = capsys.readouterr()
        job = said.err.split("Job ")[1].split()[0]
        assert "-m vllm.entrypoints.openai.run_batch" in said.err
        results = tmp_path / f"results-{index}.jsonl"
        answer(sorted(folder.iterdir()), results)
        surrogate("batch", "read", job, str(results), shard)
        surrogate("export", job, shard, "--rows", f"--out={tmp_path / f'batch-{index}.parquet'}")
    merged = tmp_path / "merged.parquet"
    # The job of the single run is done, so the merge only says so; the parts themselves are compared, too.
    surrogate("merge", *(str(tmp_path / f"batch-{i}.parquet") for i in range(2)), "--rows", f"--out={merged}")
    tables = [pq.read_table(tmp_path / f"batch-{index}.parquet") for index in range(2)]
    both = pa.concat_tables(tables).sort_by([("item", "ascending"), ("sample", "ascending")])
    assert both.equals(single) and sorted_rows(merged).equals(single)


def answer(requests: Sequence[Path], results: Path) -> None:
    """What ``vllm.entrypoints.openai.run_batch`` does, in another order."""
    fake = Answers(BEHAVIOUR)
    lines = [json.loads(line) for path in requests for line in path.read_text().splitlines()]
    random.Random(1).shuffle(lines)
    with results.open("w") as file:
        for line in lines:
            body = fake.completion(line["body"], line["body"].get("n", 1))
            response = {"status_code": 200, "request_id": "r", "body": body}
            file.write(json.dumps({"id": "i", "custom_id": line["custom_id"], "response": response, "error": None}))
            file.write("\n")


def test_openais_batch_api_gives_the_same(
    tmp_path: Path, options: list[str], single: pa.Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NEYMAN_HOME", str(tmp_path / "batches"))
    monkeypatch.setattr("core.surrogate.batch.MAX_LINES", 15)
    with batch_service() as service:
        monkeypatch.setenv(KEY_VARIABLE, service.key)
        surrogate("batch", "submit", *options, f"--base-url={service.url}")
        (row,) = Store(tmp_path / "batches").rows()
        for batch in list(service.batches):
            service.end(batch, "expired", answered=9)
        surrogate("batch", "fetch", row.id)
        surrogate("batch", "submit", "--job", row.id)
        for batch in list(service.batches)[3:]:
            service.end(batch)
        surrogate("batch", "fetch", row.id)
    surrogate("export", row.id, "--rows", f"--out={tmp_path / 'openai.parquet'}")
    assert sorted_rows(tmp_path / "openai.parquet").equals(single)


def test_shards_that_are_killed_lose_and_double_nothing(
    tmp_path: Path, options: list[str], fake: Fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance, home = random.Random(4), tmp_path / "home"
    monkeypatch.setenv("NEYMAN_HOME", str(home))
    server = fake(**BEHAVIOUR, latency=0.1)
    words, status = ["run", *options, f"--base-url={server.url}", "--concurrency=1"], tmp_path / "status"

    def run(shard: int) -> psutil.Process:
        return fork(tmp_path / "log", [*words, f"--shard={shard}/2"], os.environ, status=f"{status}-{shard}")

    generated: dict[tuple[int, int, int], str] = {}
    # Each is killed in its first run, and one also after it was resumed.
    for killed in ((0, 1), (1,), ()):
        running = {index: run(index) for index in killed or (0, 1)}
        if not killed:
            server.behave(latency=0)
        for index, process in running.items():
            if killed:
                before = stored(home, index)
                while len(stored(home, index)) < len(before) + K and process.is_running():
                    time.sleep(0.05)
                time.sleep(chance.uniform(0, 0.1))
                process.kill()
            process.wait(120)
            ended = Path(f"{status}-{index}")
            assert (ended.read_text() if ended.exists() else "killed") == ("killed" if killed else "0")
        now = {(index, *key): text for index in range(2) for key, text in stored(home, index).items()}
        assert generated.items() <= now.items() and (len(now) > len(generated))
        generated = now
    monkeypatch.setenv("NEYMAN_HOME", str(tmp_path / "merged"))
    out = tmp_path / "merged.parquet"
    surrogate("merge", str(home / "shards"), "--rows", f"--out={out}")
    rows = pq.read_table(out)
    keys = list(zip(rows.column("item").to_pylist(), rows.column("sample").to_pylist(), strict=True))
    assert sorted(keys) == sorted((f"i{item}", sample) for item in range(N_ITEMS) for sample in range(K))
    assert sorted(rows.column("text").to_pylist()) == sorted(generated.values())


def stored(home: Path, shard: int) -> dict[tuple[int, int], str]:
    """The texts that a shard of two has stored, by item and sample."""
    path = home / "shards" / f"{shard}-of-2" / "neyman.sqlite"
    if not path.exists():
        return {}
    query = "SELECT position, sample, text FROM surrogate_generations"
    with closing(sqlite3.connect(path)) as database:
        # A worker that has just begun has no tables yet.
        if not database.execute("SELECT * FROM sqlite_master WHERE name = 'surrogate_generations'").fetchall():
            return {}
        return {(position, sample): text for position, sample, text in database.execute(query)}


def test_a_pool_that_is_kept_already_can_be_sharded_by_its_digest(
    neyman_home: Path, options: list[str], single: pa.Table, fake: Fake
) -> None:
    (files,) = (neyman_home / "pools").glob("*.parquet")
    words = [f"--pool={files.stem[:12]}", *options[1:], f"--base-url={fake(**BEHAVIOUR).url}", "--shard=1/4"]
    surrogate("run", *words)
    (row,) = Store(neyman_home / "shards" / "1-of-4").rows()
    assert row.done == row.total and 0 < row.total < N_ITEMS
    assert row.digest == files.stem
