"""The best of several models on page Models: its labels before and after, its lists and files."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Literal

import pandas as pd
import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from core.archive import Import
from core.contests import DECIDED, Best, Standing, best, in_words, keep, with_kept
from core.errors import HomeError, NeymanError
from core.figures import intervals
from core.labels import KINDS, LabelFile, statement, to_csv, unknown_words, words_of
from core.pool import Pool
from core.report import contest_html
from core.words import counted
from pages.parts import downloads
from pages.parts.app import address, frame, kept, quarantine, session, state
from pages.parts.app.frame import in_callback
from pages.parts.label.kept import UNTIL_THEN
from pages.parts.markup import plain
from pages.parts.models.controls import COMMAND, CONTEST_SEED, MODELS, NUMBERS, WAVES, WITHIN
from pages.parts.plan.controls import CHANCE
from pages.parts.views import verdicts
from pages.parts.widgets import controls
from pages.parts.widgets.control import panel

# Larger pools take long to plan for.
_MOST_ITEMS = 50_000
# Lists of which a rehearsal has the typical one.
_SEEDS = 9
_OWN = ":material/upload_file:"
# What the lists of a contest depend on.
_SETTINGS = (MODELS, WITHIN, WAVES, controls.CONFIDENCE, CHANCE, controls.PARSER, CONTEST_SEED)
_number, _text = st.column_config.NumberColumn, st.column_config.TextColumn
_COLUMNS = {
    "model": _text("Model", pinned=True),
    "value": _number("Less the leader’s accuracy, points", format="%+.1f"),
    "low": _number("from", format="%+.1f"),
    "high": _number("to", format="%+.1f"),
    "out_after_wave": None,
    "wave": _number("Wave of these numbers"),
    "state": _text("State"),
}


@dataclass(slots=True)
class FilledLists:
    """Filled lists that were read, by upload, and the uploads that were kept last."""

    files: dict[str, LabelFile] = field(default_factory=dict)
    kept: frozenset[str] = frozenset()


def section(known: Pool) -> dict[str, tuple[str, Callable[[], None]]]:
    """Draw the contest of a pool's models; return what of it is in tabs, as `frame.tabs` takes them."""
    names, parts = _there(known), dict[str, tuple[str, Callable[[], None]]]()
    if not names:
        return parts
    left, right = frame.controls_and_figures(3, 7)
    # What cannot be planned is said beside its controls; the tabs stay.
    try:
        with left:
            one = _ask(known, names)
        with right:
            standing = _answer(one)
    except NeymanError as error:
        with right:
            frame.show_error(error)
        return parts
    parts[COMMAND] = "", partial(_command, one)
    if standing.look is not None:
        parts[NUMBERS] = "", partial(_numbers, standing)
    return parts


def _there(known: Pool) -> tuple[str, ...]:
    """Name the models that can be compared; say what is missing if there are fewer than two, or too many items."""
    names = tuple(name for name, one in known.targets.items() if not one.is_silent)
    if len(names) < 2:
        has = "the answers of one model" if names else "no model’s answers"
        st.info(
            f"This pool has {has}. To find the best of several, add the file with the answers of the others to the "
            "same items.",
            icon=":material/info:",
        )
        frame.step("pages/pool.py", "Add the answers of another model", ":material/database:")
    elif known.n_items > _MOST_ITEMS:
        st.info(
            plain(
                f"This pool has {known.n_items:,} items. A page plans for up to {_MOST_ITEMS:,}; for more, use the "
                f"command line: neyman best {_file(known)}"
            ),
            icon=":material/terminal:",
        )
    else:
        return names
    if known.digest != state.published().digest:
        st.page_link(
            "pages/models.py",
            label="See it on MMLU-Pro: the best of twelve models",
            icon=":material/science:",
            query_params=address.parameters(state.published().digest),
        )
    return ()


def _ask(known: Pool, names: Sequence[str]) -> Best:
    """Draw the controls; return the contest that they ask for."""
    _recall(known)
    chosen = MODELS.draw(names, f"All ({len(names):,})")
    within, looks = WITHIN.draw() / 100, WAVES.draw()
    with panel("More inputs", "contest-inputs", icon=":material/tune:", width="stretch"):
        confidence, power = controls.CONFIDENCE.draw(), CHANCE.draw()
        parser = controls.parser()
        seed = CONTEST_SEED.draw("a typical one" if state.is_bundled(known) else "0")
    asked = tuple(name for name in names if chosen is None or name in chosen)
    one = planned(known, asked, within, confidence, power, looks, parser, int(seed or 0))
    if seed is None and state.is_bundled(known) and one.rehearsal:
        return kept.once("contests", (one, "typical"), lambda: one.typical(_SEEDS))
    return one


