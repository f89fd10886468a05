"""Several runs of a target on each item: never items or the number of the row; the first counts, said first."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.commands import main
from core.errors import PoolError
from core.pool import Pool
from core.readers import ROWS, FieldMap, Shape, read, read_mapped, read_or_shape, read_results
from tests.conftest import ROOT
from tests.core.readers.guessed import guess, lines, table
from tests.core.wording import Saying

CASES = ROOT / "tests" / "cases"
ITEMS, RUNS = 12, 4


def won(n: int, run: int) -> int:
    return int((3 * n + 2 * run + n * run) % 5 < 2)


FIRST = [won(n, 0) for n in range(ITEMS)]


def note_of(items: int, runs: object) -> str:
    return f"{items} items × {runs} runs. Where one answer is needed, the first run counts."


NOTE = note_of(ITEMS, RUNS)
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
    "attempts with outputs": lambda n: (
        {"id": n, "question": Q(n)}
        | {f"attempt_{r}": f"{n + r} apples" for r in range(RUNS)}
        | {f"attempt_{r}_correct": won(n, r) for r in range(RUNS)}
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
    assert pool.remarks[0] == (NOTE if items == ITEMS else Saying(f"{items} items × "))
    losses = dict(zip(pool.ids.tolist(), pool.losses("m").tolist(), strict=True))
    assert sorted(losses.values()) == sorted(1.0 - score for score in first)
    if items == ITEMS and first is FIRST:
        of_items = sorted([won(n, r) for r in range(RUNS)] for n in range(ITEMS))
        assert sorted((1 - pool.run_losses("m")).tolist()) == of_items and pool.varies("m")
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


def test_runs_are_counted_by_their_numbers_whatever_their_order() -> None:
    rows = [{"task_id": n, "run": f"run_{10 - r}", "correct": won(n, r)} for n in range(ITEMS) for r in range(RUNS)]
    pool = pool_of(table(rows))
    assert pool.losses("m").tolist() == [1.0 - won(n, RUNS - 1) for n in range(ITEMS)]
    ragged = [row for place, row in enumerate(rows) if place not in (0, 1, 7)]
    assert pool_of(table(ragged)).remarks[0] == note_of(ITEMS, f"2 to {RUNS}")


# What names the three runs of item n, and whether the names give them an order: then the last row is the first run.
NAMED_RUNS: dict[str, tuple[Callable[[int], list[Any]], bool]] = {
    "hashes": (lambda n: [f"{(7 * n + 3 * r + 1) * 2654435761 % 2**32:08x}" for r in range(3)], False),
    "hashes with one digit each": (lambda n: ["a3f", "b1c", "e0d"], False),
    "hashes behind a word": (lambda n: ["run-7f3a", "run-09bc", "run-c21d"], False),
    "drawn numbers": (lambda n: [(7 * n + 3 * r + 1) * 2654435761 % 2**30 for r in range(3)], False),
    "three seeds": (lambda n: [48213, 501, 77], False),
    "two seeds and one": (lambda n: [1234, 42, 0], False),
    "names": (lambda n: ["zeta", "beta", "alpha"], False),
    "words with numbers": (lambda n: ["lion-9", "hare-4", "bear-2"], False),
    "numbers": (lambda n: [3, 2, 1], True),
    "whole floats": (lambda n: [11.0, 10.0, 9.0], True),
    "numbers behind a word": (lambda n: ["run 10", "run 9", "run 8"], True),
    "numbers with zeros": (lambda n: ["r011", "r010", "r009"], True),
    "steps": (lambda n: [3000, 2000, 1000], True),
    "numbers within the item": (lambda n: [f"t{n}.{r}-of-3.2025-08-29" for r in (3, 2, 1)], True),
    "numbers of all rows": (lambda n: [3 * n + r for r in (2, 1, 0)], True),
    "times": (lambda n: [f"2025-08-{29 - r}T12:00:0{n % 7}" for r in range(3)], True),
    "times behind a word": (lambda n: [f"run_202508{29 - r}_120000" for r in range(3)], True),
}


@pytest.mark.parametrize("model", [{}, {"model": "m"}], ids=["of a target", "of a model"])
@pytest.mark.parametrize("kind", NAMED_RUNS)
def test_runs_without_an_order_stay_in_that_of_the_file(kind: str, model: dict[str, str]) -> None:
    names, has_order = NAMED_RUNS[kind]
    rows = [
        {"task_id": f"t{n}", **model, "run_id": name, "correct": int(n % 2 == 0 if r == 0 else r == 1)}
        for n in range(ITEMS)
        for r, name in enumerate(names(n))
    ]
    fields = FieldMap({"id": "task_id"}, {"m": {"right": "correct"}}, run="run_id", model="model" if model else "")
    pool = read_mapped(lines(rows), fields)
    assert pool.losses("m").tolist() == [1.0 if has_order else n % 2 for n in range(ITEMS)]
    said = any(note.startswith("“run_id” gives the runs no order") for note in pool.remarks)
    assert said is not has_order


@pytest.mark.parametrize("seeds", [(7, 42, 1234), ("seed 7", "seed 42", "seed 1234"), ("A", "B", "C")], ids=str)
def test_seeds_that_ascend_in_the_file_need_no_word(seeds: tuple[Any, ...]) -> None:
    rows = [{"task_id": n, "seed": one, "correct": won(n, r)} for n in range(ITEMS) for r, one in enumerate(seeds)]
    assert not any("no order" in note for note in pool_of(table(rows)).remarks)


def test_no_other_run_is_taken_in_place_of_a_first_one_without_a_score() -> None:
    rows: list[dict[str, Any]] = [
        {"task_id": n, "run": r, "correct": won(n, r)} for n in range(ITEMS) for r in range(RUNS)
    ]
    rows[0]["correct"] = rows[4]["correct"] = "n/a"
    pool = pool_of(table(rows))
    known = [value for value in pool.losses("m").tolist() if value == value]
    assert known == [1.0 - score for score in FIRST[2:]]
    assert Saying("The first run of 2 items has no score (rows 2 and 6)") in pool.remarks


def test_a_run_that_is_there_twice_is_refused_and_the_same_row_again_is_repeated() -> None:
    rows = [{"task_id": n, "run": r, "correct": won(n, r)} for n in range(ITEMS) for r in range(RUNS)]
    fields = guess(table(rows))
    with pytest.raises(PoolError) as caught:
        read_mapped(table([*rows, {**rows[3], "correct": 1 - rows[3]["correct"]}]), fields)
    (problem,) = caught.value.problems
    assert (problem.row, problem.field, problem.message) == (50, "run", "run “3” of item “0” is in row 5 too.")
    again = read_mapped(table([*rows, rows[3]]), fields)
    assert again.account is not None and (again.account.repeated, again.account.further) == (1, 36)


def test_repeated_ids_without_a_run_are_refused_with_the_way_to_name_it() -> None:
    rows = [{"task_id": f"t{n}", "resolved": won(n, r)} for n in range(ITEMS) for r in range(RUNS)]
    with pytest.raises(PoolError) as caught:
        read_mapped(table(rows), guess(table(rows)))
    remedy = caught.value.problems[0].remedy
    assert "--run PATH" in remedy and remedy.index("--run PATH") < remedy.index("number of the row")


def test_repeated_ids_beside_scored_outputs_are_not_left_for_the_number_of_the_row() -> None:
    rows = [{"id": f"t{n}", "output": f"It is {n + r}.", "score": won(n, r)} for n in range(ITEMS) for r in range(RUNS)]
    pool = read_mapped(table(rows), guess(table(rows)))
    assert (pool.n_items, pool.n_generations) == (ITEMS, RUNS)
    assert [1 - loss for loss in pool.losses("m").tolist()] == FIRST
    assert any("a score other than an earlier row of the same item" in note for note in pool.notes)


def test_all_runs_follow_the_first_rows_of_a_long_file() -> None:
    rows = [{"task_id": n, "trial": r, "success": won(n, r)} for r in range(2) for n in range(500)]
    assert pool_of(table(rows)).remarks[0] == note_of(500, 2)


def test_of_several_models_the_first_run_of_each_counts() -> None:
    rows = [
        {"task_id": n, "model": model, "trial": RUNS - r, "success": won(n + k, RUNS - r)}
        for k, model in enumerate(("gpt-4o", "claude-3"))
        for n in range(ITEMS)
        for r in range(RUNS)
    ]
    pool = pool_of(table(rows))
    assert pool.remarks[0] == NOTE and pool.generations is None
    for k, model in enumerate(("gpt-4o", "claude-3")):
        assert pool.losses(model).tolist() == [1.0 - won(n + k, 1) for n in range(ITEMS)]


def test_of_several_models_with_all_runs_in_a_row_the_first_counts() -> None:
    models = ("gpt-4o", "claude-3")
    rows = [
        {"task": f"t{n}", "model": model} | {f"trial_{r}": won(n + k, r) for r in range(RUNS)}
        for n in range(ITEMS)
        for k, model in enumerate(models)
    ]
    pool = pool_of(table(rows))
    assert pool.remarks[0] == NOTE
    assert [pool.losses(model).tolist() for model in models] == [
        [1.0 - won(n + k, 0) for n in range(ITEMS)] for k in range(len(models))
    ]


def test_trials_listed_by_their_tasks_are_runs() -> None:
    tasks = {f"t{n}": [{"trial": r, "success": bool(won(n, r))} for r in range(RUNS)] for n in range(ITEMS)}
    check(pool_of(json.dumps(tasks).encode()))


def test_runs_of_a_surrogate_stay_its_samples() -> None:
    rows = [{"id": n, "question": Q(n), "run": r, "output": f"{n + r}"} for n in range(ITEMS) for r in (2, 0, 1)]
    pool = pool_of(table(rows))
    assert pool.generations == [[f"{n + r}" for r in range(3)] for n in range(ITEMS)] and not pool.targets
    assert "first run" not in " ".join(pool.remarks)


LOGS = Path(__file__).parent / "fixtures" / "tools"
NAMED = {
    "inspect.eval": "mockllm/model",
    "inspect.json.gz": "mockllm/model",
    "promptfoo.json.gz": "toy",
    "lm_eval_toy_texts.jsonl": "lm_eval_toy_texts",
    "evalscope_reviews.jsonl": "toy",
    "lighteval.parquet": "lighteval",
    "opencompass.json": "opencompass",
    "evalplus_eval_results.json": "evalplus",
}


@pytest.mark.parametrize("log", NAMED)
def test_of_a_tools_repeats_a_target_has_the_first_and_a_surrogate_all(log: str) -> None:
    results = read_results({log: LOGS / log})
    (model,) = results.models
    assert model == NAMED[log]
    (most,) = results.samples
    pool = results.pool([], [model])
    assert pool.remarks[0] == note_of(pool.n_items, most) and most > 1
    assert results.pool([model], []).n_generations == most
    assert not any("first run" in note for note in results.pool([model], []).remarks)


def test_scores_alone_of_several_runs_make_a_target() -> None:
    statuses = {
        f"HumanEval/{n}": {"base": [["success" if won(n, r) else "fail", []] for r in range(RUNS)]}
        for n in range(ITEMS)
    }
    text = json.dumps({"date": "2024", "eval": statuses}).replace('"success"', '"pass"')
    pool = read(text.encode(), "m_eval_results.json")
    check(pool)


@pytest.mark.parametrize(
    ("case", "items", "share"), [("tau_bench.json", 15, 5 / 15), ("agent_trials_task_id.csv", 15, 4 / 15)]
)
def test_cases_of_agents_in_python_and_on_the_command_line(case: str, items: int, share: float, capsys: Any) -> None:
    note = f"{items} items × 4 runs. Where one answer is needed, the first run counts."
    pool = read(CASES / case)
    assert pool.n_items == items and pool.remarks[0] == note and Saying("fields are guessed") in pool.remarks
    assert 1 - pool.losses(next(iter(pool.targets))).mean() == pytest.approx(share)
    assert main(["pool", "map", str(CASES / case)]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said.index(note) + 1 == next(place for place, line in enumerate(said) if line.startswith("1 in “"))
    chosen = ["--run", "attempt", "--id", "task_id", "--target", "m:right=resolved"]
    if case.endswith("csv"):
        assert main(["pool", "map", str(CASES / case), *chosen]) == 0 and note in capsys.readouterr().out


def test_terminal_bench_has_a_score_and_few_fields() -> None:
    shape = Shape.of(CASES / "terminal_bench_results.json")
    assert shape.guess.targets == {"terminal_bench_results": {"right": "is_resolved"}} and len(shape.places) < 20
    pool = read(CASES / "terminal_bench_results.json")
    assert pool.n_items == 20 and pool.losses("terminal_bench_results").mean() == pytest.approx(0.45)
    # With the id of the run above, that was one item.
    trials = json.loads((CASES / "terminal_bench_results.json").read_bytes())["results"]
    assert read(json.dumps({"id": "run 1", "results": trials, "accuracy": 0.55}).encode()).n_items == 20


def test_a_map_with_runs_comes_back_from_where_it_was_kept() -> None:
    for fields in (
        FieldMap({"id": ("a", "b")}, {"m": {"right": "r"}}, run="run", reviewer="who", model=("x", "y")),
        FieldMap({"id": "a"}, {"m": {"right": "r1"}}, run=("r1", "r2")),
    ):
        assert FieldMap.of_json(json.loads(json.dumps(fields.as_json()))) == fields
    old = {"fields": {"id": "a"}, "targets": {}, "columns": [], "judges": [], "model": ""}
    assert FieldMap.of_json(old) == FieldMap({"id": "a"})


@pytest.mark.parametrize(
    ("held", "score", "run"),
    [
        (lambda scores: {"results": scores}, "results", "results"),
        (lambda scores: {"results": [{"ok": one} for one in scores]}, "results[].ok", "results"),
        (lambda scores: {"results": [{"ok": one} for one in scores]}, "results[].ok", "results[].ok"),
        (lambda scores: {"out": {"results": [{"ok": one} for one in scores]}}, "out.results[].ok", "out.results"),
        (lambda scores: {"out": {"results": [{"ok": one} for one in scores]}}, "out.results[].ok", "out"),
    ],
)
def test_the_list_that_holds_the_scores_of_all_runs_may_be_named_as_the_run(
    held: Callable[[list[int]], dict[str, Any]], score: str, run: str, tmp_path: Path
) -> None:
    """“--run results” was ignored beside “results[].ok”, and the mean of all runs counted."""
    file, out = tmp_path / "runs.jsonl", tmp_path / "pool.parquet"
    rows = [{"id": n, "question": Q(n), **held([won(n, r) for r in range(RUNS)])} for n in range(ITEMS)]
    file.write_bytes(lines(rows))
    given = ["pool", "map", str(file), f"--target=m:right={score}"]
    assert main([*given, f"--run={run}", "--out", str(out)]) == 0
    pool = read(out)
    assert pool.losses("m").tolist() == [1 - one for one in FIRST]
    mean = read_mapped(file, FieldMap({"id": "id"}, {"m": {"right": score}}))
    assert any("up to 4 scores in" in note and f"--run {score}" in note for note in mean.notes)


def test_a_list_that_numbers_no_run_is_refused() -> None:
    rows = [{"id": n, "score": 0.5, "results": [0, 1]} for n in range(ITEMS)]
    with pytest.raises(PoolError) as caught:
        read_mapped(lines(rows), FieldMap({"id": "id"}, {"m": {"right": "score"}}, run="results"))
    assert [(one.row, one.field) for one in caught.value.problems][:2] == [(1, "results"), (2, "results")]


@pytest.mark.parametrize("said", ["", "It is done"], ids=["scores", "outputs"])
@pytest.mark.parametrize("lost", [0, 1])
def test_of_several_models_no_other_run_is_taken_in_place_of_the_first(said: str, lost: int) -> None:
    """A first run without an output and a score was left out, and the second one counted as the first."""
    rows = [
        {"task": f"t{n}", "model": m, "trial": r, "success": won(n, r)}
        | ({"output": f"{said}: {n}, {r}."} if said else {})
        for n in range(ITEMS)
        for m in ("gpt-4", "claude")
        for r in range(RUNS)
    ]
    rows = [
        {name: "" if row["trial"] == lost and name in ("success", "output") else one for name, one in row.items()}
        for row in rows
    ]
    found = guess(table(rows))
    assert (found.fields["id"], found.model, found.run) == ("task", "model", "trial")
    pool = read_mapped(table(rows), found, "runs")
    assert pool.n_items == ITEMS
    opened = [note for note in pool.notes if "A further run is not taken in its place" in note]
    assert bool(opened) == (lost == 0)


@pytest.mark.parametrize("scored", [False, True], ids=["texts", "scores"])
def test_the_first_row_of_each_id_counts_if_nothing_numbers_the_runs(scored: bool) -> None:
    rows = [
        {"id": f"q{n}", "question": Q(n), "expected": f"{n}", "output": f"{n + 1 - won(n, 0)}"} for n in range(ITEMS)
    ]
    rows = [{**row, "output": output} for row in rows for output in (row["output"], "999")]
    rows = [{**row, "correct": int(row["output"] == row["expected"])} for row in rows] if scored else rows
    with pytest.raises(PoolError, match=f'--run "{ROWS}"'):
        read(table(rows))
    shape = Shape.of(table(rows), "m")
    pool = read_mapped(table(rows), shape.guess.of_first_rows(shape.model))
    assert pool.notes[0] == f"{ITEMS} items × 2 runs. Where one answer is needed, the first run counts."
    assert pool.targets["m"].accuracy() == pytest.approx(sum(FIRST) / ITEMS)
