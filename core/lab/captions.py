"""The findings above the lab's figures and tables, each from the frame that is shown.

The first sentence of a finding is a headline with one number; the others follow from whoever wants to know more.
"""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from ..allocation.ways import ACTRACER, CONTROL_VARIATE, CONTROL_VARIATE_BEST, PROXY_NEYMAN, RECOMMENDED, UNIFORM, WAYS
from ..design.scheme import INFEASIBLE, PAPER
from ..words import INTERVAL_NAMES, SPACE, counted, level, listed, per_cent, share_span, signed, width
from .ablations import BESIDE, MEAN
from .ladder import BEST
from .settings import TRIALS
from .signals_compared import OWN

CONSTANT = "Every item has the same loss. So every method is exact at any budget, and there is nothing to compare."
# A gain over Uniform below this cannot be seen in the figure.
_NEGLIGIBLE = 0.0005
# Standard errors from the truth beyond which a single mean is biased.
_CLEAR = 3
# Chance of so large a deviation, among all means shown, below which it is a bias.
_RARE = 0.05
_RUNGS = {way.name: way.rung for way in WAYS.entries if way.rung}


def baselines(exact: pd.DataFrame, budget: int) -> str:
    """Return a sentence on the exact method with the smallest error at one budget.

    Parameters
    ----------
    exact : DataFrame
        Of `core.lab.baselines.exact`, with the recommended design or without it.
    budget : int
        One of its budgets.
    """
    at = exact[exact["budget"] == budget].set_index("method")["relative_mse"]
    if at.isna().all():
        return CONSTANT if exact["relative_mse"].isna().all() else "With every item labelled, every method is exact."
    feasible = at.drop([INFEASIBLE, UNIFORM.name])
    best = str(feasible.idxmin())
    if float(feasible[best]) >= 1 - _NEGLIGIBLE:
        start = "No method beats Uniform here."
    else:
        start = _smallest(WAYS[best].within, float(feasible[best]))
    proxy = f"{PROXY_NEYMAN.title} has {per_cent(at[PROXY_NEYMAN.name], 1)}. " if best != PROXY_NEYMAN.name else ""
    return f"{start} {proxy}The optimum for the rules’ strata is {per_cent(at[INFEASIBLE], 1)}."


def _smallest(name: str, relative_mse: float, error: str = "error") -> str:
    """Name the smallest error; a setting such as “H = 5”, whose number is not that of the finding, after it."""
    if any(map(str.isdigit, name)):
        return f"The smallest {error} is {per_cent(relative_mse, 1)} of Uniform’s. It is that of {name}."
    return f"{_opening(name)} has the smallest {error}, {per_cent(relative_mse, 1)} of Uniform’s."


def _opening(name: str) -> str:
    """Write a name as the first of a sentence: a word with a capital, a symbol as it is."""
    return f"{name[:1].upper()}{name[1:]}" if name[:2].isalpha() else name


def _beside(name: str, relative_mse: float, recommended: float, among: str, error: str = "error") -> str:
    """Name the smallest of a comparison's errors and the recommended design's, the smaller one as a headline.

    Parameters
    ----------
    name, relative_mse
        What has the smallest error of those that are compared.
    recommended : float
        The recommended design's, NaN if it is not known.
    among : str
        What is compared, such as "signals".
    error : str
        Which error.
    """
    ours = WAYS[RECOMMENDED.name].within
    if recommended < relative_mse:
        return f"{_smallest(ours, recommended, error)} Among {among}, {name} has {per_cent(relative_mse, 1)}."
    said = _smallest(name, relative_mse, error)
    return said if math.isnan(recommended) else f"{said} {_opening(ours)} has {per_cent(recommended, 1)}."


