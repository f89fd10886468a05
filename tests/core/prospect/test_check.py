"""Plans checked on pools whose outcomes are known, and the command."""

from __future__ import annotations

import json

import pandas as pd
import pytest

from core.commands import main
from core.pool.pool import Pool
from core.prospect import check
from core.readers import read


def pool_of_two(n_items: int = 90) -> Pool:
    letters = "abcd"
    records = []
    for i in range(n_items):
        hard = i % 3 == 0
        generations = [letters[(i + j * hard) % 4] for j in range(3)]
        first, second = letters[(i + (hard and i % 2)) % 4], letters[(i + (i % 4 == 0)) % 4]
        targets = {"one": {"answer": first}, "two": {"answer": second}, "unknown": {"text": ""}}
        records.append({"id": str(i), "answer": letters[i % 4], "generations": generations, "targets": targets})
    records[3]["targets"].pop("unknown")
    return Pool.from_records(records, name="two")


def test_forecasts_are_set_beside_exact_and_simulated_ones() -> None:
    table = check.forecasts(pool_of_two(), [10, 20, 80], trials=40)
    # 80 labels are more than a third of the items.
    assert set(table["budget"]) == {10, 20} and set(table["method"]) == {"recommended", "proxy-neyman"}
    assert set(table["target"]) >= {"one", "two"}
    assert (table[["forecast", "exact", "half_width", "simulated"]] > 0).all().all()
    assert "points off" in check.summary(table)
    assert check.forecasts(pool_of_two(), [10])["simulated"].isna().all()


def test_gates_keep_their_error_rates_on_a_pool() -> None:
    table = check.gates(pool_of_two(), band=0.1, most=60, trials=400)
    assert set(table["design"]) == {"uniform", "coarse"}
    assert (table[["fixed_ship", "fixed_hold"]] <= 0.05 + 1e-9).all().all()
    assert (table[["ship", "hold"]] <= 0.05 + 4 * 0.011).all().all()
    assert (table["covered"] >= 0.95 - 4 * 0.011).all()


def test_stated_power_is_near_the_simulated_one() -> None:
    table = check.pairs(pool_of_two(), [40], trials=200)
    row = table[(table["first"] == "one") & (table["second"] == "two")].iloc[0]
    assert row["simulated"] == pytest.approx(row["stated"], abs=0.2)


def test_real_pools_meet_their_figures(real_pool) -> None:
    names = ("exams-gpt35-k10.jsonl", "gsm8k-committee10.jsonl", "blink-vlm-committee10.jsonl")
    table = pd.concat([check.forecasts(read(real_pool(name))) for name in names])
    gaps = 100 * (table["forecast"] - table["exact"]).abs()
    assert gaps.median() <= 3 and gaps.max() <= 10


def test_the_command_answers_each_question(capsys, tmp_path) -> None:
    page = tmp_path / "plan.html"
    options = ["--items", "3000", "--half-width", "0.05", "--price", "12", "--gate", "0.8", "--html", str(page)]
    assert main(["plan", *options]) == 0
    out = capsys.readouterr().out
    assert "234 labels, 2,808\u00a0€, instead of 262" in out and "at the end: 377 labels" in out
    assert "at the end: 377 labels" in page.read_text(encoding="utf-8")
    assert main(["plan", "--money", "900", "--price", "9", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["labels"] == 100 and not printed["outcome_known"] and len(printed["curve"]) > 10
    assert "also assumes" in printed["rests_on"]
    assert main(["plan", "--labels", "80", "--auroc", "past", "results", "--csv"]) == 0
    assert capsys.readouterr().out.startswith("method,budget")


def test_the_command_plans_on_a_pool_and_checks_it(capsys, tmp_path) -> None:
    path = tmp_path / "two.jsonl"
    pool_of_two(150).write(path)
    assert main(["plan", "--pool", str(path), "--target", "one", "--labels", "30", "--auroc", "0.6", "0.8"]) == 0
    assert capsys.readouterr().out.startswith("30 labels")
    assert main(["check", str(path), "--trials", "20"]) == 0
    out = capsys.readouterr().out
    assert "Forecasts" in out and "Gates" in out and "points off" in out


@pytest.mark.parametrize(
    "arguments",
    [["--money", "100"], ["--auroc", "splendid"], ["--accuracy", "0.5", "0.6", "0.7"], ["--labels", "0"]],
)
def test_the_command_says_what_to_put_right(capsys, arguments) -> None:
    assert main(["plan", *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == "" and captured.err
