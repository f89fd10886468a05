"""More precision: how many labels further lead to a wanted width, and which items of which list these are."""

from __future__ import annotations

import math
from dataclasses import dataclass

import streamlit as st

from core import words
from core.estimation import TopUp
from core.report import sentences
from core.study import Result, Study, larger, second_wave
from core.words import counted
from pages.parts.app import kept, state
from pages.parts.estimate.controls import HALF_WIDTH
from pages.parts.estimate.selection import go_to, label_more
from pages.parts.markup import plain
from pages.parts.widgets import prices

_LEAST = {True: 0.01, False: 1e-9}
_UNUSED = "Some labels of this list are not used yet, for the reasons named above."


def planned(study: Study, result: Result) -> TopUp | None:
    """The labels that the wanted half-width takes; None if nothing can be planned."""
    unit = words.factor(result.unit)
    if study.plan.waits or not result.estimate.has_interval or not 0 < result.half_width * unit < math.inf:
        return None
    least, proposed = _proposed(result, unit)
    given = HALF_WIDTH.value
    wanted = (proposed if given is None else max(given, least)) / unit
    disputed = 0 if result.disputed is None else len(result.disputed)
    key = (result.plan.plan_id, result.interval, result.values.tobytes(), result.positions.tobytes(), disputed)
    return kept.once("top-ups", (key, wanted), lambda: result.top_up(wanted))


def next_step(study: Study, result: Result, more: TopUp | None) -> None:
    """Draw the way to the labels that come next, in few words; the tab has the rest."""
    if study.plan.waits:
        _second_wave(study, result)
        return
    if more is None or not more.fewest or study.labels.ties:
        return
    budget = max(more.total - more.further + more.fewest, study.plan.design.budget)
    if _open(study, budget).count:
        label_more(study, budget, f"{more.fewest:,} more for ±{words.bare(more.half_width, result.unit)}", "next-step")


def section(study: Study, result: Result) -> None:
    """Draw a field for the wanted half-width, and the way to the items to label."""
    unit = words.factor(result.unit)
    now = result.half_width * unit
    if not result.estimate.has_interval:
        st.caption("There is no interval yet: label more items first.")
        return
    if not 0 < now < math.inf:
        wide = "The interval has no limits yet: label more items first."
        st.caption(wide if now else "The interval has no width, so nothing is left to narrow.")
        return
    HALF_WIDTH.draw(" (percentage points)" if result.unit is True else "", *_proposed(result, unit))
    more = planned(study, result)
    assert more is not None
    if more.reached:
        st.markdown("Your labels already reach it.")
        return
    before, after = words.bare(now / unit, result.unit), sentences.points(result, more.half_width)
    said = f"To narrow the interval from ±{before} to ±{after}, "
    if more.further:
        said += ", ".join(
            filter(None, (f"give about **{more.more}**", more.depends, f"{more.total:,} in all", more.first))
        )
        if more.least < more.most:
            said += f" ({words.level(0.8)} range {more.least:,} to {more.most:,})"
        if money := prices.of_labels(more.further):
            said += f": {plain(money)}"
    else:
        said += "settle the disputed items: that needs no new label, whichever way they are settled"
    st.markdown(f"{said}. Every label given so far is kept.")
    _way_on(study, more, len(study.labels.ties))


def _second_wave(study: Study, result: Result) -> None:
    """The second of two waves comes before any top-up: the way to it, or to where it is drawn."""
    drawn = second_wave(state.archive(), study.plan)
    if drawn is None:
        st.markdown(sentences.second_wave(result))
        label_more(study, study.plan.design.budget, "Go to the first list", "second-wave", only_new=False)
        return
    st.markdown("These labels are from the first of two waves. The second wave is drawn already.")
    st.button("Choose the second wave", key="second-wave", on_click=go_to, args=(drawn.plan_id,))


def _proposed(result: Result, unit: float) -> tuple[float, float]:
    """Return the least half-width that can be asked for, and half the present one, in the units shown."""
    least = _LEAST[result.bounded]
    return least, max(unit * words.half(result.half_width / 2, result.unit), least)


def _way_on(study: Study, more: TopUp, ties: int) -> None:
    """Ties first, then what the plan's own list lacks, then the list of a larger budget.

    While items are disputed the list has as many items as are needed whichever way they are settled.
    """
    if ties:
        which = "undecided item" if ties == 1 else f"{ties:,} undecided items"
        then = "" if more.fewest == more.further else " Then this page says how many labels more it takes."
        st.markdown(f"Decide the {which} first: that needs no new label.{then}")
    if not more.fewest:
        return
    total = more.total - more.further + more.fewest
    if total <= study.plan.design.budget:
        _current_list(study, more.fewest)
    else:
        _larger_list(study, total, more.fewest)


