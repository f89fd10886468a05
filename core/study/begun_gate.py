"""A version gate whose list has labels: what they decide, and what may follow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from ..archive.archive import Archive
from ..errors import LabelError, NeymanError
from ..gates.version_gate import VersionDecision, VersionGate
from ..gates.version_list import STRATA, UNDECIDED
from ..gates.version_pool import gate_of, known_losses, list_name, pool_of
from ..labels import double_meanings
from ..labels.kinds import GOLD
from ..labels.outcomes import target_answers
from ..pool.outcomes import SILENT
from ..pool.pool import Pool
from ..words import counted
from .labelling import Labelling
from .plans import kept_plan, kept_plans
from .readings import Reading, readings

# Items that are named in a sentence.
_MOST_NAMED = 8


@dataclass(frozen=True, slots=True, eq=False)
class BegunGate:
    """A version gate whose list has labels.

    Parameters
    ----------
    gate : VersionGate
        As it was planned.
    pool : Pool
        The items of its list.
    plan_id : str
        Of the labelled list.
    losses : dict
        (item id, version) → loss.
    unanswered : tuple of (str, str)
        Item ids and versions that have no label and cannot get one, since the version's answer is not known: lists of
        earlier versions have them.
    """

    gate: VersionGate
    pool: Pool
    plan_id: str
    losses: dict[object, float]
    unanswered: tuple[tuple[str, str], ...] = ()

    @property
    def decision(self) -> VersionDecision:
        """Return the decision by the labels, whether the answers that nobody can grade are right or wrong."""
        gone = self._ungraded
        asked = self.gate.gradings.itertuples(index=False, name=None) if gone else ()
        assumed = [pair for pair in asked if pair[0] in gone and pair not in self.losses]
        one = self.gate.decide(self.losses, assumed)
        if not gone:
            return one
        unknown = replace(one.difference, value=np.nan)
        return replace(one, difference=unknown, n_listed=one.n_listed - len(gone), without_verdict=0)

    @property
    def remark(self) -> str:
        """Say which items of the list nobody can grade, and what to do; "" if there are none."""
        if not self.unanswered:
            return ""
        names = " or ".join(dict.fromkeys(name for _, name in self.unanswered))
        items = self._ungraded
        which = ", ".join(items[:_MOST_NAMED]) + (" …" if len(items) > _MOST_NAMED else "")
        have, these = ("has", "it is") if len(items) == 1 else ("have", "these are")
        return (
            f"{counted(len(items), 'item')} of the list {have} no answer of {names} to grade ({which}). The limits "
            f"hold whether {these} right or wrong. If {names} gave no answer, write “{SILENT}” as its answer and "
            "read the file again: the labels are kept and count for the same items."
        )

    @property
    def next_step(self) -> str:
        """Say what decides exactly, if the whole list left it undecided; "" if nothing has to."""
        decision = self.decision
        if self.unanswered or decision.verdict != UNDECIDED or decision.n_graded < decision.n_listed:
            return ""
        left = self.gate.rest(self.losses).order.size
        if not left:
            return ""
        others = "the other item" if left == 1 else f"the other {left:,} items"
        return (
            f"Grade {others} whose answers differ, and the difference is known exactly. That is allowed whatever the "
            "list showed, and what is graded counts."
        )

    def further(self, planned: VersionGate) -> VersionGate | None:
        """The gate whose list is the rest of an undecided one, under its rule.

        None if there is no `next_step`, if a loss is neither 0 nor 1, or if the answers are read otherwise than they
        were.

        Parameters
        ----------
        planned : VersionGate
            Of the same versions, as the pool gives it now: it knows the items that are not listed.
        """
        gate, differing = self.gate, {*planned.pool_ids[planned.unequal].tolist()}
        if (
            not self.next_step
            or (planned.n_items, planned.n_unequal) != (gate.n_items, gate.n_unequal)
            or not differing.issuperset(gate.items["item_id"])
            or not {*self.losses.values()} <= {0.0, 1.0}
        ):
            return None
        rule = {name: getattr(gate, name) for name in ("margin", "confidence", "power", "seed")}
        return replace(planned.rest(self.losses), **rule)

    def verdicts(self) -> pd.DataFrame:
        """The list with its verdicts: item_id, stratum, old_version, old_loss, new_version, new_loss; NaN for none."""
        gate, ids = self.gate, self.gate.items["item_id"].tolist()
        old = zip(ids, gate.old_loss[gate.order].tolist(), strict=True)
        return pd.DataFrame(
            {
                "item_id": ids,
                "stratum": np.array(STRATA)[gate.kinds[gate.order]],
                "old_version": gate.old,
                "old_loss": [
                    self.losses.get((item, gate.old), np.nan) if np.isnan(loss) else loss for item, loss in old
                ],
                "new_version": gate.new,
                "new_loss": [self.losses.get((item, gate.new), np.nan) for item in ids],
            }
        )

    @property
    def _ungraded(self) -> list[str]:
        return list(dict.fromkeys(item for item, _ in self.unanswered))


def begun(archive: Archive, pool: Pool, old: str, new: str) -> BegunGate | None:
    """Find the newest list of a gate between two versions that has labels; None if there is none.

    Parameters
    ----------
    archive : Archive
        Where pools and labels are kept.
    pool : Pool
        The pool that the gate was planned on, or the pool of its list.
    old, new : str
        The versions.
    """
    if pool_of(pool) is not None:
        return _labelled(archive, pool)
    kept = archive.pools.table()
    found = list[tuple[str, BegunGate]]()
    # Lists of earlier versions do not say what they are.
    names = (list_name(pool.name, old, new), f"{pool.name}: {old} → {new}")
    for digest in kept.loc[kept["name"].isin(names), "digest"]:
        try:
            listed = archive.pools.load(str(digest))
            of_pool = pool_of(listed)
            labelled = _labelled(archive, listed)
        except NeymanError:
            # A damaged pool or plan is named where it is opened.
            continue
        if of_pool == pool.digest and labelled is not None:
            found.append((_newest(archive, labelled.plan_id), labelled))
    return max(found, key=lambda pair: pair[0])[1] if found else None


def _labelled(archive: Archive, pool: Pool) -> BegunGate | None:
    gate, plans = gate_of(pool), kept_plans(archive, pool)
    if gate is None or not plans:
        return None
    plan = kept_plan(archive, plans[0].plan_id, pool)
    labels = Labelling.load(archive, plan, pool)
    losses = dict[object, float]()
    judged = labels.log[(labels.log["kind"] != GOLD.name).to_numpy()]
    if refusal := double_meanings.same_on_both(judged, labels.is_answer):
        raise LabelError(refusal)
    for reading in readings(labels.log):
        for version in (gate.old, gate.new) if reading.kind == GOLD.name else (reading.target or gate.new,):
            if version not in (gate.old, gate.new):
                continue
            values = labels.about(Reading(reading.kind, version)).values
            known = values[values["value"].notna().to_numpy()]
            rows = zip(known["item_id"], known["value"], strict=True)
            losses |= {(item, version): 1.0 - float(value) for item, value in rows}
    order = np.concatenate([plan.positions, np.setdiff1d(np.arange(pool.n_items), plan.positions)])
    # Who labels follows the order of the plan, which knows no more of the losses than the gate's.
    gate = replace(gate, order=gate.order[order])
    outcomes = {
        (item, name): loss
        for name in (gate.old, gate.new)
        if name in pool.targets
        for item, loss in known_losses(pool, name).items()
    }
    # An outcome in place of an answer is its verdict.
    losses |= {pair: outcomes[pair] for pair in _unanswered(gate, pool, labels, losses) if pair in outcomes}
    return BegunGate(gate, pool, plan.plan_id, losses, _unanswered(gate, pool, labels, losses))


def _unanswered(
    gate: VersionGate, pool: Pool, labels: Labelling, losses: Mapping[object, float]
) -> tuple[tuple[str, str], ...]:
    known = {
        name: {
            *labels.runs.get(name, ()),
            *(target_answers(pool, name, list(map(str, pool.ids))) if name in pool.targets else ()),
        }
        for name in (gate.old, gate.new)
    }
    asked = gate.gradings.itertuples(index=False)
    return tuple((item, name) for item, name in asked if (item, name) not in losses and item not in known[name])


def _newest(archive: Archive, plan_id: str) -> str:
    counts = archive.labels.counts()
    times = counts.loc[counts["plan_id"] == plan_id, "newest"]
    return str(times.iloc[0]) if len(times) else ""
