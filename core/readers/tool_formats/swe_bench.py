"""SWE-bench reports, ``<model>.<run>.json``: which instances a model resolved, and what became of the others.

An instance is an item, and resolved is right. As in SWE-bench's own count, instances with an empty patch, without a
patch or with an error are not resolved. Of instances that were not run, right or wrong is unknown. A report has neither
questions nor patches.

Source: SWE-bench/SWE-bench 4.1, ``harness/reporting.py``; before 2.0, ``results.json``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...files.open import Source, stem
from ...files.sniff import OBJECT, Beginning
from ...pool.problems import Problems
from ...words import counted, per_cent
from ..joining import LOSS, MODEL
from ..json_records import FileRow, list_of, object_of, whole
from ..model_outputs import Record, ResultsFormat

_RESOLVED = ("resolved_ids", "resolved")
# What is not resolved, and what it is called in a remark.
_OTHERS = {
    "unresolved_ids": "",
    "empty_patch_ids": "with an empty patch",
    "error_ids": "with an error",
    "no_generation": "without a patch",
    "no_apply": "whose patch did not apply",
    "test_errored": "with an error",
    "test_timeout": "that ran out of time",
    "install_fail": "that could not be installed",
    "reset_failed": "with an error",
    "with_logs": "",
    "applied": "",
    "generated": "",
    "completed_ids": "",
    "submitted_ids": "",
}
# What was not run.
_OPEN = ("incomplete_ids", "no_logs")
_BESIDE = frozenset({"unresolved_ids", "submitted_ids", "completed_ids", "empty_patch_ids", "error_ids"})
_OF_RESULTS = frozenset({"generated", "applied", "no_generation", "with_logs", "no_logs", "test_errored"})
_REMEDY = "Use the report as SWE-bench wrote it."


def recognises(beginning: Beginning) -> bool:
    """Whether an object has the lists of a report, or those of the results of earlier versions."""
    keys = beginning.keys
    if "results" in keys:
        # Terminal-Bench has such lists beside its trials.
        return False
    report = "resolved_ids" in keys and bool(keys & (_BESIDE | {"total_instances", "resolved_instances"}))
    return beginning.container == OBJECT and (report or ("resolved" in keys and len(keys & _OF_RESULTS) > 1))


def outputs(source: Source, beginning: Beginning, problems: Problems) -> Iterator[Record]:
    """Read which instances one model resolved."""
    report = object_of(whole(source, problems, _REMEDY))
    problems.stop()
    records = list(_records(report, source.name, problems))
    _report(report, records, problems)
    return ((row, record, 0) for row, record in problems.tally.records(records))


FORMAT = ResultsFormat.declared("swe_bench", recognises, outputs)


def _records(report: Mapping[str, Any], name: str, problems: Problems) -> Iterator[FileRow]:
    resolved = dict.fromkeys(one for key in _RESOLVED for one in _ids(report, key, problems))
    known = dict.fromkeys(resolved)
    losses: dict[str, float | None] = dict.fromkeys(resolved, 0.0)
    for key, reason in _OTHERS.items():
        others = [one for one in _ids(report, key, problems) if one not in known]
        known |= dict.fromkeys(others)
        losses |= dict.fromkeys(others, 1.0)
        if reason and others:
            named = counted(len(others), "instance")
            problems.note(f"{named} {reason} {'counts' if len(others) == 1 else 'count'} as not resolved.")
    left = [one for key in _OPEN for one in _ids(report, key, problems) if one not in known]
    if left := list(dict.fromkeys(left)):
        problems.note(f"{counted(len(left), 'instance was', 'instances were')} not run: right or wrong is not known.")
    problems.stop()
    for row, one in enumerate([*known, *left], start=1):
        problems.tally.take(row)
        yield row, {MODEL: _model(name), "id": one, LOSS: losses.get(one), "answer_kind": "text"}


def _ids(report: Mapping[str, Any], key: str, problems: Problems) -> list[str]:
    given = report.get(key)
    names = [one for one in list_of(given) if isinstance(one, str) and one.strip()]
    if given is not None and (not isinstance(given, list) or len(names) < len(given)):
        problems.add("the list of instances does not hold their ids.", field=key, remedy=_REMEDY)
    return names


def _report(report: Mapping[str, Any], records: list[FileRow], problems: Problems) -> None:
    """Compare the number of resolved instances with that which the report has."""
    resolved, total = report.get("resolved_instances"), report.get("total_instances")
    if isinstance(resolved, int) and isinstance(total, int) and total:
        own = sum(record[LOSS] == 0 for _, record in records)
        left = sum(record[LOSS] is None for _, record in records)
        if own == resolved and 0 < left < total:
            problems.note(
                f"The report’s share of resolved instances, {per_cent(own / total)}, is of all {total:,}; of the "
                f"{total - left:,} that were run it is {per_cent(own / (total - left))}."
            )
        problems.tally.report(records[0][1][MODEL] if records else "", "resolved", resolved / total, own / total)


def _model(name: str) -> str:
    """Take the model from a file's name: “gpt-4o.my_run.json” → “gpt-4o”."""
    return stem(name).partition(".")[0] if stem(name).count(".") == 1 else stem(name)
