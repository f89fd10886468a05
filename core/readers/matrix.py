"""Leaderboards as a table: one row an item, one column a model, and how right it was: CSV, TSV or a workbook.

Scores are 1 if a model was right and 0 if not. If the columns are called as models, they may also be shares
between 0 and 1, or what is clearly per cent, each column by itself; an empty cell, NaN or “n/a” is unknown. Rows and
columns of totals are left out. A table of 0 and 1 with a row for each model, and its items as columns, is turned.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import dropwhile
from math import isnan, nan
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ..errors import PoolError, Problem
from ..files.foreign_names import plain_key
from ..files.open import Source
from ..files.sniff import TABLE, WORKBOOK, Beginning
from ..pool.columns import COLUMNS, TEXT
from ..pool.origin import Origin
from ..pool.problems import Problems, RecordTally, shown
from ..pool.records import native
from ..words import counted, listed
from .board_columns import BoardColumns, BoardScale, scales_of
from .csv_table import NUMBERED, headed, outcome_of
from .field_names import WORDS, words_of
from .joining import LOSS, MODEL
from .model_outputs import ModelOutputs, ResultsFormat
from .model_paths import may_be_truth
from .own_totals import IS_RIGHT
from .runs import columns_of_runs
from .total_shapes import are_benchmarks, is_sum, is_total_label, may_be_total_label
from .verdicts import number, right_words, says_nothing

_IDS = frozenset({"id", "item", "itemid", "questionid", "instanceid", "docid", "index", ""})
# What a first column is called that names the models, each of which has a row.
_MODELS = frozenset({"model", "models", "modelname", "modelid", "system", "agent", "llm"})
# What names of a model's properties begin with.
_OF_PROPERTIES = (("has",), ("is",), ("with",), ("supports",))
# In so many rows, scores that are all the same are marks if this share of the cells beside them is empty.
_MANY, _EMPTY = 10, 0.1
_VERDICTS = frozenset({"0", "1", "0.0", "1.0"})
_SPLITS = frozenset({"test", "train", "dev", "validation", "public", "private", "held", "synthetic", "multilingual"})
_COLUMN = "the model’s column"
_Cells: TypeAlias = Sequence[str]


def recognises(beginning: Beginning) -> bool:
    """Whether the first rows hold nothing but ids, facts of items, and scores of at least two models."""
    if beginning.container not in (TABLE, WORKBOOK) or len(beginning.rows) < 2:
        return False
    header, *rows = beginning.rows
    if _has_models_as_rows(header, rows):
        return True
    if any(outcome_of(name) or NUMBERED.fullmatch(name) for name in header) or not _names_items(header, rows):
        return False
    if columns_of_runs(header):
        # Of one model: only the mapper knows that the first counts.
        return False
    layout = _Board.of(header, rows)
    return layout is not None and not _may_have_truth(layout.columns, rows)


def outputs(source: Source, beginning: Beginning, problems: Problems) -> ModelOutputs:
    """Read the table."""
    header, *rows = beginning.rows
    given: Iterable[tuple[int, _Cells]]
    if _has_models_as_rows(header, rows):
        header, given = _turned(source, problems)
        layout = _Board.of(header, [cells for _, cells in given])
    else:
        header, given = headed(source, problems)
        layout = _Board.of(header, rows)
    if layout is None:
        remedy = "Name the items in the first column, and the models above the others."
        raise PoolError([Problem("the table is not a leaderboard.", remedy=remedy)])
    table = _Scores.of(header, given, layout, problems)
    problems.stop()
    for remark in layout.remarks():
        problems.note(remark)
    for scale in dict.fromkeys(layout.scales.values()):
        problems.note(scale.remark)
    read = ModelOutputs.of_columns(table.columns(problems), table.rows_of_outputs, problems)
    return replace(read, origin=Origin(FORMAT.name, {"loss": f"{_COLUMN}, where {table.right}{IS_RIGHT}"}))


FORMAT = ResultsFormat("leaderboard tables", recognises, outputs, {"loss": _COLUMN})


@dataclass(frozen=True, slots=True)
class _Board:
    """The columns of a leaderboard, and the scale of each model's scores by the place of its column."""

    columns: BoardColumns
    scales: dict[int, BoardScale]

    @classmethod
    def of(cls, header: Sequence[str], rows: Sequence[Sequence[str]]) -> _Board | None:
        """Find the columns and scales by the first rows; None if the table is not a leaderboard."""
        items = [row for _, row in _items(enumerate(rows), Problems().tally)]
        columns = BoardColumns.of(header, items)
        scales = scales_of(items, columns.models, "prompt" in columns.facts) if columns is not None else None
        return cls(columns, scales) if columns is not None and scales is not None else None

    def remarks(self) -> list[str]:
        """Say which columns are not read, and which are read as models though they may be none."""
        sums, doubted = (
            listed([shown(name, 40) for name in some]) for some in (self.columns.sums, self.columns.doubted)
        )
        remarks = [f"Not read, as it sums up the models: {sums}."] if sums else []
        if kept := listed([shown(name, 40) for name in self.columns.facts if name not in COLUMNS]):
            remarks.append(f"Kept with the items as in the file: {kept}.")
        if self.columns.grouping:
            remarks.append(f"The groups are those of {shown(self.columns.grouping, 40)}.")
        if doubted:
            remarks.append(
                f"Read as models, although their names differ in kind: {doubted}. Remove any that is not a model. If "
                "one has the right answers, the others are outputs and no scores: say so with neyman pool map FILE "
                "--answer PATH --target MODEL:text=PATH."
            )
        return remarks


