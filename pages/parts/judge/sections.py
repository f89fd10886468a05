"""Sections of page Judge: the pass rate with its next step, and a tab for all that there is more."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Literal

import pandas as pd
import streamlit as st

from core import labels
from core.design import Plan
from core.figures import intervals
from core.judge import (
    NO_FORECAST,
    NOT_TRUSTED,
    TRUSTED,
    JudgeDecision,
    Judgement,
    JudgeVerdicts,
    KnownRates,
    as_json,
    budgets,
    column_of,
    criteria_rows,
    figure_table,
    forecast,
    forecasts,
    judging_of,
    labelling,
    markdown,
    pair_rows,
    precisions,
    request,
    rows_of,
)
from core.pool import Pool
from core.report import judgement_bundle, judgement_html, known_rates_html
from core.words import PER_CENT, counted
from pages.parts import downloads, targets
from pages.parts.app import address, frame, kept, state
from pages.parts.judge import example, inputs
from pages.parts.judge.controls import BELIEVED_FAILS, GRADED, LEAST_TNR, LEAST_TPR, PART, PEOPLE
from pages.parts.judge.inputs import JudgeList, JudgeQuestion
from pages.parts.markup import plain
from pages.parts.widgets import controls

# Of more models, a list below the figure.
_MOST_MODELS = 6
_NUMBER, _TEXT = st.column_config.NumberColumn, st.column_config.TextColumn
_COLUMNS = {
    "budget": _NUMBER("Labels", format="localized"),
    "failures": _NUMBER("Failures expected", format="%.0f"),
    "tnr": _NUMBER("Failures caught, ±", format="%.1f points"),
    "tpr": _NUMBER("Good answers passed, ±", format="%.1f points"),
    "pass_rate": _NUMBER("Pass rate, ±", format="%.1f points"),
    "kappa": _NUMBER("Cohen’s κ, ±", format="%.2f"),
}
_PRECISION = {
    "half_width": _NUMBER("Within", format="±%.0f points"),
    "tnr": _NUMBER("Failures caught: labels", format="localized"),
    "tpr": _NUMBER("Good answers passed: labels", format="localized"),
    "pass_rate": _NUMBER("Pass rate: labels", format="localized"),
}
_CONFUSION = {
    "judge": _TEXT("The judge says"),
    "people": _TEXT("People say"),
    "labels": _NUMBER("Labels", format="localized"),
    "share": downloads.share("Share of the pool, weighted"),
    "items": _NUMBER("Items, weighted", format="%.0f"),
}
# The judge's reason stands beside what people say.
_READ = {
    "what": _TEXT("What", pinned=True),
    "item_id": _TEXT("Item"),
    "judge": _TEXT("Judge"),
    "people": _TEXT("People"),
    "reason": _TEXT("The judge’s reason"),
    "note": _TEXT("People’s note"),
    "group": _TEXT("Group"),
    "prompt": _TEXT("Question"),
    "output": _TEXT("Answer"),
}
_GROUPS = {
    "group": _TEXT("Group", pinned=True),
    "value": _NUMBER("Pass rate", format="%.1f %%"),
    "low": _NUMBER("From", format="%.1f %%"),
    "high": _NUMBER("To", format="%.1f %%"),
}


def answer(asked: JudgeQuestion) -> None:
    """Draw the pass rate beside the judge's own, what it rests on, and the next step."""
    result, known = asked.judgement, asked.rates[0] if len(asked.rates) == 1 else None
    truth = example.truth(asked.pool, asked.verdicts, result) if known is None else known.truth
    if known is not None:
        frame.finding(plain(known.title))
        _bars(asked.verdicts, result, truth, asked.verdicts.pass_rate(asked.known.weights))
        st.markdown(plain(known.because))
    elif asked.rates:
        st.markdown("\n".join(f"- {plain(one.title)}" for one in asked.rates[:_MOST_MODELS]))
    if result is None:
        _before_labels(asked, known)
    elif known is None:
        _said(result, truth)
    else:
        labels_alone = " ".join(result.lines)
        some = known.disagreement(asked.known, result.labels)
        some += " By the labels alone:" if known.keyed else "How close a sample comes, with"
        some += "" if known.keyed else f" {counted(result.n_labels, 'label')} alone:"
        st.markdown(plain(f"{some} {labels_alone[:1].lower()}{labels_alone[1:]}"))
    _asks(asked)
    with st.container(horizontal=True):
        to_label(asked)
        if result is not None:
            _download(asked, result, *_FILES[0])