def lure(simulated: pd.DataFrame, budget: int) -> str:
    """Whether LURE beats Uniform at one budget, a sentence for each score; empty without a relative error.

    Parameters
    ----------
    simulated : DataFrame
        Of `core.lab.baselines.simulated`.
    budget : int
        One of its budgets.
    """
    rows = simulated[(simulated["budget"] == budget) & simulated["relative_mse"].notna()]
    values = zip(rows["method"], rows["relative_mse"], rows["relative_standard_error"], strict=True)
    return " ".join(
        f"{WAYS[method].title}: {per_cent(value)} of Uniform’s squared error "
        f"(standard error {width(error, True)}), {_against_uniform(value, error)}."
        for method, value, error in values
    )


def ladder(table: pd.DataFrame, budget: int) -> str:
    """Return a sentence on the error that each rung leaves of Uniform's at one budget.

    Parameters
    ----------
    table : DataFrame
        Of `core.lab.ladder.ladder`.
    budget : int
        One of its budgets.
    """
    at = table[table["budget"] == budget].set_index("rung")["relative_mse"]
    if at.isna().all():
        return CONSTANT if table["relative_mse"].isna().all() else "With every item labelled, every design is exact."
    said = _left(at)
    if not said:
        return "This pool has no information that a design could use."
    return f"{said} The optimum for these strata is {per_cent(at[BEST], 1)}." if BEST in at.index else said


def _left(shares: pd.Series[float], which: str = "squared error", over: str = "") -> str:
    """Return a sentence on the share of Uniform's error that all that is known leaves, then less; "" without any."""
    *less, most = ["", *(rung for rung in _RUNGS if rung in shares.index)]
    if not most:
        return ""
    said = f"The {which} {_RUNGS[most]} is {per_cent(shares[most], 1)} of Uniform’s{over}."
    others = [f"{per_cent(shares[rung], 1)} {_RUNGS[rung]}" for rung in less if rung]
    return f"{said} It is {listed(others)}." if others else said


def across(means: pd.DataFrame) -> str:
    """The mean error of the paper's design and of the recommendations over all pools.

    Parameters
    ----------
    means : DataFrame
        Of `core.lab.across.means`.
    """
    rows = means[means["scope"] == "all pools"].set_index("method")
    said = _left(rows["relative_mse"], "mean squared error", f" on {_which(means)}")
    if not said:
        return "No target of these pools has a known outcome on enough items to compare designs."
    return f"{said} The mean is over {counted(int(rows['targets'].max()), 'target')}."


def _which(means: pd.DataFrame) -> str:
    """The pools that a mean is over, by name if they are one or two."""
    names = [f"“{name}”" for name in means.loc[means["scope"] == "pool", "pool"].unique()]
    return listed(names) if len(names) <= 2 else counted(len(names), "pool")


def worst_across(means: pd.DataFrame) -> str:
    """The largest error of the paper's design and of the recommendations over all targets and budgets.

    Parameters
    ----------
    means : DataFrame
        Of `core.lab.across.means`.
    """
    rows = means[means["scope"] == "all pools"].set_index("method")
    shares = [f"{per_cent(rows['worst'][rung], 1)} {_RUNGS[rung]}" for rung in _RUNGS if rung in rows.index]
    worst = "In the worst case (one target at one budget), the error as a share of Uniform’s is"
    return f"{worst} {listed(shares)}." if shares else ""


def coverage_across(table: pd.DataFrame) -> str:
    """Where intervals contain the truth least often, from `core.lab.across.compare` with rounds."""
    low = table.iloc[int(np.nanargmin(table["coverage"]))]
    return (
        f"The lowest coverage is {per_cent(low['coverage'], 1)} (standard error {width(low['coverage_error'], True)}): "
        f"{WAYS[low['method']].title} for {low['target']} of {low['pool']} at M = {low['budget']:,}."
    )


