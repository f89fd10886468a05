"""The basis of the recommended design: why it is recommended, and what it may rest on instead."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from core.prospect import ELSEWHERE, Pilot, Prospect
from core.signals import SIGNALS
from core.words import counted, per_cent
from pages.parts.app import frame, session
from pages.parts.markup import plain
from pages.parts.widgets import controls


def choose(prospect: Prospect, gate: bool = False) -> Prospect:
    """Draw why this design is recommended and what it may rest on instead; return the prospect that rests on it.

    Parameters
    ----------
    prospect : Prospect
        Whose question names the other pools that may teach a risk.
    gate : bool
        The design is the one for a decision that may be looked at after every label.

    Raises
    ------
    DesignError, PoolError
        What was chosen cannot be used, such as a column that is empty.
    """
    why = st.container()
    known, others = prospect.knowledge, prospect.question.others
    names = {name: SIGNALS[name].title for name in known.signals}
    # A risk from elsewhere is predicted from what says of each item how risky it is.
    if others and any(SIGNALS[name].order is not None and SIGNALS[name].ordered for name in known.signals):
        names[ELSEWHERE] = "Your other pools"
    chosen = controls.SIGNAL.with_more(names).draw() if names else controls.BEST
    column = (
        controls.COLUMN.of({name: name for name in known.columns}).draw()
        if chosen in SIGNALS and SIGNALS[chosen].of_column
        else None
    )
    past = accuracy = None
    if known.past and (chosen in (controls.BEST, ELSEWHERE) or "accuracy" in SIGNALS[chosen].made_from):
        past = controls.PAST.draw(known.past, f"All ({len(known.past):,})")
        accuracy = controls.ACCURACY.draw("Not known")
        if prospect.earlier is not None:
            _from_labels(prospect.earlier)
    if _predicted(chosen, known.signals):
        controls.FLOOR.draw()
    signal = None if chosen == controls.BEST else str(chosen)
    asked = replace(prospect.question, signal=signal, past=past, accuracy=accuracy, column=column)
    rests_on = prospect.asking(replace(asked, scheme=None, gate=gate))
    with why:
        _say(rests_on)
    return rests_on


def nothing_known() -> None:
    """Say that nothing is known of the items, with the next steps."""
    st.info(
        "Nothing is known of these items beforehand: the pool has no generations (answers of a cheap model, the "
        "surrogate), no results of other models and no groups. Items are drawn uniformly. Any of these makes the same "
        "labels worth more.",
        icon=":material/info:",
    )
    frame.step("pages/surrogate.py", "Ask a cheap model on page Surrogate", ":material/smart_toy:")
    frame.step("pages/pool.py", "Choose another pool", ":material/database:")


def _predicted(chosen: str, signals: tuple[str, ...]) -> bool:
    """Return whether the items are sorted by a predicted risk."""
    best = next(iter(signals), None) if chosen == controls.BEST else chosen
    return best == ELSEWHERE or (best is not None and SIGNALS[best].kept)


def _say(prospect: Prospect) -> None:
    """Why this design, or that nothing speaks for the signal that was chosen instead."""
    if prospect.uniform:
        return
    if prospect.question.gate:
        st.caption(
            "Three strata, labelled in turn: check after every label, and stop as soon as page Estimate says “ship” or "
            "“hold”. To measure the accuracy itself, “Recommended” is more precise."
        )
    how = prospect.how
    sorted_by = f"Items are sorted by {how[0].lower()}{how[1:]}" if how else ""
    st.caption(plain(f"{prospect.why} {sorted_by}".strip()))
    if prospect.question.signal not in (None, prospect.best):
        st.caption(
            f":material/info: Recommended here: {SIGNALS[prospect.best].noun}. “What each signal is worth to sort "
            f"items by” on Explore compares it with {plain(prospect.signal)}."
        )


def _from_labels(earlier: Pilot) -> None:
    """Offer what earlier labels say of the target's accuracy as the belief."""
    believed = round(100 * earlier.accuracy, 1)

    def use() -> None:
        # A new draw: with the old seed, the list would depend on outcomes of items that it contains.
        session.write(controls.ACCURACY.parameter(believed) | controls.SEED.another())

    text = f"From your {counted(earlier.n_labels, 'earlier label')}: {per_cent(earlier.accuracy)}"
    if controls.ACCURACY.value != believed:
        st.button(text, key="from-labels", on_click=use, icon=":material/history:", width="stretch")
