"""Several pools side by side: the same numbers as each pool's own tables, their means, coverage and bias."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from core.commands import main
from core.lab import across, across_tables, baselines, captions, ladder
from core.pool import Pool
from tests.core.lab.conftest import outcome_of, pool_of
from tests.core.lab.test_ladder import records

BUDGETS = (20, 60, 100)


@pytest.fixture(scope="module")
def pools() -> list[Pool]:
    return [Pool.from_records(records(), "answers"), pool_of(240, seed=4)]


@pytest.fixture(scope="module")
def table(pools: list[Pool]) -> pd.DataFrame:
    return across.compare(pools, BUDGETS, trials=60)


def test_budgets_above_a_third_and_methods_without_information_are_left_out(table: pd.DataFrame) -> None:
    assert set(table["budget"]) == {20, 60} and len(table.groupby(["pool", "target"])) == 4
    assert set(table.loc[table["pool"] == "answers", "method"]) == set(across.METHODS)
    assert set(table.loc[table["pool"] == "made", "method"]) == set(across.METHODS) - {"recommended-answers"}


def test_the_numbers_are_those_of_the_pools_own_tables(pools: list[Pool], table: pd.DataFrame) -> None:
    for pool, target in ((pools[0], "old"), (pools[1], "other")):
        rows = table[(table["digest"] == pool.digest) & (table["target"] == target)]
        values = rows.set_index(["method", "budget"])["relative_mse"]
        alone = baselines.exact(outcome_of(pool, target), [20, 60]).set_index(["method", "budget"])["relative_mse"]
        rungs = ladder.ladder(pool, target, [20, 60]).set_index(["rung", "budget"])["relative_mse"]
        for key, value in values.items():
            assert value == pytest.approx((rungs if key in rungs.index else alone)[key], rel=1e-9)


def test_means_weigh_targets_alike(table: pd.DataFrame) -> None:
    means = across.means(table).set_index(["pool", "method"])
    for method in ("proportional", "recommended-answers"):
        of_target = table[table["method"] == method].groupby(["pool", "target"])["relative_mse"].mean()
        assert means.at[(across.ALL, method), "relative_mse"] == pytest.approx(of_target.mean())
        assert means.at[(across.ALL, method), "targets"] == len(of_target)
    best = table[(table["pool"] == "made") & (table["method"] == "recommended-past")]
    assert means.at[("made", "recommended-past"), "relative_mse"] == pytest.approx(best["relative_mse"].mean())
    assert means.at[("made", "recommended-past"), "worst"] == best["relative_mse"].max()


def test_savings_show_the_paper_and_what_knows_most(table: pd.DataFrame) -> None:
    saved = across.savings(table, 60)
    assert saved["method"].tolist() == ["proxy-neyman", "recommended-past"] * 4 and set(saved["budget"]) == {60}
    np.testing.assert_allclose(saved["saved"], 1 - saved["budget"] / saved["uniform_needs"])
    assert across.savings(table.iloc[:0]).empty


def test_rounds_give_coverage_and_bias_of_what_can_be_drawn(pools: list[Pool], table: pd.DataFrame) -> None:
    drawn = table["coverage"].notna()
    assert (drawn == (table["method"] != "oracle-neyman")).all()
    assert table.loc[drawn, "coverage"].between(0.8, 1).all()
    assert ((table["bias"] / table["bias_error"]).abs().dropna() < 4.5).all()
    assert across.compare(pools[:1], [20])["coverage"].isna().all()


def test_a_mean_names_the_pools_that_it_is_over(table: pd.DataFrame) -> None:
    means = across.means(table)
    one = means[means["pool"].isin([table["pool"].iloc[0], across.ALL])]
    assert f"of Uniform’s on “{table['pool'].iloc[0]}”" in captions.across(one)
    assert "of Uniform’s on “" in captions.across(means) and "your pools" not in captions.across(means)


def test_a_mean_far_from_the_truth_is_a_bias_unless_chance_explains_it(table: pd.DataFrame) -> None:
    known = table["bias"].notna()
    even = table.assign(bias=np.where(known, 0.01, np.nan), bias_error=np.where(known, 0.01, np.nan))
    said = captions.bias_across(even)
    assert f"Of {known.sum()} means" in said and "1.0 standard errors" in said and "no bias can be seen" in said
    far = {
        times: captions.bias_across(even.assign(bias=even["bias"].where(even.index != 0, -0.01 * times)))
        for times in (2.9, 3.1, 6)
    }
    assert "no bias can be seen" in far[2.9]
    assert "1 is more than 3 standard errors" in far[3.1] and "chance explains" in far[3.1]
    assert "this is a bias" in far[6] and "−6.0" in far[6] and str(table["target"][0]) in far[6]


def test_what_leaves_nothing_to_compare_has_no_row() -> None:
    constant = Pool.from_records(
        [{"id": f"q{n}", "generations": ["A"], "targets": {"m": {"loss": 1}, "n": {"answer": "A"}}} for n in range(90)],
        "constant",
    )
    assert across.compare([constant], [20]).empty and across_tables(across.compare([constant], [20])) == []


def test_the_command_prints_the_tables_of_all_pools(
    pools: list[Pool], table: pd.DataFrame, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = [str(tmp_path / f"{pool.name}.jsonl") for pool in pools]
    for pool, path in zip(pools, paths, strict=True):
        pool.write(Path(path))
    assert main(["lab", "across", *paths, "--budgets", "20", "60", "--rounds", "40", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert list(printed["tables"]) == ["across", "means", "saved-across", "coverage-across", "bias-across"]
    rows = pd.DataFrame(printed["tables"]["across"]["rows"])
    np.testing.assert_allclose(rows["relative_mse"], table["relative_mse"], rtol=1e-9)
    assert main(["lab", "across", *paths, "--budgets", "20"]) == 0
    text = capsys.readouterr().out
    assert across.ALL in text and "Coverage" not in text and "–" in text
    assert main(["lab", *paths]) == 2 and "lab across" in capsys.readouterr().err
    assert main(["lab", "across", *paths, "--budgets", "200"]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
