"""OpenAI Batch and ``vllm run-batch``: files of output, joined to a pool; and files of requests, for the questions.

A line of output answers one request: ``custom_id`` names the item, also with the number of the sample behind it
(``q7#s3``); the ``n`` choices of a request are samples. Requests that Neyman writes name the item by its place in the
pool. Answers of ``/v1/chat/completions``, ``/v1/completions`` and ``/v1/responses`` are read.

Sources: OpenAI's reference of the Batch API (November 2026); vLLM 0.32, ``entrypoints/openai/run_batch.py``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from ...files.open import Source, path_of, stem
from ...files.sniff import Beginning
from ...pool.problems import Problems, shown
from ...words import listed
from ..item_rows import ItemOutputs, Output, total_logprob
from ..joining import MODEL
from ..json_records import FileRow, object_of, objects_in, question_of, said, text_of, tool_lines
from ..model_outputs import Record, ResultsFormat, has_keys
from ..resolve_ids import PLACE, REQUEST

_OF_NEYMAN = re.compile(r"[0-9a-f]{16}-(\d{1,9})-(\d{1,4})-\d{1,4}")
_NUMBERED = re.compile(r"(?P<item>.+?)(?:#s|[-_.:#]sample[-_]?)(?P<sample>\d{1,6})", re.DOTALL)
_MOST_CHOICES = 10_000
_FIELDS = frozenset({"id", "custom_id", "response", "error"})
_REMEDY = "Use the file as the batch service wrote it."


def outputs(source: Source, beginning: Beginning, problems: Problems) -> Iterator[Record]:
    """Read the answers, or the questions, of one batch."""
    return (_answers if "response" in beginning.keys else _requests)(source, problems)


FORMAT = ResultsFormat.declared("batch_output", has_keys(("custom_id", "response"), ("custom_id", "body")), outputs)


def _lines(source: Source, problems: Problems) -> Iterator[FileRow]:
    for row, _, line in tool_lines(source, problems):
        if isinstance(line, dict) and isinstance(line.get("custom_id"), str) and line["custom_id"].strip():
            yield row, line
        else:
            problems.add("the line has no custom_id.", row, "custom_id", _REMEDY)


def _named(custom_id: str) -> tuple[dict[str, Any], int]:
    """Return the item that a request is about, and the number of its first sample."""
    place = _OF_NEYMAN.fullmatch(custom_id)
    if place:
        return {"id": str(int(place[1])), PLACE: int(place[1])}, int(place[2])
    sample = _NUMBERED.fullmatch(custom_id)
    return ({"id": sample["item"]}, int(sample["sample"])) if sample else ({"id": custom_id}, 0)


def _requests(source: Source, problems: Problems) -> Iterator[Record]:
    earlier: set[str] = set()
    for row, line in _lines(source, problems):
        item, _ = _named(line["custom_id"])
        body = line.get("body")
        if item["id"] in earlier:
            problems.tally.repeat(row)
            continue
        if not isinstance(body, dict):
            problems.tally.leave_out("requests without a body", row)
            continue
        earlier.add(item["id"])
        prompt = question_of(body.get("messages") or body.get("prompt") or body.get("input"))
        yield row, {**item, "prompt": prompt, MODEL: "requests", REQUEST: True}, len(prompt or "")


def _answers(source: Source, problems: Problems) -> Iterator[Record]:
    samples, failures, again = ItemOutputs(problems.tally), Counter[str](), 0
    first: dict[str, str] = {}
    model = stem(path_of(source.name).name)
    answered: str | None = None
    others: dict[str, None] = {}
    for row, line in _lines(source, problems):
        others |= dict.fromkeys(line.keys() - _FIELDS)
        item, number = _named(line["custom_id"])
        body, reason = _body(line)
        choices = _choices(body) if body is not None else []
        if body is not None and not choices:
            reason = "no text in the answer"
        if reason is not None:
            failures[reason] += 1
            first.setdefault(reason, line["custom_id"])
        answered = answered or (text_of(body.get("model")) if body is not None else None)
        samples.add(row, item, None)
        for place, sample in choices:
            again += not samples.add(row, item, sample, number * _MOST_CHOICES + place)
    for reason, count in failures.most_common(5):
        problems.note(f"Requests without an answer: {count:,} ({shown(reason)}; the first is {shown(first[reason])}).")
    if others:
        problems.note(f"Fields not used: {listed([shown(name) for name in sorted(others)])}.")
    if again:
        problems.note(f"Repeated answers to a request are left out: {again:,}.")
    for row, record, size in samples.records():
        yield row, {MODEL: answered or model, **record}, size


def _body(line: Mapping[str, Any]) -> tuple[dict[str, Any] | None, str | None]:
    """Return the answer's body, or why there is none."""
    response, error = object_of(line.get("response")), line.get("error")
    body, status = response.get("body"), response.get("status_code")
    if isinstance(body, dict) and status in (None, 200) and not error and not body.get("error"):
        return body, None
    if not error and isinstance(body, dict):
        error = body.get("error") or body.get("message")
    if isinstance(error, dict):
        error = error.get("code") or error.get("message") or error.get("type")
    return None, text_of(error) or f"status {text_of(status) or 'unknown'}"


def _choices(body: Mapping[str, Any]) -> list[tuple[int, Output]]:
    """Return the texts of an answer with their numbers; choices that are all numbered alike stand in their order."""
    given = body.get("choices")
    if not isinstance(given, list):
        text = _response_text(body.get("output"))
        return [] if text is None else [(0, Output(text))]
    samples = []
    for place, choice in enumerate(given[:_MOST_CHOICES]):
        if isinstance(choice, dict):
            message, number = choice.get("message"), choice.get("index")
            text = said(message.get("content")) if isinstance(message, dict) else said(choice.get("text"))
            sample = Output(text or "", logprob=total_logprob(choice.get("logprobs")))
            samples.append((number if type(number) is int and 0 <= number < _MOST_CHOICES else place, sample))
    if len({number for number, _ in samples}) < len(samples):
        samples = [(place, sample) for place, (_, sample) in enumerate(samples)]
    return samples


def _response_text(output: Any) -> str | None:
    """Return what the messages of ``/v1/responses`` say."""
    texts = [said(one.get("content")) for one in objects_in(output) if one.get("type", "message") == "message"]
    return "\n".join(text for text in texts if text) or None
