"""Items whose samples stand in separate rows: collected by model and item, in their order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..pool.account import WITHOUT_OUTPUT
from ..pool.problems import RecordTally
from .answers import list_of, object_of
from .joining import LOSS, MODEL, RUNS, UNSCORED
from .runs import FURTHER_RUNS

_FACTS = ("prompt", "choices", "answer")


@dataclass(frozen=True, slots=True)
class Output:
    """One output of a model: its text, and its answer, loss and log-probability if the file has them.

    It is ``unscored`` if it was scored and the score says neither right nor wrong. Without a text it is the score of an
    output that another row has, if there is one.
    """

    text: str | None
    answer: str | None = None
    loss: float | None = None
    logprob: float | None = None
    unscored: bool = False

    def completed(self, other: Output) -> Output | None:
        """Return the output with what another row says of it; None if that is another output."""
        is_half = (self.text is None) != (other.text is None) and None in (self.loss, other.loss)
        if not is_half:
            return None
        of_text, of_score = (self, other) if other.text is None else (other, self)
        answer = of_text.answer if of_score.answer is None else of_score.answer
        loss = of_text.loss if of_score.loss is None else of_score.loss
        return replace(of_text, answer=answer, loss=loss, unscored=loss is None and of_score.unscored)


class ItemOutputs:
    """Collects samples by model and item; what is known of an item is what its first rows say.

    Parameters
    ----------
    tally : RecordTally
        The problems' tally, which counts the rows: one that brings a sample or a new item is taken, one that says more
        of either completes it, one whose sample is there already is repeated, and another one without an output is left
        out.
    """

    def __init__(self, tally: RecordTally) -> None:
        self._tally = tally
        self._items: dict[tuple[str | None, str], tuple[int, dict[str, Any]]] = {}
        self._samples: dict[tuple[str | None, str], dict[int, Output]] = {}

    def add(self, row: int, record: Mapping[str, Any], sample: Output | None, place: int | None = None) -> bool:
        """Take one row.

        Parameters
        ----------
        row : int
            Its place in the file, from 1.
        record : mapping of str to Any
            The item's native keys with ``id``, and the model's name; None is unknown.
        sample : Output or None
            None if the row has no output.
        place : int, optional
            Which of the item's samples it is; by default the next.

        Returns
        -------
        bool
            False for a sample that is there already.
        """
        key = (record.get(MODEL), record["id"])
        facts = self._items.get(key, (row, None))[1]
        if sample is None:
            self._mark_without_output(row, record, facts)
        facts = self._items.setdefault(key, (row, {}))[1]
        for name, value in record.items():
            if value is not None:
                facts.setdefault(name, value)
        samples = self._samples.setdefault(key, {})
        if sample is None:
            return True
        if place is None:
            for number, known in samples.items():
                if (whole := known.completed(sample)) is not None:
                    samples[number] = whole
                    self._tally.complete(row)
                    return True
            place = len(samples)
        # Of a further run without an output, nothing is read but that there was one.
        is_further = sample.text is None and any(one.text is None for one in samples.values())
        is_new = samples.setdefault(place, sample) is sample
        if is_new and is_further:
            self._tally.leave_out(FURTHER_RUNS, row)
        elif is_new:
            self._tally.take(row)
        else:
            self._tally.repeat(row)
        return is_new

    def _mark_without_output(self, row: int, record: Mapping[str, Any], facts: Mapping[str, Any] | None) -> None:
        """Mark a row without an output, or whose outputs follow: the item's first row says what the item is."""
        if facts is None:
            self._tally.take(row)
        elif any(record.get(name) is not None and name not in facts for name in _FACTS):
            self._tally.complete(row)
        else:
            self._tally.leave_out(WITHOUT_OUTPUT, row)

    def records(self) -> Iterator[tuple[int, dict[str, Any], int]]:
        """Return the items as :meth:`core.readers.model_outputs.ModelOutputs.of` takes them."""
        for key, (row, item) in self._items.items():
            samples = [sample for _, sample in sorted(self._samples[key].items(), key=lambda pair: pair[0])]
            record = {
                **item,
                "generations": [sample.text or "" for sample in samples],
                RUNS: max(len(samples), item.get(RUNS, 1)),
            }
            if all(sample.text is None for sample in samples):
                record["generations"] = []
            if any(sample.answer is not None for sample in samples):
                record["generation_answers"] = [sample.answer for sample in samples]
            if samples and all(sample.logprob is not None for sample in samples):
                record["logprobs"] = [sample.logprob for sample in samples]
            record[LOSS] = samples[0].loss if samples else None
            if samples and samples[0].unscored:
                record[UNSCORED] = True
            yield row, record, sum(len(sample.text or "") for sample in samples)


def total_logprob(logprobs: Any) -> float | None:
    """Add the log-probabilities of the tokens, as OpenAI's chat completions have them; None unless all are known."""
    values = [object_of(token).get("logprob") for token in list_of(object_of(logprobs).get("content"))]
    known = [float(value) for value in values if isinstance(value, (int, float))]
    return sum(known) if len(known) == len(values) > 0 else None
