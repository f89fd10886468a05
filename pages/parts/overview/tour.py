"""The guided tour: five stops in two minutes, each with its address."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from core import words
from core.prospect import Dots, Prospect
from core.report import report_html
from core.simulation import Courses
from pages.parts import downloads
from pages.parts.app import frame, kept, session, state
from pages.parts.app.address import TOUR
from pages.parts.estimate.figures import rehearsed
from pages.parts.markup import meanings, plain
from pages.parts.overview import stage
from pages.parts.widgets import prices

# Estimates of a round, from the first to the last: as many as the eye follows.
_FRAMES = 60
# Ratio of what labels stand for from which it is worth a word.
_UNEVEN = 1.25
# The first stop with labels; those before it have the screen for the dots.
_LABELLED = 4
_REPORT_HEIGHT = 620
_TITLES = (
    "The pool: how often is the model right?",
    "The hint: what is known before any label",
    "The strata: similar items together",
    "The labels: one by one",
    "The report: a number that you can defend",
)


@dataclass(frozen=True, slots=True)
class Stop:
    """One stop of the tour: its words, and the look of the figure there."""

    text: str
    under: tuple[str, ...]
    look: dict[str, Any]


def stop() -> int:
    """Return the stop that the address names, from 1; 0 is none."""
    given = session.parameter(TOUR) or ""
    return int(given) if given in map(str, range(1, len(_TITLES) + 1)) else 0


def go(number: int) -> None:
    """Go to a stop; 0 leaves the guided tour."""
    session.write({TOUR: str(number) if number else None})
    # A link leads back to the address without a stop: that one is meant.
    session.tab().replaced.clear()


def section(prospect: Prospect, number: int) -> None:
    """Draw a stop for a pool whose target's outcomes are known."""
    st.title(_TITLES[number - 1])
    _buttons(number)
    simulated = stage.courses_of(prospect, _FRAMES)
    pool_dots = prospect.dots(simulated.strata)
    here = _stop(prospect, simulated, pool_dots, number)
    alt = f"{_TITLES[number - 1]} {here.text}"
    if number < len(_TITLES) or not prospect.share:
        stage.draw("tour-stage", pool_dots, alt, here.under, tall=number < _LABELLED, **here.look)
    st.markdown(here.text, help=meanings(here.text))
    if number == len(_TITLES):
        if prospect.share:
            _report(prospect, simulated)
        with st.container(horizontal=True):
            frame.step("pages/pool.py", "Use my data", ":material/upload_file:")
            frame.step("pages/explore.py", "Explore the parameters", ":material/query_stats:")
            frame.step("pages/label.py", "Draw the items to label", ":material/checklist:")


def _report(prospect: Prospect, simulated: Courses) -> None:
    """Draw the report of the typical round, whose list and labels are those of the stop before."""
    pool, target = prospect.pool, str(prospect.question.target)
    plan = replace(stage.typical_plan(prospect, simulated), pool=pool)

    def written() -> str:
        study = rehearsed(plan, target, prospect.question.parser)
        return report_html(study.result(made=state.made()))

    html = kept.once("tour reports", (pool.digest, target, plan.plan_id), written, "Writing the report …")
    with st.container(border=True):
        # The report's own policy lets nothing in it run or be loaded.
        st.iframe(html, height=_REPORT_HEIGHT, alt="The report of this round")
    name = downloads.slug("neyman", target, "report")
    st.download_button(
        "Report (HTML)", html, f"{name}.html", "text/html", on_click="ignore", icon=":material/download:"
    )


def _buttons(number: int) -> None:
    last = number == len(_TITLES)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Back", icon=":material/arrow_back:", shortcut="left", disabled=number == 1, on_click=go, args=(number - 1,)
        )
        st.button(
            "Finish" if last else "Next",
            key="next-stop",
            icon=":material/check:" if last else ":material/arrow_forward:",
            type="primary",
            shortcut="escape" if last else "right",
            on_click=go,
            args=(0 if last else number + 1,),
        )
        if not last:
            st.button("Skip", icon=":material/close:", shortcut="escape", on_click=go, args=(0,))
        st.caption(f"Stop {number} of {len(_TITLES)}")


