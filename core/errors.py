"""The errors a user can cause, and how they are worded.

    NeymanError                anything a user can put right
    ├── PoolError              a pool file or upload cannot be used; carries all problems, not only the first
    ├── DesignError            parameters that contradict each other or the pool (budget below H, an offset below 0 …)
    ├── ManifestError          a manifest that is damaged, or belongs to another pool
    ├── LabelError             a label request or label file cannot be used
    │   └── NoLabelError       what is asked of a file has no label yet
    ├── BankError              verdicts cannot be read, or do not say what is asked of them
    ├── HomeError              NEYMAN_HOME cannot be read or written: busy, full, read-only, damaged
    └── SurrogateError         a model cannot be run or reached (core.surrogate.faults)

Every message says what is wrong, where, and what to do. Pages catch ``NeymanError`` and show the message; anything else
is a bug and reaches the log with its traceback.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

_NOTED = 20


class NeymanError(Exception):
    """Anything a user can put right."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong with a file: what it is, where, and the remedy.

    Parameters
    ----------
    message : str
        What is wrong.
    row : int or None
        The line or record, from 1; None is the file as a whole.
    field : str or None
        The column or key.
    remedy : str
        What to do.
    file : str or None
        Which of several files.
    words : tuple of str
        Words of a score that nobody knows, the most frequent first: a person may say what they mean.
    """

    message: str
    row: int | None = None
    field: str | None = None
    remedy: str = ""
    file: str | None = None
    words: tuple[str, ...] = ()

    def __str__(self) -> str:
        row = "" if self.row is None else f"row {self.row}"
        place = ", ".join(part for part in (self.file, row, self.field) if part)
        sentence = f"{place}: {self.message}" if place else self.message
        return f"{sentence} {self.remedy}".strip()


class PoolError(NeymanError):
    """A pool that cannot be used, with all its problems.

    Its sentence is the first; a traceback shows the next ones below it, as notes of the exception.

    Parameters
    ----------
    problems : iterable of Problem, or str
        At least one, in file order.
    total : int, optional
        How many there are in all, if ``problems`` holds only the first of them.
    """

    def __init__(self, problems: Iterable[Problem] | str, total: int | None = None) -> None:
        self.problems: tuple[Problem, ...] = (Problem(problems),) if isinstance(problems, str) else tuple(problems)
        self.total = len(self.problems) if total is None else total
        super().__init__(self._sentence())
        noted = self.problems[:_NOTED]
        for problem in noted[1:]:
            self.add_note(str(problem))
        if self.total > len(noted) > 1:
            self.add_note(f"… and {self.total - len(noted):,} more.")

    def _sentence(self) -> str:
        first = str(self.problems[0])
        others, files = self.total - 1, {problem.file for problem in self.problems}
        where = "this file" if len(files) == 1 else f"{len(files)} files"
        return first if others == 0 else f"{first} ({others:,} more problem{'s' if others > 1 else ''} in {where}.)"


class DesignError(NeymanError):
    """Parameters that contradict each other or the pool."""


class ManifestError(NeymanError):
    """A manifest that is damaged, or belongs to another pool."""


class LabelError(NeymanError):
    """A label request or a label file that cannot be used.

    Parameters
    ----------
    message : str
        The sentence.
    problems : iterable of Problem
        What is wrong with single rows of a file, in file order; the sentence names the first of them.
    total : int, optional
        How many there are in all, if ``problems`` holds only the first of them.
    """

    def __init__(self, message: str, problems: Iterable[Problem] = (), total: int | None = None) -> None:
        super().__init__(message)
        self.problems = tuple(problems)
        self.total = len(self.problems) if total is None else total


class NoLabelError(LabelError):
    """Labels that say nothing yet of what is asked, such as of one of several criteria."""


class BankError(NeymanError):
    """Verdicts that cannot be read, or do not say what is asked of them."""


class HomeError(NeymanError):
    """A folder NEYMAN_HOME that cannot be read or written.

    Parameters
    ----------
    message : str
        What is wrong and what to do.
    busy : bool
        Whether trying again may be enough.
    lost : bool
        Whether the database is gone or damaged, so that a copy has to take its place.
    """

    def __init__(self, message: str, busy: bool = False, lost: bool = False) -> None:
        super().__init__(message)
        self.busy = busy
        self.lost = lost
