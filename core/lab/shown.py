"""Tidy frames → tables as people read them: one row a budget, one column a variant, marks in words beside colours."""

from __future__ import annotations

import math

import pandas as pd

from core.design.scheme import INFEASIBLE
from core.lab.settings import TRIALS
from core.lab.surrogates import COLUMN
from core.words import METHOD_NAMES, SIGNAL_NAMES

NOISE = "≈"
BUDGET = "M"


def ablation(marked: pd.DataFrame, simulated: pd.DataFrame | None = None) -> pd.DataFrame:
    """Cells such as "77.7 best", "78.0 ≈ (77.1 ± 2.0)" from `core.lab.ablations.marked` and `simulated`; in %.

    A column of the infeasible optimum is put in brackets.
    """
    columns = {}
    for variant, cells in marked.groupby("variant", sort=False):
        name = f"({cells['label'].iloc[0]})" if variant == INFEASIBLE else str(cells["label"].iloc[0])
        columns[name] = pd.Series(
            [
                " ".join(filter(None, (percent(value), mark, NOISE if noise else "")))
                for value, mark, noise in zip(cells["relative_mse"], cells["mark"], cells["noise"], strict=True)
            ],
            index=cells["row"].to_numpy(),
        )
        if simulated is not None:
            columns[name] = columns[name].str.cat(_in_brackets(simulated, variant, cells["row"]), sep=" ").str.strip()
    return pd.DataFrame(columns).rename_axis(BUDGET).reset_index()


def baselines(exact: pd.DataFrame, simulated: pd.DataFrame | None) -> pd.DataFrame:
    """Relative error of every baseline in %, LURE's with ± its standard error."""
    wide = _wide(exact, exact["relative_mse"].map(percent))
    if simulated is not None:
        errors = zip(simulated["relative_mse"], simulated["relative_standard_error"], strict=True)
        cells = pd.Series([_plus_minus(value, error) for value, error in errors], index=simulated.index)
        wide = wide.join(_wide(simulated, cells))
    return wide.rename(columns=METHOD_NAMES).rename_axis(BUDGET).reset_index()


def coverage(table: pd.DataFrame) -> pd.DataFrame:
    """One row an interval and budget, from `core.lab.coverage.coverage`; widths in percentage points."""
    return pd.DataFrame(
        {
            "Interval": table["label"],
            BUDGET: table["budget"],
            "Contains the truth, %": [
                _plus_minus(value, error)
                for value, error in zip(table["coverage"], table["coverage_error"], strict=True)
            ],
            "Lies below it, %": table["missed_low"].map(percent),
            "Lies above it, %": table["missed_high"].map(percent),
            "Mean width, points": table["width"].map(percent),
        }
    )


def savings(table: pd.DataFrame) -> pd.DataFrame:
    """One row a method and budget, from `core.lab.savings.savings`."""
    return pd.DataFrame(
        {
            "Method": table["label"],
            "M": table["budget"],
            "Method needs": table["needs"],
            "Saved": table["saved"],
            "Saved, %": table["fraction"].map(percent),
            "Uniform needs": table["uniform_needs"],
        }
    )


SAVINGS_NOTE = (
    "Method needs: the fewest labels for the error that Uniform reaches with M. Uniform needs: the fewest labels for "
    "the error that the method reaches with M."
)


def published_savings(table: pd.DataFrame) -> pd.DataFrame:
    """The published savings, from `core.lab.published.savings`."""
    return pd.DataFrame(
        {
            "Benchmark": table["benchmark"],
            "N": table["items"],
            "Surrogate → target": table["models"],
            "M": table["budget"],
            "Method needs": table["needs"],
            "Saved, %": table["fraction"].map(percent),
        }
    )


def heat_map(table: pd.DataFrame, simulated: pd.DataFrame | None = None) -> pd.DataFrame:
    """One row a δ, one column an H, cells in % with "≈" within the noise of the best, from `core.lab.strata_map.exact`.

    ``simulated``: of `core.lab.strata_map.simulated`, put in brackets.
    """
    cells = [
        f"{percent(value)} {NOISE}" if noise else percent(value)
        for value, noise in zip(table["relative_mse"], table["noise"], strict=True)
    ]
    if simulated is not None:
        pairs = table.merge(simulated, on=["n_strata", "offset"], how="left")[["simulated", "simulated_error"]]
        drawn = [_plus_minus(value, error) for value, error in pairs.itertuples(index=False)]
        cells = [f"{cell} ({other})" if other != "–" else cell for cell, other in zip(cells, drawn, strict=True)]
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
            "Signal": first["signal"].map(SIGNAL_NAMES).where(first["surrogate"] != COLUMN, first["signal"]),
            "Target": first["target"],
            "AUROC": first["auroc"].map(_number),
            "Spearman": first["spearman"].map(_number),
            "Share at 0": first["zeros"].map(percent),
            "H": first["strata"],
        }
    ).reset_index(drop=True)
    for budget, cells in table.groupby("budget", sort=False):
        wide[f"M = {budget}"] = cells["relative_mse"].map(percent).to_numpy()
    return wide


def percent(ratio: float) -> str:
    """A ratio in %, one decimal; a dash where there is none."""
    return "–" if math.isnan(ratio) else f"{100 * ratio:.1f}"


def noise_note(trials: int = TRIALS) -> str:
    """What the mark of noise means, one sentence."""
    return (
        f"{NOISE}: nearer to the row’s best than √(e² + e_best²), one standard error of the difference between two "
        f"independent simulations of T = {trials:,} trials, with e = value · √(2/T)."
    )


def _wide(table: pd.DataFrame, cells: pd.Series[str]) -> pd.DataFrame:
    order = list(dict.fromkeys(table["method"]))
    return table.assign(cell=cells).pivot(index="budget", columns="method", values="cell")[order]


def _in_brackets(simulated: pd.DataFrame, variant: object, rows: pd.Series[str]) -> pd.Series[str]:
    own = simulated[simulated["variant"] == variant]
    values = zip(own["budget"], own["simulated"], own["simulated_error"], strict=True)
    cells = {str(budget): f"({_plus_minus(value, error)})" for budget, value, error in values if not math.isnan(value)}
    return pd.Series([cells.get(row, "") for row in rows], index=rows.to_numpy())


def _plus_minus(value: float, error: float) -> str:
    return "–" if math.isnan(value) else f"{100 * value:.1f} ± {100 * error:.1f}"


def _number(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.3f}"