@dataclass(frozen=True, slots=True, eq=False)
class _Scores:
    """Rows of a table that have a score, their facts by name, and how right each model was: (N, M), NaN for unknown.

    ``right`` names what stands for right in the cells.
    """

    models: tuple[str, ...]
    rows: tuple[int, ...]
    facts: dict[str, list[str | None]]
    shares: NDArray[np.float64]
    right: str

    @classmethod
    def of(
        cls, header: Sequence[str], given: Iterable[tuple[int, _Cells]], layout: _Board, problems: Problems
    ) -> _Scores:
        models, facts = layout.columns.models, layout.columns.facts
        # Few cells are different: what each says is found once.
        known: dict[int, dict[str, float | None]] = {place: {} for place in models}
        rows, texts, shares, empty = list[int](), list[list[str]](), list[list[float]](), 0
        for row, cells in _items(given, problems.tally):
            if len(cells) != len(header):
                problems.add(f"there are {len(cells)} cells under {len(header)} columns.", row, remedy="Mend the row.")
                continue
            scores = [_read(cells[place], layout.scales[place], of_it) for place, of_it in known.items()]
            for place, score in zip(models, scores, strict=True) if None in scores else ():
                if score is None:
                    message = f"{shown(cells[place], 30)} is not {layout.scales[place].words}."
                    remedy = "Write how right the model was, 1 for right and 0 for wrong."
                    problems.add(message, row, header[place], remedy)
            filled = [nan if score is None else score for score in scores]
            empty += sum(not cells[place].strip() for place in models)
            if all(map(isnan, filled)):
                problems.tally.leave_out("rows without a score", row)
            else:
                problems.tally.take(row)
                rows.append(row)
                shares.append(filled)
                texts.append([cells[0].strip(), *_of(cells, facts.values())])
        said = {share for some in shares for share in some if not isnan(share)}
        are_gaps = empty < max(1, _EMPTY * len(shares) * len(models))
        if not are_gaps and len(said) == 1 and said <= {0.0, 1.0} and len(shares) >= _MANY:
            message = f"every score is {said.pop():g}, and {counted(empty, 'cell is', 'cells are')} empty."
            problems.add(message, remedy="Fill them: 0 or 1 if an empty cell means the opposite, n/a if it is unknown.")
        columns = {name: [cells[place] or None for cells in texts] for place, name in enumerate(("id", *facts))}
        table = np.array(shares).reshape(len(rows), len(models))
        of_verdicts = [cell for place, cells in known.items() if layout.scales[place].most == 1 for cell in cells]
        right = [right_words(of_verdicts)] if of_verdicts else []
        right += ["100"] if any(scale.most == 100 for scale in layout.scales.values()) else []
        return cls(tuple(models.values()), tuple(rows), columns, table, " or ".join(right))

    @property
    def rows_of_outputs(self) -> Sequence[int]:
        """The row of each score that is known, row by row."""
        return [self.rows[place] for place in np.nonzero(~np.isnan(self.shares))[0].tolist()]

    def columns(self, problems: Problems) -> dict[str, pa.ChunkedArray]:
        """Make the columns of outputs, one for each score that is known, row by row."""
        if not self.rows:
            problems.add("there are no results in this file.", remedy="Choose the file that has the samples.")
            problems.stop()
        item, model = np.nonzero(~np.isnan(self.shares))
        places = {**dict.fromkeys(self.facts, item), MODEL: model}
        values: dict[str, list[Any]] = {**self.facts, MODEL: list(self.models)}
        texts = {name: native(name, some, TEXT, self.rows, problems) for name, some in values.items()}
        columns = {name: pa.chunked_array([texts[name].take(pa.array(some))]) for name, some in places.items()}
        return {**columns, LOSS: pa.chunked_array([pa.array(1 - self.shares[item, model])])}


def _of(cells: Sequence[str], places: Iterable[int]) -> list[str]:
    return [cells[place] for place in places]


def _read(cell: str, scale: BoardScale, known: dict[str, float | None]) -> float | None:
    """Read how right a cell says a model was, NaN if that is unknown; None if it is no score."""
    if cell not in known:
        known[cell] = nan if says_nothing(cell) else scale.share(cell)
    return known[cell]


def _items(given: Iterable[tuple[int, _Cells]], tally: RecordTally) -> Iterator[tuple[int, _Cells]]:
    """Pass over rows of totals, above the items or below them; a name of totals among the items is one of theirs."""
    sums, begun, are_verdicts = list[tuple[int, _Cells]](), False, True
    for row, cells in given:
        if _are_sums(cells, begun and are_verdicts):
            sums.append((row, cells))
            continue
        if begun:
            yield from sums
        else:
            _leave_out(sums, tally)
        sums, begun = [], True
        are_verdicts = are_verdicts and _has_verdicts(cells)
        yield row, cells
    _leave_out(sums, tally)


