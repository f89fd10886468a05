"""The first screen: one promise with its slider and its price, one figure, and the next step."""

from __future__ import annotations

from contextlib import suppress
from typing import Literal

import streamlit as st

from core import words
from core.allocation import budget_options
from core.errors import NeymanError
from core.pool import Pool
from core.prospect import PlanScenario, PoolFact, Promise, Prospect, own_scenario
from pages.parts import prospects
from pages.parts.app import address, frame, state
from pages.parts.markup import meanings, plain
from pages.parts.overview import cards, stage, tour
from pages.parts.views import promises
from pages.parts.widgets import controls, prices
from pages.parts.widgets.control import panel

# A list that is short enough to try.
_PRACTICE = {"part": "Label here", "label-kind": "right-wrong", "budget": "20"}
_LEAD = "A label says whether one answer is right. Neyman finds **the few answers worth labelling**."
# Precision that the sentence on a pool of one's own is about.
_HALF_WIDTH = 0.03
# The slider begins here, or at a tenth of a small pool: below it, intervals are too wide for the picture.
_LEAST = 50


def section(prospect: Prospect) -> None:
    """Draw the first screen of a pool; if nothing is known of its items, end the page with the way to know it."""
    pool, is_own = prospect.pool, not state.is_bundled(prospect.pool)
    # Larger pools take seconds to forecast; page Plan does it when it is opened.
    promise = prospect.promise if prospect.is_exact or pool.n_items <= prospects.LARGE else None
    fact = prospect.fact if is_own else None
    yours = _newest(pool) if not is_own else prospect if fact is None and not prospect.uniform else None
    if yours is not None:
        _yours(yours, is_own)
    _head(prospect, promise, fact)
    if prospect.uniform:
        _ways(pool, is_first=True)
        lacking, below = st.container(), st.container()
        if not pool.n_generations:
            # What is lacking ends the page, so all that stands below it is drawn before.
            with below:
                cards.section()
        with lacking:
            frame.need_generations(pool)
    budgets = [prospect.budget, *budget_options(min(max(2, pool.n_items // 10), _LEAST), pool.n_items)]
    moved, paid = st.columns([3, 2], gap="medium", vertical_alignment="bottom")
    with moved:
        controls.BUDGET.draw(sorted({*budgets}), prospect.budget)
    with paid, panel(plain(_rates()), "prices", icon=":material/payments:", type="tertiary", width="stretch"):
        prices.fields()
    stage.first(prospect, promise, sorted({*budgets}))
    if promise is not None:
        _about(prospect, promise)
    if not prospect.uniform:
        _ways(pool, is_first=yours is None)


def playable(prospect: Prospect) -> bool:
    """Return whether rounds of labelling can be shown: the truth is known, and there are labels enough to vary."""
    return prospect.known is not None and not prospect.uniform and prospect.budget > 1


def _newest(pool: Pool) -> Prospect | None:
    """Return what is asked of the newest pool that somebody brought; None without one that opens at once."""
    rows = state.archive().pools.listed()
    for digest, n_items in zip(rows["digest"], rows["n_items"], strict=True):
        if digest != pool.digest and n_items <= prospects.LARGE:
            with suppress(NeymanError):
                return prospects.current(state.by_digest(digest))
    return None


def _yours(prospect: Prospect, is_shown: bool) -> None:
    """Draw what a usual precision takes on a pool of one's own, or what its labels say, with the next step."""
    pool, fact, estimate, said = prospect.pool, prospect.fact, prospect.labelled, ""
    script, label, icon, more = "pages/label.py", "Draw the list", "checklist", {controls.PART.key: controls.LIST}
    if fact is not None:
        said, script, label, icon, more = fact.title, "app.py", "Open it", "arrow_forward", {}
    elif estimate is not None:
        said = estimate.title_of(prospect.question.target)
        script, label, icon, more = "pages/estimate.py", "See the estimate", "analytics", {"plan": estimate.plan_id}
    elif prospect.share and not prospect.uniform:
        with suppress(NeymanError):
            scenario = own_scenario(prospect, _HALF_WIDTH)
            said, more = _takes(scenario), more | {controls.BUDGET.key: str(scenario.labels)}
    to = address.links(**more) if is_shown else address.parameters(pool.digest, **more)
    with st.container(border=True, horizontal=True, vertical_alignment="center", key="yours"):
        st.markdown(f"“**{plain(pool.name)}**”{plain(f': {said}.' if said else '')}", width="stretch")
        if st.button(label, key="next-step", type="primary", icon=f":material/{icon}:"):
            st.switch_page(script, query_params=to)


def _takes(scenario: PlanScenario) -> str:
    """Write what a precision takes, such as “±3 points = 518 labels, 2,072 €, instead of 591”."""
    return f"±{100 * _HALF_WIDTH:g} points = {scenario.sentence.partition(': ')[2]}"


def _head(prospect: Prospect, promise: Promise | None, fact: PoolFact | None) -> None:
    """Draw what the pool says already, and the promise."""
    title, has_fact = _title(prospect, promise), fact is not None
    if fact is not None:
        st.title(plain(fact.title))
        promises.outcomes_section(prospect.pool, fact, rehearsed=not prospect.uniform)
    if has_fact or promises.labelled(prospect, st.title):
        frame.finding(title)
    else:
        st.title(title)
        st.markdown(_LEAD, help=meanings(_LEAD))
    promises.part(prospect)


def _title(prospect: Prospect, promise: Promise | None) -> str:
    """Write the promise, with the model’s name if its outcomes are known."""
    if promise is None or prospect.uniform:
        labels = "fewer labels" if prospect.uniform else words.counted(prospect.budget, "label")
        return f"Know your model’s accuracy from {labels}"
    if not promise.exact:
        return promise.title
    place = f" on {prospect.pool.name}" if _is_published(prospect.pool) else ""
    return plain(promise.title_of(f"{prospect.question.target}’s", place))


def _about(prospect: Prospect, promise: Promise) -> None:
    """Say what the figure shows and why few labels will do; all else stands behind the question mark."""
    bars = f"{'' if promise.exact else 'forecast of '}95{words.PER_CENT} intervals"
    fact, money = prospect.fact, promise.payment.words
    details = [
        fact.rehearsal if fact is not None and state.is_bundled(prospect.pool) else "",
        promise.against,
        promise.headline if promise.exact else promise.verdict,
        f"{words.counted(promise.labels, 'label')} cost {money}." if money else "",
        prospect.explained,
        promise.caveat or "",
    ]
    text = f"{prospect.why} Bars: {bars}."
    behind = "\n\n".join(filter(None, [*map(plain, filter(None, details)), meanings(text)]))
    st.caption(plain(text), help=behind)


def _rates() -> str:
    """Return the assumed rates of one label, or else its cost."""
    if guessed := prices.assumed().spent(1):
        return f"Assumed: {guessed} a label"
    said = prices.of_labels(1)
    return f"{said} a label" if said else "Set the price of a label"


def _ways(pool: Pool, is_first: bool) -> None:
    """Draw the ways to go on; the tour is the filled one unless a pool of one's own has a next step (``is_first``)."""
    with st.container(horizontal=True, vertical_alignment="center"):
        look: Literal["primary", "secondary"] = "primary" if is_first else "secondary"
        icon = ":material/play_circle:"
        st.button("Show me how it works", key="show-me", type=look, icon=icon, on_click=tour.go, args=(1,))
        if st.button("Use my data", key="use-mine", icon=":material/upload_file:"):
            st.switch_page("pages/pool.py", query_params=address.choices().parameters())
        if _is_published(pool):
            to = address.parameters(state.practice().digest, **_PRACTICE)
            st.page_link("pages/label.py", label="Try labelling", icon=":material/edit_note:", query_params=to)
        elif pool.digest == state.practice().digest:
            to = address.parameters(state.published().digest, budget=str(state.PUBLISHED_BUDGET))
            st.page_link("app.py", label="See it on MMLU-Pro", icon=":material/public:", query_params=to)


def _is_published(pool: Pool) -> bool:
    return pool.digest == state.published().digest
