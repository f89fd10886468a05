"""The catalogue of methods: the rules, and every other way of spending labels that tables and figures compare."""

from __future__ import annotations

from ..words.catalogue import Catalogue
from .looks import Look
from .method import Method
from .rules import RULES

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
