"""The catalogue of methods: rules that share labels among strata, every other way of spending labels, and their looks.

Source: the paper, section "Effectiveness of allocation strategy"; docs/method.md, 3.

Source: the paper, section "Effectiveness of allocation strategy"; docs/method.md, 3.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import DesignError
from ..stratification.moments import Moments, group_means
from ..words.catalogue import Catalogue
from .optimum import allocate_many, equal, neyman, power, proportional, proxy_neyman

ACCENT = "#0072B2"
CONTRAST = "#D55E00"
TRUTH = "#009E73"
GREY = "#6B7280"


class Look(NamedTuple):
    """Colour, dash, marker and width of a line.

    Parameters
    ----------
    colour : str
        Hexadecimal, with a contrast of at least 3 on light and on dark.
    dash : str
        "solid", "dash", "dot", "dashdot", "longdash" or "longdashdot".
    symbol : str
        Plotly's name of a marker, one of those of `core.figures.style`, that no other method has.
    width : float
        In pixels.
    """

    colour: str
    dash: str
    symbol: str
    width: float = 2.0


Array = NDArray[np.float64]


class StrataFacts(NamedTuple):
    """The facts about H strata that an allocation may use.

    Parameters
    ----------
    sizes : (H,) int
        N_h ≥ 1.
    consistency : (H,) float
        p_h, mean self-consistency.
    offset : float
        δ ≥ 0, a choice of the scheme.
    sds : (H,) float or None
        Standard deviations of the target's losses, if they are known.
    """

    sizes: NDArray[np.int64]
    consistency: Array
    offset: float
    sds: Array | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """A way of spending labels, as people meet it in tables and figures.

    Parameters
    ----------
    name : str
        In frames, schemes, manifests and addresses; it never changes.
    title : str
        In a legend, a table or a box.
    look : Look
        Its line in every figure.
    plainly : str
        Its name beside a forecast, for people who have heard of no method yet; by default the title.
    within : str
        Its name inside a sentence; by default the title.
    rung : str
        What follows its error in a sentence of the ladder; "" if it is no rung.
    feasible : bool
        Somebody without the losses can use it.
    aliases : tuple of str
        Earlier names, which are read and never written.
    """

    name: str
    title: str
    look: Look
    plainly: str = ""
    within: str = ""
    rung: str = ""
    feasible: bool = True
    aliases: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "plainly", self.plainly or self.title)
        object.__setattr__(self, "within", self.within or self.title)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule(Method):
    """A method that shares a budget among strata in proportion to weights, as whole numbers.

    Parameters
    ----------
    about : str
        What it does, as in the table of docs/designs.md.
    weights : callable
        From `StrataFacts` to the weights of the strata, (H,) float ≥ 0.
    choices : tuple of str
        Choices of a scheme on which it depends.
    blind : bool
        It can spread labels unevenly without looking at risk.
    whole : bool
        It draws from the pool as a single stratum.
    """

    about: str
    weights: Callable[[StrataFacts], Array]
    choices: tuple[str, ...] = ()
    blind: bool = False
    whole: bool = False


# The catalogue of rules: how a budget is shared among the strata.


def _oracle(facts: StrataFacts) -> Array:
    if facts.sds is None:
        raise DesignError("“oracle-neyman” needs the losses that you are about to label. Choose another allocation.")
    return neyman(facts.sizes, facts.sds)


UNIFORM = Rule(
    name="uniform",
    title="Uniform",
    about="draws from the whole pool, without strata",
    look=Look(GREY, "solid", "octagon"),
    weights=lambda facts: equal(facts.sizes),
    whole=True,
)
EQUAL = Rule(
    name="equal",
    title="Equal",
    about="the same number of labels in each stratum",
    look=Look("#CC79A7", "dashdot", "diamond"),
    weights=lambda facts: equal(facts.sizes),
    blind=True,
)
PROPORTIONAL = Rule(
    name="proportional",
    title="Proportional",
    about="in proportion to the stratum's size",
    look=Look(CONTRAST, "dash", "square"),
    weights=lambda facts: proportional(facts.sizes),
)
POWER = Rule(
    name="power",
    title="Power",
    about="in proportion to the square root of the stratum's size",
    look=Look("#8F5E2E", "longdash", "triangle-up"),
    weights=lambda facts: power(facts.sizes),
    blind=True,
)
PROXY_NEYMAN = Rule(
    name="proxy-neyman",
    title="Proxy-Neyman",
    plainly="The paper’s design",
    rung="with the paper’s design",
    about="in proportion to the size times √(p(1−p)) + δ: p is how often a cheap model (the surrogate) agrees with "
    "itself, and δ evens out the shares",
    look=Look(ACCENT, "solid", "circle", 3.5),
    weights=lambda facts: proxy_neyman(facts.sizes, facts.consistency, facts.offset),
    choices=("offset",),
)
ORACLE_NEYMAN = Rule(
    name="oracle-neyman",
    title="Oracle-Neyman",
    about="in proportion to the size times the true spread of the losses, which nobody knows beforehand",
    look=Look(TRUTH, "dot", "cross", 2.5),
    weights=_oracle,
    feasible=False,
)

# A new rule goes to the end: simulations number their random streams by these places.
RULES = Catalogue("allocation", (UNIFORM, EQUAL, PROPORTIONAL, POWER, PROXY_NEYMAN, ORACLE_NEYMAN))
METHODS = tuple(RULES)
# Those that share labels among strata.
ON_STRATA = tuple(rule.name for rule in RULES.entries if not rule.whole)


# The methods compared: Uniform, and the allocation rules on the strata.


def weights(
    sizes: ArrayLike, consistency: ArrayLike, method: str, offset: float = 0.75, sds: ArrayLike | None = None
) -> NDArray[np.float64]:
    """Allocation weights of a method, (H,).

    Parameters
    ----------
    sizes : (H,) int
        N_h ≥ 1.
    consistency : (H,) float
        p_h.
    method : str
        One of `core.allocation.RULES`; "uniform" has a single stratum.
    offset : float
        δ ≥ 0 of "proxy-neyman".
    sds : (H,) float, optional
        Standard deviations of the target's losses in the strata, for "oracle-neyman" alone.

    Raises
    ------
    DesignError
        An unknown method, "oracle-neyman" without standard deviations, or as the rule.
    """
    facts = StrataFacts(
        np.asarray(sizes, dtype=np.int64),
        np.asarray(consistency, dtype=np.float64),
        offset,
        None if sds is None else np.asarray(sds, dtype=np.float64),
    )
    return RULES[method].weights(facts)


def method_moments(population: Moments, method: str) -> Moments:
    """Strata a method samples from: the given ones, or the whole pool as one for Uniform."""
    return population.pooled() if RULES[method].whole else population


def method_allocations(
    population: Moments, consistency: ArrayLike, method: str, budgets: ArrayLike, offset: float = 0.75
) -> NDArray[np.int64]:
    """Labels of each stratum under a method at budgets (B,), (B, H); for Uniform the pool is one stratum, (B, 1)."""
    if RULES[method].whole:
        return allocate_many([1.0], [population.n_items], budgets)
    weight = weights(population.sizes, consistency, method, offset, population.sds)
    return allocate_many(weight, population.sizes, budgets)


def stratum_consistency(consistency: ArrayLike, strata: ArrayLike, n_strata: int) -> NDArray[np.float64]:
    """Stratum means p_h, (H,), of the items' self-consistency (N,); values that are (H,) already are returned."""
    values = np.asarray(consistency, dtype=np.float64)
    return values if values.size == n_strata != np.asarray(strata).size else group_means(values, strata)


