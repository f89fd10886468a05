"""Plan: what labels, a precision or an amount of money give, by what is known of the items before a single label."""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pandas as pd
import streamlit as st

from core.errors import NeymanError
from core.figures import planning
from core.pool import Pool
from core.prospect import NOTHING, PlanScenario, Prospect, scenarios
from core.signals import SIGNALS
from core.words import counted, per_cent
from pages.parts import downloads, prospects
from pages.parts.app import frame, state
from pages.parts.markup import plain
from pages.parts.plan import decisions, others
from pages.parts.plan.controls import (
    AUROC,
    BELIEVED,
    DETAIL,
    GATES,
    ITEMS,
    KNOWN,
    LABELS,
    MONEY,
    PLAN_FOR,
    POINTS,
    QUESTION,
    THIS_POOL,
    USUAL,
)
from pages.parts.views import promises
from pages.parts.widgets import controls, prices
from pages.parts.widgets.control import Options, panel

number, text = st.column_config.NumberColumn, st.column_config.TextColumn
UNIFORM = "uniform"
SAVED = "Of the labels of a plain random sample (Uniform)."
MOST = "Up to this price it pays to know this, such as to run a cheap model."


def ask(pool: Pool) -> tuple[Prospect, dict[str, float]]:
    """Draw the controls; return what they ask, at its number of labels, and the half-width or money that is wanted."""
    question = QUESTION.draw_row(labelled=True)
    amount = st.container()
    known = prospects.current(pool) if PLAN_FOR.draw() == THIS_POOL else None
    # A target that the file does not have, such as one that was run since, stays in the address for the other pages.
    offered = controls.TARGET.address in (None, controls.NEW, controls.NEW_NAME, *pool.targets)
    items = None
    if known is None:
        items = ITEMS.draw("very many")
    elif len(pool.targets) > 1 and offered:
        if controls.TARGET.address is None:
            controls.TARGET.set(prospects.target(pool))
        controls.target(pool, new=True)
        known = prospects.current(pool)
    believed, exact = BELIEVED, known is not None and known.fact is not None and known.is_exact
    if known is not None:
        shown = known.asking(replace(known.question, expected=None)).belief.accuracy
        believed = replace(BELIEVED, default=(round(100 * shown.low), round(100 * shown.high)))
    if not exact:
        believed.draw()
    controls.PRICE.draw(f"{prices.assumed().label:g}, assumed" if prices.assumed().label else "none")
    with panel("More inputs", "more-inputs", icon=":material/tune:", width="stretch"):
        if exact:
            replace(believed, label=f"{BELIEVED.label}, for ship or hold alone").draw()
        ranked(known).draw()
        cells = st.columns(2)
        with cells[0]:
            confidence = controls.CONFIDENCE.draw()
            controls.MINUTES.draw("none")
            controls.RUN_PRICE.draw("none")
        with cells[1]:
            controls.CURRENCY.draw("€", prices.LONGEST_CURRENCY)
            controls.TOKENS.draw("none")
            controls.TOKEN_PRICE.draw("none")
    # Here, where what is believed and paid has been drawn.
    asked: dict[str, Any] = {"confidence": confidence, "costs": prices.for_money()}
    size = None if items is None else int(items)
    prospect = prospects.without_pool(size, **asked) if known is None else prospects.current(pool, **asked)
    with amount:
        if question == "half-width":
            half_width = POINTS.draw() / 100
            return prospect.for_half_width(half_width), {"half_width": half_width}
        if question == "money":
            money = MONEY.draw()
            return prospect.for_money(money), {"money": money}
        if prospect.has_pool:
            return prospect.at(controls.budget(prospect.least, prospect.n_items)), {}
        return prospect.at(min(LABELS.draw(), prospect.frame.n_items)), {}


def ranked(known: Prospect | None) -> Options[str]:
    """Name the first choice of an AUROC: what past outcomes show, or else what such a signal is usually worth."""
    first, seen = AUROC.names[USUAL], None if known is None else known.record
    usual = None if known is None else known.asking(replace(known.question, auroc=None))
    if usual is not None and usual.ranks:
        share = per_cent(usual.belief.auroc.middle)
        first = f"As on the items whose outcome is known (ranks them correctly {share} of the time)"
    elif seen is not None:
        first = f"As other models fared here (ranks them correctly {per_cent(seen.auroc.middle)} of the time)"
    elif known is not None:
        share = per_cent(SIGNALS[known.design.scheme.signal].auroc)
        first = f"Not sure yet (ranks them correctly {share} of the time)"
    return AUROC.with_more({USUAL: first})


def about(prospect: Prospect) -> str:
    """Say which items the plan is for, and that it is a rehearsal if every outcome is known."""
    size = "very many items" if prospect.size is None else counted(prospect.size, "item")
    size = ", ".join(filter(None, (size, prices.assumed_words())))
    if not prospect.has_pool:
        return f"For a new pool of {size}."
    fact, said = prospect.fact, f"For “{prospect.pool.name}”, with {size}."
    if fact is None:
        return said
    if state.is_bundled(prospect.pool):
        return f"{said} A rehearsal: every answer of {fact.target} is graded already."
    return f"{said} {fact.title}, as the {fact.source} in the file say. A rehearsal: every answer is graded already."


