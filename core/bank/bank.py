"""Verdicts that are known already: what an answer to an item was graded, once, whoever gave the answer.

A row of the bank is a verdict on an answer (docs/versions.md). It knows a target's item if the target gave the same
answer to the same item, graded in the same way, and every such row has the same verdict: rows that disagree veto each
other, and the item stays open. A verdict on the target itself is a label, not a carried verdict.

=========  ==========================================================================================
item       digest of prompt, choices and images (`core.pool.digest.item_digests`)
answer     the answer as it was parsed; rows without an answer are not kept, since none equals another
parser     answer kind and version of its rule: under another one rows match by ``text`` alone
text       digest of the raw output; "" if only the parsed answer is known
grading    id of its kind of verdict, its rubric and its right answer
loss       the verdict, in [0, 1]
model      who gave the answer
source     where the verdict comes from
date       ISO date of the verdict; "" if it is not known
is_key     whether ``answer`` is the right answer itself, which knows every answer to an item with options
=========  ==========================================================================================
"""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from ..archive.verdict_store import no_bank, read_bank_file
from ..errors import BankError
from ..estimation.carried import Audit
from ..pool.pool import Pool
from ..pool.problems import shown
from ..pool.target_sets import with_answers
from ..words import counted, listed
from .verdict_rows import COLUMNS, Known, are_among, of_rows, of_study, of_target, wanted

_AUDIT_COLUMNS = dict.fromkeys(("items", "plan_id", "item", "target"), "str")
_AUDIT_COLUMNS |= dict.fromkeys(("carried", "loss"), "float64")
_ESTIMATE_COLUMNS = dict.fromkeys(("items", "plan_id", "target", "date"), "str") | {"value": "float64"}
_ESTIMATE_COLUMNS |= {"limits": "object"} | dict.fromkeys(("labels", "carried", "audited"), "int64")
_PARTS = {"rows": COLUMNS, "audits": _AUDIT_COLUMNS, "estimates": _ESTIMATE_COLUMNS}
# Levels of intervals that hold for 1, 2, … 40 versions at once (Bonferroni).
LEVELS = tuple(1 - 0.05 / count for count in range(1, 41))
# One verdict, one audit of a carried verdict, one labelled list: a later row with these replaces an earlier one.
_IDENTITY = {
    "rows": ["item", "answer", "parser", "grading", "model", "source", "is_key"],
    "audits": ["items", "plan_id", "item"],
    "estimates": ["items", "plan_id", "target"],
}
# What a file holds beside the verdicts.
_BESIDE = ("audits", "estimates")


