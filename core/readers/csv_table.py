"""Native CSV: a header, one item a record; comma, semicolon or tab, quoted as spreadsheets do.

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

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, repeat
from typing import Any

from ..errors import PoolError, Problem
from ..pool.columns import ANSWER_LISTS, TARGETS
from ..pool.pool import Pool
from ..pool.problems import Problems, shown
from ..pool.records import MAX_NAMES, Records
from ..pool.strict_json import BadJson, decode
from ..pool.tally import RecordTally
from .source import MAX_BYTES, Source, too_large
from .wide_names import LISTS, NUMBERED, check_names, in_sequence, outcome_of, without_end

_DELIMITERS = ",;\t"
_SEPARATED = re.compile(r"sep=[,;\t]?", re.IGNORECASE)
_MAX_CELL = _MAX_LINE = 256 * 1024**2
# Twice as many as the largest leaderboard has models.
MAX_COLUMNS = 10_000
_JSON_CELLS = frozenset({"choices", "image", "generations", *ANSWER_LISTS, "logprobs", "token_logprobs", TARGETS})


def read(source: Source) -> Pool:
    """Read a pool; see ``core.readers.read``."""
    csv.field_size_limit(_MAX_CELL)
    problems = Problems()
    records = Records(problems)
    try:
        delimiter = "" if source.is_zip else table(_lines(source), problems)[0]
        header, rows = headed(source, problems)
        layout = _Layout(header, delimiter == ";", problems)
        for row, cells in rows:
            if len(cells) == len(header):
                records.add(row, layout.record(cells), sum(map(len, cells)))
            else:
                message = f"the row has {len(cells)} cells, the header {len(header)}."
                problems.add(message, row, remedy="Quote cells that contain the delimiter or a line break.")
    except UnicodeDecodeError:
        raise _wrong_byte(source.content(MAX_BYTES)) from None
    return Pool.from_loose(records.loose().composed(), problems, source.name)


def table(lines: Iterator[str], problems: Problems) -> tuple[str, Iterator[tuple[int, list[str]]]]:
    """Split lines, of which one is not blank, into rows that are not: the delimiter; places from 1 and cells.

    A first line such as “sep=;”, by which spreadsheets tell the delimiter, is as good as blank.
    """
    blank = 0
    while not (first := next(lines)).strip("\r\n") or (_SEPARATED.fullmatch(first.strip()) and not blank):
        blank += 1
    delimiter = _delimiter(first)
    return delimiter, _rows(chain(repeat("\n", blank), [first], lines), delimiter, problems)


def of_table(source: Source, problems: Problems) -> Iterator[tuple[int, list[str]]]:
    """Read a table row by row: place from 1, cells; raises :class:`core.errors.PoolError` if it is no UTF-8."""
    problems.note(source.remark)
    try:
        yield from table(_lines(source), problems)[1]
    except UnicodeDecodeError:
        raise _wrong_byte(source.content(MAX_BYTES)) from None


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
        return source.sheet.header, tally.records(source.sheet.rows)
    rows = of_table(source, problems)
    return [cell.strip() for cell in next(rows, (1, []))[1]], tally.records(rows)


def _lines(source: Source) -> Iterator[str]:
    """Read line by line: all of the text at once takes four bytes of memory a character."""
    with source.opened() as file:
        text, size = io.TextIOWrapper(file, encoding="utf-8", newline=""), 0
        while line := text.readline(_MAX_LINE):
            line = line if size else line.removeprefix("\ufeff")
            size += len(line)
            if len(line) == _MAX_LINE or size > MAX_BYTES:
                raise too_large(_MAX_LINE if len(line) == _MAX_LINE else MAX_BYTES)
            yield line


def _wrong_byte(content: bytes) -> PoolError:
    try:
        content.decode()
    except UnicodeDecodeError as error:
        row = content.count(b"\n", 0, error.start) + 1
        message = f"byte {error.start + 1:,} of the file is not UTF-8."
        return PoolError([Problem(message, row, remedy="Save it as CSV UTF-8.")])
    return too_large(MAX_BYTES)


def _delimiter(line: str) -> str:
    """Choose the delimiter under which the first line has a column ``id``, or else the most columns."""
    first = line.rstrip("\r\n")
    headers = {mark: [cell.strip().strip('"') for cell in first.split(mark)] for mark in _DELIMITERS}
    return max(_DELIMITERS, key=lambda mark: ("id" in headers[mark], len(headers[mark])))


def _rows(lines: Iterable[str], delimiter: str, problems: Problems) -> Iterator[tuple[int, list[str]]]:
    """(row, cells) of the records that are not blank."""
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    row = 0
    try:
        for row, cells in enumerate(reader, start=1):
            if len(cells) > MAX_COLUMNS:
                message = f"there are more than {MAX_COLUMNS:,} columns."
                problems.add(message, row, remedy="Keep those that Neyman reads: id, prompt, answer, outputs, models.")
                problems.stop()
            if any(map(str.strip, cells)):
                yield row, cells
    except csv.Error as error:
        if "unexpected end of data" in str(error):
            message, remedy = "a quote is opened and never closed.", "Close it, or double every quote inside a cell."
        else:
            message, remedy = f"the quoting is broken ({error}).", "Double every quote inside a quoted cell."
        problems.add(message, row + 1, remedy=remedy)


@dataclass(frozen=True, slots=True)
class _Cell:
    """How one plain column enters the record."""

    position: int
    name: str
    read: Callable[[str], Any]


class _Layout:
    """Which cell of a row goes where in the record.

    Parameters
    ----------
    header : list of str
        Names of the columns.
    decimal_comma : bool
        Whether numbers may be written 0,5 (files with semicolons).
    problems : Problems
        Where problems of the header are added.
    """

    def __init__(self, header: list[str], decimal_comma: bool, problems: Problems) -> None:
        self._number = _decimal_comma if decimal_comma else _number
        self._cells: list[_Cell] = []
        self._outcomes: list[tuple[str, _Cell]] = []
        numbered: dict[str, dict[str, int]] = {}
        _check_header(header, problems)
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


def _check_header(header: list[str], problems: Problems) -> None:
    # Every file that is neither JSON, Parquet nor zip comes here, whatever its name promises.
    remedy = (
        "It was read as CSV: there, the first row must name the columns id, prompt, answer, group, generation_1 … "
        "Page Pool reads other columns: bring the file there, and say what is what."
    )
    if "id" not in header:
        names = ", ".join(shown(name, 30) for name in header[:20])
        problems.add(f"there is no column “id”; the columns are: {names or 'none'}.", remedy=remedy)
        problems.stop()
    if len(header) > MAX_NAMES * 4:
        problems.add(f"there are {len(header):,} columns.", 1, remedy=f"Keep at most {MAX_NAMES * 4:,}.")
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
