"""`neyman judge`: how far an automatic judge can be trusted, and the pass rate without its errors."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from ..design.design import Plan
from ..errors import DesignError
from ..judge import (
    Criterion,
    JudgeBelief,
    JudgeDecision,
    Judgement,
    follows_risk,
    forecast,
    graded,
    grades_json,
    grades_markdown,
    judge,
    judged,
    judging_of,
    labels_by_grade,
    own_mean,
    read_with_judge,
    request,
)
from ..judge.belief import NO_FORECAST, JudgeForecast
from ..judge.checklist import each_criterion
from ..judge.decision import NOT_TRUSTED, TRUSTED, UNDECIDED
from ..judge.judge_verdicts import verdicts_of
from ..judge.judgement import never_said, sounds_bad
from ..judge.measures import PASS_RATE, TNR, TPR
from ..judge.summary import as_json, limits, markdown, number, pair_rows
from ..labels.formats.lists import to_csv
from ..pool.pool import Pool
from ..report import report
from ..words import counted, listed, per_cent, value
from ..words.console import emit
from ..words.documents import document
from ..words.scale import GradeScale
from .options import meanings

STATUS = {TRUSTED: 0, NOT_TRUSTED: 1, UNDECIDED: 3}
_BUDGET = 100
_NOT_IN_FILES = re.compile(r"[^\w.-]+")
_FORECAST = (("failures caught", TNR), ("good answers passed", TPR), ("pass rate", PASS_RATE))


@Parameter(name="*")
@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeOptions:
    """The options of `neyman judge`, checked.

    Parameters
    ----------
    budget : int
        Labels (default 100, or all items of a smaller pool).
    labels : path
        The filled list.
    out : path
        Where the list to label is written (CSV).
    threshold : str
        The score from which on the judge passes, if it gives other numbers than 0 and 1; COLUMN=SCORE of another
        criterion; may be repeated.
    word : str
        WORD=pass, WORD=fail or WORD=skip (no verdict): what another word of the judge or of people means; may be
        repeated.
    risk : str
        The column that says how doubtful each verdict is.
    target : str
        The model whose answers the judge has seen, if the file has several.
    tpr : float
        Least share of the good answers that the judge has to pass, per cent.
    tnr : float
        Least share of the failures that it has to catch, per cent.
    criterion : str
        Another criterion that people decide on the same pass: its column of verdicts; may be repeated.
    beside : str
        Another judge, a column of the file, to compare with on the same labels.
    markdown : path
        Where a summary for a pull request is written.
    report : path
        Where the report is written: .html, .json, or .zip for a bundle that reproduces the numbers; with several
        criteria one each, with the criterion before the ending.
    seed : int
        Seed of the list.
    scale : str
        The scale of a judge that grades, as 1-5: people grade on it too.
    at_least : float
        Say which share of the items has this grade or a better one (default: three quarters up the scale).
    most_bias : float
        How far the mean of a judge that grades may be from people's: decides the exit status, which is 0 without it.
    json : bool
        Print one JSON object.
    """

    budget: Annotated[int | None, Parameter(validator=Number(gt=0))] = None
    labels: Path | None = None
    out: Path | None = None
    threshold: tuple[str, ...] = ()
    word: tuple[str, ...] = ()
    risk: str | None = None
    target: str | None = None
    tpr: Annotated[float, Parameter(validator=Number(gt=0, lt=100))] = 90.0
    tnr: Annotated[float, Parameter(validator=Number(gt=0, lt=100))] = 80.0
    criterion: tuple[str, ...] = ()
    beside: str | None = None
    markdown: Path | None = None
    report: Path | None = None
    seed: Annotated[int, Parameter(validator=Number(gte=0))] = 0
    scale: str | None = None
    at_least: float | None = None
    most_bias: Annotated[float | None, Parameter(validator=Number(gt=0))] = None
    json: bool = False


def judge_command(
    pool: Path, name: Annotated[str, Parameter(name="JUDGE")], /, options: JudgeOptions | None = None
) -> int:
    """Check an automatic judge. Exit status: 0 trusted, 1 not trusted, 3 undecided, 2 not readable.

    Parameters
    ----------
    pool : path
        A table, log or pool with a verdict of the judge on every item.
    name : str
        The column, or the model whose outcomes the judge gave.
    options : JudgeOptions
        What is asked.
    """
    asked = options or JudgeOptions()
    words = meanings(asked.word, "pass", "fail")
    read = read_with_judge(pool, name, *asked.criterion, *filter(None, [asked.beside]))
    budget = min(_BUDGET, read.n_items) if asked.budget is None else asked.budget
    if asked.scale is not None:
        return _graded(read, name, budget, asked)
    if asked.at_least is not None or asked.most_bias is not None:
        raise DesignError("--at-least and --most-bias are for a judge that grades: say its scale, --scale 1-5.")
    thresholds = _thresholds(asked.threshold, [name, *asked.criterion])
    criteria = [Criterion.of(one, threshold=thresholds.get(one)) for one in (name, *asked.criterion)]
    criteria = criteria if asked.criterion else []
    plan = judge(
        read,
        criteria or name,
        budget,
        asked.risk,
        asked.seed,
        threshold=None if criteria else thresholds.get(name),
        words=words,
        target=asked.target,
    )
    _write_list(plan, asked)
    if asked.labels is None:
        emit(_to_label(plan, read, asked), end="")
        return STATUS[UNDECIDED]
    results, waiting = (
        each_criterion(plan, asked.labels, words, asked.beside)
        if criteria
        else ({"": judged(plan, asked.labels, words, asked.beside)}, {})
    )
    said = [(result, result.decide(asked.tpr / 100, asked.tnr / 100)) for result in results.values()]
    if asked.json:
        documents = ",\n".join(as_json(*one).rstrip() for one in said)
        emit(f"[{documents}]\n" if criteria else f"{documents}\n", end="")
    else:
        texts = [*(_text(*one) for one in said), *(f"UNDECIDED on “{name}”: {why}" for name, why in waiting.items())]
        emit("\n\n".join(texts) + "\n", end="")
    if asked.markdown is not None:
        asked.markdown.write_text("\n".join(markdown(*one) for one in said), encoding="utf-8")
    if asked.report is not None:
        for stem, result in zip(_stems(asked.report.stem, list(results)), results.values(), strict=True):
            report(result, asked.report.with_stem(stem), tpr=asked.tpr / 100, tnr=asked.tnr / 100)
    verdicts = {decision.verdict for _, decision in said} | ({UNDECIDED} if waiting else set())
    return STATUS[next(one for one in (NOT_TRUSTED, UNDECIDED, TRUSTED) if one in verdicts)]


def _graded(pool: Pool, name: str, budget: int, asked: JudgeOptions) -> int:
    """Check a judge that grades; the exit status."""
    if asked.criterion or asked.beside or asked.threshold:
        raise DesignError(
            "A judge that grades (--scale) is checked alone: leave out --criterion, --beside and --threshold. Criteria "
            "pass or fail; check each column of grades with a list of its own."
        )
    plan = judge(pool, name, budget, asked.risk, asked.seed, target=asked.target, scale=asked.scale)
    _write_list(plan, asked)
    if asked.labels is None:
        emit(_grades_to_label(plan, pool, asked), end="")
        return STATUS[UNDECIDED]
    result, most = graded(plan, asked.labels, meanings(asked.word), asked.at_least), asked.most_bias
    decided = [] if most is None else [result.decision(most)]
    emit(grades_json(result, most) if asked.json else "\n".join([*decided, repr(result)]) + "\n", end="")
    if asked.markdown is not None:
        asked.markdown.write_text(grades_markdown(result, most), encoding="utf-8")
    if asked.report is not None:
        report(result, asked.report, most_bias=most)
    return 0 if most is None else STATUS[result.verdict(most)]


def _write_list(plan: Plan, asked: JudgeOptions) -> None:
    if asked.out is not None:
        asked.out.write_text(to_csv(request(plan).drop(columns="label", errors="ignore")), encoding="utf-8")


def _grades_to_label(plan: Plan, pool: Pool, asked: JudgeOptions) -> str:
    """Return the list to grade, in words."""
    scale = GradeScale.of(str(asked.scale))
    mean, per_class = own_mean(pool, judging_of(plan).judge, scale), labels_by_grade(plan)
    if asked.json:
        facts = {
            "plan": plan.plan_id,
            "items": pool.n_items,
            "worst": scale.low,
            "best": scale.high,
            "judge_only": mean,
            "labels": plan.design.budget,
            "by_grade": per_class,
            "seed": plan.seed,
        }
        return document("neyman-judge-grades-list/1", facts)
    rows = [
        f"The judge grades {value(scale.share(mean), scale)} on average on {counted(pool.n_items, 'item')}.",
        f"{counted(plan.design.budget, 'label')} by its grade: "
        f"{listed([f'{count} of {grade}' for grade, count in per_class.items()])}.",
        f"The list is in {asked.out}." if asked.out is not None else "Write the list with --out LIST.csv.",
        f"Fill its column label with grades from {scale}, and come back with --labels LIST.csv.",
    ]
    return "\n".join(rows) + "\n"


def _thresholds(given: Sequence[str], columns: Sequence[str]) -> dict[str, float]:
    """Read the threshold of each column, as SCORE of the first one or COLUMN=SCORE.

    Raises
    ------
    DesignError
        One is no number, or of a column that is not asked about.
    """
    said = dict[str, float]()
    for one in given:
        column, sign, score = one.rpartition("=")
        try:
            number = float(score)
        except ValueError:
            raise DesignError(
                f"“{one}” is no threshold. Write --threshold=SCORE or --threshold=COLUMN=SCORE."
            ) from None
        column = column if sign else columns[0]
        if column not in columns:
            there = listed([f"“{name}”" for name in columns])
            raise DesignError(f"--threshold={one}: “{column}” is no criterion. Those of this command: {there}.")
        said[column] = number
    return said


def _stems(stem: str, criteria: Sequence[str]) -> list[str]:
    """Names of the report of each criterion, “” of a judge without, numbered if files cannot tell them apart."""
    names = [f"-{_NOT_IN_FILES.sub('-', one)}" if one else "" for one in criteria]
    same = [name.casefold() for name in names]
    return [
        f"{stem}{name}" if same.count(name.casefold()) == 1 else f"{stem}{name}-{place}"
        for place, name in enumerate(names, start=1)
    ]


def _to_label(plan: Plan, pool: Pool, asked: JudgeOptions) -> str:
    """Return the list to label and its forecast, in words."""
    sizes = plan.strata.sizes
    judging = plan.design.judging
    failing = judging.failing if judging is not None else 0
    threshold = judging.threshold if judging is not None else None
    whose = f"Drawn for “{judging.judge}”, which" if judging is not None and judging.criteria else "The judge"
    n_fail, n_pass = int(sizes[:failing].sum()), int(sizes[failing:].sum())
    weighted, said = plan.design.weights is not None, verdicts_of(plan)
    one = None if weighted else forecast(n_fail, n_pass, plan.design.budget, JudgeBelief(risk=follows_risk(plan)))
    fails, passes = (int(part.sum()) for part in (plan.allocation[:failing], plan.allocation[failing:]))
    by_weight = ", by weight" if weighted else ""
    rows = [
        f"{whose} passes {per_cent(said.pass_rate(plan.design.weights), 1)} of {counted(n_fail + n_pass, 'item')}"
        f"{by_weight}." + (f" {never}" if (never := never_said(n_fail, n_pass, threshold)) else ""),
        f"{counted(plan.design.budget, 'label')}: {fails} of items that it fails, {passes} of items that it passes.",
        NO_FORECAST if one is None else _expected(one),
        *([sounds] if (sounds := sounds_bad(pool, said)) else []),
        f"The list is in {asked.out}." if asked.out is not None else "Write the list with --out LIST.csv.",
        f"Fill {'a column for each criterion' if asked.criterion else 'its column label'} with pass or fail, and come "
        "back with --labels LIST.csv.",
    ]
    if asked.json:
        facts = {
            "verdict": UNDECIDED,
            "plan": plan.plan_id,
            "items": n_fail + n_pass,
            "fail": n_fail,
            "pass": n_pass,
            "labels": plan.design.budget,
            "failures_expected": None if one is None else one.failures,
            "half_widths": None if one is None else {of.name: one.half_width(of) for _, of in _FORECAST},
            "half_width_ranges": None if one is None else {of.name: one.half_widths(of) for _, of in _FORECAST},
            "seed": plan.seed,
        }
        return document("neyman-judge-list/1", facts)
    return "\n".join(rows) + "\n"


def _expected(one: JudgeForecast) -> str:
    """Return a forecast in a sentence."""
    widths = ", ".join(
        f"{words} ±{100 * one.half_width(of):.0f} (range {' to '.join(f'{100 * x:.0f}' for x in one.half_widths(of))})"
        for words, of in _FORECAST
    )
    return (
        f"Expected if it passes {per_cent(one.belief.tpr)} of the good answers and catches {per_cent(one.belief.tnr)} "
        f"of the failures: about {counted(round(one.failures), 'failure')} in the list; {widths} points."
    )


def _text(result: Judgement, decision: JudgeDecision) -> str:
    lines = [result.title, result.sentence, decision.sentence]
    table = result.measures_frame()
    width = max(map(len, table["measure"]))
    for one in table.to_dict("records"):
        ends = limits(one["low"], one["high"], one["measure"])
        lines.append(f"{one['measure']:<{width}}  {number(one['value'], one['measure']):>8}  {ends}")
    lines += result.remarks
    if (pair := result.comparison) is not None:
        lines.append(pair.sentence)
        lines += [f"{row[0]}: {row[1]} and {row[2]}; difference {row[3]}" for row in pair_rows(result)]
        lines += pair.remarks
    return "\n".join(lines)
