"""Leaderboards as a table: one row an item, one column a model, 1 where it was right and 0 where not; CSV or TSV."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..pool.columns import COLUMNS
from ..pool.problems import Problems, shown
from .beginning import TABLE, WORKBOOK, Beginning
from .csv_table import headed
from .joining import LOSS, MODEL
from .model_outputs import ModelOutputs, ResultsFormat
from .source import Source
from .wide_names import NUMBERED, outcome_of

_IDS = ("id", "item", "item_id", "question_id", "instance_id", "doc_id", "index", "")
_ITEM = frozenset({"prompt", "question", "group", "category", "subject", "task", "answer"})
_NAMES = {"question": "prompt", "category": "group", "subject": "group", "task": "group"}
_SCORES = {"": None, "1": 0.0, "0": 1.0, "1.0": 0.0, "0.0": 1.0, "true": 0.0, "false": 1.0}


def recognises(beginning: Beginning) -> bool:
    """Whether the first rows hold nothing but ids, facts of items, and ones and zeros of at least two models."""
    if beginning.container not in (TABLE, WORKBOOK) or len(beginning.rows) < 2:
        return False
    header, *rows = beginning.rows
    models = _models(header)
    native = any(outcome_of(name) or NUMBERED.fullmatch(name) for name in header)
    if len(models) < 2 or not _is_id(header[0]) or native:
        return False
    cells = [row[place] for row in rows for place in models if place < len(row)]
    return any(cells) and all(cell.strip().lower() in _SCORES for cell in cells)


def outputs(source: Source, beginning: Beginning, problems: Problems) -> ModelOutputs:
    """Read the table."""
    return ModelOutputs.of(_records(source, problems), problems)


FORMAT = ResultsFormat("leaderboard tables", recognises, outputs, {"loss": "a column a model, 1 right and 0 wrong"})


def _records(source: Source, problems: Problems) -> Iterator[tuple[int, dict[str, Any], int]]:
    header, rows = headed(source, problems)
    models = _models(header)
    for number, cells in rows:
        if len(cells) != len(header):
            problems.add(f"there are {len(cells)} cells under {len(header)} columns.", number, remedy="Mend the row.")
            continue
        facts = {_NAMES.get(name, name): cells[place] for place, name in enumerate(header) if name in _ITEM}
        facts = {name: value for name, value in facts.items() if value}
        if not any(cells[place].strip() for place in models):
            problems.tally.leave_out("rows without a score", number)
        for place in models:
            cell = cells[place].strip().lower()
            if cell not in _SCORES:
                message = f"{shown(cells[place], 30)} is neither 1, 0 nor empty."
                problems.add(message, number, header[place], "Write 1 where the model was right and 0 where not.")
            elif _SCORES[cell] is not None:
                yield number, {MODEL: header[place], "id": cells[0].strip(), LOSS: _SCORES[cell], **facts}, 0


def _models(header: list[str]) -> list[int]:
    return [place for place, name in enumerate(header) if place and name and name not in _ITEM and name not in COLUMNS]


def _is_id(name: str) -> bool:
    return name.strip().lower() in _IDS
