"""The catalogue of rules: how a budget is shared among the strata.

Source: the paper, section "Effectiveness of allocation strategy"; docs/method.md, 3.
"""

from __future__ import annotations

from ..errors import DesignError
from ..words.catalogue import Catalogue
from .looks import ACCENT, CONTRAST, GREY, TRUTH, Look
from .method import Array, Rule, StrataFacts
from .optimum import equal, neyman, power, proportional, proxy_neyman


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