def of_example() -> None:
    """Draw what labels say of a bundled judge, named as an example, and the ways to all bundled judges."""
    result = example.told()
    with st.container(border=True):
        st.caption(plain(example.about(result)))
        _said(result, example.truth(result.study.pool, result.verdicts, result))
        example.link()


def _said(result: Judgement, truth: float | None) -> None:
    """Draw what labels say of a judge: the pass rates, and how good it is."""
    headline, others = result.lines
    frame.finding(plain(headline), plain(result.title))
    _bars(result.verdicts, result, truth, result.judge_only)
    st.markdown(plain(others))
    if result.weights_line:
        st.caption(plain(result.weights_line))


def _bars(verdicts: JudgeVerdicts, result: Judgement | None, truth: float | None, own: float) -> None:
    """Draw the judge's own pass rate, the corrected one, and the true one if the pool says it."""
    nothing, size = math.nan, verdicts.fails.size
    rows = [("The judge alone", own, nothing, nothing, "own")]
    if result is not None:
        rate = result.pass_rate
        rows.append((f"With {counted(result.n_labels, 'label')}", rate.value, rate.low, rate.high, "corrected"))
    if truth is not None:
        rows.append((f"All {size:,} items", truth, nothing, nothing, "true"))
    if len(rows) > 1:
        table = pd.DataFrame(rows, columns=["label", "value", "low", "high", "kind"])
        frame.chart(intervals.pass_rates(table), "judge-pass-rate", "Pass rates, the judge’s own first.")


def _before_labels(asked: JudgeQuestion, known: KnownRates | None) -> None:
    """Draw what the list is expected to say; in a line if the pool says something already."""
    if asked.plan.design.weights is not None:
        st.markdown(plain(NO_FORECAST))
        return
    sizes = asked.verdicts.n_fail, asked.verdicts.n_pass
    one = forecast(*sizes, asked.plan.design.budget, asked.belief)
    if known is not None:
        st.markdown(plain(f"{'' if asked.is_known else f'{one.headline} '}{one.more}"))
        return
    frame.finding(plain(one.headline), plain(_assumed(asked)))
    frame.chart(intervals.budgets(_forecasts(asked)), "judge-budgets", one.headline)
    st.caption(plain(one.more))


def _assumed(asked: JudgeQuestion) -> str:
    return (
        f"{'As known' if asked.is_known else 'Assumed'}: the judge passes {100 * asked.belief.tpr:.3g}{PER_CENT} of "
        f"the good answers and catches {100 * asked.belief.tnr:.3g}{PER_CENT} of the failures. ± is the half-width "
        f"of the 95{PER_CENT} interval; the range allows for a better or a worse judge."
    )


def _forecasts(asked: JudgeQuestion) -> pd.DataFrame:
    sizes = asked.verdicts.n_fail, asked.verdicts.n_pass
    make = partial(forecasts, *sizes, budgets(sum(sizes)), asked.belief)
    return kept.once("judges", ("forecasts", *sizes, asked.belief), make)


def ask_whom(asked: JudgeList) -> None:
    """Ask which model the judge graded."""
    if asked.graded:
        said = "This file has the answers of several models. Which did the judge grade? People see its answers."
        st.info(said, icon=":material/help:")
        with st.container(horizontal=True):
            for name in asked.graded[:_MOST_MODELS]:
                st.button(plain(name), key=f"graded-{name}", on_click=GRADED.set, args=(name,))


