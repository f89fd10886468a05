"""The mapper: which field of a file that no reader recognizes is the id, the prompt or the samples."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from core.errors import NeymanError
from core.pool import Pool
from core.readers import FieldMap, FieldPath, Paths, Shape
from core.words import UNKNOWN, counted, per_cent
from pages.parts import foreign, state
from pages.parts.frame import show_error
from pages.parts.markup import plain

_OPEN, _USED, _PREVIEW = "open-file", "mapped-file", "map-preview"
_PREVIEWED = 10
_LONGEST = 28
_COLUMNS = 3
_WIDE, _WIDTH = ("prompt", "choices", "samples"), 240
_TEXT, _RIGHT = "text", "right"


@dataclass(frozen=True, slots=True)
class _Role:
    """A field of the pool that paths are chosen for.

    Parameters
    ----------
    name : str
        Native column, `_TEXT` or `_RIGHT` of the target, or “judges”.
    label : str
        What stands above the box.
    help : str
        What belongs there.
    several : bool
        Whether it may have several paths.
    empty : str
        What an empty box stands for.
    """

    name: str
    label: str
    help: str
    several: bool = False
    empty: str = "none"


_ROLES = (
    _Role("id", "Item id", "The name of the item, the same in every row of it.", empty="number of the row"),
    _Role("prompt", "Prompt", "The question or task, as people read it and as the model got it."),
    _Role("answer", "Right answer", "The reference answer, where you know it."),
    _Role(
        "generations",
        "Samples of the surrogate",
        "Several answers of a cheap model to each item: a list, several fields with one each, or one field where each "
        "row is a sample and rows of an item have the same id.",
        several=True,
    ),
    _Role(_TEXT, "Target’s answer", "What the model under test answered."),
    _Role(
        _RIGHT,
        "Target’s score",
        "Whether that answer is right: 1 and 0, true and false, “correct” and “wrong”, or a share between 0 and 1.",
    ),
    _Role(
        "judges",
        "Judge’s score",
        "Numbers that another model gave, such as a verdict or a probability. They can sort the items.",
        several=True,
    ),
    _Role("group", "Group", "Subject, topic or task of the item, for results by group."),
    _Role("choices", "Options", "The options of a multiple-choice item: a list, or one field each.", several=True),
)


@dataclass(frozen=True, slots=True)
class MappedFile:
    """A file whose fields are chosen by hand.

    Parameters
    ----------
    name : str
        Name of the file.
    content : bytes
        The file.
    shape : Shape
        Its paths.
    fields : FieldMap
        The map to begin with.
    digest : str
        Of the pool that was read by the map; "" before.
    remembered : bool
        Whether the map is that of an earlier file of the same shape.
    """

    name: str
    content: bytes
    shape: Shape
    fields: FieldMap
    digest: str = ""
    remembered: bool = False


def begin(name: str, content: bytes, shape: Shape) -> Pool | None:
    """Read a file by the map for its shape; where none is kept, open the mapper with the guess.

    Parameters
    ----------
    name, content : str, bytes
        The file.
    shape : Shape
        Its shape.

    Returns
    -------
    Pool or None
        None where the mapper is open now.
    """
    known = state.archive().field_maps().get(shape.digest)
    if known is not None:
        known = known.named(shape.model)
    file = MappedFile(name, content, shape, known or shape.guess, remembered=known is not None)
    if known is not None:
        try:
            pool = _read(file, known)
        except NeymanError:
            # The mapper shows why.
            pool = None
        if pool is not None:
            st.session_state[_USED] = replace(file, digest=pool.digest)
            return pool
    st.session_state[_OPEN] = file
    return None


def open_file() -> MappedFile | None:
    """Return the file that the mapper is open for."""
    file: MappedFile | None = st.session_state.get(_OPEN)
    return file


def section(file: MappedFile) -> Pool | None:
    """Draw the mapper; return the pool when “Use this file” was clicked and the file could be read."""
    st.header("Which field is what?")
    st.markdown(
        f"**{plain(file.name)}** is in no format that Neyman knows, so you say which of its fields is what. "
        + ("These are your last choices." if file.remembered or file.digest else "We filled in a guess.")
        + " Check the preview, correct what is wrong, then use the file."
    )
    fields = _chosen(file)
    preview = _preview(file, fields)
    with st.container(horizontal=True):
        use = st.button(
            "Use this file", type="primary", icon=":material/check:", disabled=not isinstance(preview, Pool)
        )
        st.button("Cancel", on_click=close)
    if use:
        try:
            pool = _read(file, fields)
            state.archive().save_map(file.shape.digest, fields.unnamed(file.shape.model), state.now())
        except NeymanError as error:
            show_error(error)
        else:
            close()
            st.session_state[_USED] = replace(file, fields=fields, digest=pool.digest, remembered=False)
            return pool
    if isinstance(preview, Pool):
        st.markdown(f"**{plain(_summary(preview))}**")
        table = _table(preview)
        st.dataframe(
            table,
            hide_index=True,
            placeholder=UNKNOWN,
            # So that what the models said is beside it without scrolling.
            column_config={
                name: st.column_config.Column(width=_WIDTH)
                for name in ("prompt", "choices", "samples")
                if name in table
            },
            alt="The first items as they would be read.",
        )
    else:
        show_error(preview)
    foreign.prepare()
    return None


def change(pool: Pool) -> None:
    """Draw the way back to the mapper of the current pool; nothing for a pool that was not read by a map just now."""
    file: MappedFile | None = st.session_state.get(_USED)
    if file is None:
        return
    if file.digest != pool.digest:
        # Its bytes are not needed any more.
        del st.session_state[_USED]
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        if file.remembered:
            st.markdown("Its shape is that of an earlier file, whose fields you chose.", width="content")
        st.button(
            "Change the fields", icon=":material/edit:", on_click=_reopen, help="Choose the fields of this file again."
        )


def _reopen() -> None:
    st.session_state[_OPEN] = st.session_state[_USED]


def close() -> None:
    """Leave the mapper; for a callback too."""
    st.session_state.pop(_OPEN, None)
    st.session_state.pop(_PREVIEW, None)


def _read(file: MappedFile, fields: FieldMap) -> Pool:
    with st.spinner("Reading the pool …", show_time=True):
        return foreign.quarantine().mapped(file.content, fields, file.name, state.archive().folder)


def _preview(file: MappedFile, fields: FieldMap) -> Pool | NeymanError:
    """Return the first items, or why there are none; read once for the same choices."""
    key = (file.shape.digest, hash(file.content), json.dumps(fields.as_json()))
    kept = st.session_state.get(_PREVIEW)
    if kept is None or kept[0] != key:
        try:
            folder = state.archive().folder
            result: Pool | NeymanError = foreign.quarantine().mapped(
                file.content, fields, file.name, folder, _PREVIEWED
            )
        except NeymanError as error:
            result = error
        kept = st.session_state[_PREVIEW] = (key, result)
    first: Pool | NeymanError = kept[1]
    return first


def _chosen(file: MappedFile) -> FieldMap:
    """Draw a box for each role, and return the map that they make."""
    start, model = _by_role(file.fields, file.shape.model)
    places = {place.path: place for place in file.shape.places}
    chosen: dict[str, tuple[str, ...]] = {}
    # A file that is opened again begins with what was used last.
    version = f"{file.shape.digest[:12]}-{file.digest[:12]}"
    for first in range(0, len(_ROLES), _COLUMNS):
        for box, role in zip(st.columns(_COLUMNS), _ROLES[first : first + _COLUMNS], strict=False):
            with box:
                chosen[role.name] = _box(role, places, start.get(role.name, ()), f"map-{role.name}-{version}")
    name = model
    if chosen[_TEXT] or chosen[_RIGHT]:
        name = st.text_input("Name of the target", model, key=f"map-name-{version}", width=320).strip() or model
    return _field_map(chosen, name)


def _box(role: _Role, places: Mapping[str, FieldPath], start: Sequence[str], key: str) -> tuple[str, ...]:
    def label(path: str) -> str:
        example = places[path].example
        return f"{path} · {example if len(example) <= _LONGEST else example[: _LONGEST - 1] + '…'}"

    first = [path for path in start if path in places]
    if role.several:
        several = st.multiselect(
            role.label, list(places), first, format_func=label, key=key, help=role.help, placeholder=role.empty
        )
        return tuple(several)
    index = list(places).index(first[0]) if first else None
    one = st.selectbox(
        role.label, list(places), index, format_func=label, key=key, help=role.help, placeholder=role.empty
    )
    return (one,) if one is not None else ()


def _by_role(fields: FieldMap, name: str) -> tuple[dict[str, tuple[str, ...]], str]:
    """Return the paths of each role, and the target's name."""
    model, outcome = next(iter(fields.targets.items()), (name, {}))
    roles = {name: fields.parts(name) for name in fields.fields}
    return {**roles, **{name: (path,) for name, path in outcome.items()}, "judges": fields.judges}, model


