"""Plans whose labels count for each other: the same design on the same pool, with another budget."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from core.design import manifest
from core.design.design import Design
from core.design.design import plan_id as id_of


def family(plan_id: str, design: Design, designs: pd.DataFrame) -> tuple[str, ...]:
    """The plan's id, then in ascending order those of kept plans that differ from it in the budget alone.

    A larger budget only adds items to the list, so that their labels are this plan's too: for `Archive.labels` and
    ``family`` of `core.labels.settle`.

    Parameters
    ----------
    plan_id : of the plan, kept or not. design : the plan's.
    designs : of `Archive.designs`: plan_id, digest, manifest; plans on other pools may be among them.

    Raises
    ------
    ManifestError : the manifest of a plan on the same pool is damaged.
    """
    pools = [digest for digest in designs["digest"].unique() if id_of(str(digest), design) == plan_id]
    own = designs[designs["digest"].isin(pools) & (designs["plan_id"] != plan_id)]
    alike = [
        str(name)
        for name, document in zip(own["plan_id"], own["manifest"], strict=True)
        if common(manifest.read(document).design) == common(design)
    ]
    return (plan_id, *sorted(alike))


def common(design: Design) -> Design:
    """What the designs of a family have in common: all but the budget, which is 1 here."""
    return replace(design, budget=1)
