"""The baselines, exact or simulated, and the paper's published tables to stand beside a pool's own.

They belong to other pools (MMLU-Redux, N = 3,000, Qwen-3.5 2B → 9B, unless said otherwise) and are simulated with T =
3,000 trials; no generations were released, so they can be compared with, not recomputed (docs/method.md, 4).

Source: docs/method.md, 3; paper, figure "Comparison with adapted LURE variants".
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from .. import lure
from ..allocation.ways import EQUAL, METHODS, ORACLE_NEYMAN, PE_LURE, POWER, PROPORTIONAL, PROXY_NEYMAN, SE_LURE
from ..design.scheme import PAPER, Scheme
from ..pool.pool import Pool
from ..signals.entropy import predictive_entropy
from ..simulation.exact import curve, ratio, stratified_mse
from ..stratification.cuts import ADAPTIVE, EQUAL_WIDTH, K_MEANS, QUANTILE
from ..stratification.moments import moments
from ..stratification.profiles import Outcome
from . import ablations
from .ablations import share_of, stratified
from .settings import BUDGETS, TRIALS, Variant, variants

POOL = "MMLU-Redux, 3,000 items, Qwen-3.5 2B → 9B"

# Relative MSE in % for M = 50, 100, 200, 400, 800.
_PROXY = (85.7, 80.7, 82.5, 86.9, 82.5)
_RELATIVE: dict[str, dict[str, tuple[float, ...]]] = {
    "allocation": {
        EQUAL.name: (95.0, 95.1, 86.9, 90.0, 87.4),
        PROPORTIONAL.name: (92.6, 91.9, 86.6, 92.3, 93.4),
        POWER.name: (89.3, 85.4, 84.9, 86.2, 85.6),
        PROXY_NEYMAN.name: _PROXY,
        ORACLE_NEYMAN.name: (84.3, 85.7, 82.0, 81.2, 80.7),
    },
    "stratifier": {
        EQUAL_WIDTH.name: (89.9, 89.3, 84.1, 84.5, 82.7),
        K_MEANS.name: (87.0, 82.0, 84.8, 84.6, 85.6),
        QUANTILE.name: (86.1, 87.7, 81.8, 84.7, 83.3),
        ADAPTIVE.name: _PROXY,
    },
    "strata": {
        "H = 2": (90.3, 91.3, 86.5, 91.7, 82.6),
        "H = 3": (87.6, 86.3, 85.5, 85.4, 84.2),
        "H = 5": _PROXY,
        "H = 8": (89.3, 83.9, 83.4, 86.9, 83.7),
    },
    "offset": {
        "δ = 0.5": (86.0, 82.2, 83.8, 86.3, 81.9),
        "δ = 0.75": _PROXY,
        "δ = 1": (85.8, 80.6, 82.9, 87.1, 83.2),
        "δ = 2": (89.0, 82.3, 85.3, 89.7, 84.6),
        "δ = 5": (89.8, 83.5, 87.1, 90.2, 87.4),
    },
}
# As printed; the mean of the printed cells differs if the cells were rounded before.
_MEANS: dict[str, tuple[float, ...]] = {
    "allocation": (90.9, 91.4, 86.3, 83.7, 82.8),
    "stratifier": (86.1, 84.8, 84.7, 83.7),
    "strata": (88.5, 85.8, 83.7, 85.5),
    "offset": (84.0, 83.7, 83.9, 86.2, 87.6),
}
_SAVINGS = (
    ("MMLU-Redux", 3000, "Qwen-3.5 4B → 9B", 200, 144),
    ("MMLU-Pro", 12032, "Qwen-3.5 2B → 4B", 340, 266),
    ("GPQA-Diamond", 198, "GPT-5.4 Nano → GPT-5.4", 30, 22),
    ("MMBench", 4329, "Qwen-3-VL 2B → 4B", 80, 68),
)


def table(name: str) -> pd.DataFrame:
    """One of `core.lab.settings.TABLES` as published: variant, label, budget, relative_mse (a ratio)."""
    labels = {variant.key: variant.label for variant in columns(name)}
    rows = [
        (key, labels[key], budget, percent / 100)
        for key, percents in _RELATIVE[name].items()
        for budget, percent in zip(BUDGETS, percents, strict=True)
    ]
    return pd.DataFrame(rows, columns=["variant", "label", "budget", "relative_mse"])


def marked(name: str) -> pd.DataFrame:
    """`core.lab.ablations.marked` of a published table, with the means as printed."""
    frame = ablations.marked(table(name))
    means = frame["row"] == ablations.MEAN
    frame.loc[means, "relative_mse"] = [percent / 100 for percent in _MEANS[name]]
    return frame


def columns(name: str) -> tuple[Variant, ...]:
    """The columns of a published table."""
    return tuple(variant for variant in variants(name) if variant.key in _RELATIVE[name])


def savings() -> pd.DataFrame:
    """The published label savings: benchmark, items, models, budget (of Uniform), needs, saved and fraction."""
    frame = pd.DataFrame(_SAVINGS, columns=["benchmark", "items", "models", "budget", "needs"])
    return frame.assign(saved=frame["budget"] - frame["needs"], fraction=1 - frame["needs"] / frame["budget"])


PE_LACKS = (
    "PE-LURE is not shown: it needs the mean log-probability per token of every generation (“token_logprobs”), which "
    "this pool does not have."
)


def exact(
    outcome: Outcome, budgets: Sequence[int], scheme: Scheme = PAPER, methods: Sequence[str] = METHODS
) -> pd.DataFrame:
    """Exact error of Uniform and every allocation rule.

    Parameters
    ----------
    outcome : Outcome
        The target's known losses.
    budgets : (B,) int
        From H to N.
    scheme : Scheme
        Stratifier, H and δ.
    methods : sequence of str
        Of `core.allocation.METHODS`.

    Returns
    -------
    DataFrame
        Tidy: method, budget, mse, relative_mse, as of `core.simulation.curve`.

    Raises
    ------
    DesignError
        A budget is below the number of strata or above N.
    """
    strata, moments_in = stratified(outcome, scheme)
    return curve(moments_in, strata.consistency, np.asarray(budgets, np.int64), scheme.offset, methods)


def scores(pool: Pool, outcome: Outcome, known: NDArray[np.bool_]) -> dict[str, NDArray[np.float64]]:
    """Acquisition scores of the items whose outcome is known.

    Parameters
    ----------
    pool : Pool
        The pool.
    outcome : Outcome
        The known losses of a target on the pool.
    known : (N,) bool
        Where its loss is known.

    Returns
    -------
    dict
        By method: semantic entropy for "se-lure", predictive entropy, at least 0, for "pe-lure". The latter is missing
        if the pool lacks token log-probabilities (`PE_LACKS` says so).
    """
    scores = {SE_LURE.name: outcome.profile.signal}
    if pool.token_logprobs is not None:
        scores[PE_LURE.name] = np.maximum(predictive_entropy(pool.token_logprobs[known]), 0.0)
    return scores


def simulated(
    losses: ArrayLike,
    scores: Mapping[str, ArrayLike],
    budgets: Sequence[int],
    trials: int = TRIALS,
    clip: float = 0.1,
    seed: int = 0,
    progress: Callable[[float], None] | None = None,
) -> pd.DataFrame:
    """Simulated error of LURE with each score.

    Parameters
    ----------
    losses : (N,) array_like
        Finite.
    scores : Mapping
        (N,) scores of each method.
    budgets : (B,) int
        From 1 to N.
    trials : int
        T ≥ 2.
    clip : float
        Share of Uniform mixed into the draw, in (0, 1].
    seed : int
        Of the draws.
    progress : callable, optional
        Called with the share done.

    Returns
    -------
    DataFrame
        Tidy: method, budget, mse, standard_error, relative_mse, relative_standard_error, trials. The ratio is to
        Uniform's exact error (NaN if that is 0), so the standard errors are those of the simulated numerator alone.
    """
    loss, budget = np.asarray(losses, dtype=np.float64), np.asarray(budgets, dtype=np.int64)
    uniform = stratified_mse(moments(loss, np.zeros(loss.size, dtype=np.int64)), budget[:, None])
    rows = []
    for done, (method, score) in enumerate(scores.items()):
        share = share_of(progress, done, len(scores))
        errors = lure.estimates(loss, score, budget, trials, clip, seed, share) - loss.mean()
        rows.append(of_errors(method, budget, errors, uniform))
    return pd.concat(rows, ignore_index=True)


def of_errors(
    method: str, budgets: NDArray[np.int64], errors: NDArray[np.float64], uniform: NDArray[np.float64]
) -> pd.DataFrame:
    """Tabulate simulated errors.

    Parameters
    ----------
    method : str
        One of `core.allocation.WAYS`.
    budgets : (B,) int
        M of each column of errors.
    errors : (T, B) float
        Estimates less the truth.
    uniform : (B,) float
        Uniform's mean squared errors.

    Returns
    -------
    DataFrame
        As of `simulated`.
    """
    trials, squared = len(errors), errors**2
    mse, error = squared.mean(axis=0), squared.std(axis=0, ddof=1) / math.sqrt(trials)
    cells = {"method": method, "budget": budgets, "mse": mse, "standard_error": error}
    relative = {"relative_mse": ratio(mse, uniform), "relative_standard_error": ratio(error, uniform)}
    return pd.DataFrame(cells | relative | {"trials": trials})
