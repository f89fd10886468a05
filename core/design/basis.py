"""The basis of stratification: a scheme's signal on a pool, and the profile made from it."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from ..errors import DesignError
from ..pool.pool import Pool
from ..signals.entropy import self_consistency
from ..signals.signal import SignalReading
from ..stratification.profiles import EQUAL_MASS, Profile, profile, signal_profile
from .scheme import PAPER, Scheme


def pool_signal(pool: Pool, scheme: Scheme, risk: ArrayLike | None = None) -> SignalReading:
    """The signal of a scheme on a pool, with how it was made.

    Parameters
    ----------
    pool : Pool
        The pool; what the signal is made of must be there.
    scheme : Scheme
        Its signal, and what that is made from.
    risk : (N,) float, optional
        p̂ of the signal "risk"; by default predicted from past results.

    Raises
    ------
    DesignError
        p̂ is not given for each item, or a target, column or past result is missing.
    PoolError
        The pool has no generations and the signal needs them.
    """
    given = scheme.given if risk is None else replace(scheme.given, risk=np.asarray(risk, dtype=np.float64))
    return scheme.along.read(pool, given)


def pool_profile(pool: Pool, scheme: Scheme, risk: ArrayLike | None = None) -> Profile:
    """The profile of a pool that a scheme stratifies.

    Parameters
    ----------
    pool : Pool
        The pool; what the signal is made of must be there. Uniform needs nothing.
    scheme : Scheme
        Its signal, and what that is made from.
    risk : (N,) float, optional
        p̂ of the signal "risk"; by default predicted from past results.

    Raises
    ------
    DesignError, PoolError
        As in `pool_signal`.
    """
    groups = pool.groups if scheme.stratifier == EQUAL_MASS or scheme.in_waves else None
    if scheme.signal == PAPER.signal and (pool.n_generations or not scheme.uniform):
        return profile(pool.class_counts(scheme.parser), groups)
    nothing = np.full(pool.n_items, np.nan)
    consistency = self_consistency(pool.class_counts(scheme.parser)) if pool.n_generations else nothing
    if scheme.uniform:
        return signal_profile(np.zeros(pool.n_items), consistency)
    signal = pool_signal(pool, scheme, risk)
    return signal_profile(signal.values, consistency, signal.risk, groups)


class Probabilities(tuple[float, ...]):
    """Predicted risks to four digits: checked once, converted once, hashed once, in however many designs they stand."""

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[np.float64]:
        """Return them as an array, (N,); read-only unless it is a copy."""
        return np.array(self._array, dtype, copy=copy)

    @cached_property
    def _array(self) -> NDArray[np.float64]:
        array = np.array(tuple(self), dtype=np.float64)
        array.setflags(write=False)
        return array

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return super().__hash__()


def probabilities(risk: ArrayLike) -> Probabilities:
    """Predicted risks to four digits, as a tuple.

    Parameters
    ----------
    risk : (N,) float
        In [0, 1]; those that this has returned are returned as they are.

    Raises
    ------
    DesignError
        A number is outside [0, 1], or there is not one for each item.
    """
    if isinstance(risk, Probabilities):
        return risk
    p = np.asarray(risk, dtype=np.float64)
    if p.ndim != 1 or not np.all((p >= 0) & (p <= 1)):
        raise DesignError("The predicted risk must be one number between 0 and 1 for each item of the pool.")
    return Probabilities(np.round(p, 4).tolist())
