"""lighteval: ``details_<task>_<time>.parquet`` (``--save-details``); the texts of a response are the samples.

The columns are ``doc``, ``model_response`` and ``metric`` (lighteval 0.13), before that ``__doc__`` and so on.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping
from string import ascii_uppercase
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ...files.open import Source, path_of, stem
from ...files.sniff import PARQUET, Beginning
from ...pool.problems import Problems, shown
from ...words import listed
from ..field_names import is_fault
from ..joining import MODEL, TASK, scored
from ..json_records import filled, kind_of, object_of
from ..model_outputs import Record, ResultsFormat
from ..verdicts import ScoreScale, number_of

_DOC, _RESPONSE, _METRIC = "doc", "model_response", "metric"
_FILE = re.compile(r"details_(?P<task>.+)_(?P<date>\d{4}-\d\d-\d\dT[\d.:-]+)")
_BATCH = 1_024
_REMEDY = "Use the file as lighteval wrote it (--save-details)."
_DAMAGED = (pa.ArrowException, OSError, ValueError, TypeError, MemoryError, NotImplementedError)


def recognises(beginning: Beginning) -> bool:
    """Whether the columns are those of details."""
    return beginning.container == PARQUET and {name.strip("_") for name in beginning.keys} >= {_DOC, _RESPONSE}


def outputs(source: Source, beginning: Beginning, problems: Problems) -> Iterator[Record]:
    """Read one model's details of one task."""
    path = path_of(source.name)
    match = _FILE.match(path.name)
    folder = path.parent.parent.name  # …/details/<organisation>/<model>/<time>/details_…
    model = folder or (f"lighteval {match['date'][:16]}" if match else stem(path.name))
    columns = [name for name in beginning.keys if name.strip("_") in (_DOC, _RESPONSE, _METRIC)]
    row, scores, beyond = 0, dict[str, list[float]](), dict[str, list[float]]()
    try:
        origin = pa.BufferReader(source.data) if source.path is None else str(source.path)
        with pq.ParquetFile(origin) as file:
            beyond = _beyond(file, [name for name in columns if name.strip("_") == _METRIC])
            for batch in file.iter_batches(_BATCH, columns=columns):
                for given in problems.tally.records(batch.to_pylist()):
                    row += 1
                    line = {name.strip("_"): value for name, value in given.items()}
                    metric, score = _score(line.get(_METRIC), beyond)
                    if score is not None:
                        scores.setdefault(metric, []).append(score)
                    try:
                        record = _record(line, row) | scored(score, bool(beyond))
                    except (KeyError, TypeError, AttributeError, IndexError, ValueError):
                        message = "the details are neither of texts nor of options, or they are stored as text."
                        problems.add(message, row, remedy=_REMEDY)
                        continue
                    yield row, {MODEL: model, TASK: match["task"] if match else None, **record}, 0
    except _DAMAGED as error:
        problems.add(f"the Parquet file is damaged ({str(error)[:100]}).", remedy="Write or download it again.")
    for metric in () if scores else beyond:
        ScoreScale(metric).shares(beyond[metric], problems)
    if scores:
        problems.note(f"Scores are those of {listed(list(map(shown, scores)))}: 1 is read as right.")
    if len(scores) == 1 and match is not None:
        ((metric, shares),) = scores.items()
        problems.tally.compare(model, metric, None, shares, match["task"])


def _record(line: Mapping[str, Any], row: int) -> dict[str, Any]:
    doc, response = line[_DOC], line[_RESPONSE]
    choices = [str(one).strip() for one in doc.get("choices") or ()]
    gold = doc.get("gold_index")
    gold = gold[0] if isinstance(gold, list) and gold else gold
    right = choices[gold] if isinstance(gold, int) and 0 <= gold < len(choices) else None
    options = choices if len(choices) > 1 else None
    letters = set(choices) <= set(ascii_uppercase)
    answer = right if options is None or letters or gold is None else ascii_uppercase[gold]
    texts = response.get("text") or []
    if not texts and options:
        likelihoods = [float(one) for one in response["logprobs"]]
        if len(likelihoods) != len(options):
            raise ValueError
        best = max(range(len(options)), key=likelihoods.__getitem__)
        texts = [options[best] if letters else ascii_uppercase[best]]
    record = {
        "id": str(row if doc.get("id") in (None, "") else doc["id"]),
        "prompt": str(doc["query"]),
        "choices": None if letters else options,
        "answer": answer,
        "answer_kind": kind_of(answer, options),
        "generations": [str(text) for text in texts],
    }
    return filled(record)


def _score(metrics: Any, beyond: Container[str]) -> tuple[str, float | None]:
    """Return the first metric that is a share and of which 1 is good, and its name."""
    known = ((name, value) for name, value in _values(metrics) if name not in beyond)
    return next(known, ("", None))


def _values(metrics: Any) -> list[tuple[str, float]]:
    """Return the metrics that are numbers and of which 1 is good."""
    read = ((name, number_of(value)) for name, value in object_of(metrics).items() if not is_fault(name))
    return [(name, value) for name, value in read if value is not None]


def _beyond(file: pq.ParquetFile, columns: list[str]) -> dict[str, list[float]]:
    """Return the metrics that go beyond 0 to 1, so that none of their values is a share, with their values."""
    found = dict[str, list[float]]()
    for batch in file.iter_batches(_BATCH, columns=columns) if columns else ():
        for metrics in batch.column(0).to_pylist():
            for name, value in _values(metrics):
                found.setdefault(name, []).append(value)
    return {name: values for name, values in found.items() if min(values) < 0 or max(values) > 1}


FORMAT = ResultsFormat.declared("lighteval", recognises, outputs)
