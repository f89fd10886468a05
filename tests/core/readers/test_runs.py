"""Several runs of a target on each item: never items or the number of the row; the first counts, said first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from core.pool import Pool
from core.readers import Shape, read_mapped, read_or_shape
from tests.conftest import ROOT
from tests.core.readers.guessed import lines, table
from tests.core.wording import Saying

CASES = ROOT / "tests" / "cases"
ITEMS, RUNS = 12, 4


def won(n: int, run: int) -> int:
    return int((3 * n + 2 * run + n * run) % 5 < 2)


FIRST = [won(n, 0) for n in range(ITEMS)]
NOTE = f"{ITEMS} items, the first of {RUNS} runs of each."
Row = Callable[[int, int], dict[str, Any]]
Q = "How many apples are {} apples?".format

# A row for each item and run; each in the file's order item by item, and run by run.
LONG: dict[str, Row] = {
    "task, trial, success": lambda n, r: {"task": f"t{n}", "trial": r, "success": won(n, r)},
    "task_id, attempt, resolved": lambda n, r: {"task_id": f"t{n}", "attempt": r + 1, "resolved": won(n, r)},
    "instance_id, run_id, resolved": lambda n, r: {"instance_id": f"i-{n}", "run_id": f"r{r}", "resolved": won(n, r)},
    "id, seed, correct": lambda n, r: {"id": n, "seed": 42 + r, "correct": "yes" if won(n, r) else "no"},
    "question_id, epoch, score": lambda n, r: {"question_id": n, "epoch": r + 1, "score": float(won(n, r))},
    "problem_id, sample_idx, passed": lambda n, r: {"problem_id": n, "sample_idx": r, "passed": bool(won(n, r))},
    "case, repeat, pass": lambda n, r: {"case": f"c{n}", "repeat": r, "pass": "PASS" if won(n, r) else "FAIL"},
    "task_id, rollout, reward": lambda n, r: {"task_id": n, "rollout": r, "reward": float(won(n, r))},
    "task_id, Trial No., is_correct": lambda n, r: {"task_id": n, "Trial No.": r, "is_correct": won(n, r)},
    "question, run, correct": lambda n, r: {"question": Q(n), "run": r, "correct": won(n, r)},
    "scenario, iteration, ok": lambda n, r: {"scenario": f"s{n}", "iteration": r, "ok": won(n, r)},
    "a constant id of the experiment": lambda n, r: {"key": "exp7", "task_id": n, "trial": r, "success": won(n, r)},
    "an id of each row": lambda n, r: {"id": f"{n}x{r}", "task_id": n, "trial": r, "is_resolved": won(n, r)},
    "names as terminal-bench has them": lambda n, r: {
        "trial_name": f"t{n}.{r + 1}-of-{RUNS}.2025-08-29",
        "task_id": f"t{n}",
        "instruction": Q(n),
        "is_resolved": bool(won(n, r)),
    },
    "tau-bench with a chat": lambda n, r: {
        "task_id": n,
        "trial": r,
        "reward": float(won(n, r)),
        "info": {"task": {"instruction": Q(n), "outputs": ["a", "b"]}},
        "traj": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": f"{n}, {r}"}],
    },
    "ids within a domain": lambda n, r: {"domain": "ab"[n % 2], "task_id": n // 2, "trial": r, "reward": won(n, r)},
    "Versuch": lambda n, r: {"Nummer": n, "Versuch": r, "richtig": "ja" if won(n, r) else "nein"},
    "試行": lambda n, r: {"番号": n, "試行": r, "正誤": "○" if won(n, r) else "×"},
    "seeds of answers": lambda n, r: {"id": n, "question": Q(n), "seed": r, "output": f"{n + r}", "correct": won(n, r)},
}
WIDE: dict[str, Callable[[int], dict[str, Any]]] = {
    "run_1 …": lambda n: {"task": f"t{n}"} | {f"run_{r + 1}": won(n, r) for r in range(RUNS)},
    "Trial 1 success …": lambda n: {"id": n} | {f"Trial {r + 1} success": won(n, r) for r in range(RUNS)},
    "attempt1 … beside a question": lambda n: (
        {"id": n, "question": Q(n)} | {f"attempt{r}": ("fail", "pass")[won(n, r)] for r in range(RUNS)}
    ),
    "graded_list": lambda n: {
        "question_id": n,
        "question_content": Q(n),
        "code_list": [f"print({n + r})" for r in range(RUNS)],
        "graded_list": [bool(won(n, r)) for r in range(RUNS)],
        "pass@1": sum(won(n, r) for r in range(RUNS)) / RUNS,
    },
    "a list of rewards": lambda n: {"task_id": n, "rewards": [won(n, r) for r in range(RUNS)]},
    "trials[].success": lambda n: {"id": n, "trials": [{"success": bool(won(n, r))} for r in range(RUNS)]},
    "scores beside as many samples": lambda n: {
        "id": n,
        "question": Q(n),
        "samples": [f"{n + r}" for r in range(RUNS)],
        "correct": [won(n, r) for r in range(RUNS)],
    },
}


def pool_of(content: bytes, name: str = "m") -> Pool:
    read = read_or_shape(content, name)
    return read_mapped(content, read.guess, name) if isinstance(read, Shape) else read


def check(pool: Pool, items: int = ITEMS, first: list[int] = FIRST) -> None:
    assert pool.n_items == items and list(pool.targets) == ["m"]
    assert pool.remarks[0] == (NOTE if items == ITEMS else Saying(f"{items} items, the first of"))
    losses = dict(zip(pool.ids.tolist(), pool.losses("m").tolist(), strict=True))
    assert sorted(losses.values()) == sorted(1.0 - score for score in first)
    assert pool.account is None or pool.account.items == items


@pytest.mark.parametrize("by_run", [False, True], ids=["item by item", "run by run"])
@pytest.mark.parametrize("form", LONG)
def test_rows_are_runs_of_an_item_and_the_first_counts(form: str, by_run: bool) -> None:
    pairs = [(n, r) for r in range(RUNS) for n in range(ITEMS)] if by_run else None
    rows = [LONG[form](n, r) for n, r in pairs or [(n, r) for n in range(ITEMS) for r in range(RUNS)]]
    check(pool_of(lines(rows)))
    if not any(isinstance(value, (list, dict)) for value in rows[0].values()):
        check(pool_of(table(rows)))


@pytest.mark.parametrize("form", WIDE)
def test_scores_of_all_runs_in_a_row_are_those_of_runs(form: str) -> None:
    rows = [WIDE[form](n) for n in range(ITEMS)]
    check(pool_of(lines(rows)))
    if not any(isinstance(value, list) for value in rows[0].values()):
        check(pool_of(table(rows)))
