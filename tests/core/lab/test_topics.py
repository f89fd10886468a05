"""Every topic makes its table, of every kind of losses, and simulates no more than it says."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pandas as pd
import pytest

from core.design import Scheme
from core.errors import DesignError, PoolError
from core.lab import TOPICS, Computation, Experiment, answerable, captions, experiment, lab_tables
from core.lab.printing import as_json, as_markdown, as_text, facts
from core.pool import Pool
from core.prospect import Prospect, Question
from core.words import first_sentence, per_cent
from tests.core.lab.conftest import TABLE_NAMES

pytestmark = pytest.mark.usefixtures("few_samples")


def odd(losses, **keys):
    rows = [{"id": f"q{n}", "generations": list("AAAB"[n % 4 :]), **keys} for n in range(len(losses))]
    for row, loss in zip(rows, losses, strict=True):
        if loss is not None:
            row["targets"] = {"m": {"loss": loss}}
    return Pool.from_records(rows, "odd")


@pytest.mark.parametrize(
    "losses",
    [
        [0.0] * 24,
        [n * 0.3 for n in range(24)],
        [None if n % 3 else n % 2 for n in range(40)],
        [1.0],
        *(pytest.param(one, marks=pytest.mark.trial) for one in ([n % 2 for n in range(24)], [1.0, 0.0])),
    ],
)
def test_every_kind_of_losses_is_reported(losses):
    run = experiment(odd(losses), "m", trials=20)
    tables = lab_tables(run)
    assert as_text(facts(run), tables) and as_markdown(facts(run), tables) and json.loads(as_json(facts(run), tables))
    bounded = all(loss is None or 0 <= loss <= 1 for loss in losses)
    assert [table.name for table in tables] == [name for name in TABLE_NAMES if bounded or name != "intervals"]
    first = tables[0]
    if len({loss for loss in losses if loss is not None}) == 1 and len(losses) > 1:
        assert first.finding == captions.CONSTANT
    assert "nan" not in " ".join(table.finding for table in tables)


def test_no_known_outcome_and_no_generations_are_told():
    unknown = Pool.from_records([{"id": "a", "generations": ["A"], "targets": {"m": {"answer": "A"}}}], "unknown")
    with pytest.raises(DesignError, match="No outcome of “m”"):
        experiment(unknown, "m")
    with pytest.raises(PoolError, match="no generations"):
        experiment(Pool.from_records([{"id": "a", "targets": {"m": {"loss": 1}}}], "bare"), "m")


def test_a_leaderboard_has_every_comparison_that_needs_no_generations():
    rows = [{"id": str(n), "targets": {f"m{m}": {"loss": (n + m) % (m + 2) > 0} for m in range(4)}} for n in range(90)]
    board = Pool.from_records(rows, "board")
    prospect = Prospect(board, "m0", 30, Question())
    run = Experiment(prospect, prospect.known, (30,), 30, trials=20)
    topics = [topic for question in answerable(board) for topic in question.topics]
    assert [topic.name for topic in topics] == ["ladder", "signals", "intervals", "against"]
    for topic in topics:
        table = topic.table(run, topic.values.run(run, None), None)
        assert table.finding and "nan" not in table.finding
    assert answerable(odd([0.0, 1.0])) != answerable(board)


@pytest.mark.trial
def test_equal_experiments_give_equal_tables():
    def printed() -> str:
        pool = odd([n % 2 for n in range(40)])
        run = experiment(pool, "m", (12,), Scheme(stratifier="k-means", n_strata=3, offset=0.4), 20, 0.2, 5)
        return as_json(facts(run), lab_tables(run))

    assert printed() == printed()


def test_without_trials_nothing_is_simulated(binary):
    titles: list[str] = []
    tables = lab_tables(experiment(binary, "model", (30,), trials=0), titles.append)
    assert titles == [topic.title for topic in TOPICS if topic.name not in ("intervals", "against")]
    assert not any("simulated" in table.rows or "relative_standard_error" in table.rows for table in tables)
    assert not any(table.remark for table in tables)


SIMULATED = [topic for topic in TOPICS if topic.simulation is not None]


@pytest.mark.parametrize("topic", SIMULATED, ids=lambda topic: topic.name)
def test_a_simulation_depends_on_what_it_says_alone(binary, topic):
    """What the page keeps between reruns is the same frame, whatever the other settings are."""
    one = experiment(binary, "model", (30, 60), trials=20)
    others = {"scheme": Scheme(n_strata=3), "trials": 30, "clip": 0.5, "seed": 7, "budget": 60}
    first = topic.simulation.run(one, None)
    for field, value in others.items():
        if field not in topic.simulation.depends:
            pd.testing.assert_frame_equal(topic.simulation.run(replace(one, **{field: value}), None), first)
        elif field in ("trials", "seed"):
            assert not topic.simulation.run(replace(one, **{field: value}), None).equals(first)


@pytest.mark.parametrize("topic", TOPICS, ids=lambda topic: topic.name)
def test_every_comparison_contains_the_recommended_design(binary, topic):
    """In its rows, or in the sentence above them if rows are choices or signals; with the error of all pages."""
    run = experiment(binary, "model", (30, 60), trials=20)
    values = topic.values.run(run, None) if isinstance(topic.values, Computation) else topic.values(run)
    table = topic.table(run, values, None)
    error = Prospect(binary, "model", run.budget).exact_curve([run.budget], ["recommended"])["relative_mse"].iloc[0]
    name = next((key for key in ("method", "rung", "variant", "interval") if key in table.rows), None)
    own = table.rows[table.rows[name].str.startswith("recommended")] if name else table.rows[:0]
    assert len(own) or re.search(rf"recommended design has (the smallest error, )?{per_cent(error, 1)}", table.finding)
    # The headline has one number; signs such as δ = 0.75 are names.
    assert len(re.findall(r"[\d.,]+\s%", table.headline)) <= 1 and table.headline + " " + table.more == table.finding
    # Other tools are compared with past models of each scenario.
    if len(own) and name in ("method", "variant") and "relative_mse" in own and "scenario" not in own:
        assert own.loc[own["budget"] == run.budget, "relative_mse"].tolist() == pytest.approx([error])


def test_a_finding_over_a_map_or_signals_is_a_value_that_is_drawn(binary):
    """A smaller error of the recommended design, which no mark of the figure has, comes after it."""
    run = experiment(binary, "model", (60,), trials=0)
    cells = pd.DataFrame(
        {"n_strata": [2, 5], "offset": [0.5, 0.75], "relative_mse": [0.8, 0.7], "noise": [False, False]}
    )
    said = captions.heat_map(cells, 2, 0.5, 0.6)
    assert said.index(per_cent(0.7, 1)) < said.index(per_cent(0.8, 1)) < said.index(per_cent(0.6, 1))
    alike = captions.heat_map(cells.assign(noise=[True, True]), 2, 0.5, 0.6)
    assert alike.startswith("Most settings of H and δ are as good as the best") and per_cent(0.7, 1) in alike
    signals = next(topic for topic in TOPICS if topic.name == "signals")
    values = signals.values.run(run, None)
    first = captions.signals(values, 60, "model", 0.01)
    smallest = values.loc[values["target"] == "model", "relative_mse"].min()
    assert first.index("model") < first.index(per_cent(smallest, 1)) < first.index(per_cent(0.01, 1))
    best = values.loc[values["relative_mse"] == smallest, "label"].iloc[0]
    assert f"that of “{best}”: {per_cent(smallest, 1)}" in first_sentence(first)[0]


def test_a_sentence_does_not_change_the_symbol_that_it_begins_with():
    rows = [("a", "δ = 0.75", 0.7, "best"), ("b", "equal mass", 0.8, "worst")]
    marks = pd.DataFrame(rows, columns=["variant", "label", "relative_mse", "mark"]).assign(row="mean", noise=False)
    assert "It is that of δ = 0.75." in captions.ablation(marks)
    assert captions.ablation(marks.assign(label=["equal mass", "δ = 1"])).startswith("Equal mass ")