def _asks(asked: JudgeQuestion) -> None:
    """Ask which model the judge graded, whether people gave a column's verdicts, and what their words mean."""
    ask_whom(asked)
    for name in asked.offered:
        title = plain(f"People gave the verdicts in “{column_of(asked.known, name)}”: use them")
        look: Literal["primary", "secondary"] = "secondary" if asked.judgement else "primary"
        icon = ":material/groups:"
        st.button(title, key=f"people-{name}", icon=icon, type=look, on_click=PEOPLE.set, args=(name,))
    inputs.section(asked.known, asked.verdicts.judge, asked.unread)


def _asked_of(asked: JudgeList) -> str | None:
    """Return whom labels of the list judge, if the desk can show it."""
    target = labels.asked(judging_of(asked.plan))[0]
    return target if target in targets.asked(asked.plan, asked.known).targets else None


def to_label(asked: JudgeList) -> None:
    """Draw the next step while items of the list have no label: the desk, or the list if the desk cannot show it."""
    target = _asked_of(asked)
    look: Literal["primary", "secondary"] = "secondary" if asked.offered else "primary"
    title = f"Label {counted(asked.to_label, 'item')}"
    if not asked.to_label:
        return
    if target is None:
        # That of the tab has the plain look.
        _csv(asked, title, "primary")
    elif st.button(title, type=look, icon=":material/checklist:", key="label-judge"):
        _open(asked, target, controls.DESK)


def _csv(asked: JudgeList, title: str, look: Literal["primary", "secondary"]) -> None:
    """Draw the button of the list as a file."""
    plan = asked.plan
    make, keep = downloads.in_turn(
        lambda: labels.to_csv(request(plan).drop(columns="label", errors="ignore")), partial(_keep, asked.pool, plan)
    )
    name, icon = f"{downloads.slug('neyman-judge', judging_of(plan).judge)}.csv", ":material/download:"
    st.download_button(
        title, make, name, "text/csv", key=f"judge-{downloads.slug(title)}", on_click=keep, type=look, icon=icon
    )


def the_list(asked: JudgeList) -> None:
    """Draw the list as a file, and the way back for the filled one."""
    target, judging = _asked_of(asked), judging_of(asked.plan)
    with st.container(horizontal=True):
        _csv(asked, "List as CSV", "secondary")
        if target and st.button("Import labels", icon=":material/upload:", key="judge-back"):
            _open(asked, target, controls.RETURNS)
    st.caption(
        "The list shows neither the judge’s verdict nor its reason. Fill the column “label”, or the one of each "
        "criterion, with pass or fail; two people for each item, if you can."
        if judging.scale is None
        else f"The list does not show the judge’s grade. Fill the column “label” with grades from {judging.scale}; two "
        "people for each item, if you can."
    )
    if len(judging.criteria) > 1 and judging.planned is not None:
        first = f"The list is drawn for “{judging.planned.name}”"
        st.caption(plain(f"{first}, whose share of failures caught would be the least precise."))


def _open(asked: JudgeList, target: str, part: str) -> None:
    """Keep the list, and go to it on page Label."""
    _keep(asked.pool, asked.plan)
    where = address.choices().replace(
        plan=asked.plan.plan_id,
        budget=asked.plan.design.budget,
        design=None,
        kind=labels.asked_kind(judging_of(asked.plan)),
        target=target,
        others={controls.PART.key: [part]},
    )
    st.switch_page("pages/label.py", query_params=where.parameters())


@frame.in_callback
def _keep(pool: Pool, plan: Plan) -> None:
    """Keep the list, so that labels find it when they come back."""
    archive = state.archive()
    labelling(archive, plan, pool).save_plan(archive, state.now())


