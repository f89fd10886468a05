"""A large log of lm-evaluation-harness, and what reading it takes: ``python -m bench.large_log [GIGABYTES]``.

It is read as the app reads a file that is named at its start: by its path, in a process with limits. CPU time and
memory are those of that process; the texts of the pool stay on the disk until they are looked at.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from core.archive import Quarantine

_REPEATS = 10
_FILTERS = ("strict-match", "maj@10")
_WORDS = ["therefore", "the", "answer", "is", "of", "seventeen", "“quoted”", "option", "because", "x²", "\n", "$y_1$"]


def write(path: Path, size: float) -> int:
    """Write a log of about ``size`` bytes: ten texts of 1.5 KB for each doc, two filters; return the number of docs."""
    rng, written, doc = np.random.default_rng(0), 0, 0
    pieces = [" ".join(rng.choice(_WORDS, 250).tolist()) for _ in range(500)]
    with path.open("w", encoding="utf-8") as file:
        while written < size:
            line = _doc(doc, pieces, rng)
            for name in _FILTERS:
                written += file.write(json.dumps({**line, "filter": name}, ensure_ascii=False) + "\n")
            doc += 1
    return doc


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


def measure(path: Path) -> tuple[float, float]:
    """Read a log in quarantine, in a separate process; return its seconds of CPU time and its memory, GiB."""
    code = "import sys; from bench.large_log import read_here; read_here(sys.argv[1])"
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


def main() -> None:
    """Write a log, read it, and say what that took."""
    size = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "samples_large_2026-01-31T10-00-00.000000.jsonl"
        docs = write(path, size * 1e9)
        seconds, gigabytes = measure(path)
    print(f"{size:g} GB, {docs:,} docs: {seconds:.1f} s of CPU time, {gigabytes:.2f} GiB at most.")


if __name__ == "__main__":
    main()
