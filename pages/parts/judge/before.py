"""Before labels: what a budget says of the judge."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.figures import intervals
from core.judge import (
    NOT_TRUSTED,
    TRUSTED,
    JudgeDecision,
    KnownRates,
    budgets,
    column_of,
    forecast,
    forecasts,
    precisions,
)
from core.report import known_rates_html
from core.words import PER_CENT
from pages.parts import downloads
from pages.parts.app import frame, kept
from pages.parts.judge import words
from pages.parts.judge.controls import GRADED, PEOPLE
from pages.parts.judge.inputs import JudgeQuestion
from pages.parts.markup import plain

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
            _files(one, decision, rows, asked.pool.name)
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
    words.section(asked.known, asked.verdicts.judge, asked.unread)


def _files(one: KnownRates, decision: JudgeDecision | None, rows: pd.DataFrame, pool: str) -> None:
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


def section(asked: JudgeQuestion) -> None:
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
