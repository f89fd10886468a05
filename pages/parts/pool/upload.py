"""The ways to a pool: files of one's own, those used before, and those that come with the app."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime

import streamlit as st
from streamlit.typing import UploadedFile

from core.errors import HomeError, NeymanError, PoolError
from core.pool import Pool, shown, with_targets
from core.readers import BENCHMARKS, FORMATS, READABLE, ModelResults, Shape
from core.words import UNKNOWN, counted
from pages.parts import downloads
from pages.parts.app import frame, premises, quarantine, session, state
from pages.parts.app.progress import Progress, reading
from pages.parts.markup import plain
from pages.parts.plan.controls import PLAN_FOR, THIS_POOL
from pages.parts.pool import details, mapping
from pages.parts.widgets import controls

LINES = """\
{"id": "q1", "prompt": "2+2?", "answer": "4", "generations": ["4", "4", "5"], \
"targets": {"gpt": {"answer": "4"}}, "judge": "pass"}
{"id": "q2", "prompt": "7×8?", "answer": "56", "generations": ["56", "54", "63"], \
"targets": {"gpt": {"answer": "54"}}, "judge": "fail"}
"""
COLUMNS = """\
id,prompt,answer,generation_1,generation_2,generation_3,gpt:answer,judge
q1,2+2?,4,4,4,5,4,pass
q2,7×8?,56,56,54,63,54,fail
"""


def section() -> None:
    """Draw the pools that come with the app and what goes into a file, folded away."""
    if (menu := frame.menu("Examples and format", "examples", "help")) is None:
        return
    with menu:
        with st.container(horizontal=True):
            st.button(
                state.PUBLISHED_NAME,
                icon=":material/public:",
                on_click=_use,
                args=(state.published, state.PUBLISHED_BUDGET),
                help=f"A real benchmark: Meta-Llama-3-70B on 12,032 questions from {state.PUBLISHED_BUDGET} answers, "
                "because eleven other models are known already. Facts only, without the questions’ texts.",
            )
            st.button(
                state.PRACTICE_NAME,
                icon=":material/edit_note:",
                on_click=_use,
                args=(state.practice,),
                help="3,000 short questions with the answers of two tiny models, to try labelling with.",
            )
        st.markdown(
            "One item a line. Only `id` is required; the more of the others you have, the fewer labels you need.\n\n"
            "| Column | |\n|---|---|\n"
            "| `id` | the item’s name, unique |\n"
            "| `prompt`, `choices`, `group` | what people read, and what kind of item it is |\n"
            "| `generations` | answers of a cheap model (the surrogate), some for each item |\n"
            "| `targets` | your model’s answer to each item, if it has run |\n"
            "| `loss` in `targets` (CSV: `gpt:loss`) | people’s verdict on that answer: 0 right, 1 wrong |\n"
            "| `answer` | the right answer, if you know it |\n"
            "| `judge` | pass or fail, as an automatic grader (a judge) decided |\n\n"
            "You have no `generations`? Page Surrogate makes them from the prompts. You have a log of an evaluation? "
            "Upload it as your tool wrote it. A table with other columns? Upload it, and say which is what."
        )
        st.caption("JSON Lines")
        st.code(LINES, language="json", wrap_lines=True)
        st.caption("The same as CSV")
        st.code(COLUMNS, language=None, wrap_lines=True)


@dataclass(slots=True)
class Uploader:
    """The state of the uploader: its version, files that were refused, one that cannot be read, and models' results."""

    version: int = 0
    refused: set[str] = field(default_factory=set)
    unreadable: tuple[str, NeymanError] | None = None
    results: tuple[str, ModelResults] | None = None
    wide: tuple[str, Pool] | None = None


def chooser(current: Pool) -> list[UploadedFile]:
    """Draw the uploader and what else may be chosen; return the files that are in the uploader."""
    files = st.file_uploader(
        "Upload a pool or evaluation logs",
        # Of any type: the browser would refuse one with a red sign alone, where the reader says what it is.
        accept_multiple_files=True,
        key=f"upload-{session.held(Uploader).version}",
        help=f"{READABLE}. A pool has one item a line or row. Logs are read as the tools write "
        f"them: {', '.join(known.name for known in FORMATS)}. Benchmarks are read as they are published: "
        f"{', '.join(known.title for known in BENCHMARKS)}. For any other file, including a workbook or a zip, "
        "you say which field is what. For a larger file, start the app with `make run POOL=/path/to/file`.",
    )
    if allowed := premises.here().upload:
        st.caption(allowed)
    _earlier(current)
    section()
    return files


