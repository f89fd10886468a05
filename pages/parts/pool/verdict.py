"""Will it help me? What the recommended design saves on this pool, exact where outcomes are known, else forecast."""

from __future__ import annotations

import streamlit as st

from core.pool import Pool
from core.simulation import findings
from core.words import counted, per_cent
from pages.parts import forecast
from pages.parts.app import frame
from pages.parts.markup import plain
from pages.parts.overview.story import Story, story_of
from pages.parts.plan.others import savings_table

# Larger pools take seconds to sort; pages Explore and Plan do it when they are opened.
_LARGE = 50_000


def story(pool: Pool) -> Story | None:
    """Return what is known of a pool beforehand; None for one item, and for a pool that takes seconds to sort."""
    if not 1 < pool.n_items <= _LARGE:
        return None
    with frame.errors():
        return story_of(pool)


def section(pool: Pool, story: Story | None) -> None:
    """Draw the verdict and what similar pools saved; nothing where nothing is known of the items."""
    if story is None or story.chosen.uniform:
        return
    if story.known is not None:
        verdict, rests_on = findings.saving(story.gain), _known(story)
    else:
        outlook = forecast.verdict(pool, story.chosen, story.budget)
        if outlook is None:
            return
        verdict, rests_on = outlook.verdict(), f"Forecast for {counted(outlook.labels, 'label')}."
    st.header("Will it help me?")
    st.markdown(plain(verdict))
    agreeing = f" All answers agree on {per_cent(story.chosen.profile.agreeing)} of them." if pool.n_generations else ""
    st.caption(plain(f"{rests_on} Items are sorted by {story.chosen.signal}.{agreeing}"))
    if panel := frame.panel("What pools like this one saved", "savings-panel", "savings"):
        with panel, frame.errors():
            savings_table(pool, story.chosen)


def _known(story: Story) -> str:
    """Write which outcomes an exact verdict rests on."""
    assert story.known is not None
    items = f"{story.known.losses.size:,} items" if story.known.partial else "every item"
    return f"Exact, not a forecast: the outcome of “{story.target}” is known on {items}."