def _current_list(study: Study, needed: int) -> None:
    """The plan's own list holds enough items: the first of those without a label."""
    open_items = _open(study, study.plan.design.budget)
    if not open_items.count:
        st.markdown("Every item of this list has a label: those that are not used yet are named above.")
        return
    count, partly = open_items.count, bool(open_items.shown and open_items.unasked)
    which = "the one item that has" if count == 1 else f"the {count:,} items that have"
    if needed < count:
        which = f"{needed:,} of {which}" if partly else f"the first {needed:,} of {which}"
    order = "" if partly else ", in the list’s order"
    st.markdown(f"This plan’s own list is enough: label {which} no label yet{order}.")
    if needed > count:
        st.markdown(_UNUSED)
    _unasked(study, open_items)
    label_more(study, study.plan.design.budget, _title("Show", open_items, "item", "without a label"), "label-more")


def _larger_list(study: Study, total: int, needed: int) -> None:
    """The list of a larger budget: what is missing of this one, what is new, and what is labelled there already."""
    budget = study.plan.design.budget
    present, open_items = _open(study, budget), _open(study, total)
    elsewhere = len(set(open_items.done) - set(present.done))
    unused = needed - open_items.count - elsewhere - open_items.short
    missing = len({*open_items.shown, *open_items.unasked} & {*present.shown, *present.unasked})
    title = _title("List", open_items, "new item")
    if missing:
        fresh = open_items.count - missing
        st.markdown(
            f"The list of {total:,} has {counted(open_items.count, 'item')} without a label: "
            f"{counted(missing, 'item')} of this plan still without one, and {fresh:,} new."
        )
        title = _title("List", open_items, "item", "without a label")
    if elsewhere:
        _labelled_elsewhere(study, total, elsewhere, open_items.count == 0)
    elif not open_items.count:
        st.markdown("Every item of that larger list has a label already: those that are not used are named above.")
    if open_items.short:
        lost = counted(open_items.short, "item")
        st.markdown(
            f"That list cannot give you all of them: {lost} of it will get no label, and the pool has no other item of "
            "the same stratum left."
        )
    if unused > 0 and open_items.count:
        st.markdown(_UNUSED)
    if open_items.count:
        _unasked(study, open_items)
        label_more(study, total, title, "label-more")


def _labelled_elsewhere(study: Study, total: int, count: int, every: bool) -> None:
    """That a larger list of the same design has labels that are not looked at here, and the way there."""
    if every:
        st.markdown("Every item of that larger list has a label already.")
    else:
        have = "has" if count == 1 else "have"
        st.markdown(f"{count:,} of them {have} a label already, on a larger list of this design.")
    other = larger(state.archive(), study.plan, study.labels.family, total)
    if other is not None:
        st.button(
            f"Choose the plan of {other.design.budget:,} labels",
            key="larger-plan",
            icon=":material/swap_horiz:",
            on_click=go_to,
            args=(other.plan_id,),
        )


@dataclass(frozen=True, slots=True)
class _Open:
    """A list's items, above all those without a label.

    ``shown``: those that page Label shows; ``unasked``: those whose answer is to be judged, but that the target was not
    asked; ``done``: those with a label; ``short``: how many the list lacks of its budget, for want of replacements.
    """

    shown: tuple[str, ...]
    unasked: tuple[str, ...]
    done: tuple[str, ...]
    short: int

    @property
    def count(self) -> int:
        return len(self.shown) + len(self.unasked)


def _open(study: Study, budget: int) -> _Open:
    """Return the items without a label on page Label for this design with another budget, in the list's order."""
    larger = study.labels if budget == study.plan.design.budget else study.labels.with_budget(budget)
    waiting = set(larger.unasked)
    # If none of the answers is known the list shows its items all the same.
    if waiting and not larger.answers:
        waiting = set()
    left = [item for item in larger.due if item not in larger.labelled]
    return _Open(
        shown=tuple(item for item in left if item not in waiting),
        unasked=tuple(item for item in left if item in waiting),
        done=tuple(item for item in larger.due if item in larger.labelled),
        short=max(budget - len(larger.due), 0),
    )


def _unasked(study: Study, items: _Open) -> None:
    """That the list waits for answers of the target."""
    if not items.unasked:
        return
    if items.shown:
        rest = "shows this one" if len(items.shown) == 1 else f"shows these {len(items.shown):,}"
        said = f"was asked only {len(items.shown):,} of them: page Label {rest}, and leads to running it on the others."
    else:
        said = f"was not asked {'it' if items.count == 1 else 'them'} yet: page Label leads to running it first."
    st.markdown(plain(f"“{study.target}” {said}"))


def _title(verb: str, items: _Open, noun: str, more: str = "") -> str:
    """Return the button's title, with as many items as the list then shows."""
    return f"{verb} the {counted(len(items.shown), noun)} {more}".strip() if items.shown else "Go to the list"
