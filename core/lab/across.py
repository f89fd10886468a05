"""Several pools side by side: what each design saves, and whether a risk model transfers.

Source: the paper's grid of four benchmarks and its table of label savings; docs/designs.md, the ladder.

It prints the exact relative error of fine strata along each signal and along what models trained on the other
benchmarks predict, then trains the default model on all benchmarks (`--write` replaces the shipped coefficients).
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..allocation.ways import PROPORTIONAL, PROXY_NEYMAN, UNIFORM
from ..design.design import Design
from ..design.scheme import INFEASIBLE, PAPER, Scheme
from ..pool.pool import Pool
from ..pool.target_sets import compared_targets
from ..prospect.leave_one_out import known_items
from ..readers import ModelResults, read, read_results
from ..signals.features import FEATURES, features
from ..signals.past import past_models
from ..signals.risk import CHOSEN, RiskModel, fit, train
from ..simulation.exact import exact_mse, stratified_mse, uniform_mse
from ..simulation.replications import rounds
from ..stratification.moments import moments
from ..stratification.profiles import EQUAL_MASS, signal_profile
from .ladder import RECOMMENDED_STEP, best_error, design_error, left_out, rung_design, uniform_needs
from .settings import TRIALS

BUDGETS = (50, 100, 200, 400)
PAPERS = PROXY_NEYMAN.name
METHODS = (UNIFORM.name, PROPORTIONAL.name, PAPERS, INFEASIBLE, *RECOMMENDED_STEP)
# Budgets above this share of the items are left out: with more, sampling is hardly worth it.
MOST = 1 / 3
ALL = "All pools"
# What shares the strata of the paper's design.
_STRATA = (PROPORTIONAL.name, PAPERS, INFEASIBLE)
_NO_ROUNDS = dict.fromkeys(("coverage", "coverage_error", "width", "bias", "bias_error"), math.nan)
_COLUMNS = (
    *("pool", "digest", "items", "target", "method", "budget"),
    *("mse", "relative_mse", "error", "uniform_needs", "saved", *_NO_ROUNDS),
)


def compare(
    pools: Sequence[Pool],
    budgets: Sequence[int] = BUDGETS,
    scheme: Scheme = PAPER,
    trials: int = 0,
    seed: int = 0,
    progress: Callable[[float], None] | None = None,
) -> pd.DataFrame:
    """Error of each method on every target of every pool.

    Parameters
    ----------
    pools : sequence of Pool
        Of more than 50 targets, 50 are compared (`core.pool.compared_targets`); those without a known outcome, or all
        of whose losses are equal, are left out.
    budgets : sequence of int
        Those from the number of strata to a third of the known outcomes are used.
    scheme : Scheme
        The paper's design, whose strata "proportional" and "oracle-neyman" share.
    trials : int
        T simulated rounds of every design that can be drawn, for coverage and bias; 0 simulates nothing.
    seed : int
        Of the rounds.
    progress : callable, optional
        Called with the share done.

    Returns
    -------
    DataFrame
        Tidy: pool, digest, items, target, method (of `METHODS`), budget, mse, relative_mse (a ratio), error (its
        standard error, 0 if it is exact), uniform_needs, saved (1 − budget/uniform_needs), coverage,
        coverage_error, width (mean), bias, bias_error; the last five NaN without rounds. Methods that a pool has no
        information for are missing.
    """
    for pool in pools:
        pool.check_unweighted("Lab")
    pairs = [(pool, target) for pool in pools for target in compared_targets(pool)]
    rows: list[dict[str, object]] = []
    for done, (pool, target) in enumerate(pairs, start=1):
        rows += _rows(pool, target, budgets, scheme, trials, seed)
        if progress is not None:
            progress(done / len(pairs))
    return pd.DataFrame(rows, columns=_COLUMNS)


def means(table: pd.DataFrame) -> pd.DataFrame:
    """Mean relative error of each method: of each pool over its targets and budgets, and over all targets alike.

    Parameters
    ----------
    table : DataFrame
        Of `compare`.

    Returns
    -------
    DataFrame
        scope ("pool", or last "all pools"), pool (`ALL` of all), method, relative_mse, worst (the largest of a budget),
        targets (that have the method), and the least coverage and the largest |bias|/bias_error of a budget.
    """
    rows = table.assign(far=(table["bias"] / table["bias_error"]).abs())
    measures = {
        "relative_mse": ("relative_mse", "mean"),
        "worst": ("relative_mse", "max"),
        "coverage": ("coverage", "min"),
        "far": ("far", "max"),
    }
    of_target = rows.groupby(["digest", "pool", "target", "method"], sort=False).agg(**measures).reset_index()
    overall = {
        "relative_mse": ("relative_mse", "mean"),
        "worst": ("worst", "max"),
        "targets": ("target", "size"),
        "coverage": ("coverage", "min"),
        "far": ("far", "max"),
    }
    by_pool = (
        of_target.groupby(["digest", "pool", "method"], sort=False).agg(**overall).reset_index().assign(scope="pool")
    )
    whole = of_target.groupby("method", sort=False).agg(**overall).reset_index().assign(pool=ALL, scope="all pools")
    columns = ["scope", "pool", "method", *overall]
    return pd.concat([by_pool[columns], whole[columns]], ignore_index=True)


def savings(table: pd.DataFrame, budget: int = 100) -> pd.DataFrame:
    """Labels saved at equal error: the paper's design and the recommendation that knows most, on every target.

    Parameters
    ----------
    table : DataFrame
        Of `compare`.
    budget : int
        Number of labels; each target's nearest to it is taken.

    Returns
    -------
    DataFrame
        pool, items, target, budget, method, uniform_needs (labels that Uniform needs for the method's error), saved.
    """
    distance = np.abs(np.log(table["budget"].astype(np.float64) / budget))
    nearest = distance.groupby([table["digest"], table["target"]]).transform("min")
    at = table[distance == nearest]
    informed = at[at["method"].isin(RECOMMENDED_STEP)].groupby(["digest", "target"], sort=False).tail(1)
    rows = at.loc[sorted([*at.index[at["method"] == PAPERS], *informed.index])]
    columns = ["pool", "items", "target", "budget", "method", "uniform_needs", "saved"]
    return pd.DataFrame(rows, columns=columns).reset_index(drop=True)


def _rows(
    pool: Pool, target: str, budgets: Sequence[int], scheme: Scheme, trials: int, seed: int
) -> list[dict[str, object]]:
    """Rows of one target; none if its outcome is not known or leaves nothing to compare."""
    known = pool.losses(target, scheme.parser)
    known = known[np.isfinite(known)]
    if known.size == 0 or np.ptp(known) == 0:
        return []
    part = known_items(pool, target, scheme.parser)
    losses = part.losses(target, scheme.parser)
    whole = moments(losses, np.zeros(losses.size, dtype=np.int64))
    missing = left_out(part, target, scheme.parser)
    names = [method for method in METHODS if method not in missing and not (PAPERS in missing and method in _STRATA)]
    rows: list[dict[str, object]] = []
    for budget in budgets:
        if not scheme.n_strata <= budget <= MOST * losses.size:
            continue
        uniform = float(stratified_mse(whole, np.array([[budget]]))[0])
        for method in names:
            plan = _design(method, part, budget, target, scheme).draw(part, seed=0)
            if method == INFEASIBLE:
                mse, error = best_error(plan, losses), 0.0
            else:
                mse, error = design_error(plan, part, losses, trials or TRIALS, seed)
            row = {"pool": pool.name, "digest": pool.digest, "items": losses.size, "target": target}
            row |= {"method": method, "budget": budget, "mse": mse, "relative_mse": mse / uniform}
            needs = int(uniform_needs(whole, np.array([mse]))[0])
            row |= {"error": error / uniform, "uniform_needs": needs, "saved": 1 - budget / needs}
            simulated = trials and method != INFEASIBLE
            rows.append(row | (_simulated(plan.design, part, losses, trials, seed) if simulated else _NO_ROUNDS))
    return rows


def _design(method: str, pool: Pool, budget: int, target: str, scheme: Scheme) -> Design:
    """The design of a method; of "oracle-neyman" that whose strata it shares."""
    if method == PROPORTIONAL.name:
        return Design(budget, replace(scheme, allocation=method))
    return rung_design(PAPERS if method == INFEASIBLE else method, pool, budget, target, scheme)


def _simulated(design: Design, pool: Pool, losses: NDArray[np.float64], trials: int, seed: int) -> dict[str, float]:
    """Coverage, width and bias over simulated rounds of labelling."""
    drawn, truth = rounds(design, pool, losses, trials, seed), float(losses.mean())
    # An estimate that equals the truth up to rounding is covered even by an interval without width.
    covered = float(((drawn["low"] <= truth + 1e-12) & (drawn["high"] >= truth - 1e-12)).mean())
    return {
        "coverage": covered,
        "coverage_error": math.sqrt(covered * (1 - covered) / trials),
        "width": float((drawn["high"] - drawn["low"]).mean()),
        "bias": float(drawn["value"].mean()) - truth,
        "bias_error": float(drawn["value"].std(ddof=1)) / math.sqrt(trials),
    }


SHIPPED = Path(__file__).parents[1] / "signals" / "default_risk.json"
_MASS = ", equal mass"
_ALONE = ("semantic entropy", "disagreement", "past risk")
_TRAINED = {
    "without answers": ("semantic entropy", "1 − self-consistency", "unparsed"),
    "answers": ("disagreement", "semantic entropy", "1 − self-consistency", "surrogates' favourite", "unparsed"),
    "past results, answers": CHOSEN,
    "past results, answers, everything else": FEATURES,
}


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """A target of a pool: its features and losses, and the groups of the items.

    Parameters
    ----------
    table : DataFrame
        Features, "loss" and "pool", the name of the benchmark, of the n items with a known loss.
    groups : (n,) int or None
        Group of each item.
    trained : (n,) float or None
        What a model predicts that was trained on the pool's other targets; None if there are fewer than two.
    """

    table: pd.DataFrame
    groups: NDArray[np.int64] | None
    trained: NDArray[np.float64] | None

    def error(self, values: NDArray[np.float64], risk: NDArray[np.float64] | None = None) -> float:
        """Exact error of ⌊M/2⌋ fine strata along a signal, Uniform = 1: the mean over budgets.

        Parameters
        ----------
        values : (n,) float
            The signal.
        risk : (n,) float, optional
            p̂: the strata have equal mass; without it, equal size.
        """
        losses = self.table["loss"].to_numpy()
        profile = signal_profile(values, np.full(values.size, np.nan), risk, self.groups)
        errors = []
        for budget in BUDGETS:
            if budget <= losses.size / 3:
                strata = profile.stratify(budget // 2, EQUAL_MASS)
                labels = np.full(strata.n_strata, 2)
                mse = exact_mse(losses, profile.stratum(strata), labels)
                errors.append(mse / uniform_mse(losses, int(labels.sum())))
        return float(np.mean(errors)) if errors else float("nan")


def cases(pools: Sequence[Pool], benchmark: str) -> list[Case]:
    """Every target of a benchmark's pools with a known outcome, the others' losses as past results."""
    examples = []
    for pool in pools:
        names = past_models(pool)
        losses = np.column_stack([pool.losses(name) for name in names]) if names else np.empty((pool.n_items, 0))
        for place, name in enumerate(names):
            table = features(pool, name, np.delete(losses, place, axis=1)).assign(loss=losses[:, place], pool=benchmark)
            known = table["loss"].notna().to_numpy()
            groups = None if pool.groups is None else pool.groups[known]
            trained = train(pool, name).predict(table)[known] if len(names) > 2 else None
            examples.append(Case(table[known], groups, trained))
    return examples


def transfer(benchmarks: Mapping[str, Sequence[Case]]) -> pd.DataFrame:
    """Relative errors by signal and benchmark, models trained on the other benchmarks.

    Parameters
    ----------
    benchmarks : mapping of str to sequence of Case
        At least two.

    Returns
    -------
    DataFrame
        A row a signal, a column a benchmark and "mean"; Uniform = 1, the mean over the targets; NaN if a benchmark
        does not have the signal.
    """
    rows: dict[str, dict[str, float]] = {}
    for held_out, tested in benchmarks.items():
        others = [case.table for name, cases in benchmarks.items() if name != held_out for case in cases]
        for name in _ALONE:
            signals = [case.table[name].to_numpy() for case in tested if name in case.table]
            rows.setdefault(name, {})[held_out] = _mean(tested, signals)
        for label, names in _TRAINED.items():
            known = [name for name in names if all(name in case.table for case in tested)]
            model = fit(others, known)
            predictions = [model.predict(case.table) for case in tested]
            rows.setdefault(f"trained elsewhere: {label}", {})[held_out] = _mean(tested, predictions)
            if names == CHOSEN:
                rows.setdefault(f"trained elsewhere: {label}{_MASS}", {})[held_out] = _mean(tested, predictions, True)
        trained = [case.trained for case in tested if case.trained is not None]
        rows.setdefault("trained on the pool: past results, answers", {})[held_out] = _mean(tested, trained)
        rows.setdefault(f"trained on the pool: past results, answers{_MASS}", {})[held_out] = _mean(
            tested, trained, True
        )
        past = [1 / (1 + np.exp(-case.table["past risk"].to_numpy())) for case in tested if "past risk" in case.table]
        rows.setdefault(f"past risk{_MASS}", {})[held_out] = _mean(tested, past, True)
    table = pd.DataFrame(rows).T
    return table.assign(mean=table.mean(axis=1))


def default(benchmarks: Mapping[str, Sequence[Case]]) -> RiskModel:
    """The default model, trained on all benchmarks."""
    model = fit([case.table for cases in benchmarks.values() for case in cases])
    return replace(model, pools=tuple(benchmarks))


def halves(results: ModelResults) -> list[Pool]:
    """Two pools of MMLU-Pro's results: every other model by accuracy is the committee, the rest are targets."""
    ranked = results.summary()["model"].tolist()
    return [results.pool(ranked[start::2], ranked[1 - start :: 2]) for start in (0, 1)]


def pools_of(path: Path) -> list[Pool]:
    """The pools of a benchmark: of a pool file, or of a folder of MMLU-Pro’s zips."""
    if not path.is_dir():
        return [read(path)]
    return halves(read_results({file.name: file for file in sorted(path.glob("*.zip"))}))


def _mean(tested: Sequence[Case], signals: Sequence[NDArray[np.float64]], mass: bool = False) -> float:
    """Mean error of the cases along their signals, with ``mass`` their p̂; NaN unless each has one."""
    if not tested or len(signals) < len(tested):
        return float("nan")
    pairs = zip(tested, signals, strict=True)
    return float(np.mean([case.error(values, values if mass else None) for case, values in pairs]))


if __name__ == "__main__":
    from ..commands import earlier

    sys.exit(earlier("lab", "risk-transfer"))
