"""DeepEval: ``.deepeval/.latest_test_run.json``, ``.latest_run_full.json``, and ``test_run_<time>.json`` of its folder.

A test case is an item; cases with the same input and expected output are samples of one. A case that passes all its
metrics is right, as DeepEval counts it; each metric's score is kept as a column. Of a conversation, the last answer is
the output.

Source: confident-ai/deepeval 4.3.1, run; ``test_run/api.py`` and ``test_run/test_run.py``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from ...files.open import Source, path_of, stem
from ...files.sniff import OBJECT, Beginning
from ...pool.problems import Problems
from .. import chats
from ..item_rows import ItemOutputs, Output
from ..joining import MODEL, RUN
from ..json_records import object_of, objects_in, text_of, truth, whole
from ..model_outputs import Record, ResultsFormat
from ..verdicts import ScoreScale, number, says_nothing

_WRAPPER, _CASES, _CHATS = "testRunData", "testCases", "conversationalTestCases"
_REMEDY = "Use the file as DeepEval wrote it, .deepeval/.latest_test_run.json."


def recognises(beginning: Beginning) -> bool:
    """Whether this is a test run, or the latest one."""
    keys = beginning.keys
    return beginning.container == OBJECT and (_WRAPPER in keys or {_CASES, "metricsScores"} <= keys)


def outputs(source: Source, beginning: Beginning, problems: Problems) -> Iterator[Record]:
    """Read the test cases of a run."""
    value = object_of(whole(source, problems, _REMEDY))
    problems.stop()
    run = object_of(value.get(_WRAPPER, value))
    named = {MODEL: _model(run, source.name), RUN: text_of(run.get("identifier")) or stem(source.name)}
    cases = [*objects_in(run.get(_CASES)), *objects_in(run.get(_CHATS))]
    _report(run, cases, named[MODEL], problems)
    return _records(cases, named, problems)


FORMAT = ResultsFormat.declared("deepeval", recognises, outputs)


def _model(run: Mapping[str, Any], file: str) -> str:
    """Return the model that the hyperparameters name, or else the run's name, or the file's."""
    facts = {str(key).lower(): value for key, value in object_of(run.get("hyperparameters")).items()}
    named = next((facts[key] for key in ("model", "model_name", "llm") if isinstance(facts.get(key), str)), None)
    name = stem(path_of(file).name)
    return text_of(named) or text_of(run.get("identifier")) or ("DeepEval" if name.startswith(".latest") else name)


def _records(cases: list[dict[str, Any]], named: Mapping[str, Any], problems: Problems) -> Iterator[Record]:
    samples, ids = ItemOutputs(problems.tally), dict[str, str]()
    asked = [json.dumps([_question(case), case.get("expectedOutput")]) for case in cases]
    own, failed = _own_names(cases, asked), 0
    shares = ScoreScale("success", number).shares([case.get("success") for case in cases], problems)
    rows = problems.tally.records(list(zip(asked, cases, shares, strict=True)))
    for row, (key, case, share) in enumerate(rows, start=1):
        metrics = objects_in(case.get("metricsData") or case.get("metricsMetadata"))
        failed += any(metric.get("error") for metric in metrics)
        record = {
            **named,
            "id": ids.setdefault(key, str(case["name"]) if own else str(len(ids))),
            "prompt": _question(case),
            **truth(text_of(case.get("expectedOutput"))),
            **{f"metric_{metric.get('name') or metric.get('metric')}": metric.get("score") for metric in metrics},
        }
        samples.add(row, record, _output(case, share))
    if failed:
        problems.note(f"Test cases in which a metric ended with an error count as DeepEval counts them: {failed:,}.")
    return samples.records()


def _own_names(cases: list[dict[str, Any]], asked: list[str]) -> bool:
    """Whether each case has a name, and none is that of cases with different inputs."""
    keys: dict[str, str] = {}
    return all(
        case.get("name") and keys.setdefault(str(case["name"]), key) == key
        for case, key in zip(cases, asked, strict=True)
    )


def _question(case: Mapping[str, Any]) -> str | None:
    return text_of(case.get("input")) or chats.prompt(case.get("turns")) or text_of(case.get("scenario"))


def _output(case: Mapping[str, Any], share: float | None) -> Output | None:
    text = text_of(case.get("actualOutput")) or chats.reply(case.get("turns"))
    if text is None and share is None:
        return None
    return Output.of(text or "", share, not says_nothing(case.get("success")))


def _report(run: Mapping[str, Any], cases: list[dict[str, Any]], model: str, problems: Problems) -> None:
    """Compare the passes with those that the run counts."""
    passed, failed = (run.get(key) for key in ("testPassed", "testFailed"))
    own = [case["success"] for case in cases if isinstance(case.get("success"), bool)]
    if isinstance(passed, int) and isinstance(failed, int) and passed + failed:
        problems.tally.compare(model, "passed tests", passed / (passed + failed), own)
