"""Does a risk model transfer? `neyman lab risk-transfer POOL…` holds out one benchmark after another.

It prints the exact relative error of fine strata along each signal and along what models trained on the other
benchmarks predict, then trains the default model on all benchmarks (`--write` replaces the shipped coefficients).
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..pool.pool import Pool
from ..readers import ModelResults, read, read_results
from ..signals.features import FEATURES, features
from ..signals.past import past_models
from ..signals.risk import CHOSEN, RiskModel, fit, train
from ..simulation.exact import exact_mse, uniform_mse
from ..stratification.profiles import EQUAL_MASS, signal_profile

BUDGETS = (50, 100, 200, 400)
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