def bias_across(table: pd.DataFrame) -> str:
    """Whether the simulated means are farther from the truth than chance explains.

    Parameters
    ----------
    table : DataFrame
        Of `core.lab.across.compare` with rounds.
    """
    far = (table["bias"] / table["bias_error"]).abs()
    means, most = counted(int(far.notna().sum()), "mean"), float(far.max())
    if not most > _CLEAR:
        return f"Of {means}, none is farther from the truth than {most:.1f} standard errors: no bias can be seen."
    row, beyond = table.iloc[int(np.nanargmax(far))], int((far > _CLEAR).sum())
    by_chance = far.notna().sum() * math.erfc(most / math.sqrt(2))
    verdict = "this is a bias" if by_chance < _RARE else "among so many, chance explains that"
    where = f"{WAYS[row['method']].title} for {row['target']} of {row['pool']} at M = {row['budget']:,}"
    return (
        f"Of {means}, {beyond} {'is' if beyond == 1 else 'are'} more than {_CLEAR} standard errors from the truth. The "
        f"farthest, {where}, is off by {most:.1f} standard errors ({signed(row['bias'], True)}{SPACE}points): "
        f"{verdict}."
    )


def saved_across(table: pd.DataFrame) -> str:
    """The mean savings of the paper's design and of the recommendation that knows most.

    Parameters
    ----------
    table : DataFrame
        Of `core.lab.across.savings`.
    """
    if table.empty:
        return "There is nothing to compare."
    paper = table["method"] == PROXY_NEYMAN.name
    parts = [("with the paper’s design", table[paper]), ("with the recommended one", table[~paper])]
    shares = [f"{per_cent(rows['saved'].mean(), 1)} {name}" for name, rows in parts if len(rows)]
    return f"Of the labels that Uniform needs for the same error, you save on average {listed(shares)}."


def related(exact: pd.DataFrame, budget: int) -> str:
    """Return a sentence on the error that control variates leave of Uniform's at one budget, beside the paper's design.

    Parameters
    ----------
    exact : DataFrame
        Of `core.lab.related.exact`.
    budget : int
        One of its budgets.
    """
    at = exact[exact["budget"] == budget].set_index("method")["relative_mse"]
    if at.isna().all():
        return CONSTANT if exact["relative_mse"].isna().all() else "With every item labelled, every method is exact."
    variate, paper = float(at[CONTROL_VARIATE.name]), float(at[PROXY_NEYMAN.name])
    best = "a control variate" if variate < paper else "the paper’s design"
    ours = float(at.get(RECOMMENDED.name, math.nan))
    said = _beside(best, min(variate, paper), ours, "these methods")
    return (
        f"{said} Control variates have {per_cent(variate, 1)}, "
        f"{per_cent(at[CONTROL_VARIATE_BEST.name], 1)} with the best coefficient; the paper’s design has "
        f"{per_cent(paper, 1)}."
    )


def simulated_related(simulated: pd.DataFrame, budget: int) -> str:
    """Return a sentence on GAT and AcTracer beside Uniform at one budget, and on the bias of AcTracer's mean.

    Parameters
    ----------
    simulated : DataFrame
        Of `core.lab.related.simulated`.
    budget : int
        One of its budgets.
    """
    said = lure(simulated, budget)
    at = simulated[(simulated["method"] == ACTRACER.name) & simulated["bias"].notna()]
    if at.empty:
        return said
    worst = at.iloc[int((at["bias"] / at["bias_error"]).abs().argmax())]
    bias, error = float(worst["bias"]), float(worst["bias_error"])
    clear = "its estimate is biased" if abs(bias) > _CLEAR * error else "no bias can be seen in this simulation"
    return (
        f"{said} AcTracer’s mean is {signed(bias, True)}{SPACE}points from the truth at M = {worst['budget']:,} "
        f"(standard error {width(error, True)}): {clear}."
    ).strip()


