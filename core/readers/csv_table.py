"""Native CSV: a header, one item a record; comma, semicolon, tab or bar, quoted as spreadsheets do.

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

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any

from ..files.double_headers import joined, remark
from ..files.jsontext import BadJson, decode
from ..files.open import Source
from ..files.tables import BadTable, table_of
from ..pool.columns import ANSWER_LISTS, TARGETS, Completion, as_it_is
from ..pool.pool import Pool
from ..pool.problems import Problems, shown
from ..pool.records import MOST_COLUMNS, Records
from ..pool.tally import RecordTally
from .headings import without_headings
from .wide_names import LISTS, NUMBERED, check_names, in_sequence, outcome_of, without_end

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
    return header, without_headings(header, tally.records(rows), problems)


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
                self._cells.append(_Cell(position, name, _json_list if name in _JSON_CELLS else _known))
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
