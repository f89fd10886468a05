"""The parts of an account: records that are left out for one reason, and what one field filled."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

# What a reader's mistake would leave over: that a record is missing is said, whatever the cause.
LOST = "records of which no reader says what became of them"
WITHOUT_OUTPUT = "records without an output"
FIRST_ROWS = 5


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Records that are left out for one reason.

    Parameters
    ----------
    reason : str
        Which they are, to follow their number: “requests with perturbations”.
    count : int
        How many, at least 1.
    rows : tuple of int
        Places of the first in the file, from 1; at most `FIRST_ROWS`, empty if unknown.
    file : str
        The file, if the account is of several.
    """

    reason: str
    count: int
    rows: tuple[int, ...] = ()
    file: str = ""

    @property
    def remark(self) -> str:
        """The note of a reader that says so."""
        return f"Left out: {self._counted}."

    @property
    def words(self) -> str:
        """Number, reason and first rows."""
        first = ", ".join(f"{row:,}" for row in self.rows) + (" …" if self.count > len(self.rows) else "")
        places = [f"{'row' if self.count == 1 else 'rows'} {first}"] if self.rows else []
        places += [f"in {self.file}"] if self.file else []
        return self._counted + (f" ({' '.join(places)})" if places else "")

    @property
    def _counted(self) -> str:
        noun, space, rest = self.reason.partition(" ")
        return f"{self.count:,} {noun.removesuffix('s') if self.count == 1 else noun}{space}{rest}"


@dataclass(frozen=True, slots=True)
class Filled:
    """The share of the pool that a field of the file filled.

    Parameters
    ----------
    field : str
        Native column (“answer”), ``loss``, a target's outcome (“gpt-4 · loss”) or a column that is kept.
    path : str
        The field, column or path of the file; "" if its format has no name for it.
    count : int
        Items with a value, for outputs and scores how many there are.
    what : str
        ``"right answer"``, ``"output"``, ``"score"``, or "" for anything else.
    """

    field: str
    path: str
    count: int
    what: str = ""


def summed(parts: Iterable[Filled]) -> tuple[Filled, ...]:
    """Add up what the same fields of several files filled."""
    counts: dict[tuple[str, str, str], int] = {}
    for one in parts:
        key = (one.field, one.path, one.what)
        counts[key] = counts.get(key, 0) + one.count
    return tuple(Filled(field, path, count, what) for (field, path, what), count in counts.items())
