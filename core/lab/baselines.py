"""The baselines: all allocation rules, exact, and LURE, whose error has no closed form and is simulated.

Source: docs/method.md, 3; paper, figure "Comparison with adapted LURE variants".
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from .. import lure
from ..allocation.ways import METHODS, PE_LURE, SE_LURE
from ..design.scheme import PAPER, Scheme
from ..pool.pool import Pool
from ..signals.entropy import predictive_entropy
from ..simulation.exact import curve, ratio, stratified_mse
from ..stratification.moments import moments
from ..stratification.profiles import Outcome
from .ablations import share_of, stratified
from .settings import TRIALS

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
