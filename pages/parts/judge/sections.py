"""Sections of page Judge: the list that people label, what a budget says of the judge, and the result after labels."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Literal

import pandas as pd
import streamlit as st

from core import labels
from core.design import Plan
from core.figures import intervals
from core.judge import (
    NOT_TRUSTED,
    TRUSTED,
    JudgeDecision,
    Judgement,
    KnownRates,
    as_json,
    budgets,
    column_of,
    criteria_rows,
    figure_table,
    forecast,
    forecasts,
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
from pages.parts.app.frame import in_callback
from pages.parts.judge import inputs
from pages.parts.judge.controls import GRADED, PEOPLE
from pages.parts.judge.inputs import JudgeQuestion
from pages.parts.markup import plain
from pages.parts.widgets import controls

_RIGHT_WRONG = "right-wrong"


def list_section(asked: JudgeQuestion) -> None:
    """Draw the ways to label the list, and to bring labels back."""
    plan = asked.plan
    judging = plan.design.judging
    assert judging is not None
    target = labels.asked(judging)[0]
    at_desk = target in targets.asked(plan, asked.known).targets
    with st.container(horizontal=True):
        if at_desk and st.button("Label these items", type="primary", icon=":material/checklist:", key="label-judge"):
            _keep(asked.pool, plan)
            _open(plan, target, controls.DESK)
        make, keep = downloads.in_turn(
            lambda: labels.to_csv(request(plan).drop(columns="label", errors="ignore")),
            partial(_keep, asked.pool, plan),
        )
        name = f"{downloads.slug('neyman-judge', judging.judge)}.csv"
        st.download_button("List as CSV", make, name, "text/csv", on_click=keep, icon=":material/download:")
        if at_desk and st.button("Take a filled list back", icon=":material/upload:", key="judge-back"):
            _keep(asked.pool, plan)
            _open(plan, target, "Take labels back")
    st.caption(
        "The list shows neither the judge’s verdict nor its reason. Fill the column “label”, or the one of each "
        "criterion, with pass or fail; two people for each item, if you can."
    )


def _open(plan: Plan, target: str, part: str) -> None:
    """Go to the list on page Label."""
    where = address.choices().replace(
        plan=plan.plan_id,
        budget=plan.design.budget,
        design=None,
        kind=_RIGHT_WRONG,
        target=target,
        others={controls.PART.key: [part]},
    )
    st.switch_page("pages/label.py", query_params=where.parameters())


@in_callback
def _keep(pool: Pool, plan: Plan) -> None:
    """Keep the list, so that labels find it when they come back."""
    archive = state.archive()
    labelling(archive, plan, pool).save_plan(archive, state.now())


_BOXES = {TRUSTED: (st.success, ":material/verified:"), NOT_TRUSTED: (st.warning, ":material/gpp_bad:")}
# Of more models, a list below the figure.
_MOST_MODELS = 6
_NUMBER = st.column_config.NumberColumn
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


def known(asked: JudgeQuestion) -> None:
    """Draw what the pool says of the judge without any label, and which columns could say it."""
    if len(asked.rates) == 1:
        (one,) = asked.rates
        frame.finding(plain(one.title))
        st.markdown(plain(one.because))
        if table := one.of_all():
            rows = pd.DataFrame(table, columns=["Of all, if drawn at random", "Value", f"95{PER_CENT} limits"])
            st.dataframe(rows, hide_index=True, width="content", alt="Every measure of the judge with its limits.")
        decision = one.decide(asked.tpr, asked.tnr)
        if decision is not None:
            verdict(decision)
        if table:
            _planned_files(one, decision, rows, asked.pool.name)
    else:
        st.markdown("\n".join(f"- {plain(one.title)}" for one in asked.rates[:_MOST_MODELS]))
    if asked.graded:
        said = "This file has the answers of several models. Which did the judge grade? People see its answers."
        st.info(said, icon=":material/help:")
        with st.container(horizontal=True):
            for name in asked.graded[:_MOST_MODELS]:
                st.button(plain(name), key=f"graded-{name}", on_click=GRADED.set, args=(name,))
    for name in asked.offered:
        title = plain(f"People gave the verdicts in “{column_of(asked.known, name)}”: use them")
        st.button(title, key=f"people-{name}", icon=":material/groups:", on_click=PEOPLE.set, args=(name,))
    inputs.section(asked.known, asked.verdicts.judge, asked.unread)


def _planned_files(one: KnownRates, decision: JudgeDecision | None, rows: pd.DataFrame, pool: str) -> None:
    """Draw what the pool says of the judge as files."""
    name = downloads.slug("neyman-judge", one.judge)
    with st.container(horizontal=True):
        st.download_button(
            "Report (HTML)",
            lambda: known_rates_html(one, decision, pool),
            f"{name}.html",
            "text/html",
            on_click="ignore",
            icon=":material/description:",
        )
        downloads.csv("Numbers as CSV", lambda: downloads.as_csv(rows), f"{name}.csv")


def decided(asked: JudgeQuestion) -> KnownRates | None:
    """Return the judge's rates by right answers of all items, which few labels cannot improve on; None without them."""
    return asked.rates[0] if asked.is_known and asked.rates[0].keyed else None


