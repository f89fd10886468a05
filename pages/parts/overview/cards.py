"""The stories below the first screen: each a question, its answer in one figure, and the way to its page."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import streamlit as st

from core.gates import chances, gate
from core.words import per_cent
from pages.parts.app import address, kept, state
from pages.parts.judge import example
from pages.parts.markup import plain
from pages.parts.models import contest
from pages.parts.plan import versions
from pages.parts.plan.controls import LOOKS, MARGIN
from pages.parts.views import verdicts
from pages.parts.views.bars import GREY, OURS, Bar, draw
from pages.parts.widgets import controls


def section() -> None:
    """Draw all stories side by side."""
    for cell, story in zip(st.columns(len(_STORIES), gap="medium"), _STORIES, strict=True):
        with cell, st.container(border=True, height="stretch", gap="small"):
            story()


def _draw(key: str, question: str, answer: str, bars: Sequence[Bar], about: str) -> None:
    st.markdown(question)
    draw(f"story-{key}", answer, bars)
    st.caption(plain(about))


def _version() -> None:
    """Draw the version gate on two published models."""
    pool, story = state.published(), versions.STORY
    old, new = story[controls.GATE_OLD.key], story[controls.GATE_NEW.key]
    # What this home knows beside it would make the story another one for each visitor.
    make = partial(gate, pool, old, new, MARGIN.default / 100, bank=verdicts.of_pool(pool), looks=LOOKS.default)
    planned = kept.once("version gates", (pool.digest, old, new), partial(make, follows=True, partial=True))
    likely = kept.once("version gates", (planned, "chances"), lambda: chances(planned))
    ours, usual = planned.n_labels, likely.usual_needed
    answer, bars = f"{ours:,} labels", [Bar("Neyman", f"{ours:,}", 1.0, OURS)]
    if usual is not None:
        answer += f" instead of {usual:,}"
        bars = [Bar("Usual test", f"{usual:,}", 1.0, GREY), Bar("Neyman", f"{ours:,}", ours / usual, OURS)]
    about = f"On MMLU-Pro, {new} after {old}: only answers that differ, and that nobody graded before, need a label."
    _draw("versions", "Is the new version worse?", answer, bars, about)
    to = address.parameters(pool.digest, **story)
    st.page_link("pages/versions.py", label="Compare two versions", icon=":material/difference:", query_params=to)


def _judge() -> None:
    """Draw what people's labels on a few items say of a bundled judge."""
    result = example.told()
    rate = result.pass_rate
    said, corrected = per_cent(result.judge_only, 1), per_cent(rate.value, 1)
    bars = [
        Bar("The judge alone", said, result.judge_only, GREY),
        Bar(f"With {result.n_labels} labels", corrected, rate.value, OURS, (rate.low, rate.high)),
    ]
    about = "A judge (an automatic grader) errs. A few labels by people correct its pass rate."
    _draw("judge", "Is your automatic grader right?", f"{corrected}, not {said}", bars, about)
    example.link_first("Check a judge")


def _models() -> None:
    """Draw how many labels find the best of the published models."""
    pool = state.published()
    size = contest.planned(pool, tuple(pool.targets)).size
    ours, usual = size.labels, size.uniform
    bars = [Bar("Uniform", f"{usual:,}", 1.0, GREY), Bar("Neyman", f"{ours:,}", ours / usual, OURS)]
    about = f"On MMLU-Pro, best of {len(pool.targets)}: only items on which models differ need a label."
    _draw("models", "Which model is best?", f"{ours:,} labels instead of {usual:,}", bars, about)
    to = address.parameters(pool.digest)
    st.page_link("pages/models.py", label="Choose among models", icon=":material/emoji_events:", query_params=to)


_STORIES = (_version, _models, _judge)