@dataclass(frozen=True, eq=False, repr=False)
class Bank:
    """Verdicts that are known already.

    Parameters
    ----------
    rows : DataFrame
        With the columns above.
    audits : DataFrame
        A row for each carried verdict that a list has checked: items (the digest of the pool's items), plan_id, item,
        target, carried, loss.
    estimates : DataFrame
        A row for each labelled list: items, plan_id, target, date, value (accuracy), limits (a list: the lower ones at
        each of `LEVELS`, then the upper ones), labels, carried, audited.

    Raises
    ------
    BankError
        A column is missing, or a loss lies outside [0, 1].
    """

    rows: pd.DataFrame
    audits: pd.DataFrame = field(default_factory=lambda: _latest("audits", []))
    estimates: pd.DataFrame = field(default_factory=lambda: _latest("estimates", []))

    def __post_init__(self) -> None:
        lacking = [name for part, names in _PARTS.items() for name in names if name not in getattr(self, part).columns]
        if lacking:
            raise BankError(
                f"A bank of verdicts needs the columns {', '.join(COLUMNS)}. Missing: {', '.join(lacking)}."
            )
        losses = self.rows["loss"].to_numpy(dtype=np.float64)
        outside = np.flatnonzero(~((losses >= 0) & (losses <= 1)))
        if outside.size:
            raise BankError(
                f"{counted(outside.size, 'verdict')} outside 0 to 1 (row {outside[0] + 1}: {losses[outside[0]]:g}). "
                "Give losses: 0 for right, 1 for wrong, or a share between them."
            )

    @classmethod
    def of(cls, *sources: Pool | Bank | Any, rubric: str = "", date: str = "") -> Bank:
        """Collect the verdicts of pools, of labelled lists, and of other banks.

        Parameters
        ----------
        *sources : Pool, Study or Bank
            Of a pool, every target's answer whose outcome is known; of a study, every answer of its target that was
            graded, and every right answer that was given.
        rubric : str
            What graders went by, in words: verdicts by another rubric are other verdicts.
        date : str
            ISO date of the verdicts, if the source does not say it.

        Raises
        ------
        BankError
            A source is none of these.
        """
        found = [_frames_of(source, rubric, date) for source in sources]
        return cls(**{part: _latest(part, [frame for one in found for frame in one.get(part, [])]) for part in _PARTS})

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        items, models = self.rows["item"].nunique(), self.rows["model"].nunique()
        what = [counted(len(self), "verdict"), counted(items, "item"), counted(models, "model")]
        return f"Bank: {what[0]} on {what[1]}, {what[2]}"

    def __or__(self, other: Bank) -> Bank:
        """Both banks; if they say something of the same verdict, the other one counts."""
        return Bank.of(self, other)

    def without(self, rows: NDArray[np.bool_] | pd.Series | Bank) -> Bank:
        """The bank without some of its rows.

        Parameters
        ----------
        rows : (R,) bool or Bank
            Which ones go: those of another bank, whatever verdict they have there.
        """
        if isinstance(rows, Bank):
            gone, own = (pd.MultiIndex.from_frame(one.rows[_IDENTITY["rows"]]) for one in (rows, self))
            rows = np.asarray(own.isin(gone), dtype=bool)
        return replace(self, rows=self.rows[~np.asarray(rows)].reset_index(drop=True))

    def corrected(self, rows: NDArray[np.bool_] | pd.Series, loss: float, date: str = "") -> Bank:
        """The bank with another verdict in some of its rows, for instance after an audit.

        Parameters
        ----------
        rows : (R,) bool
            Which ones.
        loss : float
            In [0, 1].
        date : str
            Of the correction.
        """
        chosen = np.asarray(rows)
        changed = self.rows.assign(
            loss=np.where(chosen, loss, self.rows["loss"]), date=np.where(chosen, date, self.rows["date"].astype(str))
        )
        return replace(self, rows=changed)

    def lookup(self, pool: Pool, target: str, parser: str | None = None, rubric: str = "") -> Known:
        """Find which of a target's items are known, which are vetoed, and where each verdict comes from.

        Parameters
        ----------
        pool : Pool
            With the target's answers.
        target : str
            One of its targets. Verdicts on its own answers do not count.
        parser : str, optional
            Answer kind of all items; by default each item's own.
        rubric : str
            What graders went by, in words: verdicts by another rubric are other verdicts.

        Raises
        ------
        PoolError
            The pool has no such target.
        """
        others = self.rows[(self.rows["model"] != target).to_numpy()]
        return of_rows(others, wanted(pool, target, parser, rubric), pool.ids, target)

    def own(self, pool: Pool, target: str, parser: str | None = None) -> Known:
        """Find which of a target's own answers were graded: labels, not carried verdicts.

        Parameters and errors as in `lookup`.
        """
        rows = self.rows[(self.rows["model"] == target).to_numpy()]
        return of_rows(rows, wanted(pool, target, parser), pool.ids, target)

    def log(self, pool: Pool, without: str = "") -> Audit | None:
        """Return what earlier lists of a pool's items found wrong among carried verdicts; None if none was audited.

        Parameters
        ----------
        pool : Pool
            The pool.
        without : str
            A plan that does not count: the one that is being estimated.
        """
        of_pool, others = self.audits["items"] == pool.items_digest, self.audits["plan_id"] != without
        rows = self.audits[(of_pool & others).to_numpy()]
        return Audit.of(rows["loss"], rows["carried"]) if len(rows) else None

    def known(self, pool: Pool, target: str, parser: str | None = None) -> pd.DataFrame:
        """List the items of a target whose verdict is known: item_id, loss, source.

        Parameters and errors as in `lookup`.
        """
        return self.lookup(pool, target, parser).frame()

    def write(self, path: str | Path) -> None:
        """Write the bank as Parquet, or its verdicts alone as CSV if the name ends in .csv."""
        if str(path).endswith(".csv"):
            self.rows.to_csv(path, index=False)
        else:
            Path(path).write_bytes(self.to_bytes())

    def to_bytes(self) -> bytes:
        """The bank as Parquet, with its audits and estimates beside the verdicts."""
        beside = {name: json.dumps(getattr(self, name).to_dict("records")) for name in _BESIDE}
        table = pa.Table.from_pandas(self.rows, preserve_index=False).replace_schema_metadata(beside)
        stream = io.BytesIO()
        pq.write_table(table, stream, compression="zstd")
        return stream.getvalue()

    @classmethod
    def read(cls, path_or_bytes: str | Path | bytes) -> Self:
        """Read a bank that `write` wrote.

        Raises
        ------
        BankError
            The file cannot be read, or is no bank.
        """
        content = path_or_bytes if isinstance(path_or_bytes, bytes) else Path(path_or_bytes).read_bytes()
        try:
            return cls.of_table(*read_bank_file(content))
        except (ValueError, pa.ArrowException) as error:
            raise no_bank(error) from error

    @classmethod
    def of_table(cls, table: pa.Table, beside: Mapping[str, str]) -> Self:
        """Make a bank of what its file holds; parameters as `core.archive.verdict_store.read_bank_file` returns them.

        Raises
        ------
        BankError
            It is no bank.
        """
        lacking = [name for name in COLUMNS if name not in table.column_names]
        if lacking:
            has = f"the column {lacking[0]} is" if len(lacking) == 1 else f"the columns {listed(lacking)} are"
            raise no_bank(ValueError(f"{has} missing"))
        try:
            rows = table.select(list(COLUMNS)).to_pandas()
            _check_losses(rows)
            if rows.isna().any(axis=None):
                raise ValueError("a cell is empty")
            if rows["is_key"].dtype != bool:
                rows["is_key"] = _are_keys(rows["is_key"])
            said = {name: pd.DataFrame(json.loads(beside.get(name, "[]"))) for name in _BESIDE}
            kept = {"rows": rows} | {name: frame for name, frame in said.items() if len(frame)}
            _check_limits(said["estimates"])
            return cls(**{part: frame.astype(_PARTS[part])[list(_PARTS[part])] for part, frame in kept.items()})
        except (ValueError, KeyError, TypeError, AttributeError, pa.ArrowException) as error:
            raise no_bank(error) from error


