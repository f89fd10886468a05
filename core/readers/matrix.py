"""Leaderboards as a table: one row an item, one column a model, and how right it was: CSV, TSV or a workbook.

Scores are 1 where a model was right and 0 where not. If the columns are called as models, they may also be shares
between 0 and 1, or per cent; an empty cell, NaN or “n/a” is unknown.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan, nan
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ..pool.columns import COLUMNS, TEXT
from ..pool.problems import Problems, shown
from ..pool.values import native
from ..words import counted, per_cent
from .beginning import TABLE, WORKBOOK, Beginning
from .csv_table import headed
from .field_names import AMOUNTS, JUDGE_NAMES, SCORE_NAMES, WRONG_NAMES, is_fault, plain_key, words_of
from .joining import LOSS, MODEL
from .model_names import are_models, of_model
from .model_outputs import ModelOutputs, ResultsFormat
from .source import Source
from .verdicts import number, says_nothing
from .wide_names import NUMBERED, outcome_of

_IDS = frozenset({"id", "item", "itemid", "questionid", "instanceid", "docid", "index", ""})
# What a first column may be called that names the items if it is different in each row.
_NAMING = frozenset(
    {"task", "taskid", "question", "prompt", "problem", "problemid", "name", "case", "instance", "sample"}
)
_ITEM = frozenset({"prompt", "question", "group", "category", "subject", "task", "answer"})
_NAMES = {"question": "prompt", "category": "group", "subject": "group", "task": "group"}
_PROPERTIES = frozenset({"is", "has"})
_MOST_NAMED = 3


@dataclass(frozen=True, slots=True)
class _Scale:
    """What the scores of a table are.

    Parameters
    ----------
    most : float
        The score of an answer that is right.
    between : bool
        Whether there are scores between right and wrong.
    words : str
        What a score has to be, for a sentence about one that is not.
    remark : str
        What 1, or 100, is read as.
    """

    most: float
    between: bool
    words: str
    remark: str

    def share(self, cell: str) -> float | None:
        """How right a cell says a model was, None if it is no score of this scale."""
        value = number(cell)
        share = None if value is None else value if cell.rstrip().endswith("%") else value / self.most
        return share if share is not None and 0 <= share <= 1 and (self.between or share in (0, 1)) else None


_VERDICTS = _Scale(1, False, "1, 0 or empty", "1 is read as right, 0 as wrong")
_SHARES = _Scale(1, True, "between 0 and 1, or empty", "Scores are read as shares, 1 as right")
_PER_CENT = _Scale(100, True, "between 0 and 100, or empty", "Scores are read as per cent, 100 as right")


def recognises(beginning: Beginning) -> bool:
    """Whether the first rows hold nothing but ids, facts of items, and scores of at least two models."""
    if beginning.container not in (TABLE, WORKBOOK) or len(beginning.rows) < 2:
        return False
    header, *rows = beginning.rows
    models = _models(header)
    if len(models) < 2 or any(outcome_of(name) or NUMBERED.fullmatch(name) for name in header):
        return False
    return _names_items(header, rows) and not any(map(_is_fact, models.values())) and _scale(header, rows) is not None


def outputs(source: Source, beginning: Beginning, problems: Problems) -> ModelOutputs:
    """Read the table."""
    header, *rows = beginning.rows
    scale = _scale(header, rows) or _VERDICTS
    table = _Scores.of(source, scale, problems)
    problems.stop()
    shares = {model: share[~np.isnan(share)] for model, share in zip(table.models, table.shares.T, strict=True)}
    read = ModelOutputs.of_columns(table.columns(problems), table.rows_of_outputs, problems)
    return replace(read, notes=(*read.notes, _statement(scale, shares)))


FORMAT = ResultsFormat("leaderboard tables", recognises, outputs, {"loss": "a column a model, 1 right and 0 wrong"})


@dataclass(frozen=True, slots=True, eq=False)
class _Scores:
    """Rows of a table that have a score, their facts by name, and how right each model was: (N, M), NaN for unknown."""

    models: tuple[str, ...]
    rows: tuple[int, ...]
    facts: dict[str, list[str | None]]
    shares: NDArray[np.float64]

    @classmethod
    def of(cls, source: Source, scale: _Scale, problems: Problems) -> _Scores:
        header, given = headed(source, problems)
        models, facts = _models(header), _facts(header)
        # Few cells are different: what each says is found once.
        known: dict[str, float | None] = {}
        rows, texts, shares = list[int](), list[list[str]](), list[list[float]]()
        for row, cells in given:
            if len(cells) != len(header):
                problems.add(f"there are {len(cells)} cells under {len(header)} columns.", row, remedy="Mend the row.")
                continue
            scores = [known[cell] if cell in known else _read(cell, scale, known) for cell in _of(cells, models)]
            for place, score in zip(models, scores, strict=True) if None in scores else ():
                if score is None:
                    message = f"{shown(cells[place], 30)} is not {scale.words}."
                    remedy = "Write how right the model was, 1 for right and 0 for wrong."
                    problems.add(message, row, header[place], remedy)
            filled = [nan if score is None else score for score in scores]
            if all(map(isnan, filled)):
                problems.tally.leave_out("rows without a score", row)
            else:
                problems.tally.take(row)
                rows.append(row)
                shares.append(filled)
                texts.append([cells[0].strip(), *_of(cells, facts.values())])
        columns = {name: [cells[place] or None for cells in texts] for place, name in enumerate(("id", *facts))}
        return cls(tuple(models.values()), tuple(rows), columns, np.array(shares).reshape(len(rows), len(models)))

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


def _facts(header: Sequence[str]) -> dict[str, int]:
    """Return the columns of facts of items by what they are; the ids may be the questions."""
    facts = {_NAMES.get(name, name): place for place, name in enumerate(header) if place and name in _ITEM}
    return facts | {"prompt": 0} if plain_key(header[0]) in ("question", "prompt") else facts


def _of(cells: Sequence[str], places: Iterable[int]) -> list[str]:
    return [cells[place] for place in places]


def _read(cell: str, scale: _Scale, known: dict[str, float | None]) -> float | None:
    """Read how right a cell says a model was, NaN if that is unknown; None if it is no score."""
    known[cell] = nan if says_nothing(cell) else scale.share(cell)
    return known[cell]


def _models(header: Sequence[str]) -> dict[int, str]:
    """Return the columns of models and what these are called: “gpt” of “gpt_correct” if all are called so."""
    names = {
        place: name for place, name in enumerate(header) if place and name and name not in _ITEM and name not in COLUMNS
    }
    split = {place: of_model(name) for place, name in names.items()}
    known = {place: one.model for place, one in split.items() if one is not None and one.what in SCORE_NAMES}
    return known if len(known) == len(names) == len(set(known.values())) else names


def _names_items(header: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first column names the items."""
    name, cells = plain_key(header[0]), [row[0].strip() for row in rows if row]
    return name in _IDS or (name in _NAMING and all(cells) and len(set(cells)) == len(cells))


