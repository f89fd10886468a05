"""The items behind the numbers of the report: each in full, the wrong ones first, and those of a stratum or a group."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import pandas as pd

from ..study.items import leading
from ..study.result import Result
from ..words import counted, shortened, significant, textless
from .blocks import Paragraph

# The element to which the headline leads.
ANCHOR = "items"
_MOST, _LONGEST, _NAMED = 1000, 4000, 60


@dataclass(frozen=True, slots=True)
class ItemInFull:
    """An item in full, as the template names it; "" and () for what it does not have."""

    anchor: str
    name: str
    verdict: str
    about: str
    prompt: str
    choices: tuple[str, ...]
    without: str
    said: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Listing:
    """Items in full, one after another."""

    kind: ClassVar[str] = "listing"
    items: tuple[ItemInFull, ...]


@dataclass(frozen=True, slots=True)
class Link:
    """Words that lead to an element; "" for none."""

    words: str
    anchor: str


@dataclass(frozen=True, slots=True)
class Behind:
    """The items of a stratum or a group, which lead to each in full."""

    kind: ClassVar[str] = "behind"
    title: str
    counts: str
    anchor: str
    links: tuple[Link, ...]


def examples(result: Result, items: pd.DataFrame) -> list[Paragraph | Listing]:
    """Write the items in full, of `core.study.judged_items`, as many as a file can hold."""
    cut = f" Here are the first {_MOST:,}." if len(items) > _MOST else ""
    start = Paragraph(f"The items behind the number, {order(result)}.{cut}", "soft", ANCHOR)
    rows = items.head(_MOST).to_dict("records")
    return [start, Listing(tuple(_item(result, place, row) for place, row in enumerate(rows)))]


def hint(result: Result, items: pd.DataFrame) -> str:
    """Say how many items there are, and which come first."""
    return f"{counted(len(items), 'item')}, {leading(items['value'], result.measure)}"


def order(result: Result) -> str:
    """In which order items stand."""
    return "wrong ones first" if result.measure == "accuracy" else "lowest scores first"


def behind(result: Result, items: pd.DataFrame, kind: str, names: Sequence[str]) -> Iterator[Behind]:
    """List the items of each stratum or group, with links to each in full.

    Parameters
    ----------
    result : Result
        What is reported.
    items : DataFrame
        Of `core.study.judged_items`.
    kind : str
        The column that tells them apart: "stratum" or "group".
    names : sequence of str
        Its values, in the order of the table above.
    """
    places = pd.Series(range(len(items)), index=items[kind].astype(str))
    for number, name in enumerate(names):
        chosen = [] if name not in places.index else places.loc[[name]].tolist()
        if not chosen:
            continue
        title = f"{kind.capitalize()} {name}" if kind == "stratum" else shortened(name, _NAMED)
        links = tuple(
            _link(place, str(items["item_id"].iloc[place]), _verdict(result, items["value"].iloc[place]))
            for place in chosen
        )
        yield Behind(title, _counts(result, items["value"].iloc[chosen]), anchor(kind, number), links)


def anchor(kind: str, number: int) -> str:
    """Id of the list of a stratum's or a group's items, by its place."""
    return f"{kind}-{number}"


def _item(result: Result, place: int, row: dict[Hashable, Any]) -> ItemInFull:
    about = [str(row["group"] or ""), f"stratum {row['stratum']}", "annotators disagree" if row["disputed"] else ""]
    prompt, choices = row["prompt"], row["choices"]
    known = isinstance(prompt, str) or isinstance(choices, list)
    said = (("Target", row["target"]), ("Label", row["label"]), ("Surrogate", row["surrogate"]))
    return ItemInFull(
        f"item-{place}",
        str(row["item_id"]),
        _verdict(result, float(row["value"])),
        " · ".join(part for part in about if part),
        cut(prompt) if isinstance(prompt, str) else "",
        tuple(cut(str(option)) for option in choices) if isinstance(choices, list) else (),
        "" if known else textless(str(row["item_id"]), row["group"] or None),
        tuple((name, cut(str(text))) for name, text in said if text),
    )


def _link(place: int, item: str, verdict: str) -> Link:
    return Link(f"{shortened(item, _NAMED)} ({verdict})", "" if place >= _MOST else f"item-{place}")


def _verdict(result: Result, value: float) -> str:
    if result.measure == "accuracy" and value in (0.0, 1.0):
        return "right" if value else "wrong"
    return significant(value, 3)


def _counts(result: Result, values: pd.Series[float]) -> str:
    wrong = int((values == 0).sum())
    many = counted(len(values), "item")
    return (
        f"{many}, {wrong:,} wrong"
        if result.measure == "accuracy"
        else f"{many}, mean {significant(float(values.mean()), 3)}"
    )


def cut(text: str) -> str:
    """A text, or the beginning of a huge one."""
    rest = len(text) - _LONGEST
    return text if rest <= 0 else f"{text[:_LONGEST]}… ({counted(rest, 'more character')})"
