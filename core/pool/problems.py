"""Collecting every problem of a file before raising them together."""

from __future__ import annotations

from ..errors import PoolError, Problem
from ..words import shown
from .tally import RecordTally

__all__ = ["MOST", "Problems", "shown"]

MOST = 200


class Problems:
    """The problems and remarks met while a pool is read: problems refuse the pool, remarks (notes) stay with it.

    At most ``MOST`` problems are kept, the first in file order; all are counted. ``tally`` counts what becomes of the
    records.
    """

    def __init__(self) -> None:
        self.tally = RecordTally()
        self.total = 0
        self.notes: list[str] = []
        self._first: list[Problem] = []
        self._places: set[tuple[int | None, str | None, str | None]] = set()

    def add(
        self,
        message: str,
        row: int | None = None,
        field: str | None = None,
        remedy: str = "",
        file: str | None = None,
        words: tuple[str, ...] = (),
    ) -> None:
        """Count a problem; one per place (file, row and field) is enough."""
        if row is not None and (row, field, file) in self._places:
            return
        self.total += 1
        if row is not None and len(self._places) < 50 * MOST:
            self._places.add((row, field, file))
        self._first.append(Problem(message, row, field, remedy, file, words))
        if len(self._first) >= 4 * MOST:
            self._cut()

    def note(self, sentence: str) -> None:
        """Keep a remark, once; an empty one says nothing."""
        if sentence and sentence not in self.notes:
            self.notes.append(sentence)

    def stop(self) -> None:
        """Raise :class:`core.errors.PoolError` if there is a problem."""
        if self.total:
            self._cut()
            raise PoolError(self._first, total=self.total)

    def _cut(self) -> None:
        self._first.sort(key=lambda problem: -1 if problem.row is None else problem.row)
        del self._first[MOST:]
