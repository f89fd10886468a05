"""The account of a file: what became of its records and fields, and the totals that its tool reports.

Every record (a line, a row, an element, a sample of a log) has one of five fates, and they add up:

==========  =======================================================================
items       it is the first about its item
further     it has an output of such an item: a further sample, or another model's
completing  it says more of what other records are about: the score of an output, a question, a message of a chat
repeated    it says what another record says already
left out    nothing is taken of it, for a stated reason
==========  =======================================================================

`core.pool.problems.RecordTally` counts while a file is read; `FileAccount.together` adds up several files.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import pandas as pd

from ..words import counted, listed, per_cent

# What a reader's mistake would leave over: that a record is missing is said, whatever the cause.
LOST = "records of which no reader says what became of them"
WITHOUT_OUTPUT = "records without an output"
FIRST_ROWS = 5


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Records that are left out for one reason.

    Parameters
    ----------
    reason : str
        Which they are, to follow their number: “requests with perturbations”.
    count : int
        How many, at least 1.
    rows : tuple of int
        Places of the first in the file, from 1; at most `FIRST_ROWS`, empty if unknown.
    file : str
        The file, if the account is of several.
    """

    reason: str
    count: int
    rows: tuple[int, ...] = ()
    file: str = ""

    @property
    def remark(self) -> str:
        """The note of a reader that says so."""
        return f"Left out: {self._counted}."

    @property
    def words(self) -> str:
        """Number, reason and first rows."""
        first = ", ".join(f"{row:,}" for row in self.rows) + (" …" if self.count > len(self.rows) else "")
        places = [f"{'row' if self.count == 1 else 'rows'} {first}"] if self.rows else []
        places += [f"in {self.file}"] if self.file else []
        return self._counted + (f" ({' '.join(places)})" if places else "")

    @property
    def _counted(self) -> str:
        noun, space, rest = self.reason.partition(" ")
        return f"{self.count:,} {noun.removesuffix('s') if self.count == 1 else noun}{space}{rest}"


@dataclass(frozen=True, slots=True)
class Filled:
    """The share of the pool that a field of the file filled.

    Parameters
    ----------
    field : str
        Native column (“answer”), ``loss``, a target's outcome (“gpt-4 · loss”) or a column that is kept.
    path : str
        The field, column or path of the file; "" if its format has no name for it.
    count : int
        Items with a value, for outputs and scores how many there are.
    what : str
        ``"right answer"``, ``"output"``, ``"score"``, or "" for anything else.
    """

    field: str
    path: str
    count: int
    what: str = ""


def summed(parts: Iterable[Filled]) -> tuple[Filled, ...]:
    """Add up what the same fields of several files filled."""
    counts: dict[tuple[str, str, str], int] = {}
    for one in parts:
        key = (one.field, one.path, one.what)
        counts[key] = counts.get(key, 0) + one.count
    return tuple(Filled(field, path, count, what) for (field, path, what), count in counts.items())


_DIGITS = 4


@dataclass(frozen=True, slots=True)
class ToolTotal:
    """A total that a tool reports of a model, and what Neyman has for it.

    Parameters
    ----------
    model : str
        The model.
    metric : str
        What the tool calls it, such as “accuracy of match”.
    reported : float, optional
        The tool's total, in [0, 1]; None if no file reports one.
    own : float, optional
        The mean of the same scores as Neyman read them; None if no file has them.
    task : str
        What the model was asked, if the tool has several tasks.
    digits : int, default 4
        Decimal digits to which the tool rounds.
    """

    model: str
    metric: str
    reported: float | None = None
    own: float | None = None
    task: str = ""
    digits: int = _DIGITS

    @property
    def is_compared(self) -> bool:
        """Whether both are known."""
        return self.reported is not None and self.own is not None

    @property
    def agrees(self) -> bool:
        """Whether the two differ by no more than the tool's rounding; also if one of them is not known."""
        if self.reported is None or self.own is None:
            return True
        return abs(self.reported - self.own) <= 0.5 * 10.0**-self.digits + 1e-9

    @property
    def words(self) -> str:
        """Both as a sentence; empty if one is not known."""
        if self.reported is None or self.own is None:
            return ""
        digits = 1 if abs(self.reported - self.own) >= 0.001 else 3
        reported, own = per_cent(self.reported, digits), per_cent(self.own, digits)
        task = f" on {self.task}" if self.task else ""
        return f"The tool reports {self.metric} {reported} for {self.model}{task}, and the records read have {own}."

    @property
    def _subject(self) -> tuple[str, str]:
        return self.task, self.metric


