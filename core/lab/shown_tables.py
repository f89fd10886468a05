"""Tidy frames → tables as people read them: one row a budget, one column a variant, marks in words beside colours.

Errors are in per cent of Uniform's. A simulated value stands with its standard error, "77.1 (s.e. 2.0)".
"""

from __future__ import annotations

import math

import pandas as pd

from ..allocation.ways import WAYS
from ..signals.entries import SIGNALS
from ..words import UNKNOWN, bare, cell, signed, with_error
from .ablations import BESIDE
from .signals_compared import COLUMN, OWN

_TITLES = {way.name: way.title for way in WAYS.entries}
_NOUNS = {signal.name: signal.noun for signal in SIGNALS.entries}

NOISE = "≈"
BUDGET = "M"


def ablation(marks: pd.DataFrame, simulated: pd.DataFrame | None = None) -> pd.DataFrame:
    """Format cells like "77.7 best" or "78.0 ≈ · 77.1 (s.e. 2.0)"; brackets mark columns that are no choices.

    Parameters
    ----------
    marks : DataFrame
        Of `core.lab.ablations.marked`.
    simulated : DataFrame, optional
        Of `core.lab.ablations.simulated`; follows the exact value after a dot.
    """
    columns = {}
    for variant, cells in marks.groupby("variant", sort=False):
        name = f"({cells['label'].iloc[0]})" if variant in BESIDE else str(cells["label"].iloc[0])
        drawn = {} if simulated is None else _simulated_cells(simulated[simulated["variant"] == variant])
        rows = zip(cells["row"], cells["relative_mse"], cells["mark"], cells["noise"], strict=True)
        columns[name] = pd.Series(
            {
                row: " ".join(filter(None, (cell(value), mark, NOISE if noise else "", drawn.get(row))))
                for row, value, mark, noise in rows
            }
        )
    wide = pd.DataFrame(columns).rename_axis(BUDGET).reset_index()
    return wide.assign(**{BUDGET: wide[BUDGET].map(lambda row: f"{int(row):,}" if row.isdigit() else row)})


def baselines(exact: pd.DataFrame, simulated: pd.DataFrame | None = None) -> pd.DataFrame:
    """One row a budget, one column a method.

    Parameters
    ----------
    exact : DataFrame
        Of `core.lab.baselines.exact`.
    simulated : DataFrame, optional
        Of `core.lab.baselines.simulated`.
    """
    wide = _by_method(exact, exact["relative_mse"].map(cell))
    if simulated is not None:
        cells = simulated[["relative_mse", "relative_standard_error"]].apply(lambda row: with_error(*row), axis=1)
        wide = wide.join(_by_method(simulated, cells))
    return wide.rename(columns=_TITLES).rename_axis(BUDGET).reset_index()


def coverage(table: pd.DataFrame) -> pd.DataFrame:
    """One row an interval and budget, from `core.lab.coverage.coverage`; widths in percentage points."""
    return pd.DataFrame(
        {
            "Interval": table["label"],
            BUDGET: table["budget"],
            "Contains the truth, %": table[["coverage", "coverage_error"]].apply(lambda row: with_error(*row), axis=1),
            "Lies below it, %": table["missed_low"].map(cell),
            "Lies above it, %": table["missed_high"].map(cell),
            "Mean width, points": table["width"].map(cell),
        }
    )


def ladder(table: pd.DataFrame, budget: int) -> pd.DataFrame:
    """One row a rung, one column a budget; simulated values with their standard error.

    Parameters
    ----------
    table : DataFrame
        Of `core.lab.ladder.ladder`.
    budget : int
        The budget of the column of labels saved.
    """
    values = zip(table["relative_mse"], table["error"], table["exact"], strict=True)
    cells = [cell(value) if exact else with_error(value, error) for value, error, exact in values]
    wide = table.assign(cell=cells).pivot(index="rung", columns="budget", values="cell")
    wide.columns = pd.Index([f"M = {m:,}" for m in wide.columns])
    at = table[table["budget"] == budget].set_index("rung")
    wide = wide.loc[at.index]
    wide.insert(0, "Design", at["label"])
    wide[f"Saved, % (M = {budget:,})"] = at["saved"].map(cell)
    return wide.assign(**{"Rests on": at["why"]}).reset_index(drop=True)


def across(table: pd.DataFrame) -> pd.DataFrame:
    """One row a pool, target and budget, one column a method, from `core.lab.across.compare`."""
    return _wide_across(table, table["relative_mse"].map(cell))


def coverage_across(table: pd.DataFrame) -> pd.DataFrame:
    """The same of coverage, with its standard error."""
    drawn = table[table["coverage"].notna()]
    return _wide_across(drawn, drawn[["coverage", "coverage_error"]].apply(lambda row: with_error(*row), axis=1))


def bias_across(table: pd.DataFrame) -> pd.DataFrame:
    """The same of bias, in percentage points or, for other losses, in their unit times 100, with its standard error."""
    drawn = table[table["bias"].notna()]
    cells = [_bias(bias, error) for bias, error in zip(drawn["bias"], drawn["bias_error"], strict=True)]
    return _wide_across(drawn, pd.Series(cells, index=drawn.index, dtype=object))


def means(table: pd.DataFrame) -> pd.DataFrame:
    """One row a pool and, last, all of them; one column a method, from `core.lab.across.means`."""
    order = list(dict.fromkeys(table["method"]))
    rows = table.assign(
        cell=table["relative_mse"].map(cell), place=(table["method"] == order[0]).cumsum() if order else 0
    )
    wide = rows.pivot(index=["place", "pool"], columns="method", values="cell")[order]
    return (
        wide.fillna(UNKNOWN)
        .rename(columns=_TITLES)
        .reset_index()
        .drop(columns="place")
        .rename(columns={"pool": "Pool"})
    )