def verdict(decision: JudgeDecision) -> None:
    """Draw whether the judge can be trusted."""
    box, icon = _BOXES.get(decision.verdict, (st.info, ":material/balance:"))
    box(plain(decision.sentence), icon=icon)


def before_labels(asked: JudgeQuestion) -> None:
    """Draw what the list is expected to say, and what other numbers of labels do."""
    sizes = asked.verdicts.n_fail, asked.verdicts.n_pass
    one = forecast(*sizes, asked.plan.design.budget, asked.belief)
    frame.finding(plain(one.headline))
    key = (*sizes, asked.belief)
    table = kept.once("judges", ("forecasts", *key), lambda: forecasts(*sizes, budgets(sum(sizes)), asked.belief))
    frame.chart(intervals.budgets(table), "judge-budgets", one.headline)
    judging = asked.plan.design.judging
    assert judging is not None
    if len(judging.criteria) > 1 and judging.planned is not None:
        st.caption(
            plain(
                f"The list is drawn for “{judging.planned.name}”, whose share of failures caught would be the least "
                "precise."
            )
        )
    st.caption(
        plain(
            f"{one.more} {'As known' if asked.is_known else 'Assumed'}: the judge passes "
            f"{100 * asked.belief.tpr:.3g}{PER_CENT} of the good answers and catches "
            f"{100 * asked.belief.tnr:.3g}{PER_CENT} of the failures. ± is the half-width of the "
            f"95{PER_CENT} interval; the range allows for a better or a worse judge."
        )
    )


def precision(asked: JudgeQuestion) -> None:
    """Draw both tables in a panel: what budgets give, and what precisions take."""
    panel = frame.panel("What a number of labels gives, and what a precision takes", "judge-precision", "table")
    if panel is None:
        return
    sizes = asked.verdicts.n_fail, asked.verdicts.n_pass
    with panel:
        key = (*sizes, asked.belief)
        table = kept.once("judges", ("forecasts", *key), lambda: forecasts(*sizes, budgets(sum(sizes)), asked.belief))
        shown = downloads.in_per_cent(table, ("tnr", "tpr", "pass_rate"))
        st.dataframe(shown, hide_index=True, column_config=_COLUMNS, alt="Half-widths by number of labels.")
        takes = kept.once("judges", ("precisions", *key), lambda: precisions(*sizes, asked.belief))
        wanted = downloads.in_per_cent(takes, ("half_width",))
        st.dataframe(wanted, hide_index=True, column_config=_PRECISION, alt="Labels by half-width.", placeholder="–")
        downloads.csv("Forecast as CSV", lambda: table.to_csv(index=False), "neyman-judge-forecast.csv")


_TEXT = st.column_config.TextColumn
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


def after_labels(asked: JudgeQuestion, result: Judgement) -> None:
    """Draw what the labels say of the judge."""
    decision = result.decide(asked.tpr, asked.tnr)
    headline, others = result.lines_of(decision)
    against = decided(asked)
    if against is None and asked.is_known:
        # The verdict of all items stands above.
        some = f"How close a sample comes, with {counted(result.n_labels, 'label')} alone:"
        st.markdown(plain(f"{some} {headline} {others}"))
    elif against is None:
        frame.finding(plain(headline))
        st.markdown(plain(others))
        verdict(decision)
    else:
        # What the file knows of all items is the headline.
        st.markdown(
            plain(f"{against.disagreement(asked.known, result.labels)} By the labels alone: {headline} {others}")
        )
    drawn = intervals.rates(figure_table(result, asked.tpr, asked.tnr))
    frame.chart(drawn, "judge-rates", result.sentence)
    st.caption(plain(f"{result.title}. Bars are 95{PER_CENT} intervals; dotted lines are what the judge has to reach."))
    for remark in result.remarks:
        st.caption(plain(remark))
    _files(result, decision)
    _criteria(asked)
    _compared(result)
    _numbers(result)
    _failures(result)
    _groups(result)


