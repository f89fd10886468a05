"""The controls of a design, the same on every page that has them: every one is in the URL under its key."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from core.allocation import budget_options, default_budget, nearest
from core.answers import KINDS
from core.design import ALLOCATIONS, Design
from core.pool import Pool
from core.stratification import METHODS as STRATIFIERS
from core.stratification import Profile, Stratification
from core.words import METHOD_NAMES, STRATIFIER_NAMES
from pages.parts import state

_STRATIFIERS = STRATIFIER_NAMES | {"adaptive": f"{STRATIFIER_NAMES['adaptive']} (paper)"}
# Not None: a select box takes None in the session for "nothing chosen" and shows a placeholder.
_OWN_KIND = "own"
_LABEL_KINDS = {
    "gold": "The right answer",
    "right-wrong": "Right or wrong",
    "score": "A score, 0 to 1",
}


@dataclass(frozen=True, slots=True)
class Choice:
    """What the controls are set to; ``strata`` is the stratification they give."""

    stratifier: str
    n_strata: int
    offset: float
    budget: int
    strata: Stratification


def target(pool: Pool, always: bool = False) -> str | None:
    """The target model whose outcomes are explored; None where the pool has none.

    ``always``: it is in the address whichever it is, and the caller has set it in the session.
    """
    names = list(pool.targets)
    if not names:
        return None
    return st.selectbox(
        "Target model",
        names,
        None if always else 0,
        key="target",
        bind="query-params",
        required=always,
        help="The model under test. Its known outcomes are used only to show what the method would have gained.",
    )


def design(profile: Profile) -> Choice:
    """Stratifier, number of strata, offset and budget."""
    stratifier = named_option(
        "Stratifier",
        {name: _STRATIFIERS[name] for name in STRATIFIERS},
        "stratifier",
        help="How the items are cut into strata by their semantic entropy. Adaptive keeps the items on which "
        "all generations agree apart and cuts the others into equal parts.",
    )
    n_strata = st.slider("Strata H", 2, 10, 5, key="strata", bind="query-params", help="Number of strata asked for.")
    offset = st.slider(
        "Offset δ",
        0.0,
        5.0,
        0.75,
        0.05,
        key="offset",
        bind="query-params",
        help="Added to √(p(1−p)) in the allocation. Small: labels follow the surrogate’s disagreement. "
        "Large: labels follow the strata’s sizes.",
    )
    strata = profile.stratify(n_strata, stratifier)
    return Choice(stratifier, n_strata, offset, _budget(strata), strata)


def named_option(title: str, names: Mapping[str, str], key: str, index: int | None = 0, **more: Any) -> str:
    """A select box of named options. A link may give an option's own name, ``stratifier=k-means``, or what is shown."""
    own_name(key, names)
    return str(st.selectbox(title, list(names), index, key=key, format_func=names.get, bind="query-params", **more))


def own_name(key: str, names: Mapping[str, str]) -> None:
    """Where the address gives an option's own name, write what is shown; before the control is drawn."""
    given = st.query_params.get(key)
    if given in names and given not in names.values() and key not in st.session_state:
        # The control reads the address as it is written from now on.
        st.query_params[key] = names[given]
        st.rerun()


def allocation() -> str:
    """The allocation rule of the list to draw."""
    return named_option(
        "Allocation",
        {name: METHOD_NAMES[name] for name in ALLOCATIONS},
        "allocation",
        help="How the budget is shared among the strata. Uniform draws from the whole pool, without strata.",
    )


def _budget(strata: Stratification) -> int:
    """The budget, on round numbers from the number of strata to the whole pool, in steps of about equal ratio."""
    options = budget_options(strata.n_strata, strata.n_items)
    default = default_budget(strata.n_strata, strata.n_items)
    # An exact budget, from a link or typed on page Label, joins the round ones.
    wanted = st.session_state.get("budget", st.query_params.get("budget"))
    if wanted is not None and str(wanted).isdigit() and options[0] <= int(wanted) <= options[-1]:
        options = sorted({*options, int(wanted)})
    elif "budget" in st.session_state:
        # Fewer or more strata moved the lower end: the slider goes to the nearest budget.
        st.session_state["budget"] = nearest(options, int(st.session_state["budget"]))
    if len(options) == 1:
        return options[0]
    return st.select_slider(
        "Budget M (labels)",
        options,
        default,
        key="budget",
        bind="query-params",
        help="Number of items that will be labelled, from one in each stratum to the whole pool.",
    )