def savings(table: pd.DataFrame, method: str = PROXY_NEYMAN.name) -> str:
    """Return a sentence on a method's savings at its best and at its worst budget.

    Parameters
    ----------
    table : DataFrame
        Of `core.lab.ladder.savings`.
    method : str
        One of its methods.
    """
    rows = table[table["method"] == method]
    best, worst = rows.iloc[int(np.argmax(rows["fraction"]))], rows.iloc[int(np.argmin(rows["fraction"]))]
    name = WAYS[method].title
    if best["fraction"] <= 0:
        return f"{name} saves no labels on this pool: it needs as many as Uniform, or more, at every budget."
    saved = f"{name} saves {'up to ' * (len(rows) > 1)}{per_cent(best['fraction'], 1)} of Uniform’s labels"
    most = f"{saved}. It needs {best['needs']:,} for the error that Uniform reaches with {best['budget']:,}."
    if len(rows) == 1:
        return most
    if worst["fraction"] < 0:
        return f"{most} For Uniform’s error with {worst['budget']:,} it needs more, {worst['needs']:,}."
    return f"{most} It saves least for Uniform’s error with {worst['budget']:,}: {per_cent(worst['fraction'], 1)}."


def recommended_savings(table: pd.DataFrame) -> str:
    """Return a sentence on the recommended design's savings, of `core.lab.ladder.savings`; "" without rows."""
    shares = table.loc[table["method"] == RECOMMENDED.name, "fraction"]
    if shares.empty:
        return ""
    saved = share_span(shares.min(), shares.max(), 1)
    mean = f"The recommended design saves {per_cent(shares.mean(), 1)} of Uniform’s labels"
    return f"{mean} on average. It saves {saved}, depending on the budget." if " to " in saved else f"{mean}."


def published_savings(table: pd.DataFrame) -> str:
    """The mean of the published savings, from `core.lab.baselines.savings`."""
    return f"On average, {per_cent(table['fraction'].mean(), 1)} of the labels were saved."


def ablation(marks: pd.DataFrame, trials: int = TRIALS) -> str:
    """Return a sentence on the best and worst variants on average, and on differences that a simulation cannot show.

    Parameters
    ----------
    marks : DataFrame
        Of `core.lab.ablations.marked`.
    trials : int
        T of the simulation.
    """
    mean = marks[marks["row"] == MEAN].set_index("label")
    best, worst = mean.index[mean["mark"] == "best"], mean.index[mean["mark"] == "worst"]
    if not len(best):
        same = mean["relative_mse"].notna().any()
        return (
            "All columns are the same design on this pool." if same else "No budget is large enough for every column."
        )
    low, high = float(mean.loc[best[0], "relative_mse"]), float(mean.loc[worst[0], "relative_mse"])
    ours = mean.loc[mean["variant"] == RECOMMENDED.name, "relative_mse"]
    recommended = float(ours.iloc[0]) if len(ours) else math.nan
    cells = marks[(marks["row"] != MEAN) & ~marks["variant"].isin(BESIDE)]
    others = cells[cells["relative_mse"].notna() & (cells["mark"] != "best")]
    noise = int(others["noise"].sum())
    return (
        f"{_beside(str(best[0]), low, recommended, 'these choices', 'mean error')} The largest is {per_cent(high, 1)}, "
        f"of {worst[0]}. Of the {len(others)} other cells, {noise} {'is' if noise == 1 else 'are'} too close to the "
        f"smallest of the row for a simulation of {trials:,} trials to tell apart."
    )


