"""Right answers of generation tasks that are digits although there are options: numbers, or places of options.

A log does not say which. The outputs that the tool scored as right do: they are the digits, or else the option that
stands there, by its letter or its text. If none is right, what the outputs look like decides.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from string import ascii_uppercase

import pyarrow as pa

from ..pool.columns import TEXT

_LETTER = re.compile(r"\W*([A-Z])\W*")


@dataclass(slots=True)
class NumberedGold:
    """Collects the right answers that may be places, and what speaks for either reading."""

    letters: dict[str, str] = field(default_factory=dict)
    _places: list[int] = field(default_factory=lambda: [0, 0])
    _digits: list[int] = field(default_factory=lambda: [0, 0])

    def add(self, name: str, gold: str, choices: Sequence[str] | None, output: str | None, right: bool) -> None:
        """Take one item.

        Parameters
        ----------
        name : str
            The item's id.
        gold : str
            Its right answer.
        choices : sequence of str or None
            Its options.
        output : str or None
            The answer that the tool read from the first output; None if it read none.
        right : bool
            Whether the tool scored that as right.
        """
        size = min(len(choices or ()), len(ascii_uppercase))
        if choices is None or not gold.isdecimal() or int(gold) >= size or gold in choices:
            return
        letter = self.letters[name] = ascii_uppercase[int(gold)]
        said = (output or "").strip()
        read = _LETTER.fullmatch(said)
        if right:
            self._places[0] += (read is not None and read[1] == letter) or said == choices[int(gold)].strip()
            self._digits[0] += said == gold
        self._places[1] += (read is not None and read[1] in ascii_uppercase[:size]) or said in choices
        self._digits[1] += said.isdecimal()

    @property
    def are_places(self) -> bool:
        """Whether the digits are places of options, from 0."""
        return (self._places[0], self._places[1]) > (self._digits[0], self._digits[1])

    def columns(self, names: Sequence[str], table: pa.Table) -> pa.Table:
        """Return a table of the items with letters as right answers, if the digits are places."""
        if not self.letters or not self.are_places:
            return table
        for column, of_letter in (("answer", self.letters), ("answer_kind", dict.fromkeys(self.letters, "choice"))):
            values = table.column(column).to_pylist()
            values = [of_letter.get(name, value) for name, value in zip(names, values, strict=True)]
            table = table.set_column(
                table.column_names.index(column), column, pa.chunked_array([pa.array(values, TEXT)])
            )
        return table
