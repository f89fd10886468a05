"""Collecting everything that is wrong with a file before saying so."""

from __future__ import annotations

from core.errors import PoolError, Problem

KEPT = 200


class Problems:
    """The problems and remarks met while a pool is read; problems stop the pool, remarks (notes) go with it.

    At most ``KEPT`` problems are kept, the first in file order; all are counted.
    """

    def __init__(self) -> None:
        self.total = 0
        self.notes: list[str] = []
        self._kept: list[Problem] = []
        self._places: set[tuple[int | None, str | None]] = set()

    def add(self, message: str, row: int | None = None, field: str | None = None, remedy: str = "") -> None:
        """Count a problem; one per place (row and field) is enough."""
        if row is not None and (row, field) in self._places:
            return
        self.total += 1
        if row is not None and len(self._places) < 50 * KEPT:
            self._places.add((row, field))
        self._kept.append(Problem(message, row, field, remedy))
        if len(self._kept) >= 4 * KEPT:
            self._cut()

    def note(self, sentence: str) -> None:
        """Keep a remark, once."""
        if sentence not in self.notes:
            self.notes.append(sentence)

    def stop(self) -> None:
        """Raise :class:`PoolError` with what was found, if anything was."""
        if self.total:
            self._cut()
            raise PoolError(self._kept, total=self.total)

    def _cut(self) -> None:
        self._kept.sort(key=lambda problem: -1 if problem.row is None else problem.row)
        del self._kept[KEPT:]


def shown(text: str, width: int = 60) -> str:
    """``text`` in quotes, on one line, shortened: fit for a sentence."""
    line = text.encode("utf-8", "replace").decode("utf-8")
    line = "".join(char if char.isprintable() else " " for char in line)
    return f"“{line}”" if len(line) <= width else f"“{line[: width - 1]}…”"
