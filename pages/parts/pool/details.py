"""The tabs of page Pool, of which only the open one is made."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import streamlit as st

from core.pool import FileAccount, Pool
from core.prospect import Prospect
from core.readers import RIGHT, WRONG
from core.stratification import Profile
from core.study import runs
from pages.parts.app import frame, state
from pages.parts.markup import plain
from pages.parts.plan.others import savings_table
from pages.parts.pool import answers, bank, browse, mapping, weights
from pages.parts.views import run_tables
from pages.parts.widgets import controls

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


def section(pool: Pool, prospect: Prospect | None, profile: Profile | None, kind: str | None) -> None:
    """Draw the tabs that have something to say.

    Parameters
    ----------
    pool : Pool
        The pool.
    prospect : Prospect or None
        What is known of it beforehand.
    profile : Profile or None
        Its disagreement, if it has generations.
    kind : str or None
        The present parser, None for the pool's own.
    """
    parts: dict[str, Callable[[], object]] = {"items": partial(browse.items, pool, profile, kind)}
    if pool.groups is not None:
        parts["groups"] = partial(browse.groups, pool, profile, kind)
    parts["fields"] = partial(_fields, pool)
    if profile is not None or pool.targets:
        parts["answers"] = partial(answers.section, pool, profile, kind)
    several = [name for name in list(pool.targets)[: state.MANY_MODELS] if pool.varies(name)]
    if several:
        parts["runs"] = partial(_runs, pool, several, kind)
    parts["weights"] = partial(weights.section, pool)
    parts["graded"] = partial(bank.section, pool, prospect)
    if prospect is not None and not prospect.uniform:
        parts["saved"] = partial(savings_table, pool, prospect)
    parts["account"] = partial(_account, pool)
    names = controls.CONTENTS.names
    control = controls.CONTENTS.of({name: names[name] for name in parts})
    for tab, draw in zip(control.draw_tabs(), parts.values(), strict=True):
        if tab.open:
            with tab, frame.errors():
                draw()


def _fields(pool: Pool) -> None:
    """Draw which field of the file became what, and the way to choose again."""
    origin = pool.origin
    fields = {name: name for name in pool.source.column_names if name != "targets"} if origin is None else origin.fields
    # Of a format's fields, a file may lack some.
    there = {*pool.source.column_names, *(("generations", "generation_answers", "loss") if pool.targets else ())}
    rows = [
        {"field of the file": path, "became": _became(name)}
        for name, path in fields.items()
        if name in there or name not in _ROLES
    ]
    mapping.change(pool)
    st.dataframe(rows, hide_index=True, width="content", alt="Fields of the file, and what each became.")


def _runs(pool: Pool, targets: list[str], kind: str | None) -> None:
    """Draw what the runs of each target say, and that the first is its single answer."""
    for target in targets:
        found = runs(pool, target, kind)
        st.markdown(f"**{plain(target)}**")
        if found is None:
            st.caption("Not every item has a run that is graded right or wrong: page Label draws items to grade.")
        else:
            run_tables.section(found)
    st.caption("Where one answer is needed, the first run counts.")


def _became(name: str) -> str:
    """Say what a field became: of a target's score, also what 1 means there."""
    model, _, part = name.rpartition(" · ")
    return f"score of {model} (1 = {part})" if model and part in (RIGHT, WRONG) else _ROLES.get(name, name)


def _account(pool: Pool) -> None:
    """Draw what became of the records of the file, and all notes of its reader."""
    if not state.is_bundled(pool):
        account(pool.account)
    for note in pool.remarks:
        st.markdown(plain(note))
    if pool.account is None and not pool.remarks:
        st.markdown("Every record of the file is an item of the pool.")


def account(given: FileAccount | None, differences: bool = False) -> None:
    """Draw what became of the records in three lines; with ``differences`` also where a tool's total differs."""
    if given is None:
        return
    st.caption("  \n".join(map(plain, given.lines)))
    for difference in given.differences if differences else ():
        st.warning(plain(difference), icon=":material/difference:")
