"""The findings above Lab's figures, from the frames they show."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from core.design.scheme import INFEASIBLE
from core.lab.ablations import MEAN
from core.lab.settings import TRIALS
from core.lab.surrogates import OWN
from core.words import METHOD_NAMES, per_cent

CONSTANT = "Every item has the same loss, so every method is exact with any budget: there is nothing to compare."
_SHOWN = 0.0005


def baselines(exact: pd.DataFrame, budget: int) -> str:
    """Every exact method at one budget."""
    at = exact[exact["budget"] == budget].set_index("method")["relative_mse"]
    if at.isna().all():
        return CONSTANT if exact["relative_mse"].isna().all() else "With every item labelled all methods are exact."
    feasible = at.drop([INFEASIBLE, "uniform"])
    best = str(feasible.idxmin())
    lowest = float(feasible[best])
    sentence = f"At M = {budget:,} the smallest feasible error is {_name(best)}’s, {_percent(lowest)} of Uniform’s"
    if best != "proxy-neyman":
        sentence += f" (Proxy-Neyman {_percent(at['proxy-neyman'])})"
    if lowest >= 1 - _SHOWN:
        sentence += ": no rule beats Uniform here"
    return f"{sentence}; the optimum for these strata is {_percent(at[INFEASIBLE])}."


def lure(simulated: pd.DataFrame, budget: int) -> str:
    """Whether LURE beats Uniform at one budget, a sentence for each score; empty without a relative error."""
    rows = simulated[(simulated["budget"] == budget) & simulated["relative_mse"].notna()]
    values = zip(rows["method"], rows["relative_mse"], rows["relative_standard_error"], strict=True)
    return " ".join(
        f"{_name(method)}: {100 * value:.0f} ± {100 * error:.0f} % of Uniform’s, {_against_uniform(value, error)}."
        for method, value, error in values
    )


def savings(table: pd.DataFrame, method: str = "proxy-neyman") -> str:
    """What a method saves, over the budgets."""
    own = table[table["method"] == method]
    best, worst = own.iloc[int(np.argmax(own["fraction"]))], own.iloc[int(np.argmin(own["fraction"]))]
    name = _name(method)
    if best["fraction"] <= 0:
        return f"{name} saves no labels on this pool: at no budget does it need fewer than Uniform."
    most = (
        f"For the error that Uniform reaches with {best['budget']:,} labels {name} needs {best['needs']:,}: "
        f"{_percent(best['fraction'])} saved"
    )
    if len(own) == 1:
        return f"{most}."
    if worst["fraction"] < 0:
        return f"{most}, the most; with {worst['budget']:,} it needs more, {worst['needs']:,}."
    return f"{most}, the most; with {worst['budget']:,} labels {_percent(worst['fraction'])}, the least."


def ablation(marked: pd.DataFrame, trials: int = TRIALS) -> str:
    """Best and worst on average, and how many of the differences a simulation could not show."""
    mean = marked[marked["row"] == MEAN].set_index("label")
    best, worst = mean.index[mean["mark"] == "best"], mean.index[mean["mark"] == "worst"]
    if not len(best):
        same = mean["relative_mse"].notna().any()
        return "All columns are the same design on this pool." if same else "There is no budget all columns can take."
    low, high = float(mean.loc[best[0], "relative_mse"]), float(mean.loc[worst[0], "relative_mse"])
    cells = marked[(marked["row"] != MEAN) & (marked["variant"] != INFEASIBLE)]
    others = cells[cells["relative_mse"].notna() & (cells["mark"] != "best")]
    noise = int(others["noise"].sum())
    return (
        f"On average {best[0]} is best, {_percent(low)} of Uniform’s squared error, and {worst[0]} worst, "
        f"{_percent(high)}. {noise} of the {len(others)} other cells are nearer to their row’s best than a simulation "
        f"of {trials:,} trials could tell."
    )


def heat_map(table: pd.DataFrame, budget: int, n_strata: int, offset: float) -> str:
    """Where the best cell of the map is, how far the chosen setting is from it, how much of the map is as good."""
    known = table.dropna(subset="relative_mse")
    if known.empty:
        return "Uniform’s error is 0 here, or the budget is below the number of strata: there is nothing to compare."
    best = known.iloc[int(np.argmin(known["relative_mse"]))]
    sentence = (
        f"At M = {budget:,} the best cell is H = {int(best['n_strata'])}, δ = {best['offset']:g} with "
        f"{_percent(best['relative_mse'])}"
    )
    own = known[(known["n_strata"] == n_strata) & ((known["offset"] - offset).abs() < 1e-9)]
    if len(own):
        sentence += f"; H = {n_strata}, δ = {offset:g} has {_percent(own['relative_mse'].iloc[0])}"
    return f"{sentence}. {int(known['noise'].sum())} of {len(known)} cells are within the noise of the best."


def signals(table: pd.DataFrame, budget: int, target: str) -> str:
    """The signal whose strata save most for a target, against semantic entropy of the pool's own generations."""
    at = table[(table["budget"] == budget) & (table["target"] == target)].dropna(subset="relative_mse")
    if at.empty:
        return f"No signal can be compared at M = {budget:,}: the error of Uniform is 0, or the budget does not fit."
    best = at.iloc[int(np.argmin(at["relative_mse"]))]
    entropy = at[(at["surrogate"] == OWN) & (at["signal"] == "semantic-entropy")]
    lowest = per_cent(best["relative_mse"], 1)
    sentence = f"At M = {budget:,}, strata by {best['label']} save most: {lowest} of Uniform’s squared error"
    if len(entropy) and best.name != entropy.index[0]:
        sentence += f" ({per_cent(entropy['relative_mse'].iloc[0], 1)} by semantic entropy)"
    if not math.isnan(best["auroc"]):
        sentence += f"; its AUROC for wrong answers is {best['auroc']:.2f}"
    return f"{sentence}."


def _against_uniform(value: float, error: float) -> str:
    if abs(value - 1) < 2 * error:
        return "no clear difference from Uniform"
    return "better than Uniform" if value < 1 else "worse than Uniform"


def _name(method: str) -> str:
    return METHOD_NAMES[method]


def _percent(ratio: float) -> str:
    return f"{100 * ratio:.1f} %"


def widened(table: pd.DataFrame) -> str:
    """At which budgets of `core.lab.coverage.coverage` the limits are widened, and why; "" at none."""
    budgets = sorted(set(table.loc[table["widened"], "budget"]))
    if not budgets:
        return ""
    every = len(budgets) == table["budget"].nunique()
    where = "At every budget" if every else f"With {', '.join(f'{budget:,}' for budget in budgets)} labels"
    return f"{where} this design spreads the labels unevenly, and its intervals are widened, as on page Estimate."


def coverage(table: pd.DataFrame, budget: int) -> str:
    """How often the default interval holds what it promises, beside Wald's."""
    rows = table[table["budget"] == budget].set_index("interval")
    shares, errors = (
        dict(zip(rows.index, rows[name].tolist(), strict=True)) for name in ("coverage", "coverage_error")
    )
    # A number, its error and its unit stay on one line.
    own, wald = (f"{100 * shares[name]:.1f}\u00a0±\u00a0{100 * errors[name]:.1f}\u00a0%" for name in ("wilson", "wald"))
    promised = f"{100 * rows['confidence'].iloc[0]:g} %"
    return (
        f"With {budget:,} labels the default interval (Wilson’s), which promises {promised}, contains the truth in "
        f"{own} of the draws; Wald’s does in {wald}."
    )