RECOMMENDED = Method(
    name="recommended",
    title="Recommended",
    plainly="Recommended design",
    within="the recommended design",
    look=Look("#A8389F", "solid", "hexagram", 4.0),
)
# The design of a decision that is looked at early.
GATE = Method(name="gate", title="For a decision", within="this design", look=Look("#C2410C", "solid", "bowtie", 4.0))
# Strata that are chosen, and stay whatever the budget.
CHOSEN = Method(
    name="chosen", title="This design", within="this design", look=Look("#D45E00", "solid", "diamond-tall", 3.5)
)
# What a recommendation may know, least first.
FROM_SURROGATE = Method(
    name="recommended-surrogate",
    title="Recommended (surrogate)",
    rung="with the surrogate alone",
    look=Look("#2A8FBD", "solid", "diamond-wide", 2.5),
)
FROM_ANSWERS = Method(
    name="recommended-answers",
    title="Recommended (+ answers)",
    rung="with the target’s answers",
    look=Look("#B3651B", "solid", "hexagon", 2.5),
)
FROM_PAST = Method(
    name="recommended-past",
    title="Recommended (+ past results)",
    rung="with past results",
    look=Look("#5C8001", "solid", "star", 3.0),
)
BEST = Method(
    name="best-allocation",
    title="Best possible for these strata",
    look=Look("#0F8B8D", "dot", "star-diamond"),
    feasible=False,
)
SE_LURE = Method(name="se-lure", title="SE-LURE", look=Look("#DC267F", "longdashdot", "x"))
PE_LURE = Method(name="pe-lure", title="PE-LURE", look=Look("#785EF0", "dash", "triangle-down"))
GAT = Method(name="gat", title="GAT", look=Look("#D1495B", "longdash", "pentagon"))
ACTRACER = Method(name="actracer", title="AcTracer", look=Look("#7C6BB0", "dashdot", "hourglass"))
CONTROL_VARIATE = Method(name="control-variate", title="Control variate", look=Look("#8A7B00", "dash", "triangle-left"))
CONTROL_VARIATE_BEST = Method(
    name="control-variate-best",
    title="Control variate, best coefficient",
    look=Look("#A0527A", "dot", "triangle-right"),
    feasible=False,
)

WAYS: Catalogue[Method] = Catalogue(
    "method",
    (
        *RULES.entries,
        *(SE_LURE, PE_LURE, FROM_SURROGATE, FROM_ANSWERS, FROM_PAST, BEST),
        *(GAT, ACTRACER, CONTROL_VARIATE, CONTROL_VARIATE_BEST),
        *(RECOMMENDED, GATE, CHOSEN),
    ),
)
