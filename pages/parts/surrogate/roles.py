"""Roles of a new run: answers of a surrogate or a target, verdicts of a judge, or answers grouped by meaning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import streamlit as st

from core.answers import OPEN, meaning_classes
from core.pool import Pool
from core.readers import FolderPool
from core.signals import mean_entropy
from core.study import kept_plan
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
from pages.parts import markup
from pages.parts.app import kept, session, state
from pages.parts.markup import plain
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
            markup.show(str(messages(first_pair(pool, spec), judge)[-1]["content"]), "preview-pair")
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


SURROGATE, TARGET, JUDGE, MEANING = "surrogate", "target", "judge", "meaning"
_NAMES = {
    SURROGATE: "A surrogate: k answers to every question",
    TARGET: "A target: one answer to each question",
    JUDGE: "A judge: is each answer of a target right?",
    MEANING: "A judge: which answers mean the same?",
}
_RULES = {
    "strict": "Strict: each entails the other",
    "lenient": "Lenient: no contradiction, and at least one entails the other",
}
_ALL = "all"


@dataclass(frozen=True, slots=True)
class Role:
    """Whose answers a run brings.

    Parameters
    ----------
    target : str or None
        The target's name, empty if it is the model's; None: a surrogate.
    items : tuple of str or None
        Ids of the items to ask; None: all.
    judge : str or None
        The target whose answers are judged; None: no judge's run.
    grouping : Grouping or None
        How the pool's answers are grouped by meaning; None: they are not.
    """

    target: str | None = None
    items: tuple[str, ...] | None = None
    judge: str | None = None
    grouping: Grouping | None = None


def choose(pool: Pool) -> Role:
    """Ask for the role of the answers."""
    # Set by page Label too, so the default is in the state and not in the widget.
    session.begin("role", SURROGATE)
    judged = [name for name, target in pool.targets.items() if target.texts is not None]
    offered = {SURROGATE: True, TARGET: True, JUDGE: bool(judged), MEANING: is_open_ended(pool)}
    names = {role: name for role, name in _NAMES.items() if offered[role]}
    role = st.segmented_control(
        "Whose answers", list(names), key="role", format_func=_NAMES.__getitem__, persist_state="session"
    )
    if role == JUDGE and judged:
        help_text = (
            "The judge is shown each question with this target’s answer. P(correct) becomes a column of the pool."
        )
        return Role(judge=st.selectbox("Target to judge", judged, key="judged-target", help=help_text))
    if role == MEANING and offered[MEANING]:
        return Role(grouping=_grouping(pool))
    if role != TARGET:
        return Role()
    cells = st.columns([2, 3])
    name = cells[0].text_input(
        "Name of the target",
        key="target-name",
        persist_state="session",
        placeholder="as the model",
        help="Its answers appear under this name on pages Label and Estimate.",
    )
    lists = _lists(pool)
    if session.widget("asked-items", _ALL) not in (_ALL, *lists):
        session.show("asked-items", _ALL)
    names = {_ALL: f"All {pool.n_items:,} items"} | {
        plan: f"The list {plan} ({len(ids):,} items)" for plan, ids in lists.items()
    }
    chosen = cells[1].selectbox(
        "Items", list(names), key="asked-items", format_func=names.__getitem__, persist_state="session"
    )
    if not lists:
        st.caption("You can choose a list that was downloaded or labelled on page Label.")
    return Role(name.strip(), lists.get(chosen))


def preset_meaning() -> None:
    """Set page Surrogate to group a pool's answers by meaning; for a callback."""
    session.show("role", MEANING)


def is_open_ended(pool: Pool) -> bool:
    """Whether items have several answers that a judge can be shown, and texts that may mean the same."""
    if pool.n_generations < 2 or "prompt" not in pool.item_columns or isinstance(pool, FolderPool):
        return False
    if "answer_kind" not in pool.item_columns:
        return True
    return bool({"text", OPEN, "as-is", None} & {*pool.source.column("answer_kind").unique().to_pylist()})


def _grouping(pool: Pool) -> Grouping:
    """The fields under the question which answers mean the same."""
    cells = st.columns([2, 3])
    rule = cells[0].selectbox(
        "Same meaning",
        list(_RULES),
        key="meaning-rule",
        format_func=_RULES.__getitem__,
        persist_state="session",
        help="The judge says of each pair of an item’s different answers whether one entails the other, in both "
        "directions. Changing the rule repeats no question.",
    )
    answered = pool.targets.answered
    placed: list[str] = []
    if answered:
        placed = cells[1].multiselect(
            "Targets to place among the classes",
            answered,
            key="meaning-targets",
            persist_state="session",
            help="Their answers are compared with the surrogate’s, so that agreement follows the classes too.",
        )
    return Grouping("lenient" if rule == "lenient" else "strict", targets=tuple(placed))


def preset_judge() -> None:
    """Set page Surrogate to have a judge look at a target's answers; for a callback."""
    session.show("role", JUDGE)


def preset(plan_id: str) -> None:
    """Set page Surrogate to ask a target the items of a kept list; for a callback."""
    session.show("role", TARGET)
    session.show("asked-items", plan_id)


def _lists(pool: Pool) -> dict[str, tuple[str, ...]]:
    """Ids of each kept list of this pool, newest first."""
    return {plan: _ids(pool, plan) for plan in state.archive().plans.table(pool.items_digest)["plan_id"]}


def _ids(pool: Pool, plan_id: str) -> tuple[str, ...]:
    def read() -> tuple[str, ...]:
        return tuple(str(item) for item in kept_plan(state.archive(), plan_id, pool).ids)

    return kept.once("plans’ items", plan_id, read)


def purpose(role: Role) -> str:
    """Return the purpose of the run, in a sentence."""
    if role.judge is not None:
        return plain(f"A verdict on every answer of {role.judge}.")
    if role.grouping is not None:
        return "Both directions of every pair of an item’s different answers."
    if role.target is None:
        return ""
    many = "every item" if role.items is None else f"{len(role.items):,} items"
    return plain(f"One answer to {many}. Pages Label and Estimate know them as soon as they arrive.")
