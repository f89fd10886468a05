"""The first screen: the promise with this pool's figure, one figure, what is saved, and two ways to go on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core import words
from core.pool import Pool
from core.prospect import Promise, Prospect
from core.simulation import findings
from pages.parts import player
from pages.parts.app import address, frame, state
from pages.parts.judge import example
from pages.parts.markup import meanings, plain
from pages.parts.overview import stage, tour
from pages.parts.plan import versions
from pages.parts.views import promises, verdicts
from pages.parts.widgets import controls, prices
from pages.parts.widgets.control import panel

_LARGE = 50_000
# A list that is short enough to try.
_PRACTICE = {"part": "Label here", "label-kind": "right-wrong", "budget": "20"}
_LEAD = "A label says whether one answer is right. Neyman finds **the few answers worth labelling**."


def nothing(prospect: Prospect) -> None:
    """Draw the first screen of a pool whose items nothing tells apart beforehand; without generations, end the page."""
    pool, fact = prospect.pool, prospect.fact
    if fact is None and not promises.labelled(prospect, st.title):
        st.title("Know your model’s accuracy from fewer labels")
    if fact is not None:
        st.title(plain(fact.title))
        promises.outcomes_section(pool, fact, rehearsed=False)
    st.markdown(_LEAD, help=meanings(_LEAD))
    with st.columns([2, 1])[0], _ways():
        _onward(pool)
    frame.need_generations(pool)


def section(prospect: Prospect) -> None:
    """Draw the first screen of a pool of which something is known beforehand."""
    # Larger pools take seconds to forecast; page Plan does it when it is opened.
    promise = prospect.promise if prospect.is_exact or prospect.pool.n_items <= _LARGE else None
    title = f"Know your model’s accuracy from {_labels(prospect)}" if promise is None else _title(prospect, promise)
    fact = None if state.is_bundled(prospect.pool) else prospect.fact
    if fact is None and promises.labelled(prospect, st.title):
        frame.finding(title)
    elif fact is None:
        st.title(title)
        st.markdown(_LEAD, help=meanings(_LEAD))
    else:
        st.title(plain(fact.title))
        promises.outcomes_section(prospect.pool, fact)
        frame.finding(title)
    promises.part(prospect)
    _here(prospect, promise)
    onward = _ways()
    figure, aside = st.columns([2, 1], gap="medium")
    with figure:
        if promise is not None and promise.exact:
            _exact(prospect, promise)
        else:
            _forecast(prospect, promise)
    # After the figure, which need not wait until the practice pool is read.
    with onward:
        _onward(prospect.pool)
    with aside:
        if promise is not None:
            _saved(promise)
        story = st.container()
    st.header("This pool")
    if promise is not None and promise.exact:
        _numbers(prospect, promise)
        if _is_published(prospect.pool):
            # Last, because it takes longer than all else: the figure is there by then.
            with story:
                _new_version(prospect.pool)
        return
    profile = prospect.profile if prospect.pool.n_generations else None
    frame.headline(plain(findings.pool_finding(prospect.pool, profile, prospect.why)))
    saves = "page Plan forecasts what it saves" if promise is None else "what it saves is a forecast"
    st.write(f"The file knows {_knows(prospect)} of your model: the list to label needs none, and {saves}.")


def _knows(prospect: Prospect) -> str:
    return "no outcome" if prospect.part is None else "some outcomes"


def playable(prospect: Prospect) -> bool:
    """Return whether rounds of labelling can be shown: the truth is known, and there are labels enough to vary."""
    return prospect.known is not None and not prospect.uniform and prospect.budget > 1


def _labels(prospect: Prospect) -> str:
    return words.counted(prospect.budget, "label")


def _is_published(pool: Pool) -> bool:
    return pool.digest == state.published().digest


def _title(prospect: Prospect, promise: Promise) -> str:
    """The promise, with the model’s name if its outcomes are known."""
    if not promise.exact:
        return promise.title
    place = f" on {prospect.pool.name}" if _is_published(prospect.pool) else ""
    return plain(promise.title_of(f"{prospect.question.target}’s", place))


def _here(prospect: Prospect, promise: Promise | None) -> None:
    """On how many items, what a random sample would need, and why few labels will do."""
    pool, items = prospect.pool, words.counted(prospect.pool.n_items, "item")
    if not prospect.is_exact:
        items = f"{_labels(prospect)} on {items}"
    named = "" if _is_published(pool) else f" of “{plain(pool.name)}”"
    fact = prospect.fact if state.is_bundled(pool) else None
    said = [promise.against if promise is not None else "", prospect.why, fact.rehearsal if fact is not None else ""]
    why = " ".join(filter(None, said))
    st.markdown(f"{items}{named}. {plain(why)}", help=meanings(f"target. {why}"))


def _uniform(promise: Promise) -> str:
    """Return an explanation of Uniform, unless that stands above the figure."""
    return "" if promise.against else "Uniform is a plain random sample. "


def _exact(prospect: Prospect, promise: Promise) -> None:
    if not playable(prospect):
        return
    lanes: Sequence[stage.Lane] = ()
    scale, share, labels = None, prospect.share, prospect.budget
    if promise.uniform > 0 and labels < prospect.n_items:
        lanes = stage.lane_pair(promise.uniform, promise.half_width, prospect.truth, share)
        scale = _scale(lanes, prospect.truth, share)
    simulated = stage.courses_of(prospect)
    shown = simulated.strata.n_strata
    pool_dots = prospect.dots(simulated.strata)
    losses = prospect.known.losses if prospect.known is not None and share else None
    labelled = pool_dots.lit(simulated.positions[simulated.typical], losses)
    widths = " ".join(f"{lane.name} {lane.text}." for lane in lanes)
    stage.draw(
        "stage",
        pool_dots,
        f"The pool as dots in {shown} strata, {labels:,} of them labelled. {widths}",
        stage.ends(prospect),
        labelled=labelled,
        lanes=lanes,
        scale=scale,
        outcome_known=share,
    )
    if lanes:
        strata = prospect.strata.n_strata
        really = "" if strata == shown else f", few enough to see; your list has {strata:,}"
        st.caption(
            f"Bars: expected half-widths of the 95{words.PER_CENT} intervals from {labels:,} labels, around the truth. "
            f"{_uniform(promise)}Dots: one sample, in {shown} groups of similar items (strata){really}."
        )


def _forecast(prospect: Prospect, promise: Promise | None) -> None:
    plan = stage.sample_of(prospect)
    pool_dots = prospect.dots(plan.strata)
    lanes = () if promise is None else stage.lane_pair(promise.uniform, promise.half_width, None, True)
    stage.draw(
        "stage",
        pool_dots,
        f"The pool as dots in {plan.strata.n_strata} strata, {prospect.budget:,} of them to label.",
        stage.ends(prospect),
        labelled=pool_dots.lit(plan.positions, None),
        lanes=lanes,
        scale=_scale(lanes, None, True) if promise is not None and promise.uniform > 0 else None,
        outcome_known=False,
    )
    if promise is not None:
        between = f"{words.bare(promise.low, True)} to {words.width(promise.high, True)}"
        st.caption(
            f"Forecast: the pool’s file knows {_knows(prospect)} of your model. Bars are expected half-widths, in "
            f"points. {_uniform(promise)}Neyman’s may turn out at {between}, depending on the accuracy and on how well "
            "mistakes are predicted."
        )


def _saved(promise: Promise) -> None:
    """Show the design's savings at this precision: labels, money and hours."""
    if math.isnan(promise.saved) or promise.half_width <= 0:
        return
    title, of = "Labels saved", f"of Uniform’s {promise.uniform_labels:,}" if promise.fewer else None
    st.metric(
        title if promise.exact else f"{title}, forecast",
        f"{promise.fewer:,}" if promise.fewer else "none",
        of,
        delta_color="off",
        delta_arrow="off",
        border=True,
        help=plain(f"{promise.verdict} {promise.rests_on}"),
    )
    if promise.fewer and (promise.exact or promise.saved_low > 0):
        _money(promise.fewer)


