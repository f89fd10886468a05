"""Problems of a file, raised together; and the count of what becomes of each record, from which the account follows.

    for row, size, line in lines(source, problems):     # every source of records counts what it hands out
        if is_of_another_question(line):
            problems.tally.leave_out("requests with perturbations", row)
            continue
        outputs.add(row, record, sample)                # ItemOutputs and Records count what is taken

What a source has seen and of which none of that is said stays visible (`core.pool.account.LOST`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

import numpy as np

from ..errors import PoolError, Problem
from ..words import shown
from .account import FIRST_ROWS, LOST, FileAccount, Filled, LeftOut, ToolTotal, matched

_Record = TypeVar("_Record")
# Fates of a record; the smallest that it is given counts. Reasons to leave it out follow.
_NONE, _TAKEN, _COMPLETING, _REPEATED, _FIRST_REASON = range(5)
_MOST_REASONS = 250
_OTHER = "records for other reasons"
_GROWTH = 4_096


class RecordTally:
    """Counts the records of one file. A record that is taken for one thing and repeated in another is taken.

    While one of several files in a zip is read, ``before`` is added to the places in it. ``stated`` are totals that the
    file states beside the list of its records, if a reader compares them.
    """

    def __init__(self) -> None:
        self.before = 0
        self.last = 0
        self.stated: Any = None
        self._seen = 0
        self._fates = bytearray()
        self._reasons: list[str] = []
        self._totals: list[ToolTotal] = []
        self._skipped: list[str] = []

    @property
    def seen(self) -> int:
        """Number of records that were counted."""
        return self._seen

    def records(self, records: Iterable[_Record]) -> Iterator[_Record]:
        """Hand records on, and count each."""
        for record in records:
            self._seen += 1
            yield record

    def see(self) -> None:
        """Count one record that a source hands on."""
        self._seen += 1

    def take(self, row: int) -> None:
        """Say that something of a record is in the pool; ``row`` is its place in the file, from 1."""
        self._mark(row, _TAKEN)

    def complete(self, row: int) -> None:
        """Say that a record says more of what another one is about, and has no output itself."""
        self._mark(row, _COMPLETING)

    def repeat(self, row: int) -> None:
        """Say that another record says the same."""
        self._mark(row, _REPEATED)

    def leave_out(self, reason: str, row: int, taken: bool = False) -> None:
        """Say that nothing is taken of a record, and why.

        Parameters
        ----------
        reason : str
            Which records are left out, to follow their number: “requests with perturbations”. The same words for each.
        row : int
            Its place in the file, from 1.
        taken : bool
            Whether something of it was taken before, and is left out after all.
        """
        if taken and row + self.before < len(self._fates):
            self._fates[row + self.before] = _NONE
        if reason not in self._reasons:
            reason = reason if len(self._reasons) < _MOST_REASONS else _OTHER
            self._reasons += [reason] if reason not in self._reasons else []
        self._mark(row, _FIRST_REASON + self._reasons.index(reason))

    def take_all(self, count: int) -> None:
        """Count so many records, all of them taken, of a reader that reads them as a whole."""
        self._seen += count
        self._fates = bytearray([_NONE]) + bytearray([_TAKEN]) * count

    def skip(self, name: str) -> None:
        """Name a file of a zip that holds no results."""
        self._skipped.append(name)

    def report(
        self, model: str, metric: str, reported: float | None, own: float | None, digits: int = 4, task: str = ""
    ) -> None:
        """Keep a total that the tool reports beside the mean of the same scores.

        One of the two is None if it stands in another file of the run (`core.pool.account`).
        """
        self._totals.append(ToolTotal(model, metric, reported, own, task, digits))

    def compare(
        self, model: str, metric: str, reported: float | None, shares: Iterable[float | None], task: str = ""
    ) -> None:
        """Keep the mean of scores beside the total that the tool reports, as `report`; nothing if none is known."""
        known = [one for one in shares if one is not None]
        if known:
            self.report(model, metric, reported, sum(known) / len(known), task=task)

    def account(self, items: int, filled: Iterable[Filled] = ()) -> FileAccount | None:
        """Close the account; None if nothing was counted, as of records that are no file's.

        Parameters
        ----------
        items : int
            Number of distinct items that the records are about.
        filled : iterable of Filled
            What each field filled.
        """
        if not self._seen:
            return None
        fates = np.frombuffer(bytes(self._fates), dtype=np.uint8)
        counts = np.bincount(fates, minlength=_FIRST_REASON + len(self._reasons))
        left = []
        for number, reason in enumerate(self._reasons, start=_FIRST_REASON):
            if counts[number]:
                rows = np.flatnonzero(fates == number)[:FIRST_ROWS]
                left.append(LeftOut(reason, int(counts[number]), tuple(map(int, rows))))
        lost = self._seen - int(counts[_TAKEN:].sum())
        left += [LeftOut(LOST, lost)] if lost > 0 else []
        return FileAccount(
            self._seen,
            items,
            int(counts[_TAKEN]) - items,
            int(counts[_REPEATED]),
            tuple(left),
            tuple(filled),
            matched(self._totals),
            tuple(self._skipped),
            int(counts[_COMPLETING]),
        )

    def _mark(self, row: int, fate: int) -> None:
        row += self.before
        self.last = max(self.last, row)
        if row >= len(self._fates):
            self._fates.extend(bytes(row + 1 - len(self._fates) + _GROWTH))
        if not 0 < self._fates[row] <= fate:
            self._fates[row] = fate


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
