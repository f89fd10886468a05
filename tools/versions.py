"""Trials of carried verdicts and of the version gate, and the tables of docs/versions.md, 5: python -m tools.versions.

A round of carried verdicts is a labelled list of the recommended design: the numbers of wrong answers in each stratum
and among the audits are drawn without replacement, and estimate and limits are those of `core.estimation.carried`, for
all rounds at once. Losses are 0 or 1.
"""

from __future__ import annotations

import gzip
import json
import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.bank.bank import Bank
from core.bank.verdict_rows import Known
from core.design.recommend import recommend
from core.errors import DesignError
from core.estimation.carried import Audit
from core.estimation.intervals import DEFAULT
from core.gates.version_chances import decided_at
from core.gates.version_plan import gate
from core.lab.against.methods import carried_rounds
from core.lab.against.simulated_lists import past_of
from core.pool import Pool
from core.readers import read
from core.simulation.replications import Samples


def gate_trial(
    n_items: int,
    differ: int,
    old_wrong: float,
    margin: float,
    graded: float = 1.0,
    rounds: int = 20_000,
    seed: int = 0,
) -> dict[str, float]:
    """Decide many lists of a gate at its margin, and if the new version is as good as the old one.

    Parameters
    ----------
    n_items : int
        N.
    differ : int
        D, items whose answers differ.
    old_wrong : float
        Share of these that the old version got wrong.
    margin : float
        m.
    graded : float
        Share of these on which the old version is graded, in [0, 1].
    rounds : int
        Lists, if they are simulated.
    seed : int
        Of the lists.

    Returns
    -------
    dict
        labels; false_pass (share of lists that pass a version worse by the margin, or as little more as whole items
        allow), false_fail (that fail one worse by as much, or as little less), power (that pass one as good as the old
        one), of new versions that err alike among these items; worst_pass and worst_fail, the largest of the first two
        over all new versions. NaN if D items cannot make up the difference, or if the list has no exact test.
    """
    planned = gate(_versions(n_items, differ, round(old_wrong * differ), graded), "old", "new", margin, seed=seed)
    # Whole items: at least the margin, and at most.
    above, below = math.ceil(margin * n_items - 1e-9), math.floor(margin * n_items + 1e-9)
    passed, failed = (decided_at(planned, count / n_items, rounds, seed) for count in (above, below))
    test = planned.margin_test()
    worst = (math.nan, math.nan) if test is None else test.most_wrong()
    as_good = decided_at(planned, 0.0, rounds, seed)
    return {
        "labels": planned.n_labels,
        "false_pass": math.nan if passed is None else passed[0],
        "false_fail": math.nan if failed is None else failed[1],
        "power": math.nan if as_good is None else as_good[0],
        "worst_pass": worst[0],
        "worst_fail": worst[1],
    }


def _versions(n_items: int, differ: int, old_wrong: float, graded: float) -> Pool:
    """Items on the first of which answers differ; on the first of those that are graded the old version is wrong."""
    known = np.floor(np.arange(n_items + 1) * graded).astype(int)
    return Pool.from_records(
        {
            "id": str(place),
            "targets": {
                "old": {"answer": "a"} | ({"loss": float(before < old_wrong * graded)} if after > before else {}),
                "new": {"answer": "b" if place < differ else "a"},
            },
        }
        for place, (before, after) in enumerate(pairwise(known))
    )


Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class CarryTrial:
    """A way to carry verdicts over in a trial.

    Parameters
    ----------
    past : tuple of str
        Models whose verdicts are in the bank.
    follows : bool
        Whether nothing is audited.
    logged : int
        Audits of earlier lists, which found as many wrong verdicts as chance has it.
    wrong : float
        Share of the carried verdicts that are wrong, all in one direction: a wrong answer passes for right, or, if
        there are too few wrong ones, the other way round.
    """

    past: tuple[str, ...]
    follows: bool = False
    logged: int = 0
    wrong: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class _Carrying:
    """A bank with the verdicts of a trial."""

    verdicts: Known
    logged: int
    wrong: float

    def lookup(self, pool: Pool, target: str, parser: str | None = None) -> Known:
        return self.verdicts

    def log(self, pool: Pool) -> Audit | None:
        return Audit(self.logged, up=self.logged * self.wrong) if self.logged else None


