"""Trust in an automatic judge, and the pass rate without its errors (docs/judge.md).

The room can be called like its function `judge`: ``plan = neyman.judge(pool, "judge", 100)``.
"""

from __future__ import annotations

import sys
from types import ModuleType

from ..design.judging import Criterion
from .belief import NO_FORECAST, JudgeBelief, budgets, forecast, forecasts, precisions
from .checklist import LEAST_BUDGET, by_criterion, follows_risk, graded, judge, judged, labelling, request
from .decision import NOT_TRUSTED, TNR_LEAST, TPR_LEAST, TRUSTED, JudgeDecision
from .grades import JudgeGrades, labels_by_grade, own_mean
from .judge_verdicts import (
    JudgeVerdicts,
    column_of,
    everything,
    is_called_peoples,
    is_complete,
    is_of_people,
    judges,
    judging_of,
    n_judged,
    named_judge,
    read_with_judge,
    scored,
    scores,
    verdicts,
    verdicts_of,
    words_given,
    words_to_ask,
    words_without_meaning,
)
from .judgement import WORDS, Judgement, balanced_sentence, figure_table, truth_sentence
from .known import KnownRates, keyed_targets, known_rates
from .measures import PASS_RATE
from .summary import (
    as_json,
    criteria_frame,
    criteria_rows,
    grades_json,
    grades_markdown,
    markdown,
    pair_rows,
    reproduce,
    rows_of,
)

__all__ = [
    "LEAST_BUDGET",
    "NOT_TRUSTED",
    "NO_FORECAST",
    "PASS_RATE",
    "TNR_LEAST",
    "TPR_LEAST",
    "TRUSTED",
    "WORDS",
    "Criterion",
    "JudgeBelief",
    "JudgeDecision",
    "JudgeGrades",
    "JudgeVerdicts",
    "Judgement",
    "KnownRates",
    "as_json",
    "balanced_sentence",
    "budgets",
    "by_criterion",
    "column_of",
    "criteria_frame",
    "criteria_rows",
    "everything",
    "figure_table",
    "follows_risk",
    "forecast",
    "forecasts",
    "graded",
    "grades_json",
    "grades_markdown",
    "is_called_peoples",
    "is_complete",
    "is_of_people",
    "judge",
    "judged",
    "judges",
    "judging_of",
    "keyed_targets",
    "known_rates",
    "labelling",
    "labels_by_grade",
    "markdown",
    "n_judged",
    "named_judge",
    "own_mean",
    "pair_rows",
    "precisions",
    "read_with_judge",
    "reproduce",
    "request",
    "rows_of",
    "scored",
    "scores",
    "truth_sentence",
    "verdicts",
    "verdicts_of",
    "words_given",
    "words_to_ask",
    "words_without_meaning",
]


class _CalledRoom(ModuleType):
    __call__ = staticmethod(judge)


sys.modules[__name__].__class__ = _CalledRoom
