"""Native CSV: a header, one item a record; headings and notes among its rows, and names of wide tables.

It is UTF-8, UTF-16 or in a code page of Windows.

========================================  =======================================================================
``id``                                    required
``prompt`` ``answer`` ``group`` …         as in JSON Lines; an empty cell is unknown
``choices``, ``image``                    ``choices`` a JSON list, or columns ``choice_A``, ``choice_B`` … ;
                                          ``image`` a path or data URL, or a JSON list of them
``generation_1`` … ``generation_k``       an empty cell is an empty output, that is "no answer"
``generation_answer_1`` … ``_k``          answers of an official parser; an empty cell is "no answer"
``logprob_1`` …, ``token_logprob_1`` …    one for each generation
``<model>:answer`` ``:loss`` ``:text``    outcomes of target models; an empty cell is unknown
any other column                          kept as text
========================================  =======================================================================

Rows are counted as spreadsheets show them: the header is row 1.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from statistics import median
from typing import Any

from ..files.jsontext import BadJson, decode
from ..files.open import Source
from ..files.tables import BadTable, table_of
from ..files.workbooks import joined, remark
from ..pool.columns import ANSWER_LISTS, TARGET_FIELDS, TARGETS, WEIGHT, Completion, as_it_is
from ..pool.pool import Pool
from ..pool.problems import Problems, RecordTally, shown
from ..pool.records import MOST_COLUMNS, Records
from ..words import counted, listed
from ..words.verdict_words import number_in

_Rows = Iterator[tuple[int, list[str]]]
# By so many rows it is known which columns are always filled, by so many at least, and so many columns these are.
_LOOKED_AT, _FEWEST, _ALWAYS = 100, 3, 2
# More rows than this share of all that have one filled cell are none of these.
_MOST = 1 / 3
_NAMED = 5
# So many words are no name of a column, beside others that have as many.
_SENTENCE = 4
_NAME_THEM = "Write a row above it that names the columns, such as id, question, expected, output, correct."
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


# Names of columns in wide tables: ``generation_1`` … ``generation_k``, ``<model>:loss``; shared by CSV and Parquet.

NUMBERED = re.compile(r"(generation|generation_answer|logprob|token_logprob|choice)_([0-9]{1,4}|[A-Z])")
LISTS = {
    "generation": "generations",
    "generation_answer": "generation_answers",
    "logprob": "logprobs",
    "token_logprob": "token_logprobs",
    "choice": "choices",
}


def outcome_of(name: str) -> tuple[str, str] | None:
    """Split the name of a column such as “gpt-4:loss” into model and field; None for another name."""
    model, colon, field = name.rpartition(":")
    return (model.strip(), field) if colon and model.strip() and field in TARGET_FIELDS else None


def check_names(header: Sequence[str], problems: Problems) -> None:
    """Add a problem for names that occur twice, and for lists or targets that are given in two ways."""
    names: set[str] = set()
    for name in header:
        if name and name in names:
            problems.add(f"there are two columns {shown(name)}.", remedy="Rename one of them.")
        names.add(name)
    split = {LISTS[match[1]] for match in map(NUMBERED.fullmatch, header) if match}
    if any(map(outcome_of, header)):
        split.add(TARGETS)
    for name in sorted(split & names):
        problems.add(f"{name} is given in one column and again in several.", remedy="Keep one of the two.")


def in_sequence(name: str, labels: Sequence[str], problems: Problems) -> list[str]:
    """Sort the labels of the numbered columns ``name``: 1 … k without gaps, or A, B … for choices."""
    if name == "choice":
        return sorted(labels, key=lambda label: (label.isdigit(), len(label), label))
    order = sorted(labels, key=lambda label: int(label) if label.isdigit() else 0)
    if order != [str(number) for number in range(1, len(labels) + 1)]:
        message = f"the columns {name}_… are not numbered 1 to {len(labels)}."
        problems.add(message, field=name, remedy="Number them without gaps.")
    return order


def without_end(values: Sequence[Any], missing: tuple[Any, ...] = (None,)) -> Sequence[Any]:
    """Remove missing values from the end of ``values``."""
    size = len(values)
    while size and values[size - 1] in missing:
        size -= 1
    return values[:size]


_JSON_CELLS = frozenset({"choices", "image", "generations", *ANSWER_LISTS, "logprobs", "token_logprobs", TARGETS})


def read(source: Source, complete: Completion = as_it_is) -> Pool:
    """Read a pool; see ``core.readers.read``. ``complete`` adds to its columns."""
    problems = Problems()
    records = Records(problems)
    delimiter = "" if source.is_zip else table_of(source)[0]
    header, rows = headed(source, problems)
    _check_header(header, source.is_zip, problems)
    layout = _Layout(header, delimiter == ";", problems)
    for row, cells in rows:
        if len(cells) == len(header):
            records.add(row, layout.record(cells), sum(map(len, cells)))
        else:
            message = f"the row has {len(cells)} cells, the header {len(header)}."
            problems.add(message, row, remedy="Quote cells that contain the delimiter or a line break.")
    return Pool.from_loose(complete(records.loose().composed(), problems), problems, source.name)


def of_table(source: Source, problems: Problems) -> Iterator[tuple[int, list[str]]]:
    """Read a table row by row: place from 1, cells; raises :class:`core.errors.PoolError` if it is no UTF-8."""
    problems.note(source.remark)
    try:
        yield from table_of(source)[1]
    except BadTable as error:
        problems.add(error.message, error.row, remedy=error.remedy)


def headed(
    source: Source, problems: Problems, tally: RecordTally | None = None
) -> tuple[list[str], Iterator[tuple[int, list[str]]]]:
    """Read a table's header, empty if that is a problem, and what follows it row by row, as :func:`of_table`.

    A workbook is a table, too. Rows are records of ``tally``, by default that of ``problems``.
    """
    tally = tally or problems.tally
    if source.is_zip:
        problems.note(source.sheet.remark)
        for name in source.sheet.others:
            problems.tally.skip(f"sheet {shown(name, 40)}")
        header, rows = source.sheet.header, iter(source.sheet.rows)
    else:
        rows = of_table(source, problems)
        header = [cell.strip() for cell in next(rows, (1, []))[1]]
        if "" in header and (second := next(rows, None)) is not None:
            names = joined(header, second[1])
            problems.note(remark(names, header, 1) if names else "")
            header, rows = names or header, rows if names else chain([second], rows)
    first = list(islice(rows, _LOOKED_AT))
    if _is_an_item(header, [cells for _, cells in first if len(cells) == len(header) and cells != header]):
        begin = ", ".join(shown(cell, 30) for cell in header[:_NAMED])
        problems.add(f"the first row looks like an item, not like names of columns: {begin}.", 1, remedy=_NAME_THEM)
        problems.stop()
    return header, without_headings(header, tally.records(chain(first, rows)), problems)


def _is_an_item(header: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Whether each cell of a first row is like those below it, and one says the same as they or is a sentence too."""
    columns = [[cells[place].strip() for cells in rows] for place in range(len(header))]
    pairs = [(cell, [one for one in some if one]) for cell, some in zip(header, columns, strict=True)]
    pairs = [(cell, some) for cell, some in pairs if cell or some]
    if len(rows) < _FEWEST or len(pairs) < _ALWAYS or not all(cell and some for cell, some in pairs):
        return False
    code, codes = pairs[0]
    is_coded = bool(re.search(r"[^\W\d_]", code) and _DIGITS.search(code)) and {_shape(code)} == {*map(_shape, codes)}
    are_telling = is_coded or any(
        len(cell.split()) >= _SENTENCE <= median(len(one.split()) for one in some)
        or (cell in some and number_in(cell) is None)
        for cell, some in pairs
    )
    return are_telling and all(
        cell in some or _is_like(cell, some) or _are_numbers([cell, *some]) for cell, some in pairs
    )


