"""A plan for labelling: all its parameters in one object, the sample they draw, and the manifest that reproduces it.

Draws use permanent random numbers: each item of the pool gets one fixed random number from the design's seed, and a
stratum's sample is its m_h smallest. A larger budget therefore only adds items. The list is in the order in which the
greedy algorithm gives the labels to the strata, so the first M' items are exactly the sample of the budget M'
(Ohlsson 1995 for permanent random numbers; METHOD 5.5 for the order).
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from core.allocation import optimum as alloc
from core.errors import DesignError
from core.stratification.cuts import METHODS as STRATIFIERS
from core.stratification.profiles import Profile, Stratification

# What can be drawn before any outcome is known: the oracle needs the target's losses.
ALLOCATIONS = ("proxy-neyman", "proportional", "power", "equal", "uniform")
SIGNALS = ("semantic-entropy",)


@dataclass(frozen=True, slots=True)
class Design:
    """All parameters of one plan.

    ``budget`` M ≥ 1; ``n_strata`` H ≥ 1; ``stratifier`` of `core.stratification.METHODS`; ``allocation`` of
    `ALLOCATIONS` ("uniform" = one stratum, the whole pool); ``offset`` δ ≥ 0; ``seed`` ≥ 0; ``parser`` the answer
    kind used on every item, None = the pool's own; ``signal`` of `SIGNALS`.

    Raises
    ------
    DesignError : a parameter out of its range, on construction.
    """

    budget: int
    n_strata: int = 5
    stratifier: str = "adaptive"
    allocation: str = "proxy-neyman"
    offset: float = 0.75
    seed: int = 0
    parser: str | None = None
    signal: str = "semantic-entropy"

    def __post_init__(self) -> None:
        _one_of("stratifier", self.stratifier, STRATIFIERS)
        _one_of("allocation", self.allocation, ALLOCATIONS)
        _one_of("signal", self.signal, SIGNALS)
        _whole("budget", self.budget, 1)
        _whole("number of strata", self.n_strata, 1)
        _whole("seed", self.seed, 0)
        _at_least_zero("offset δ", self.offset)
        if not isinstance(self.parser, str | None):
            raise DesignError(f"The parser is {self.parser}: it must be the name of an answer kind.")
        # Equal plans must have equal plan ids, whether a parameter came as 1, 1.0, −0.0 or a NumPy scalar.
        for name in ("budget", "n_strata", "seed"):
            object.__setattr__(self, name, int(getattr(self, name)))
        object.__setattr__(self, "offset", float(self.offset) + 0.0)

    def weights(self, strata: Stratification) -> NDArray[np.float64]:
        """Allocation weights of the strata, (H,)."""
        rules: dict[str, Callable[[], NDArray[np.float64]]] = {
            "proxy-neyman": lambda: alloc.proxy_neyman(strata.sizes, strata.consistency, self.offset),
            "proportional": lambda: alloc.proportional(strata.sizes),
            "power": lambda: alloc.power(strata.sizes),
            "equal": lambda: alloc.equal(strata.sizes),
            "uniform": lambda: np.ones(1),
        }
        return rules[self.allocation]()

    def plan(self, pool_digest: str, ids: NDArray[np.object_], profile: Profile) -> Plan:
        """Draw the sample.

        Parameters
        ----------
        pool_digest : of the pool. ids : (N,) item ids in the pool's order. profile : of the pool, N items.

        Raises
        ------
        DesignError : the budget is below the number of strata or above N.
        """
        if profile.signal.size != len(ids):
            raise DesignError(f"The profile describes {profile.signal.size} items, the pool has {len(ids)}.")
        strata = profile.stratify(1 if self.allocation == "uniform" else self.n_strata, self.stratifier)
        weights = self.weights(strata)
        labels = alloc.allocate(weights, strata.sizes, self.budget)
        positions = _draw(strata.of_level[profile.levels.member], labels, weights, self.seed)
        return Plan(self, pool_digest, strata, labels, positions, np.asarray(ids, dtype=object)[positions])


@dataclass(frozen=True, slots=True)
class Plan:
    """A drawn sample.

    ``strata`` the stratification; ``allocation`` (H,) m_h; ``positions`` (M,) int, the sampled items' positions in
    the pool, in labelling order; ``ids`` (M,) their ids.
    """

    design: Design
    pool_digest: str
    strata: Stratification
    allocation: NDArray[np.int64]
    positions: NDArray[np.int64]
    ids: NDArray[np.object_]

    @property
    def plan_id(self) -> str:
        """“p” and twelve hex digits that name the plan: a hash of the pool's digest and the design."""
        return plan_id(self.pool_digest, self.design)

    @property
    def inclusion_probabilities(self) -> NDArray[np.float64]:
        """π_h = m_h/N_h of each stratum, (H,)."""
        return self.allocation / self.strata.sizes

    @property
    def sample_digest(self) -> str:
        """SHA-256 of the sampled ids in labelling order, hex."""
        return hashlib.sha256(json.dumps([str(i) for i in self.ids]).encode()).hexdigest()


def plan_id(pool_digest: str, design: Design) -> str:
    """“p” and twelve hex digits: SHA-256 of the pool's digest and the design's parameters in canonical JSON.

    The letter keeps spreadsheets from taking an id such as 123456e78901 for a number.
    """
    parameters = json.dumps({"pool": pool_digest, **asdict(design)}, sort_keys=True)
    return "p" + hashlib.sha256(parameters.encode()).hexdigest()[:12]


def permanent_random_numbers(seed: int, n_items: int) -> NDArray[np.uint64]:
    """One fixed 64-bit random number for each item, (N,), a function of the seed and the item's place in the pool
    alone.

    Raw output of the PCG64 bit generator, whose stream NumPy guarantees for all versions (NEP 19).
    """
    return np.asarray(np.random.PCG64(seed).random_raw(n_items), dtype=np.uint64)


def _draw(
    stratum: NDArray[np.int64], labels: NDArray[np.int64], weights: NDArray[np.float64], seed: int
) -> NDArray[np.int64]:
    """Positions of the sampled items in labelling order."""
    ordered = np.lexsort((permanent_random_numbers(seed, stratum.size), stratum))
    sizes = np.bincount(stratum)
    head = np.cumsum(sizes) - sizes
    turns = alloc.label_order(weights, labels)
    turn_rank = np.empty(turns.size, dtype=np.int64)
    by_stratum = np.argsort(turns, kind="stable")
    turn_rank[by_stratum] = np.arange(turns.size) - np.repeat(np.cumsum(labels) - labels, labels)
    return np.asarray(ordered[head[turns] + turn_rank])


def _one_of(what: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise DesignError(f"There is no {what} called “{value}”: choose one of {', '.join(allowed)}.")


def _whole(what: str, value: object, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise DesignError(f"The {what} is {value}: it must be a whole number of at least {least}.")


def _at_least_zero(what: str, value: object) -> None:
    try:
        number = float(value) if isinstance(value, int | float | np.integer | np.floating) else math.nan
    except OverflowError:
        number = math.inf
    if isinstance(value, bool) or not 0 <= number < math.inf:
        raise DesignError(f"The {what} is {value}: it must be a number of at least 0.")
