"""A judge against people's labels: how good it is, the pass rate without its errors, and the failures to read."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from ..figures import judge as figures
from ..figures.plot import Plot
from ..words import notebook
from . import remarks as said
from .columns import JudgeVerdicts
from .comparison import JudgeComparison, compare
from .decision import TNR_LEAST, TPR_LEAST, JudgeDecision
from .tally import JudgeTally


@dataclass(frozen=True, eq=False, repr=False)
class Judgement(JudgeTally):
    """A judge against people's labels.

    The other fields are those of `core.judge.tally.JudgeTally`.

    Parameters
    ----------
    beside : JudgeVerdicts or None
        Another judge to compare with; None: no comparison.
    """

    beside: JudgeVerdicts | None = None

    @cached_property
    def comparison(self) -> JudgeComparison | None:
        """How much better the judge is than the other one, on the same labelled items; None without another one."""
        return None if self.beside is None else compare(self, self.beside)

    @property
    def of_beside(self) -> Judgement | None:
        """The other judge against the same labels; None without another one."""
        return None if self.beside is None else Judgement(self.study, self.beside)

    def disagreements(self) -> pd.DataFrame:
        """The failures that were found and the false alarms, to read, the judge's mistakes first.

        Columns: what ("missed failure", "caught failure" or "false alarm"), item_id, judge, people, and what the pool
        has of the item: group, prompt, output, the judge's reason, and people's notes.
        """
        return said.to_read(self)

    @property
    def sentence(self) -> str:
        """Say in one sentence how good the judge is, and what the pass rate is."""
        return said.sentence(self)

    @property
    def lines(self) -> tuple[str, str]:
        """The rate that decides, as a headline, and the others below it, with the usual thresholds."""
        return self.lines_of(self.decide())

    def lines_of(self, decision: JudgeDecision) -> tuple[str, str]:
        """Say the same for a decision with other thresholds."""
        return said.lines(self, decision)

    @cached_property
    def remarks(self) -> tuple[str, ...]:
        """What limits these numbers, a sentence each: few failures, single annotators, a short list."""
        return said.remarks(self)

    def plot(self, tpr: float = TPR_LEAST, tnr: float = TNR_LEAST) -> Plot:
        """Draw the judge's own pass rate beside the corrected one, and both rates with their thresholds."""
        drawn = figures.rates(said.figure_table(self, tpr, tnr))
        return Plot(drawn, self.title, self.lines_of(self.decide(tpr, tnr)))

    def __repr__(self) -> str:
        table = self.measures_frame()
        numbers = [f"{value:.3f}" if not math.isnan(value) else "–" for value in table["value"]]
        limits = [f"{low:.3f} to {high:.3f}" for low, high in zip(table["low"], table["high"], strict=True)]
        shown = pd.DataFrame({"measure": table["measure"], "value": numbers, "95 % limits": limits})
        text = shown.to_string(index=False, header=True).replace("-", "−")
        pair = [] if self.comparison is None else [repr(self.comparison)]
        return "\n".join([self.title, self.sentence, self.decide().sentence, text, *self.remarks, *pair])

    def _repr_html_(self) -> str:
        table = self.measures_frame().rename(columns={"low": "from", "high": "to"})
        pair = [] if self.comparison is None else [self.comparison.sentence, *self.comparison.remarks]
        notes = [self.sentence, self.decide().sentence, *self.remarks, *pair]
        return notebook.table(self.title, table, notes)
