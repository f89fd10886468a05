"""Risk: the predicted probability that a target fails an item, from models whose outcome is known.

Source: docs/method.md, 7.4.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from importlib.resources import files
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..errors import DesignError
from ..pool.outcomes import in_unit
from ..pool.pool import Pool
from .features import features
from .past import DIGITS, nearest, past_losses, past_models

# What transfers between benchmarks (docs/designs.md, "Risk model").
CHOSEN = ("past risk", "disagreement", "past risk × disagreement")
# More models than these make training slower and no better.
_MOST_MODELS = 12
_RIDGE = 1.0
_ROUNDS = 50


@dataclass(frozen=True, slots=True)
class RiskModel:
    """A logistic regression of failing on standardised features.

    Parameters
    ----------
    features : tuple of str
        Of `core.signals.FEATURES`.
    means, scales : tuple of float
        Of the features if it was trained; scales are above 0.
    coefficients : tuple of float
        Of the standardised features.
    intercept : float
        Log-odds of failing at the means.
    models : int
        The number of models whose outcomes it was trained on.
    pools : tuple of str
        Names of the pools that these were run on; empty if that is the very pool that it predicts.

    Raises
    ------
    DesignError
        There are not as many numbers as features, or a scale is not above 0.
    """

    features: tuple[str, ...]
    means: tuple[float, ...]
    scales: tuple[float, ...]
    coefficients: tuple[float, ...]
    intercept: float
    models: int
    pools: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        sizes = {len(self.features), len(self.means), len(self.scales), len(self.coefficients)}
        if len(sizes) > 1 or min(self.scales, default=1.0) <= 0:
            raise DesignError("A risk model needs a mean, a scale above 0 and a coefficient for each feature.")

    def predict(self, table: pd.DataFrame) -> NDArray[np.float64]:
        """Predict the risk p̂ of each item, (N,) in [0, 1], rounded so that equal risks are equal on every machine.

        Parameters
        ----------
        table : DataFrame
            Of `core.signals.features`, with the columns that the model needs. NaN counts as the mean.

        Raises
        ------
        DesignError
            A feature is missing.
        """
        missing = [name for name in self.features if name not in table.columns]
        if missing:
            raise DesignError(f"This risk model needs {', '.join(missing)}, which is not known of these items.")
        return self.of(table[list(self.features)].to_numpy(dtype=np.float64))

    def of(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """`predict` of the features' values, (N, F) in their order."""
        standard = np.nan_to_num((values - np.array(self.means)) / np.array(self.scales))
        return np.round(_logistic(standard @ np.array(self.coefficients) + self.intercept), DIGITS)

    def to_dict(self) -> dict[str, Any]:
        """The model as plain lists and numbers, for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> RiskModel:
        """Make the model from what `to_dict` returned, also after a round trip through JSON."""
        return cls(
            tuple(content["features"]),
            tuple(content["means"]),
            tuple(content["scales"]),
            tuple(content["coefficients"]),
            content["intercept"],
            content["models"],
            tuple(content.get("pools", ())),
        )


# The risk models of each pool, by what was asked for.
_CHOSEN: WeakKeyDictionary[Pool, dict[tuple[object, ...], RiskModel]] = WeakKeyDictionary()


def default_model() -> RiskModel:
    """The risk model that comes with the package, trained across benchmarks (docs/designs.md, "Risk model")."""
    return RiskModel.from_dict(json.loads(files(__package__).joinpath("default_risk.json").read_text("utf-8")))


def risk_model(
    pool: Pool,
    target: str | None = None,
    past: Sequence[str] | None = None,
    *,
    accuracy: float | None = None,
    parser: str | None = None,
) -> RiskModel:
    """Choose the risk model for a target: trained on the pool's past models, or else the default.

    Parameters
    ----------
    pool : Pool
        The pool.
    target : str, optional
        The target; its losses are never looked at.
    past : sequence of str, optional
        Models whose outcome is known; by default all others whose outcome is known on at least 95 % of the items.
    accuracy : float, optional
        The believed accuracy of the target.
    parser : str, optional
        A kind of `core.answers` for all items.

    Returns
    -------
    RiskModel
        Of "past risk", and of "disagreement" and their product if the target's answers are known. Trained on the
        pool with two past models or more; the default if there is one, or if past models have no answers.

    Raises
    ------
    DesignError
        There is no past model; or one alone, and no answers of the target; or losses outside [0, 1].
    """
    # Designs of every budget ask for the same one.
    known, asked = _CHOSEN.setdefault(pool, {}), (target, None if past is None else tuple(past), accuracy, parser)
    if asked not in known:
        known[asked] = _chosen(pool, target, past, accuracy, parser)
    return known[asked]


def _chosen(
    pool: Pool, target: str | None, past: Sequence[str] | None, accuracy: float | None, parser: str | None
) -> RiskModel:
    losses = past_losses(pool, target, past, parser)
    names = tuple(features(pool, target, losses, CHOSEN, accuracy=accuracy, parser=parser).columns)
    if losses.shape[1] > 1:
        trained = train(pool, target, past, names, accuracy=accuracy, parser=parser)
        if trained.features == names:
            return trained
    if names == CHOSEN and in_unit(losses):
        return default_model()
    raise DesignError(
        "A risk model needs another model's losses between 0 and 1 and the target's answers, or two other models' "
        "losses. Use past results as the signal."
    )


def train(
    pools: Pool | Sequence[Pool],
    target: str | None = None,
    past: Sequence[str] | None = None,
    names: Sequence[str] = CHOSEN,
    *,
    accuracy: float | None = None,
    parser: str | None = None,
) -> RiskModel:
    """Train a risk model on targets whose outcome is known.

    Each past model is predicted from its own answers and from the losses of the *other* past models of its pool.

    Parameters
    ----------
    pools : Pool or sequence of Pool
        Where to learn; every pool counts the same.
    target : str, optional
        The model that the prediction is for; it is left out everywhere.
    past : sequence of str, optional
        The models to learn from; by default all whose outcome is known on at least 95 % of the items. Of more than 12
        in a pool, the 12 nearest to the believed accuracy are predicted; the losses of all are used as features.
    names : sequence of str
        The features, of `core.signals.FEATURES`; those that no past model has are left out.
    accuracy : float, optional
        The believed accuracy of the target; by default that of the best past model.
    parser : str, optional
        A kind of `core.answers` for all items.

    Returns
    -------
    RiskModel

    Raises
    ------
    DesignError
        No feature is known of any past model, or its losses are not all between 0 and 1.
    """
    several = [pools] if isinstance(pools, Pool) else list(pools)
    tables = [
        table.assign(pool=number)
        for number, pool in enumerate(several)
        for table in past_tables(pool, target, past, names, accuracy=accuracy, parser=parser)
    ]
    return replace(fit(tables, names), pools=() if isinstance(pools, Pool) else tuple(pool.name for pool in several))


def past_tables(
    pool: Pool,
    target: str | None = None,
    past: Sequence[str] | None = None,
    names: Sequence[str] = CHOSEN,
    *,
    accuracy: float | None = None,
    parser: str | None = None,
) -> list[pd.DataFrame]:
    """Return the tables that a risk model learns from: one for each past model, with its features and its known "loss".

    Parameters are those of `train`; the past results in a table are those of the other past models.
    """
    models = tuple(name for name in past_models(pool, target, past, parser) if name != target)
    losses = np.column_stack([pool.losses(name, parser) for name in models]) if models else np.empty((0, 0))
    tables = []
    for model in nearest(losses, accuracy, _MOST_MODELS):
        others = np.delete(losses, model, axis=1)
        table = features(pool, models[model], others, names, accuracy=accuracy, parser=parser)
        known = ~np.isnan(losses[:, model])
        table = table.assign(loss=losses[:, model])
        tables.append(table if known.all() else table[known])
    return tables


def fit(tables: Sequence[pd.DataFrame], names: Sequence[str] = CHOSEN, logit: str | None = None) -> RiskModel:
    """Fit a risk model.

    Parameters
    ----------
    tables : sequence of DataFrame
        One a model and pool: features, "loss" in [0, 1], and "pool", which tells pools apart.
    names : sequence of str
        The features to use, as far as every table has them.
    logit : str, optional
        A feature that is the logit of a risk predicted before. The ridge then draws to that risk, the intercept too;
        without it to coefficients of 0.

    Raises
    ------
    DesignError
        The tables have no feature in common, or a loss is not in [0, 1].
    """
    common = [name for name in names if tables and all(name in table.columns for table in tables)]
    if not common:
        raise DesignError("There is nothing to train a risk model on: no past model has features and known outcomes.")
    rows = pd.concat(tables, ignore_index=True)
    weights = 1.0 / rows.groupby("pool")["pool"].transform("size").to_numpy(dtype=np.float64)
    values, loss = (rows[columns].to_numpy(dtype=np.float64) for columns in (common, "loss"))
    return regression(values, loss, tuple(common), logit, weights, len(tables))


def regression(
    values: NDArray[np.float64],
    loss: NDArray[np.float64],
    names: tuple[str, ...],
    logit: str | None = None,
    weights: NDArray[np.float64] | None = None,
    models: int = 1,
) -> RiskModel:
    """Fit a risk model to arrays, as `fit` does to tables.

    Parameters
    ----------
    values : (n, F) float
        The features of each known outcome, NaN where unknown.
    loss : (n,) float
        The outcomes, in [0, 1].
    names : (F,) tuple of str
        Names of the features.
    logit : str, optional
        As in `fit`.
    weights : (n,) float, optional
        How much each outcome counts relative to the others; all alike by default.
    models : int
        The number of models whose outcomes these are.

    Raises
    ------
    DesignError
        A loss is not in [0, 1].
    """
    if not in_unit(loss):
        raise DesignError("A risk model needs losses between 0 and 1. Use past results as the signal.")
    means, scales = values.mean(axis=0), values.std(axis=0)
    if np.isnan(means).any():
        means, scales = np.nanmean(values, axis=0), np.nanstd(values, axis=0)
    scales[scales == 0] = 1.0
    weight = np.ones(loss.size) if weights is None else weights / weights.mean()
    design = np.column_stack([np.ones(loss.size), np.nan_to_num((values - means) / scales)])
    prior, ridge = np.zeros(1 + len(names)), np.full(1 + len(names), _RIDGE)
    if logit in names:
        place = names.index(logit)
        prior[0], prior[1 + place] = means[place], scales[place]
    else:
        ridge[0] = 0.0
    solution = _logistic_regression(design, loss, weight, prior, ridge)
    return RiskModel(
        names, tuple(means.tolist()), tuple(scales.tolist()), tuple(solution[1:].tolist()), float(solution[0]), models
    )


def _logistic(score: NDArray[np.float64]) -> NDArray[np.float64]:
    """1/(1 + exp(−score)), without overflow."""
    return np.asarray(0.5 * (1.0 + np.tanh(0.5 * score)))


def _logistic_regression(
    design: NDArray[np.float64],
    outcome: NDArray[np.float64],
    weights: NDArray[np.float64],
    prior: NDArray[np.float64],
    ridge: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Coefficients by Newton's method (iteratively reweighted least squares), with a ridge that draws to ``prior``."""
    coefficients = prior.copy()
    if not ridge[0]:
        # All outcomes equal: the intercept has no finite optimum, so it starts at half a failure and half a success
        # more.
        share = (weights @ outcome + 0.5) / (weights.sum() + 1.0)
        coefficients[0] = np.log(share / (1.0 - share))
    shrinkage = np.diag(ridge)
    for _ in range(_ROUNDS):
        risk = _logistic(design @ coefficients)
        curvature = np.maximum(weights * risk * (1.0 - risk), 1e-9)
        gradient = design.T @ (weights * (outcome - risk)) - ridge * (coefficients - prior)
        step = np.linalg.solve(design.T @ (curvature[:, None] * design) + shrinkage, gradient)
        coefficients = coefficients + np.clip(step, -2.0, 2.0)
        if np.abs(step).max() < 1e-8:
            break
    return coefficients