def _money(fewer: int) -> None:
    """Show the cost of the labels that are saved, at prices that can be set here; those that are not are assumed."""
    costs = prices.completed()
    money, time = replace(costs, minutes=0.0).spent(fewer), replace(costs, label=0.0, target_run=0.0).spent(fewer)
    if money or time:
        st.metric(
            "Money saved" if money else "Time saved",
            money or time,
            f"{time} of labelling" if money and time else None,
            delta_color="off",
            delta_arrow="off",
            border=True,
            help="The labels saved, at the prices below.",
        )
    with panel(plain(_rates()), "prices", icon=":material/payments:", type="tertiary", width="stretch"):
        prices.fields()


def _rates() -> str:
    """Return the assumed rates of one label, or else its cost."""
    if guessed := prices.assumed().spent(1):
        return f"Assumed: {guessed} a label"
    said = prices.of_labels(1)
    return f"{said} a label" if said else "Set the price of a label"


def _ways() -> DeltaGenerator:
    """Draw the two ways to go on, and give the row, which has room for a third."""
    row = st.container(horizontal=True, vertical_alignment="center")
    with row:
        icon = ":material/play_circle:"
        st.button("Show me how it works", key="show-me", type="primary", icon=icon, on_click=tour.go, args=(1,))
        if st.button("Use my data", key="use-mine", icon=":material/upload_file:"):
            st.switch_page("pages/pool.py", query_params=address.choices().parameters())
    return row


