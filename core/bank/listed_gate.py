"""The list of a version gate as a separate pool: it is labelled like any pool, and carries the gate.

A list that has been handed out must not change when more verdicts become known. So the pool of the list holds the gate
as it was planned, in a column of its first item.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from ..archive.archive import Archive
from ..errors import NeymanError
from ..labels.outcomes import target_answers
from ..pool.columns import GATE_COLUMN
from ..pool.outcomes import SILENT
from ..pool.pool import Pool
from ..study.labelling import Labelling
from ..study.plans import kept_plan, kept_plans
from ..study.readings import Reading, readings
from ..words import counted
from .version_gate import ANY, LOOKS, OLD_RIGHT, OLD_UNKNOWN, STRATA, UNDECIDED, VersionDecision, VersionGate
from .version_lists import known_losses

# A document that says more is no gate of ours.
_MOST_ITEMS = 10_000_000
# Items that are named in a sentence.
_MOST_NAMED = 8
_ASKED = ("old", "new", "margin", "confidence", "power", "looks", "seed")
_FIELDS = ("pool", *_ASKED, "n_items", "names", "sizes", "known", "stratum", "old_loss")


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
        """What the labels say, whether the answers that nobody can grade are right or wrong."""
        if not self.unanswered:
            return self.gate.decide(self.losses)
        gone, gradings = self._ungraded, list(self.gate.gradings.itertuples(index=False, name=None))
        assumed = [pair for pair in gradings if pair[0] in gone and pair not in self.losses]
        best, worst = (
            self.gate.decide(
                self.losses | {(item, name): loss if name == self.gate.new else 1 - loss for item, name in assumed}
            )
            for loss in (0.0, 1.0)
        )
        waiting = [pair[0] for pair in gradings if pair not in self.losses and pair[0] not in gone]
        ids = list(dict.fromkeys(item for item, _ in gradings))
        counting = {*(ids[: ids.index(waiting[0])] if waiting and self.gate.looks == ANY else ids)} - {*waiting}
        labels = sum(pair in self.losses and pair[0] in counting for pair in gradings)
        one = replace(best.difference, value=np.nan, high=worst.difference.high, n_labels=labels)
        verdict = best.verdict if best.verdict == worst.verdict else UNDECIDED
        graded, listed = len({*ids} - {*waiting} - {*gone}), best.n_listed - len(gone)
        return replace(best, verdict=verdict, difference=one, n_graded=graded, n_listed=listed)

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
                "stratum": [gate.names[number] for number in gate.stratum[gate.order]],
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


def listed_pool(gate: VersionGate, pool: Pool, origin: str | None = None) -> Pool:
    """Return the items of a gate's list, in labelling order, with the gate.

    Parameters
    ----------
    gate : VersionGate
        The gate; its list has an item.
    pool : Pool
        The pool that it was planned on.
    origin : str, optional
        Digest of the pool to which a bank's version was added for the gate; by default that of ``pool``.
    """
    part = pool.part(pool.places(gate.items["item_id"]))
    count = len(gate.names)
    known = ~np.isnan(gate.known_loss)
    document = {
        "pool": origin or pool.digest,
        **{name: getattr(gate, name) for name in _ASKED},
        "n_items": gate.n_items,
        "old_graded": gate.old_graded,
        "absent": list(gate.absent),
        "banked": gate.banked,
        "names": list(gate.names),
        "sizes": np.bincount(gate.stratum, minlength=count).tolist(),
        "known": _by_stratum(gate, known),
        "stratum": gate.stratum[gate.order].tolist(),
        "old_loss": [None if np.isnan(loss) else loss for loss in gate.old_loss[gate.order].tolist()],
    }
    told = pa.array([json.dumps(document, ensure_ascii=False)] + [None] * (part.n_items - 1), pa.string())
    return Pool(_name(pool.name, gate.old, gate.new), part.table.append_column(GATE_COLUMN, told))


def gate_of(pool: Pool) -> VersionGate | None:
    """Return the gate whose list a pool is; None if it is none.

    The items that are not listed have no id here: they count, but nobody grades them.
    """
    told = _told(pool)
    if told is None:
        return None
    listed, count = pool.n_items, sum(told["sizes"])
    stratum = list[int](told["stratum"])
    old = [np.nan if loss is None else float(loss) for loss in told["old_loss"]]
    new = [np.nan] * listed
    for number, (name, size, gaps) in enumerate(zip(told["names"], told["sizes"], told["known"], strict=True)):
        left = size - told["stratum"].count(number)
        usual = np.nan if name == OLD_UNKNOWN else float(name != OLD_RIGHT)
        stratum += [number] * left
        old += [usual] * left
        # Of the known ones the differences count alone.
        new += [usual + gap for gap in gaps] + [np.nan] * (left - len(gaps))
    ids = np.array([*pool.ids, *[""] * (told["n_items"] - listed)], dtype=object)
    # Lists of earlier versions say how it is among the items whose answers differ.
    share = np.mean([not np.isnan(loss) for loss in old])
    return VersionGate(
        **{name: told[name] for name in _ASKED},
        pool_ids=ids,
        unequal=np.arange(count),
        stratum=np.array(stratum, dtype=np.int64),
        names=tuple(told["names"]),
        old_loss=np.array(old),
        known_loss=np.array(new),
        order=np.arange(listed),
        old_graded=told.get("old_graded", round(float(share) * told["n_items"])),
        absent=(*told.get("absent", (0, 0)), 0)[:3],
        banked=told.get("banked", False),
    )


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
    own = _told(pool)
    if own is not None:
        return _labelled(archive, pool)
    kept = archive.pools.table()
    found = list[tuple[str, BegunGate]]()
    # Lists of earlier versions do not say what they are.
    names = (_name(pool.name, old, new), f"{pool.name}: {old} → {new}")
    for digest in kept.loc[kept["name"].isin(names), "digest"]:
        try:
            listed = archive.pools.load(str(digest))
            told = _told(listed)
            labelled = _labelled(archive, listed)
        except NeymanError:
            # A damaged pool or plan is named where it is opened.
            continue
        if told is not None and told["pool"] == pool.digest and labelled is not None:
            found.append((_newest(archive, labelled.plan_id), labelled))
    return max(found, key=lambda pair: pair[0])[1] if found else None


def pool_of(pool: Pool) -> str | None:
    """Digest of the pool that the gate of a list was planned on; None if the pool is no list of a gate."""
    told = _told(pool)
    return None if told is None else str(told["pool"])


def _labelled(archive: Archive, pool: Pool) -> BegunGate | None:
    gate, plans = gate_of(pool), kept_plans(archive, pool)
    if gate is None or not plans:
        return None
    plan = kept_plan(archive, plans[0].plan_id, pool)
    labels = Labelling.load(archive, plan, pool)
    losses = dict[object, float]()
    for reading in readings(labels.log):
        for version in (gate.old, gate.new) if reading.kind == "gold" else (reading.target or gate.new,):
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


def _by_stratum(gate: VersionGate, known: NDArray[np.bool_]) -> list[list[float]]:
    """Differences of the known items in each stratum."""
    gaps = gate.known_loss - gate.old_loss
    return [gaps[known & (gate.stratum == number)].tolist() for number in range(len(gate.names))]


def _told(pool: Pool) -> dict[str, Any] | None:
    if GATE_COLUMN not in pool.source.column_names or not pool.n_items:
        return None
    try:
        told: dict[str, Any] = json.loads(pool.source.column(GATE_COLUMN)[0].as_py())
    except (TypeError, ValueError):
        # A column of that name that somebody's file has.
        return None
    return told if isinstance(told, dict) and _holds(told, pool.n_items) else None


def _holds(told: dict[str, Any], listed: int) -> bool:
    """Whether a document is that of a gate with so many items listed; a file may hold anything."""
    if not set(_FIELDS) <= set(told):
        return False
    numbers = [told["margin"], told["confidence"], told["power"]]
    lists = [told[name] for name in ("names", "sizes", "known", "stratum", "old_loss")]
    absent = told.get("absent", [0, 0])
    if not isinstance(absent, list) or len(absent) not in (2, 3) or not isinstance(told.get("banked", False), bool):
        return False
    if not all(isinstance(one, list) for one in lists) or not all(isinstance(x, float) and 0 < x < 1 for x in numbers):
        return False
    names, sizes, known, stratum, old = lists
    if not all(isinstance(gaps, list) for gaps in known) or not all(isinstance(name, str) for name in names):
        return False
    counts = (told["seed"], told["n_items"], told.get("old_graded", 0), *sizes, *stratum, *absent)
    return (
        all(isinstance(told[name], str) for name in ("pool", "old", "new"))
        and told["looks"] in LOOKS
        and all(type(x) is int for x in counts)
        and all(0 <= count <= _MOST_ITEMS for count in absent)
        and 0 <= told.get("old_graded", 0) <= told["n_items"]
        and len(names) == len(sizes) == len(known)
        and set(names) <= set(STRATA)
        and len(stratum) == len(old) == listed
        and all(0 <= x < len(sizes) for x in stratum)
        and all(stratum.count(x) + len(gaps) <= size for x, (size, gaps) in enumerate(zip(sizes, known, strict=True)))
        and sum(sizes) <= told["n_items"] <= _MOST_ITEMS
        and all(loss is None or (isinstance(loss, float) and 0 <= loss <= 1) for loss in old)
        and all(isinstance(gap, float) and -1 <= gap <= 1 for gaps in known for gap in gaps)
    )


def _name(pool: str, old: str, new: str) -> str:
    return f"{pool}: list of the gate {old} → {new}"
