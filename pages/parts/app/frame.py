"""The frame that every page shares: page settings, links between the steps, the current pool."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, wraps
from pathlib import Path
from typing import NoReturn, ParamSpec
from urllib.parse import quote

import streamlit as st
from streamlit import runtime
from streamlit.delta_generator import DeltaGenerator

from core.errors import HomeError, LabelError, NeymanError, PoolError
from core.gates import gate_of
from core.pool import Pool
from core.words import console, counted, first_sentence
from pages.parts import downloads
from pages.parts.app import address, premises, progress, recovery, session, state, visitor
from pages.parts.label import unsaved, waiting
from pages.parts.markup import meanings, plain
from pages.parts.views.chart import draw
from pages.parts.widgets import controls
from pages.parts.widgets.control import Options

# Sections of the sidebar: what each is for, and its pages.
SECTIONS: dict[str, tuple[tuple[str, str, str], ...]] = {
    "**Evaluate** · How good is your model?": (
        ("app.py", "Overview", ":material/home:"),
        ("pages/pool.py", "Pool", ":material/database:"),
        ("pages/surrogate.py", "Surrogate", ":material/smart_toy:"),
        ("pages/explore.py", "Explore", ":material/query_stats:"),
        ("pages/plan.py", "Plan", ":material/calculate:"),
        ("pages/label.py", "Label", ":material/checklist:"),
        ("pages/estimate.py", "Estimate", ":material/analytics:"),
    ),
    "**Decide** · Ship it? Which one? Trust it?": (
        ("pages/versions.py", "Versions", ":material/difference:"),
        ("pages/models.py", "Models", ":material/emoji_events:"),
        ("pages/judge.py", "Judge", ":material/gavel:"),
    ),
    "**Study** · When does the method help?": (("pages/lab.py", "Lab", ":material/experiment:"),),
}
STEPS = tuple(step for steps in SECTIONS.values() for step in steps)
_SHOWN_PROBLEMS = 200
# Row and sentence stand beside each other on a phone: the sentence breaks in rows of this height.
_PROBLEM_HEIGHT, _SENTENCE = 84, st.column_config.TextColumn(width=270)
_PROBLEMS = {"row": st.column_config.NumberColumn(width=50), "what is wrong": _SENTENCE, "what to do": _SENTENCE}
# Pages that put the desk, or what stands in for it, in a place of their own.
_WITH_DESK = ("Label", "Estimate")
_STYLE = Path(__file__).with_name("page.css")
# Pages whose figures are of a whole pool; the list of a version gate is a selection, of which they would be wrong.
_OF_WHOLE_POOLS = ("Overview", "Plan", "Explore", "Models", "Judge", "Lab", "Estimate")
# The module of the server that keeps other sites out, and what is said where another server has started the pages.
_DOOR = "server.request_checks"
WITHOUT_DOOR = (
    "  Started by Streamlit itself, without Neyman’s door: pages at other ports of this machine can open sessions, and "
    "one of another site makes Streamlit ask an outside host for your address. “make run” or “neyman serve” starts the "
    "same pages behind the door.\n"
)
# Not an emoji: Streamlit would read its list of all of them before the first page.
_ICON = "data:image/svg+xml," + quote(Path(__file__).with_name("icon.svg").read_text(encoding="utf-8"))
# Icon and colour of a verdict.
_VERDICTS = {True: ("check_circle", "green"), False: ("cancel", "red"), None: ("pending", "orange")}
# Also one that `plain` has escaped.
_FULL_STOP = re.compile(r"\\?\.$")
_Given = ParamSpec("_Given")
# Streamlit closes the menu on a phone if something beside it is touched, but not if one of our links in it is.
_closer = st.components.v2.component(
    "neyman_closer",
    html="",
    js="""export default function () {
        document.querySelector('[data-testid="stSidebar"]').onclick = ({ target }) => {
            if (!target.closest('[data-testid="stPageLink-NavLink"]')) return;
            const page = document.querySelector('[data-testid="stMain"]');
            page.dispatchEvent(new MouseEvent("mousedown", { bubbles: true }));
        };
    }""",
)

chart = draw


@dataclass(slots=True)
class Failed:
    """The error of the last callback."""

    error: NeymanError | None = None


def frame(title: str, question: str = "", titled: bool = True, about: str = "") -> Pool:
    """Start a page: settings, sidebar, title; return the current pool.

    Parameters
    ----------
    title : str
        Of the page.
    question : str
        What the page answers.
    titled : bool
        Whether both stand above the page; a page that leaves them out has its own heading.
    about : str
        What the words mean that the page is about, for somebody who meets them here for the first time.

    Returns
    -------
    Pool
    """
    settings(title)
    downloads.outlast_runs()
    if visitor.links() is not None:
        st.info("Your link opens the list that you label, and nothing else.", icon=":material/lock:")
        st.stop()
    address.upgrade(title)
    if titled:
        st.title(f"{title}: {question}" if question else title)
        if about:
            st.caption(about)
    # In a separate place: what comes and goes above a page would have all below it made again in the browser.
    with st.container():
        begins = not session.tab().begun
        failures()
        try:
            current = state.pool()
            state.read_ahead(current)
        except NeymanError as error:
            # The way to the other pages stays.
            if not titled:
                st.title(title)
            _steps()
            _end(error)
        session.tab().begun = True
        state.pool_problems(title)
        address.note(title, current, begins)
        address.misread(title)
    if title not in _WITH_DESK:
        waiting.send()
    _steps()
    with st.sidebar:
        st.caption("Current pool")
        st.text(current.name)
        st.caption(_described(current))
        if notice := premises.here().notice:
            st.caption(notice)
    if title in (*_OF_WHOLE_POOLS, "Pool") and (gate := gate_of(current)) is not None:
        if not titled:
            st.title(title)
        st.info(plain(f"This pool is the list of a version gate. {gate.selection}"), icon=":material/difference:")
        versions = {controls.GATE_OLD.key: gate.old, controls.GATE_NEW.key: gate.new}
        step("pages/versions.py", "What this list decides", ":material/difference:", **versions)
        if title != "Pool":
            st.stop()
    return current


@cache
def say_door() -> None:
    """Say in the terminal, once, that nothing keeps other sites out if another server has started the pages."""
    if runtime.exists() and _DOOR not in sys.modules:
        console.emit(WITHOUT_DOOR)


def settings(title: str) -> None:
    """Name the page in its tab; draw it as wide as the window, in our style if the theme has no setting for it."""
    say_door()
    st.set_page_config(page_title=f"{title} · Neyman", page_icon=_ICON, layout="wide")
    st.html(_STYLE)
    progress.place()


def step(page: str, label: str, icon: str, **more: str) -> None:
    """Draw a link to another page that carries the URL's parameters along, and ``more``."""
    _link(page, label, icon, address.links(**more))


