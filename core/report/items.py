"""The items behind the numbers of the report: each in full, the wrong ones first, and those of a stratum or a group."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from html import escape
from typing import Any

import pandas as pd

from ..study.result import Result
from ..words import counted, shortened, significant, textless

# The element to which the headline leads.
ANCHOR = "items"
_MOST, _LONGEST, _NAMED = 1000, 4000, 60


def examples(result: Result, items: pd.DataFrame) -> list[str]:
    """Write the items in full, of `core.study.Study.judged_items`, as many as a file can hold."""
    cut = f" Here are the first {_MOST:,}." if len(items) > _MOST else ""
    start = f'<p class="soft" id="{ANCHOR}">The items behind the number, {order(result)}.{cut}</p>'
    rows = items.head(_MOST).to_dict("records")
    return [start, '<div class="listing">', *(_item(result, place, row) for place, row in enumerate(rows)), "</div>"]


def hint(result: Result, items: pd.DataFrame) -> str:
    """Say how many items there are, and which come first."""
    wrong = int((items["value"] == 0).sum())
    first = f"the {wrong:,} wrong ones first" if result.measure == "accuracy" and wrong else order(result)
    return f"{counted(len(items), 'item')}, {first}"


def order(result: Result) -> str:
    """In which order items stand."""
    return "wrong ones first" if result.measure == "accuracy" else "lowest scores first"


def behind(result: Result, items: pd.DataFrame, kind: str, names: Sequence[str]) -> list[str]:
    """List the items of each stratum or group, with links to each in full.

    Parameters
    ----------
    result : Result
        What is reported.
    items : DataFrame
        Of `core.study.Study.judged_items`.
    kind : str
        The column that tells them apart: "stratum" or "group".
    names : sequence of str
        Its values, in the order of the table above.
    """
    places = pd.Series(range(len(items)), index=items[kind].astype(str))
    parts = []
    for number, name in enumerate(names):
        chosen = [] if name not in places.index else places.loc[[name]].tolist()
        if not chosen:
            continue
        title = f"{kind.capitalize()} {name}" if kind == "stratum" else shortened(name, _NAMED)
        links = ", ".join(
            _link(place, str(items["item_id"].iloc[place]), _verdict(result, items["value"].iloc[place]))
            for place in chosen
        )
        head = f"<strong>{escape(title)}</strong>: {escape(_counts(result, items['value'].iloc[chosen]))}"
        parts.append(f'<details><summary>{head}</summary><p id="{anchor(kind, number)}">{links}</p></details>')
    return parts


def anchor(kind: str, number: int) -> str:
    """Id of the list of a stratum's or a group's items, by its place."""
    return f"{kind}-{number}"


def _item(result: Result, place: int, row: dict[Hashable, Any]) -> str:
    return "".join(_parts(result, place, row))


def _parts(result: Result, place: int, row: dict[Hashable, Any]) -> Iterator[str]:
    verdict = _verdict(result, float(row["value"]))
    kind = f" {verdict}" if verdict in ("right", "wrong") else ""
    title = f'{escape(str(row["item_id"]))}<span class="verdict{kind}">{escape(verdict)}</span>'
    yield f'<article id="item-{place}"><h3>{title}</h3>'
    about = [str(row["group"] or ""), f"stratum {row['stratum']}", "annotators disagree" if row["disputed"] else ""]
    yield f'<p class="soft small">{escape(" · ".join(part for part in about if part))}</p>'
    prompt, choices = row["prompt"], row["choices"]
    if isinstance(prompt, str):
        yield f'<div class="text">{escape(_cut(prompt))}</div>'
    if isinstance(choices, list):
        options = "".join(f"<li>{escape(_cut(str(option)))}</li>" for option in choices)
        yield f'<ol class="options">{options}</ol>'
    if not isinstance(prompt, str) and not isinstance(choices, list):
        yield f'<p class="soft">{escape(textless(str(row["item_id"]), row["group"] or None))}</p>'
    said = (("Target", row["target"]), ("Label", row["label"]), ("Surrogate", row["surrogate"]))
    cells = "".join(f"<dt>{name}</dt><dd>{escape(_cut(str(text)))}</dd>" for name, text in said if text)
    yield f"<dl>{cells}</dl></article>"


def _link(place: int, item: str, verdict: str) -> str:
    words = f"{escape(shortened(item, _NAMED))} ({escape(verdict)})"
    return words if place >= _MOST else f'<a href="#item-{place}">{words}</a>'


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


def _cut(text: str) -> str:
    """A text, or the beginning of a huge one."""
    rest = len(text) - _LONGEST
    return text if rest <= 0 else f"{text[:_LONGEST]}… ({counted(rest, 'more character')})"