def matched(totals: Iterable[ToolTotal]) -> tuple[ToolTotal, ...]:
    """Put what one file reports beside what another one has.

    They belong together if task and metric are the same, and the model too, or if only one model has the two.

    Parameters
    ----------
    totals : iterable of ToolTotal
        Those of several files.

    Returns
    -------
    tuple of ToolTotal
        Those that belong together as one; the others as they are.
    """
    known = list(totals)
    for total in [one for one in known if one.own is None]:
        subject = total._subject
        alike = [one for one in known if one.reported is None and one._subject == subject]
        named = [one for one in alike if one.model == total.model]
        rivals = [one for one in known if one.own is None and one._subject == subject]
        own = named or (alike if len(alike) == len(rivals) == 1 else [])
        if own:
            known[known.index(own[0])] = replace(own[0], reported=total.reported, digits=total.digits)
            known.remove(total)
    return tuple(known)


__all__ = ["FIRST_ROWS", "LOST", "WITHOUT_OUTPUT", "FileAccount", "Filled", "LeftOut", "beside", "summed"]

NOT_CHOSEN = "items of models that are not chosen"
_FIRST_NAMES, _FIRST_PATHS = 8, 4
# How the fields are counted in the sentence: what people call them, one and several.
_COUNTED = ("right answer", "output", "score")


