"""The recognized format of a pool's file, the account of its records, and the roles of its fields."""

from __future__ import annotations

import streamlit as st

from core.judge import named_judge
from core.pool import FileAccount, Origin, Pool
from core.readers import RIGHT, WRONG
from core.words import counted
from pages.parts.app import frame, state
from pages.parts.markup import plain
from pages.parts.pool import mapping, ways

_ROLES = {
    "id": "item id",
    "prompt": "prompt",
    "group": "group",
    "answer": "right answer",
    "choices": "options",
    "generations": "answers of the models",
    "generation_answers": "answers, parsed by the tool",
    "loss": "score (the loss is 1 − score)",
}


def section(pool: Pool) -> None:
    """Draw the sentence and the account, as far as a reader gave them, and the fields folded away."""
    origin = pool.origin
    if origin is not None:
        _sentence(pool, origin)
    if not state.is_bundled(pool):
        account(pool.account)
    mapping.change(pool)
    if origin is not None:
        _fields(pool, origin)


def account(given: FileAccount | None) -> None:
    """Draw what became of the records in three lines, and where a tool's own total differs."""
    if given is None:
        return
    st.caption("  \n".join(map(plain, given.lines)))
    for difference in given.differences:
        st.warning(plain(difference), icon=":material/difference:")


def _sentence(pool: Pool, origin: Origin) -> None:
    known = f"Recognized as **{plain(origin.format)}**" if origin.format else "Read with the fields that **you chose**"
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"{known}: {', '.join(counts(pool))}.", width="content")
        ways.first(pool)


def counts(pool: Pool) -> list[str]:
    """Return how much was read of each kind, in words."""
    sizes = [counted(pool.n_items, "item")]
    if pool.n_generations:
        each = f"{counted(pool.n_generations, 'answer')} of a cheap model to each"
        sizes.append(each + ("" if pool.complete else " at most"))
    sizes.append(counted(len(pool.targets), "model") if pool.targets else "no model to test")
    if (judging := named_judge(pool)) is not None:
        given = int(pool.items[judging].count())
        sizes.append(f"{counted(given, 'verdict')} of the judge “{plain(judging)}”")
    return sizes


def _fields(pool: Pool, origin: Origin) -> None:
    # Of a format's fields, a file may lack some.
    names = {*pool.source.column_names, *(("generations", "generation_answers", "loss") if pool.targets else ())}
    fields = {name: path for name, path in origin.fields.items() if name in names or name not in _ROLES}
    if fields and (panel := frame.panel("Which field became what", "origin", "swap_horiz")):
        rows = [{"field of the file": path, "became": _became(name)} for name, path in fields.items()]
        with panel:
            st.dataframe(rows, hide_index=True, width="content", alt="Fields of the file, and what each became.")


def _became(name: str) -> str:
    """Say what a field became: of a target's score, also what 1 means there."""
    model, _, part = name.rpartition(" · ")
    return f"score of {model} (1 = {part})" if model and part in (RIGHT, WRONG) else _ROLES.get(name, name)
