"""The reports of a judge and of a version gate, as one HTML page each."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from typing import Any

from ..contests import Standing
from ..design.judging import FAIL
from ..figures import intervals
from ..judge import JudgeDecision, JudgeGrades, Judgement, KnownRates, figure_table, rows_of
from ..judge.grades import HEAD
from ..judge.measures import PASS_RATE, TNR, TPR
from ..judge.summary import limits, number, pair_rows
from ..study.begun_gate import BegunGate
from ..study.study import Study
from ..words import PER_CENT, counted, per_cent, signed, value
from . import sections
from .blocks import Drawing, Fold, Paragraph, Table, Text, drawing, fold, render
from .details import ANCHOR, ItemInFull, Listing, cut
from .everyday import Fact
from .page import Front, manifest
from .sheet import Section

_WIDTH = 560
_MOST = 1000
_SAID = {"output": "Answer", "judge": "Judge", "reason": "The judge’s reason", "people": "People", "note": "Note"}
_ABOUT = "An automatic grader (the judge) against people’s labels"
_METHOD = (
    "People labelled random samples of the items that the judge fails and of those that it passes. Fail verdicts get "
    "the share √u/(√u + √q) of the labels; u and q are the shares of fail and of pass verdicts. In each class, groups "
    "of items (strata) along the predicted risk, if there is one, are sampled in proportion to their size.",
    "A value of a measure is inside its limits unless the labels would be surprising if it were the true one, by a "
    "working model of the strata that is tilted to it, with a saddlepoint approximation (Lugannani and Rice 1980).",
    f"TRUSTED takes both one-sided 95{PER_CENT} lower limits at their thresholds or above. NOT TRUSTED takes an upper "
    f"95{PER_CENT} limit below its threshold.",
)

_GRADES_METHOD = (
    "Items with the same or neighbouring grades of the judge are a group (stratum), with eight labels or more. Each is "
    "sampled at random, in proportion to its size; people’s mean is that of each group, weighted by its size.",
    "The judge’s mean is known of every item, so the bias is as precise as people’s mean. Limits are those of any mean "
    "of grades: a value is inside unless the labels would be surprising if it were the true one.",
)

# Said of the same methods where items count by their weights.
_BY_WEIGHT = (
    "Items count by their weights: shares above are shares of the weight, groups hold items of like weight and are "
    "sampled in proportion to it, and each label counts by the weight of its item over its chance of being drawn."
)


def _method(said: Sequence[str], study: Study) -> list[Paragraph]:
    by_weight = () if study.plan.design.weights is None else (_BY_WEIGHT,)
    return [*map(Paragraph, (*said, *by_weight))]


def judgement_html(result: Judgement, decision: JudgeDecision, made: str = "") -> str:
    """Write the report of a judge as one HTML document; every text that comes from a pool or a label is escaped.

    Parameters
    ----------
    result : Judgement
        The judge against people's labels.
    decision : JudgeDecision
        The verdict, with what the judge was held against.
    made : str
        When and by whom, in words.
    """
    labels = result.study.labels
    folds = [
        *_numbers(result),
        *_failures(result),
        *_comparison(result),
        *_groups(result),
        *fold("Method", _method(_METHOD, result.study)),
        *sections.provenance(labels.provenance()),
        *manifest(json.loads(labels.manifest)),
    ]
    values = {
        "title": f"Judge “{result.judge}” on {result.study.pool.name}",
        "method": "judge",
        "front": _front(result, decision, made),
        "folds": folds,
    }
    return render("report.html", values)


def known_rates_html(rates: KnownRates, decision: JudgeDecision | None, pool: str) -> str:
    """Write what a pool says of its judge without a list of labels as one HTML page; every text is escaped.

    Parameters
    ----------
    rates : KnownRates
        The judge beside right answers or verdicts of people.
    decision : JudgeDecision or None
        Whether it can be trusted, if these verdicts tell.
    pool : str
        Name of the pool.
    """
    said = [rates.because, "" if decision is None else decision.sentence]
    parts: list[Any] = [Paragraph(text) for text in said if text]
    if table := rates.of_all():
        parts.append(
            Table(("Of all, if drawn at random", "Value", f"95{PER_CENT} limits"), [list(row) for row in table])
        )
    values = {"title": f"The judge “{rates.judge}”", "about": f"“{pool}”", "answer": rates.title}
    return render("sheet.html", values | {"sections": [Section("", tuple(parts))]})


def judge_grades_html(result: JudgeGrades, most_bias: float | None = None, made: str = "") -> str:
    """Write the report of a judge that grades as one HTML document; every text is escaped.

    Parameters
    ----------
    result : JudgeGrades
        The judge against people's grades.
    most_bias : float or None
        How far the judge's mean may be from people's; None: nothing is decided.
    made : str
        When and by whom, in words.
    """
    study, (headline, *more) = result.study, result.lines
    number, _, limits = headline.removesuffix(".").removeprefix("Corrected mean ").partition(" ")
    decision = "" if most_bias is None else result.decision(most_bias)
    verdict, _, reason = decision.partition(": ")
    table = result.calibration.assign(label=lambda rows: rows["grades"])
    folds = [
        *fold("People’s mean by the judge’s grade", [Table(tuple(HEAD), result.rows())]),
        *fold("Method", _method(_GRADES_METHOD, study)),
        *sections.provenance(study.labels.provenance()),
        *manifest(json.loads(study.labels.manifest)),
    ]
    front = Front(
        about=" · ".join(part for part in (_ABOUT, study.pool.name, f"plan {study.plan.plan_id}", made) if part),
        number=number,
        limits=f"Corrected mean, {limits.replace('(', '').replace(')', '')}",
        answer=" ".join(more),
        figure=drawing(
            intervals.calibration(table, result.scale), sections.in_words(table, lambda one: f"{one:.2f}"), _WIDTH
        ),
        facts=[Fact("The judge is", verdict, reason[:1].upper() + reason[1:])] if decision else [],
        basis=f"{result.title}.",
        compared="",
        remarks=result.remarks,
        meaning=_meaning(result.grades.size, study.pool.name),
        procedure=(
            f"Of the {counted(result.grades.size, 'item')}, {study.plan.ids.size:,} were drawn at random, in "
            f"proportion from each class of the judge’s grades. People graded {result.n_labels:,} of them on the scale "
            f"{result.scale}, without seeing the judge’s."
        ),
        items="",
        behind="",
    )
    title = f"Judge “{result.judge}” on {study.pool.name}"
    return render("report.html", {"title": title, "method": "judge", "front": front, "folds": folds})


def _meaning(items: int, pool: str) -> tuple[str, ...]:
    return (
        f"The result is about all {counted(items, 'item')} of “{pool}”, labelled or not.",
        "Another list of the same length would give other limits. 19 of 20 such limits contain the true value.",
        "It says nothing about other items, or about whether people’s labels are right.",
    )


def _front(result: Judgement, decision: JudgeDecision, made: str) -> Front:
    study, rate, pair = result.study, result.pass_rate, result.comparison
    table = figure_table(result, decision.tpr, decision.tnr)
    reads = len(result.disagreements())
    return Front(
        about=" · ".join(part for part in (_ABOUT, study.pool.name, f"plan {study.plan.plan_id}", made) if part),
        number=value(rate.value, True),
        limits=f"{PASS_RATE.title}, {limits(rate.low, rate.high, PASS_RATE.title)}",
        answer=result.sentence,
        figure=drawing(intervals.rates(table), sections.in_words(table, lambda share: value(share, True)), _WIDTH),
        facts=_facts(result, decision),
        basis=f"{result.title}.",
        compared="" if pair is None else pair.sentence,
        remarks=result.remarks,
        meaning=_meaning(result.pair.size, study.pool.name),
        procedure=_procedure(result),
        items=ANCHOR if reads else "",
        behind=f"Read the {counted(reads, 'failure or false alarm', 'failures and false alarms')}",
    )


def _facts(result: Judgement, decision: JudgeDecision) -> list[Fact]:
    facts = []
    for name, one, of, least in (
        ("Good answers passed", result.tpr, TPR, decision.tpr),
        ("Failures caught", result.tnr, TNR, decision.tnr),
    ):
        shown = "not measurable" if math.isnan(one.value) else per_cent(one.value)
        facts.append(Fact(name, shown, f"{limits(one.low, one.high, of.title)}; at least {per_cent(least)} asked."))
    verdict, _, reason = decision.sentence.partition(": ")
    verdict, _, _ = verdict.partition(" (")
    return [*facts, Fact("The judge is", verdict, reason[:1].upper() + reason[1:])]


def _procedure(result: Judgement) -> str:
    plan, given = result.study.plan, result.labels["judge"] == FAIL
    return (
        f"Of the {counted(result.pair.size, 'item')}, {plan.ids.size:,} were drawn at random, with known chances, from "
        f"what the judge passes and what it fails. People labelled {result.n_labels:,} of them without seeing that: "
        f"{int(given.sum()):,} that it fails and {int((~given).sum()):,} that it passes. Each counts by its chance."
    )


def _numbers(result: Judgement) -> Iterator[Fold]:
    confusion = [
        (
            f"Judge {row['judge']}, people {row['people']}",
            f"{row['labels']:,}",
            per_cent(row["share"], 1),
            f"{row['items']:,.0f}",
        )
        for row in result.confusion().to_dict("records")
    ]
    parts = [
        Table(("", "Value", "95 % limits"), rows_of(result)),
        Table(("Verdicts", "Labels", "Share of the pool", "Items, weighted"), confusion),
    ]
    yield from fold("All numbers", parts)


def _failures(result: Judgement) -> Iterator[Fold]:
    table = result.disagreements()
    if table.empty:
        return
    counts = table["what"].value_counts(sort=False)
    hint = ", ".join(counted(int(count), str(what)) for what, count in counts.items())
    items = tuple(_item(place, row) for place, row in enumerate(table.head(_MOST).to_dict("records")))
    words = "Missed failures first, then false alarms, then failures that the judge caught."
    yield from fold("Read these", [Paragraph(words, "soft", ANCHOR), Listing(items)], hint)


def _item(place: int, row: dict[object, object]) -> ItemInFull:
    prompt = row.get("prompt")
    said = tuple((title, cut(str(row[name]))) for name, title in _SAID.items() if row.get(name))
    return ItemInFull(
        f"item-{place}",
        str(row["item_id"]),
        str(row["what"]),
        str(row.get("group") or ""),
        cut(prompt) if isinstance(prompt, str) else "",
        (),
        "",
        said,
    )


def _comparison(result: Judgement) -> Iterator[Fold]:
    pair = result.comparison
    if pair is None:
        return
    parts = [
        Paragraph(pair.sentence, "say"),
        Table(("", *(f"“{name}”" for name in pair.names), "Difference, points"), pair_rows(result)),
        *(Paragraph(words, "soft") for words in pair.remarks),
    ]
    yield from fold("Compared with another judge", parts, "on the same items")


def _groups(result: Judgement) -> Iterator[Fold]:
    if "group" not in result.study.pool.item_columns or result.study.partial() is not None:
        return
    rows = [
        (
            str(row["group"]),
            f"{row['items']:,}",
            f"{row['labels']:,}",
            number(row["value"], ""),
            limits(row["low"], row["high"], "") if row["labels"] else "no labels",
        )
        for row in result.study.by("group").to_dict("records")
    ]
    yield from fold(
        "Corrected pass rates by group", [Table(("Group", "Items", "Labels", "Value", "95 % limits"), rows)]
    )


# The verdict of a version gate as one HTML page.

_STRATA = ("Answers differ and", "Items", "Known", "On list")


def gate_html(started: BegunGate) -> str:
    """Write the verdict of a version gate as one HTML page; every text is escaped.

    Parameters
    ----------
    started : BegunGate
        The gate with its labels.
    """
    gate, decision = started.gate, started.decision
    strata = gate.strata_table()[["what", "items", "known", "labels"]].itertuples(index=False)
    rows = [[what, *(f"{count:,}" for count in counts)] for what, *counts in strata]
    words = (started.remark, gate.left_out, gate.rates, gate.why_rates, gate.selection)
    parts = (Table(("", ""), list(gate.facts(decision).items())), *map(Paragraph, filter(None, words)))
    values = {
        "title": f"Version gate: {gate.old} → {gate.new}",
        "about": f"“{started.pool.name}”",
        "answer": decision.sentence,
        "sections": [Section("", parts), Section("The items of the list", (Table(_STRATA, rows),))],
    }
    return render("sheet.html", values)


# The best of several models as one HTML page.

_RACE = ("Model", "Points behind the leader", "Limits", "")


def contest_html(standing: Standing, command: str = "") -> str:
    """Write what labels say of the best of several models as one HTML page; every text is escaped.

    Parameters
    ----------
    standing : Standing
        The contest with its labels.
    command : str
        The command line that says the same.
    """
    planned, table = standing.best, standing.table()
    rows = [
        (
            one["model"],
            signed(one["value"], True),
            f"{signed(one['low'], True)} to {signed(one['high'], True)}",
            one["state"],
        )
        for one in table.to_dict("records")
    ]
    waves = [
        (f"{number}", counted(wave.order.size, "item"), planned.plan(wave).plan_id)
        for number, wave in enumerate(standing.course.waves, start=1)
        if wave.order.size
    ]
    before = f"{'Before labels: ' * bool(standing.studies)}{planned.sentence}"
    words = (standing.to_go, planned.assurance, planned.not_needed, standing.truth, before, *standing.remarks)
    parts: list[Any] = [Paragraph(text) for text in words if text]
    if rows:
        said = sections.in_words(table.assign(label=table["model"]), lambda value: signed(value, True))
        parts = [Drawing(drawing(intervals.race(table, planned.contest.rule.within), said, _WIDTH)), *parts]
    shown = [Section("", tuple(parts))]
    shown += [Section("The models", (Table(_RACE, rows),))] if rows else []
    shown += [Section("The lists", (Table(("Wave", "Items", "Plan"), waves),))] if waves else []
    shown += [Section("The same for CI", (Text(command),))] if command else []
    about = f"“{planned.pool.name}”, {counted(planned.contest.n_items, 'item')}"
    values = {"title": "The best of several models", "about": about, "answer": standing.sentence}
    return render("sheet.html", values | {"sections": shown})
