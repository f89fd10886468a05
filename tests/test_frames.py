"""Frames never mix: rows of different measures, or of groups and their total, have a column that says which."""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pandas as pd
import pytest

import core as neyman
from core.bank import best_first, differences
from core.judge import figure_table, forecasts
from core.judge.belief import precisions
from core.judge.measures import MEASURES
from core.judge.summary import criteria_frame
from core.lab import ablations, coverage, experiment, lab_tables
from core.lab.across import compare as compare_pools
from core.lab.against import against, against_tables
from core.lab.printing import across_tables
from core.labels import KINDS
from core.pool import Pool
from core.prospect import check, scenario_table
from core.report.sheet import Sheet
from core.signals import calibration
from core.simulation.exact import relative_mse_curve
from core.simulation.trials import monte_carlo_curve
from core.stratification.described import by_group, value_counts
from core.stratification.profiles import merged_table
from core.study import BegunGate, reached
from core.study.items import judged_items
from core.study.judged_pairs import JudgedPairs
from core.study.metrics import ANSWERED, NAMES
from tests.conftest import ROOT

# Columns that say what a row is of.
SAYS_MEASURE = {"measure", "metric", "question"}
SAYS_SCOPE = {"scope", "kind"}
MEASURE_NAMES = {
    name.casefold()
    for name in (
        "mean loss",
        "half-width",
        *(KINDS[kind].measure for kind in KINDS),
        *(f"mean {KINDS[kind].measure}" for kind in KINDS),
        *(text for measure in MEASURES for text in (measure, MEASURES[measure].title)),
        *NAMES,
        *NAMES.values(),
        *ANSWERED,
    )
}
# Their rows are items, labels, plans, pools, models or records, one each, or those of a frame that they are given.
ROWS = (
    "core.archive.",
    "core.gates.version_pool",
    "core.figures.planning",
    "core.judge.checklist",
    "core.lab.ablations:band",
    "core.labels.",
    "core.readers.",
    "core.simulation.exact:beside",
    "core.study.incoming",
    "core.study.record",
    "core.study.worklist",
)
# Columns are benchmarks, and their mean.
WIDE = "core.lab.across:transfer"
# Cells as text, laid out as the paper's tables with the mean as the last line; what is exported are the tidy rows.
SHOWN = "core.lab.shown_tables"
TOTAL = re.compile(r"(all|total|overall|mean|sum|every|whole)\b", re.IGNORECASE)


def mixed(frame: pd.DataFrame) -> str:
    """What rows of a frame mix without saying so; "" if they mix nothing."""
    if not isinstance(frame.index, pd.RangeIndex):
        frame = frame.reset_index()
    texts = {str(name): column for name, column in frame.items() if not pd.api.types.is_numeric_dtype(column)}
    columns = set(map(str, frame.columns))
    for name, column in texts.items():
        values = {value for value in column if isinstance(value, str)}
        measures = {value for value in values if value.casefold() in MEASURE_NAMES}
        if len(measures) > 1 and not columns & SAYS_MEASURE:
            return f"{name}: the measures {sorted(measures)}"
        totals = {value for value in values if TOTAL.match(value)}
        if totals and totals != values and not columns & SAYS_SCOPE:
            return f"{name}: {sorted(totals)} beside {len(values) - len(totals)} others"
    return ""


def public_frames() -> set[str]:
    """Every public function, method and property of core that returns a frame, as ``core.room.module:Class.name``."""

    def below(node: ast.AST, holder: str) -> Iterator[str]:
        for one in ast.iter_child_nodes(node):
            if isinstance(one, ast.ClassDef) and not one.name.startswith("_"):
                yield from below(one, f"{holder}{one.name}.")
            elif isinstance(one, ast.FunctionDef) and not one.name.startswith("_") and one.returns is not None:
                yield from [f"{holder}{one.name}"] * (ast.unparse(one.returns) == "pd.DataFrame")

    texts = {path: path.read_text(encoding="utf-8") for path in sorted((ROOT / "core").rglob("*.py"))}
    return {
        f"{'.'.join(path.relative_to(ROOT).with_suffix('').parts)}:{name}"
        for path, text in texts.items()
        if "-> pd.DataFrame:" in text
        for name in below(ast.parse(text), "")
    }


