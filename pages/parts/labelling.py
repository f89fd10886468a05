"""The labelling of one plan: what is asked, of which items, and what has been kept so far."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pandas as pd

from core import labels, manifest
from core.answers import PARSER_VERSION
from core.archive import Archive
from core.design import Plan
from core.pool import Pool
from core.profile import Profile
from pages.parts import state

# The name under which a decision between annotators is kept, beside their own labels.
DECISION = "(decision)"


def family(plan: Plan, designs: pd.DataFrame) -> list[str]:
    """The plan's id, and those of kept designs (frame of the archive) that differ from it in the budget alone."""
    own = designs[designs["digest"] == plan.pool_digest]
    related = [
        name
        for name, document in zip(own["plan_id"], own["manifest"], strict=True)
        if name != plan.plan_id and replace(manifest.read(document).design, budget=plan.design.budget) == plan.design
    ]
    return [plan.plan_id, *sorted(related)]


@dataclass(frozen=True, slots=True, eq=False)
class Work:
    """A plan at work. ``asked``: the kind of label; ``target``: the model examined, None where the pool has none."""

    pool: Pool
    kind: str | None
    profile: Profile
    plan: Plan
    asked: str
    target: str | None
    archive: Archive
    offset: float

    @property
    def ids(self) -> list[str]:
        """Ids of the list, in labelling order."""
        return [str(item) for item in self.plan.ids]

    def wanted(self) -> list[str]:
        """Ids that may be labelled: the list's, and the replacements of those that were given up by everybody."""
        return [*self.ids, *self.spare(self.given_up())]

    def given_up(self) -> list[str]:
        """Items of the list that only cancelled rows of imported files speak of."""
        kept = self.kept()
        labelled = set(kept.loc[kept["label"].notna(), "item_id"])
        cancelled = set(kept.loc[kept["label"].isna() & (kept["status"] != "skipped"), "item_id"])
        return [item for item in self.ids if item in cancelled - labelled]

    def spare(self, lost: list[str]) -> list[str]:
        """Ids of the replacements of lost items, in the design's order."""
        if not lost:
            return []
        ids = self.pool.items.index.to_numpy(dtype=object)
        return [str(item) for item in labels.replacements(self.plan, self.profile, ids, lost)["item_id"]]

    def document(self) -> str:
        """The plan's manifest."""
        return manifest.write(self.plan, self.pool.name, dict(PARSER_VERSION))

    def keep_plan(self) -> None:
        """Keep the plan, so that labels can be weighted when they come back."""
        self.archive.save_design(self.plan.plan_id, self.document(), self.pool.digest, state.now())

    def plans(self) -> list[str]:
        """This plan's id and those of the same design with another budget: their labels count here too."""
        return family(self.plan, self.archive.designs())

    def kept(self) -> pd.DataFrame:
        """The labels kept for this plan."""
        return self.archive.labels(*self.plans())

    def answers(self) -> dict[str, str | None]:
        """The target's answers to the items of the list, where the pool knows them."""
        if self.target is None:
            return {}
        return labels.target_answers(self.pool, self.target, self.ids, self.kind)
