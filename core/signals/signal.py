"""The definition of a signal: everything that anybody asks of one, in one object, declared in `core.signals.entries`.

Source: docs/method.md, 7; docs/designs.md, Signals, and what each is worth.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..pool.pool import Pool
from ..words import counted
from .past import answered, past_models
from .risk import RiskModel

# How well signals rank wrong answers above right ones if nothing better is known: AUROCs, in words.
USUAL = {"weak": 0.56, "typical": 0.65, "strong": 0.75, "past results": 0.85}


@dataclass(frozen=True, slots=True, eq=False)
class SignalReading:
    """A signal's values on a pool's N items before any label.

    Parameters
    ----------
    name : str
        One of `core.signals.SIGNALS`.
    values : (N,) float
        Ascending in risk; NaN if the item has no signal. Read-only.
    risk : (N,) float or None
        The predicted probability that the target fails the item, p̂ in [0, 1], if the signal is one. Read-only.
    how : str
        How the signal was made, in one sentence.
    """

    name: str
    values: NDArray[np.float64]
    risk: NDArray[np.float64] | None
    how: str

    def __repr__(self) -> str:
        return f"Signal “{self.name}” of {self.values.size:,} items: {self.how}"


def reading(name: str, values: NDArray[np.float64], risk: NDArray[np.float64] | None, how: str) -> SignalReading:
    """Values of a signal, which from now on cannot be changed.

    Parameters
    ----------
    name, values, risk
        As in `SignalReading`.
    how : str
        Without a full stop; how many items have no value is added.
    """
    missing = int(np.isnan(values).sum())
    if missing:
        how += f"; {counted(missing, 'item')} without it at the top"
    values.setflags(write=False)
    if risk is not None:
        risk.setflags(write=False)
    return SignalReading(name, values, risk, f"{how}.")


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """The material of a signal beside the pool.

    Parameters
    ----------
    target, past, accuracy, column, parser
        As in `core.design.Scheme`.
    risk : RiskModel or (N,) float, optional
        Predicted risks from elsewhere, or a model that predicts them.
    """

    target: str | None = None
    past: Sequence[str] | None = None
    accuracy: float | None = None
    column: str | None = None
    parser: str | None = None
    risk: RiskModel | ArrayLike | None = None

    def others(self, pool: Pool) -> tuple[str, ...]:
        """Past models, as of `core.signals.past_models`."""
        return past_models(pool, self.target, self.past, self.parser)

    def answered(self, pool: Pool) -> bool:
        """Whether the target's answers can be compared with the surrogate's, as of `core.signals.answered`."""
        return answered(pool, self.target, self.parser)

    def results(self, pool: Pool) -> str:
        """Return the number of models whose results are known, for a sentence."""
        others = self.others(pool)
        noun = "model" if self.target is None else "other model"
        return f"{counted(len(others), noun)} {'has' if len(others) == 1 else 'have'} known results on these items"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Signal:
    """A quantity that can be known of items before any label.

    Parameters
    ----------
    name : str
        In schemes, manifests, addresses and frames; it never changes.
    title : str
        In a box, short.
    noun : str
        Inside a sentence: strata by …
    along : str
        For people who are no statisticians: questions sorted by …
    rests_on, when : str
        What it needs, and when it is worth having, as in the table of docs/designs.md.
    there : callable
        Whether a pool has what it needs, from the pool and a `Given`.
    read : callable
        Makes it, from the same; raises `DesignError` or `PoolError` if it cannot be made. The losses of the target
        are never looked at.
    why : callable
        Why it is recommended, a sentence, from the same. Asked only if it has an ``order``.
    made_from : tuple of str
        Choices of a scheme on which it depends, beside the parser.
    needs : tuple of str
        Those of them that must be given.
    usual : str
        How well it ranks wrong answers above right ones if nothing better is known, one of `USUAL`.
    order : int or None
        Its place in `core.design.recommend`, the smallest first; None: it is never chosen by itself.
    of_surrogate : bool
        It is made from generations alone, so each surrogate has its own.
    nats : bool
        Its values are entropies in nats.
    ordered : bool
        A higher value is riskier; otherwise its values only tell items apart.
    kept : bool
        Its values are kept with the design, because nothing else can make them again.
    aliases : tuple of str
        Earlier names, which are read and never written.
    """

    name: str
    title: str
    noun: str
    along: str
    rests_on: str
    when: str
    there: Callable[[Pool, Given], bool]
    read: Callable[[Pool, Given], SignalReading]
    why: Callable[[Pool, Given], str] | None = None
    made_from: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    usual: str = "typical"
    order: int | None = None
    of_surrogate: bool = False
    nats: bool = False
    ordered: bool = True
    kept: bool = False
    aliases: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"Signal “{self.name}”: {self.noun}"

    @property
    def auroc(self) -> float:
        """The AUROC that is believed of it if nothing better is known."""
        return USUAL[self.usual]

    @property
    def of_column(self) -> bool:
        """Whether it is a column that is chosen by its name: each column of a pool is another one."""
        return "column" in self.needs

    def said(self, column: str | None = None) -> str:
        """Its noun, which names the column that was chosen."""
        return self.noun if column is None or not self.of_column else f"the column “{column}”"

    def said_plainly(self, column: str | None = None) -> str:
        """The same for people who are no statisticians."""
        return self.along if column is None or not self.of_column else f"the column “{column}”"