@contextmanager
def watched() -> Iterator[dict[str, list[pd.DataFrame]]]:
    """Every frame that a function of core returns meanwhile, by the function's name as `public_frames` has it."""
    seen: dict[str, list[pd.DataFrame]] = {}

    def look(frame: FrameType, event: str, value: Any) -> None:
        if event == "return" and isinstance(value, pd.DataFrame):
            module = frame.f_globals.get("__name__", "")
            if module.startswith("core."):
                seen.setdefault(f"{module}:{frame.f_code.co_qualname}", []).append(value)

    before = sys.getprofile()
    sys.setprofile(look)
    try:
        yield seen
    finally:
        sys.setprofile(before)


def ask(thing: object) -> None:
    """Take every frame that an object offers without being told anything."""
    for name in dir(type(thing)):
        member = inspect.getattr_static(type(thing), name)
        function = member.fget if isinstance(member, property) else getattr(member, "func", member)
        if name.startswith("_") or "DataFrame" not in str(getattr(function, "__annotations__", {}).get("return")):
            continue
        if isinstance(member, property | cached_property):
            getattr(thing, name)
        elif not [p for p in list(inspect.signature(function).parameters.values())[1:] if p.default is p.empty]:
            getattr(thing, name)()


def questions() -> Pool:
    """Sixty questions in two subjects, with generations, three versions of a model, and a judge of the first."""
    random, rows = np.random.default_rng(0), []
    for number in range(60):
        ease = random.beta(1.2, 0.9)
        letters = ["ABCD"[letter] for letter in np.where(random.random(6) < ease, 0, random.integers(0, 4, 6))]
        answers = {name: "A" if random.random() < 0.4 + 0.5 * ease else "B" for name in ("v1", "v2", "v3")}
        rows.append(
            {
                "id": f"q{number}",
                "prompt": f"Question {number}?",
                "answer": "A",
                "group": "law" if number % 2 else "art",
                "choices": list("ABCD"),
                "generations": letters,
                "targets": {name: {"answer": answer} for name, answer in answers.items()}
                | {"silent": {"text": ["A", ""][number % 2]}},
                "verdict": "pass" if (answers["v1"] == "A") == (random.random() < 0.9) else "fail",
                "second": "pass" if (answers["v1"] == "A") == (random.random() < 0.8) else "fail",
                "steps": number % 5 + 1,
            }
        )
    return Pool.from_records(rows, "questions")


