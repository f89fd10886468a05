"""Headings and notes among the rows of a table: one cell is filled where all other rows fill several."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from statistics import median

from ..pool.problems import Problems, shown
from ..words import counted, listed

_Rows = Iterator[tuple[int, list[str]]]
# By so many rows it is known which columns are always filled, by so many at least, and so many columns these are.
_LOOKED_AT, _FEWEST, _ALWAYS = 100, 3, 2
# More rows than this share of all that have one filled cell are none of these.
_MOST = 1 / 3
_NAMED = 5
_HEADING = re.compile(
    r"\s*(?:[#=*~_–—-]{2,}|#|(?:section|part|chapter|unit|block|module|topic|category|note|notes|source|legend|total"
    r"|abschnitt|teil|kapitel|hinweis|quelle|partie|chapitre|sección|parte|capítulo|sezione|capitolo)\b)",
    re.IGNORECASE,
)
_WORDS, _DIGITS = re.compile(r"[^\W\d_]+"), re.compile(r"\d+")


def without_headings(header: Sequence[str], rows: _Rows, problems: Problems) -> _Rows:
    """Leave out the rows of a table with one filled cell that is a heading or a note, and name them in a remark.

    An item of which the other cells are empty stays: its cell looks like those of the other rows.
    """
    first = list(islice(rows, _LOOKED_AT))
    several = [cells for _, cells in first if len(cells) == len(header) and _only_cell(cells) is None]
    always = {place for place, name in enumerate(header) if name and all(cells[place].strip() for cells in several)}
    if len(several) < max(_FEWEST, (1 - _MOST) * len(first)) or len(always) < _ALWAYS:
        yield from chain(first, rows)
        return
    found = list[tuple[int, str]]()
    for row, cells in chain(first, rows):
        place = _only_cell(cells) if len(cells) == len(header) else None
        if place is None or len(always - {place}) < _ALWAYS or _is_like(cells[place], [one[place] for one in several]):
            yield row, cells
        else:
            found.append((row, cells[place].strip()))
            problems.tally.leave_out("rows of headings or notes", row)
    problems.note(_remark(found))


def _only_cell(cells: Sequence[str]) -> int | None:
    """Return the place of the only filled cell; None if several are filled, or none is."""
    filled = (place for place, cell in enumerate(cells) if cell.strip())
    place = next(filled, None)
    return place if next(filled, None) is None else None


def _is_like(cell: str, others: Iterable[str]) -> bool:
    """Whether a cell names or asks what the others of its column do, by the signs in it."""
    known = [one.strip() for one in others if one.strip()]
    cell = cell.strip()
    if not known or _HEADING.match(cell):
        return any(map(_HEADING.match, known))
    asked = sum(one.endswith(("?", "？")) for one in known)
    if 2 * asked > len(known):
        return cell.endswith(("?", "？"))
    words = median(len(one.split()) for one in known)
    if words > 2:
        return 2 * len(cell.split()) >= words
    codes = [one for one in known if any(map(str.isdigit, one)) and " " not in one]
    if len(codes) == len(known):
        return any(map(str.isdigit, cell)) and " " not in cell
    return _shape(cell) in set(map(_shape, known))


def _shape(cell: str) -> str:
    return _DIGITS.sub(
        "0", _WORDS.sub(lambda one: "A" if one[0].isupper() else "Aa" if one[0].istitle() else "a", cell)
    )


def _remark(found: Sequence[tuple[int, str]]) -> str:
    if not found:
        return ""
    named = [f"{shown(text, 40)} in row {row:,}" for row, text in found[:_NAMED]]
    named += [f"{len(found) - _NAMED:,} more"] * (len(found) > _NAMED)
    are = (
        "is a row with one filled cell, read as a heading or note"
        if len(found) == 1
        else (f"are {counted(len(found), 'row')} with one filled cell each, read as headings or notes")
    )
    return f"{listed(named)} {are}, and left out. If one is an item, fill its other cells."