def planned(
    known: Pool,
    names: tuple[str, ...],
    within: float = WITHIN.default / 100,
    confidence: float = controls.CONFIDENCE.default,
    power: float = CHANCE.default,
    looks: int = WAVES.default,
    parser: str | None = None,
    seed: int = 0,
) -> Best:
    """Return a contest, planned once; parameters as of `core.contests.best`."""
    rule = (names, within, confidence, power, looks)
    make = partial(best, known, *rule, seed=seed, parser=parser)
    return kept.once("contests", (known.digest, *rule, parser, seed), make)


def _answer(one: Best) -> Standing:
    """Draw the finding, its figure, the next step, and the way for labels to come back."""
    head = st.container()
    standing = None if state.is_bundled(one.pool) else _returned(one)
    with head:
        if standing is None or not standing.studies:
            standing = kept.once("contests", (one, "start"), one.begin)
            _before(standing)
        else:
            _after(standing)
        _files(standing)
    return standing


def _numbers(standing: Standing) -> None:
    """Draw the numbers of the figure."""
    table = standing.table()
    shown = downloads.in_per_cent(table, ["value", "low", "high"])
    alt = "Each model’s distance to the leader with its limits, and the wave after which it was out."
    st.dataframe(shown, hide_index=True, column_config=_COLUMNS, alt=alt)
    downloads.csv("Numbers as CSV", lambda: downloads.as_csv(table), "neyman-best.csv")


def _command(one: Best) -> None:
    """Draw the command line that says the same, with its exit statuses."""
    st.code(one.command(_file(one.pool)), language="bash")
    st.caption(
        "Exit status 0: decided, 3: undecided, 2: something must be put right. Add `--labels` for each filled list, "
        "`--out` for the next list, `--markdown` for a summary, `--json` for a program."
    )


def _file(pool: Pool) -> str:
    return f"data/{state.PUBLISHED.name}" if pool.name == state.PUBLISHED_NAME else pool.name


def _before(start: Standing) -> None:
    """Draw how many labels it takes; of a rehearsal, the race that they would have decided."""
    one = start.best
    if one.rehearsal and not state.is_bundled(one.pool):
        frame.headline(plain(start.truth))
        st.markdown(plain(f"A rehearsal, since this pool knows every outcome. {one.sentence}"))
    else:
        frame.headline(plain(one.sentence))
    if one.rehearsal:
        _race(start)
        st.markdown(plain(start.truth))
    else:
        _items(one)
        st.markdown(plain(f"{one.favourite} {one.assurance}"))
    st.caption(plain(one.not_needed))


def _items(one: Best) -> None:
    """Draw on which items labels are needed."""
    size, n_items = one.size, one.contest.n_items
    alt = "Items by whether models give the same answer, and how many of the others are to be labelled."
    rest = size.differing - size.labels
    frame.chart(intervals.gate_items(n_items - size.differing, 0, size.labels, rest), "contest-items", alt, False)


def _after(standing: Standing) -> None:
    """Draw what the labels decide."""
    frame.headline(plain(standing.sentence))
    _race(standing)
    for said in filter(None, [standing.to_go or standing.best.not_needed, standing.truth]):
        st.markdown(plain(said))
    for remark in standing.remarks:
        st.warning(plain(remark), icon=":material/rule:")


def _race(standing: Standing) -> None:
    """Draw the verdict and the race, once a list is labelled."""
    if standing.look is None:
        _items(standing.best)
        return
    decided = standing.verdict == DECIDED
    said = standing.best.assurance
    if not standing.studies:
        said = f"{standing.sentence} {said}"
    frame.verdict(standing.verdict.capitalize(), True if decided else None, plain(said))
    alt = "Each model’s distance to the leader with its limits, and the wave after which it was out."
    table = standing.table()
    frame.chart(intervals.race(table, standing.best.contest.rule.within), "race", alt)


def _files(standing: Standing) -> None:
    """Draw the next list as the filled button, and the report."""
    one, wave = standing.best, standing.next_wave
    number, bundled = len(standing.course.waves), state.is_bundled(one.pool)
    look: Literal["primary", "secondary"] = "secondary" if bundled else "primary"
    if one.rehearsal and not standing.studies:
        # The first list, as it would be handed out.
        number, wave = 1, one.unlabelled().next_wave
    if wave is not None and not bundled:
        st.caption(f"Column “label”: {KINDS[one.kind].brief}.")
    with st.container(horizontal=True):
        if bundled and st.button("Use your models’ answers", key="own-models", type="primary", icon=_OWN):
            st.switch_page("pages/pool.py", query_params=address.links())
        if wave is not None:
            st.download_button(
                f"List of wave {number} as CSV",
                lambda: to_csv(one.request(wave)),
                f"neyman-best-wave-{number}.csv",
                "text/csv",
                on_click="ignore",
                icon=":material/download:",
                type=look,
            )
        if standing.look is not None:
            line = one.command(_file(one.pool))
            st.download_button(
                "Report as HTML",
                lambda: contest_html(standing, line),
                "neyman-best.html",
                "text/html",
                on_click="ignore",
                icon=":material/description:",
            )


