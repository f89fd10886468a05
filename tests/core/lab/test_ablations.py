"""Ablations against the item-by-item route, and the marks against hand-made tables."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from core import simulation
from core.design import Scheme
from core.lab import ablations, settings, shown_tables
from core.lab.ablations import MEAN, exact, joined, marked, monte_carlo_error, simulated
from core.lab.ablations import map_exact as heat_map
from core.lab.ablations import map_simulated as simulated_map
from core.lab.settings import TABLES, variants
from core.signals import self_consistency, semantic_entropy
from core.stratification import cuts as stratification
from tests.core.lab.conftest import outcome_of, pool_of

BUDGETS = (10, 50, 120)


def by_items(pool, variant, budget):
    """The exact relative error from the items, without levels and merged moments."""
    classes = pool.classes()
    strata = stratification.stratify(semantic_entropy(classes), variant.scheme.n_strata, variant.scheme.stratifier)
    frame = simulation.relative_mse_curve(
        pool.losses("model"),
        strata,
        self_consistency(classes),
        [budget],
        variant.scheme.offset,
        [variant.scheme.allocation],
    )
    return frame["relative_mse"].iloc[0]


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("kind", ["binary", "real"])
def test_cells_are_the_exact_errors_of_the_items(request, table, kind):
    pool = request.getfixturevalue(kind)
    columns = variants(table, Scheme(n_strata=4, offset=0.4))
    cells = exact(outcome_of(pool), columns, BUDGETS)
    assert list(cells.columns) == ["variant", "label", "budget", "strata", "mse", "relative_mse"]
    expected = [by_items(pool, variant, budget) for variant in columns for budget in BUDGETS]
    np.testing.assert_allclose(cells["relative_mse"], expected, rtol=1e-9)


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("kind", ["binary", "real"])
def test_simulations_scatter_about_the_exact_values_with_the_error_they_state(request, table, kind):
    outcome = outcome_of(request.getfixturevalue(kind))
    columns = variants(table)
    shares: list[float] = []
    drawn = simulated(outcome, columns, BUDGETS, 1500, seed=3, progress=shares.append)
    cells = exact(outcome, columns, BUDGETS).merge(drawn, on=["variant", "budget"], validate="one_to_one")
    assert len(cells) == len(columns) * len(BUDGETS)
    assert np.all(np.abs(cells["simulated"] - cells["relative_mse"]) < 4.5 * cells["simulated_error"])
    # What the marks take for the error of a simulation is about the error that simulations have.
    ratio = cells["simulated_error"] / monte_carlo_error(cells["relative_mse"], 1500)
    assert np.all((ratio > 0.8) & (ratio < 1.25))
    assert shares == sorted(shares) and shares[-1] == 1


def test_a_budget_below_the_strata_leaves_the_cell_empty_and_the_others_full():
    outcome = outcome_of(pool_of())
    columns = variants("strata")
    cells = exact(outcome, columns, [4, 50])
    empty = cells[cells["relative_mse"].isna()]
    assert set(empty["variant"]) == {"H = 5", "H = 8"} and set(empty["budget"]) == {4}
    assert simulated(outcome, columns, [4, 50], 10).shape[0] == 6
    assert (marked(cells)["row"] == "4").sum() == 4


def table_of(rows: dict[str, tuple[float, ...]], budgets: tuple[int, ...]) -> pd.DataFrame:
    return pd.DataFrame(
        [(key, key, b, v) for key, values in rows.items() for b, v in zip(budgets, values, strict=True)],
        columns=["variant", "label", "budget", "relative_mse"],
    )


def cell(frame: pd.DataFrame, variant: str, row: str) -> pd.Series:
    return frame[(frame["variant"] == variant) & (frame["row"] == row)].iloc[0]


def test_marks_of_a_table_made_by_hand():
    """e = 0.8·√(2/3000) = 0.0207: a difference of two such values is noise up to 0.0292."""
    table = marked(table_of({"a": (0.80, 0.90), "b": (0.82, 0.80), "c": (0.84, 1.00)}, (50, 100)))
    assert [cell(table, v, "50")["mark"] for v in "abc"] == ["best", "", "worst"]
    assert [cell(table, v, "50")["noise"] for v in "abc"] == [False, True, False]
    assert [cell(table, v, "100")["mark"] for v in "abc"] == ["", "best", "worst"]
    assert cell(table, "a", "50")["error"] == pytest.approx(0.8 * math.sqrt(2 / 3000))
    assert [cell(table, v, MEAN)["relative_mse"] for v in "abc"] == pytest.approx([0.85, 0.81, 0.92])
    assert [cell(table, v, MEAN)["mark"] for v in "abc"] == ["", "best", "worst"]
    assert cell(table, "a", MEAN)["error"] == pytest.approx(math.hypot(0.8, 0.9) * math.sqrt(2 / 3000) / 2)


def test_more_trials_leave_less_noise():
    table = table_of({"a": (0.80,), "b": (0.82,)}, (50,))
    assert cell(marked(table, 3000), "b", "50")["noise"]
    assert not cell(marked(table, 12_000), "b", "50")["noise"]


def test_the_oracle_is_never_best_or_worst_but_may_be_noise():
    table = marked(table_of({"oracle-neyman": (0.80, 2.0), "b": (0.81, 0.9), "c": (0.9, 0.95)}, (50, 100)))
    assert [cell(table, v, "50")["mark"] for v in ("oracle-neyman", "b", "c")] == ["", "best", "worst"]
    assert [cell(table, v, "100")["mark"] for v in ("oracle-neyman", "b", "c")] == ["", "best", "worst"]
    assert cell(table, "oracle-neyman", "50")["noise"] and not cell(table, "oracle-neyman", "100")["noise"]


def test_equal_columns_have_neither_best_nor_worst():
    table = marked(table_of({"a": (0.9,), "b": (0.9,)}, (50,)))
    assert set(table["mark"]) == {""} and not table["noise"].any()


def test_a_mean_is_over_the_budgets_of_all_columns():
    table = marked(table_of({"a": (0.5, 0.8), "b": (math.nan, 0.9)}, (4, 50)))
    assert [cell(table, v, MEAN)["relative_mse"] for v in "ab"] == [0.8, 0.9]
    nothing = marked(table_of({"a": (math.nan,), "b": (math.nan,)}, (4,)))
    assert nothing["relative_mse"].isna().all() and set(nothing["mark"]) == {""}


def test_joined_keeps_every_cell_with_its_mark(binary):
    outcome = outcome_of(binary)
    table = exact(outcome, variants("allocation"), BUDGETS)
    whole = joined(table, marked(table), simulated(outcome, variants("allocation"), BUDGETS, 50))
    assert len(whole) == len(table) and whole["simulated"].notna().all()
    assert (whole.groupby("budget")["mark"].apply(lambda marks: (marks == "best").sum()) == 1).all()


@pytest.mark.parametrize("kind", ["binary", "real"])
def test_the_map_holds_the_cells_of_the_tables(request, kind):
    outcome = outcome_of(request.getfixturevalue(kind))
    cells = heat_map(outcome, 50)
    assert len(cells) == 9 * 21
    at = cells.set_index(["n_strata", "offset"])["relative_mse"]
    for table, key in (("strata", "n_strata"), ("offset", "offset")):
        rows = exact(outcome, variants(table), [50])
        for variant, value in zip(variants(table), rows["relative_mse"], strict=True):
            place = (variant.scheme.n_strata, variant.scheme.offset)
            assert at[place] == pytest.approx(value, rel=1e-12), (key, place)
    best = cells["relative_mse"].min()
    reach = np.hypot(monte_carlo_error(cells["relative_mse"]), monte_carlo_error(best))
    np.testing.assert_array_equal(cells["noise"], cells["relative_mse"] - best < reach)


@pytest.mark.parametrize("kind", ["binary", "real"])
def test_the_simulated_map_scatters_about_the_exact_one(request, kind):
    outcome = outcome_of(request.getfixturevalue(kind))
    shares: list[float] = []
    drawn = simulated_map(outcome, 60, Scheme(), (2, 5), (0.0, 0.5, 0.75), 1500, 1, shares.append)
    cells = heat_map(outcome, 60, Scheme(), (2, 5), (0.0, 0.5, 0.75)).merge(drawn, on=["n_strata", "offset"])
    assert len(cells) == 6 and shares == sorted(shares) and shares[-1] == 1
    assert np.all(np.abs(cells["simulated"] - cells["relative_mse"]) < 4.5 * cells["simulated_error"])
    below = simulated_map(outcome, 4, Scheme(), (2, 5), (0.5,), 20)
    assert below["simulated"].isna().tolist() == [False, True]


def test_the_map_of_a_budget_below_the_strata_and_of_the_whole_pool(binary):
    outcome = outcome_of(binary)
    cells = heat_map(outcome, 4)
    assert cells.loc[cells["strata"] > 4, "relative_mse"].isna().all()
    assert cells.loc[cells["strata"] <= 4, "relative_mse"].notna().all()
    everything = heat_map(outcome, outcome.losses.size)
    assert everything["relative_mse"].isna().all() and not everything["noise"].any()


def test_constant_losses_have_no_relative_error():
    pool = pool_of(60)
    outcome = outcome_of(pool)
    constant = ablations.Outcome(outcome.profile, outcome.profile.moments(np.ones(60)), np.ones(60), 60)
    cells = exact(constant, variants("allocation"), settings.default_budgets(5, 60))
    assert cells["relative_mse"].isna().all() and (cells["mse"] == 0).all()


def test_cells_say_in_words_what_colours_say(binary):
    table = ablations.exact(outcome_of(binary), variants("offset"), [30, 100])
    marks = ablations.marked(table)
    cells = shown_tables.ablation(marks, ablations.simulated(outcome_of(binary), variants("offset"), [30, 100], 50))
    assert cells["M"].tolist() == ["30", "100", "mean"]
    for row in cells.itertuples(index=False):
        assert sum("best" in cell for cell in row) == 1 and sum("worst" in cell for cell in row) == 1
    assert cells.iloc[0, 1:].str.contains(r"· \d+\.\d \(s\.e\. \d+\.\d\)$").all()