def details(asked: JudgeQuestion) -> None:
    """Draw a tab for all that there is more."""
    result, known = asked.judgement, asked.rates[0] if len(asked.rates) == 1 else None
    parts: dict[str, tuple[str, Callable[[], None]]] = {"trust": ("", partial(_trust, asked))}
    if result is None and asked.plan.design.weights is None:
        parts = {"labels": ("", partial(_labels, asked))} | parts
    elif result is not None:
        table = result.disagreements()
        if not table.empty:
            parts["read"] = f" ({len(table):,})", partial(_failures, table)
        if asked.criteria:
            parts["criteria"] = "", partial(_criteria, asked)
        if result.comparison is not None:
            parts["beside"] = "", partial(_compared, result)
        if "group" in result.study.pool.item_columns:
            parts["groups"] = "", partial(_groups, result)
    if result is not None or (known is not None and known.of_all()):
        parts["numbers"] = "", partial(_numbers, asked, result, known)
    parts["list"] = "", partial(the_list, asked)
    if example.is_story(asked.pool):
        parts["story"] = "", partial(example.section, asked.pool, asked.verdicts, result)
    frame.tabs(PART, parts)


def _decision(asked: JudgeQuestion) -> JudgeDecision | None:
    """Return whether the judge can be trusted: by what the pool says of all items, or else by the labels."""
    least = LEAST_TPR.value / 100, LEAST_TNR.value / 100
    if asked.is_known:
        return asked.rates[0].decide(*least)
    return None if asked.judgement is None else asked.judgement.decide(*least)


def _trust(asked: JudgeQuestion) -> None:
    """Draw what the judge has to reach, whether it does, and its rates."""
    for cell, control in zip(st.columns(2), (LEAST_TNR, LEAST_TPR), strict=True):
        with cell:
            control.draw()
    decision, result = _decision(asked), asked.judgement
    if decision is None:
        st.caption("Choose this before labelling. The labels then say whether the judge reaches it.")
        return
    is_good = {TRUSTED: True, NOT_TRUSTED: False}.get(decision.verdict)
    frame.verdict(decision.verdict.capitalize(), is_good, plain(decision.sentence.partition(": ")[2]))
    if result is not None:
        table = figure_table(result, decision.tpr, decision.tnr).dropna(subset="threshold")
        frame.chart(intervals.rates(table), "judge-rates", result.sentence)
        st.caption(f"{plain(result.title)}. Bars are 95{PER_CENT} intervals; dotted lines are what it has to reach.")
        for remark in result.remarks:
            st.caption(plain(remark))


def _labels(asked: JudgeQuestion) -> None:
    """Draw what is believed of the judge, what numbers of labels give, and what precisions take."""
    if not asked.is_known:
        cells, usual = st.columns(3), asked.usual.fails
        for cell, control in zip(cells, asked.beliefs, strict=False):
            with cell:
                control.draw()
        with cells[2]:
            BELIEVED_FAILS.draw("as the judge says" if usual is None else f"{100 * usual:.0f}, as of those known")
    st.caption(plain(f"{_assumed(asked)} It moves the forecast alone, never the result."))
    table, sizes = _forecasts(asked), (asked.verdicts.n_fail, asked.verdicts.n_pass)
    shown = downloads.in_per_cent(table, ("tnr", "tpr", "pass_rate"))
    st.dataframe(shown, hide_index=True, column_config=_COLUMNS, alt="Half-widths by number of labels.")
    takes = kept.once("judges", ("precisions", *sizes, asked.belief), lambda: precisions(*sizes, asked.belief))
    wanted = downloads.in_per_cent(takes, ("half_width",))
    st.dataframe(wanted, hide_index=True, column_config=_PRECISION, alt="Labels by half-width.", placeholder="–")
    downloads.csv("Forecast as CSV", lambda: table.to_csv(index=False), "neyman-judge-forecast.csv")


# Title, ending and type of each file, and what writes it.
_Write = Callable[[Judgement, JudgeDecision], str | bytes]
_FILES: tuple[tuple[str, str, str, _Write], ...] = (
    ("Report (HTML)", "-report.html", "text/html", lambda one, said: judgement_html(one, said, state.made())),
    ("Summary as Markdown", ".md", "text/markdown", markdown),
    ("All numbers as JSON", ".json", "application/json", as_json),
    (
        "Bundle to reproduce it",
        ".zip",
        "application/zip",
        lambda one, said: judgement_bundle(one, said, state.made(), f"neyman-{one.study.plan.plan_id}.zip"),
    ),
)