def next_step(page: str, label: str, icon: str, key: str = "next-step", **more: str) -> None:
    """Draw the way to the next step as a filled button, of which a page has one; its parameters as of a `step`."""
    if st.button(label, key=key, type="primary", icon=icon):
        st.switch_page(page, query_params=address.links(**more))


def _link(page: str, label: str, icon: str, parameters: session.Parameters) -> None:
    st.page_link(_page(page), label=label, icon=icon, query_params=parameters)


@cache
def _page(script: str) -> st.Page:
    """Name a page to a link, which looks for its script at every run otherwise."""
    return st.Page(script, default=script == STEPS[0][0])


def controls_and_figures(controls: int, figures: int) -> tuple[DeltaGenerator, DeltaGenerator]:
    """Draw two columns of these shares, the left one for controls; on a phone it is below the other one."""
    left, right = st.columns([controls, figures], gap="medium")
    return left.container(key="controls-column"), right


def finding(words: str, more: str = "") -> None:
    """Draw the sentence that a figure or a table shows, above it; ``more`` and its terms are behind a question mark.

    A headline has no full stop, whether its sentence had one or not.
    """
    st.markdown(f"## {_FULL_STOP.sub('', words)}", help="\n\n".join(filter(None, (more, meanings(words)))) or None)


def headline(words: str) -> None:
    """Draw the first sentence of a finding as the headline, and the rest as text below it."""
    first, rest = first_sentence(words)
    finding(first)
    if rest:
        st.markdown(rest, help=meanings(rest) or None)