@dataclass(frozen=True, slots=True)
class FileAccount:
    """The account of the records of a file, or of several.

    Parameters
    ----------
    seen : int
        Records in the file.
    items : int
        Of these, the first about each item of the pool.
    further : int
        Records with further outputs of such an item.
    repeated : int
        Records that say what another says already.
    left_out : tuple of LeftOut
        The rest, by their reasons.
    filled : tuple of Filled
        What each field filled.
    totals : tuple of ToolTotal
        Totals that the tool reports, beside Neyman's.
    skipped : tuple of str
        Names of files in a zip that hold no results.
    completing : int
        Records that say more of an item or an output that others are about, and have no output themselves.

    Raises
    ------
    ValueError
        A number is negative, or ``seen`` is not the sum of the others.
    """

    seen: int
    items: int
    further: int = 0
    repeated: int = 0
    left_out: tuple[LeftOut, ...] = ()
    filled: tuple[Filled, ...] = ()
    totals: tuple[ToolTotal, ...] = ()
    skipped: tuple[str, ...] = ()
    completing: int = 0

    def __post_init__(self) -> None:
        """Check the identity."""
        used = (self.items, self.further, self.completing, self.repeated)
        parts = (*used, *(one.count for one in self.left_out))
        if self.seen != sum(parts) or min(parts) < 0:
            numbers = " + ".join(map(str, (*used, self.n_left_out)))
            raise ValueError(f"The records do not add up: {self.seen} ≠ {numbers}.")

    @classmethod
    def together(cls, accounts: Sequence[FileAccount | None], items: int, repeated: int = 0) -> FileAccount | None:
        """Add up the accounts of several files; None if one has none.

        Parameters
        ----------
        accounts : sequence of FileAccount or None
            One for each file.
        items : int
            Number of items of the files together: what is the same item in several files counts once.
        repeated : int, default 0
            Records that say more of an item in their file, and nothing beside the others.
        """
        known = [one for one in accounts if one is not None]
        if not known or len(known) < len(accounts):
            return None
        used = sum(one.items + one.further for one in known)
        return cls(
            sum(one.seen for one in known),
            items,
            used - items - repeated,
            sum(one.repeated for one in known) + repeated,
            tuple(part for one in known for part in one.left_out),
            summed(part for one in known for part in one.filled),
            matched(part for one in known for part in one.totals),
            tuple(part for one in known for part in one.skipped),
            sum(one.completing for one in known),
        )

    def of_file(self, name: str) -> FileAccount:
        """The account with the file's name, as one of several."""
        return replace(self, left_out=tuple(replace(one, file=one.file or name) for one in self.left_out))

    def regrouped(self, items: int, left_out: Iterable[LeftOut] = ()) -> FileAccount:
        """The account if its records are about so many items, and some more are left out."""
        more = [one for one in left_out if one.count]
        used = self.items + self.further - sum(one.count for one in more)
        return replace(self, items=items, further=used - items, left_out=(*self.left_out, *more))

    def repeating(self) -> FileAccount:
        """The account if all that its records say is known from another file."""
        used = self.items + self.further + self.completing
        return replace(self, items=0, further=0, completing=0, repeated=self.repeated + used, filled=(), totals=())

    def with_completing(self, count: int) -> FileAccount:
        """The account if so many of the further records, as far as there are, complete others."""
        more = min(max(count, 0), self.further)
        return replace(self, further=self.further - more, completing=self.completing + more)

    def of_items(self, items: int) -> FileAccount:
        """The account of a pool with so many of the items, those of the models that were chosen."""
        left = LeftOut(NOT_CHOSEN, self.items - items)
        return replace(self, items=items, left_out=(*self.left_out, left)) if left.count else self

    def with_totals(self, totals: Iterable[ToolTotal]) -> FileAccount:
        """The account with further totals, of the tool or of its records."""
        return replace(self, totals=matched([*self.totals, *totals]))

    def with_filled(self, filled: Iterable[Filled]) -> FileAccount:
        """The account with other fields."""
        return replace(self, filled=tuple(filled))

    def with_more(self, field: str, count: int) -> FileAccount:
        """The account if a field filled so many more, which several files say together and none alone; or fewer."""
        place = max((place for place, one in enumerate(self.filled) if one.field == field), default=-1)
        if not count or place < 0 or self.filled[place].count + count < 0:
            return self
        changed = replace(self.filled[place], count=self.filled[place].count + count)
        return self.with_filled((*self.filled[:place], changed, *self.filled[place + 1 :]))

    @property
    def n_left_out(self) -> int:
        """Number of records that are left out."""
        return sum(one.count for one in self.left_out)

    @property
    def remarks(self) -> tuple[str, ...]:
        """Notes that say what a reader leaves out; of records without an output readers say more."""
        return tuple(one.remark for one in self.left_out if one.reason != WITHOUT_OUTPUT)

    @property
    def lines(self) -> tuple[str, ...]:
        """The account in sentences: what became of the records, what is left out if anything is, what is filled."""
        parts = [counted(self.items, "item")]
        parts += [counted(self.further, "further sample")] if self.further else []
        parts += [f"{self.completing:,} completing others"] if self.completing else []
        parts += [f"{self.repeated:,} repeated", f"{self.n_left_out:,} left out"]
        left = [f"Left out: {'; '.join(one.words for one in self.left_out)}."] if self.left_out else []
        left += [f"Skipped: {_few(self.skipped)}."] if self.skipped else []
        filled = f"In the file: {'; '.join(self._filled(what) for what in _COUNTED)}.{self._agreement}"
        return tuple(filter(None, (f"{counted(self.seen, 'record')}: {listed(parts)}.", " ".join(left), filled)))

    @property
    def differences(self) -> tuple[str, ...]:
        """A sentence for each total that is not Neyman's."""
        return tuple(one.words for one in self.totals if not one.agrees)

    @property
    def frame(self) -> pd.DataFrame:
        """The account as a table.

        Returns
        -------
        DataFrame
            kind (``"records"``, ``"left out"``, ``"filled"``, ``"skipped"``), name (the fate, the reason, the field or
            the file), path (of the field; of records the first rows), count. The records of the first two kinds add up
            to :attr:`seen`.
        """
        rows: list[tuple[str, str, str, int]] = [("records", "items", "", self.items)]
        rows += [("records", "further samples", "", self.further), ("records", "completing", "", self.completing)]
        rows += [("records", "repeated", "", self.repeated)]
        rows += [("left out", one.reason, ", ".join(map(str, one.rows)), one.count) for one in self.left_out]
        rows += [("filled", one.field, one.path, one.count) for one in self.filled]
        rows += [("skipped", name, "", 1) for name in self.skipped]
        return pd.DataFrame(rows, columns=["kind", "name", "path", "count"])

    def as_json(self) -> dict[str, Any]:
        """Write the account as what JSON can hold."""
        return asdict(self)

    @classmethod
    def of_json(cls, value: Mapping[str, Any] | None) -> FileAccount | None:
        """Make the account that :meth:`as_json` wrote, None of None."""
        if value is None:
            return None
        lists = {
            "left_out": tuple(LeftOut(**{**one, "rows": tuple(one["rows"])}) for one in value["left_out"]),
            "filled": tuple(Filled(**one) for one in value["filled"]),
            "totals": tuple(ToolTotal(**one) for one in value["totals"]),
            "skipped": tuple(value["skipped"]),
        }
        return cls(**{**value, **lists})

    @property
    def _agreement(self) -> str:
        """Say which totals of the tool are Neyman's too."""
        same = [one for one in self.totals if one.is_compared and one.agrees]
        if len(same) == 1:
            return f" The tool’s {same[0].metric}, {per_cent(same[0].reported or 0.0, 1)}, is the same."
        return f" {len(same)} totals of the tool are the same." if same else ""

    def _filled(self, what: str) -> str:
        """Count right answers, outputs or scores by their paths."""
        parts = [one for one in self.filled if one.what == what]
        counts: dict[str, int] = {}
        for one in parts:
            counts[one.path] = counts.get(one.path, 0) + one.count
        if not sum(counts.values()):
            return f"no {what}s" + (f" ({_few([*filter(None, counts)], _FIRST_PATHS)})" if any(counts) else "")
        if len(counts) > _FIRST_PATHS:
            return f"{counted(sum(counts.values()), what)} ({_few(list(counts), _FIRST_PATHS)})"
        return ", ".join(counted(count, what) + (f" ({path})" if path else "") for path, count in counts.items())


def beside(account: FileAccount | None, notes: Iterable[str]) -> tuple[str, ...]:
    """The notes that an account does not repeat."""
    said = account.remarks if account is not None else ()
    return tuple(note for note in notes if note not in said)


def _few(names: Sequence[str], most: int = _FIRST_NAMES) -> str:
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more:,} more" if more > 0 else "")