def _download(asked: JudgeQuestion, result: Judgement, title: str, ending: str, mime: str, write: _Write) -> None:
    """Draw the button of a file; that of the report is filled if it is the next step."""
    decision = result.decide(LEAST_TPR.value / 100, LEAST_TNR.value / 100)
    is_next = write is _FILES[0][-1] and not asked.to_label
    st.download_button(
        title,
        partial(write, result, decision),
        f"neyman-{result.study.plan.plan_id}{ending}",
        mime,
        on_click="ignore",
        type="primary" if is_next else "secondary",
        icon=":material/download:",
    )


def _numbers(asked: JudgeQuestion, result: Judgement | None, known: KnownRates | None) -> None:
    """Draw every measure, the weighted confusion table, and the files."""
    head, alt = ["measure", "value", f"95{PER_CENT} limits"], "Every measure of the judge with its limits."
    if known is not None and (table := known.of_all()):
        rows = pd.DataFrame(table, columns=["Of all, if drawn at random", "Value", head[-1]])
        st.dataframe(rows, hide_index=True, width="content", alt=alt)
        name = downloads.slug("neyman-judge", known.judge)
        with st.container(horizontal=True):
            st.download_button(
                "Report (HTML)",
                lambda: known_rates_html(known, _decision(asked), asked.pool.name),
                f"{name}.html",
                "text/html",
                on_click="ignore",
                icon=":material/description:",
            )
            downloads.csv("Numbers as CSV", lambda: downloads.as_csv(rows), f"{name}.csv")
    if result is None:
        return
    st.dataframe(pd.DataFrame(rows_of(result), columns=head), hide_index=True, width="content", alt=alt)
    st.markdown("**The judge’s verdicts and people’s**")
    shown = downloads.in_per_cent(result.confusion(), ("share",))
    alt = "Weighted confusion table."
    st.dataframe(shown, hide_index=True, width="content", column_config=_CONFUSION, alt=alt)
    with st.container(horizontal=True):
        for file in _FILES[1:]:
            _download(asked, result, *file)
        downloads.csv("Numbers as CSV", lambda: result.measures_frame().to_csv(index=False), "neyman-judge.csv")


def _criteria(asked: JudgeQuestion) -> None:
    """Draw all criteria beside each other."""
    head = ["criterion", "pass rate", "good answers passed", "failures caught", "verdict"]
    table = criteria_rows(asked.criteria, LEAST_TPR.value / 100, LEAST_TNR.value / 100)
    rows = pd.DataFrame(table, columns=head)
    st.dataframe(rows, hide_index=True, width="content", alt="The judge on each criterion.")
    st.caption(f"Limits hold for all criteria at once in 95{PER_CENT} of lists. The figure is of the criterion chosen.")


def _compared(result: Judgement) -> None:
    """Draw both judges beside each other, on the same items."""
    pair = result.comparison
    assert pair is not None
    st.markdown(plain(pair.sentence))
    head = ["measure", *(f"“{name}”" for name in pair.names), "difference, points"]
    rows = pd.DataFrame(pair_rows(result), columns=head)
    st.dataframe(rows, hide_index=True, width="content", alt="Both judges with the difference.")
    for words in pair.remarks:
        st.caption(plain(words))


def _failures(table: pd.DataFrame) -> None:
    """Draw the failures that were found, and the false alarms."""
    st.caption("Missed failures, false alarms, and failures that were caught.")
    order = [*_READ]
    st.dataframe(table, hide_index=True, column_order=order, column_config=_READ, alt="The judge’s mistakes first.")
    downloads.csv("Failures as CSV", lambda: table.to_csv(index=False), "neyman-judge-failures.csv")


def _groups(result: Judgement) -> None:
    """Draw corrected pass rates of groups."""
    table = result.study.by("group")[["group", "items", "labels", "value", "low", "high"]]
    shown = downloads.in_per_cent(table, ("value", "low", "high"))
    st.dataframe(shown, hide_index=True, column_config=_GROUPS, placeholder="–", alt="A row each group.")
