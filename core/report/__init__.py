"""The report of a study: sentences, one self-contained HTML page, JSON, and a bundle that reproduces its numbers.

The room can be called like its function `report`, so that a session ends with ``neyman.report(study, "report.html")``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

from ..judge import TNR_LEAST, TPR_LEAST, JudgeGrades, Judgement
from ..study.study import Study
from . import details, everyday, sections, sentences
from .decision_pages import contest_html, gate_html, judge_grades_html, judgement_html, known_rates_html
from .page import report_html
from .result_files import judge_grades_bundle, judgement_bundle, promised, report, report_bundle, report_json
from .sheet import Sheet

__all__ = [
    "Sheet",
    "contest_html",
    "details",
    "everyday",
    "gate_html",
    "judge_grades_bundle",
    "judge_grades_html",
    "judgement_bundle",
    "judgement_html",
    "known_rates_html",
    "promised",
    "report",
    "report_bundle",
    "report_html",
    "report_json",
    "sections",
    "sentences",
]


class _Room(ModuleType):
    def __call__(
        self,
        study: Study | Judgement | JudgeGrades,
        path: str | Path,
        other: str | None = None,
        positive: str | None = None,
        half_width: float | None = None,
        made: str = "",
        price: Callable[[int], str] = lambda count: "",
        tpr: float = TPR_LEAST,
        tnr: float = TNR_LEAST,
        most_bias: float | None = None,
    ) -> Path:
        return report(study, path, other, positive, half_width, made, price, tpr, tnr, most_bias)


_Room.__call__.__doc__ = report.__doc__
sys.modules[__name__].__class__ = _Room
