"""One person's share of a list, and how long it takes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from itertools import pairwise
from statistics import fmean

import pandas as pd

from ..labels.formats.records import DECISION, SKIPPED
from .record import LabelRecord

# A longer pause, in seconds, is a break: it does not say how long an item takes.
_BREAK = 600.0
# Fewer pauses say nothing.
_ENOUGH = 3


@dataclass(frozen=True, eq=False)
class Worklist:
    """One person's share of a list.

    Parameters
    ----------
    labels : LabelRecord
        The list with the labels of all people.
    person : str
        The name under which this one labels.
    free : bool
        Whether items that somebody else has labelled, or whose verdict the pool gave, are not asked again.
    """

    labels: LabelRecord
    person: str
    free: bool

    @cached_property
    def given(self) -> pd.DataFrame:
        """The relevant rows of this person."""
        rows = self.labels.relevant
        return rows[rows["annotator"] == self.person]

    @cached_property
    def ids(self) -> tuple[str, ...]:
        """Ids of the items that are this person's to label."""
        without = set(self.labels.unasked) | (self._of_others - self._done if self.free else set())
        return tuple(item for item in self.labels.due if item not in without)

    @cached_property
    def left(self) -> tuple[str, ...]:
        """Those of them without this person's label, what was skipped at the end."""
        skipped = self._with(self.given["status"] == SKIPPED) - self._labelled
        return (*(item for item in self.ids if item not in self._done), *(item for item in self.ids if item in skipped))

    @property
    def minutes(self) -> float | None:
        """The minutes that they will take at this person's pace; None if nothing is left, or too little is known."""
        pace = seconds_an_item(self.given["created"])
        return None if pace is None or not self.left else pace * len(self.left) / 60

    @cached_property
    def _labelled(self) -> set[str]:
        return self._with(self.given["label"].notna())

    @cached_property
    def _done(self) -> set[str]:
        # A label that cannot be read is none: its item is asked again.
        return set(self.given["item_id"]) - (self._labelled - self.labels.labelled)

    @property
    def _of_others(self) -> set[str]:
        rows = self.labels.relevant
        others = rows[~rows["annotator"].isin([self.person, DECISION]) & rows["label"].notna()]
        return set(others["item_id"]) & self.labels.labelled

    def _with(self, rows: pd.Series[bool]) -> set[str]:
        return set(self.given.loc[rows, "item_id"])


def seconds_an_item(moments: Iterable[str]) -> float | None:
    """Mean seconds between labels, breaks apart; None if there are too few.

    Parameters
    ----------
    moments : iterable of str
        When the labels were given, ISO 8601.
    """
    times = sorted(datetime.fromisoformat(moment).timestamp() for moment in moments)
    working = [pause for first, second in pairwise(times) if (pause := second - first) < _BREAK]
    return fmean(working) if len(working) >= _ENOUGH else None
