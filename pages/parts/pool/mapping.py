"""The mapper: which field of a file that no reader recognizes is the id, the prompt or the samples."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd
import streamlit as st

from core.errors import NeymanError
from core.pool import Pool
from core.readers import FieldMap, FieldPath, Paths, Shape
from core.words import UNKNOWN, counted, per_cent
from pages.parts.app import quarantine, session, state
from pages.parts.app.frame import show_error
from pages.parts.markup import plain

_PREVIEWED = 10
_LONGEST = 28
# Share of a kept map's fields that a file of another shape must have.
_MOST_OF = 0.6
_COLUMNS = 3
_WIDE, _WIDTH = ("prompt", "choices", "samples"), 240
_TEXT, _RIGHT, _MODEL = "text", "right", "model"


@dataclass(frozen=True, slots=True)
class _Role:
    """A field of the pool that paths are chosen for.

    Parameters
    ----------
    name : str
        Native column, `_TEXT` or `_RIGHT` of a target, `_MODEL`, or “judges”.
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
    _Role(
        "judges",
        "Judge’s score",
        "Numbers that another model gave, such as a verdict or a probability. They can sort the items.",
        several=True,
    ),
    _Role("group", "Group", "Subject, topic or task of the item, for results by group."),
    _Role("choices", "Options", "The options of a multiple-choice item: a list, or one field each.", several=True),
    _Role(
        _MODEL,
        "Name of the model",
        "Where rows hold the answers of several models: the field that names the model of a row. Each becomes a target "
        "or stands in for the surrogate.",
        empty="one model",
    ),
)
_OF_TARGET = (
    _Role(_TEXT, "Target’s answer", "What the model under test answered."),
    _Role(
        _RIGHT,
        "Target’s score",
        "Whether that answer is right: 1 and 0, true and false, “correct” and “wrong”, or a share between 0 and 1.",
    ),
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


@dataclass(slots=True)
class Mapper:
    """The file that the mapper is open for, its first items, and the one of which the current pool was made."""

    file: MappedFile | None = None
    preview: tuple[tuple[str, int, str], Pool | NeymanError] | None = None
    used: MappedFile | None = None


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
        None if the mapper is open now.
    """
    maps = state.archive().maps.all()
    known = maps.get(shape.digest)
    start = known or _alike(maps.values(), shape)
    fields = shape.guess if start is None else start.named(shape.model)
    file = MappedFile(name, content, shape, fields, remembered=start is not None)
    if known is not None:
        try:
            pool = _read(file, fields)
        except NeymanError:
            # The mapper shows why.
            pool = None
        if pool is not None:
            session.held(Mapper).used = replace(file, digest=pool.digest)
            return pool
    session.held(Mapper).file = file
    return None


def _alike(maps: Iterable[FieldMap], shape: Shape) -> FieldMap | None:
    """Return the map that fits best a shape that differs in some fields, such as one that is empty in this file."""
    paths = {place.path for place in shape.places}
    fitting = [one for one in maps if len(paths.intersection(one.paths())) >= max(2, _MOST_OF * len({*one.paths()}))]
    best = max(fitting, key=lambda one: len(paths.intersection(one.paths())), default=None)
    return None if best is None else best.within(paths)


def open_file() -> MappedFile | None:
    """Return the file that the mapper is open for."""
    return session.held(Mapper).file


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
            state.archive().maps.save(file.shape.digest, fields.unnamed(file.shape.model), state.now())
        except NeymanError as error:
            show_error(error)
        else:
            close()
            session.held(Mapper).used = replace(file, fields=fields, digest=pool.digest, remembered=False)
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
    quarantine.prepare()
    return None


def change(pool: Pool) -> None:
    """Draw the way back to the mapper of the current pool; nothing for a pool that was not read by a map just now."""
    file = session.held(Mapper).used
    if file is None:
        return
    if file.digest != pool.digest:
        # Its bytes are not needed any more.
        session.held(Mapper).used = None
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        if file.remembered:
            st.markdown("Its shape is that of an earlier file, whose fields you chose.", width="content")
        st.button(
            "Change the fields", icon=":material/edit:", on_click=_reopen, help="Choose the fields of this file again."
        )


def _reopen() -> None:
    mapper = session.held(Mapper)
    mapper.file = mapper.used


def close() -> None:
    """Leave the mapper; for a callback too."""
    mapper = session.held(Mapper)
    mapper.file = mapper.preview = None


def _read(file: MappedFile, fields: FieldMap) -> Pool:
    with st.spinner("Reading the pool …", show_time=True):
        return quarantine.quarantine().mapped(file.content, fields, file.name, state.archive().folder)


def _preview(file: MappedFile, fields: FieldMap) -> Pool | NeymanError:
    """Return the first items, or why there are none; read once for the same choices."""
    key = (file.shape.digest, hash(file.content), json.dumps(fields.as_json()))
    mapper = session.held(Mapper)
    preview = mapper.preview
    if preview is None or preview[0] != key:
        try:
            folder = state.archive().folder
            result: Pool | NeymanError = quarantine.quarantine().mapped(
                file.content, fields, file.name, folder, _PREVIEWED
            )
        except NeymanError as error:
            result = error
        preview = mapper.preview = (key, result)
    return preview[1]


def _chosen(file: MappedFile) -> FieldMap:
    """Draw a box for each role, and return the map that they make."""
    places = {place.path: place for place in file.shape.places}
    start = {name: file.fields.parts(name) for name in file.fields.fields}
    start |= {"judges": file.fields.judges, _MODEL: (file.fields.model,)}
    # A file that is opened again begins with what was used last.
    version = f"{file.shape.digest[:12]}-{file.digest[:12]}"
    chosen: dict[str, tuple[str, ...]] = {}
    for first in range(0, len(_ROLES), _COLUMNS):
        for box, role in zip(st.columns(_COLUMNS), _ROLES[first : first + _COLUMNS], strict=False):
            with box:
                chosen[role.name] = _box(role, places, start.get(role.name, ()), f"map-{role.name}-{version}")
    fields: dict[str, Paths] = {
        name: paths if len(paths) > 1 else paths[0]
        for name, paths in chosen.items()
        if paths and name not in (_MODEL, "judges")
    }
    targets = _targets(file, places, version, one=bool(chosen[_MODEL]))
    return FieldMap(fields, targets, judges=chosen["judges"], model="".join(chosen[_MODEL]))


def _targets(file: MappedFile, places: Mapping[str, FieldPath], version: str, one: bool) -> dict[str, dict[str, str]]:
    """Draw the boxes of each target, and a button for one more; return the paths of each by its name.

    With ``one``, rows name their models, and the boxes are those of all.
    """
    start = [*file.fields.targets.items()] or [(file.shape.model, {})]
    count = f"map-targets-{version}"
    drawn = 1 if one else max(len(start), session.widget(count, 0))
    targets: dict[str, dict[str, str]] = {}
    for number in range(drawn):
        usual, outcome = start[number] if number < len(start) else (f"target {number + 1}", {})
        suffix = f"{number}-{version}"
        *boxes, last = st.columns(_COLUMNS)
        paths: dict[str, str] = {}
        for box, role in zip(boxes, _OF_TARGET, strict=True):
            with box:
                given = (outcome[role.name],) if role.name in outcome else ()
                paths.update((role.name, path) for path in _box(role, places, given, f"map-{role.name}-{suffix}"))
        if paths:
            name = usual
            if not one:
                name = last.text_input("Name of the target", usual, key=f"map-name-{suffix}").strip() or usual
            targets[name if name not in targets else f"{name} ({number + 1})"] = paths
    if not one:
        st.button("Add a target", icon=":material/add:", on_click=_draw_targets, args=(count, drawn + 1))
    return targets


def _draw_targets(key: str, count: int) -> None:
    session.show(key, count)


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


def _summary(preview: Pool) -> str:
    parts = [f"The first {counted(preview.n_items, 'item')}"]
    if preview.n_generations:
        parts.append(f"{counted(preview.n_generations, 'sample')} of the surrogate each")
    for name, target in preview.targets.items():
        outcome = f"{per_cent(target.accuracy())} right" if target.known() else "no outcome known"
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
        columns[f"{name}: score"] = [None if math.isnan(loss) else f"{1 - loss:g}" for loss in losses]
    return pd.DataFrame(columns | {str(name): items[name] for name in items})
