"""Files with totals of a run, and no items: refused, with the name of the file that has them.

A table with a row for each model or benchmark, and JSON that holds nothing but metrics, are totals of whatever tool.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from ..errors import PoolError, Problem
from ..pool.problems import Problems
from ..pool.strict_json import BadJson, StrictDecoder
from ..pool.tool_totals import ToolTotal
from . import reported
from .beginning import ARRAY, OBJECT, TABLE, WORKBOOK, Beginning
from .json_records import decoded, whole
from .source import Source
from .total_names import are_benchmarks
from .values import object_of, objects_in
from .verdicts import number

_SMALL = 1024**2
_MODELS = frozenset({"model", "models", "model_name", "model name", "model_id", "model id"})
_METRIC_COLUMNS = frozenset({"metric", "metrics", "metric_name", "metric name"})
_NUMBER = re.compile(r"\W*[-+]?\d*[.,]?\d+(?:[eE][-+]?\d+)?\W*(?:±.*)?|nan|n/a|none|-*|–|—", re.IGNORECASE)
# Names of what is known of many items together, never of one.
_METRIC = re.compile(
    r"(.*[_ ,@/-])?acc(uracy|uracies)?([_ ,@/-].*)?|.*std_?err.*|.*pass@\d+.*|pass_at_\d+|(win|pass|error)[_ ]?rate"
    r"|overall.*|average.*|avg|(macro|micro)[_ -].*|eval_.*|.*(correct|total|samples?)_count|.*perplexity.*|.*agreement"
    r"|n(um)?_(samples|questions|correct|total)|total(_\w+)?",
    re.IGNORECASE,
)
_NAMES = frozenset({"alias", "name", "model", "dataset", "metric", "task", "split"})
# Where items may be, or what they have.
_LISTS = frozenset({"samples", "items", "records", "rows", "data", "predictions", "outputs", "examples", "details"})
_ITEM = frozenset(
    {
        "id",
        "prompt",
        "question",
        "input",
        "output",
        "answer",
        "generations",
        "prediction",
        "response",
        "text",
        "correct",
    }
)
# Columns that name what has many items: surely so, and perhaps; what may stand beside them; and how many they have.
_OF_A_PART = frozenset({"benchmark", "benchmarks", "benchmark_name", "dataset", "dataset_name"})
_PARTS = _OF_A_PART | {"task", "tasks", "task_name", "name", "eval", "evaluation", "subject", "subset", "category"}
_BESIDE = frozenset({"split", "version", "filter", "n-shot", "n_shot", "shots", "fewshot", "turn", "setting", "subset"})
_COUNTS = frozenset(
    {"n", "count", "total", "num", "size", "items", "samples", "questions", "n_samples", "num_samples", "n_items"}
    | {"n_questions", "num_questions", "total_count", "examples", "num_examples", "support"}
)
_SHORT, _MOST_PARTS = 200, 100


@dataclass(frozen=True, slots=True)
class Totals:
    """A kind of file with totals.

    Parameters
    ----------
    name : str
        What it is, with its article.
    recognises : callable
        Whether a file of this beginning is one.
    items : str
        Which file of the same run has the items.
    holds : str
        What it has in their place.
    reported : callable, optional
        Reads the totals out of the decoded file, or out of its rows, and its name; by default there are none to read.
    """

    name: str
    recognises: Callable[[Beginning], bool]
    items: str
    holds: str = "totals, and no items"
    reported: Callable[[Any, str], Iterable[ToolTotal]] | None = None

    @property
    def problem(self) -> Problem:
        """Why such a file alone is refused."""
        return Problem(f"the file is {self.name}: it has {self.holds}.", remedy=f"Choose {self.items}.")

    def error(self) -> PoolError:
        """The refusal of such a file."""
        return PoolError([self.problem])

    def totals(self, source: Source, beginning: Beginning) -> tuple[ToolTotal, ...]:
        """Read what such a file reports; raises PoolError if it is damaged."""
        if self.reported is None:
            return ()
        if beginning.container in (TABLE, WORKBOOK):
            return tuple(self.reported(_rows(source, beginning), source.name))
        problems = Problems()
        value = whole(source, problems)
        problems.stop()
        return tuple(self.reported(value, source.name))


def _keys(container: str, *names: str) -> Callable[[Beginning], bool]:
    def recognises(beginning: Beginning) -> bool:
        found = TABLE if beginning.container == WORKBOOK else beginning.container
        return found == container and beginning.keys >= set(names) and not beginning.keys & _LISTS

    return recognises


def _is_of_bfcl(beginning: Beginning) -> bool:
    is_ranked = beginning.container == TABLE and beginning.keys >= {"Rank", "Model"}
    return is_ranked and any(name.endswith("Overall Acc") or name.startswith("Format Sens") for name in beginning.keys)


def _is_of_lm_eval(beginning: Beginning) -> bool:
    others = {"versions", "configs", "config", "n-shot", "higher_is_better", "git_hash", "n-samples", "group_subtasks"}
    return beginning.container == OBJECT and "results" in beginning.keys and len(beginning.keys & others) > 1


TOTALS = (
    Totals(
        "an EvalScope report",
        _keys(OBJECT, "dataset_name", "model_name", "metrics"),
        "reviews/<model>/<benchmark>_<subset>.jsonl of the same run",
        reported=reported.of_evalscope,
    ),
    Totals(
        "a results file of lighteval",
        _keys(OBJECT, "config_general", "results"),
        "details/<model>/<date>/details_<task>_<date>.parquet of the same run (--save-details)",
        reported=reported.of_lighteval,
    ),
    Totals(
        "a results file of lm-evaluation-harness",
        _is_of_lm_eval,
        "samples_<task>_<date>.jsonl of the same run (--log_samples)",
        reported=reported.of_lm_eval,
    ),
    Totals(
        "HELM’s stats.json",
        _keys(ARRAY, "name", "count", "sum", "sum_squared"),
        "scenario_state.json of the same run",
        reported=reported.of_helm,
    ),
    Totals(
        "HELM’s run_spec.json", _keys(OBJECT, "adapter_spec", "scenario_spec"), "scenario_state.json of the same run"
    ),
    Totals(
        "an every_eval_ever record",
        _keys(OBJECT, "evaluation_id", "evaluation_results"),
        "the file whose name ends with _samples.jsonl",
        reported=reported.of_every_eval_ever,
    ),
    Totals(
        "VLMEvalKit’s table of accuracies",
        _keys(TABLE, "split", "Overall"),
        "the predictions, <model>_<dataset>.xlsx, or those with the judge’s hits, …_result.xlsx",
    ),
    Totals(
        "HELM’s per_instance_stats.json",
        _keys(ARRAY, "instance_id", "stats"),
        "scenario_state.json of the same run",
        "scores without questions and outputs",
    ),
    Totals("an AlpacaEval leaderboard", _keys(TABLE, "win_rate", "standard_error"), "annotations.json of the model"),
    Totals(
        "a BFCL leaderboard",
        _is_of_bfcl,
        "result/<model>/…_result.json together with score/<model>/…_score.json",
    ),
    Totals(
        "an OpenCompass summary",
        _keys(TABLE, "dataset", "version", "metric", "mode"),
        "predictions/<model>/<dataset>.json of the same run",
        reported=reported.of_opencompass,
    ),
)
_OF_MODELS = Totals("a leaderboard with a row for each model", lambda _: False, "a file with a row for each item")
_OF_BENCHMARKS = Totals(
    "a table of benchmarks", lambda _: False, "the file of the same run that has the items and their outputs"
)
_OF_METRICS = Totals(
    "a list of metrics", lambda _: False, "the file of the same run that has the items and their outputs"
)


def kind_of_totals(beginning: Beginning) -> Totals | None:
    """Return the kind of totals whose numbers can be read out of a file of this beginning; None for any other."""
    return next((one for one in TOTALS if one.reported is not None and one.recognises(beginning)), None)


def refuse_totals(source: Source, beginning: Beginning) -> None:
    """Raise :class:`core.errors.PoolError` if a file has totals alone, and say which file has the items.

    Parameters
    ----------
    source : Source
        The file, of no known format.
    beginning : Beginning
        What it begins with.
    """
    for one in TOTALS:
        if one.recognises(beginning):
            raise one.error()
    rows = _rows(source, beginning)
    if _are_of_models(rows):
        raise _OF_MODELS.error()
    if _are_of_benchmarks(rows) or (len(rows) == 1 and _holds_benchmarks(rows[0])):
        raise _OF_BENCHMARKS.error()
    if _are_of_metrics(rows) or (len(rows) == 1 and _is_of_metrics(rows[0])):
        raise _OF_METRICS.error()


def _rows(source: Source, beginning: Beginning) -> list[Mapping[str, Any]]:
    """Return the first rows of a table, or the objects of a small JSON file; none of any other."""
    if beginning.container in (TABLE, WORKBOOK):
        header, *cells = beginning.rows or ([],)
        return [dict(zip(header, row, strict=False)) for row in cells]
    if beginning.container not in (OBJECT, ARRAY):
        return []
    with source.opened() as file:
        content = file.read(_SMALL + 1)
    if len(content) > _SMALL:
        return []
    decoder = StrictDecoder(lenient=True)
    try:
        value = decoder.decode(decoded(content))
    except BadJson:
        try:
            value = [decoder.decode(decoded(line)) for line in content.splitlines() if line.strip()]
        except BadJson:
            return []
    return [row for row in (value if isinstance(value, list) else [value]) if isinstance(row, dict)]


def _are_of_models(rows: Sequence[Mapping[str, Any]]) -> bool:
    """Whether rows have the name of a model each, and besides nothing but numbers and at most two other names."""
    header = list(dict.fromkeys(chain.from_iterable(rows)))
    named = next((name for name in header if name.strip().lower() in _MODELS), None)
    if len(rows) < 2 or named is None or {name.strip().lower() for name in header} & _ITEM:
        return False
    numbers = [name for name in header if all(_is_number(row.get(name)) for row in rows)]
    names = [row.get(named) for row in rows]
    distinct = all(isinstance(one, str) for one in names) and len(set(names)) == len(names)
    # A benchmark may be called anything; what a model has of one item is 0 or 1.
    means = any(number(row.get(name)) not in (None, 0, 1) for name in numbers for row in rows)
    measured = any(map(_METRIC.fullmatch, numbers)) or (means and len(numbers) == len(header) - 1)
    return distinct and measured and named not in numbers and len(numbers) >= len(header) - 3


def _are_of_benchmarks(rows: Sequence[Mapping[str, Any]]) -> bool:
    """Whether rows have a benchmark each, or a part of one with the number of its items, and else numbers alone.

    A row may name its model, metric and split, too.
    """
    header = list(dict.fromkeys(chain.from_iterable(rows)))
    plain = {name: name.strip().lower() for name in header}
    if not rows or (set(plain.values()) & _ITEM) - {"id"}:
        return False
    counts = [name for name in header if plain[name] in _COUNTS]
    several = any((number(row.get(name)) or 0) > 1 for name in counts for row in rows)
    for named in [name for name in header if plain[name] in _PARTS]:
        beside = [name for name in header if plain[name] in _MODELS | _METRIC_COLUMNS | _BESIDE and name != named]
        measured = [name for name in header if name not in (named, *beside, *counts) and plain[name] != "id"]
        keys = {tuple(str(row.get(name)) for name in (named, *beside)) for row in rows}
        cells = [row.get(name) for name in (*measured, *counts) for row in rows]
        known = plain[named] in _OF_A_PART or are_benchmarks({str(row.get(named)) for row in rows})
        # What a model has of one item is 0 or 1.
        means = any(number(row.get(name)) not in (None, 0, 1) for name in measured for row in rows)
        if measured and means and len(keys) == len(rows) and all(map(_is_number, cells)) and (known or several):
            return True
    return False


def _holds_benchmarks(value: Mapping[str, Any]) -> bool:
    """Whether an object holds a list of parts with totals each, and besides metrics alone."""
    lists = {key: objects_in(one) for key, one in value.items() if isinstance(one, list)}
    if not lists or not all(some and _are_of_benchmarks(some) for some in lists.values()):
        return False
    rest = {key: one for key, one in value.items() if key not in lists}
    return not rest or _is_of_metrics(rest)


def _are_of_metrics(rows: Sequence[Mapping[str, Any]]) -> bool:
    """Whether rows have the name of a metric each, and besides nothing but numbers."""
    header = list(dict.fromkeys(chain.from_iterable(rows)))
    named = next((name for name in header if name.strip().lower() in _METRIC_COLUMNS), None)
    names = [row.get(named) for row in rows] if named is not None else []
    others = [row.get(name) for name in header if name != named for row in rows]
    return len(header) > 1 and 0 < len(names) == len(set(map(str, names))) and all(map(_is_number, others))


def _is_number(value: Any) -> bool:
    if isinstance(value, str):
        return _NUMBER.fullmatch(value.strip()) is not None
    return value is None or isinstance(value, (int, float))


def _is_of_metrics(value: Mapping[str, Any]) -> bool:
    """Whether an object holds metrics, or objects of metrics, and names, but nothing else."""
    parts = [part for part in value.values() if isinstance(part, dict)]
    if value.keys() & _ITEM or len(parts) > _MOST_PARTS:
        return False
    own = {key: one for key, one in value.items() if not isinstance(one, dict)}
    short = all(_is_number(one) or (isinstance(one, str) and len(one) <= _SHORT) for one in own.values())
    inner = [(key, one) for part in parts for key, one in object_of(part).items() if not isinstance(one, dict)]
    plain = all(isinstance(one, (int, float)) or one is None or key in _NAMES for key, one in inner)
    metrics = [key for key, one in (*own.items(), *inner) if isinstance(one, (int, float)) and _METRIC.fullmatch(key)]
    return short and plain and bool(metrics)
