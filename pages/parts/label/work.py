"""The labelling of one plan: what is asked, of which items, and what has been kept so far."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pandas as pd
import streamlit as st

from core import labels
from core.answers import PARSER_VERSION
from core.archive import Archive
from core.design import Plan, manifest
from core.labels.formats import records
from core.pool import Pool
from core.stratification import Profile
from pages.parts import state

# Kept beside the labels that it decides between; known on other pages by this name.
DECISION = records.DECISION


@st.cache_data(max_entries=200, show_spinner=False)
def _family(plan_id: str, pool: str, names: tuple[str, ...], _plan: Plan, _designs: pd.DataFrame) -> tuple[str, ...]:
    # A plan's id is a hash of its design: the relatives among these plans stay the same.
    return labels.family(_plan, _designs)


@dataclass(frozen=True, slots=True, eq=False)
class Work:
    """A plan at work.

    ``pool``: of `targets.known`, the plan's own with the answers of targets run since; ``asked``: the kind of label;
    ``target``: the model examined, None where the pool has none.

    Made anew for each run of the page; what was read from the archive is kept until `save`.
    """

    pool: Pool
    kind: str | None
    profile: Profile
    plan: Plan
    asked: str
    target: str | None
    archive: Archive
    offset: float
    _made: dict[str, Any] = field(default_factory=dict, init=False, repr=False)

    @property
    def pool_digest(self) -> str:
        """Digest of the pool that the plan was drawn from."""
        assert self.plan.pool is not None
        return self.plan.pool.digest

    @property
    def ids(self) -> list[str]:
        """Ids of the list, in labelling order."""
        return [str(item) for item in self.plan.ids]

    @property
    def judged(self) -> str:
        """The target whose answers the labels judge; "" where they say what is right."""
        return "" if self.asked == "gold" else self.target or ""

    def document(self) -> str:
        """The plan's manifest."""
        return manifest.write(self.plan, self.pool.name, dict(PARSER_VERSION))

    def plans(self) -> list[str]:
        """This plan's id and those of the same design with another budget: their labels count here too."""

        def found() -> list[str]:
            designs = self.archive.designs(self.plan.items_digest)
            names = tuple(designs["plan_id"])
            return list(_family(self.plan.plan_id, self.pool_digest, names, self.plan, designs))

        return self._once("plans", found)

    def log(self) -> pd.DataFrame:
        """All labels kept for this plan, of every kind and for every target."""
        return self._once("log", lambda: self.archive.labels(*self.plans()))

    def kept(self) -> pd.DataFrame:
        """The labels kept for this plan that say what is asked here."""
        return self._once("kept", lambda: labels.relevant(self.log(), self.asked, self.target))

    def can_be_estimated(self) -> bool:
        """Whether the plan is kept and has labels, of whatever kind."""
        return bool(self.log()["label"].notna().any()) and self.plan.plan_id in set(self.archive.designs()["plan_id"])

    def labelled(self) -> set[str]:
        """Ids of the items that have a label that can be read, from anybody."""
        kept = self.kept()
        found = self._once("labelled", lambda: set(kept["item_id"][labels.readable(kept, self.asked, self.pool.items)]))
        return set(found)

    def lost(self) -> set[str]:
        """Ids of the items that will get no label."""
        return self._once("lost", lambda: set(labels.lost(self.kept())))

    def spare(self, lost: set[str] | None = None) -> pd.DataFrame:
        """What takes the place of lost items (by default `lost`), in the design's order: item_id, stratum, place."""
        gone = self.lost() if lost is None else lost

        def drawn() -> pd.DataFrame:
            if not gone:
                return pd.DataFrame(columns=["item_id", "stratum", "place"])
            return labels.replacements(self.plan, gone)

        return self._once("spare", drawn) if lost is None else drawn()

    def wanted(self) -> list[str]:
        """Ids that are to be labelled: the list's without the lost ones, then their replacements."""
        lost = self.lost()
        return [*(item for item in self.ids if item not in lost), *map(str, self.spare()["item_id"])]

    def answers(self) -> dict[str, str | None]:
        """The target's answers to the items of the list and to replacements, where it was asked; None: it gave none."""
        if self.target is None:
            return {}
        return self._once("answers", lambda: self._answers([*self.ids, *map(str, self.spare()["item_id"])]))

    def unasked(self) -> list[str]:
        """Ids that are to be labelled, and whose answer is to be judged, but that the target was not asked."""
        return [] if self.asked == "gold" else [item for item in self.wanted() if item not in self.answers()]

    def held(self, item: str, person: str, fresh: bool = False) -> list[tuple[Any, ...]]:
        """What this person has said of an item: label, status and time; ``fresh``: as it is kept at this moment."""
        rows = self.kept()
        if fresh:
            rows = labels.relevant(self.archive.labels(*self.plans()), self.asked, self.target)
        own = rows[(rows["item_id"] == item) & (rows["annotator"] == person)]
        return list(own[["label", "status", "created"]].itertuples(index=False, name=None))

    def keep_plan(self) -> None:
        """Keep the plan, so that labels can be weighted when they come back."""
        plan = self.plan
        self.archive.save_design(
            plan.plan_id, self.document(), self.pool_digest, state.now(), plan.items_digest, plan.stratum
        )

    def save(self, rows: pd.DataFrame, source: str) -> int:
        """Keep labels; return how many were new or different."""
        self.keep_plan()
        also = self.plans()[1:]
        self._made.clear()
        return self.archive.save_labels(self.plan.plan_id, rows, state.now(), source, self.asked, self.judged, also)

    def _answers(self, ids: list[str]) -> dict[str, str | None]:
        assert self.target is not None
        return labels.target_answers(self.pool, self.target, ids, self.kind)

    def _once(self, name: str, make: Callable[[], Any]) -> Any:
        if name not in self._made:
            self._made[name] = make()
        return self._made[name]
