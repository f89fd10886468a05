"""Times of opening pools: JSON Lines with long generations, and a million items from Parquet.

What comes from outside is read in another process: how much longer that takes, if one waits and if none does.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from bench import Row, median
from bench.pools import parquet
from core.archive import Quarantine
from core.labels import read as read_labels
from core.pool import Pool
from core.readers import read
from tests.conftest import ROOT

_DEMO = ROOT / "data" / "demo.jsonl.gz"
_PUBLISHED = ROOT / "data" / "mmlu-pro.parquet"
_REPEATS = 10
_FILTERS = ("strict-match", "maj@10")
_WORDS = ["therefore", "the", "answer", "is", "of", "seventeen", "“quoted”", "option", "because", "x²", "\n", "$y_1$"]


def rows() -> list[Row]:
    """(what, median seconds, limit in seconds) of each measurement."""
    with tempfile.TemporaryDirectory() as folder:
        lines = _long_generations(Path(folder) / "long.jsonl")
        million = parquet(Path(folder) / "million.parquet", 1_000_000)
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
    _write_log(path, 1e9)
    seconds, gigabytes = _measured(path)
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

    # What is read, here and in quarantine.
    both: dict[str, tuple[Callable[[], object], Callable[[], object]]] = {
        "demo pool": (lambda: read(_DEMO), lambda: quarantine.pool(_DEMO, None, folder)),
        "12,032 × 10 texts": (lambda: read(lines), lambda: quarantine.pool(lines, None, folder)),
        "10,000 labels": (lambda: read_labels(labels), lambda: quarantine.labels(labels, None, folder)),
    }
    rows: list[Row] = []
    for name, (here, there) in both.items():
        more = max(median(there, before=ready) - median(here), 0.0)
        rows.append((f"{name}, more by reading it in a waiting process", more, 0.15))
    cold = median(both["demo pool"][1], before=quarantine.close)
    return [*rows, ("demo pool, in a process not yet started", cold, 1.5)]


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


def _write_log(path: Path, size: float) -> None:
    """Write a log of lm-evaluation-harness of about ``size`` bytes: ten texts of 1.5 KB for each doc, two filters."""
    rng, written, doc = np.random.default_rng(0), 0, 0
    pieces = [" ".join(rng.choice(_WORDS, 250).tolist()) for _ in range(500)]
    with path.open("w", encoding="utf-8") as file:
        while written < size:
            line = _doc(doc, pieces, rng)
            for name in _FILTERS:
                written += file.write(json.dumps({**line, "filter": name}, ensure_ascii=False) + "\n")
            doc += 1


def _doc(number: int, pieces: list[str], rng: np.random.Generator) -> dict[str, object]:
    texts = [
        f"{pieces[place]} The answer is ({'ABCD'[place % 4]})." for place in rng.integers(0, len(pieces), _REPEATS)
    ]
    question = f"Question {number}: {pieces[number % len(pieces)][:300]}"
    shots = "\n\n".join(pieces[place] for place in rng.integers(0, len(pieces), 2))
    return {
        "doc_id": number,
        "doc": {
            "question_id": number,
            "question": question,
            "options": ["red", "blue", "green", "grey"],
            "answer": "A",
        },
        "target": "A",
        "arguments": {
            "gen_args_0": {"arg_0": f"{shots}\n\n{question}", "arg_1": {"until": ["\n\n"], "do_sample": True}}
        },
        "resps": [texts],
        "filtered_resps": [texts[0][-3:-2]],
        "metrics": ["exact_match"],
        "doc_hash": f"{number:064x}",
        "prompt_hash": f"{number + 1:064x}",
        "target_hash": f"{number + 2:064x}",
        "exact_match": float(texts[0][-3] == "A"),
    }


def _measured(path: Path) -> tuple[float, float]:
    """Read a log in quarantine, in a separate process; return its seconds of CPU time and its memory, GiB."""
    code = "import sys; from bench.bench_readers import read_here; read_here(sys.argv[1])"
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
    seconds, gigabytes = map(float, done.stdout.split())
    return seconds, gigabytes


def read_here(path: str) -> None:
    """Read a log in quarantine and print what the reader took."""
    quarantine = Quarantine()
    with tempfile.TemporaryDirectory() as folder:
        pool = quarantine.pool(path, None, Path(folder))
    quarantine.close()
    assert pool.n_generations == _REPEATS
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024**2)
