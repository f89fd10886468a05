"""The first screen: the promise with this pool's figure, one figure, what is saved, and two ways to go on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from core import words
from core.planning import Outlook
from core.pool import Pool
from core.simulation import findings
from pages.parts import forecast, player
from pages.parts.app import frame, state
from pages.parts.markup import meanings, plain
from pages.parts.overview import stage, tour
from pages.parts.overview.story import Story
from pages.parts.widgets import prices

# Standard errors on either side of the truth within which 95 % of estimates land.
_NORMAL = 1.96
# Larger pools take seconds to forecast; page Plan does it when it is opened.
_LARGE = 50_000
_LEAD = (
    "Expert labels are the expensive part of an evaluation. Neyman finds **the few answers worth labelling**, your "
    "golden set, and gives you an unbiased estimate with an honest interval."
)


def nothing(pool: Pool) -> None:
    """Draw the first screen of a pool of which nothing is known beforehand, and end the page."""
    st.title("Know your model’s accuracy from fewer labels")
    st.markdown(_LEAD, help=meanings(_LEAD))
    with st.columns([2, 1])[0]:
        _ways()
    frame.need_generations(pool)


def section(story: Story) -> None:
    """Draw the first screen of a pool of which something is known beforehand."""
    if story.known is None:
        _forecast(story)
    else:
        _exact(story, story.gain)


def _exact(story: Story, gain: findings.Gain) -> None:
    st.title(findings.promise(gain, story.share))
    st.markdown(_LEAD, help=meanings(_LEAD))
    _here(story)
    figure, aside = st.columns([2, 1], gap="medium")
    with figure:
        if story.playable:
            _figure(story, gain)
    with aside:
        _saved(gain)
        _ways()
        if story.pool.digest == state.demo().digest:
            _benchmark()
    st.header("This pool")
    _numbers(story, gain)


def _here(story: Story) -> None:
    """What is estimated here, and why few labels will do."""
    target = f"the target **{plain(story.target)}** from " if story.target else ""
    labels, items = words.counted(story.budget, "label"), words.counted(story.pool.n_items, "item")
    st.markdown(f"Here: {target}{labels}, on {items} of “{plain(story.pool.name)}”. {plain(story.chosen.whole.why)}")


def _figure(story: Story, gain: findings.Gain) -> None:
    assert story.known is not None
    relative, half = gain.relative["recommended"], _NORMAL * gain.standard_error
    lanes: Sequence[stage.Lane] = ()
    scale = None
    if not math.isnan(relative) and story.budget < gain.n_items:
        lanes = stage.lane_pair(half / math.sqrt(relative), half, story.truth, story.share)
        scale = _scale(lanes, story.truth, story.share)
    simulated = stage.courses_of(story.chosen, story.known, story.budget)
    pool_dots = stage.dots_of(story.chosen, story.known.profile, simulated.strata, story.budget)
    losses = story.known.losses if story.share else None
    labelled = stage.lit(pool_dots, simulated.positions[simulated.typical], losses)
    widths = " ".join(f"{lane.name} {lane.text}." for lane in lanes)
    stage.draw(
        "stage",
        pool_dots,
        f"The pool as dots in {simulated.strata.n_strata} strata, {story.budget:,} of them labelled. {widths}",
        stage.ends(story.chosen),
        labelled=labelled,
        lanes=lanes,
        scale=scale,
        outcome_known=story.share,
    )
    if lanes:
        st.caption(
            f"Bars: where 95 % of the estimates from {story.budget:,} labels land, ±1.96 exact standard errors. "
            f"Dots: one draw, in {simulated.strata.n_strata} strata so that you can see them"
            f"{_really(story, simulated.strata.n_strata)}."
        )


def _forecast(story: Story) -> None:
    outlook = None
    if story.pool.n_items <= _LARGE:
        with frame.errors():
            outlook = forecast.verdict(story.pool, story.chosen, story.budget)
    labels = words.counted(story.budget, "label")
    if outlook is None or outlook.half_width <= 0:
        st.title(f"Know your model’s accuracy from {labels}")
    else:
        st.title(f"Know your model’s accuracy to about ±{words.width(outlook.half_width, True)} from {labels}")
    st.markdown(_LEAD, help=meanings(_LEAD))
    _here(story)
    figure, aside = st.columns([2, 1], gap="medium")
    with figure:
        plan = stage.sample_of(story.pool, story.chosen, story.budget)
        pool_dots = stage.dots_of(story.chosen, story.chosen.profile, plan.strata, story.budget)
        lanes = () if outlook is None else stage.lane_pair(outlook.uniform, outlook.half_width, None, True)
        stage.draw(
            "stage",
            pool_dots,
            f"The pool as dots in {plan.strata.n_strata} strata, {story.budget:,} of them to label.",
            stage.ends(story.chosen),
            labelled=stage.lit(pool_dots, plan.positions, None),
            lanes=lanes,
            scale=_scale(lanes, None, True) if lanes and outlook is not None and outlook.uniform > 0 else None,
            outcome_known=False,
        )
        if outlook is not None:
            between = f"{words.bare(outlook.low, True)} to {words.width(outlook.high, True)}"
            st.caption(
                "Forecast: no outcome of a target is known here. Bars are expected half-widths, in points. "
                f"Ours may turn out at {between}, depending on the accuracy and on how well the signal works."
            )
    with aside:
        if outlook is not None:
            _expected(outlook)
        _ways()
    st.header("This pool")
    profile = story.chosen.profile if story.pool.n_generations else None
    frame.finding(findings.pool_finding(story.pool, profile))
    st.write("No outcome of a target is known: strata and a label list can be made, but not what they save.")


def _saved(gain: findings.Gain) -> None:
    """What the design saves at this precision: labels, money and hours."""
    fewer = gain.uniform_needed - gain.budget
    if math.isnan(gain.relative["recommended"]) or gain.budget == gain.n_items:
        return
    if fewer <= 0:
        st.metric("Labels saved", "none", border=True, help="Exact, from the target’s known outcomes.")
        return
    st.metric(
        "Labels saved",
        f"{fewer:,}",
        f"of Uniform’s {gain.uniform_needed:,}",
        delta_color="off",
        delta_arrow="off",
        border=True,
        help="Exact: labels that Uniform needs for the same standard error, less those of the recommended design.",
    )
    _money(fewer)


def _expected(outlook: Outlook) -> None:
    st.metric(
        "Labels saved, forecast",
        words.per_cent(max(outlook.saved, 0.0)) if outlook.uniform_labels else words.UNKNOWN,
        border=True,
        help=plain(outlook.verdict()),
    )
    if outlook.uniform_labels and outlook.saved_low > 0:
        _money(outlook.uniform_labels - outlook.labels)


def _money(fewer: int) -> None:
    """What labels cost that need not be made, at prices that can be set here; those that are not are assumed."""
    costs = prices.completed()
    money, time = replace(costs, minutes=0.0).spent(fewer), replace(costs, label=0.0, target_run=0.0).spent(fewer)
    if money or time:
        st.metric(
            "That is",
            money or time,
            f"{time} of labelling" if money and time else None,
            delta_color="off",
            delta_arrow="off",
            border=True,
            help="The labels saved, at the prices below.",
        )
    with st.popover(plain(_rates()), icon=":material/payments:", type="tertiary", width="stretch"):
        prices.fields()


def _rates() -> str:
    """What is assumed of one label, or else what it costs."""
    if guessed := prices.assumed().spent(1):
        return f"Assumed: {guessed} a label"
    said = prices.of_labels(1)
    return f"{said} a label" if said else "Set the price of a label"


def _ways() -> None:
    st.button(
        "Show me how it works",
        key="show-me",
        type="primary",
        icon=":material/play_circle:",
        width="stretch",
        on_click=tour.go,
        args=(1,),
    )
    if st.button("Use my data", key="use-mine", icon=":material/upload_file:", width="stretch"):
        st.switch_page("pages/pool.py")


def _benchmark() -> None:
    """Draw a link to the same on the bundled results of published models."""
    of_pool = {"pool": state.shortened(state.published().digest), "budget": str(state.PUBLISHED_BUDGET)}
    frame.step("app.py", "See it on MMLU-Pro", ":material/public:", **of_pool)


def _numbers(story: Story, gain: findings.Gain) -> None:
    headline = findings.headline(gain)
    st.markdown(headline, help=meanings(headline))
    if caution := findings.caveat(gain):
        st.caption(f":material/balance: {caution}")
    assert story.known is not None
    with st.container(horizontal=True):
        st.metric("Items", f"{story.pool.n_items:,}", border=True)
        if story.pool.n_generations:
            agreeing = words.per_cent(story.chosen.profile.agreeing)
            st.metric("All answers agree", agreeing, border=True, help="Items with a semantic entropy of 0.")
        st.metric(
            f"Target’s {story.measure}",
            words.value(story.truth, story.share),
            border=True,
            help="Over all items with an outcome.",
        )
        st.metric(
            "Standard error",
            words.width(gain.standard_error, story.share),
            border=True,
            help=f"Exact, for the recommended design’s estimate of the {story.measure} with "
            f"{words.counted(story.budget, 'label')}.",
        )
    whole = f", over the {story.known.losses.size:,} items whose outcome is known" if story.known.partial else ""
    paper = " The paper’s design has five strata and δ = 0.75." if story.pool.n_generations else ""
    money = prices.of_labels(story.budget)
    cost = f" {words.counted(story.budget, 'label')} cost {plain(money)}." if money else ""
    st.caption(f"All numbers are exact{whole}.{paper}{cost}")


def _scale(lanes: Sequence[stage.Lane], truth: float | None, share: bool) -> dict[str, object]:
    low, high = min(lane.low for lane in lanes), max(lane.high for lane in lanes)
    room = 0.12 * (high - low)
    if truth is None:
        return player.axis(low - room, high + room, "")
    named = f"{'True accuracy' if share else 'True mean loss'} {words.value(truth, share)}"
    return player.axis(low - room, high + room, " %" if share else "", 100 * truth if share else truth, named)


def _really(story: Story, shown: int) -> str:
    strata = story.chosen.scheme(story.budget, story.known).n_strata
    return "" if strata == shown else f"; the list that you get has {strata:,}"