def saved_across(table: pd.DataFrame) -> pd.DataFrame:
    """The label savings of several pools, as the paper's table has them, from `core.lab.across.savings`."""
    return pd.DataFrame(
        {
            "Pool": table["pool"],
            "Target": table["target"],
            "N": table["items"],
            "Method": table["method"].map(_TITLES),
            "Labels": table["budget"],
            "Uniform needs": table["uniform_needs"],
            "Saved, %": table["saved"].map(cell),
        }
    )


def related(exact: pd.DataFrame, simulated: pd.DataFrame | None = None) -> pd.DataFrame:
    """`baselines` of the related methods, with the bias of those that have one, in points.

    Parameters
    ----------
    exact : DataFrame
        Of `core.lab.related.exact`.
    simulated : DataFrame, optional
        Of `core.lab.related.simulated`.
    """
    wide = baselines(exact, simulated)
    biased = pd.DataFrame() if simulated is None else simulated[simulated["method"] == "actracer"]
    if len(biased):
        wide["AcTracer’s bias, points"] = [
            _bias(*pair) for pair in zip(biased["bias"], biased["bias_error"], strict=True)
        ]
    return wide


def savings(table: pd.DataFrame) -> pd.DataFrame:
    """One row a method and budget, from `core.lab.ladder.savings`."""
    return pd.DataFrame(
        {
            "Method": table["label"],
            BUDGET: table["budget"],
            "Method needs": table["needs"],
            "Saved": table["saved"],
            "Saved, %": table["fraction"].map(cell),
            "Uniform needs": table["uniform_needs"],
        }
    )


def published_savings(table: pd.DataFrame) -> pd.DataFrame:
    """The published savings, from `core.lab.baselines.savings`."""
    return pd.DataFrame(
        {
            "Benchmark": table["benchmark"],
            "N": table["items"],
            "Surrogate → target": table["models"],
            BUDGET: table["budget"],
            "Method needs": table["needs"],
            "Saved, %": table["fraction"].map(cell),
        }
    )


def heat_map(table: pd.DataFrame, simulated: pd.DataFrame | None = None) -> pd.DataFrame:
    """One row a δ, one column an H; cells within the noise of the best carry "≈".

    Parameters
    ----------
    table : DataFrame
        Of `core.lab.ablations.exact`.
    simulated : DataFrame, optional
        Of `core.lab.ablations.simulated`; follows the exact value after a dot.
    """
    noise = table["noise"].map({True: f" {NOISE}", False: ""})
    cells = table["relative_mse"].map(cell) + noise
    if simulated is not None:
        pairs = table.merge(simulated, on=["n_strata", "offset"], how="left")[["simulated", "simulated_error"]]
        cells += [_after_dot(value, error) for value, error in pairs.itertuples(index=False)]
    wide = table.assign(cell=cells).pivot(index="offset", columns="n_strata", values="cell")
    wide.columns = pd.Index([f"H = {h}" for h in wide.columns])
    wide.index = pd.Index([f"{offset:.2f}" for offset in wide.index], name="δ")
    return wide.reset_index()


def signals(table: pd.DataFrame) -> pd.DataFrame:
    """One row a signal and target, the budgets as columns, from `core.lab.signals_compared.compare`."""
    keys = ["surrogate", "signal", "target"]
    first = table.drop_duplicates(keys)
    wide = pd.DataFrame(
        {
            "Surrogate": first["surrogate"],
            "Signal": first["signal"].map(_NOUNS).where(first["surrogate"] != COLUMN, first["signal"]),
            "Target": first["target"],
            "AUROC": first["auroc"].map(_rank),
            "Spearman": first["spearman"].map(_rank),
            "Share at 0": first["zeros"].map(cell),
            "H": first["strata"],
        }
    ).reset_index(drop=True)
    for budget, cells in table.groupby("budget", sort=False):
        wide[f"M = {budget:,}"] = cells["relative_mse"].map(cell).to_numpy()
    # Of a single surrogate, or of none, nothing has to be told apart.
    return wide if (~first["surrogate"].isin([OWN, COLUMN])).any() else wide.drop(columns="Surrogate")


def _by_method(table: pd.DataFrame, cells: pd.Series[str]) -> pd.DataFrame:
    order = list(dict.fromkeys(table["method"]))
    return table.assign(cell=cells).pivot(index="budget", columns="method", values="cell")[order]


def _wide_across(table: pd.DataFrame, cells: pd.Series[str]) -> pd.DataFrame:
    """One row a pool, target and budget; a method that a pool has no information for is "–"."""
    keys, order = ["digest", "pool", "target", "budget"], list(dict.fromkeys(table["method"]))
    first = list(dict.fromkeys(table[keys].itertuples(index=False, name=None)))
    wide = table.assign(cell=cells).pivot(index=keys, columns="method", values="cell")[order].fillna(UNKNOWN)
    named = wide.loc[first].rename(columns=_TITLES).reset_index().drop(columns="digest")
    return named.rename(columns={"pool": "Pool", "target": "Target", "budget": BUDGET})


def _bias(bias: float, error: float) -> str:
    return UNKNOWN if math.isnan(bias) else f"{signed(bias, True)} (s.e. {bare(error, True)})"


def _simulated_cells(rows: pd.DataFrame) -> dict[str, str]:
    values = zip(rows["budget"], rows["simulated"], rows["simulated_error"], strict=True)
    return {str(budget): _after_dot(value, error).strip() for budget, value, error in values}


def _after_dot(value: float, error: float) -> str:
    return "" if math.isnan(value) else f" · {with_error(value, error)}"


def _rank(value: float) -> str:
    return UNKNOWN if math.isnan(value) else f"{value:.3f}"
