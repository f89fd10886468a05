"""A check that the rows of a file with one target are all about the same model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..pool.problems import Problems, shown
from .field_map import FieldMap
from .row_keys import names_a_model


class OneModel:
    """A column that is not read and names the only target in the first row: other rows may be about another model.

    Parameters
    ----------
    fields : FieldMap
        Where the fields of items are.
    """

    def __init__(self, fields: FieldMap) -> None:
        self._name = next(iter(fields.targets)) if len(fields.targets) == 1 and not fields.model else ""
        self._read = {*fields.paths()}
        self._columns: list[str] | None = None
        self._other = "", 0, ""

    def look(self, value: Mapping[str, Any], row: int) -> None:
        """Compare the name in a row with that of the target."""
        if self._columns is None:
            free = [key for key in value if key not in self._read and names_a_model(key)]
            self._columns = [key for key in free if self._name and value[key] == self._name]
        for key in self._columns:
            name = value.get(key)
            if not self._other[1] and isinstance(name, str) and name.strip() not in ("", self._name):
                self._other = name, row, key

    def check(self, problems: Problems) -> None:
        """Refuse rows about another model, which would count as results of the first one."""
        name, row, key = self._other
        if row:
            message = f"the row is about the model {shown(name)}, and earlier rows are about {shown(self._name)}."
            remedy = (
                "Take the field as the name of the model, and as the id what the rows of an item have in common (in a "
                f"shell: --model {key} --id PATH). If it is one system that uses several models, keep the column "
                f"(--column {key})."
            )
            problems.add(message, row, key, remedy)
