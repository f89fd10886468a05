"""The plans of this pool of which labels are kept, and which of them is looked at."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import streamlit as st

from core.archive import Archive
from core.design import Design, families, manifest
from core.pool import Pool
from core.words import METHOD_NAMES, counted, shortened
from pages.parts import state
from pages.parts.estimate import kinds as estimate_kinds
from pages.parts.markup import plain

_SHOWN, _LONGEST = 6, 40
_PRESUMED = "presumed-plan"


@dataclass(frozen=True, slots=True)
class Kept:
    """A kept plan. ``family``: its id, then those of the same design with another budget, whose labels count too;
    ``labelled``: items with a label from any of them, at most those planned; ``newest``: time of the last label;
    ``of_pool``: drawn from this very pool, not from one with the same items and other generations or targets."""

    plan_id: str
    document: str
    design: Design
    family: tuple[str, ...]
    labelled: int
    newest: str
    of_pool: bool

    def name(self) -> str:
        """What it is called in the list: “p1a2b3… · labels for 64 of 70 · 5 strata, Proxy-Neyman · 20 Nov”."""
        done = f"labels for {self.labelled:,} of {self.design.budget:,}"
        return " · ".join((f"{self.plan_id[:_SHOWN]}…", done, _design(self.design), _day(self.newest)))


def kept(archive: Archive, pool: Pool) -> list[Kept]:
    """The plans of the pool whose family has labels, the newest first."""
    designs, counts = archive.designs(pool.items_digest), archive.label_counts().set_index("plan_id")
    documents = dict(zip(designs["plan_id"], designs["manifest"], strict=True))
    read = {name: _read(name, text) for name, text in documents.items()}
    of_pool = set(designs.loc[designs["digest"] == pool.digest, "plan_id"])
    totals: dict[frozenset[str], int] = {}
    found = []
    for name, family in families(list(read.values())).items():
        labelled = frozenset(one for one in family if one in counts.index)
        if not labelled:
            continue
        if labelled not in totals:
            one, *others = labelled
            totals[labelled] = archive.label_count(*labelled) if others else int(counts.at[one, "items"])
        design = read[name].design
        newest = max(str(counts.at[one, "newest"]) for one in labelled)
        items = min(totals[labelled], design.budget)
        found.append(Kept(name, str(documents[name]), design, family, items, newest, name in of_pool))
    order = {name: place for place, name in enumerate(documents)}
    return sorted(found, key=lambda plan: order[plan.plan_id])


def choose(plans: list[Kept], archive: Archive) -> Kept:
    """The plan that is looked at: the address's, or else the one with the most recent label of its own, if
    possible of this very pool.

    Either is in the address from then on. What this tab found by itself is found anew on the way back to the page.
    """
    known = {plan.plan_id: plan for plan in plans}
    labelled = [name for name in archive.label_counts()["plan_id"] if name in known]
    recent = next((name for name in labelled if known[name].of_pool), labelled[0])
    wanted = st.query_params.get("plan")
    if wanted is None or ("plan" not in st.session_state and wanted == st.session_state.get(_PRESUMED)):
        wanted = recent
        st.session_state[_PRESUMED] = recent
    names = list(known)
    # Not bound to the address: that would hold the name shown, which changes with every label.
    name = st.selectbox(
        "Plan",
        names,
        names.index(wanted if wanted in known else recent),
        key="plan",
        format_func=lambda one: known[one].name() if one in known else str(one),
        on_change=_note,
        help="Lists of this pool of which labels have come back. Plans that differ in the number of labels alone share "
        "their labels.",
    )
    if wanted not in known:
        unknown = plain(f"The address names plan “{shortened(wanted, _LONGEST)}”, of which no label is kept")
        st.caption(f"{unknown}: the plan with the newest label is shown.")
    elif st.query_params.get("plan") != name:
        st.query_params["plan"] = name
    return known[name]


def larger(archive: Archive, family: tuple[str, ...], own: int, budget: int) -> tuple[str, int] | None:
    """The kept plan of a family to go to from one of ``own`` labels for ``budget``, and its budget: the smallest that
    has as many, or else the largest there is; None where none is larger than one's own."""
    designs = archive.designs().set_index("plan_id")["manifest"]
    budgets = {name: _read(name, str(designs[name])).design.budget for name in family if name in designs}
    more = {name: size for name, size in budgets.items() if size > own}
    enough = {name: size for name, size in more.items() if size >= budget}
    if enough:
        return min(enough.items(), key=lambda one: one[1])
    return max(more.items(), key=lambda one: one[1], default=None)


def go_to(plan_id: str) -> None:
    """Look at another plan of the same family, whose labels are the same; for a callback."""
    st.session_state["plan"] = st.query_params["plan"] = plan_id
    st.session_state.pop(_PRESUMED, None)


@st.cache_resource(max_entries=2000, show_spinner=False)
def _read(plan_id: str, _document: str) -> manifest.Manifest:
    # A plan's id is a hash of its design: what was read under it once stays true.
    return manifest.read(_document)


def _note() -> None:
    """Write the choice to the address; what its labels say and judge is found out anew."""
    st.query_params["plan"] = st.session_state["plan"]
    for name in (_PRESUMED, "read-as"):
        st.session_state.pop(name, None)
    estimate_kinds.forget()


def _design(own: Design) -> str:
    """What tells a design from others, in few words; a seed only where it is not the usual one."""
    words = [METHOD_NAMES[own.scheme.allocation]]
    if own.scheme.allocation != "uniform":
        words.insert(0, counted(own.scheme.n_strata, "stratum", "strata"))
    return ", ".join([*words, f"seed {own.seed}"] if own.seed else words)


def _day(moment: str) -> str:
    found = datetime.fromisoformat(moment)
    year = "" if moment[:4] == state.now()[:4] else f" {found.year}"
    return f"{found.day} {found:%b}{year}"