def take(files: Sequence[UploadedFile], current: Pool) -> None:
    """Ask what must be known of new files, and make their pool the current one; say why if they cannot be read."""
    file = mapping.open_file()
    # One of several files is explained while all of them are in the uploader.
    here = (
        file is not None
        and file.together
        and file.content in [one.getvalue() for one in files if one.name == file.name]
    )
    if file is not None and files and not here:
        mapping.close()
    elif file is not None:
        pool = mapping.section(file, _cancel)
        if pool is not None and not files:
            state.choose(pool)
            _done(pool)
        elif pool is not None:
            st.rerun()
        st.stop()
    refused = session.held(Uploader).refused
    # A mended file takes the place of the one that was refused, which is still in the uploader.
    new = [file for file in files if file.file_id not in refused] or files
    if new:
        if not _take([(file.name, file.getvalue()) for file in new], current):
            refused.update(file.file_id for file in new if len(new) == 1)
    else:
        quarantine.prepare()


def _take(given: list[tuple[str, bytes]], current: Pool) -> bool:
    """Make the pool in the files the current one; return whether nothing was wrong with them."""
    files = dict(given)
    try:
        if len(files) < len(given):
            raise PoolError("Two of the files have the same name, which is taken for the model’s: rename one of them.")
        if len(files) > 1:
            _committee(files)
            return True
        result = _read(files)
        pool = mapping.begin(*given[0], result) if isinstance(result, Shape) else result
        if pool is None:
            _empty()
            st.rerun()
        if len(pool.targets) > state.MANY_MODELS:
            pool = _chosen_models(pool, _key(files))
        if pool is None:
            return True
        state.choose(pool)
    except NeymanError as error:
        frame.show_error(error)
        refused = f"“{given[0][0]}” is not used. " if len(given) == 1 else ""
        again = "" if isinstance(error, HomeError) else " Correct the file, and upload it again."
        st.caption(plain(f"{refused}The pool loaded before is still the current one: {current.name}.{again}"))
        if isinstance(error, HomeError):
            # The file is still in the uploader.
            st.button("Save again", key="save-pool-again", type="primary", icon=":material/save:")
        return isinstance(error, HomeError)
    _done(pool)
    return True


def _read(files: dict[str, bytes]) -> Pool | Shape:
    """The pool in the only file, or the shape of one that no reader recognizes.

    A file that could not be read is not read again as long as it stays in the uploader.
    """
    key = _key(files)
    uploader = session.held(Uploader)
    if uploader.unreadable is not None and uploader.unreadable[0] == key:
        raise uploader.unreadable[1]
    if uploader.wide is not None and uploader.wide[0] == key:
        return uploader.wide[1]
    name, content = next(iter(files.items()))
    try:
        with st.spinner("Reading the pool …", show_time=True), reading(content):
            return quarantine.quarantine().file(content, name, state.archive().folder)
    except HomeError:
        # That is not the file's fault.
        raise
    except NeymanError as error:
        uploader.unreadable = (key, error)
        raise


def _chosen_models(pool: Pool, key: str) -> Pool | None:
    """Ask which of very many models to keep; None until that is answered. The pool before stays the current one."""
    session.held(Uploader).wide = (key, pool)
    st.markdown(
        plain(
            f"{shown(pool.name)} has {len(pool.targets):,} models on {counted(pool.n_items, 'item')}. Fewer models "
            "make every page faster; past results need no more than a few dozen."
        )
    )
    names = st.multiselect("Models to keep", list(pool.targets), placeholder="All of them", key="models-to-keep")
    if not st.button("Use this table", key="use-table", type="primary", icon=":material/check:"):
        return None
    with st.spinner("Keeping the pool …", show_time=True):
        return with_targets(pool, names) if names else pool


