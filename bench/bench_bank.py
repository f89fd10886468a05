"""Opening the bank of a home with many past models, looking a target up in it, and version gates, also of two logs."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

from bench import Row, median
from bench.pools import ITEMS, answered, prompt_of
from core.archive import Archive
from core.bank import Bank, gather
from core.gates import chances, gate
from core.pool import Pool
from tests.conftest import ROOT

MODELS = tuple(f"m{number}" for number in range(30))
_NOW = "2026-11-25T12:00:00+00:00"


def rows() -> list[Row]:
    pool = answered(MODELS, ["new"])
    size = f"N = {ITEMS:,}, {len(MODELS)} past models"
    with tempfile.TemporaryDirectory() as folder:
        archive = Archive(Path(folder))
        archive.pools.save(pool, _NOW)
        bank = gather(archive, _NOW)
        planned = gate(pool, "m29", "new", bank=bank)
        return [
            (f"opening the bank of a home, {size}", median(partial(gather, archive, _NOW)), 2.0),
            (f"what it knows of a target, {size}", median(partial(bank.lookup, pool, "new")), 2.0),
            (f"Bank.of a pool, {size}", median(partial(Bank.of, pool)), 5.0),
            (f"version gate, {size}", median(partial(gate, pool, "m29", "new", bank=bank)), 1.0),
            ("chances of a version gate and of a usual one", median(partial(chances, planned)), 0.5),
            *_command(Path(folder), pool),
        ]


def _command(folder: Path, pool: Pool) -> list[Row]:
    """The command as it is started, on a log of each of two versions: until it says what it compares, and in all."""
    logs = [folder / f"{name}.jsonl" for name in ("m28", "m29")]
    for path in logs:
        answers, losses = pool.target_answers(path.stem), pool.losses(path.stem)
        given = zip(pool.ids, answers.tolist(), losses.tolist(), strict=True)
        lines = (
            json.dumps(
                {"id": item, "prompt": prompt_of(item), "targets": {path.stem: {"answer": answer, "loss": loss}}}
            )
            for item, answer, loss in given
        )
        path.write_text("\n".join(lines), encoding="utf-8")
    first, whole = [], []
    for _ in range(5):
        start = time.perf_counter()
        words = [sys.executable, "-m", "neyman", "gate", *map(str, logs)]
        with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=ROOT) as child:
            assert child.stderr is not None
            child.stderr.readline()
            first.append(time.perf_counter() - start)
        whole.append(time.perf_counter() - start)
    size = f"two logs of {ITEMS:,} items"
    return [
        (f"neyman gate, {size}, until it says something", statistics.median(first), 1.0),
        (f"neyman gate, {size}", statistics.median(whole), 10.0),
    ]
