"""Ragas: the table of an evaluation, ``result.to_pandas()`` written as CSV, JSON, JSON Lines or Parquet.

A row is a sample; rows with the same question and reference are samples of one item, of several models if a column
``model`` names them. Columns beside those of the sample
are metrics. The score is the first metric of correctness, or else the first of which 1 is good; all are kept. A
reference is a text that a metric has compared, so it is kept as ``reference`` and not compared word by word.

Source: explodinggradients/ragas 0.4.3, run; 0.1 to 0.4, ``dataset_schema.py`` and ``metrics``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from ...files.open import Source, path_of, stem
from ...files.sniff import ZIP, Beginning
from ...pool.problems import Problems
from .. import chats
from ..field_names import is_fault
from ..file_rows import rows_of
from ..item_rows import ItemOutputs, Output
from ..joining import MODEL
from ..json_records import FileRow, objects_in, text_of
from ..model_outputs import Record, ResultsFormat
from ..paths import entered
from ..verdicts import ScoreScale, in_order_of_names, number

# Columns of a sample, since 0.2 and before.
_QUESTION, _RESPONSE, _REFERENCE = ("user_input", "question"), ("response", "answer"), ("reference", "ground_truth")
_CONTEXTS = ("retrieved_contexts", "contexts")
_OF_THE_SAMPLE = frozenset(
    {*_QUESTION, *_RESPONSE, *_REFERENCE, *_CONTEXTS, "ground_truths", "multi_responses", "rubrics", "metadata", "id"}
    | {"reference_contexts", "retrieved_context_ids", "reference_context_ids", "reference_tool_calls", "index", ""}
    | {"persona_name", "query_style", "query_length", "synthesizer_name", "evolution_type", "episode_done"}
    | {"reference_topics"}
)
_CORRECT = re.compile(
    r"(answer_correctness|factual_correctness|(nv|answer)_accuracy|exact_match|string_present|agent_goal_accuracy\w*"
    r"|tool_call_accuracy|llm_sql_equivalence\w*|correctness)(\(.*\))?"
)
_KNOWN = re.compile(
    rf"{_CORRECT.pattern}|(faithfulness\w*|(answer|response)_relevancy|\w*context_(precision|recall|relevancy)\w*"
    r"|context_entity_recall|answer_similarity|\w*(semantic|string)_similarity|noise_sensitivity\w*|summary_score"
    r"|(bleu|rouge|chrf)_score|harmfulness|maliciousness|coherence|conciseness|topic_adherence|tool_call_f1)(\(.*\))?"
)


def recognises(beginning: Beginning) -> bool:
    """Whether the columns are those of samples with responses, and of a metric or, since 0.2, of contexts."""
    keys, measured = beginning.keys, any(map(_KNOWN.fullmatch, beginning.keys))
    if beginning.container == ZIP:
        return False
    is_new = keys >= {"user_input", "response"} and (measured or "retrieved_contexts" in keys)
    return is_new or (keys >= {"question", "answer", "contexts"} and measured)


def outputs(source: Source, beginning: Beginning, problems: Problems) -> Iterator[Record]:
    """Read the samples of an evaluation."""
    rows = list(rows_of(source, problems))
    problems.stop()
    return _records(rows, stem(path_of(source.name).name), problems)


FORMAT = ResultsFormat.declared("ragas", recognises, outputs)


def _records(rows: Sequence[FileRow], model: str, problems: Problems) -> Iterator[Record]:
    metrics = _metrics([row for _, row in rows])
    scores = in_order_of_names(metrics)
    ranked = chain(filter(_CORRECT.fullmatch, scores), (name for name in scores if not is_fault(name)), scores)
    chosen = next(ranked, None)
    shares: list[float | None] = [None] * len(rows)
    if chosen is not None:
        values, others = [_value(row.get(chosen)) for _, row in rows], [name for name in metrics if name != chosen]
        shares = ScoreScale(chosen, number).right(values, problems, others)
    samples, places = ItemOutputs(problems.tally), dict[str, str]()
    for (place, row), share in zip(rows, shares, strict=True):
        question, reference = _first(row, _QUESTION), _first(row, _REFERENCE)
        response = text_of(_first(row, _RESPONSE))
        chat = entered(question)
        contexts = entered(_first(row, _CONTEXTS))
        record = {
            MODEL: text_of(row.get("model")) or model,
            "id": places.setdefault(json.dumps([question, reference], default=str), str(len(places) + 1)),
            "prompt": chats.prompt(_messages(chat)) or text_of(question),
            "reference": text_of(reference),
            "contexts": "\n\n".join(map(str, contexts)) if isinstance(contexts, list) else text_of(contexts),
            **{name: number(_value(row.get(name))) for name in metrics},
        }
        output = Output.of(response or "", share, chosen is not None)
        samples.add(place, record, None if response is None and share is None else output)
    return samples.records()


def _metrics(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the columns of numbers, or of verdicts, that are none of a sample."""
    names = dict.fromkeys(name for row in rows for name in row if name not in _OF_THE_SAMPLE)
    values = {name: [_value(row[name]) for row in rows if _value(row.get(name)) is not None] for name in names}
    return [name for name, some in values.items() if some and all(number(one) is not None for one in some)]


def _value(value: Any) -> Any:
    """Return a cell, None if pandas wrote that it has no value."""
    blank = value != value or (isinstance(value, str) and value.strip().lower() in ("", "nan", "none"))
    return None if blank else value


def _first(row: Mapping[str, Any], names: Sequence[str]) -> Any:
    return next((row[name] for name in names if _value(row.get(name)) is not None), None)


def _messages(chat: Any) -> Any:
    """Return the messages of a chat with the roles that other tools have."""
    return [{**one, "role": one.get("type")} for one in objects_in(chat)] if isinstance(chat, list) else None
