"""Names of targets whose columns are chosen by hand: as the column of their answers, or as the file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..files.open import stem
from .field_map import TEXT
from .field_names import JUDGES, OUTPUT_NAMES, WORDS, keys_of, words_of

# Words that tell no model's answers from another's: of answers, of what holds them, and of any model.
_ANY_OUTPUT = {
    *OUTPUT_NAMES,
    *WORDS["output"],
    *("model", "llm", "ai", "target", "assistant", "text", "content", "final", "raw", "value"),
    *("data", "item", "row", "results", "messages", "conversation", "conversations"),
}


def target_names(outcomes: Sequence[Mapping[str, str]], model: str, file: str) -> list[str]:
    """Name each target as the column of its answers, or else of its score.

    A single one is called ``model`` if a column of the file names the model, or if the answers' column says nothing of
    it, such as “answer” or “model_output”: logs of several versions have the same columns, and differ in their names.

    Parameters
    ----------
    outcomes : sequence of mapping
        The paths of each target, as in `FieldMap.targets`; empty if none is chosen yet.
    model : str
        What a single target is called (`Shape.model`).
    file : str
        Name of the file.
    """
    columns = [next((paths[name] for name in (TEXT, *paths) if name in paths), "") for paths in outcomes]
    if sum(map(bool, columns)) > 1:
        return [column or f"target {number}" for number, column in enumerate(columns, 1)]
    names = [model, *(f"target {number}" for number in range(2, len(columns) + 1))]
    for place, paths in enumerate(outcomes):
        if TEXT in paths and model == usual_name(file) and not _says_nothing(paths[TEXT]):
            names[place] = paths[TEXT]
        elif paths:
            names[place] = model
    return names


def usual_name(file: str) -> str:
    """Return what a single target is called if no column names it: as the file, unless that is called as a judge."""
    name = stem(file)
    return name if JUDGES.isdisjoint(words_of(name)[-1]) else "target"


def _says_nothing(column: str) -> bool:
    """Whether a column may be called so whatever model it is of."""
    keys = zip(keys_of(column), words_of(column), strict=True)
    return all(key in _ANY_OUTPUT or all(one in _ANY_OUTPUT or one.isdecimal() for one in words) for key, words in keys)
