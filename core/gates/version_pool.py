"""The list of a version gate as a separate pool: it is labelled like any pool, and carries the gate.

Graders see the items whose answers differ, and give losses. A list that has been handed out must not change when more
verdicts become known. So the pool of the list holds the gate as it was planned, in a column of its first item.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from ..errors import LabelError
from ..labels import blanks, double_meanings, endings, reversals
from ..labels.cells import not_understood, off_scale, refusal, to_repeat, verdicts_or_scores
from ..labels.formats.label_file import LabelFile
from ..labels.formats.list_reader import of_no_criterion
from ..labels.formats.records import EMPTY, SKIPPED
from ..labels.kinds import KINDS, RIGHT, SCORE, WRONG
from ..labels.models import left_out, of_models
from ..labels.oddities import DECIDE, sentences
from ..labels.options import AnswerWords
from ..labels.outcomes import losses, target_answers
from ..labels.rows import column
from ..labels.settlement import settle
from ..labels.shown_rows import check_shown, items_shown, shown_ways
from ..labels.targets import ANSWERS_OF, assign_targets, codes_of, target_code
from ..labels.vocabulary import only_verdict, statement, translated, unused, words_of, written
from ..pool.columns import GATE_COLUMN
from ..pool.pool import Pool
from ..words import counted
from .version_gate import VersionGate
from .version_list import LOOKS, OLD_RIGHT, OLD_UNKNOWN, STRATA

# A document that says more is no gate of ours.
_MOST_ITEMS = 10_000_000
_ASKED = ("old", "new", "margin", "confidence", "power", "looks", "seed")
_ODD = ["what", "row", "item_id", "annotator", "label", "status"]
_SHOWN = ("group", "prompt", "choices", "image")


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
    names, stratum = gate.names, gate.stratum
    known, gaps = ~np.isnan(gate.known_loss), gate.known_loss - gate.old_loss
    document = {
        "pool": origin or pool.digest,
        **{name: getattr(gate, name) for name in _ASKED},
        "n_items": gate.n_items,
        "old_graded": gate.old_graded,
        "absent": list(gate.absent),
        "banked": gate.banked,
        "partial": gate.partial,
        "names": list(names),
        "sizes": np.bincount(stratum, minlength=len(names)).tolist(),
        # Of the known items, the differences.
        "known": [gaps[known & (stratum == number)].tolist() for number in range(len(names))],
        "stratum": stratum[gate.order].tolist(),
        "old_loss": [None if np.isnan(loss) else loss for loss in gate.old_loss[gate.order].tolist()],
    }
    told = pa.array([json.dumps(document, ensure_ascii=False)] + [None] * (part.n_items - 1), pa.string())
    return Pool(list_name(pool.name, gate.old, gate.new), part.table.append_column(GATE_COLUMN, told))


def gate_of(pool: Pool) -> VersionGate | None:
    """Return the gate whose list a pool is; None if it is none.

    The items that are not listed have no id here: they count, but nobody grades them.
    """
    told = _told(pool)
    if told is None:
        return None
    listed, count = pool.n_items, sum(told["sizes"])
    old = [np.nan if loss is None else float(loss) for loss in told["old_loss"]]
    new = [np.nan] * listed
    for number, (name, size, gaps) in enumerate(zip(told["names"], told["sizes"], told["known"], strict=True)):
        left = size - told["stratum"].count(number)
        usual = np.nan if name == OLD_UNKNOWN else float(name != OLD_RIGHT)
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
        old_loss=np.array(old),
        known_loss=np.array(new),
        order=np.arange(listed),
        old_graded=told.get("old_graded", round(float(share) * told["n_items"])),
        absent=(*told.get("absent", (0, 0)), 0)[:3],
        banked=told.get("banked", False),
        partial=told.get("partial", True),
    )


def pool_of(pool: Pool) -> str | None:
    """Digest of the pool that the gate of a list was planned on; None if the pool is no list of a gate."""
    told = _told(pool)
    return None if told is None else str(told["pool"])


def _told(pool: Pool) -> dict[str, Any] | None:
    if GATE_COLUMN not in pool.source.column_names or not pool.n_items:
        return None
    try:
        told: dict[str, Any] = json.loads(pool.source.column(GATE_COLUMN)[0].as_py())
        return told if _holds(told, pool.n_items) else None
    except (AttributeError, KeyError, TypeError, ValueError):
        # A column of that name that somebody's file has.
        return None


def _holds(told: dict[str, Any], listed: int) -> bool:
    """Whether a document is that of a gate with so many items listed; a file may hold anything."""
    names, sizes, known, stratum, old = (told[name] for name in ("names", "sizes", "known", "stratum", "old_loss"))
    absent, graded = told.get("absent", [0, 0]), told.get("old_graded", 0)
    counts = (told["seed"], told["n_items"], graded, *sizes, *stratum, *absent)
    return (
        all(isinstance(told[name], str) for name in ("pool", "old", "new"))
        and all(isinstance(told[name], float) and 0 < told[name] < 1 for name in ("margin", "confidence", "power"))
        and told["looks"] in LOOKS
        and all(isinstance(told.get(name, False), bool) for name in ("banked", "partial"))
        and all(type(x) is int for x in counts)
        and len(absent) in (2, 3)
        and all(0 <= count <= _MOST_ITEMS for count in absent)
        and 0 <= graded <= told["n_items"]
        and len(names) == len(sizes) == len(known)
        and set(names) <= set(STRATA)
        and len(stratum) == len(old) == listed
        and all(0 <= x < len(sizes) for x in stratum)
        and all(stratum.count(x) + len(gaps) <= size for x, (size, gaps) in enumerate(zip(sizes, known, strict=True)))
        and sum(sizes) <= told["n_items"] <= _MOST_ITEMS
        and all(loss is None or (isinstance(loss, float) and 0 <= loss <= 1) for loss in old)
        and all(isinstance(gap, float) and -1 <= gap <= 1 for gaps in known for gap in gaps)
    )


def list_name(pool: str, old: str, new: str) -> str:
    """Name of the pool that is the list of a gate between two versions."""
    return f"{pool}: list of the gate {old} → {new}"


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


def check_asked(kind: str) -> None:
    """Check that labels of this kind answer what the list of a gate asks.

    Raises
    ------
    LabelError
        They do not judge answers, or grade them on a scale other than 0 to 1.
    """
    if KINDS[kind].scale is not None:
        raise LabelError(
            f"A gate decides by right or wrong, or by scores from 0 to 1, not by grades from {KINDS[kind].scale}. Say "
            "of each grade whether it is right or wrong, or write (grade − worst)/(best − worst) as a score."
        )
    if KINDS[kind].compares or not KINDS[kind].judges:
        raise LabelError(
            f"The list of a gate asks how good answers are, so its labels are not of the kind “{kind}”. "
            'Say kind="right-wrong" or kind="score", --kind right-wrong or --kind score.'
        )


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
    gate: VersionGate,
    pool: Pool,
    file: LabelFile,
    words: Mapping[str, str] = MappingProxyType({}),
    kind: str | None = None,
    parser: str | None = None,
) -> Gradings:
    """Read the gradings of a filled list.

    Parameters
    ----------
    gate : VersionGate
        The gate.
    pool : Pool
        Its pool.
    file : LabelFile
        Labels "right" or "wrong", or scores from 0 to 1, as `core.labels.read` gives them.
    words : mapping, optional
        What other words mean: "right", "wrong" or "skip" (no verdict).
    kind : str, optional
        "right-wrong" or "score"; by default scores if most labels are fractions.
    parser : str, optional
        Answer kind of all items; by default each item's own.

    Raises
    ------
    LabelError
        The kind is that of right answers, or labels are such (`core.labels.double_meanings`), are not understood (all
        of them are named) or name no version although both are graded, or no row grades an item of the list.
    """
    if kind is not None:
        check_asked(kind)
    if without_criteria := of_no_criterion(file, (gate.old, gate.new)):
        raise LabelError(without_criteria)
    ids, found = gate.pool_ids[gate.unequal].tolist(), dict[tuple[str, str], float]()
    file = of_versions(gate, pool, file)
    _check_versions(gate, file.rows[file.rows["item_id"].isin(ids)])
    rows = assign_targets(file.rows, (gate.old, gate.new), gate.new)
    of_gate = rows["target"].isin([gate.old, gate.new]).to_numpy()
    names = codes_of(pool.targets)
    others = rows[~of_gate & rows["label"].notna().to_numpy()].assign(what="another target")
    known = others["target"].isin(list(names))
    of_others = left_out(others.loc[known, "target"].map(names), f"“{gate.old}” and “{gate.new}”")
    others = others[~known]
    odd = [others.reindex(columns=_ODD).fillna({"annotator": ""})]
    rows = rows[of_gate]
    on_list = rows["item_id"].isin(ids)
    if on_list.any():
        # A total below the list is about no version.
        beside = rows[~on_list & rows["label"].notna()].assign(what="foreign id")
        odd.append(beside.reindex(columns=_ODD).fillna({"annotator": ""}))
        rows = rows[on_list]
    without_use = unused(rows, words)
    asks, kind = kind is None, kind or verdicts_or_scores(translated(rows, words)["label"].dropna())
    rows = translated(rows, words, kind)
    bad, skipped, is_answer = list[pd.DataFrame](), set[tuple[str, str]](), AnswerWords(pool, parser)
    for name in (gate.old, gate.new):
        of_version = rows[(rows["target"] == name).to_numpy()]
        if not len(of_version):
            continue
        settled = settle(of_version, ids, "", kind)
        answers_of = target_answers(pool, name, of_version["item_id"].unique().tolist(), parser)
        doubtful = double_meanings.doubtful(of_version, kind, is_answer, answers_of) if asks else ()
        bad.append(not_understood(of_version, settled.odd, kind, ids, doubtful=doubtful))
        odd.append(settled.odd[(settled.odd["what"] != "duplicate").to_numpy()])
        table = losses(settled)
        table = table[table["loss"].notna().to_numpy()]
        found |= {(item, name): float(loss) for item, loss in zip(table["item_id"], table["loss"], strict=True)}
        none = of_version.loc[(of_version["status"] == SKIPPED).to_numpy(), "item_id"]
        skipped |= {(item, name) for item in none if item in set(ids)}
    strange = pd.concat(bad, ignore_index=True) if bad else pd.DataFrame()
    if len(strange):
        scale = off_scale(rows)
        repeated = to_repeat(rows, strange, kind, scale)
        answers = double_meanings.answers_among(strange, is_answer) if scale is None else []
        first = double_meanings.are_answers(strange, answers, is_answer, kind, double_meanings.WRITE_VERDICTS)
        raise refusal(strange, kind, scale, scale is None, answers, repeated=repeated, first=first)
    remarks = sentences(pd.concat([one for one in odd if len(one)], ignore_index=True)) if any(map(len, odd)) else ()
    if any((one["what"] == "conflict").any() for one in odd):
        remarks = (*remarks, DECIDE)
    if not found and not skipped and gate.order.size:
        nothing = "No row of this file grades an item of the list. Fill the column label with right or wrong."
        raise LabelError(" ".join(filter(None, [nothing, of_others, *remarks])))
    alike = "" if kind == SCORE.name else blanks.remark(only_verdict(rows), _texts_of_blanks(rows, ids, found))
    of_kind = "The labels are read as scores from 0 to 1." if kind == SCORE.name else ""
    as_verdicts = _as_verdicts(gate, rows, kind, is_answer)
    listed = zip(gate.gradings["item_id"], gate.gradings["target"], strict=True)
    in_order = [WRONG if found[one] else RIGHT for one in listed if one in found]
    ending = "" if kind == SCORE.name else endings.remark(in_order)
    by_version = {(item, gate.old): loss for item, loss in known_losses(pool, gate.old, parser).items()} | found
    right = {item: [name for name in (gate.old, gate.new) if by_version.get((item, name)) == 0] for item, _ in found}
    both = reversals.both_right(right, pool, parser)
    said = filter(None, (of_others, both, of_kind, statement(words_of(rows)), without_use, as_verdicts, alike, ending))
    return Gradings(found, frozenset(skipped - found.keys()), (*said, *remarks))


def of_versions(gate: VersionGate, pool: Pool, file: LabelFile) -> LabelFile:
    """Return a filled list whose rows have the codes of the versions that a column of it names; as `of_models`."""
    one = "" if (gate.gradings["target"] == gate.old).any() else gate.new
    return of_models(file, (gate.old, gate.new, *pool.targets), one)


def _as_verdicts(gate: VersionGate, rows: pd.DataFrame, kind: str, is_answer: AnswerWords) -> str:
    """Return a sentence if labels may be right answers; raises LabelError if they are the same on both versions'."""
    pool, parser, remarks = is_answer.pool, is_answer.parser, list[str]()
    refusal = double_meanings.same_on_both(rows, is_answer)
    if refusal is not None:
        if refusal:
            raise LabelError(refusal)
        return ""
    for name in (gate.old, gate.new):
        of_version = rows[(rows["target"] == name).to_numpy()]
        answers = target_answers(pool, name, of_version["item_id"].unique().tolist(), parser)
        remarks.append(double_meanings.remark(of_version, kind, answers, is_answer, double_meanings.WRITE_VERDICTS))
    return next(filter(None, remarks), "")


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
    file, items = of_versions(gate, pool, file), items_shown([file], pool)
    answers = {name: shown_ways(pool, name, items, (None, parser)) for name in (gate.old, gate.new)}
    check_shown([file], pool, answers, gate.new)


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
