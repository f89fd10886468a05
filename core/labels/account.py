"""The account of the rows that came back: each row counted once, so that the parts add up to the whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import asdict, astuple, dataclass, field, replace
from typing import Any

from ..words import counted

# Oddities of rows that are about something else; rows with another oddity have a label that cannot be read.
_FOREIGN = frozenset({"another plan", "another target", "foreign id"})
_EMPTY = frozenset({"", "cancelled"})
# Of a row that says that there is no verdict.
NO_VERDICT = "no verdict"


@dataclass(frozen=True, slots=True)
class Account:
    """The rows of a file, or those that are kept, by what became of them.

    Parameters
    ----------
    used : int
        Rows that give an item its label.
    ties : int
        Rows about items whose annotators disagree and that wait for a decision.
    repeated : int
        Further rows about an item that has its label, by the same person or by others.
    unread : int
        Rows whose label cannot be read or compared.
    foreign : int
        Rows about another list, item, target or kind of label.
    empty : int
        Rows without a label.
    without_verdict : int
        Rows that say that there is no verdict.
    """

    used: int = 0
    ties: int = 0
    repeated: int = 0
    unread: int = 0
    foreign: int = 0
    empty: int = 0
    without_verdict: int = 0

    @property
    def facts(self) -> dict[str, int]:
        """The parts by name; the last one, which earlier versions do not know, only if it has rows."""
        return {name: count for name, count in asdict(self).items() if count or name != "without_verdict"}

    @property
    def rows(self) -> int:
        """All rows."""
        return sum(asdict(self).values())

    @property
    def sentence(self) -> str:
        """The account in a line; empty if every row is a label that is used."""
        if self.rows == self.used:
            return ""
        parts = [f"{counted(self.used, 'label')} used"]
        parts += [counted(self.ties, "tie")] if self.ties else []
        others = {
            "repeated": self.repeated,
            "unread": self.unread,
            "of another list, item, target or kind": self.foreign,
            "without a label": self.empty,
            "without a verdict": self.without_verdict,
        }
        parts += [f"{count:,} {what}" for what, count in others.items() if count]
        return f"{counted(self.rows, 'row')} = {' + '.join(parts)}."

    def __add__(self, other: Account) -> Account:
        """The account of the rows of both."""
        return Account(*(one + more for one, more in zip(astuple(self), astuple(other), strict=True)))

    def with_foreign(self, rows: int) -> Account:
        """The account of so many more rows, which are about something else."""
        return replace(self, foreign=self.foreign + rows)

    def without_values(self, labels: int) -> Account:
        """The account if so many of the labels used cannot be compared."""
        return replace(self, used=self.used - labels, unread=self.unread + labels)


@dataclass(frozen=True, slots=True)
class Remainder:
    """The rest of a file that is not kept with its labels, for one way to read it.

    Parameters
    ----------
    name : str
        The file.
    kind : str
        What its labels say, of `core.labels.KINDS`.
    target : str
        The target that they judge; "" for none.
    rows : Account
        What became of the rows that are not kept.
    notes : tuple of str
        What a person should check of the file.
    items : tuple of (str, str)
        The item of each of those rows, as far as it is known, with the part of the account to which it belongs.
    created : str
        ISO time; "" if it is not kept.
    """

    name: str
    kind: str
    target: str
    rows: Account = field(default_factory=Account)
    notes: tuple[str, ...] = ()
    items: tuple[tuple[str, str], ...] = ()
    created: str = ""

    @property
    def facts(self) -> dict[str, Any]:
        """All of it as plain values."""
        return asdict(self) | {"rows": self.rows.facts}

    def without(self, replaced: Collection[str]) -> Account:
        """The account of its rows but those of items that a later file replaces."""
        gone = Counter(fate for item, fate in self.items if item in replaced)
        return replace(self.rows, **{fate: getattr(self.rows, fate) - count for fate, count in gone.items()})


def account(rows: Iterable[tuple[str, str | None]], settled: Iterable[str]) -> Account:
    """Count rows by what became of them, with parameters as in `fates`."""
    return Account(**Counter(fates(rows, settled)))


def fates(rows: Iterable[tuple[str, str | None]], settled: Iterable[str]) -> list[str]:
    """Name the part of the account to which each row belongs.

    Parameters
    ----------
    rows : iterable of (str, str or None)
        What is odd about each row, "" for nothing, and the item to which it gives a label, None if it gives none.
    settled : iterable of str
        Items that have a label.
    """
    named: list[str] = []
    waiting, used = set(settled), set[str]()
    for what, item in rows:
        if item is not None and item not in waiting:
            fate = "ties"
        elif item is not None:
            fate = "repeated" if item in used or what else "used"
            used |= {item} if fate == "used" else set()
        elif what in _FOREIGN:
            fate = "foreign"
        elif what == NO_VERDICT:
            fate = "without_verdict"
        else:
            fate = "empty" if what in _EMPTY else "unread"
        named.append(fate)
    return named
