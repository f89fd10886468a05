"""The list of a version gate: what graders see of the items whose answers differ, and the losses that they give."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import pandas as pd

from ..errors import LabelError
from ..labels import blanks, endings
from ..labels.cells import not_understood, off_scale, refusal, verdicts_or_scores
from ..labels.formats.label_file import LabelFile
from ..labels.formats.records import EMPTY, SKIPPED
from ..labels.kinds import KINDS, RIGHT, SCORE, WRONG
from ..labels.oddities import sentences
from ..labels.outcomes import losses, target_answers
from ..labels.rows import column
from ..labels.settlement import settle
from ..labels.shown_rows import check_shown, items_shown, shown_ways
from ..labels.targets import ANSWERS_OF, assign_targets, target_code
from ..labels.vocabulary import only_verdict, statement, translated, unused, words_of, written
from ..pool.pool import Pool
from ..words import counted
from .version_gate import VersionGate

_ODD = ["what", "row", "item_id", "annotator", "label", "status"]
_SHOWN = ("group", "prompt", "choices", "image")


def request(gate: VersionGate, pool: Pool) -> pd.DataFrame:
    """Return what is to be graded, in labelling order; a version is a code, so that its name sways nobody.

    Parameters
    ----------
    gate : VersionGate
        The gate.
    pool : Pool
        Its pool.

    Returns
    -------
    DataFrame
        A row each grading: position (from 1), item_id, answers_of, those of group, prompt, choices, image that the pool
        has, and target_answer.
    """
    asked = gate.gradings
    answers = {
        name: target_answers(pool, name, asked.loc[asked["target"] == name, "item_id"].tolist())
        for name in (gate.old, gate.new)
    }
    chosen = pool.rows(pool.places(asked["item_id"]))
    frame = pd.DataFrame({"position": range(1, len(asked) + 1), "item_id": asked["item_id"].to_numpy()})
    frame[ANSWERS_OF] = [target_code(name) for name in asked["target"]]
    frame = frame.assign(**{name: chosen[name].array for name in _SHOWN if name in chosen.columns})
    said = [answers[name].get(item) for item, name in zip(asked["item_id"], asked["target"], strict=True)]
    return frame.assign(target_answer=pd.Series(said, dtype=object))


@dataclass(frozen=True, slots=True)
class Gradings:
    """Verdicts of a filled list on both versions.

    Parameters
    ----------
    losses : dict
        Loss by item id and version; items on which graders disagree are left out.
    without_verdict : frozenset
        Items and versions of which graders gave no verdict.
    remarks : tuple of str
        How labels were read, which rows do not count, and where graders disagree, in sentences.
    """

    losses: dict[tuple[str, str], float]
    without_verdict: frozenset[tuple[str, str]]
    remarks: tuple[str, ...] = ()


def graded(
    gate: VersionGate, file: LabelFile, words: Mapping[str, str] = MappingProxyType({}), kind: str | None = None
) -> Gradings:
    """Read the gradings of a filled list.

    Parameters
    ----------
    gate : VersionGate
        The gate.
    file : LabelFile
        Labels "right" or "wrong", or scores from 0 to 1, as `core.labels.read` gives them.
    words : mapping, optional
        What other words mean: "right", "wrong" or "skip" (no verdict).
    kind : str, optional
        "right-wrong" or "score"; by default scores if most labels are fractions.

    Raises
    ------
    LabelError
        The kind is that of right answers, labels are not understood (all of them are named) or name no version although
        both are graded, or no row of the file grades an item of the list.
    """
    if kind is not None and not KINDS[kind].judges:
        raise LabelError(
            f"The list of a gate asks how good answers are, so its labels are not of the kind “{kind}”. "
            'Say kind="right-wrong" or kind="score", --kind right-wrong or --kind score.'
        )
    ids, found = gate.pool_ids[gate.unequal].tolist(), dict[tuple[str, str], float]()
    _check_versions(gate, file.rows[file.rows["item_id"].isin(ids)])
    rows = assign_targets(file.rows, (gate.old, gate.new), gate.new)
    of_gate = rows["target"].isin([gate.old, gate.new]).to_numpy()
    others = rows[~of_gate & rows["label"].notna().to_numpy()].assign(what="another target")
    odd = [others.reindex(columns=_ODD).fillna({"annotator": ""})]
    rows = rows[of_gate]
    on_list = rows["item_id"].isin(ids)
    if on_list.any():
        # A total below the list is about no version.
        beside = rows[~on_list & rows["label"].notna()].assign(what="foreign id")
        odd.append(beside.reindex(columns=_ODD).fillna({"annotator": ""}))
        rows = rows[on_list]
    without_use = unused(rows, words)
    kind = kind or verdicts_or_scores(translated(rows, words)["label"].dropna())
    rows = translated(rows, words, kind)
    bad, skipped = list[pd.DataFrame](), set[tuple[str, str]]()
    for name in (gate.old, gate.new):
        of_version = rows[(rows["target"] == name).to_numpy()]
        if not len(of_version):
            continue
        settled = settle(of_version, ids, "", kind)
        bad.append(not_understood(of_version, settled.odd, kind, ids))
        odd.append(settled.odd[(settled.odd["what"] != "duplicate").to_numpy()])
        table = losses(settled)
        table = table[table["loss"].notna().to_numpy()]
        found |= {(item, name): float(loss) for item, loss in zip(table["item_id"], table["loss"], strict=True)}
        none = of_version.loc[(of_version["status"] == SKIPPED).to_numpy(), "item_id"]
        skipped |= {(item, name) for item in none if item in set(ids)}
    strange = pd.concat(bad, ignore_index=True) if bad else pd.DataFrame()
    if len(strange):
        scale = off_scale(rows)
        raise refusal(strange, kind, scale, kinds=scale is None)
    remarks = sentences(pd.concat([one for one in odd if len(one)], ignore_index=True)) if any(map(len, odd)) else ()
    if any((one["what"] == "conflict").any() for one in odd):
        remarks = (
            *remarks,
            "To decide a tie, keep the label that counts in one row of the item, and empty the others.",
        )
    if not found and not skipped and gate.order.size:
        nothing = "No row of this file grades an item of the list. Fill the column label with right or wrong."
        raise LabelError(" ".join([nothing, *remarks]))
    alike = "" if kind == SCORE.name else blanks.remark(only_verdict(rows), _texts_of_blanks(rows, ids, found))
    of_kind = "The labels are read as scores from 0 to 1." if kind == SCORE.name else ""
    ending = "" if kind == SCORE.name else endings.remark(_in_order(gate, found))
    said = filter(None, (of_kind, statement(words_of(rows)), without_use, alike, ending))
    return Gradings(found, frozenset(skipped - found.keys()), (*said, *remarks))


def check_rows(gate: VersionGate, pool: Pool, file: LabelFile, parser: str | None = None) -> None:
    """Check that the rows of a filled list show the prompts of their items, and what the versions answer now.

    Parameters
    ----------
    gate : VersionGate
        The gate.
    pool : Pool
        Its pool.
    file : LabelFile
        As `core.labels.read` gives it.
    parser : str, optional
        Answer kind of all items; by default each item's own.

    Raises
    ------
    LabelError
        Rows contradict themselves, or judge other answers, as of an earlier run; they are named.
    """
    items = items_shown([file], pool)
    answers = {name: shown_ways(pool, name, items, (None, parser)) for name in (gate.old, gate.new)}
    check_shown([file], pool, answers, gate.new)


def _in_order(gate: VersionGate, found: Mapping[tuple[str, str], float]) -> list[str]:
    """Return the verdicts in the order of the list."""
    listed = zip(gate.gradings["item_id"], gate.gradings["target"], strict=True)
    return [WRONG if found[one] else RIGHT for one in listed if one in found]


def _texts_of_blanks(rows: pd.DataFrame, ids: Collection[str], found: Collection[tuple[str, str]]) -> list[str]:
    """Return what stands at the items of the list without a verdict that stand before the last label."""
    given = np.flatnonzero(rows["label"].notna())
    rows = rows.iloc[: int(given.max(initial=0))]
    columns = (column(rows, name) for name in ("item_id", "target", "label", "status", "note"))
    return [
        written(note) or ""
        for item, target, label, status, note in zip(*columns, strict=True)
        if item in ids and label is None and status in ("", EMPTY, SKIPPED) and (item, target) not in found
    ]


def _check_versions(gate: VersionGate, rows: pd.DataFrame) -> None:
    """Check that each label names the version that it grades, unless the list grades the new one alone."""
    codes = column(rows, ANSWERS_OF)
    given = zip(codes, column(rows, "label"), strict=True)
    nameless = sum(label is not None and not code for code, label in given)
    if nameless and (gate.gradings["target"] == gate.old).any():
        raise LabelError(
            f"{counted(nameless, 'label names', 'labels name')} no version: the column {ANSWERS_OF} of the list is "
            "missing or has no code there, and answers of both versions are graded. Copy the column from the list."
        )


def known_losses(pool: Pool, target: str, parser: str | None = None) -> dict[object, float]:
    """Losses of a target that its pool knows, by item.

    Parameters
    ----------
    pool : Pool
        The pool.
    target : str
        One of its targets.
    parser : str, optional
        Answer kind of all items; by default each item's own.
    """
    loss = pool.losses(target, parser)
    places = np.flatnonzero(~np.isnan(loss))
    ids = np.asarray(pool.ids, dtype=object)[places].tolist()
    return dict[object, float](zip(ids, loss[places].tolist(), strict=True))