def panel(title: str, key: str, icon: str, opened: bool = False) -> DeltaGenerator | None:
    """Draw a panel that stays open while controls change; None while it is closed, so that nothing is drawn in vain."""
    box = st.expander(title, opened, key=key, on_change="rerun", icon=f":material/{icon}:")
    return box if box.open else None


def verdict(word: str, is_good: bool | None, rest: str = "") -> None:
    """Draw a verdict as a word in its colour, None for undecided, and what it says beside it."""
    icon, colour = _VERDICTS[is_good]
    st.markdown(f":{colour}-badge[:material/{icon}: {word}] {rest[:1].upper()}{rest[1:]}".rstrip())


def tabs(control: Options[str], parts: Mapping[str, tuple[str, Callable[[], None]]]) -> None:
    """Draw the parts of a page as tabs, of which only the open one is made.

    Parameters
    ----------
    control : Options
        Which tab is open; at first the first part.
    parts : mapping
        For each option of the control that is there, what follows its name, and what draws the tab.
    """
    there = control.of({name: f"{control.names[name]}{count}" for name, (count, _) in parts.items()})
    for tab, (_, part) in zip(there.draw_tabs(), parts.values(), strict=True):
        if tab.open:
            with tab, errors():
                part()


def menu(title: str, key: str, icon: str) -> DeltaGenerator | None:
    """Draw a quiet button that opens a panel over the page; None while it is closed."""
    box = st.popover(title, key=key, on_change="rerun", type="tertiary", icon=f":material/{icon}:")
    return box if box.open else None


def possible(what: str) -> bool:
    """Whether something can be done where the app runs; say so if not. ``what``: such as "Running a model"."""
    refusal = premises.here().refusal(what)
    if refusal:
        st.info(refusal, icon=":material/public:")
    return not refusal


@contextmanager
def errors() -> Iterator[None]:
    """Show what the user can put right as a message, and end the page there."""
    try:
        yield
    except NeymanError as error:
        _end(error)


def fragment(body: Callable[_Given, None], run_every: str | None = None) -> Callable[_Given, None]:
    """Have a part of the page redrawn by itself, in which what the user can put right is a message (:func:`errors`).

    An error that leaves a fragment of Streamlit's is shown by Streamlit, whatever stands around the fragment.

    Parameters
    ----------
    body : callable
        Draws the part.
    run_every : str, optional
        How often it is redrawn without a click, such as "1s".

    Returns
    -------
    callable
        Draws the part, with the same arguments.
    """

    @wraps(body)
    def guarded(*args: _Given.args, **kwargs: _Given.kwargs) -> None:
        with errors():
            body(*args, **kwargs)

    drawn: Callable[_Given, None] = st.fragment(guarded, run_every=run_every)
    return drawn


def in_callback(callback: Callable[_Given, None]) -> Callable[_Given, None]:
    """Have a callback show what the user can put right in what is drawn next (:func:`failures`, :func:`failure`)."""

    @wraps(callback)
    def caught(*args: _Given.args, **kwargs: _Given.kwargs) -> None:
        try:
            callback(*args, **kwargs)
        except NeymanError as error:
            session.held(Failed).error = error

    return caught


