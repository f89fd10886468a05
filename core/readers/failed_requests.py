"""Rows with an error in place of an output: the model was not heard, so right or wrong is unknown there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..files.foreign_names import plain_key
from ..pool.columns import TARGETS
from ..pool.problems import shown
from ..words import counted
from .field_map import TEXT, FieldMap
from .verdicts import number, says_nothing

_ERRORS = frozenset({"error", "errors", "errormessage", "errormsg", "errortext", "exception", "failurereason"})


class FailedRequests:
    """Leaves the outcome of rows open that have no output, but the text of an error.

    Parameters
    ----------
    fields : FieldMap
        Where outputs are.
    """

    def __init__(self, fields: FieldMap) -> None:
        self._models = [model for model, paths in fields.targets.items() if TEXT in paths]
        self._used = {*fields.paths()}
        self._rows, self._first, self._error = 0, 0, ""

    def leave_open(self, value: Mapping[str, Any], record: Mapping[str, Any], row: int) -> None:
        """Say in the record of a row that nobody scored the outputs that an error stands for."""
        outcomes = [one for model in self._models if (one := record.get(TARGETS, {}).get(model)) is not None]
        if len(outcomes) != 1 or str(outcomes[0].get("text") or "").strip() or not (error := self._error_in(value)):
            return
        outcomes[0] |= {"text": None, "loss": None, "unscored": True}
        self._rows += 1
        self._first, self._error = self._first or row, self._error or error

    def _error_in(self, value: Mapping[str, Any]) -> str:
        named = (one for key, one in value.items() if plain_key(key) in _ERRORS and key not in self._used)
        texts = [one.strip() for one in named if isinstance(one, str) and number(one) is None]
        return next((one for one in texts if not says_nothing(one)), "")

    @property
    def remark(self) -> str:
        """Say how many rows have an error and no output; "" for none."""
        if not self._rows:
            return ""
        return (
            f"{counted(self._rows, 'row has', 'rows have')} an error in place of an output (the first is row "
            f"{self._first}: {shown(self._error, 40)}), so right or wrong is unknown there."
        )
