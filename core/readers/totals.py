"""Files without a grade of any item: totals of a run, and which of two outputs is better.

Source: lm-evaluation-harness 0.4, ``loggers/evaluation_tracker.py``; lighteval 0.13, ``logging/evaluation_tracker.py``;
EvalScope 1.14, ``report/report.py``; HELM 0.5, ``benchmark/metrics/statistic.py``; OpenCompass 0.5,
``summarizers/default.py``; every_eval_ever, ``eval.schema.json``.

What the known tools write is known by its keys; totals of any other tool by their shape (`core.readers.total_shapes`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from configparser import ConfigParser
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from ..errors import PoolError, Problem
from ..files.foreign_names import plain_key
from ..files.jsontext import BadJson, StrictDecoder, decoded
from ..files.open import Source, path_of
from ..files.sniff import ARRAY, OBJECT, TABLE, WORKBOOK, Beginning
from ..pool.account import ToolTotal
from ..pool.problems import Problems
from .field_names import NAMES, WORDS, words_of
from .json_records import object_of, objects_in, text_of, whole
from .nested_records import holds_items
from .total_shapes import (
    are_of_benchmarks,
    are_of_metrics,
    are_of_models,
    are_of_runs,
    by_path,
    holds_benchmarks,
    is_of_metrics,
)

_COMPARED = ("model", "response", "answer", "output", "completion", "conversation", "generation", "text")
_PAIRS = ("ab", "12")
_PREFERRED = frozenset({"winner", "preference", "preferred"} | {f"winnermodel{side}" for side in "ab12"})
# Pairs of which the better one is said by the name of its column.
_CHOSEN = frozenset({"chosen", "rejected"})
# Words in the names of what says which is better; and names under which the sides have to be spelt out.
_NAMED = frozenset({"winner", "preference"})
_BETTER = frozenset({"winner", "preference", "preferred", "better", "pairwise"})
_SIDE = r"(?:(?:model|assistant|response|answer|output|system|candidate|completion)[ _-]?)?(?:a|b|1|2)"
_NAMED_SIDE = re.compile(r"(?:model|assistant|response|answer|output|system|candidate|completion)[ _-]?(?:a|b|1|2)")
_OF_BOTH = re.compile(rf"{_SIDE}\s*(?:>{{1,3}}|<{{1,3}}|=+|≻|≺|~)\s*{_SIDE}|\[\[(?:a|b|c|tie|[ab][<>=]+[ab])\]\]")
_SIDES = frozenset({"a", "b", "1", "2", "left", "right", "first", "second"})
_TIE = re.compile(r"(?:tie|draw|both|neither|same|equal|none)[\w ()-]*|c|0|3")
_LONGEST, _DEEPEST, _MOST_OBJECTS = 40, 6, 50


def names_pairs(names: Collection[str]) -> bool:
    """Whether columns or keys are of two models, or two answers to a question, with the better one, but no grade."""
    spelt = [words_of(name)[-1] for name in names]
    names = {plain_key(name) for name in names}
    compared, graded = (
        any(names >= {f"{what}{side}" for side in pair} for what in some for pair in _PAIRS)
        for some in (_COMPARED, NAMES["score"])
    )
    if graded or not names.isdisjoint(NAMES["score"]):
        return False
    says = not names.isdisjoint(_PREFERRED) or any(not _NAMED.isdisjoint(words) for words in spelt)
    return (compared and says) or names >= _CHOSEN


def say_which_is_better(rows: Iterable[Mapping[str, Any]]) -> bool:
    """Whether records, or what is within them, say which of two outputs is better: “winner: A”, “label: A>B”."""
    said: dict[str, set[str]] = {}
    graded, objects = set[str](), set[frozenset[str]]()
    for row in rows:
        _gather(row, said, graded, objects)
    if graded:
        return False
    if any(map(names_pairs, objects)):
        return True
    keys = {plain_key(name) for name in said}
    in_pairs = any(keys >= {f"{what}{side}" for side in pair} for what in _COMPARED for pair in _PAIRS)
    return any(_are_sides(name, words, in_pairs) for name, words in said.items())


def _gather(
    value: Any, said: dict[str, set[str]], graded: set[str], objects: set[frozenset[str]], key: str = "", depth: int = 0
) -> None:
    """Collect short texts and whole numbers by their keys, the keys of scores of one output, and those of objects."""
    if isinstance(value, Mapping) and depth < _DEEPEST:
        if len(objects) < _MOST_OBJECTS:
            objects.add(frozenset(map(str, value)))
        for name, one in value.items():
            if plain_key(str(name)) in NAMES["score"] and isinstance(one, (int, float)):
                graded.add(str(name))
            _gather(one, said, graded, objects, str(name), depth + 1)
    elif isinstance(value, list) and depth < _DEEPEST:
        for one in value:
            _gather(one, said, graded, objects, key, depth + 1)
    elif isinstance(value, (str, int)) and not isinstance(value, bool) and str(value).strip():
        words = said.setdefault(key, set())
        words.add(str(value).strip().casefold() if len(str(value)) <= _LONGEST else "…")


def _are_sides(name: str, words: Collection[str], in_pairs: bool) -> bool:
    """Whether all that is said under a name is one of two sides, or a tie."""
    called = {*words_of(name)[-1]}
    better = not called.isdisjoint(_BETTER) or (in_pairs and not called.isdisjoint(WORDS["comparisons"]))
    both = {word for word in words if _OF_BOTH.fullmatch(word) or _NAMED_SIDE.fullmatch(word)}
    sides = both | {word for word in words if word in _SIDES} if better else both
    if called.isdisjoint(_BETTER | WORDS["comparisons"]) or not sides or sides <= {"1"}:
        return False
    return all(word in sides or _TIE.fullmatch(word) for word in words)


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
    return path_of(file).parent.name


def _dated(tool: str, file: str) -> str | None:
    match = _DATE.search(path_of(file).name)
    return f"{tool} {match[1][:16]}" if match else None


_SMALL = 1024**2
# Where items may be.
_LISTS = frozenset({"samples", "items", "records", "rows", "data", "predictions", "outputs", "examples", "details"})


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
    holds: str = "totals but no items"
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


def _is_of_bfcl(beginning: Beginning) -> bool:
    is_ranked = beginning.container == TABLE and beginning.keys >= {"Rank", "Model"}
    return is_ranked and any(name.endswith("Overall Acc") or name.startswith("Format Sens") for name in beginning.keys)


def _is_of_lm_eval(beginning: Beginning) -> bool:
    others = {"versions", "configs", "config", "n-shot", "higher_is_better", "git_hash", "n-samples", "group_subtasks"}
    return beginning.container == OBJECT and "results" in beginning.keys and len(beginning.keys & others) > 1


def _declared(kinds: ConfigParser) -> Iterator[Totals]:
    """Yield the kinds of ``totals.ini``: those with keys are recognised by these, the others by a function."""
    for name, kind in kinds.items():
        if name != kinds.default_section:
            has_keys = partial(_has_keys, kind.get("container", ""), frozenset(kind.get("keys", "").split()))
            holds = kind.get("holds", "totals but no items")
            yield Totals(name, _RECOGNISES.get(name, has_keys), kind["items"], holds, _REPORTED.get(name))


def _has_keys(container: str, keys: frozenset[str], beginning: Beginning) -> bool:
    found = TABLE if beginning.container == WORKBOOK else beginning.container
    return found == container and beginning.keys >= keys and not beginning.keys & _LISTS


def _are_comparisons(beginning: Beginning) -> bool:
    return names_pairs(beginning.keys)


_RECOGNISES: Mapping[str, Callable[[Beginning], bool]] = {
    "a results file of lm-evaluation-harness": _is_of_lm_eval,
    "a BFCL leaderboard": _is_of_bfcl,
    "a list of comparisons": _are_comparisons,
}
# The kinds whose totals are compared with the scores of the run's items.
_REPORTED: Mapping[str, Callable[[Any, str], Iterable[ToolTotal]]] = {
    "an EvalScope report": of_evalscope,
    "a results file of lighteval": of_lighteval,
    "a results file of lm-evaluation-harness": of_lm_eval,
    "HELM’s stats.json": of_helm,
    "an every_eval_ever record": of_every_eval_ever,
    "an OpenCompass summary": of_opencompass,
}
_KINDS = ConfigParser(delimiters=("=",), interpolation=None)
_KINDS.read_string(Path(__file__).with_name("totals.ini").read_text(encoding="utf-8"))
TOTALS = tuple(_declared(_KINDS))
COMPARISONS, _OF_MODELS, _OF_BENCHMARKS, _OF_RUNS, _OF_METRICS = TOTALS[-5:]


def kind_of_totals(beginning: Beginning) -> Totals | None:
    """Return the kind of totals whose numbers can be read out of a file of this beginning; None for any other."""
    return next((one for one in TOTALS if one.reported is not None and one.recognises(beginning)), None)


def refuse_totals(source: Source, beginning: Beginning, is_alone: bool = True) -> None:
    """Raise :class:`core.errors.PoolError` if a file has totals alone, and say which file has the items.

    Parameters
    ----------
    source : Source
        The file, of no known format.
    beginning : Beginning
        What it begins with.
    is_alone : bool, default True
        False for a file of a zip, which may be an item of many.
    """
    for one in TOTALS:
        if one.recognises(beginning):
            raise one.error()
    rows = _rows(source, beginning)
    if say_which_is_better(rows):
        raise COMPARISONS.error()
    if any(map(holds_items, rows)):
        return
    by_paths = [dict(by_path(row)) for row in rows]
    if are_of_models(by_paths):
        raise _OF_MODELS.error()
    if are_of_benchmarks(by_paths) or (len(rows) == 1 and holds_benchmarks(by_paths[0])):
        raise _OF_BENCHMARKS.error()
    if are_of_metrics(by_paths) or (len(rows) == 1 and is_of_metrics(by_paths[0], is_alone)):
        raise _OF_METRICS.error()
    if are_of_runs(by_paths):
        raise _OF_RUNS.error()


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
