"""The command prints every table, as text, Markdown or JSON, or says in a sentence what must be put right."""

from __future__ import annotations

import json

import numpy as np
import pytest

from core.commands import main
from core.lab import ablations, experiment, lab_tables
from core.lab.printing import as_markdown, as_text, facts
from core.lab.settings import variants
from core.pool import Pool
from core.prospect import Prospect
from tests.core.lab.conftest import TABLE_NAMES, outcome_of, pool_of

pytestmark = pytest.mark.usefixtures("few_samples")


@pytest.fixture(scope="module")
def path(tmp_path_factory, binary):
    file = tmp_path_factory.mktemp("pools") / "made.jsonl"
    binary.write(file)
    return file


def test_the_command_prints_every_table_of_the_pool_as_json(path, binary, capsys):
    assert main(["lab", str(path), "--target", "model", "--budgets", "20,", "80", "--trials", "20", "--json"]) == 0
    said = capsys.readouterr()
    assert said.err == ""
    printed = json.loads(said.out)
    assert list(printed["tables"]) == TABLE_NAMES
    assert printed["digest"] == binary.digest and printed["budgets"] == [20, 80]
    rows = printed["tables"]["allocation"]["rows"]
    expected = ablations.exact(outcome_of(binary), variants("allocation"), [20, 80])
    recommended = Prospect(binary, "model").exact_curve([20, 80], ["recommended"])
    errors = [*expected["relative_mse"], *recommended["relative_mse"]]
    np.testing.assert_allclose([row["relative_mse"] for row in rows], errors, rtol=1e-9)
    assert {row["target"] for row in printed["tables"]["signals"]["rows"]} == {"model", "other"}
    simulated = {row["method"] for row in printed["tables"]["baselines"]["rows"] if row["standard_error"]}
    assert simulated == {"se-lure", "pe-lure"}


def test_text_and_markdown_hold_every_table(capsys, tmp_path):
    pool, path = pool_of(90), tmp_path / "made.jsonl"
    pool.write(path)
    run = experiment(pool, "model", (15, 30), trials=10)
    tables = lab_tables(run)
    assert [table.name for table in tables] == TABLE_NAMES
    text, markdown = as_text(facts(run), tables), as_markdown(facts(run), tables).splitlines()
    for table in tables:
        assert table.title in text and f"## {table.title}" in markdown
    grids = [line for line in markdown if line.startswith("| M |")]
    assert len(grids) == 10
    assert main(["lab", str(path), "--target", "model", "--budgets", "15", "30", "--trials", "10", "--markdown"]) == 0
    assert capsys.readouterr().out.splitlines() == markdown


def test_markdown_does_not_render_what_comes_from_a_pool():
    pool = pool_of(60)
    rows = pool.table.to_pylist()
    for row in rows:
        row["targets"] = {"<b>|*x*": {"loss": row["targets"]["model"]["loss"]}}
    run = experiment(Pool.from_records(rows, "# pool"), "<b>|*x*", trials=0)
    text = as_markdown(facts(run), lab_tables(run))
    assert "\\<b\\>\\|\\*x\\*" in text and "<b>" not in text


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
    assert main(["lab", str(path), *arguments]) == 2
    printed = capsys.readouterr()
    assert printed.out == "" and message in printed.err and len(printed.err.splitlines()) == 1


def test_a_file_that_is_not_there_is_one_sentence_and_exit_code_2(tmp_path, capsys):
    assert main(["lab", str(tmp_path / "none.jsonl"), "--target", "model"]) == 2
    said = capsys.readouterr()
    assert said.out == "" and "none.jsonl" in said.err and len(said.err.splitlines()) == 1


def test_one_target_need_not_be_named(tmp_path, capsys):
    rows = [
        {"id": f"q{n}", "generations": ["A", "AB"[n % 2]], "targets": {"m": {"loss": n % 3 % 2}}} for n in range(40)
    ]
    Pool.from_records(rows, "one").write(tmp_path / "one.jsonl")
    assert main(["lab", str(tmp_path / "one.jsonl"), "--trials", "20"]) == 0
    assert "PE-LURE is not shown" in capsys.readouterr().out