def _are_numbers(cells: Iterable[str]) -> bool:
    return all(number_in(cell) is not None for cell in cells)


@dataclass(frozen=True, slots=True)
class _Cell:
    """The place of one plain column in the record."""

    position: int
    name: str
    read: Callable[[str], Any]


class _Layout:
    """The places of a row's cells in the record.

    Parameters
    ----------
    header : list of str
        Names of the columns.
    decimal_comma : bool
        Whether numbers may be written 0,5 (files with semicolons).
    problems : Problems
        Where problems of the numbers of columns are added.
    """

    def __init__(self, header: list[str], decimal_comma: bool, problems: Problems) -> None:
        self._number = _decimal_comma if decimal_comma else _number
        self._cells: list[_Cell] = []
        self._outcomes: list[tuple[str, _Cell]] = []
        numbered: dict[str, dict[str, int]] = {}
        for position, name in enumerate(header):
            outcome, parts = outcome_of(name), NUMBERED.fullmatch(name)
            if outcome:
                model, field = outcome
                self._outcomes.append((model, _Cell(position, field, self._number if field == "loss" else _known)))
            elif parts:
                numbered.setdefault(parts[1], {})[parts[2]] = position
            elif name:
                read = self._number if name == WEIGHT else _json_list if name in _JSON_CELLS else _known
                self._cells.append(_Cell(position, name, read))
        self._lists = {
            name: [places[label] for label in in_sequence(name, list(places), problems)]
            for name, places in numbered.items()
        }

    def record(self, cells: list[str]) -> dict[str, Any]:
        """Make the native record of one row."""
        record: dict[str, Any] = {cell.name: cell.read(cells[cell.position]) for cell in self._cells}
        for name, positions in self._lists.items():
            values = [cells[position] for position in positions]
            if name == "generation":
                record["generations"] = values
            elif name == "choice":
                record["choices"] = without_end(values, ("",))
            elif name == "generation_answer":
                record["generation_answers"] = [_known(value) for value in values]
            else:
                numbers = [self._number(value) for value in values]
                record[LISTS[name]] = numbers if any(number is not None for number in numbers) else None
        if self._outcomes:
            outcomes: dict[str, dict[str, Any]] = {}
            for model, cell in self._outcomes:
                outcomes.setdefault(model, {})[cell.name] = cell.read(cells[cell.position])
            record[TARGETS] = outcomes
        return record


