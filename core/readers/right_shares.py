"""The values read as right in files of results, in a sentence with the share of each model that follows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pyarrow.compute as pc

from ..words import counted, listed, per_cent
from .joining import LOSS, MODEL
from .model_outputs import ModelOutputs
from .model_results import ModelResults
from .own_totals import parsed_losses

_MOST_NAMED = 3
_UNKNOWN = (float("nan"), 0)
# How the place of a score ends that names what is right there.
IS_RIGHT = " is right"
_BY_ANSWERS = "An output is right if its parsed answer is the right answer"


def with_right_shares(results: ModelResults, files: Sequence[ModelOutputs]) -> ModelResults:
    """Say for each score of the files what is read as right, and which share of the items that is.

    Parameters
    ----------
    results : ModelResults
        The results.
    files : sequence of ModelOutputs
        The files that they are made of. A format that declares no score says itself what its scores mean, or has none.

    Returns
    -------
    ModelResults
        With a note for each score, and one for outputs that are compared with right answers.
    """
    rules: dict[str, dict[str, tuple[float, int]]] = {}
    known_formats = [(file.origin, file) for file in files if file.origin is not None and file.origin.format]
    # Scores may stand in another file of the run than the outputs; nothing is compared then.
    scored = {(origin.format, model) for origin, file in known_formats for model in _models(file, LOSS)}
    known_of = {model: results.known(model) for model in results.models}
    are_answers = any(_has(file, "answer") for file in files)
    for origin, file in known_formats:
        for model in _models(file, LOSS) if "loss" in origin.fields else ():
            column = origin.fields["loss"]
            rule = f"A score of 1, “yes” or “correct” counts as right (score: {column})"
            rule = f"Scores are in {column}" if column.endswith(IS_RIGHT) else rule
            rules.setdefault(rule, {})[model] = known_of.get(model, _UNKNOWN)
        for model in _models(file, "generations") if are_answers else ():
            known = known_of.get(model, _UNKNOWN)
            known = known if known[1] else _parsed(file, model)
            if (origin.format, model) not in scored and known[1]:
                rules.setdefault(_BY_ANSWERS, {})[model] = known
    notes = []
    for rule, shares in rules.items():
        said = share_words({model: known for model, known in shares.items() if known[1]})
        notes.append(f"{rule}{': ' if said else ''}{said}.")
    return replace(results, notes=(*results.notes, *notes))


def _parsed(file: ModelOutputs, model: str) -> tuple[float, int]:
    losses = parsed_losses(file.table.filter(pc.equal(file.table.column(MODEL), model)), 1)
    return (1 - float(losses.mean()), losses.size) if losses.size else _UNKNOWN


def share_words(shares: Mapping[str, tuple[float, int]]) -> str:
    """Say which share of how many items each model has right; of many models, from which to which."""
    if len(shares) > _MOST_NAMED:
        least, most = (per_cent(end(share for share, _ in shares.values())) for end in (min, max))
        return f"{len(shares)} models have {least} to {most} of their items right"
    return listed(
        [f"{model} has {per_cent(share)} of {counted(n, 'item')} right" for model, (share, n) in shares.items()]
    )


def _has(file: ModelOutputs, column: str) -> bool:
    return column in file.table.column_names and file.table.column(column).null_count < file.table.num_rows


def _models(file: ModelOutputs, column: str) -> list[str]:
    """List the models that have anything in a column."""
    if column not in file.table.column_names:
        return []
    names = pc.unique(file.table.filter(file.table.column(column).is_valid()).column(MODEL)).to_pylist()
    return [name for name in names if name]