def everything(path: Path) -> None:
    """Ask for each frame of a session: before labels, after them, of versions, of a judge, of the Lab."""
    questions().write(path / "pool.jsonl")
    pool = neyman.read(path / "pool.jsonl")
    losses, strata = pool.losses("v1"), np.arange(60) % 3
    before, new = neyman.Prospect(pool, "v1", budget=24), neyman.Prospect(pool, budget=24)
    gate, pairs = before.gate(0.6), before.pairs(0.8, 0.1)
    before.gate_checked_early(gate)
    Sheet(before, gate=gate, pairs=pairs).frame()
    scenario_table(before)
    for one in (pool, pool.account, before, before.promise, gate, new.promise, new.forecast):
        ask(one)
    neyman.forecast(pool, 24, 0.7)
    before.rounds(3), before.asking(replace(before.question, scheme=neyman.Scheme())).rounds(3)

    plan = neyman.recommend(pool, 24, target="v1").draw(pool, seed=0)
    neyman.request(plan, "right-wrong", "v1")
    given = pd.DataFrame({"item_id": plan.ids, "label": ["A", "B"] * 12})
    study = neyman.labelled(plan, given, target="v1", kind="gold")
    result = study.result(positive="A")
    for one in (
        plan,
        study,
        study.labels,
        study.outcomes,
        study.compare("v2"),
        result,
        result.estimate,
        result.metrics,
    ):
        ask(one)
    ask(neyman.labelled(plan, given, target="silent", kind="gold").result().answered)
    ask(JudgedPairs(study.outcomes, 1.0 - losses))
    reached(study.outcomes), judged_items(study), neyman.report(study, path / "report.html")
    neyman.rounds(plan.design, pool, losses, trials=3)

    bank = neyman.Bank.of(pool)
    carried = neyman.recommend(pool, 24, target="v1", bank=bank, follows=True).draw(pool, seed=0)
    rows = pd.DataFrame({"item_id": carried.ids, "label": "right"})
    neyman.labelled(carried, rows, target="v1").by()
    best_first(neyman.history(bank, pool)), differences(bank, pool)
    gated = neyman.gate(pool, "v1", "v2", margin=0.2)
    ask(gated), BegunGate(gated, pool, "", {}).verdicts()
    against_tables(against([pool], budgets=[12], rounds=2))
    known = bank.lookup(pool, "v1")
    bank.known(pool, "v1"), ask(known), known.examples(pool)
    listed = neyman.judge(pool, "verdict", 24, seed=1)
    judged = neyman.judged(listed, {item: place % 3 > 0 for place, item in enumerate(listed.ids)}, beside="second")
    criteria_frame({"the only one": judged})
    listed = neyman.judge(pool, "steps", 24, seed=1, scale=(1, 5))
    ask(neyman.judge.graded(listed, {item: place % 5 + 1 for place, item in enumerate(listed.ids)}))
    ask(judged), ask(judged.comparison), figure_table(judged, 0.9, 0.8), forecasts(20, 40, [20]), precisions(20, 40)

    chosen = neyman.best(pool, ["v1", "v2", "v3"], within=0.2)
    ask(chosen), ask(chosen.begin())
    agent = Pool.from_records(
        {"id": f"q{place}", "targets": {"agent": {"loss": 0.0, "run_losses": [0.0, place % 2, 0.0]}}}
        for place in range(30)
    )
    ask(neyman.runs(agent, "agent"))

    profile = before.profile
    by_group(pool, profile), value_counts(profile.signal), calibration(profile.signal, losses)
    merged_table(before.table)
    relative_mse_curve(losses, strata, [0.5, 0.6, 0.7], [12])
    monte_carlo_curve(losses, strata, [0.5, 0.6, 0.7], [12], trials=3)
    tried = experiment(pool, "v1", trials=3)
    ablations.map_simulated(tried.outcome, tried.budget, trials=3)
    lab_tables(tried), across_tables(compare_pools([pool], (12,), trials=3))
    check.forecasts(pool, (12,)), check.pairs(pool, (12,), 3), check.gates(pool, trials=3)


def test_no_frame_mixes_measures_or_groups_with_their_total(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coverage, "TRIALS", 40)
    with watched() as seen:
        everything(tmp_path)
    shown = {name: frames for name, frames in seen.items() if not name.startswith(SHOWN)}
    assert {name: what for name, frames in shown.items() for what in map(mixed, frames) if what} == {}
    left = public_frames() - seen.keys() - {WIDE}
    assert {name for name in left if not name.startswith(ROWS)} == set(), "Ask for them in `everything`."


@pytest.mark.parametrize(
    ("frame", "mixes"),
    [
        ({"group": ["law", "art", "all"], "value": [1, 2, 3]}, True),
        ({"scope": ["group", "group", "all"], "group": ["law", "art", "all"], "value": [1, 2, 3]}, False),
        ({"label": ["Precision", "Recall"], "value": [1, 2]}, True),
        ({"measure": ["Precision", "Recall"], "value": [1, 2]}, False),
        ({"target": ["v1", "v2"], "value": [1, 2]}, False),
    ],
)
def test_what_a_frame_mixes_is_seen(frame: dict[str, list[object]], mixes: bool) -> None:
    assert bool(mixed(pd.DataFrame(frame))) == mixes
    assert bool(mixed(pd.DataFrame(frame).set_index(next(iter(frame))))) == mixes
