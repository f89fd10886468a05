"""All tables at once, and the command that prints them."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest

from core.design import Scheme
from core.errors import DesignError, PoolError
from core.lab import ablations, sentences, shown
from core.lab.__main__ import main
from core.lab.printing import as_json, as_markdown, as_text
from core.lab.report import Order, report
from core.lab.settings import variants
from core.pool import Pool
from tests.conftest import ROOT
from tests.core.lab.conftest import outcome_of, pool_of

NAMES = [
    "baselines",
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
    made = report(binary, Order("model", (20, 80), trials=50))
    assert [table.name for table in made.tables] == NAMES
    for table in made.tables:
        assert table.title in as_text(made) and f"## {table.title}" in as_markdown(made)
    markdown = as_markdown(made).splitlines()
    grids = [line for line in markdown if line.startswith("| M |")]
    assert len(grids) == 9
    assert main([str(path), "--target", "model", "--budgets", "20", "80", "--trials", "50", "--markdown"]) == 0
    assert capsys.readouterr().out.splitlines() == markdown


def test_markdown_does_not_render_what_comes_from_a_pool():
    pool = pool_of(60)
    rows = pool.table.to_pylist()
    for row in rows:
        row["targets"] = {"<b>|*x*": {"loss": row["targets"]["model"]["loss"]}}
    made = as_markdown(report(Pool.from_records(rows, "# pool"), Order("<b>|*x*", trials=0)))
    assert "\\<b\\>\\|\\*x\\*" in made and "<b>" not in made


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--target", "nobody"], "no target “nobody”"),
        ([], "several targets; name one with --target: model, other"),
        (["--target", "model", "--budgets", "3"], "smallest possible budget is 5"),
        (["--target", "model", "--budgets", "401"], "more than the 400 items"),
        (["--target", "model", "--budgets", "many"], "“many” is no budget"),
        (["--target", "model", "--strata", "0"], "number of strata is 0"),
        (["--target", "model", "--offset", "nan"], "offset δ is nan"),
        (["--target", "model", "--trials", "1"], "number of trials is 1"),
        (["--target", "model", "--clip", "2"], "clip is 2"),
        (["--target", "model", "--seed", "-1"], "seed is -1"),
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
    assert main([str(tmp_path / "one.jsonl"), "--trials", "0"]) == 0
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
    made = report(odd(losses), Order("m", trials=20))
    assert as_text(made) and as_markdown(made) and json.loads(as_json(made))
    first = made.tables[0]
    if len({loss for loss in losses if loss is not None}) == 1 and len(losses) > 1:
        assert first.finding == sentences.CONSTANT
    assert "nan" not in " ".join(table.finding for table in made.tables)


def test_no_known_outcome_and_no_generations_are_told():
    unknown = Pool.from_records([{"id": "a", "generations": ["A"], "targets": {"m": {"answer": "A"}}}], "unknown")
    with pytest.raises(DesignError, match="No outcome of “m”"):
        report(unknown, Order("m"))
    with pytest.raises(PoolError, match="no generations"):
        report(Pool.from_records([{"id": "a", "targets": {"m": {"loss": 1}}}], "bare"), Order("m"))


def test_equal_orders_give_equal_reports(binary):
    order = Order("model", (30,), Scheme(stratifier="k-means", n_strata=3, offset=0.4), 100, 0.2, 5)
    assert as_json(report(binary, order)) == as_json(report(binary, order))
    told: list[str] = []
    report(binary, Order("model", (30,), trials=0), told.append)
    assert told[0] == "Baselines" and told[-1] == "Signals"


def test_cells_say_in_words_what_colours_say(binary):
    table = ablations.exact(outcome_of(binary), variants("offset"), [30, 100])
    marks = ablations.marked(table)
    cells = shown.ablation(marks, ablations.simulated(outcome_of(binary), variants("offset"), [30, 100], 50))
    assert cells["M"].tolist() == ["30", "100", "mean"]
    for row in cells.itertuples(index=False):
        assert sum("best" in cell for cell in row) == 1 and sum("worst" in cell for cell in row) == 1
    assert cells.iloc[0, 1:].str.contains(r"\(\d+\.\d ± \d+\.\d\)").all()
    assert shown.percent(float("nan")) == "–"