def beside(rows: tuple[PlanScenario, ...], chosen: PlanScenario) -> str:
    """Say what a random sample takes beside the chosen row; of that itself, what would save the most."""
    if chosen.name != NOTHING:
        return chosen.beside
    best, sample = (
        max(rows, key=lambda one: -math.inf if math.isnan(one.saved) else one.saved),
        "A plain random sample (Uniform).",
    )
    return f"{sample} {best.title} would save {per_cent(best.saved)} of its labels." if best.saved > 0 else sample


def known_table(rows: tuple[PlanScenario, ...]) -> PlanScenario:
    """Draw what may be known of the items, a row each; return the chosen one."""
    share, currency = prospect.share, prices.current().currency
    table = pd.DataFrame(
        {
            "title": [f"{one.title}{' (assumed)' * one.assumed}" for one in rows],
            "labels": [one.labels for one in rows],
            "precision": [round((100 if share else 1) * one.half_width, 1 if share else 3) for one in rows],
            "saved": [math.nan if one.name == NOTHING else 100 * one.saved for one in rows],
            "money": [round(one.payment.money, 2) for one in rows],
            "hours": [one.payment.costs.hours(one.labels) for one in rows],
            "most": [max(one.payment.break_even, 0) or math.nan for one in rows],
        }
    )
    # What is the same in every row stands in the headline.
    alike = [name for name in ("labels", "precision", "money", "hours") if len({*table[name]}) == 1]
    table = table.drop(columns=alike).dropna(axis=1, how="all")
    config = {
        "title": text("Known of the items", width=232),
        "labels": number("Labels", format="localized", width=58),
        "precision": number("± points" if share else "±", format="%.1f" if share else "%.3g", width=68),
        "saved": number("Saved", format="%.0f %%", width=60, help=SAVED),
        "money": number(f"Cost, {currency}", format="localized", width=68),
        "hours": number("Hours", format="%.1f", width=60),
        "most": number(f"Worth, {currency}", format="localized", width=72, help=MOST),
    }
    names = {one.name: one.title for one in rows}
    control = replace(KNOWN, names=names, default=next((one.name for one in rows if one.own), NOTHING))
    alt = "What may be known of the items, with the labels, the precision and the money that a plan then takes."
    name = control.draw_rows(table, column_config=config, placeholder="–", alt=alt)
    return next(one for one in rows if one.name == name)


def way_on(chosen: PlanScenario) -> None:
    """Draw the next step as a filled button: the list, or how to get what the pool lacks."""
    more: dict[str, str] = {"budget": str(chosen.labels)}
    page, label, icon = "pages/label.py", "Draw this list", "checklist"
    if chosen.assumed and chosen.of_surrogate:
        page, label, icon, more = "pages/surrogate.py", "Run a cheap model", "smart_toy", {}
    elif chosen.assumed:
        page, label, icon, more = "pages/pool.py", "Add past results", "database", {}
    elif not chosen.prospect.has_pool:
        page, label, icon, more = "pages/pool.py", "Bring your own pool", "database", {}
    elif not chosen.own and chosen.name == NOTHING:
        more |= {controls.DESIGN.key: controls.PAPERS, controls.ALLOCATION.key: "uniform"}
    elif not chosen.own:
        more |= {controls.SIGNAL.key: str(chosen.prospect.question.signal)}
    frame.next_step(page, label, f":material/{icon}:", key="plan-next", **more)


@contextmanager
def errors() -> Iterator[None]:
    """Show errors that the user can mend, below a title."""
    with frame.errors():
        try:
            yield
        except NeymanError:
            head.title("Plan: how many labels do you need?")
            raise


pool = frame.frame("Plan", titled=False)
head, items = st.container(), st.container()
left, right = frame.controls_and_figures(1, 2)
with left, errors():
    prospect, wanted = ask(pool)
with right, errors():
    rows = scenarios(prospect, **wanted)
    chosen = known_table(rows)
    head.title(plain(chosen.sentence))
    with items:
        promises.labelled(prospect)
        promises.part(prospect)
        st.markdown(plain(beside(rows, chosen)), help=plain(prospect.meaning))
        st.caption(plain(about(prospect)))
    at = chosen.prospect
    method = UNIFORM if chosen.name == NOTHING else at.forecast_method
    curve = planning.planned(at.half_width_curve(), chosen.labels, method)
    if at.share:
        drawn = planning.half_widths(curve, chosen.labels, None, 270, method, at.promise.ranges)
        frame.chart(drawn, "forecast", chosen.sentence)
    sure = "What is saved is exact." if at.promise.exact else "Precision is a forecast."
    st.caption(plain(f"{chosen.worth} {sure}".strip()), help=plain(at.explained))
    with st.container(horizontal=True):
        way_on(chosen)
        sheet = decisions.sheet(prospect, rows, chosen, prices.assumed_words())
        downloads.csv("Forecast as CSV", lambda: sheet().frame().to_csv(index=False), "neyman-forecast.csv")
        st.download_button(
            "One page as HTML",
            lambda: sheet().html(),
            "neyman-plan.html",
            "text/html",
            on_click="ignore",
            icon=":material/print:",
        )
if details := frame.panel("Details", "plan-details", "more_horiz", controls.BAR.address is not None):
    with details:
        for tab, name in zip(DETAIL.draw_tabs(), DETAIL.names, strict=True):
            if tab.open:
                with tab, frame.errors():
                    if name == GATES:
                        decisions.gate(prospect)
                    else:
                        others.savings_table(pool, prospect if prospect.has_pool else None)
with st.container(horizontal=True):
    frame.step("pages/versions.py", "Compare two versions", ":material/difference:")
    frame.step("pages/models.py", "Choose among models", ":material/emoji_events:")
