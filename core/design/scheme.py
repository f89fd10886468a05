"""The scheme of a design: every choice but the budget and the seed, in one object wherever it appears."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from core.allocation.methods import METHODS, weights
from core.errors import DesignError
from core.pool.pool import check_kind
from core.stratification.cuts import METHODS as STRATIFIERS
from core.stratification.profiles import Profile, Stratification

SIGNALS = ("semantic-entropy",)
# The one method that nobody can use: it needs the losses that labels are bought for.
INFEASIBLE = "oracle-neyman"
# What each method depends on beside the parser, which decides what an answer is and thereby every loss.
_STRATA = ("signal", "stratifier", "n_strata")
_DEPENDS: dict[str, tuple[str, ...]] = {"uniform": (), "proxy-neyman": (*_STRATA, "offset")}


@dataclass(frozen=True, slots=True, repr=False)
class Scheme:
    """How a pool is stratified and how a budget is shared among the strata. The default is the paper's design.

    Numbers are normalised, so that equal schemes are equal, whether a parameter came as 1, 1.0 or a NumPy scalar.

    Parameters
    ----------
    signal : str
        One of `core.design.SIGNALS`: what the items are stratified by.
    stratifier : str
        One of `core.stratification.METHODS`: how the signal is cut into strata.
    n_strata : int
        H ≥ 1, the number of strata requested. Ties in the signal may leave fewer.
    allocation : str
        One of `core.allocation.METHODS`. "uniform" draws from the whole pool as one stratum; "oracle-neyman" can be
        compared with but not drawn.
    offset : float
        δ ≥ 0, added to √(p(1−p)) by "proxy-neyman"; the other methods do not use it.
    parser : str or None
        Answer kind of `core.answers` for all items; None is each item's own.

    Raises
    ------
    DesignError
        A parameter is out of its range.
    """

    signal: str = "semantic-entropy"
    stratifier: str = "adaptive"
    n_strata: int = 5
    allocation: str = "proxy-neyman"
    offset: float = 0.75
    parser: str | None = None

    def __post_init__(self) -> None:
        _one_of("signal", self.signal, SIGNALS)
        _one_of("stratifier", self.stratifier, STRATIFIERS)
        _one_of("allocation", self.allocation, METHODS)
        check_kind(self.parser)
        object.__setattr__(self, "n_strata", whole("number of strata", self.n_strata, 1))
        # −0.0 becomes 0.0: they are equal, but their texts are not, and plan ids hash the text.
        object.__setattr__(self, "offset", _at_least_zero("offset δ", self.offset) + 0.0)

    def __repr__(self) -> str:
        changed = (field.name for field in fields(self) if getattr(self, field.name) != field.default)
        return f"Scheme({', '.join(f'{name}={getattr(self, name)!r}' for name in changed)})"

    def stratify(self, profile: Profile) -> Stratification:
        """Strata of a pool; a single one for "uniform"."""
        return profile.stratify(1 if self.allocation == "uniform" else self.n_strata, self.stratifier)

    def weights(self, strata: Stratification) -> NDArray[np.float64]:
        """Allocation weights of the strata.

        Returns
        -------
        (H,) float ≥ 0

        Raises
        ------
        DesignError
            The allocation is "oracle-neyman", whose weights need the losses.
        """
        return weights(strata.sizes, strata.consistency, self.allocation, self.offset)

    def relevant(self, method: str | None = None) -> Scheme:
        """The scheme of a method, with everything that the method does not depend on at its default.

        Schemes that differ only in what a method ignores have the same relevant one: only Proxy-Neyman depends on δ,
        and Uniform on no stratum.

        Parameters
        ----------
        method : str, optional
            One of `core.allocation.METHODS`; by default the scheme's own allocation.
        """
        name = method or self.allocation
        used = {choice: getattr(self, choice) for choice in (*_DEPENDS.get(name, _STRATA), "parser")}
        return Scheme(allocation=name, **used)


def _one_of(what: str, value: str, allowed: tuple[str, ...]) -> None:
    """Refuse a value that is not among those allowed."""
    if value not in allowed:
        raise DesignError(f"There is no {what} called “{value}”. Choose one of {', '.join(allowed)}.")


def whole(what: str, value: object, least: int) -> int:
    """A whole number of at least ``least``, as an int; anything else is refused."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise DesignError(f"The {what} must be a whole number of at least {least}. Found {value!r}.")
    return int(value)


def _at_least_zero(what: str, value: object) -> float:
    try:
        number = float(value) if isinstance(value, int | float | np.integer | np.floating) else math.nan
    except OverflowError:
        number = math.inf
    if isinstance(value, bool) or not 0 <= number < math.inf:
        raise DesignError(f"The {what} must be a number of at least 0. Found {value!r}.")
    return number


# The paper's design.
PAPER = Scheme()