def heat_map(table: pd.DataFrame, n_strata: int, offset: float, recommended: float = math.nan) -> str:
    """The best cell of the map, the chosen one, and how much of the map is as good as the best.

    Parameters
    ----------
    table : DataFrame
        Of `core.lab.ablations.exact`.
    n_strata : int
        H of the chosen cell.
    offset : float
        δ of the chosen cell, which need not be on the map.
    recommended : float
        Of `core.lab.Experiment.recommended_error`.
    """
    known = table.dropna(subset="relative_mse")
    if known.empty:
        return "There is nothing to compare: Uniform’s error is 0, or the budget is below the number of strata."
    best = known.iloc[int(np.argmin(known["relative_mse"]))]
    place, low = f"H = {int(best['n_strata'])} with δ = {best['offset']:g}", float(best["relative_mse"])
    as_good = int(known["noise"].sum())
    sentence = _smallest(place, low, "error on this map")
    if as_good > len(known) / 2:
        most = f"Most settings of H and δ are as good as the best: {per_cent(low, 1)} of Uniform’s error."
        sentence = f"{most} The smallest is that of {place}."
    chosen = known[(known["n_strata"] == n_strata) & ((known["offset"] - offset).abs() < 1e-9)]
    if len(chosen):
        sentence += f" H = {n_strata} with δ = {offset:g} has {per_cent(chosen['relative_mse'].iloc[0], 1)}."
    if not math.isnan(recommended):
        sentence += f" The recommended design has {per_cent(recommended, 1)}; it is not on this map."
    return f"{sentence} {as_good} of {len(known)} cells are within the noise of the best."


def signals(table: pd.DataFrame, budget: int, target: str, recommended: float = math.nan) -> str:
    """The signal whose strata save most for a target, beside semantic entropy of the pool's own generations.

    Parameters
    ----------
    table : DataFrame
        Of `core.lab.signals_compared.compare`.
    budget : int
        One of its budgets.
    target : str
        One of its targets.
    recommended : float
        Of `core.lab.Experiment.recommended_error`.
    """
    at = table[(table["budget"] == budget) & (table["target"] == target)].dropna(subset="relative_mse")
    if at.empty:
        return f"No signal can be compared here. At M = {budget:,} Uniform’s error is 0, or the budget does not fit."
    best = at.iloc[int(np.argmin(at["relative_mse"]))]
    entropy = at[(at["surrogate"] == OWN) & (at["signal"] == PAPER.signal)]
    least = per_cent(best["relative_mse"], 1)
    sentence = f"For “{target}”, the smallest error of a signal is that of “{best['label']}”: {least} of Uniform’s."
    if not math.isnan(recommended):
        sentence += f" {_opening(WAYS[RECOMMENDED.name].within)} has {per_cent(recommended, 1)} for it."
    if len(entropy) and best.name != entropy.index[0]:
        sentence += f" Stratifying by semantic entropy has {per_cent(entropy['relative_mse'].iloc[0], 1)}."
    if not math.isnan(best["auroc"]):
        sentence += f" The AUROC of {best['label']} for wrong answers is {best['auroc']:.2f}."
    return sentence


def coverage(table: pd.DataFrame, budget: int) -> str:
    """Return a sentence on the coverage of the recommended design's interval, if there is one, and of the chosen one's.

    Parameters
    ----------
    table : DataFrame
        Of `core.lab.coverage.coverage`.
    budget : int
        One of its budgets.
    """
    rows = table[table["budget"] == budget].set_index("interval")
    shares, errors = rows["coverage"].to_dict(), rows["coverage_error"].to_dict()
    promised = level(rows["confidence"].iloc[0])

    def share(interval: str) -> str:
        return per_cent(shares[interval], 1)

    ours, usual = RECOMMENDED.name in shares, f"the default interval ({INTERVAL_NAMES['tilted']})"
    first = RECOMMENDED.name if ours else "tilted"
    whose = f"The interval of {WAYS[first].within}" if ours else _opening(usual)
    said = f"{whose} contains the truth in {share(first)} of the draws. It promises {promised}."
    if "tilted" in shares:
        beside = f"With these settings, {usual} contains it in {share('tilted')} and Wald’s" if ours else "Wald’s does"
        said += f" {beside} in {share('wald')}."
    sure = width(max(errors.values()), True)
    return f"{said} This is with {budget:,} labels; standard errors are at most {sure}."


def _against_uniform(value: float, error: float) -> str:
    if abs(value - 1) < 2 * error:
        return "not clearly different from Uniform"
    return "better than Uniform" if value < 1 else "worse than Uniform"
