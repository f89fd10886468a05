"""A risk model trained on other pools, and whether it transfers: each of these pools is held out in turn.

Source: docs/method.md, 7.4; docs/designs.md, "Your other pools".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..errors import DesignError
from ..pool.outcomes import in_unit
from ..pool.pool import Pool
from ..words import per_cent
from .features import features
from .past import answered, past_losses, past_models
from .risk import CHOSEN, RiskModel, default_model, fit, past_tables
from .worth import Worth, exact_error, worth

# What a model may learn from if no past results are known of the new pool.
_ANSWERS = ("disagreement", "semantic entropy", "1 − self-consistency", "surrogates' favourite", "unparsed")
_SURROGATE = ("semantic entropy", "1 − self-consistency", "unparsed")
# A model transfers if it gains at least this on average, and loses no more than that on any pool held out.
_GAIN, _LOSS = 0.005, 0.02


@dataclass(frozen=True, slots=True)
class Transfer:
    """A risk model trained on other pools, and the error along such models on each of these pools, held out in turn.

    Parameters
    ----------
    model : RiskModel
        Trained on all of them.
    errors : tuple of float
        Of each pool, the mean over its models of the exact error along what a model trained on the others predicts,
        as in `core.signals.Worth`; empty if there is one pool.
    otherwise : tuple of float
        The same along ``instead``.
    instead : str
        What the items are sorted by without such a model.
    """

    model: RiskModel
    errors: tuple[float, ...]
    otherwise: tuple[float, ...]
    instead: str

    @property
    def transfers(self) -> bool:
        """Whether it gains half a point or more on average, and nowhere loses more than two."""
        excess = np.subtract(self.errors, self.otherwise)
        return bool(excess.size and excess.mean() <= -_GAIN and excess.max() <= _LOSS)

    @property
    def why(self) -> str:
        """Return a sentence on the pools held out."""
        if not self.errors:
            return "One other pool cannot show whether its model transfers: two or more can."
        evidence = (
            f"Held out in turn, your {len(self.errors)} other pools had {per_cent(float(np.mean(self.errors)), 1)} of "
            f"Uniform’s error this way and {per_cent(float(np.mean(self.otherwise)), 1)} with {self.instead}"
        )
        if self.transfers:
            return f"{evidence}: it transfers."
        worst = float(np.max(np.subtract(self.errors, self.otherwise)))
        where = f" (on one of them it lost {100 * worst:.1f} points)" if worst > _LOSS else ""
        return f"{evidence}: no evidence that it transfers{where}."

    def worth(
        self,
        pool: Pool,
        target: str | None = None,
        past: Sequence[str] | None = None,
        *,
        accuracy: float | None = None,
        parser: str | None = None,
    ) -> Worth:
        """Preview what the model is worth on a pool: exact on its past models, or else on the pools held out.

        Parameters are those of `core.signals.worth`.
        """
        preview = worth(pool, "risk", target=target, past=past, accuracy=accuracy, parser=parser, risk=self.model)
        if preview.models or not self.errors:
            return preview
        error, models = float(np.mean(self.errors)), self.model.models
        return replace(preview, error=error, low=min(self.errors), high=max(self.errors), models=models, why=self.why)


def transfer(
    others: Sequence[Pool],
    pool: Pool,
    target: str | None = None,
    past: Sequence[str] | None = None,
    *,
    accuracy: float | None = None,
    parser: str | None = None,
) -> Transfer:
    """Train a risk model on other pools for a target of a pool, and hold each of them out to see whether it transfers.

    The features are those that the pool has of the target: past results and answers; answers and the surrogate's
    generations; or these alone. A pool that lacks one of them, or on whose items another pool stands already, is left
    out; so is the target itself.

    Parameters
    ----------
    others : sequence of Pool
        Pools with models whose outcome is known.
    pool : Pool
        The pool that the model is for.
    target : str, optional
        The model that is to be evaluated; its losses are never looked at, on any pool.
    past : sequence of str, optional
        Models of ``pool`` whose outcome is known, as in `core.signals.signal`.
    accuracy : float, optional
        The believed accuracy of the target on ``pool``.
    parser : str, optional
        A kind of `core.answers` for all items of ``pool``; the others are read as they say.

    Returns
    -------
    Transfer

    Raises
    ------
    DesignError
        Nothing is known of the items, or no other pool has the same features and known outcomes in [0, 1].
    """
    names = _features(pool, target, past, accuracy, parser)
    taught: dict[str, list[pd.DataFrame]] = {}
    titles: dict[str, str] = {}
    for other in others if names else ():
        digest = other.items_digest
        if digest != pool.items_digest and digest not in taught:
            tables = [table.assign(pool=digest) for table in past_tables(other, target, None, names)]
            tables = [table for table in tables if _teaches(table, names)]
            if tables:
                taught[digest], titles[digest] = tables, other.name
    if not taught:
        raise DesignError(
            "None of your other pools can teach a risk model for this one. It takes other items, models whose outcome "
            "is known there, and the same knowledge as here: past results, answers, or the surrogate’s generations."
        )
    pairs = []
    for digest, tested in taught.items() if len(taught) > 1 else ():
        model = fit([table for other, tables in taught.items() if other != digest for table in tables], names)
        errors = [_errors(model, table) for table in tested]
        pairs.append(np.mean(errors, axis=0))
    everything = fit([table for tables in taught.values() for table in tables], names)
    along, otherwise = np.array(pairs).reshape(-1, 2).T.tolist()
    return Transfer(
        replace(everything, pools=tuple(titles.values())), tuple(along), tuple(otherwise), _instead(names)[0]
    )


def _features(
    pool: Pool, target: str | None, past: Sequence[str] | None, accuracy: float | None, parser: str | None
) -> tuple[str, ...]:
    """The features that a pool has of a target; none if nothing is known, or losses are not in [0, 1]."""
    known = past_models(pool, target, past, parser)
    losses = past_losses(pool, target, known, parser) if known else np.empty((pool.n_items, 0))
    if not in_unit(losses):
        return ()
    chosen = CHOSEN if known else _ANSWERS if answered(pool, target, parser) else _SURROGATE
    return tuple(features(pool, target, losses, chosen, accuracy=accuracy, parser=parser).columns)


def _teaches(table: pd.DataFrame, names: Sequence[str]) -> bool:
    """Whether a past model has the features, and outcomes in [0, 1] that differ."""
    losses = table["loss"].to_numpy(dtype=np.float64)
    return {*names} <= {*table.columns} and in_unit(losses) and np.ptp(losses) > 0


def _instead(names: Sequence[str]) -> tuple[str, Callable[[pd.DataFrame], NDArray[np.float64]]]:
    """Return the order of the items without a model of other pools: its name, and its values from a table."""
    if set(names) >= set(CHOSEN):
        return "the model that comes with Neyman", default_model().predict
    column = next((name for name in ("past risk", "disagreement", "semantic entropy") if name in names), names[0])
    titles = {"past risk": "past results", "disagreement": "agreement"}
    return titles.get(column, column), lambda table: table[column].to_numpy(dtype=np.float64)


def _errors(model: RiskModel, table: pd.DataFrame) -> tuple[float, float]:
    """Exact error along a model's prediction for a past model, and along what there is without it."""
    losses = table["loss"].to_numpy(dtype=np.float64)
    return exact_error(model.predict(table), losses), exact_error(_instead(model.features)[1](table), losses)