def _check_losses(rows: pd.DataFrame) -> None:
    """Check that each verdict is a number between 0 (right) and 1 (wrong), and name every row that is not.

    Raises
    ------
    BankError
        Losses are something else; rows are numbered from 1, without the header.
    """
    losses = pd.to_numeric(rows["loss"], errors="coerce")
    bad = np.flatnonzero(~losses.between(0, 1).to_numpy())
    if bad.size:
        given = rows["loss"].tolist()
        cells = listed([f"row {place + 1:,} ({shown(str(given[place]), 30)})" for place in bad.tolist()])
        raise BankError(
            f"{counted(bad.size, 'verdict')} of this bank cannot be read: {cells}. Write each loss as a number from 0 "
            "(right) to 1 (wrong), and leave out the rows without a verdict."
        )


def _are_keys(texts: pd.Series) -> pd.Series:
    """Return whether each cell says true.

    Raises
    ------
    BankError
        Cells say neither true nor false; rows are numbered from 1, without the header.
    """
    said = texts.astype(str).str.strip().str.lower()
    bad = np.flatnonzero(~said.isin(["true", "false"]).to_numpy())
    if bad.size:
        cells = listed([f"row {place + 1:,} ({shown(str(texts.iloc[place]), 30)})" for place in bad.tolist()])
        raise BankError(
            f"{counted(bad.size, 'cell')} in the column is_key of this bank cannot be read: {cells}. Write true if the "
            "answer is the right answer itself, and false if it is a model’s."
        )
    return said == "true"


def _check_limits(estimates: pd.DataFrame) -> None:
    """Check that estimates of a file have limits at each of `LEVELS`."""
    for limits in estimates["limits"] if len(estimates) else ():
        ends = np.array(limits, dtype=np.float64)
        if ends.shape != (2 * len(LEVELS),) or not ((ends >= 0) & (ends <= 1)).all():
            raise ValueError("limits of an estimate are missing")


