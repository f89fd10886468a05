"""The recommended design on a page: its controls, what speaks for it, and its errors, cached."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from core.archive import Archive
from core.design import Design, Scheme, fine, pool_profile, pool_signal, recommend
from core.memo import BoundedCache
from core.planning import gate_scheme
from core.pool import Pool
from core.prospect import ELSEWHERE
from core.signals import SIGNALS, past_models
from core.simulation import exact_mse, monte_carlo
from core.stratification import Outcome, Profile, Stratification, outcome
from core.study import Pilot, pilot
from core.words import counted, per_cent
from pages.parts import calls, knowledge
from pages.parts.app import frame, state
from pages.parts.app.progress import Progress
from pages.parts.knowledge import Basis
from pages.parts.markup import plain
from pages.parts.widgets import controls

_KEPT_ERRORS, _KEPT_STRATA, _KEPT_LABELS = 4096, 8, 64


@dataclass(frozen=True, slots=True)
class Recommendation:
    """A recommended design for every budget.

    Parameters
    ----------
    digest : str
        Of the pool.
    basis : Basis
        What it rests on.
    whole : Design
        Of the budget N; `design` gives that of another one.
    best : str
        The signal that is recommended, also where another one is chosen.
    profile : Profile
        Of the pool.
    how : str
        How the signal was made; "" where there is nothing to say.
    """

    digest: str
    basis: Basis
    whole: Design
    best: str
    profile: Profile
    how: str

    @property
    def signal(self) -> str:
        """What the items are sorted by, in words."""
        if self.basis.signal == ELSEWHERE:
            return "the risk that your other pools predict"
        scheme = self.whole.scheme
        return plain(scheme.sorted_by)

    @property
    def method(self) -> str:
        """What tables and figures call the design."""
        return "gate" if self.basis.gate else "recommended"

    @property
    def uniform(self) -> bool:
        """Whether nothing is known, so that items are drawn uniformly."""
        return self.whole.scheme.uniform

    def least(self, known: Outcome | None = None) -> int:
        """Return the fewest labels that it allows; ``known``: as in `scheme`."""
        size = (self.profile if known is None else known.profile).signal.size
        return self.strata(size, known).n_strata if self.basis.gate else min(2, size)

    def scheme(self, budget: int, known: Outcome | None = None) -> Scheme:
        """Return the scheme of a budget; ``known``: of the items with a known outcome instead of the pool."""
        if self.basis.gate:
            return gate_scheme(self.whole.scheme)
        return fine(self.whole.scheme, budget, (self.profile if known is None else known.profile).signal.size)

    def design(self, budget: int, seed: int) -> Design:
        """Return the design of a budget."""
        return replace(self.whole, budget=budget, scheme=self.scheme(budget), seed=seed)

    def strata(self, budget: int, known: Outcome | None = None) -> Stratification:
        """Return the strata of a budget, of the items with a known outcome where there are some."""
        scheme, profile = self.scheme(budget, known), self.profile if known is None else known.profile
        return _strata().once((self.digest, self.basis, scheme, known is None), lambda: scheme.stratify(profile))

    def labels(self, budget: int, known: Outcome | None = None) -> NDArray[np.int64]:
        """Return the labels of each stratum, (H,)."""
        scheme = self.scheme(budget, known)
        key = (self.digest, self.basis, scheme, budget, known is None)
        return _labels().once(key, lambda: scheme.allocate(self.strata(budget, known), budget))

    def outcome(self, pool: Pool) -> Outcome | None:
        """Return the target's outcome on the profile; None where no item's loss is known."""
        return None if self.basis.target is None else _outcome(self.digest, self.basis, pool, self.profile)

    def errors(self, known: Outcome, budgets: list[int]) -> NDArray[np.float64]:
        """Return the exact squared errors at budgets, each with its own strata, (B,)."""
        store = _errors()
        keys = {budget: (self.digest, self.basis, budget) for budget in budgets}
        errors = {budget: error for budget, key in keys.items() if (error := store.get(key)) is not None}
        missing = [budget for budget in budgets if budget not in errors]
        with Progress("Computing exact errors", len(missing), "budgets") as progress:
            for number, budget in enumerate(missing, 1):
                stratum = known.profile.stratum(self.strata(budget, known))
                error = exact_mse(known.losses, stratum, self.labels(budget, known))
                errors[budget] = store.put(keys[budget], error)
                progress(number / len(missing))
        return np.array([errors[budget] for budget in budgets])

    def simulated(self, known: Outcome, budgets: list[int], trials: int) -> pd.DataFrame:
        """Return the squared errors of simulated rounds of labelling at budgets, with their standard errors."""
        store, mean = _simulations(), known.moments.mean
        keys = {budget: (self.digest, self.basis, budget, trials) for budget in budgets}
        errors = {budget: error for budget, key in keys.items() if (error := store.get(key)) is not None}
        missing = [budget for budget in budgets if budget not in errors]
        with Progress("Simulating rounds of labelling", len(missing) * trials, "rounds") as progress:
            for number, budget in enumerate(missing):

                def report(share: float, before: int = number) -> None:
                    progress((before + share) / len(missing))

                stratum = known.profile.stratum(self.strata(budget, known))
                values = monte_carlo(known.losses, stratum, self.labels(budget, known), trials, progress=report)
                squared = (values - mean) ** 2
                standard_error = float(squared.std(ddof=1)) / math.sqrt(trials)
                errors[budget] = store.put(keys[budget], (float(squared.mean()), standard_error))
                report(1)
        rows = [(budget, *errors[budget], trials) for budget in budgets]
        return pd.DataFrame(rows, columns=["budget", "mse", "standard_error", "trials"])


def best(pool: Pool, target: str | None, kind: str | None) -> Recommendation:
    """Return the recommendation that rests on all that is known."""
    return _recommendation(pool, Basis(target=target, parser=kind))


def choose(pool: Pool, target: str | None, kind: str | None, gate: bool = False) -> Recommendation:
    """Draw why this design is recommended and what it may rest on instead; return it.

    ``gate``: as in `Basis`.

    Raises
    ------
    DesignError, PoolError
        What was chosen cannot be used, such as a column that is empty.
    """
    why = st.container()
    known, others = knowledge.known(pool, target, kind), knowledge.others(pool)
    names = {name: SIGNALS[name].title for name in known.signals}
    if others and any(name in known.signals for name in ("past-results", "agreement", "semantic-entropy")):
        names[ELSEWHERE] = "Your other pools"
    chosen = controls.SIGNAL.with_more(names).draw() if names else controls.BEST
    column = controls.COLUMN.of({name: name for name in known.columns}).draw() if chosen == "column" else None
    past = accuracy = None
    if known.past and chosen in (controls.BEST, "past-results", ELSEWHERE):
        past = controls.PAST.draw(known.past, f"All ({len(known.past):,})")
        accuracy = controls.ACCURACY.draw("Not known")
        if target is not None:
            _from_labels(pool, target)
    signal_name = None if chosen == controls.BEST else str(chosen)
    basis = Basis(signal_name, target, past, accuracy, column, kind, others if chosen == ELSEWHERE else (), gate)
    recommendation = _recommendation(pool, basis)
    with why:
        _say(recommendation)
    return recommendation


def nothing_known() -> None:
    """Say that nothing is known of the items, with the next step."""
    st.info(
        "Nothing is known of these items beforehand: the pool has no generations, no results of other models and no "
        "groups. Items are drawn uniformly. Any of these makes the same labels worth more.",
        icon=":material/info:",
    )
    frame.step("pages/pool.py", "Choose another pool", ":material/database:")


def _say(recommendation: Recommendation) -> None:
    """Why this design, or that nothing speaks for the signal that was chosen instead."""
    if recommendation.uniform:
        return
    if recommendation.basis.gate:
        st.caption(
            "Three strata, labelled in turn: check after every label, and stop as soon as page Estimate says “ship” or "
            "“hold”. To measure the accuracy itself, “Recommended” is more precise."
        )
    how = recommendation.how
    sorted_by = f"Items are sorted by {how[0].lower()}{how[1:]}" if how else ""
    st.caption(plain(f"{recommendation.whole.why} {sorted_by}".strip()))
    if recommendation.basis.signal not in (None, recommendation.best):
        st.caption(
            f":material/info: Recommended here: {SIGNALS[recommendation.best].noun}. “What each signal is worth” on "
            f"Explore compares it with {recommendation.signal}."
        )


def _from_labels(pool: Pool, target: str) -> None:
    """Offer what earlier labels say of the target's accuracy as the belief."""
    archive = state.archive()
    labels = tuple(archive.labels.counts().itertuples(index=False, name=None))
    earlier = _pilot(str(archive.folder), pool.digest, target, labels, pool) if labels else None
    if earlier is None:
        return
    believed = round(100 * earlier.accuracy, 1)

    def use() -> None:
        st.session_state[controls.ACCURACY.key] = believed
        # A new draw: with the old seed, the list would depend on the outcomes of its own items.
        st.session_state[controls.SEED.key] = None

    text = f"From your {counted(earlier.n_labels, 'earlier label')}: {per_cent(earlier.accuracy)}"
    if st.session_state.get(controls.ACCURACY.key) != believed:
        st.button(text, key="from-labels", on_click=use, icon=":material/history:", width="stretch")