def _returned(one: Best) -> Standing:
    """Draw the upload of filled lists; return what they and the kept labels decide."""
    given = st.file_uploader(
        "Filled lists (CSV, XLSX or JSON Lines), of one wave or of several",
        accept_multiple_files=True,
        key="contest-labels",
    )
    if not given:
        quarantine.prepare()
    files: list[LabelFile] = []
    try:
        files = [_with_words(one, file) for file in _read(given)]
        standing = with_kept(one, state.archive(), files)
    except NeymanError as error:
        frame.show_error(error)
        st.caption("Nothing that was kept has changed.")
        _ask_words(one, files)
        return with_kept(one, state.archive())
    if files:
        uploads = frozenset(session.held(FilledLists).files)
        if session.held(FilledLists).kept == uploads:
            st.caption(f"{counted(standing.n_labels, 'label')} kept.")
        else:
            labels = counted(standing.n_labels, "label")
            args = (standing, uploads)
            st.button(f"Keep {labels}", key="keep-contest", icon=":material/save:", on_click=_keep, args=args)
            st.caption(UNTIL_THEN)
    elif standing.studies:
        _undo(standing)
    return standing


def _read(given: Sequence[UploadedFile]) -> list[LabelFile]:
    """Return the labels of files; each is read once, and not again with every click beside it."""
    held, known = session.held(FilledLists), session.held(FilledLists).files
    for file in given:
        if file.file_id not in known:
            with st.spinner("Reading the labels"):
                known[file.file_id] = quarantine.quarantine().labels(file.getvalue(), file.name, state.archive().folder)
    held.files = {file.file_id: known[file.file_id] for file in given}
    return list(held.files.values())


def _with_words(one: Best, file: LabelFile) -> LabelFile:
    """Read a file's words as a person has said, which is shown."""
    read = in_words(one, file, state.archive().words.all())
    if known := words_of(read.rows):
        verdicts.read_as(statement(known), [word.word for word in known])
    return read


def _ask_words(one: Best, files: Sequence[LabelFile]) -> None:
    """Ask what words mean that nobody knows."""
    if not (KINDS[one.kind].verdicts and files):
        return
    unknown = unknown_words(pd.concat([file.rows for file in files]))
    if unknown:
        verdicts.ask(unknown, "These labels use", "No verdict")


@in_callback
def _keep(standing: Standing, uploads: frozenset[str]) -> None:
    """Keep the labels, and the settings that they belong to, which the page begins with from then on."""
    keep(standing, state.archive(), state.now())
    session.held(FilledLists).kept = uploads
    chosen = {one.key: given for one in _SETTINGS if (given := session.address().get(one.key))}
    # A home that is read-only says so itself.
    with suppress(HomeError):
        state.archive().preferences.save({_settings_of(standing.best.pool): json.dumps(chosen) if chosen else ""})


def _recall(known: Pool) -> None:
    """Begin with the settings of the labels that are kept, unless the address has some."""
    if not any(session.parameter(one.key) for one in _SETTINGS):
        # A text that somebody changed by hand is no reason to stop.
        with suppress(ValueError):
            session.write(json.loads(state.archive().preferences.all().get(_settings_of(known), "{}")))


def _settings_of(known: Pool) -> str:
    return f"models {state.shortened(known.items_digest)}"


def _undo(standing: Standing) -> None:
    """Say how many labels are kept, with the way back from the last import."""
    last = state.archive().labels.last_import(*(study.plan.plan_id for study in standing.studies))
    st.caption(
        f"Kept so far: labels on {counted(standing.n_labels, 'item')}. They belong to these settings: with others, "
        "lists have other items, and these labels wait here."
    )
    if last is not None:
        args = (last,)
        icon = ":material/undo:"
        st.button("Undo the last import", key="undo-contest", icon=icon, on_click=_take_back, args=args)


@in_callback
def _take_back(last: Import) -> None:
    state.archive().labels.undo_import(last)
    session.held(FilledLists).kept = frozenset()
