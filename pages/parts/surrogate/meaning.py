"""Answers grouped by meaning on page Surrogate: how the judge is asked, what it takes, and what the classes change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import streamlit as st

from core.answers import meaning_classes
from core.pool import Pool
from core.signals import mean_entropy
from core.surrogate import (
    STANDARD_OF_PAIRS,
    THINKING_TOKENS,
    VERDICT_SAMPLING,
    Grouping,
    JobProgress,
    JobSpec,
    Meanings,
    Prompting,
    Sampling,
    Store,
    Workload,
    first_pair,
    item_answers,
    judged_meanings,
    messages,
    workload,
)
from core.words import counted
from pages.parts import texts
from pages.parts.app import state
from pages.parts.surrogate.server import KEEP, THINKING


@dataclass(frozen=True, slots=True)
class Effect:
    """The effect of grouping: the classes, and the mean semantic entropy (nats) of equal texts and meanings."""

    meanings: Meanings
    spelled: float
    grouped: float


def sampling() -> Sampling:
    """Return the judge's sampling: the most probable words, few of them."""
    with st.expander("Sampling", icon=":material/tune:"):
        cells = st.columns(3)
        thinking = cells[0].selectbox(
            "Thinking",
            list(THINKING),
            key="verdict_thinking",
            format_func=THINKING.__getitem__,
            help="Whether the judge reasons before its verdict. Qwen3.5 does so by default from 4B up: turn it off, or "
            "on, which allows more tokens.",
            **KEEP,
        )
        usual = THINKING_TOKENS if thinking == "on" else VERDICT_SAMPLING.max_tokens or 0
        longest = cells[1].number_input(
            "Most tokens of a verdict (0: the model’s limit)",
            0,
            1_000_000,
            None,
            key="verdict_tokens",
            placeholder=f"{usual:,}",
            **KEEP,
        )
        extra = cells[2].text_input("More fields (JSON)", "{}", key="verdict_extra", **KEEP)
        st.caption("The judge is asked once about each pair and direction, at temperature 0.")
    limit = usual if longest is None else int(longest) or None
    return replace(VERDICT_SAMPLING, max_tokens=limit, extra=extra, thinking=thinking)


def prompting(pool: Pool, grouping: Grouping) -> Prompting:
    """The judge's question, and the first of those that are asked."""
    panel = st.expander("Prompt", key="prompt-panel", on_change="rerun", icon=":material/chat:")
    with panel:
        system = st.text_area("System prompt", key="verdict_system", height=68, persist_state="session")
        template = st.text_area(
            "Template",
            STANDARD_OF_PAIRS,
            key="verdict_template",
            height=220,
            persist_state="session",
            help="{question}, {first} and {second} are filled in. The last “entailment”, “neutral” or “contradiction” "
            "of the reply counts.",
        )
        one_word = st.toggle(
            "One word only",
            key="verdict_alone",
            help="The server holds the judge to one of the three words (vLLM). A judge that thinks first cannot.",
            **KEEP,
        )
        judge = Prompting(
            system=system, template=None if template == STANDARD_OF_PAIRS else template, letters_only=one_word
        )
        if panel.open:
            spec = JobSpec(pool.digest, "judge", sampling=VERDICT_SAMPLING, prompting=judge, grouping=grouping)
            st.caption("The first pair")
            texts.show(str(messages(first_pair(pool, spec), judge)[-1]["content"]), "preview-pair")
    return judge


def expected(pool: Pool, spec: JobSpec, earlier: Sequence[JobProgress]) -> Workload:
    """Return the most that a run takes, without the pairs that have a verdict."""
    answered = sum(job.done for job in earlier if job.spec.grouping is not None)
    return _expected(pool, spec, spec.to_json(), answered)


@st.cache_data(max_entries=20, show_spinner="Counting the pairs …")
def _expected(_pool: Pool, _spec: JobSpec, described: str, answered: int) -> Workload:
    return workload(_pool, _spec, state.store())


def effect(store: Store, pool: Pool, job: JobProgress) -> None:
    """Say what the classes change, and where the judge contradicts itself."""
    change = _effect(store, pool, job.spec, job.id, job.done)
    meanings = change.meanings
    st.markdown(
        f"**Mean semantic entropy: {change.spelled:.2f} nats by equal texts, {change.grouped:.2f} nats by meaning**"
    )
    pairs = meanings.same + meanings.different + meanings.undecided
    classes = counted(meanings.classes, "meaning class", "meaning classes")
    st.caption(
        f"{counted(meanings.answers, 'different answer')} form {classes}. Of {counted(pairs, 'pair')} "
        f"{meanings.same:,} mean the same and {meanings.different:,} do not."
    )
    if meanings.undecided:
        st.warning(
            f"{counted(meanings.undecided, 'pair')} without a clear verdict: they count as different.",
            icon=":material/help:",
        )
    if meanings.overruled or meanings.ambiguous:
        placed = f" {counted(meanings.ambiguous, 'target answer')} fit several classes." if meanings.ambiguous else ""
        st.caption(
            f"The judge is not always consistent: {counted(meanings.overruled, 'pair')} in "
            f"{counted(meanings.overruled_items, 'item')} judged different share a class, because other answers "
            f"connect them.{placed}"
        )


@st.cache_data(max_entries=20, show_spinner="Grouping the answers …")
def _effect(_store: Store, _pool: Pool, _spec: JobSpec, job: str, done: int) -> Effect:
    meanings = judged_meanings(_store, _pool, _spec)
    answers = [item.answers for item in item_answers(_pool, _spec.grouping or Grouping())]
    spelled, grouped = (mean_entropy(meaning_classes(lists)) for lists in (answers, meanings.generations))
    return Effect(meanings, spelled, grouped)
