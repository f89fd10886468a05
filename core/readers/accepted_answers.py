"""Outputs that count as wrong, although they contain one of several right answers of their item."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..pool.columns import TARGETS
from ..pool.near_misses import LONGEST, holds
from ..words import counted
from .field_map import RIGHT, WRONG, FieldMap

_SHARE, _LEAST = 0.05, 2
_SCORES = frozenset({"loss", RIGHT, WRONG})


class AcceptedAnswers:
    """Counts the outputs of a file that are compared with lists of right answers, and those that only contain one.

    Parameters
    ----------
    fields : FieldMap
        Where the answers are.
    """

    def __init__(self, fields: FieldMap) -> None:
        self._fields = fields
        self._models = [model for model, paths in fields.targets.items() if _SCORES.isdisjoint(paths)]
        self._compared, self._within, self._first = 0, 0, 0

    def look(self, value: Any, record: Mapping[str, Any], row: int) -> None:
        """Look at the outputs of a row that have been compared."""
        answers = self._fields.right_answers(value, record)
        if len(answers) < 2:
            return
        outcomes = record.get(TARGETS, {})
        for outcome in (outcomes[model] for model in self._models if model in outcomes):
            said = outcome.get("answer") or outcome.get("text")
            if outcome.get("loss") is None or not isinstance(said, str):
                continue
            self._compared += 1
            if outcome["loss"] == 1 and len(said) <= LONGEST and any(holds(said, str(one)) for one in answers):
                self._within, self._first = self._within + 1, self._first or row

    @property
    def remark(self) -> str:
        """A sentence if a share of the outputs contains a right answer and counts as wrong, otherwise empty."""
        if self._within < max(_LEAST, _SHARE * self._compared):
            return ""
        return (
            f"{counted(self._within, 'output')} that count as wrong contain one of several right answers (the first is "
            f"in row {self._first}): an output is right only if it is one of them. Check these, or label the items."
        )