def answer_kind() -> str | None:
    """The parser of all items' generations; None = the pool's own."""
    chosen = named_option(
        "Answer kind",
        {_OWN_KIND: "The pool’s own"} | {name: name for name in KINDS},
        "parser",
        help="How a generation’s text becomes an answer. Equal answers are one meaning.",
    )
    kind = None if chosen == _OWN_KIND else chosen
    state.remember_kind(kind)
    return kind


def exact_budget(choice: Choice) -> None:
    """A field for a budget that is no round number; it sets the slider."""

    def use() -> None:
        st.session_state["budget"] = int(st.session_state["exact-budget"])

    low, high = choice.strata.n_strata, choice.strata.n_items
    if low < high:
        st.session_state["exact-budget"] = choice.budget
        st.number_input("Exact number of labels", low, high, key="exact-budget", on_change=use)


def adopt(design: Design, budget: int, asked: str) -> None:
    """Set page Label's controls to a design with another budget; for a callback, before they are drawn."""
    st.session_state.update(
        {
            "allocation": design.allocation,
            "stratifier": design.stratifier,
            "strata": design.n_strata,
            "offset": design.offset,
            "seed": design.seed,
            "budget": budget,
            "parser": design.parser or _OWN_KIND,
            "label-kind": asked,
            "part": "The list",
        }
    )


def address(design: Design, budget: int, asked: str, target: str | None = None) -> dict[str, str]:
    """Page Label's controls as parameters of its address, so that a reload keeps what `adopt` sets in the session.

    For the ``query_params`` of a page link or of ``st.switch_page``. What a session sets reaches the address only where
    the control was on the page in the run before, which is never so on the way from another page. ``st.switch_page``
    refuses names that belong to a control of the page that it leaves: where ``target`` is one, leave it out here, it
    comes along by itself. A control's default drops out of the address once it is drawn: call `adopt` as well, since
    an older value of the session would stand in its place.
    """
    found = {
        "allocation": METHOD_NAMES[design.allocation],
        "stratifier": _STRATIFIERS[design.stratifier],
        "strata": str(design.n_strata),
        "offset": f"{design.offset:g}",
        "seed": str(design.seed),
        "budget": str(budget),
        "label-kind": _LABEL_KINDS[asked],
    }
    if design.parser is not None:
        found["parser"] = design.parser
    return found if target is None else {**found, "target": target}


def label_kinds(score: str = _LABEL_KINDS["score"]) -> dict[str, str]:
    """What each kind of label is called; ``score``: what a score is called."""
    return _LABEL_KINDS | {"score": score}


def label_kind(key: str = "label-kind", score: str = _LABEL_KINDS["score"], always: bool = False) -> str:
    """What a label says; ``always``: as of `target`."""
    return named_option(
        "A label is",
        label_kinds(score),
        key,
        None if always else 0,
        required=always,
        help="Right answers are compared with the target’s; they can be used again for another target.",
    )


def simulate() -> bool:
    """Whether the Monte-Carlo check is drawn."""
    return st.toggle(
        "Monte Carlo check",
        True,
        key="simulate",
        bind="query-params",
        help="Points: the same designs simulated, ± 1 standard error. They should scatter about the exact lines.",
    )


def trials(options: tuple[int, ...]) -> int:
    """T, the number of simulated rounds of labelling."""
    return st.select_slider("Trials T", options, 3000, key="trials", bind="query-params")


def seed() -> int:
    """The seed of the draw."""
    return int(
        st.number_input("Seed", 0, 2**31 - 1, 0, key="seed", bind="query-params", help="Fixes which items are drawn.")
    )
