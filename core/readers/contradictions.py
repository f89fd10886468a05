"""Scores that say otherwise than the right answers beside them: they may be about something else."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from ..answers import EXTRACTED, OPEN, parse
from ..pool.columns import TARGETS
from ..pool.problems import shown
from ..words import counted, per_cent
from .answers import alike, kind_of
from .field_map import RIGHT, TEXT, WRONG, FieldMap
from .field_names import CALLS_THAT_WENT_WELL, last_name

# So many outputs are compared; the score says otherwise if this share of them, and so many, are right and count as
# wrong.
_MOST, _SHARE, _LEAST = 5_000, 0.05, 2
_HALF = 0.5
# Kinds of which another answer is a wrong one.
_COMPARED = frozenset({"number", "choice"})


class Contradictions:
    """Counts the outputs of a file that are scored beside right answers, and those whose score says otherwise.

    Parameters
    ----------
    fields : FieldMap
        Where outputs, scores and right answers are.
    """

    def __init__(self, fields: FieldMap) -> None:
        self._fields = fields
        of_models = fields.targets.items() if "answer" in fields.fields else ()
        self._scores = {
            model: paths.get(RIGHT) or paths[WRONG]
            for model, paths in of_models
            if {RIGHT, WRONG} & paths.keys() and (TEXT in paths or "generations" in fields.fields)
        }
        self._counts = {model: _ScoredOutputs() for model in self._scores}

    def look(self, value: Any, record: Mapping[str, Any], row: int) -> None:
        """Look at the scored outputs of a row."""
        outcomes = record.get(TARGETS, {})
        for model, counts in self._counts.items():
            outcome = outcomes.get(model, {})
            said = outcome.get("answer") or outcome.get("text") or next(iter(record.get("generations") or ()), None)
            loss = outcome.get("loss")
            if counts.compared == _MOST or loss is None or not isinstance(said, str):
                continue
            answers = self._fields.right_answers(value, record) or [record.get("answer")]
            answers = [str(one) for one in answers if one is not None and not isinstance(one, (list, dict))]
            kind, choices = record.get("answer_kind"), record.get("choices")
            if answers and kind != OPEN:
                options = choices if isinstance(choices, list) else None
                counts.add(_is_one_of(said, answers, kind, options), loss, row, _is_compared(answers, kind, options))

    @property
    def remark(self) -> str:
        """A sentence for each target whose score says otherwise, with the shares of both; otherwise empty."""
        return " ".join(filter(None, (self._remark(model) for model in self._counts)))

    def _remark(self, model: str) -> str:
        counts, path = self._counts[model], self._scores[model]
        least = max(_LEAST, _SHARE * counts.compared)
        # Of a call, success says nothing of the answer.
        is_of_calls = last_name(path) in CALLS_THAT_WENT_WELL and counts.beyond >= least
        if counts.against < least and not is_of_calls:
            return ""
        paths = {name: one for name, one in self._fields.targets[model].items() if name not in (RIGHT, WRONG)}
        paths = paths or {TEXT: "PATH"}
        options = " ".join(f"--target {shlex.quote(f'{model}:{what}={of}')}" for what, of in paths.items())
        said = f"wrong of {counted(counts.against, 'output')} that are the right answer"
        first = counts.first
        if counts.against < least:
            said = f"right of {counted(counts.beyond, 'output')} that differ from the right answer"
            first = counts.first_beyond
        return (
            f"{shown(path)} says {said} (the first is in row {first}): {per_cent(counts.equal / counts.compared)} of "
            f"{counts.compared:,} outputs are the right answer, and by {shown(path)}, which counts, "
            f"{per_cent(counts.right / counts.compared)} are right. If it is about something else, leave it out (in a "
            f"shell: {options}), and outputs are compared."
        )


class _ScoredOutputs:
    """Counts of outputs: compared, equal to a right answer, right by their score, and where the two differ."""

    def __init__(self) -> None:
        self.compared, self.equal, self.right, self.against, self.first = 0, 0, 0.0, 0, 0
        self.beyond, self.first_beyond = 0, 0

    def add(self, is_equal: bool, loss: float, row: int, is_compared: bool) -> None:
        self.compared += 1
        self.equal += is_equal
        self.right += 1 - loss
        if is_equal and loss > _HALF:
            self.against += 1
            self.first = self.first or row
        if is_compared and not is_equal and loss < _HALF:
            self.beyond += 1
            self.first_beyond = self.first_beyond or row


def _is_compared(answers: Sequence[str], kind: str | None, choices: Sequence[str] | None) -> bool:
    """Whether another answer than the right ones is a wrong one, however it is said."""
    return all((kind or kind_of(answer, choices)) in _COMPARED for answer in answers)


def _is_one_of(said: str, answers: Sequence[str], kind: str | None, choices: Sequence[str] | None) -> bool:
    """Whether an output is one of some right answers, each read by its kind."""
    for answer in answers:
        how = kind or kind_of(answer, choices)
        short = EXTRACTED.get(how, how)
        read, right = parse(said, how, choices), parse(answer, short, choices)
        if read is not None and right is not None and alike(read, right, how):
            return True
    return False