def _are_sums(cells: _Cells, are_verdicts: bool) -> bool:
    """Whether a row has totals of items, whose scores are all 1 or 0 or not; its label may stand behind a blank id."""
    named = list(dropwhile(lambda cell: not cell.strip(), cells))
    if not named:
        return False
    label, *scores = named
    if is_sum(label) and len(named) == len(cells):
        return True
    return not _VERDICTS.issuperset(scores) and (
        is_total_label(label) or (may_be_total_label(label) and are_verdicts and not _has_verdicts(named))
    )


def _has_verdicts(cells: _Cells) -> bool:
    """Whether all numbers of a row are 1 or 0."""
    return all(cell in _VERDICTS or number(cell) is None for cell in cells[1:])


def _leave_out(sums: Iterable[tuple[int, _Cells]], tally: RecordTally) -> None:
    for row, _ in sums:
        tally.leave_out("rows of totals", row)


def _names_items(header: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first column names the items, none of which is a benchmark."""
    name, cells = plain_key(header[0]), [row[0].strip() for row in rows if row]
    if are_benchmarks(cells):
        return False
    return name in _IDS or (name in WORDS["item-columns"] and all(cells) and len(set(cells)) == len(cells))


def _may_have_truth(columns: BoardColumns, rows: Sequence[_Cells]) -> bool:
    """Whether one column of 0 and 1 beside models' of nothing else may hold right answers: a person says so."""
    odd = [name for name in columns.doubted if may_be_truth(name)]
    facts = {name: place for name, place in columns.facts.items() if _may_be_predicted(name)}
    odd += [name for name, place in facts.items() if _cells(rows, [place]) == _cells(rows, columns.models)]
    models = len(columns.models) - sum(name in columns.doubted for name in odd)
    return len(odd) == 1 < models and _cells(rows, columns.models) <= _VERDICTS


def _may_be_predicted(name: str) -> bool:
    """Whether a fact of items, such as “is_fraud”, may be what models are asked for, and not known of the items."""
    words = words_of(name)[-1]
    return words[:1] in (("is",), ("needs",)) and {*words[1:]}.isdisjoint(WORDS["of-items"] | _SPLITS)


def _cells(rows: Sequence[_Cells], places: Iterable[int]) -> set[str]:
    """Return what the cells of some columns say."""
    cells = {row[place].strip() for place in places for row in rows if place < len(row)}
    return {one for one in cells if not says_nothing(one)}


def _has_models_as_rows(header: Sequence[str], rows: Sequence[_Cells]) -> bool:
    """Whether the first column names models, each once, and the columns beside it are items: nothing but 0 and 1."""
    if plain_key(header[0]) not in _MODELS or len(header) <= _MANY:
        return False
    # The last of the first rows may be cut.
    whole = [row for row in rows if len(row) == len(header)]
    names = [row[0] for row in whole]
    if not all(names) or not 1 < len(names) == len(set(names)) >= len(rows) - 1:
        return False
    sums = {*_sums(header, whole)}
    items = [place for place in range(1, len(header)) if place not in sums]
    # Properties of models, such as “has_vision”, are no items.
    properties = sum(words_of(header[place])[-1][:1] in _OF_PROPERTIES for place in items)
    known = {row[place] for row in whole for place in items if not says_nothing(row[place])}
    return len(items) >= _MANY > properties and known in ({"0", "1"}, {"0.0", "1.0"})


def _sums(header: Sequence[str], rows: Sequence[_Cells]) -> list[int]:
    """Places of columns that sum up the others: they are called so, and hold other values than 0 and 1."""
    called = [place for place, name in enumerate(header) if place and is_sum(name)]
    return [
        place for place in called if any(row[place] not in _VERDICTS and not says_nothing(row[place]) for row in rows)
    ]


def _turned(source: Source, problems: Problems) -> tuple[list[str], list[tuple[int, _Cells]]]:
    """Make a row of each item, by the number of its column, of a table with a row for each model."""
    header, given = headed(source, problems, RecordTally())
    models = list[_Cells]()
    for row, cells in given:
        if len(cells) != len(header):
            problems.add(f"there are {len(cells)} cells under {len(header)} columns.", row, remedy="Mend the row.")
        models.append(cells)
    problems.stop()
    problems.note("Each row is a model, and each column an item.")
    sums = _sums(header, models)
    if sums:
        problems.note(f"Not read, as it sums up the items: {listed([shown(header[place], 40) for place in sums])}.")
    left = {0, *sums}
    items = [(place, name) for place, name in enumerate(header) if place not in left]
    rows: list[tuple[int, _Cells]] = [(place + 1, [name, *(cells[place] for cells in models)]) for place, name in items]
    return ["id", *(cells[0].strip() for cells in models)], [*problems.tally.records(rows)]