def carried_trial(
    pool: Pool,
    target: str,
    setting: CarryTrial,
    budget: int,
    rounds: int = 2000,
    seed: int = 0,
    parser: str | None = None,
) -> dict[str, float]:
    """Label a target's list many times, with carried verdicts, and a uniform one beside it.

    Parameters
    ----------
    pool : Pool
        Every outcome of the target is known, 0 or 1.
    target : str
        The target.
    setting : CarryTrial
        What is carried over.
    budget : int
        M.
    rounds : int
        Lists.
    seed : int
        Of the rounds.
    parser : str, optional
        Answer kind of all items.

    Returns
    -------
    dict
        error and width (Uniform = 1), coverage, coverage_error (its standard error), error_error (that of ``error``),
        known (share), audits; the same of the recommended design without a bank as fresh_error, fresh_width and
        fresh_error_error.

    Raises
    ------
    DesignError
        An outcome is not known, or is neither 0 nor 1.
    """
    truth = pool.losses(target, parser)
    if not np.isin(truth, (0.0, 1.0)).all():
        raise DesignError(f"The trial needs every outcome of “{target}”, right or wrong.")
    rng = np.random.default_rng(seed)
    bank = Bank.of(pool)
    past = bank.without(~bank.rows["model"].isin(setting.past).to_numpy())
    verdicts = _spoilt(past.lookup(pool, target, parser), truth, setting.wrong, rng)
    carrying = _Carrying(verdicts, setting.logged, setting.wrong)
    design = recommend(pool, budget, target, setting.past, parser=parser, bank=carrying, follows=setting.follows)
    fresh = recommend(pool, budget, target, setting.past, parser=parser).draw(pool, seed=seed)
    mean = float(truth.mean())
    uniform = _uniform(truth, budget, rounds, rng)
    how = (setting.follows, setting.logged, setting.wrong)
    ours = carried_rounds(design.draw(pool, seed=seed), truth, rounds, rng, *how)
    plain = carried_rounds(fresh, truth, rounds, rng, *how)
    exact = mean * (1 - mean) * truth.size / (truth.size - 1) * (1 / budget - 1 / truth.size)
    squares = (ours["value"] - mean) ** 2 / exact
    others = (plain["value"] - mean) ** 2 / exact
    covered = float(((ours["low"] <= mean + 1e-9) & (mean - 1e-9 <= ours["high"])).mean())
    width = float((uniform["high"] - uniform["low"]).mean())
    return {
        "error": float(squares.mean()),
        "error_error": float(squares.std() / np.sqrt(rounds)),
        "width": float((ours["high"] - ours["low"]).mean()) / width,
        "coverage": covered,
        "coverage_error": float(np.sqrt(max(covered * (1 - covered), 1e-9) / rounds)),
        "known": verdicts.share,
        "audits": float(0 if design.carried is None else design.carried.audits(budget)),
        "fresh_error": float(others.mean()),
        "fresh_error_error": float(others.std() / np.sqrt(rounds)),
        "fresh_width": float((plain["high"] - plain["low"]).mean()) / width,
    }


def _spoilt(known: Known, truth: Array, wrong: float, rng: np.random.Generator) -> Known:
    """Carried verdicts that are right but for a share of them."""
    loss = np.where(known.known, truth, np.nan)
    count = round(wrong * known.n_known)
    for value in (1.0, 0.0):
        places = np.flatnonzero(loss == value)
        chosen = rng.permutation(places)[:count]
        if places.size >= count:
            loss[chosen] = 1.0 - value
            break
    return replace(known, loss=loss, vetoed=np.zeros(truth.size, dtype=bool))


def _uniform(truth: Array, budget: int, rounds: int, rng: np.random.Generator) -> pd.DataFrame:
    ones = int(truth.sum())
    drawn = rng.hypergeometric(ones, truth.size - ones, budget, (rounds, 1))
    sizes, counts = np.array([truth.size]), np.array([budget])
    return Samples(counts, sizes, drawn / budget, drawn * (budget - drawn) / budget).estimates(DEFAULT)


def settings(pool: Pool, target: str, counts: Sequence[int], parser: str | None = None) -> list[CarryTrial]:
    """Return the trials for a target: verdicts that follow, audits without a log, and with one, perfect or not."""
    every = []
    for count in counts:
        past = past_of(pool, target, count, parser)
        every.append(CarryTrial(past, follows=True))
        every += [
            CarryTrial(past, logged=logged, wrong=wrong) for logged in (0, 100) for wrong in (0.0, 0.005, 0.01, 0.03)
        ]
    return every


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