def _onward(pool: Pool) -> None:
    if _is_published(pool):
        to = address.parameters(state.practice().digest, **_PRACTICE)
        st.page_link("pages/label.py", label="Try labelling", icon=":material/edit_note:", query_params=to)
        example.first()
    elif pool.digest == state.practice().digest:
        to = address.parameters(state.published().digest, budget=str(state.PUBLISHED_BUDGET))
        st.page_link("app.py", label="See it on MMLU-Pro", icon=":material/public:", query_params=to)


def _new_version(pool: Pool) -> None:
    """Draw how much of a new version is graded beforehand, because graded models gave the same answers."""
    known = verdicts.known_here(pool, versions.STORY[controls.GATE_NEW.key])
    st.metric(
        "Another question: a new version",
        words.per_cent(known.share),
        "of its answers are graded already",
        delta_color="off",
        delta_arrow="off",
        border=True,
    )
    st.caption(plain(known.of_new))
    label = f"Is it worse than {versions.STORY[controls.GATE_OLD.key]}?"
    frame.step("pages/versions.py", label, ":material/difference:", **versions.STORY)


def _numbers(prospect: Prospect, promise: Promise) -> None:
    st.markdown(promise.headline, help=meanings(promise.headline))
    if promise.caveat:
        st.caption(f":material/balance: {promise.caveat}")
    gain, share = promise.gain, prospect.share
    assert gain is not None
    with st.container(horizontal=True):
        st.metric("Items", f"{prospect.pool.n_items:,}", border=True)
        if prospect.pool.n_generations:
            agreeing = words.per_cent(prospect.profile.agreeing)
            st.metric(
                "All answers agree",
                agreeing,
                border=True,
                help="Items on which a cheap model (the surrogate) always answers the same.",
            )
        measured = "Over all items."
        st.metric(f"True {prospect.measure}", words.value(prospect.truth, share), border=True, help=measured)
        st.metric(
            "Standard error",
            words.width(gain.standard_error, share),
            border=True,
            help=f"Exact, for the recommended design’s estimate of the {prospect.measure} with {_labels(prospect)}.",
        )
    money = promise.payment.words
    cost = f" {_labels(prospect)} cost {plain(money)}." if money else ""
    st.caption(f"These numbers are exact.{cost}")


def _scale(lanes: Sequence[stage.Lane], truth: float | None, share: bool) -> dict[str, object]:
    low, high = min(lane.low for lane in lanes), max(lane.high for lane in lanes)
    room = 0.12 * (high - low)
    if truth is None:
        return player.axis(low - room, high + room, "")
    named = f"{'True accuracy' if share else 'True mean loss'} {words.value(truth, share)}"
    return player.axis(low - room, high + room, " %" if share else "", 100 * truth if share else truth, named)
