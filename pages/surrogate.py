"""Surrogate: generate the answers that strata are made of, with a model on this machine or on a server."""

import streamlit as st

from core.readers import FolderPool
from core.surrogate import jobs
from pages.parts.app import frame, session, state
from pages.parts.surrogate import form, job, worth

pool = frame.frame("Surrogate", titled=False)
worth.head(pool)
if not frame.possible("Running a model"):
    st.stop()
if isinstance(pool, FolderPool):
    st.info(
        "This pool is a folder. Generate for its files one by one, `python -m neyman surrogate run --pool FILE`, and "
        "replace them by the files that it writes.",
        icon=":material/info:",
    )
    st.stop()
said = session.held(job.Said)
brought, said.brought = said.brought, ""
if brought:
    st.success(f"The answers are in the pool: {brought}.", icon=":material/check_circle:")
    frame.step("pages/explore.py", "Explore this pool", ":material/query_stats:")
with frame.errors():
    runs = jobs(state.store(), pool.digest)

shown = job.choose(runs)
if shown is not None:
    job.panel(pool, shown)
if shown is None or not shown.active:
    form.form(pool, runs)