def _stop(prospect: Prospect, simulated: Courses, pool_dots: Dots, number: int) -> Stop:
    target, items, name = plain(str(prospect.question.target)), f"{pool_dots.place.size:,}", plain(prospect.pool.name)
    if number == 1:
        money = prices.of_labels(pool_dots.place.size)
        return Stop(
            f"Every dot is one of the **{items} items** of “{name}”. How often is **{target}** right? To know it "
            "exactly, an expert would have to label every answer as right or wrong"
            f"{f': {plain(money)}' if money else ''}. Label a few, drawn at random, and you get a wide interval.",
            ("in no order",),
            {"is_sorted": False, "shaded": False},
        )
    if number == 2:
        return Stop(
            f"{plain(prospect.why)} So before a single label, every item has a hint: **{plain(prospect.signal)}**. "
            "The stronger a dot, the likelier the model is wrong there. If the hint is bad, the estimate stays "
            "unbiased and only the gain shrinks.",
            ("faint: looks easy", "strong: looks hard"),
            {"is_sorted": False},
        )
    if number == 3:
        return Stop(
            f"Sort the items by the hint and cut them into **{simulated.strata.n_strata} strata**: items that look "
            f"alike. {_from_each(simulated)} Every sample has its share of easy and of hard items. Uniform, a plain "
            "random sample, leaves that share to luck.",
            stage.ends(prospect),
            {},
        )
    return _labelled_stop(prospect, simulated, pool_dots, number)


def _labelled_stop(prospect: Prospect, simulated: Courses, pool_dots: Dots, number: int) -> Stop:
    """The stops about the labels of one round: as they come in, and what they say in the end."""
    target, items = plain(str(prospect.question.target)), f"{pool_dots.place.size:,}"
    labels = words.counted(prospect.budget, "label")
    losses = prospect.known.losses if prospect.known is not None and prospect.share else None
    rounds = pool_dots.rounds(simulated, losses, prospect.share)
    lanes = stage.lane_pair(0.0, 0.0, prospect.truth, prospect.share)
    if number == _LABELLED:
        return Stop(
            f"**{labels} come in one by one**, and both 95{words.PER_CENT} intervals shrink towards the truth, which "
            f"is known here: {words.value(prospect.truth, prospect.share)}. Uniform draws {prospect.budget:,} at "
            "random, without the hint. Which items are drawn is chance, so a lucky round would prove nothing: we "
            f"simulated {len(simulated.positions)} rounds, and this one is typical. Both estimates miss the truth by "
            "about as much as usual. “Another round” shows the others; about 1 interval in 20 misses the truth.",
            stage.ends(prospect),
            {"rounds": [_scaled(prospect, one) for one in rounds], "lanes": lanes, "outcome_known": prospect.share},
        )
    value, low, high = rounds[0]["lanes"][1][-1]
    sign = words.PER_CENT if prospect.share else ""
    against, money = prospect.promise.against, prospect.promise.payment.words
    last = pool_dots.lit(simulated.positions[simulated.typical], losses)
    ends = [
        replace(lane, value=at, low=least, high=most, text=f"{at:.1f}{sign}, from {least:.1f} to {most:.1f}")
        for lane, (at, least, most) in zip(lanes, (frames[-1] for frames in rounds[0]["lanes"]), strict=True)
    ]
    return Stop(
        f"**The {prospect.measure} of {target} is estimated at {value:.1f}{sign}, 95{words.PER_CENT} interval "
        f"{low:.1f}{sign} to {high:.1f}{sign}**, from {labels}{f' ({plain(money)})' if money else ''} instead of "
        f"{items}.{f' {against}' if against else ''} On your own pool nobody knows the truth: you get this estimate, "
        "its interval, and a report that lets others check both.",
        stage.ends(prospect),
        {
            "labelled": last,
            "lanes": ends,
            "scale": stage.truth_axis(prospect, [(lane.low, lane.high) for lane in ends]),
            "outcome_known": prospect.share,
        },
    )


def _scaled(prospect: Prospect, one: dict[str, Any]) -> dict[str, Any]:
    """A round with the scale on which all its intervals fit."""
    return {**one, "axis": stage.truth_axis(prospect, [frame[1:] for lane in one["lanes"] for frame in lane])}


def _from_each(simulated: Courses) -> str:
    """Return how many items are drawn from each stratum, and how many of them a label stands for, in words."""
    each, stands = simulated.from_each, simulated.stands_for
    many = words.counted(each[0], "item") if each[0] == each[1] else f"{each[0]:,} to {each[1]:,} items"
    text = f"From each stratum, {many} {'is' if each[1] == 1 else 'are'} drawn at random."
    if stands[1] < _UNEVEN * stands[0]:
        return text
    several = f"A label stands for {stands[0]:,} to {stands[1]:,} items"
    return f"{text} {several}: for fewer where it is unclear whether the model is right."
