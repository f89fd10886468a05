"""Roles of a new run: a surrogate's or a target's answers, a judge's verdicts on them, or their meaning classes."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from core.answers import OPEN
from core.pool import Pool
from core.readers import FolderPool
from core.study import kept_plan
from core.surrogate import Grouping
from pages.parts.app import kept, session, state
from pages.parts.markup import plain

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
