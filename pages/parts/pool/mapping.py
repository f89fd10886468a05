"""The mapper: which field of a file that no reader recognizes is the id, the prompt or the samples."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd
import streamlit as st

from core.errors import NeymanError, PoolError
from core.judge import named_judge
from core.labels import Word, statement
from core.pool import Pool
from core.readers import RIGHT, TEXT, Doubt, FieldMap, FolderPool, Shape, shape_of, table_of
from core.words import UNKNOWN, counted, per_cent
from pages.parts.app import quarantine, session, state
from pages.parts.app.frame import show_error
from pages.parts.app.progress import reading
from pages.parts.markup import plain
from pages.parts.pool.fields import OF_MODELS, MappedFile, chosen, has, label_of
from pages.parts.views import verdicts

_PREVIEWED = 10
_WHOSE = {"answer": "They are the right answers", TEXT: "They are a model’s answers"}
_WIDE, _WIDTH = ("prompt", "choices", "samples"), 240

_NOT_IN_POOL = "Columns of the file that were not read are not in the pool. To choose them, upload the file again."
# A number from 0 to 1.
_SHARE = re.compile(r"0(\.[0-9]+)?|1")


@dataclass(slots=True)
class Mapper:
    """The file that the mapper is open for, its first items, and the one of which the current pool was made."""

    file: MappedFile | None = None
    preview: tuple[tuple[str, int, str], Pool | NeymanError] | None = None
    used: MappedFile | None = None


def begin(name: str, content: bytes, shape: Shape, together: bool = False) -> Pool | None:
    """Read a file by the map for its shape; if none is kept, open the mapper with the guess.

    Parameters
    ----------
    name, content : str, bytes
        The file.
    shape : Shape
        Its shape.
    together : bool
        Whether others were given with it.

    Returns
    -------
    Pool or None
        None if the mapper is open now.
    """
    maps = state.archive().maps
    known = maps.all().get(shape.digest)
    similar = None if known is not None else maps.similar(shape.names)
    start = known if similar is None else similar.within({place.path for place in shape.places})
    fields = _with_words(shape.guess if start is None else start.named(shape.model))
    file = MappedFile(name, content, shape, fields, remembered=known is not None, together=together)
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


def open_file() -> MappedFile | None:
    """Return the file that the mapper is open for."""
    return session.held(Mapper).file


def section(file: MappedFile, cancel: Callable[[], None]) -> Pool | None:
    """Draw the mapper; return the pool when “Use this file” was clicked and the file could be read.

    Parameters
    ----------
    file : MappedFile
        The file that it is open for.
    cancel : callable
        Leaves the mapper and what was given; a callback.
    """
    st.header("Which field is what?")
    if file.is_of_pool:
        st.info(_NOT_IN_POOL, icon=":material/upload_file:")
    known = "" if file.is_of_pool else " is not in a format that Neyman knows"
    st.markdown(
        f"**{plain(file.name)}**{known}: say which of its fields is what. "
        + _begun_with(file)
        + " Check the preview, correct what is wrong, then use the file."
        + (" Other files with the same fields are read alike." if file.together else "")
    )
    above = st.container()
    understood = isinstance(_preview(file, file.fields), Pool)
    fields = _with_words(chosen(file, opened=not understood))
    preview = _preview(file, fields)
    with above:
        _warn(file, fields)
    if others := file.shape.not_used(fields):
        st.caption(plain(others))
    with st.container(horizontal=True):
        usable = isinstance(preview, Pool) and not fields.is_empty
        use = st.button("Use this file", type="primary", icon=":material/check:", disabled=not usable)
        st.button("Cancel", on_click=cancel)
    if use:
        try:
            pool = _read(file, fields)
            if not file.is_of_pool:
                kept = fields.unnamed(file.shape.model)
                state.archive().maps.save(file.shape.digest, kept, state.now(), file.shape.names)
        except NeymanError as error:
            show_error(error)
        else:
            close()
            session.held(Mapper).used = replace(file, fields=fields, digest=pool.digest, remembered=False)
            return pool
    if isinstance(preview, Pool):
        st.markdown(f"**{plain(_summary(preview))}**")
        for note in preview.notes:
            st.markdown(plain(note))
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
    _ask(file, fields, preview)
    quarantine.prepare()
    return None


def with_words(maps: Mapping[str, FieldMap]) -> dict[str, FieldMap]:
    """Add to maps, by their shapes, what words mean as the home knows them; 0, 1 and what is between are scores."""
    said = state.archive().words.all()
    words = {word: meaning for word, meaning in said.items() if not _SHARE.fullmatch(word)}
    return {shape: replace(fields, words=words) for shape, fields in maps.items()}


def _with_words(fields: FieldMap) -> FieldMap:
    return with_words({"": fields})[""]


def _ask(file: MappedFile, fields: FieldMap, preview: Pool | NeymanError) -> None:
    """Ask for words in a score that nobody knows; show those that somebody gave a meaning if a score has words."""
    problems = preview.problems if isinstance(preview, PoolError) else ()
    unknown = dict.fromkeys(word for problem in problems for word in problem.words)
    if unknown:
        score = file.name if len(problems) > 1 else f"“{problems[0].field}”"
        verdicts.ask([Word(word, 0, None) for word in unknown], f"{score} uses", "Left open")
    scores = {path for target in fields.targets.values() for name, path in target.items() if name != TEXT}
    in_words = [
        one.path
        for one in file.shape.places
        if one.path in scores.union(fields.numeric_judges) and not (one.is_numeric or one.right)
    ]
    if in_words and fields.words:
        known = tuple(Word(word, 0, meaning) for word, meaning in fields.words.items())
        verdicts.read_as(statement(known, "left open"), fields.words)


def _begun_with(file: MappedFile) -> str:
    """Say what the boxes begin with."""
    if file.is_of_pool:
        return "The boxes show how it was read."
    if file.remembered or file.digest or file.turn:
        return "These are your last choices."
    same = replace(file.fields, words={}) == file.shape.guess
    return "We filled in a guess." if same else "We filled in what you chose for a similar file."


def _warn(file: MappedFile, fields: FieldMap) -> None:
    """Say which fields are open because two paths have their name, what 1 may mean, and what is missing."""
    for doubt in file.shape.doubts:
        chosen_fields = [doubt.field] if has(fields, doubt.field) else []
        if not doubt.is_settled(chosen_fields, fields.paths()):
            choose = f"Choose one, or several as “{OF_MODELS.label}”." if doubt.field == TEXT else "Choose one."
            said = doubt.sentence if doubt.is_optional else f"{label_of(doubt.field)}: {doubt.sentence} {choose}"
            st.warning(plain(said), icon=":material/help:")
            if doubt.is_of_answers:
                with st.container(horizontal=True):
                    for field, title in _WHOSE.items():
                        st.button(title, key=f"whose-{field}", on_click=_take, args=(file, fields, doubt, field))
            if doubt.field == TEXT and len(doubt.candidates) > 1:
                with st.container(horizontal=True):
                    for meaning, what in ((TEXT, "answers"), (RIGHT, "verdicts")):
                        title, given = f"All of them are {what}", (file, fields, doubt, meaning)
                        st.button(title, key=f"all-{meaning}", on_click=_take_all, args=given)
    for warning in filter(None, (fields.lacks, *file.shape.remarks(fields))):
        st.warning(plain(warning), icon=":material/warning:")


def _take(file: MappedFile, fields: FieldMap, doubt: Doubt, field: str) -> None:
    """Take the path of a doubt for right answers, or for those of the target."""
    path = doubt.candidates[0].path
    taken = replace(fields, fields={**fields.fields, field: path})
    if field == TEXT:
        name = next(iter(fields.targets), file.shape.model)
        taken = replace(fields, targets={**fields.targets, name: {**fields.targets.get(name, {}), TEXT: path}})
    session.held(Mapper).file = replace(file, fields=taken, turn=file.turn + 1)


def _take_all(file: MappedFile, fields: FieldMap, doubt: Doubt, meaning: str) -> None:
    paths = [candidate.path for candidate in doubt.candidates]
    taken = replace(fields, targets={path: {meaning: path} for path in paths})
    session.held(Mapper).file = replace(file, fields=taken, turn=file.turn + 1)


def is_remembered(pool: Pool) -> bool:
    """Whether a pool was read with the fields that somebody chose for an earlier file."""
    mapper = session.held(Mapper)
    if mapper.used is not None and mapper.used.digest != pool.digest:
        # Its bytes are not needed any more.
        mapper.used = None
    return mapper.used is not None and mapper.used.remembered


def left_out(pool: Pool) -> None:
    """Say which columns of a file the fields chosen for an earlier one leave out, beside the way to choose again."""
    used = session.held(Mapper).used
    if used is not None and is_remembered(pool) and (others := used.shape.not_used(used.fields)):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.warning(plain(f"{others} You chose so for an earlier file."), icon=":material/warning:", width="stretch")
            change(pool, "change-left-out")


def change(pool: Pool, key: str = "change-fields") -> None:
    """Draw the way to the mapper of the current pool; nothing for one that comes with the app or is too large."""
    mapper = session.held(Mapper)
    if mapper.used is None and (isinstance(pool, FolderPool) or state.is_bundled(pool)):
        return
    if st.button("Change the fields", icon=":material/edit:", help="Choose the fields of this file again.", key=key):
        mapper.file = mapper.used or _of_pool(pool)
        st.rerun()


def _of_pool(pool: Pool) -> MappedFile:
    """Return a pool as a file whose fields may be chosen again."""
    content = table_of(pool)
    shape = shape_of(content, pool)
    return MappedFile(pool.name, content, shape, shape.guess, is_of_pool=True)


def close() -> None:
    """Leave the mapper; for a callback too."""
    mapper = session.held(Mapper)
    mapper.file = mapper.preview = None


def _read(file: MappedFile, fields: FieldMap) -> Pool:
    with st.spinner("Reading the pool …", show_time=True), reading(file.content):
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


def _summary(preview: Pool) -> str:
    parts = [f"A preview of {counted(preview.n_items, 'item')}"]
    if preview.n_generations:
        parts.append(f"{counted(preview.n_generations, 'sample')} of the surrogate each")
    for name, target in preview.targets.items():
        known = target.known()
        outcome = f"{counted(known, 'outcome') if known else 'no outcome'} known"
        accuracy = target.accuracy()
        if known == preview.n_items and not math.isnan(accuracy):
            outcome = f"{per_cent(accuracy)} right"
        parts.append(f"{name}: {outcome}")
    if (judge := named_judge(preview)) is not None:
        parts.append(f"“{judge}” is the judge")
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