def _audits_of(source: Any) -> pd.DataFrame:
    """The carried verdicts that a study's labels have checked."""
    carried = source.plan.design.carried
    if carried is None:
        return _latest("audits", [])
    values = source.outcomes.table
    places = values["position"].to_numpy(dtype=np.int64)
    checked = carried.known[places]
    rows = {
        "items": source.plan.items_digest,
        "plan_id": source.plan.plan_id,
        "item": values["item_id"].to_numpy(dtype=object)[checked],
        "target": source.target or "",
        "carried": carried.values[places[checked]],
        "loss": 1.0 - values["value"].to_numpy(dtype=np.float64)[checked],
    }
    return pd.DataFrame(rows).astype(_AUDIT_COLUMNS)


def _estimates_of(source: Any, date: str) -> pd.DataFrame:
    """The accuracy that a study's labels give, with limits at each level; nothing while a stratum waits."""
    if source.partial() is not None or source.outcomes.measure != "accuracy":
        return _latest("estimates", [])
    every = [source.estimate(level) for level in LEVELS]
    carried = source.outcomes.carried
    row = {
        "items": source.plan.items_digest,
        "plan_id": source.plan.plan_id,
        "target": source.target or "",
        "date": date,
        "value": every[0].value,
        "limits": [*(one.low for one in every), *(one.high for one in every)],
        "labels": every[0].n_labels,
        "carried": 0 if carried is None else carried.known,
        "audited": 0 if carried is None else carried.audit.n,
    }
    return pd.DataFrame([row])


def _frames_of(source: Any, rubric: str, date: str) -> dict[str, list[pd.DataFrame]]:
    """Frames of each part of a bank that a source has."""
    if isinstance(source, Bank):
        return {part: [getattr(source, part)] for part in _PARTS}
    if isinstance(source, Pool):
        losses = {name: source.losses(name) for name in source.targets}
        return {"rows": [of_target(source, name, losses[name], None, rubric, date, source.name) for name in losses]}
    if not hasattr(source, "labels") or not hasattr(source, "outcomes"):
        raise BankError(f"A bank takes pools, studies and banks. Found {source!r:.60}.")
    audits, estimates = _audits_of(source), _estimates_of(source, date)
    return {"rows": of_study(source, rubric, date), "audits": [audits], "estimates": [estimates]}


def _latest(part: str, frames: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Rows of all frames of a part; of those that say something of the same, the last one."""
    there = [frame for frame in frames if len(frame)]
    if not there:
        return pd.DataFrame({name: pd.Series(dtype=kind) for name, kind in _PARTS[part].items()})
    rows = pd.concat(there, ignore_index=True)
    return rows[~rows.duplicated(_IDENTITY[part], keep="last").to_numpy()].reset_index(drop=True)


def bank_versions(bank: Bank, pool: Pool) -> tuple[str, ...]:
    """List the models with graded answers to items of a pool that are none of its targets, most answers first.

    None if nothing but the numbers of their rows tells items apart: the answers may be those to another file.
    """
    if pool.known_by_rows:
        return ()
    there = are_among(bank.rows["item"], pool.item_digests) & ~bank.rows["is_key"].to_numpy()
    counts = bank.rows.loc[there, "model"].value_counts()
    return tuple(str(name) for name in counts.index if name and name not in pool.targets)


def with_version(pool: Pool, bank: Bank, model: str) -> Pool:
    """Add the answers of a model that a bank knows to a pool, as a target; its verdicts stay in the bank.

    Parameters
    ----------
    pool : Pool
        The pool.
    bank : Bank
        The bank.
    model : str
        One of `bank_versions`. An item to which the bank has two different answers of it has none here.

    Raises
    ------
    BankError
        The bank has no answer of this model to an item of the pool.
    """
    rows = bank.rows[((bank.rows["model"] == model) & ~bank.rows["is_key"]).to_numpy()]
    said = rows.groupby("item", sort=False)["answer"].agg(["first", "nunique"])
    only = said.loc[(said["nunique"] == 1).to_numpy(), "first"]
    places = only.index.get_indexer(pd.Index(pool.item_digests))
    if (places < 0).all():
        raise BankError(f"The bank has no answer of “{model}” to any of these items. Give the log of that version.")
    known = [*only.to_list(), None]
    answers = [known[place] for place in places.tolist()]
    return with_answers(pool, model, answers)
