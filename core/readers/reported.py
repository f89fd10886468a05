"""Means of scores for each model and task as files of totals report them, to compare with the scores that were read.

Source: lm-evaluation-harness 0.4, ``loggers/evaluation_tracker.py``; lighteval 0.13, ``logging/evaluation_tracker.py``;
EvalScope 1.14, ``report/report.py``; HELM 0.5, ``benchmark/metrics/statistic.py``; OpenCompass 0.5,
``summarizers/default.py``; every_eval_ever, ``eval.schema.json``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any

from ..pool.tool_totals import ToolTotal
from .answers import text_of
from .values import object_of, objects_in

_DATE = re.compile(r"(\d{4}-\d\d-\d\dT[\d.:-]+)")
_OF_HELM = ("exact_match", "quasi_exact_match", "final_number_exact_match", "prefix_exact_match")
_MODEL = re.compile(r",?model(?:_deployment)?=([^,]*)")
_PERCENT = re.compile(r"\d{1,3}(?:\.\d+)?")


def of_lm_eval(value: Any, file: str) -> Iterator[ToolTotal]:
    """Read ``results_<date>.json``: metrics by task, called “exact_match,strict-match” with their filter."""
    model = _folder(file).replace("__", "/") or _dated("lm-eval", file) or text_of(object_of(value).get("model_name"))
    yield from _by_task(value, model)


def of_lighteval(value: Any, file: str) -> Iterator[ToolTotal]:
    """Read ``results_<date>.json``: metrics by task."""
    yield from _by_task(value, _folder(file) or _dated("lighteval", file))


def of_evalscope(value: Any, file: str) -> Iterator[ToolTotal]:
    """Read ``reports/<model>/<benchmark>.json``: the mean of each subset, and of each metric."""
    report = object_of(value)
    model = _folder(file) or text_of(report.get("model_name")) or ""
    for metric in objects_in(report.get("metrics")):
        name = str(metric.get("name")).removeprefix("mean_")
        for category in objects_in(metric.get("categories")):
            for subset in objects_in(category.get("subsets")):
                task = f"{report.get('dataset_name')}_{subset.get('name')}"
                yield from _total(model, name, subset.get("score"), task)


def of_helm(value: Any, file: str) -> Iterator[ToolTotal]:
    """Read ``stats.json`` of a run, called as the run's folder is."""
    folder = _folder(file)
    named = _MODEL.search(folder)
    yield from helm_totals(value, named[1].replace("_", "/", 1) if named else "", helm_run(file) or "")


def helm_totals(stats: Any, model: str, task: str) -> Iterator[ToolTotal]:
    """Read the first metric of right answers in the stats of a run, without perturbations, of a single trial."""
    means = dict[Any, Any]()
    for one in objects_in(stats):
        name = object_of(one.get("name"))
        if name.get("split") in ("test", "valid") and not name.get("perturbation") and one.get("count") == 1:
            means.setdefault(name.get("name"), one.get("mean"))
    metric = next((name for name in _OF_HELM if name in means), None)
    if metric is not None:
        yield from _total(model, metric, means[metric], task)


def helm_run(member: str) -> str | None:
    """Take a run's name, without its model, from its folder's: “mmlu:subject=law,model=gpt” → “mmlu:subject=law”.

    None for a folder that HELM did not name.
    """
    folder = _folder(member)
    name = _MODEL.sub("", folder).replace(":,", ":").strip(":,")
    return name if name and name != folder else None


def of_every_eval_ever(value: Any, file: str) -> Iterator[ToolTotal]:
    """Read the results of a record: a score for each evaluation."""
    info = object_of(object_of(value).get("model_info"))
    model = text_of(info.get("id")) or text_of(info.get("name")) or ""
    for result in objects_in(object_of(value).get("evaluation_results")):
        score = object_of(result.get("score_details")).get("score")
        yield from _total(model, "score", score, str(result.get("evaluation_name")))


def of_opencompass(value: Any, file: str) -> Iterator[ToolTotal]:
    """Read the rows of a summary: a dataset each, with a column for each model, in per cent."""
    for row in objects_in(value):
        names = [name for name in row if name not in ("dataset", "version", "metric", "mode")]
        for model in names:
            cell = str(row.get(model) or "").strip()
            if _PERCENT.fullmatch(cell):
                yield from _total(model, str(row.get("metric")), float(cell) / 100, str(row.get("dataset")))


def _by_task(value: Any, model: str | None) -> Iterator[ToolTotal]:
    for task, metrics in object_of(object_of(value).get("results")).items():
        for metric, mean in object_of(metrics).items():
            yield from _total(model or "", metric, mean, task)


def _total(model: str, metric: str, mean: Any, task: str) -> Iterator[ToolTotal]:
    """A total that is a share; none of anything else."""
    if isinstance(mean, (int, float)) and not isinstance(mean, bool) and 0 <= mean <= 1:
        yield ToolTotal(model, metric, float(mean), None, task)


def _folder(file: str) -> str:
    return PurePosixPath(file.replace("\\", "/")).parent.name


def _dated(tool: str, file: str) -> str | None:
    match = _DATE.search(PurePosixPath(file.replace("\\", "/")).name)
    return f"{tool} {match[1][:16]}" if match else None