def failures() -> None:
    """Show what went wrong in the last callback, in today's copy of the database, and what the database lacks."""
    with st.container():
        failure()
        tended = state.tended()
        if tended is None or visitor.links() is not None:
            return
        if tended.problem:
            st.warning(plain(tended.problem), icon=":material/backup:")
        if tended.setback is not None:
            recovery.offer_missing(tended.setback)


def failure() -> None:
    """Show what went wrong in the last callback; for a fragment that is drawn without its page."""
    failed = session.held(Failed)
    error, failed.error = failed.error, None
    if error is not None:
        show_error(error)


def show_error(error: NeymanError) -> None:
    """Show the error's sentence; if there are several problems their number, and each in a table below it."""
    several = isinstance(error, PoolError | LabelError) and len(error.problems) > 1
    sentence = str(error)
    if isinstance(error, PoolError) and several:
        sentence = f"There are {error.total:,} problems. Each row of the table is one."
    elif not (isinstance(error, PoolError) and error.problems[0].file):
        # The name of a file is left as it is.
        sentence = sentence[:1].upper() + sentence[1:]
    st.error(plain(sentence), icon=":material/error:")
    if isinstance(error, PoolError | LabelError) and several:
        problems = error.problems[:_SHOWN_PROBLEMS]
        if error.total > len(problems) or isinstance(error, LabelError):
            shown = "" if error.total == len(problems) else f", the first {len(problems)} shown"
            st.caption(f"{error.total:,} problems in all{shown}.")
        rows: list[dict[str, str | int | None]] = [
            {"row": p.row, "field": p.field or "", "what is wrong": p.message, "what to do": p.remedy} for p in problems
        ]
        if any(problem.file for problem in problems):
            rows = [{"file": p.file or "", **row} for p, row in zip(problems, rows, strict=True)]
        order = [name for name in rows[0] if any(row[name] for row in rows)]
        alt = "Every problem found in the file, with its row and field."
        height = _PROBLEM_HEIGHT
        st.dataframe(rows, hide_index=True, column_order=order, column_config=_PROBLEMS, row_height=height, alt=alt)


def need_generations(current: Pool, draw: Callable[[], None] | None = None) -> None:
    """End the page with the next steps if the pool has no generations; ``draw`` chooses the recommended design."""
    if current.n_generations:
        return
    st.info(
        "This pool has no generations (answers of a cheap model, the surrogate). So it is not known how much such "
        "answers disagree (semantic entropy), and the paper’s design has no groups of items (strata). Make them on "
        "page Surrogate, or draw the recommended design, which uses whatever else is known of the items.",
        icon=":material/info:",
    )
    step("pages/surrogate.py", "Run a surrogate", ":material/smart_toy:")
    title, icon = "Draw the recommended design", ":material/casino:"
    if draw is None:
        step("pages/label.py", title, icon, part="The list", design="recommended")
    else:
        st.button(title, key="draw-recommended", icon=icon, on_click=draw)
    step("pages/pool.py", "Choose another pool", ":material/database:")
    st.stop()


def _end(error: NeymanError) -> NoReturn:
    show_error(error)
    if isinstance(error, HomeError):
        unsaved.everything()
        if error.lost:
            recovery.offer()
    st.stop()


def _steps() -> None:
    with st.sidebar:
        # Bold, no heading: those of the page begin with its title.
        st.markdown("**Neyman**")
        st.caption("Label a few answers, chosen well, and know the accuracy of all.")
        parameters = address.links()
        for caption, steps in SECTIONS.items():
            st.caption(caption)
            for page, label, icon in steps:
                _link(page, label, icon, parameters)
        _closer(key="menu-closer")


def _described(current: Pool) -> str:
    parts = [counted(current.n_items, "item")]
    if current.n_generations:
        parts.append(f"{'' if current.complete else 'up to '}{counted(current.n_generations, 'answer')} each")
    parts.append(counted(len(current.targets), "model") if current.targets else "no model to test")
    return " · ".join(parts)
