"""The bundled judges, one click away and told as a story."""

from __future__ import annotations

import streamlit as st

from core.judge import (
    PASS_RATE,
    Judgement,
    JudgeVerdicts,
    balanced_sentence,
    everything,
    judge,
    judged,
    named_judge,
    truth_sentence,
)
from core.judge import verdicts as verdicts_of
from core.pool import Pool
from core.words import counted
from pages.parts.app import address, kept, state
from pages.parts.judge.controls import JUDGE, PEOPLE
from pages.parts.markup import plain
from pages.parts.widgets import controls

_PEOPLE, _MATCH, _GPT = "people", "string match", "GPT-4"
# The first list of each; other seeds are other lists.
_SEED, _BUDGET = "1", "100"
_STORIES = {
    state.EVOUNA_NAME: "A string match graded 3,020 answers of GPT-4 to natural questions (EVOUNA): pass if a known "
    "right answer stands in the text. People graded them too. Label 100: how far is the match from what people say?",
    state.LLMBAR_NAME: "In 419 pairs of outputs, two models judged which one follows its instruction better (LLMBar). "
    "Pass means that they prefer the first one. How well do they agree with people?",
}


def link() -> None:
    """Draw the ways to the bundled judges."""
    _way("See it on answers of GPT-4, graded by a string match", state.evouna(), _MATCH)
    _way("See it on pairs of outputs, judged by two models", state.llmbar(), _GPT)


def link_first(label: str) -> None:
    """Draw the way to the first bundled judge."""
    _way(label, state.evouna(), _MATCH, ":material/gavel:")


def told() -> Judgement:
    """Return what the first list of the first bundled judge says of it."""
    return kept.once("judges", "told", _told)


def about(result: Judgement) -> str:
    """Say what the first bundled judge is, and how many labels its example has."""
    size, labels = result.verdicts.fails.size, counted(result.n_labels, "label")
    return f"An example of a result: a string match graded {size:,} answers of GPT-4, and people gave {labels}."


def _told() -> Judgement:
    pool = state.evouna()
    people = verdicts_of(pool, _PEOPLE)
    labels = dict(zip(pool.items.index.tolist(), (~people.fails).tolist(), strict=True))
    return judged(judge(pool, _MATCH, int(_BUDGET), seed=int(_SEED)), labels)


def story(pool: Pool) -> None:
    """Tell what a bundled judge is."""
    if told := _story(pool):
        st.caption(plain(told))


def ways(pool: Pool) -> None:
    """Draw the way to one's own judge, from a pool that has no judge's column, and the ways to the bundled ones."""
    told = is_story(pool)
    if told or named_judge(pool) is None:
        # Without the choices of this pool, which mean nothing on another one.
        st.page_link(
            "pages/pool.py",
            label="Check your own judge: bring a file with its verdicts",
            icon=":material/upload_file:",
            query_params=address.parameters(),
        )
    if not told:
        link()


def is_story(pool: Pool) -> bool:
    """Whether a pool is a bundled judge, whose story ends with what all of people's verdicts say."""
    return bool(_story(pool))


def _story(pool: Pool) -> str:
    bundled = (state.evouna().digest, state.llmbar().digest)
    return _STORIES.get(pool.name, "") if pool.digest in bundled else ""


def truth(pool: Pool, verdicts: JudgeVerdicts, result: Judgement | None) -> float | None:
    """Return the pass rate by people's verdicts on all items of a bundled judge, once labels say what it may be."""
    return everything(verdicts, verdicts_of(pool, _PEOPLE)).value(PASS_RATE) if result and is_story(pool) else None


def section(pool: Pool, verdicts: JudgeVerdicts, result: Judgement | None) -> None:
    """End the story of a bundled judge with what all of people's verdicts say, and where they are from."""
    if result is not None:
        st.markdown(plain(truth_sentence(everything(verdicts, verdicts_of(pool, _PEOPLE)))))
        st.markdown(plain(balanced_sentence(result)))
    st.caption(
        "EVOUNA: Wang et al. (2023), Apache License 2.0. LLMBar: Zeng et al. (2023), MIT licence. Bare verdicts; "
        "questions and outputs are not here."
    )


def _way(label: str, pool: Pool, name: str, icon: str = ":material/science:") -> None:
    chosen = {
        JUDGE.key: name,
        PEOPLE.key: _PEOPLE,
        controls.BUDGET.key: _BUDGET,
        controls.SEED.key: _SEED,
    }
    st.page_link(
        "pages/judge.py",
        label=label,
        icon=icon,
        query_params=address.parameters(pool.digest, **chosen),
    )
