"""Every topic makes its table, and the command prints them all."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from core.design import Scheme
from core.errors import DesignError, PoolError
from core.lab import TOPICS, ablations, experiment, lab_tables, sentences, tables
from core.lab.__main__ import main
from core.lab.printing import as_json, as_markdown, as_text, facts
from core.lab.settings import variants
from core.pool import Pool
from tests.conftest import ROOT
from tests.core.lab.conftest import outcome_of, pool_of

NAMES = [
    "baselines",
    "ladder",
    "related",
    "savings",
    "published-savings",
    "allocation",
    "published-allocation",
    "stratifier",
    "published-stratifier",
    "strata",
    "published-strata",
    "offset",
    "published-offset",
    "map",
    "signals",
    "intervals",
]


@pytest.fixture(scope="module")
def path(tmp_path_factory, binary):
    file = tmp_path_factory.mktemp("pools") / "made.jsonl"
    binary.write(file)
    return file


def command(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "error", "-m", "core.lab", *map(str, arguments)],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )


def test_the_command_prints_every_table_of_the_pool_as_json(path, binary):
    run = command(path, "--target", "model", "--budgets", "20,", "80", "--trials", "200", "--json")
    assert (run.returncode, run.stderr) == (0, "")
    printed = json.loads(run.stdout)
    assert list(printed["tables"]) == NAMES
    assert printed["digest"] == binary.digest and printed["budgets"] == [20, 80]
    rows = printed["tables"]["allocation"]["rows"]
    expected = ablations.exact(outcome_of(binary), variants("allocation"), [20, 80])
    np.testing.assert_allclose([row["relative_mse"] for row in rows], expected["relative_mse"], rtol=1e-9)
    assert {row["target"] for row in printed["tables"]["signals"]["rows"]} == {"model", "other"}
    simulated = {row["method"] for row in printed["tables"]["baselines"]["rows"] if row["standard_error"]}
    assert simulated == {"se-lure", "pe-lure"}


def test_text_and_markdown_hold_every_table(binary, capsys, path):
    own = experiment(binary, "model", (20, 80), trials=50)
    made = lab_tables(own)
    assert [table.name for table in made] == NAMES
    for table in made:
        assert table.title in as_text(facts(own), made) and f"## {table.title}" in as_markdown(facts(own), made)
    markdown = as_markdown(facts(own), made).splitlines()
    grids = [line for line in markdown if line.startswith("| M |")]
    assert len(grids) == 10
    assert main([str(path), "--target", "model", "--budgets", "20", "80", "--trials", "50", "--markdown"]) == 0
    assert capsys.readouterr().out.splitlines() == markdown


def test_markdown_does_not_render_what_comes_from_a_pool():
    pool = pool_of(60)
    rows = pool.table.to_pylist()
    for row in rows:
        row["targets"] = {"<b>|*x*": {"loss": row["targets"]["model"]["loss"]}}
    own = experiment(Pool.from_records(rows, "# pool"), "<b>|*x*", trials=0)
    made = as_markdown(facts(own), lab_tables(own))
    assert "\\<b\\>\\|\\*x\\*" in made and "<b>" not in made


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--target", "nobody"], "no target “nobody”"),
        ([], "several targets. Name one with --target: model, other"),
        (["--target", "model", "--budgets", "3"], "smallest possible budget is 5"),
        (["--target", "model", "--budgets", "401"], "more than the 400 items"),
        (["--target", "model", "--budgets", "many"], "Found “many”."),
        (["--target", "model", "--strata", "0"], "number of strata"),
        (["--target", "model", "--offset", "nan"], "offset δ"),
        (["--target", "model", "--trials", "1"], "Found 1."),
        (["--target", "model", "--clip", "2"], "clip"),
        (["--target", "model", "--seed", "-1"], "seed"),
    ],
)
def test_what_the_user_must_put_right_is_one_sentence_and_exit_code_2(path, capsys, arguments, message):
    assert main([str(path), *arguments]) == 2
    printed = capsys.readouterr()
    assert printed.out == "" and message in printed.err and len(printed.err.splitlines()) == 1


def test_a_file_that_is_not_there_ends_the_process_with_2(tmp_path):
    run = command(tmp_path / "none.jsonl", "--target", "model")
    assert run.returncode == 2 and run.stdout == ""
    assert "none.jsonl" in run.stderr and "Traceback" not in run.stderr and len(run.stderr.splitlines()) == 1


def test_one_target_need_not_be_named(tmp_path, capsys):
    rows = [
        {"id": f"q{n}", "generations": ["A", "AB"[n % 2]], "targets": {"m": {"loss": n % 3 % 2}}} for n in range(40)
    ]
    Pool.from_records(rows, "one").write(tmp_path / "one.jsonl")
    assert main([str(tmp_path / "one.jsonl"), "--trials", "20"]) == 0
    assert "PE-LURE is not shown" in capsys.readouterr().out


def odd(losses, **keys):
    rows = [{"id": f"q{n}", "generations": list("AAAB"[n % 4 :]), **keys} for n in range(len(losses))]
    for row, loss in zip(rows, losses, strict=True):
        if loss is not None:
            row["targets"] = {"m": {"loss": loss}}
    return Pool.from_records(rows, "odd")


@pytest.mark.parametrize(
    "losses",
    [
        [0.0] * 40,
        [1.0] * 40,
        [n % 2 for n in range(40)],
        [n * 0.3 for n in range(40)],
        [None if n % 3 else n % 2 for n in range(60)],
        [1.0, 0.0],
        [1.0],
    ],
)
def test_every_kind_of_losses_is_reported(losses):
    own = experiment(odd(losses), "m", trials=20)
    made = lab_tables(own)
    assert as_text(facts(own), made) and as_markdown(facts(own), made) and json.loads(as_json(facts(own), made))
    bounded = all(loss is None or 0 <= loss <= 1 for loss in losses)
    assert [table.name for table in made] == [name for name in NAMES if bounded or name != "intervals"]
    first = made[0]
    if len({loss for loss in losses if loss is not None}) == 1 and len(losses) > 1:
        assert first.finding == sentences.CONSTANT
    assert "nan" not in " ".join(table.finding for table in made)


def test_no_known_outcome_and_no_generations_are_told():
    unknown = Pool.from_records([{"id": "a", "generations": ["A"], "targets": {"m": {"answer": "A"}}}], "unknown")
    with pytest.raises(DesignError, match="No outcome of “m”"):
        experiment(unknown, "m")
    with pytest.raises(PoolError, match="no generations"):
        experiment(Pool.from_records([{"id": "a", "targets": {"m": {"loss": 1}}}], "bare"), "m")


def test_equal_experiments_give_equal_tables(binary):
    def printed() -> str:
        own = experiment(binary, "model", (30,), Scheme(stratifier="k-means", n_strata=3, offset=0.4), 100, 0.2, 5)
        return as_json(facts(own), lab_tables(own))

    assert printed() == printed()


def test_without_trials_nothing_is_simulated(binary):
    titles: list[str] = []
    made = lab_tables(experiment(binary, "model", (30,), trials=0), titles.append)
    assert titles == [topic.title for topic in TOPICS if topic.name != "intervals"]
    assert not any("simulated" in table.rows or "relative_standard_error" in table.rows for table in made)
    assert not any(table.remark for table in made)


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


def test_cells_say_in_words_what_colours_say(binary):
    table = ablations.exact(outcome_of(binary), variants("offset"), [30, 100])
    marks = ablations.marked(table)
    cells = tables.ablation(marks, ablations.simulated(outcome_of(binary), variants("offset"), [30, 100], 50))
    assert cells["M"].tolist() == ["30", "100", "mean"]
    for row in cells.itertuples(index=False):
        assert sum("best" in cell for cell in row) == 1 and sum("worst" in cell for cell in row) == 1
    assert cells.iloc[0, 1:].str.contains(r"· \d+\.\d \(s\.e\. \d+\.\d\)$").all()