def _files(result: Judgement, decision: JudgeDecision) -> None:
    """Draw the report and all numbers as files."""
    name = f"neyman-{result.study.plan.plan_id}"
    files: tuple[tuple[str, Callable[[], str | bytes], str, str], ...] = (
        ("Report (HTML)", lambda: judgement_html(result, decision, state.made()), f"{name}-report.html", "text/html"),
        ("Summary as Markdown", lambda: markdown(result, decision), "neyman-judge.md", "text/markdown"),
        ("All numbers as JSON", lambda: as_json(result, decision), "neyman-judge.json", "application/json"),
        (
            "Bundle to reproduce it",
            lambda: judgement_bundle(result, decision, state.made(), f"{name}.zip"),
            f"{name}.zip",
            "application/zip",
        ),
    )
    with st.container(horizontal=True):
        for place, (title, write, file, mime) in enumerate(files):
            look: Literal["primary", "secondary"] = "secondary" if place else "primary"
            st.download_button(title, write, file, mime, on_click="ignore", type=look, icon=":material/download:")
        downloads.csv("Numbers as CSV", lambda: result.measures_frame().to_csv(index=False), "neyman-judge.csv")


def _criteria(asked: JudgeQuestion) -> None:
    """Draw all criteria beside each other."""
    if not asked.criteria:
        return
    st.markdown("**All criteria**")
    head = ["criterion", "pass rate", "good answers passed", "failures caught", "verdict"]
    rows = pd.DataFrame(criteria_rows(asked.criteria, asked.tpr, asked.tnr), columns=head)
    st.dataframe(rows, hide_index=True, width="content", alt="The judge on each criterion.")
    st.caption(f"Limits hold for all criteria at once in 95{PER_CENT} of lists. The figure is of the criterion chosen.")


def _compared(result: Judgement) -> None:
    """Draw both judges beside each other."""
    pair = result.comparison
    if pair is None:
        return
    st.markdown("**Compared on the same items**")
    st.markdown(plain(pair.sentence))
    head = ["measure", *(f"“{name}”" for name in pair.names), "difference, points"]
    rows = pd.DataFrame(pair_rows(result), columns=head)
    st.dataframe(rows, hide_index=True, width="content", alt="Both judges with the difference.")
    for words in pair.remarks:
        st.caption(plain(words))


def _numbers(result: Judgement) -> None:
    """Draw every measure, and the weighted confusion table."""
    st.markdown("**Numbers**")
    rows = pd.DataFrame(rows_of(result), columns=["measure", "value", f"95{PER_CENT} limits"])
    st.dataframe(rows, hide_index=True, width="content", alt="Every measure of the judge with its limits.")
    st.markdown("**The judge’s verdicts and people’s**")
    shown = downloads.in_per_cent(result.confusion(), ("share",))
    alt = "Weighted confusion table."
    st.dataframe(shown, hide_index=True, width="content", column_config=_CONFUSION, alt=alt)


def _failures(result: Judgement) -> None:
    """Draw the failures that were found, and the false alarms."""
    table = result.disagreements()
    if table.empty:
        return
    st.markdown("**Read these: missed failures, false alarms, and failures that were caught**")
    order = [*_READ]
    st.dataframe(table, hide_index=True, column_order=order, column_config=_READ, alt="The judge’s mistakes first.")
    downloads.csv("Failures as CSV", lambda: table.to_csv(index=False), "neyman-judge-failures.csv")


def _groups(result: Judgement) -> None:
    """Draw corrected pass rates of groups in a panel."""
    if "group" not in result.study.pool.item_columns:
        return
    panel = frame.panel("Corrected pass rates by group", "judge-groups", "groups")
    if panel is None:
        return
    with panel, frame.errors():
        table = result.study.by("group")[["group", "items", "labels", "value", "low", "high"]]
        shown = downloads.in_per_cent(table, ("value", "low", "high"))
        columns = {
            "group": _TEXT("Group", pinned=True),
            "value": _NUMBER("Pass rate", format="%.1f %%"),
            "low": _NUMBER("From", format="%.1f %%"),
            "high": _NUMBER("To", format="%.1f %%"),
        }
        st.dataframe(shown, hide_index=True, column_config=columns, placeholder="–", alt="A row each group.")
