"""A result as files: the page, every number as JSON (format ``neyman-result/2``), and a bundle to compute them from.

The number behind the slash rises if a key is renamed, dropped or says something else; new keys leave it as it is.
2: ``position`` of ``labels`` became ``pool_position`` (from 0), beside ``list_position`` (from 1); ``interval`` is "t"
if values have no bounds.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pandas as pd

from .. import __version__
from ..errors import DesignError, NeymanError
from ..estimation.carried import CarriedSample
from ..estimation.top_ups import TopUp
from ..judge import TNR_LEAST, TPR_LEAST, JudgeDecision, JudgeGrades, Judgement, as_json, grades_json
from ..judge.summary import facts_of
from ..pool.pool import Pool
from ..prospect import Promise, Prospect, Question
from ..study.bundle import bundle_files
from ..study.comparison import Comparison
from ..study.items import judged_items
from ..study.metrics import Answered, Metrics
from ..study.provenance import Provenance
from ..study.result import Result
from ..study.study import Study
from ..words import strata_named
from ..words.documents import document
from ..words.scale import GradeScale
from . import details, sections, sentences
from .decision_pages import judge_grades_html, judgement_html
from .page import report_html

FORMAT = "neyman-result/2"

_GIVEN = ("item_id", "annotator", "label", "kind", "target", "note", "status", "source", "created")


def report_json(
    result: Result, labels: Provenance | None = None, rows: pd.DataFrame | None = None, remarks: Sequence[str] = ()
) -> str:
    """Write the result as JSON text (UTF-8, two spaces' indent, keys in a fixed order).

    Parameters
    ----------
    result : Result
        What to write.
    labels : Provenance, optional
        Where labels come from.
    rows : DataFrame, optional
        Labels as they were given, with skips and decisions, of `Archive.labels.of`; without them ``labels_as_given`` is
        null.
    remarks : sequence of str
        On the labels, of `core.study.Study.remarks`.
    """
    facts = {
        "neyman": __version__,
        "made": result.made,
        "pool": {"name": result.pool, "n_items": result.n_items},
        "target": result.target,
        "plan_id": result.plan.plan_id,
        "measure": result.measure,
        "confidence": result.confidence,
        "interval": result.interval.name if result.bounded else "t",
        "estimate": asdict(result.estimate),
        "grades": _grades(result),
        "preferences": _preferences(result),
        "sentences": [sentences.headline(result), sentences.beside_uniform(result), *sentences.remarks(result)],
        "remarks": list(remarks),
        "counted_once": None if result.counted_once is None else asdict(result.counted_once),
        "uniform": asdict(result.precision.uniform),
        "promise": None if result.promise is None else result.promise.summary_frame().to_dict("records")[0],
        "design_effect": result.precision.design_effect,
        "effective_size": result.precision.effective_size,
        "uniform_needed": result.precision.uniform_needed,
        "saved_range_80": [result.precision.saved_least, result.precision.saved_most],
        "intervals": result.intervals.to_dict("records"),
        "strata": result.strata_table.to_dict("records"),
        "groups": None if result.groups is None else result.groups.to_dict("records"),
        "findings": {"strata": details.strata_finding(result), "groups": details.groups_finding(result)},
        "top_up": _top_up(result.more),
        "comparison": _comparison(result.comparison),
        "metrics": _metrics(result.metrics),
        "answered": _answered(result.answered),
        "planned": result.planned,
        "missing": list(result.missing),
        "not_yet": list(result.not_yet),
        "labels": result.labels.to_dict("records"),
        "labels_as_given": None if rows is None else _as_given(rows),
        "people": None if labels is None else [{"name": name, "labels": count} for name, count in labels.people],
        "undecided": result.undecided,
        "carried": None if result.carried is None else _carried(result.carried),
        "without_verdict": result.n_open,
        "either_way": None if result.disputed is None else list(result.ends),
        "given_up": result.n_given_up,
        "worst_case": None if result.worst_case is None else list(result.worst_case),
        "earlier_budgets": list(result.earlier),
        "in_waves": None if result.in_waves is None else asdict(result.in_waves),
        "provenance": None if labels is None else asdict(labels) | {"sentences": sections.sentences(labels)},
        "method": sentences.method(result),
        "manifest": result.manifest,
    }
    return document(FORMAT, facts)


def _comparison(pair: Comparison | None) -> dict[str, Any] | None:
    if pair is None:
        return None
    return asdict(pair) | {
        "shown_to_differ": pair.shown,
        "separate_standard_error": pair.separate_error,
        "sentences": [sections.comparison_headline(pair), sections.beside_separate(pair), *sections.remarks(pair)],
    }


def _carried(sample: CarriedSample) -> dict[str, Any]:
    return {
        "known": sample.known,
        "share": sample.share,
        "follows": sample.follows,
        "audit": asdict(sample.audit),
        "log": asdict(sample.log),
        "unbiased": sample.unbiased,
    }


def _top_up(more: TopUp | None) -> dict[str, Any] | None:
    if more is None:
        return None
    numbers = asdict(more)
    return {"wanted": numbers.pop("half_width")} | numbers


def _metrics(chosen: Metrics | None) -> dict[str, Any] | None:
    if chosen is None:
        return None
    fields = {key: value for key, value in asdict(chosen).items() if key != "estimates"}
    return fields | {"rows": chosen.table().to_dict("records"), "sentences": [sections.metrics_headline(chosen)]}


def _answered(part: Answered | None) -> dict[str, Any] | None:
    return None if part is None else asdict(part) | {"sentences": [sections.answered_headline(part)]}


def _as_given(rows: pd.DataFrame) -> list[dict[Hashable, Any]]:
    """Who said what of which item, in the order in which it was given; what is not known is null."""
    table = rows.reindex(columns=list(_GIVEN)).astype(object)
    return table.where(table.notna(), None).to_dict("records")


# The earliest time that a zip can hold.
_EPOCH = (1980, 1, 1, 0, 0, 0)
_AGAIN = """study = neyman.reproduce("{name}", neyman.read("pool.jsonl"))  # the file of the pool “{pool}”
    print(study)"""
_JUDGE_AGAIN = """result = neyman.judge.reproduce("{name}", neyman.read("outputs.csv"))  # the file of the pool “{pool}”
    print(result)"""
_GRADES_AGAIN = """study = neyman.reproduce("{name}", neyman.read("outputs.csv"))  # the file of the pool “{pool}”
    print(neyman.judge.graded(study.plan, study))"""


def report(
    study: Study | Judgement | JudgeGrades,
    path: str | Path,
    other: str | None = None,
    positive: str | None = None,
    half_width: float | None = None,
    made: str = "",
    price: Callable[[int], str] = lambda count: "",
    tpr: float = TPR_LEAST,
    tnr: float = TNR_LEAST,
    most_bias: float | None = None,
) -> Path:
    """Write the report of a study: one HTML file, all numbers as JSON, or both in a bundle that reproduces them.

    Parameters
    ----------
    study : Study, Judgement or JudgeGrades
        A plan with its labels, or a judge against them, of `core.judge.judged` or `core.judge.graded`.
    path : path
        Where to write; its ending decides what: ".html", ".htm", ".json", or ".zip" for the bundle (`core.reproduce`
        reads it back, and `core.judge.reproduce` that of a judge).
    other, positive, half_width, made
        As in `core.study.Study.result`.
    price : callable
        From a number of labels to what they cost in words, such as `core.prospect.Costs.spent`; "" if it is not
        known.
    tpr, tnr : float
        What a judge has to reach: least shares of good answers passed and of failures caught, in (0, 1).
    most_bias : float, optional
        How far the mean of a judge that grades may be from people's.

    Returns
    -------
    Path
        Where it was written.

    Raises
    ------
    DesignError
        The path has another ending, ``study`` is none, or as `core.study.Study.result`.
    """
    file = Path(path)
    ending = file.suffix.lower()
    if ending not in (".html", ".htm", ".json", ".zip"):
        raise DesignError(f"A report is HTML, JSON or a bundle of both. Let “{file.name}” end in .html, .json or .zip.")
    if isinstance(study, Judgement):
        return _of_judge(study, study.decide(tpr, tnr), file, made)
    if isinstance(study, JudgeGrades):
        return _of_grades(study, most_bias, file, made)
    if not isinstance(study, Study):
        raise DesignError(f"A report is about a study, as `labelled` gives it. Found a {type(study).__name__}.")
    waiting = study.partial()
    if waiting is not None:
        empty = f"A report needs a label in every stratum, and there is none in {strata_named(waiting.empty)}."
        so_far = sections.partial_headline(waiting)
        raise DesignError(f"{empty} {so_far} `study.partial()` has what the labels show so far.")
    result = replace(study.result(other, positive, half_width, made), promise=promised(study))
    if ending == ".zip":
        file.write_bytes(report_bundle(study, result, price, file.name))
    elif ending == ".json":
        text = report_json(result, study.labels.provenance(), study.labels.rows, study.remarks)
        file.write_text(text, encoding="utf-8")
    else:
        file.write_text(report_html(result, study.labels.provenance(), price, judged_items(study)), encoding="utf-8")
    return file


def _grades(result: Result) -> dict[str, float] | None:
    """The estimate on the scale of its grades, and the share of good ones; None of other labels."""
    scale, good = result.unit, result.good
    if not isinstance(scale, GradeScale) or good is None:
        return None
    one = result.estimate
    return {
        "worst": scale.low,
        "best": scale.high,
        "value": scale.grade(one.value),
        "low": scale.grade(one.low),
        "high": scale.grade(one.high),
        "good_from": scale.good if result.threshold is None else result.threshold,
        "good": good.value,
        "good_low": good.low,
        "good_high": good.high,
    }


def _preferences(result: Result) -> dict[str, dict[str, Any] | None] | None:
    """The shares of wins, ties and losses, and how often the first answer is preferred; None of other labels."""
    if not result.preferred:
        return None
    first = result.first_preferred
    shares = {one.measure: asdict(one) for one in result.preferred}
    return {**shares, "first_preferred": None if first is None else asdict(first)}


def _of_judge(result: Judgement, decision: JudgeDecision, file: Path, made: str) -> Path:
    if file.suffix.lower() == ".zip":
        file.write_bytes(judgement_bundle(result, decision, made, file.name))
    elif file.suffix.lower() == ".json":
        file.write_text(as_json(result, decision), encoding="utf-8")
    else:
        file.write_text(judgement_html(result, decision, made), encoding="utf-8")
    return file


def _of_grades(result: JudgeGrades, most_bias: float | None, file: Path, made: str) -> Path:
    if file.suffix.lower() == ".zip":
        file.write_bytes(judge_grades_bundle(result, most_bias, made, file.name))
    else:
        is_json = file.suffix.lower() == ".json"
        text = grades_json(result, most_bias) if is_json else judge_grades_html(result, most_bias, made)
        file.write_text(text, encoding="utf-8")
    return file


def promised(study: Study, asked: Prospect | None = None) -> Promise | None:
    """Return what a study's list promised before its labels, by what else is known of its pool.

    Parameters
    ----------
    study : Study
        A plan, with its labels or without.
    asked : Prospect, optional
        Of the pool and the target, with what was believed and paid; by default what is usual.

    Returns
    -------
    Promise or None
        None if nothing can be promised.
    """
    labels = study.labels
    question = Question(study.target, parser=labels.parser, confidence=labels.interval.confidence)
    with suppress(NeymanError):
        return (Prospect(study.pool, None, 1, question) if asked is None else asked).drawn(study.plan).promise
    return None


def report_bundle(
    study: Study, result: Result, price: Callable[[int], str] = lambda count: "", name: str = "bundle.zip"
) -> bytes:
    """Make the bundle: the report, all numbers, and the files from which they are computed again.

    Parameters
    ----------
    study : Study
        A plan with its labels.
    result : Result
        Of ``study``, with what was chosen for the report.
    price : callable
        As in `report_html`.
    name : str
        What the file is called, for its README.

    Returns
    -------
    bytes
        A zip: README.txt, report.html, report.json, and the files of `core.study.bundle`. Equal studies give equal
        bytes.
    """
    labels = study.labels.provenance()
    files = {
        "README.txt": readme(sentences.headline(result), _AGAIN, study.labels.origin, name),
        "report.html": report_html(result, labels, price, judged_items(study)),
        "report.json": report_json(result, labels, study.labels.rows, study.remarks),
        **bundle_files(study),
    }
    return _packed(files)


def judgement_bundle(result: Judgement, decision: JudgeDecision, made: str = "", name: str = "bundle.zip") -> bytes:
    """Make the bundle of a judge: the report, all numbers, and the files from which they are computed again.

    Parameters
    ----------
    result, decision, made
        As in `core.report.judgement_html`.
    name : str
        What the file is called, for its README.

    Returns
    -------
    bytes
        A zip with the same files as `report_bundle`.
    """
    files = {
        "README.txt": readme(
            f"An automatic grader (the judge) against people’s labels. {result.sentence}",
            _JUDGE_AGAIN,
            result.study.labels.origin,
            name,
        ),
        "report.html": judgement_html(result, decision, made),
        "report.json": as_json(result, decision),
        **bundle_files(result.study, facts_of(result, decision)),
    }
    return _packed(files)


def judge_grades_bundle(
    result: JudgeGrades, most_bias: float | None = None, made: str = "", name: str = "bundle.zip"
) -> bytes:
    """Make the bundle of a judge that grades: as `judgement_bundle`, with the study from which all of it follows.

    Parameters
    ----------
    result, most_bias, made
        As in `core.report.judge_grades_html`.
    name : str
        What the file is called, for its README.
    """
    files = {
        "README.txt": readme(
            f"An automatic grader (the judge) against people’s grades. {result.sentence}",
            _GRADES_AGAIN,
            result.study.labels.origin,
            name,
        ),
        "report.html": judge_grades_html(result, most_bias, made),
        "report.json": grades_json(result, most_bias),
        **bundle_files(result.study),
    }
    return _packed(files)


def _packed(files: Mapping[str, str]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for inside, text in files.items():
            # A fixed time: what is packed is the same whenever it is packed.
            entry = zipfile.ZipInfo(inside, _EPOCH)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            archive.writestr(entry, text.encode())
    return stream.getvalue()


def readme(headline: str, again: str, pool: Pool, name: str) -> str:
    """Say what is in a bundle, and how its numbers are computed again.

    Parameters
    ----------
    headline : str
        The result in a sentence.
    again : str
        The lines of Python that compute it, with {name} for the bundle and {pool} for the pool.
    pool : Pool
        The pool that the plan was drawn from.
    name : str
        What the bundle is called.
    """
    return f"""{headline}

To compute this again, with Neyman {__version__} (the versions of all packages are in study.json):

    import neyman
    {again.format(name=name, pool=pool.name)}

It draws the sample again, reads the labels, and stops with a message if the pool is another one (fingerprint
of its items, or digest: {pool.items_digest})
or a number differs in any bit.

report.html    the result for people, to be opened in a browser, and to be printed
report.json    all numbers, for a program
manifest.json  reproduces the sample: what was drawn, from which strata (groups of items), with which seed
labels.csv     what people said, as a list that Neyman reads back; missing if nobody labelled
items.csv      every item of the pool with its stratum, without its text
study.json     the pool’s digest, how the labels are read, decisions, the estimate, versions

report.html shows labelled items with their texts. Remove it before you pass on a bundle of confidential items.
"""