@st.cache_data(max_entries=24, show_spinner=False)
def _pilot(folder: str, digest: str, target: str, labels: tuple[tuple[Any, ...], ...], _pool: Pool) -> Pilot | None:
    return pilot(Archive(folder), _pool, target)


def _recommendation(pool: Pool, basis: Basis) -> Recommendation:
    if pool.n_generations:
        # Here, where a progress bar can move; the pool keeps what it read.
        calls.pool_profile(pool, basis.parser)
    return replace(_recommended(pool.digest, replace(basis, gate=False), pool), basis=basis)


@st.cache_resource(max_entries=6, show_spinner="Sorting the items by what is known …")
def _recommended(digest: str, basis: Basis, _pool: Pool) -> Recommendation:
    size = _pool.n_items
    design = recommend(_pool, size, basis.target, basis.past, accuracy=basis.accuracy, parser=basis.parser)
    name = design.scheme.signal
    if basis.signal == ELSEWHERE:
        elsewhere = knowledge.learned(_pool, basis)
        design = recommend(
            _pool, size, basis.target, basis.past, accuracy=basis.accuracy, risk=elsewhere.model, parser=basis.parser
        )
        design = replace(design, why=f"{design.why} {elsewhere.why}")
    elif basis.signal not in (None, name):
        past = past_models(_pool, basis.target, basis.past, basis.parser)
        scheme = Scheme(
            str(basis.signal),
            target=basis.target,
            past=past,
            accuracy=basis.accuracy,
            column=basis.column,
            parser=basis.parser,
        )
        design = Design(size, fine(scheme.relevant(), size, size))
    profile = pool_profile(_pool, design.scheme, design.risk)
    return Recommendation(digest, basis, design, name, profile, _how(_pool, design))