def _committee(files: dict[str, bytes]) -> None:
    """Results of several models: which stand in for the surrogate, which are the targets."""
    try:
        results = _results(files)
    except PoolError as error:
        if _unknown(files, [str(problem.file) for problem in error.problems]):
            st.rerun()
        raise
    for note in results.remarks:
        st.caption(plain(note))
    details.account(results.account, differences=True)
    st.dataframe(
        downloads.in_per_cent(results.summary(), ["accuracy"]),
        hide_index=True,
        placeholder=UNKNOWN,
        column_config={"model": st.column_config.TextColumn(pinned=True), "accuracy": downloads.share("accuracy")},
        alt="The models of the uploaded results with their accuracy.",
    )
    if len(results.models) == 1 and max(results.samples) < 2:
        st.info(
            "One model alone never disagrees with itself: upload several models’ files together to have a committee.",
            icon=":material/info:",
        )
    split = results.default_split()
    committee = st.multiselect(
        "Surrogate committee",
        results.models,
        list(split.committee),
        key="committee",
        help="The samples of these models, one or more each, stand in for the k samples of one surrogate.",
    )
    free = [name for name in results.models if name not in committee]
    targets = st.multiselect("Target models", free, [t for t in split.targets if t in free], key="target-models")
    if not st.button("Build the pool", type="primary", icon=":material/merge:"):
        return
    with st.spinner("Building the pool …", show_time=True):
        pool = results.pool(committee, targets)
        state.choose(pool)
    _done(pool)


def _unknown(files: dict[str, bytes], refused: list[str]) -> bool:
    """Open the mapper for the first refused file of an unknown shape, if there is one; its choices hold for all."""
    for name in dict.fromkeys(refused):
        with suppress(NeymanError):
            shape = quarantine.quarantine().file(files[name], name, state.archive().folder) if name in files else None
            if isinstance(shape, Shape) and mapping.begin(name, files[name], shape, together=True) is None:
                return True
    return False


def _results(files: dict[str, bytes]) -> ModelResults:
    """The results, read once for as long as the same files stay in the uploader."""
    key = _key(files)
    uploader = session.held(Uploader)
    results = uploader.results
    if results is None or results[0] != key:
        folder, maps = state.archive().folder, mapping.with_words(state.archive().maps.all())
        with Progress("Reading the results", len(files), "files") as progress:
            results = (key, quarantine.quarantine().results(files, folder, progress, maps))
        uploader.results = results
    return results[1]


def _key(files: dict[str, bytes]) -> str:
    digest = hashlib.sha256()
    for name in sorted(files):
        digest.update(hashlib.sha256(name.encode()).digest() + hashlib.sha256(files[name]).digest())
    return digest.hexdigest()


def _done(pool: Pool) -> None:
    """Go on with the pool that was read."""
    _empty()
    _plan_for_it()
    st.toast(f"{pool.n_items:,} items read.", icon=":material/check:")
    st.rerun()


def _empty() -> None:
    """Empty the uploader, so that its bytes are freed and a reload does not read them again."""
    uploader = session.held(Uploader)
    uploader.version += 1
    uploader.results = uploader.wide = None
    uploader.refused.clear()


def _cancel() -> None:
    """Leave the mapper and its files; for a callback."""
    mapping.close()
    _empty()


def _plan_for_it() -> None:
    """Have page Plan begin with the pool that was just chosen."""
    PLAN_FOR.set(THIS_POOL)


def _use(bundled: Callable[[], Pool], labels: int | None = None) -> None:
    """Make a bundled pool the current one, and with ``labels`` that many its budget; for a callback."""
    mapping.close()
    state.choose(bundled(), keep=False)
    if labels is not None:
        controls.BUDGET.set(labels)


def _earlier(current: Pool) -> None:
    pools = state.archive().pools.listed()
    others = pools[pools["digest"] != current.digest]
    if others.empty:
        return
    rows = others[["digest", "name", "created"]].astype(str).to_numpy().tolist()
    names = {digest: f"{name} · {_day(created)} ({digest[:8]})" for digest, name, created in rows}
    chosen = st.selectbox("Pools used before", list(names), format_func=names.__getitem__, index=None)
    if chosen:
        mapping.close()
        try:
            state.choose(state.by_digest(chosen), keep=False)
        except NeymanError:
            # The next run says why it cannot be had.
            session.write({"pool": state.shortened(chosen)})
        _plan_for_it()
        st.rerun()


def _day(moment: str) -> str:
    date = datetime.fromisoformat(moment)
    return f"{date.day} {date:%b %Y}"
