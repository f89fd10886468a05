"""Print the tables of docs/versions.md, 5: python -m tools.versions [carried | pairs | gates]."""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from core.pool import Pool
from core.readers import read
from tools.carry_trials import CarryTrial, carried_trial, settings
from tools.gate_trials import gate_trial

ROOT = Path(__file__).parents[1]
POOLS = {
    "MMLU-Pro": ROOT / "data" / "mmlu-pro.parquet",
    "GSM8K": ROOT / "tests" / "pools" / "gsm8k-committee10.jsonl.gz",
    "BLINK": ROOT / "tests" / "pools" / "blink-vlm-committee10.jsonl.gz",
}
EXAMS = ROOT / "tests" / "pools" / "exams-gpt35-k10.jsonl.gz"
# Versions of one model, the earlier first.
PAIRS = [
    ("MMLU-Pro", "Meta-Llama-3-8B", "Meta-Llama-3_1-8B-Instruct"),
    ("MMLU-Pro", "Mistral-7B-v0.1", "Mistral-7B-Instruct-v0.2"),
    ("BLINK", "GPT4Turbo", "GPT4o"),
    ("exams", "gpt-3.5-turbo T=0.0", "gpt-3.5-turbo T=1.0"),
]
BUDGETS, ROUNDS, MOST_TARGETS, EVERY = (50, 100, 200), 2000, 4, 99
_OF_PAIRS = ("known", "audits", "error", "width", "coverage", "fresh_error", "fresh_width")
GATES = [
    (n, margin, share, old_wrong, graded)
    for n, margin in ((500, 0.03), (2000, 0.02), (12_032, 0.02))
    for share in (0.05, 0.1, 0.2, 0.4)
    for old_wrong in (0.3, 0.5, 0.7)
    for graded in (1.0, 0.5, 0.0)
]


def pool_of(name: str) -> Pool:
    """A pool of `POOLS` with four targets at least: of BLINK's ten weaker models the two most accurate ones are too."""
    if name != "BLINK":
        return read(POOLS[name])
    with gzip.open(POOLS[name], "rt") as lines:
        records = [json.loads(line) for line in lines]
    for record in records:
        *record["generations"], ninth, tenth = record["generations"]
        for model, answer in (("ninth", ninth), ("tenth", tenth)):
            record["targets"][model] = {"answer": answer, "loss": float(answer != record["answer"])}
    return Pool.from_records(records, name)


def carried() -> Iterator[dict[str, object]]:
    """A row for each pool, target, number of past models, way of carrying and budget."""
    for name in POOLS:
        pool = pool_of(name)
        for target in list(pool.targets)[:MOST_TARGETS]:
            counts = sorted({min(count, len(pool.targets) - 1) for count in (1, 3, EVERY)})
            for setting in settings(pool, target, counts):
                for budget in BUDGETS:
                    row = carried_trial(pool, target, setting, budget, ROUNDS)
                    how = "follows" if setting.follows else f"audited, log {setting.logged}"
                    about = {"pool": name, "target": target, "past": len(setting.past), "how": how}
                    yield {**about, "wrong": setting.wrong, "budget": budget, **row}


def of_carried(rows: pd.DataFrame) -> pd.DataFrame:
    """Means over targets, and the lowest coverage of the cells of each row."""
    tried = []
    for key, part in rows.groupby(["pool", "past", "how"], sort=False):
        cells = {}
        for budget in BUDGETS:
            here = part[part["budget"] == budget].groupby("wrong")[["error", "width"]].mean()
            worst = f" → {here.loc[0.01, 'error']:.3f}" if 0.01 in here.index else ""
            cells[f"M = {budget}"] = f"{here.loc[0.0, 'error']:.3f}{worst} / {here.loc[0.0, 'width']:.2f}"
        names = dict(zip(("pool", "past", "how"), key, strict=True))
        known, least = part["known"].mean(), part["coverage"].min()
        fresh = part.loc[part["budget"] == BUDGETS[1], "fresh_error"].mean()
        tried.append(
            {**names, "known": f"{known:.2f}", **cells, "lowest coverage": f"{least:.3f}", "fresh": f"{fresh:.2f}"}
        )
    return pd.DataFrame(tried)


def pairs() -> pd.DataFrame:
    """A row for each pair of versions, log and budget: error and width beside Uniform's, and those without a bank."""
    rows = []
    for name, old, new in PAIRS:
        pool = pool_of(name) if name in POOLS else read(EXAMS)
        for logged in (0, 100):
            for budget in BUDGETS:
                row = carried_trial(pool, new, CarryTrial((old,), logged=logged), budget, ROUNDS)
                about = {"pool": name, "old": old, "new": new, "log": logged, "budget": budget}
                rows.append(about | {key: row[key] for key in _OF_PAIRS})
    return pd.DataFrame(rows)


def gates() -> pd.DataFrame:
    """A row for each size, margin and share of items that differ: labels, false passes and power."""
    rows = []
    for n, margin, share, old_wrong, graded in GATES:
        row = gate_trial(n, round(n * share), old_wrong, margin, graded, rounds=20_000)
        rows.append({"n": n, "margin": margin, "share": share, "old wrong": old_wrong, "graded": graded, **row})
    return pd.DataFrame(rows)


def printed(table: pd.DataFrame) -> str:
    """A table in Markdown."""
    lines = [" | ".join(map(str, row)) for row in [table.columns, ["---"] * table.shape[1], *table.to_numpy()]]
    return "\n".join(f"| {line} |" for line in lines)


if __name__ == "__main__":
    wanted = sys.argv[1:] or ["carried", "pairs", "gates"]
    if "carried" in wanted:
        print(printed(of_carried(pd.DataFrame(carried()))), flush=True)
    if "pairs" in wanted:
        print(printed(pairs().round(3)), flush=True)
    if "gates" in wanted:
        print(printed(gates().round(4).replace(np.nan, "–")), flush=True)