def _is_fact(name: str) -> bool:
    """Whether a column is likely to hold a score, an amount or a property of items, and is no model."""
    words = words_of(name)[-1]
    metric = plain_key(name) in (*SCORE_NAMES, *WRONG_NAMES, *JUDGE_NAMES) or is_fault(name)
    return metric or not AMOUNTS.isdisjoint(words) or words[:1] in [(word,) for word in _PROPERTIES]


def _scale(header: Sequence[str], rows: Sequence[Sequence[str]]) -> _Scale | None:
    """Return the scale of which all scores in some rows are; None if there is none, or other values."""
    models = _models(header)
    cells = [row[place] for row in rows for place in models if place < len(row) and not says_nothing(row[place])]
    scales = (_VERDICTS, _SHARES, _PER_CENT) if are_models(tuple(models.values())) else (_VERDICTS,)
    return next((one for one in scales if cells and all(one.share(cell) is not None for cell in cells)), None)


def _statement(scale: _Scale, shares: Mapping[str, NDArray[np.float64]]) -> str:
    """Say what the scores are read as, and what follows."""
    means = {model: float(some.mean()) for model, some in shares.items() if some.size}
    if not means:
        return f"{scale.remark}."
    if len(means) > _MOST_NAMED:
        return f"{scale.remark}: {per_cent(min(means.values()))} to {per_cent(max(means.values()))} of each model."
    parts = [f"{model} {per_cent(mean)} ({counted(shares[model].size, 'item')})" for model, mean in means.items()]
    return f"{scale.remark}: {', '.join(parts)}."