def _field_map(chosen: Mapping[str, tuple[str, ...]], model: str) -> FieldMap:
    fields: dict[str, Paths] = {
        name: paths if len(paths) > 1 else paths[0]
        for name, paths in chosen.items()
        if paths and name not in (_TEXT, _RIGHT, "judges")
    }
    outcome = {name: chosen[name][0] for name in (_TEXT, _RIGHT) if chosen[name]}
    return FieldMap(fields, {model: outcome} if outcome else {}, judges=chosen["judges"])


def _summary(preview: Pool) -> str:
    parts = [f"The first {counted(preview.n_items, 'item')}"]
    if preview.n_generations:
        parts.append(f"{counted(preview.n_generations, 'sample')} of the surrogate each")
    for name in preview.targets:
        known = preview.losses(name)[np.isfinite(preview.losses(name))]
        outcome = f"{per_cent(1 - known.mean())} right" if known.size else "no outcome known"
        parts.append(f"{name}: {outcome}")
    return " · ".join(parts)


def _table(preview: Pool) -> pd.DataFrame:
    items = preview.items.drop(columns="answer_kind", errors="ignore").reset_index()
    columns: dict[str, Any] = {name: items.pop(name) for name in ("id", "prompt", "choices", "answer") if name in items}
    if preview.generations is not None:
        columns["samples"] = list(preview.generations)
    for name, target in preview.targets.items():
        if target.texts is not None:
            columns[f"{name}: answer"] = list(target.texts)
        losses = preview.losses(name)
        columns[f"{name}: score"] = [None if np.isnan(loss) else f"{1 - loss:g}" for loss in losses]
    return pd.DataFrame(columns | {str(name): items[name] for name in items})
