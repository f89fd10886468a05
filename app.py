"""Overview: what labels give on the current pool, the guided tour, and a card for each further question."""

import streamlit as st

from pages.parts import prospects
from pages.parts.app import frame, state
from pages.parts.overview import cards, hero, tour

pool = frame.frame("Overview", titled=False)
with frame.errors():
    prospect = prospects.current(pool)
    if stop := tour.stop():
        # Only if the truth is known can it be seen how intervals land on it.
        tour.section(prospect if hero.playable(prospect) else prospects.current(state.practice()), stop)
        st.stop()
    hero.section(prospect)
    cards.section()
