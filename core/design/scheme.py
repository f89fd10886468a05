"""The scheme of a design: every choice but the budget and the seed; and its signal on a pool, for the strata."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from ..allocation.optimum import allocate
from ..allocation.ways import ORACLE_NEYMAN, PROXY_NEYMAN, RECOMMENDED, RULES, Rule, weights
from ..errors import DesignError
from ..pool.pool import Pool, check_kind
from ..signals.entries import SIGNALS
from ..signals.entropy import self_consistency
from ..signals.signal import Given, Signal, SignalReading
from ..stratification.profiles import EQUAL_MASS, STRATIFIERS, Profile, Stratification, profile, signal_profile

MOST_WAVES = 2
# The one rule that nobody can use: it needs the losses that labels are bought for.
INFEASIBLE = ORACLE_NEYMAN.name
_FOLLOWING = "Choose the recommended design (strata of equal risk mass, one wave), or a pool without weights."
# What every method but Uniform depends on, beside its signal and the parser, which decides what an answer is.
_STRATA = ("signal", "n_strata", "waves")


@dataclass(frozen=True, slots=True, repr=False)
class Scheme:
    """The stratification of a pool and the allocation of a budget among its strata. The default is the paper's design.

    Numbers are normalised, so that equal schemes are equal, whether a parameter came as 1, 1.0 or a NumPy scalar.

    Parameters
    ----------
    signal : str
        One of `core.signals.SIGNALS`: what the items are stratified by. "risk" is the p̂ given with the design, or
        else predicted from past results.
    stratifier : str
        One of `core.stratification.STRATIFIERS`: how the signal is cut into strata.
    n_strata : int
        H ≥ 1, the number of strata requested. Ties in the signal may leave fewer.
    allocation : str
        One of `core.allocation.METHODS`. "uniform" draws from the whole pool as one stratum; "oracle-neyman" can be
        compared with but not drawn.
    offset : float
        δ ≥ 0, added to √(p(1−p)) by "proxy-neyman"; the other methods do not use it.
    target : str or None
        The model to be evaluated. "agreement" needs its answers; "past-results" and "column" leave it out of the past
        models. Its losses are never looked at.
    past : tuple of str or None
        Targets whose results "past-results" uses, and which say whether a high value of a "column" is risky; None is
        all others whose outcome is known on 95 % of the items.
    accuracy : float or None
        Believed accuracy of the target, in [0, 1]; "past-results" trusts models near it more.
    floor : float
        At least 0: mass of a certain item beside √(p(1−p)) in strata of "equal-mass". The lower it is, the more a risk
        that is wrong costs (docs/designs.md).
    waves : int
        1, or 2 if a first quarter of the labels decides where the others go (`core.design.two_waves`): the signal, H at
        most and the floor then decide the strata, and labels are shared as there. "uniform" has one wave.
    parser : str or None
        Answer kind of `core.answers` for all items; None is each item's own.
    column : str or None
        The numeric column of the pool that "column" uses.

    Raises
    ------
    DesignError
        A parameter is out of its range.
    """

    signal: str = "semantic-entropy"
    stratifier: str = "adaptive"
    n_strata: int = 5
    allocation: str = PROXY_NEYMAN.name
    offset: float = 0.75
    target: str | None = None
    past: tuple[str, ...] | None = None
    accuracy: float | None = None
    floor: float = 1.0
    waves: int = 1
    parser: str | None = None
    column: str | None = None

    def __post_init__(self) -> None:
        # Earlier names become today's, which alone are written.
        object.__setattr__(self, "signal", SIGNALS[self.signal].name)
        object.__setattr__(self, "stratifier", STRATIFIERS[self.stratifier].name)
        object.__setattr__(self, "allocation", RULES[self.allocation].name)
        check_kind(self.parser)
        object.__setattr__(self, "n_strata", whole("number of strata", self.n_strata, 1))
        # −0.0 becomes 0.0: they are equal, but their texts are not, and plan ids hash the text.
        object.__setattr__(self, "offset", _at_least_zero("offset δ", self.offset) + 0.0)
        object.__setattr__(self, "floor", _at_least_zero("floor", self.floor) + 0.0)
        if self.accuracy is not None:
            accuracy = _at_least_zero("expected accuracy", self.accuracy) + 0.0
            if accuracy > 1:
                raise DesignError(f"The expected accuracy must lie between 0 and 1. Found {self.accuracy!r}.")
            object.__setattr__(self, "accuracy", accuracy)
        if isinstance(self.past, str):
            raise DesignError(f"Past models are a list of names: give [“{self.past}”].")
        if self.past is not None:
            object.__setattr__(self, "past", tuple(self.past))
        object.__setattr__(self, "waves", whole("number of waves", self.waves, 1))
        if self.waves > MOST_WAVES:
            raise DesignError(f"A design has one wave or two. Found {self.waves}.")
        for needed in self.along.needs:
            if getattr(self, needed) is None:
                raise DesignError(f"The signal “{self.signal}” needs a {needed}: give Scheme(…, {needed}=…).")

    def __repr__(self) -> str:
        changed = (field.name for field in fields(self) if getattr(self, field.name) != field.default)
        return f"Scheme({', '.join(f'{name}={getattr(self, name)!r}' for name in changed)})"

    @property
    def along(self) -> Signal:
        """The signal, as the catalogue has it."""
        return SIGNALS[self.signal]

    @property
    def rule(self) -> Rule:
        """The rule of allocation, as the catalogue has it."""
        return RULES[self.allocation]

    @property
    def uniform(self) -> bool:
        """Whether items are drawn from the whole pool, without strata."""
        return self.rule.whole

    @property
    def given(self) -> Given:
        """Return the material of the signal beside the pool."""
        return Given(self.target, self.past, self.accuracy, self.column, self.parser)

    @property
    def sorted_by(self) -> str:
        """The name of the order of the strata, inside a sentence: "semantic entropy", or the column by its name."""
        return self.along.said(self.column)

    @property
    def method(self) -> str:
        """The method whose colour the scheme has in figures: "recommended" if strata are of equal mass."""
        return RECOMMENDED.name if self.in_waves or self.stratifier == EQUAL_MASS else self.allocation

    @property
    def in_waves(self) -> bool:
        """Whether the labels are taken in two waves."""
        return self.waves > 1 and not self.uniform

    @property
    def follows_weights(self) -> bool:
        """Whether its strata are alike in the weights of their items."""
        return self.stratifier == EQUAL_MASS and not (self.uniform or self.in_waves)

    def stratify(self, profile: Profile) -> Stratification:
        """Strata of a pool; a single one for "uniform"."""
        if self.uniform:
            return profile.stratify(1)
        return profile.stratify(self.n_strata, self.stratifier, self.floor)

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

    def allocate(self, strata: Stratification, budget: int) -> NDArray[np.int64]:
        """Labels of each stratum, (H,).

        If weights leave a choice, labels go to strata far apart first if strata split equal signals, and to the
        first strata otherwise.

        Raises
        ------
        DesignError
            The budget is below H or above N, or the allocation is "oracle-neyman".
        """
        turn = self.turns(strata)
        labels = np.empty(strata.n_strata, dtype=np.int64)
        labels[turn] = allocate(self.weights(strata)[turn], strata.sizes[turn], budget)
        return labels

    def turns(self, strata: Stratification) -> NDArray[np.int64]:
        """Order in which strata of equal weight get their labels, (H,)."""
        return scattered(strata.n_strata) if strata.by_item else np.arange(strata.n_strata)

    def relevant(self, method: str | None = None) -> Scheme:
        """The scheme of a method, with everything that the method does not depend on at its default.

        Schemes that differ only in what a method ignores have the same relevant one: only Proxy-Neyman depends on δ,
        only strata of equal mass on the floor, only some signals on the target, and Uniform on nothing but the parser.
        Two waves have their own stratifier and allocation.

        Parameters
        ----------
        method : str, optional
            One of `core.allocation.METHODS`; by default the scheme's own allocation.
        """
        scheme = replace(self, allocation=method or self.allocation)
        names = ["parser"] if scheme.in_waves and scheme.allocation != INFEASIBLE else ["parser", "allocation"]
        if not scheme.uniform:
            names += [*_STRATA, *self.along.made_from]
            # Two waves cut and share as `core.design.two_waves` does, whatever the scheme says.
            own = ["stratifier", *STRATIFIERS[self.stratifier].choices, *scheme.rule.choices]
            names += ["floor"] if scheme.in_waves else own
        return Scheme(**{choice: getattr(scheme, choice) for choice in names})


def scattered(n_strata: int) -> NDArray[np.int64]:
    """Order of strata in which every prefix is spread evenly over all of them, (H,) (van der Corput 1935).

    The last one, the riskiest, comes first: labels left over once all strata have the same number go there.
    """
    bits = max(1, (n_strata - 1).bit_length())
    numbers = np.arange(1 << bits)
    reversed_bits = sum(((numbers >> bit) & 1) << (bits - 1 - bit) for bit in range(bits))
    places = np.asarray(reversed_bits * n_strata >> bits, dtype=np.int64)
    return n_strata - 1 - places[np.sort(np.unique(places, return_index=True)[1])]


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
    return weighted_as(_profile(pool, scheme, risk), pool.weights)


def check_follows_weights(scheme: Scheme, what: str = "This design does") -> None:
    """Refuse a scheme whose strata do not follow weights of items; ``what`` begins the sentence."""
    if not scheme.follows_weights:
        raise DesignError(f"{what} not follow weights of items. {_FOLLOWING}")


def weighted_as(profile: Profile, weights: ArrayLike | None) -> Profile:
    """Return the profile with these weights of its items, (N,); None if all count the same."""
    given = None if weights is None else weights_of_items(weights)
    return replace(profile, weight=None if given is None else np.asarray(given))


def _profile(pool: Pool, scheme: Scheme, risk: ArrayLike | None) -> Profile:
    groups = pool.groups if scheme.stratifier == EQUAL_MASS or scheme.in_waves else None
    if scheme.signal == PAPER.signal and (pool.n_generations or not scheme.uniform):
        return profile(pool.class_counts(scheme.parser), groups)
    nothing = np.full(pool.n_items, np.nan)
    consistency = self_consistency(pool.class_counts(scheme.parser)) if pool.n_generations else nothing
    if scheme.uniform:
        return signal_profile(np.zeros(pool.n_items), consistency)
    signal = pool_signal(pool, scheme, risk)
    return signal_profile(signal.values, consistency, signal.risk, groups)


class NumbersOfItems(tuple[float, ...]):
    """A number of each item: checked once, converted once, hashed once, in however many designs they stand."""

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


class Probabilities(NumbersOfItems):
    """Predicted risks, to four digits."""


class ItemWeights(NumbersOfItems):
    """Weights of the items, above 0."""


def weights_of_items(weights: ArrayLike) -> ItemWeights | None:
    """Weights of the items as a tuple; None if all are equal, since items then count the same.

    Parameters
    ----------
    weights : (N,) float
        Above 0; those that this has returned are returned as they are.

    Raises
    ------
    DesignError
        A weight is not above 0 or not finite, or there is not one for each item.
    """
    if isinstance(weights, ItemWeights):
        return weights
    w = np.asarray(weights, dtype=np.float64)
    if w.ndim != 1 or not w.size or not np.all((w > 0) & (w < np.inf)):
        raise DesignError("The weights must be one number above 0 for each item of the pool.")
    return None if w.min() == w.max() else ItemWeights(w.tolist())


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
