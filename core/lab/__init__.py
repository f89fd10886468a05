"""The paper's comparisons on any pool: every baseline and every ablation, exact if there is a closed form.

`neyman lab POOL --target T` prints them all; `neyman lab across POOL …` compares several pools.
"""

from . import ablations, across, actracer, against, baselines, coverage, ladder, related
from .captions import CONSTANT
from .printing import across_tables
from .settings import (
    BUDGETS,
    TABLES,
    TRIALS,
    Experiment,
    chosen,
    experiment,
    fitting_budgets,
    middle,
    parsed_budgets,
    variants,
)
from .topic import Computation, LabQuestion, LabTable, Topic
from .topics import AUTHORS, QUESTIONS, TOPICS, answerable, lab_tables

__all__ = [
    "AUTHORS",
    "BUDGETS",
    "CONSTANT",
    "QUESTIONS",
    "TABLES",
    "TOPICS",
    "TRIALS",
    "Computation",
    "Experiment",
    "LabQuestion",
    "LabTable",
    "Topic",
    "ablations",
    "across",
    "across_tables",
    "actracer",
    "against",
    "answerable",
    "baselines",
    "chosen",
    "coverage",
    "experiment",
    "fitting_budgets",
    "lab_tables",
    "ladder",
    "middle",
    "parsed_budgets",
    "related",
    "variants",
]