def _how(pool: Pool, design: Design) -> str:
    """How a design's signal was made; "" for what has no preview."""
    scheme = design.scheme
    if scheme.uniform or scheme.along.kept:
        return ""
    return pool_signal(pool, scheme).how


@st.cache_resource(max_entries=12, show_spinner="Reading the target’s outcomes …")
def _outcome(digest: str, basis: Basis, _pool: Pool, _profile: Profile) -> Outcome | None:
    return outcome(_profile, _pool.losses(str(basis.target), basis.parser))


# Several times in each run: keys that Streamlit would take apart and hash take longer than what they lead to.
@st.cache_resource
def _strata() -> BoundedCache[tuple[str, Basis, Scheme, bool], Stratification]:
    return BoundedCache(_KEPT_STRATA)


@st.cache_resource
def _labels() -> BoundedCache[tuple[str, Basis, Scheme, int, bool], NDArray[np.int64]]:
    return BoundedCache(_KEPT_LABELS)


@st.cache_resource
def _errors() -> BoundedCache[tuple[str, Basis, int], float]:
    return BoundedCache(_KEPT_ERRORS)


@st.cache_resource
def _simulations() -> BoundedCache[tuple[str, Basis, int, int], tuple[float, float]]:
    return BoundedCache(_KEPT_ERRORS)
