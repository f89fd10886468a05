"""Times of opening pools: JSON Lines with long generations, and a million items from Parquet.

What comes from outside is read in another process: how much longer that takes, if one waits and if none does.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from bench import Row, large_log, median
from core.archive import Quarantine
from core.labels import read as read_labels
from core.pool import Pool
from core.readers import read
from tests.conftest import ROOT

_DEMO = ROOT / "data" / "demo.jsonl.gz"
_PUBLISHED = ROOT / "data" / "mmlu-pro.parquet"


def rows() -> list[Row]:
    """(what, median seconds, limit in seconds) of each measurement."""
    with tempfile.TemporaryDirectory() as folder:
        lines = _long_generations(Path(folder) / "long.jsonl")
        million = _million(Path(folder) / "million.parquet")
        return [
            ("read 12,032 × 10 texts of 300 characters, JSON Lines", median(lambda: read(lines)), 2.0),
            ("read the bundled results of MMLU-Pro", median(lambda: read(_PUBLISHED)), 0.2),
            ("read 1,000,000 × 10 letters, Parquet", median(lambda: read(million)), 5.0),
            ("digest of 1,000,000 × 10 letters", _fresh(million, lambda pool: pool.digest), 1.0),
            ("classes of 1,000,000 × 10 letters", _fresh(million, lambda pool: pool.classes()), 3.0),
            ("classes of 12,032 × 10 texts, as they are", _fresh(lines, lambda pool: pool.classes()), 1.0),
            *_in_quarantine(Path(folder), lines),
            *_large_log(Path(folder) / "log.jsonl"),
        ]


def _large_log(path: Path) -> list[Row]:
    large_log.write(path, 1e9)
    seconds, gigabytes = large_log.measure(path)
    path.unlink()
    return [
        ("read 1 GB of lm-evaluation-harness, CPU time", seconds, 60.0),
        ("its memory at most", gigabytes, 1.5, "GiB"),
    ]


def _in_quarantine(folder: Path, lines: Path) -> list[Row]:
    quarantine, labels = Quarantine(), b"item_id,label\n" + b"".join(b"q%d,right\n" % row for row in range(10_000))

    def ready() -> None:
        quarantine.warm()
        # Until it has loaded its libraries, as while somebody looks for the file.
        time.sleep(2)

    here = {
        "demo pool": lambda: read(_DEMO),
        "12,032 × 10 texts": lambda: read(lines),
        "10,000 labels": lambda: read_labels(labels),
    }
    there = {
        "demo pool": lambda: quarantine.pool(_DEMO, None, folder),
        "12,032 × 10 texts": lambda: quarantine.pool(lines, None, folder),
        "10,000 labels": lambda: quarantine.labels(labels, None, folder),
    }
    rows = [
        (f"{name}, more by reading it in a waiting process", _more(here[name], there[name], ready)) for name in here
    ]
    cold = median(there["demo pool"], before=quarantine.close)
    return [*((name, seconds, 0.15) for name, seconds in rows), ("demo pool, in a process not yet started", cold, 1.5)]


def _more(here: Callable[[], object], there: Callable[[], object], ready: Callable[[], None]) -> float:
    return max(median(there, before=ready) - median(here), 0.0)


def _fresh(path: Path, work: Callable[[Pool], object]) -> float:
    """Median time of ``work`` on a pool that has not been asked before: a pool keeps what it has made."""
    pool = read(path)
    fresh: list[Pool] = []
    return median(lambda: work(fresh[-1]), before=lambda: fresh.append(Pool(pool.name, pool.table)))


def _long_generations(path: Path) -> Path:
    rng = np.random.default_rng(0)
    words = np.array(["therefore", "the", "answer", "is", "of", "seventeen", "“quoted”", "option", "because", "x²"])
    with path.open("w", encoding="utf-8") as file:
        for item in range(12_032):
            texts = [" ".join(words[rng.integers(0, len(words), 52)]) for _ in range(10)]
            record = {"id": f"q{item}", "prompt": texts[0], "answer": "A", "group": "g", "generations": texts}
            outcome = {"text": texts[1], "answer": "A", "loss": 0.0}
            file.write(json.dumps({**record, "targets": {"model": outcome}}, ensure_ascii=False) + "\n")
    return path


def _million(path: Path) -> Path:
    size, k = 1_000_000, 10
    rng = np.random.default_rng(0)
    letters = pa.array(list("ABCDE"))
    offsets = pa.array(np.arange(0, size * k + 1, k), pa.int32())
    loss = pa.array(rng.integers(0, 2, size).astype(float))
    columns = {
        "id": pa.array([f"q{number}" for number in range(size)]),
        "generations": pa.ListArray.from_arrays(offsets, letters.take(pa.array(rng.integers(0, 5, size * k)))),
        "targets": pa.StructArray.from_arrays([pa.StructArray.from_arrays([loss], ["loss"])], ["model"]),
    }
    pq.write_table(pa.table(columns), path)
    return path
