"""Addresses: what they choose, their version, which says what they leave out, and the links between pages."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from core.errors import HomeError
from core.pool import Pool, newest_first
from core.words import listed, shortened
from pages.parts import targets
from pages.parts.app import session, state
from pages.parts.app.session import Parameters
from pages.parts.markup import plain
from pages.parts.models.controls import TABS
from pages.parts.plan.controls import BELIEVED, NO_POOL, PLAN_FOR
from pages.parts.widgets import controls
from pages.parts.widgets.control import Control, Options
from pages.parts.widgets.controls import BUDGET, LABEL_KIND, NEW, NEW_NAME, PLAN, TARGET
from pages.parts.widgets.every import EVERY

# Raise it when a control's default changes, and give the control the earlier one (`Control.earlier`).
VERSION = 8
_KEY = "v"
# What sites that link here add: they say nothing of what is shown.
_OF_OTHERS = ("utm_", "__", "fbclid", "gclid", "msclkid")
# The stop of the guided demo, which a link to another page leaves.
TOUR = "tour"
# Controls whose page is another one now: the page that had them, and the script of today's.
_MOVED: tuple[tuple[Control[Any], str, str], ...] = (
    (controls.GATE_OLD, "Plan", "pages/versions.py"),
    (controls.GATE_NEW, "Plan", "pages/versions.py"),
    (TABS, "Versions", "pages/models.py"),
)
# An address without a pool meant the practice pool until version 4, and a new pool on page Plan until version 5.
_FIRST, _SEVERAL_BUDGETS, _PRACTICE, _NEW_POOL = 1, 3, 4, 5
_LONGEST = 40
# What page Plan began with until version 3, when its number of labels was separate from the budget.
_LABELS, _LABELS_THEN = "labels", "150"
# The kind of labels on page Estimate until version 3, which is that of page Label since.
_SAYS = "says"


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """The choices of an address, for every page alike.

    Parameters
    ----------
    pool : str
        FirstAddress of the pool's digest; "" is the pool that a bare address shows.
    target, parser, design : str or None
        The model under test, how answers are read, and which items are to be labelled; None is what a page begins with.
    budget : int or None
        Number of labels, on every page.
    kind : str or None
        What a label is.
    plan : str or None
        The list that labels were given to.
    seed : int or None
        Of a list that is to be drawn.
    others : Parameters
        All else, such as beliefs, prices and the figures of a page.
    """

    pool: str = ""
    target: str | None = None
    parser: str | None = None
    design: str | None = None
    budget: int | None = None
    kind: str | None = None
    plan: str | None = None
    seed: int | None = None
    others: Parameters = field(default_factory=dict)

    @classmethod
    def of(cls, address: Mapping[str, Sequence[str]]) -> Choices:
        """Read an address of this version."""
        values = {name: _read(control, address.get(control.key, ())) for name, control in _SHARED.items()}
        known = {"pool", _KEY, TOUR, *(control.key for control in _SHARED.values())}
        others = {name: list(given) for name, given in address.items() if name not in known}
        pool = address.get("pool") or ("",)
        return cls(pool=pool[-1], others=others, **values)

    def parameters(self) -> Parameters:
        """Write the address."""
        values = {control.key: getattr(self, name) for name, control in _SHARED.items()}
        given = {key: [str(value)] for key, value in values.items() if value is not None}
        return {_KEY: [str(VERSION)], **({"pool": [self.pool]} if self.pool else {}), **given, **self.others}

    def replace(self, **changes: Any) -> Choices:
        """Return these choices with others in their place; ``others`` replaces single parameters."""
        others = self.others | changes.pop("others", {})
        return dataclasses.replace(self, others=others, **changes)


# Fields of `Choices` that a control holds.
_SHARED: dict[str, Control[Any]] = {
    "target": TARGET,
    "parser": controls.PARSER,
    "design": controls.DESIGN,
    "budget": BUDGET,
    "kind": LABEL_KIND,
    "plan": PLAN,
    "seed": controls.SEED,
}


@dataclass(slots=True)
class FirstAddress:
    """The version of the address at which the session began, if that was one of page Label."""

    version: int = VERSION


def choices() -> Choices:
    """Return what the present address chooses."""
    return Choices.of(session.address())


def upgrade(title: str) -> None:
    """Bring the address to this version; before any control is drawn.

    If a session begins at an address of an earlier version, that version's defaults become explicit parameters, so that
    the link keeps its meaning. The first version wrote no version. An address without parameters, or with those alone
    that other sites add, is no link.
    """
    if not session.tab().begun:
        for control, page, script in _MOVED:
            if title == page and control.address and control.reads(control.address):
                st.switch_page(script, query_params=session.address())
    _keep()
    # Page Estimate names the others itself.
    named = {one.key for one in EVERY if one.noun} if title == "Estimate" else set[str]()
    unnamed = [one for one in EVERY if not one.noun and one.key not in named]
    _drop_misread(unnamed)
    version, changed = _version(), _renamed(title)
    if title == "Label" and not session.tab().begun:
        session.held(FirstAddress).version = version
    if not session.tab().begun and state.is_bare():
        if version <= _PRACTICE:
            changed["pool"] = state.shortened(state.practice().digest)
        elif not _is_link():
            changed |= _recalled()
            changed |= {} if "pool" in changed else BUDGET.parameter(state.PUBLISHED_BUDGET)
        if version <= _NEW_POOL and title == "Plan" and PLAN_FOR.address is None:
            changed[PLAN_FOR.key] = NO_POOL
    if not session.tab().begun:
        # A link names what it chooses, not always the tab that has it.
        tabs = {one.within for one in EVERY if one.within and one.address}
        changed |= {tab: part for tab, part in (one.split("=") for one in tabs) if session.parameter(tab) is None}
    if version < VERSION and not session.tab().begun:
        for control in EVERY:
            value = control.default_in(version)
            if value != control.default and control.address is None:
                changed |= control.parameter(value)
        if version <= _SEVERAL_BUDGETS and title == "Plan":
            changed |= {BUDGET.key: session.parameter(_LABELS) or _LABELS_THEN}
            # Without a range in the address, the outcomes of the pool decide now.
            changed |= {} if BELIEVED.address else {BELIEVED.key: BELIEVED.written(BELIEVED.default)}
    session.write(changed | {_KEY: str(VERSION)})
    _drop_misread(unnamed)


def _recalled() -> dict[str, str | Sequence[str] | None]:
    """Return what a visit begins with that chooses nothing: the prices of the last one, and its pool."""
    kept = state.archive().preferences.all()
    return {one.key: kept[one.key] for one in EVERY if one.kept and one.key in kept} | state.last_pool(kept)


def _keep() -> None:
    """Have the home keep the prices that were changed since the last run."""
    changed = session.held(session.ChangedPrices).keys
    if changed:
        # A home that is read-only says so itself.
        with suppress(HomeError):
            state.archive().preferences.save({key: session.parameter(key) or "" for key in changed})
        changed.clear()


def _renamed(title: str) -> dict[str, str | Sequence[str] | None]:
    """Return what other parameters said until version 3: labels and kinds of single pages, and plans as designs."""
    changed: dict[str, str | Sequence[str] | None] = {_LABELS: None, _SAYS: None}
    if title == "Plan" and (labels := session.parameter(_LABELS)):
        changed[BUDGET.key] = labels
    if title == "Estimate" and (says := session.parameter(_SAYS)):
        changed[LABEL_KIND.key] = says
    design = controls.DESIGN.address
    if design and not controls.DESIGN.offers(design):
        changed |= {controls.DESIGN.key: None, PLAN.key: design}
    return changed


def check_tab(control: Options[str]) -> None:
    """Take out of the address a tab that the page does not have, and note it (`misread`); before any is drawn."""
    _drop_misread([control])


@dataclass(slots=True)
class Misread:
    """A value of the address that no control can take: label, text and default of each, and the page that says so."""

    noted: list[tuple[str, str, str]] = field(default_factory=list)
    title: str = ""


def note(title: str, pool: Pool, begins: bool) -> None:
    """Note what the address asks of a pool that does not have it: a target, and as a session begins, a budget.

    Page Lab compares known outcomes, which a new model lacks. Page Estimate names what it does not offer itself.
    """
    if title == "Estimate":
        return
    noted = session.held(Misread).noted
    target, budget = TARGET.address, BUDGET.address
    if target and target not in pool.targets:
        names = newest_first(targets.known(pool).targets)
        new = {} if names and title == "Lab" else {NEW: NEW_NAME}
        wrong = TARGET.label, target, f"“{names[0]}”" if names else "no target"
        if not TARGET.of(new | {name: name for name in names}).offers(target) and wrong not in noted:
            noted.append(wrong)
    if begins and budget and title != "Plan" and BUDGET.reads(budget) and int(budget.replace(",", "")) > pool.n_items:
        noted.append((BUDGET.label, budget, ""))


def misread(title: str) -> None:
    """Say what the address gave that no control can take, for as long as this page is looked at."""
    held = session.held(Misread)
    if held.title not in ("", title):
        held.noted.clear()
        held.title = ""
    if not held.noted:
        return
    held.title = title
    given = listed([f"“{shortened(text, _LONGEST)}” for “{label}”" for label, text, _ in held.noted])
    one = len(held.noted) == 1
    used = "The default is used instead" if one else "The defaults are used instead"
    defaults = listed([default if one else f"{default} for “{label}”" for label, _, default in held.noted if default])
    used += f": {defaults}." if defaults else "."
    st.caption(plain(f"The address gives {given}, which cannot be used. {used}"))


def links(**more: str) -> Parameters:
    """Return the parameters of a link to another page: all choices, and in their place ``more``, by parameter."""
    carried = choices().parameters() | {name: [text] for name, text in more.items()}
    if controls.DESIGN.key in more:
        # A list that is drawn is of the design that it was drawn with.
        carried.pop(PLAN.key, None)
    return carried


def parameters(digest: str | None = None, **more: str) -> dict[str, str]:
    """Parameters of a link that carries no choices: the version, the pool with this digest, and ``more``."""
    pool = {} if digest is None else {"pool": state.shortened(digest)}
    return {_KEY: str(VERSION), **pool, **more}


def _read(control: Control[Any], given: Sequence[str]) -> Any:
    """Return the value that an address gives to a control, None if it leaves it out or nobody can read it."""
    if not given or not given[-1] or not control.reads(given[-1]):
        return None
    value = control.value_of(given)
    # Targets and plans are known to their pages alone.
    return given[-1] if value is None else value


def _drop_misread(some: Iterable[Control[Any]]) -> None:
    given = session.address()
    misread: dict[str, Control[Any]] = {}
    for one in some:
        if one.key in given and one.misread is not None:
            misread.setdefault(one.key, one)
    if misread:
        # A widget would fail at some of them.
        session.held(Misread).noted += [
            (one.label, str(one.misread), one.text(one.default) if one.default else "") for one in misread.values()
        ]
        session.write(dict.fromkeys(misread))


def _is_link() -> bool:
    """Return whether the present address chooses anything."""
    return not all(name.startswith(_OF_OTHERS) for name in session.address())


def _version() -> int:
    """Return the version of the present address; one that is not known counts as this one."""
    # The first version had no version gate.
    earliest = _is_link() and not {controls.GATE_OLD.key, controls.GATE_NEW.key} & session.address().keys()
    given = session.parameter(_KEY) or (str(_FIRST) if earliest else "")
    return next((version for version in range(_FIRST, VERSION) if given == str(version)), VERSION)
