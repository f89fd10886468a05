"""A list as it goes to a labelling tool, and what such a tool is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Protocol, Self

import pandas as pd

from ...design.design import Plan
from ..formats.tasks import PROBABILITY
from ..rows import text_of
from ..targets import ANSWERS_OF
from .client import QueueClient
from .services import Queue


class Entry(NamedTuple):
    """An item's key in a labelling tool: ``answers_of`` is the code of the target, "" for none."""

    item_id: str
    plan_id: str
    answers_of: str

    @classmethod
    def of(cls, payload: Mapping[str, Any]) -> Entry | None:
        """Return what the item with this payload is known by; None if item_id or plan_id is missing."""
        item, plan = text_of(payload.get("item_id")), text_of(payload.get("plan_id"))
        return None if item is None or not plan else cls(item, plan, text_of(payload.get(ANSWERS_OF)) or "")


@dataclass(frozen=True, eq=False)
class Assignment:
    """A list, and what is asked about its items.

    Parameters
    ----------
    plan : Plan
        The plan of the list.
    request : DataFrame
        The list, of `core.labels.request`.
    kind : str
        Kind of label, of `core.labels.KINDS`.
    family : tuple of str
        Ids of plans that share labels with this one, from `core.labels.family`.
    """

    plan: Plan
    request: pd.DataFrame
    kind: str
    family: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """Heading above each item, in tools that show one."""
        return f"Plan {self.plan.plan_id}"

    def name(self, plan_id: str = "") -> str:
        """A name for the place of the list, by plan, question and target; ``plan_id``: another plan of the family."""
        codes = dict.fromkeys(entry.answers_of for entry in self.entries)
        return " ".join(filter(None, ("Neyman", plan_id or self.plan.plan_id, self.kind, *codes)))

    @cached_property
    def frame(self) -> pd.DataFrame:
        """The list with a column inclusion_probability: π_i of each item, of a replacement that of its stratum."""
        places = pd.Index(self.plan.pool_ids).get_indexer(pd.Index(self.request["item_id"]))
        probabilities = self.plan.inclusion_probabilities[self.plan.stratum[places]]
        return self.request.assign(**{PROBABILITY: probabilities})

    @cached_property
    def entries(self) -> list[Entry]:
        """Return the items' keys, in the list's order."""
        codes = self.request[ANSWERS_OF] if ANSWERS_OF in self.request.columns else [""] * len(self.request)
        rows = zip(self.request["item_id"], self.request["plan_id"], codes, strict=True)
        return [Entry(str(item), str(plan), str(code)) for item, plan, code in rows]

    @cached_property
    def known(self) -> dict[Entry, Entry]:
        """Each entry by itself, and by what the same item is known by under the other plans of the family."""
        return {
            entry._replace(plan_id=plan): entry
            for entry in self.entries
            for plan in dict.fromkeys((*self.family, entry.plan_id))
        }


class Container(Protocol):
    """A project, dataset or annotation queue."""

    batch: int
    """The number of items that one request adds."""
    url: str
    """Where people label."""

    @staticmethod
    def connect(queue: Queue) -> QueueClient:
        """Connect to the server, with its keys."""

    @classmethod
    def find(cls, client: QueueClient, queue: Queue, assignment: Assignment) -> Self | None:
        """Return the place of this name; None if there is none."""

    @classmethod
    def make(cls, client: QueueClient, queue: Queue, assignment: Assignment) -> Self:
        """Make a place for this list."""

    def check(self) -> None:
        """Raise `core.errors.LabelError` if it asks something else than the list does."""

    def items(self) -> Iterator[tuple[str, Entry | None]]:
        """Yield the tool's id of each item, the eldest first, and what it is known by; None: none of ours."""

    def add(self, entries: Sequence[Entry]) -> None:
        """Add items of the list."""

    def labels(self) -> bytes:
        """Return all it holds with its labels, as a file for `core.labels.read`."""