def _check_header(header: list[str], is_workbook: bool, problems: Problems) -> None:
    # Every file that is neither JSON, Parquet nor zip comes here, whatever its name promises.
    remedy = (
        f"It was read as {'a workbook' if is_workbook else 'CSV'}: there, the first row must name the columns id, "
        "prompt, answer, group, generation_1 … To read other columns, say what is what on page Pool, or with neyman "
        "pool map FILE."
    )
    if "id" not in header:
        names = ", ".join(shown(name, 30) for name in header[:20])
        problems.add(f"there is no column “id”; the columns are: {names or 'none'}.", remedy=remedy)
        problems.stop()
    if len(header) > MOST_COLUMNS:
        problems.add(f"there are {len(header):,} columns.", 1, remedy=f"Keep at most {MOST_COLUMNS:,}.")
        problems.stop()
    check_names(header, problems)


def _known(cell: str) -> str | None:
    return cell or None


def _number(cell: str) -> float | str | None:
    """Read the number in a cell; another text stays, to become a problem of its row."""
    try:
        return float(cell) if cell.strip() else None
    except ValueError:
        return cell


def _decimal_comma(cell: str) -> float | str | None:
    return _number(cell.replace(",", "."))


def _json_list(cell: str) -> Any:
    """Read a JSON list or object if the cell starts like one, else return the text."""
    if cell.lstrip().startswith(("[", "{")):
        try:
            return decode(cell)
        except BadJson:
            return cell
    return cell or None
