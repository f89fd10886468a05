"""A check that the rows of a file with one target are all about the same model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..pool.problems import Problems, shown
from .field_map import FieldMap
from .field_names import MODEL_LIKE, last_name
from .first_rows import LOOKED_AT
from .row_keys import names_a_model


class OneModel:
    """Columns that are not read and name one model in the first rows: further rows may be about another one.

    What differs in the first rows, a person has been asked about.

    Parameters
    ----------
    fields : FieldMap
        Where the fields of items are.
    """

    def __init__(self, fields: FieldMap) -> None:
        self._is_one = len(fields.targets) == 1 and not fields.model
        self._read, self._looked = {*fields.paths()}, 0
        self._names, self._several = dict[str, str](), set[str]()
        self._other = "", 0, ""

    def look(self, value: Mapping[str, Any], row: int) -> None:
        """Compare the names of models in a row with those of the first rows."""
        if not self._is_one or self._other[1]:
            return
        self._looked += 1
        is_first = self._looked <= LOOKED_AT
        for key in value if is_first else self._names:
            name = value.get(key)
            if not isinstance(name, str) or not name.strip() or key in self._read or key in self._several:
                continue
            if is_first and not (names_a_model(key) and last_name(key) not in MODEL_LIKE):
                continue
            if self._names.setdefault(key, name.strip()) == name.strip():
                continue
            if not is_first:
                self._other = name.strip(), row, key
                return
            self._several.add(key)
            del self._names[key]

    def check(self, problems: Problems) -> None:
        """Refuse rows about another model, which would count as results of the first one."""
        name, row, key = self._other
        if row:
            first = self._names[key]
            message = f"the row is about the model {shown(name)}, and earlier rows are about {shown(first)}."
            remedy = (
                "Take the field as the name of the model, and as the id what the rows of an item have in common (in a "
                f"shell: --model {key} --id PATH). If it is one system that uses several models, keep the column "
                f"(--column {key})."
            )
            problems.add(message, row, key, remedy)
