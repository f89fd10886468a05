"""Leaderboards as a table: one row an item, one column a model, and how right it was: CSV, TSV or a workbook.

Scores are 1 where a model was right and 0 where not. If the columns are called as models, they may also be shares
between 0 and 1, or per cent; an empty cell, NaN or “n/a” is unknown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..pool.columns import COLUMNS
from ..pool.problems import Problems, shown
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
    shares: dict[str, list[float]] = {}
    read = ModelOutputs.of(_records(source, scale, shares, problems), problems)
    return ModelOutputs(read.table, (*read.notes, _statement(scale, shares)))


FORMAT = ResultsFormat("leaderboard tables", recognises, outputs, {"loss": "a column a model, 1 right and 0 wrong"})


def _records(
    source: Source, scale: _Scale, shares: dict[str, list[float]], problems: Problems
) -> Iterator[tuple[int, dict[str, Any], int]]:
    header, rows = headed(source, problems)
    models = _models(header)
    for row, cells in rows:
        if len(cells) != len(header):
            problems.add(f"there are {len(cells)} cells under {len(header)} columns.", row, remedy="Mend the row.")
            continue
        facts = {_NAMES.get(name, name): cells[place] for place, name in enumerate(header) if place and name in _ITEM}
        facts = {name: value for name, value in facts.items() if value}
        if plain_key(header[0]) in ("question", "prompt"):
            facts["prompt"] = cells[0]
        if all(says_nothing(cells[place]) for place in models):
            problems.tally.leave_out("rows without a score", row)
        for place, model in models.items():
            if says_nothing(cells[place]):
                continue
            share = scale.share(cells[place])
            if share is None:
                message = f"{shown(cells[place], 30)} is not {scale.words}."
                problems.add(message, row, header[place], "Write how right the model was, 1 for right and 0 for wrong.")
            else:
                shares.setdefault(model, []).append(share)
                yield row, {MODEL: model, "id": cells[0].strip(), LOSS: 1 - share, **facts}, 0


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


def _statement(scale: _Scale, shares: Mapping[str, Sequence[float]]) -> str:
    """Say what the scores are read as, and what follows."""
    means = {model: sum(some) / len(some) for model, some in shares.items()}
    if not means:
        return f"{scale.remark}."
    if len(means) > _MOST_NAMED:
        return f"{scale.remark}: {per_cent(min(means.values()))} to {per_cent(max(means.values()))} of each model."
    parts = [f"{model} {per_cent(mean)} ({counted(len(shares[model]), 'item')})" for model, mean in means.items()]
    return f"{scale.remark}: {', '.join(parts)}."
