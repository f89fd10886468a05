"""The two designs of page Explore: that of the sliders and the recommended one, and which of them Label draws."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.design import Scheme
from core.prospect import Prospect
from core.stratification import STRATIFIERS
from pages.parts.app import frame
from pages.parts.markup import plain
from pages.parts.widgets import basis, controls


@dataclass(frozen=True, slots=True)
class Designs:
    """The designs compared, at one budget.

    Parameters
    ----------
    drawn : Prospect
        The design that page Label draws: one of the others, or the one for a decision.
    settings : Prospect or None
        That of the sliders, whose strata all rules share; None for a pool without generations, which they have nothing
        to stratify by.
    recommended : Prospect
        The recommended one.
    trials : int
        Simulated rounds; 0 for none.
    """

    drawn: Prospect
    settings: Prospect | None
    recommended: Prospect
    trials: int

    @property
    def lines(self) -> tuple[str, ...]:
        """Methods whose errors are drawn: each rule on the strata of the sliders, the recommended design, the drawn."""
        beside = self.recommended if self.settings is None else self.settings
        return tuple(dict.fromkeys((*beside.lines, self.recommended.method, self.drawn.method)))

    @property
    def curve(self) -> pd.DataFrame:
        """Exact errors of all lines at one grid of budgets, as of `core.simulation.in_units`."""
        beside = self.recommended if self.settings is None else self.settings
        return beside.exact_curve(methods=self.lines)

    def smallest_error(self, most_strata: int) -> float:
        """A relative error below which no setting of the sliders falls, nor a design beside them."""
        least = float(self.curve["relative_mse"].min())
        return least if self.settings is None else min(least, self.settings.smallest_error(most_strata))

    def simulated(self) -> pd.DataFrame | None:
        """Errors of simulated rounds of the sliders' rules and of the drawn design, None for none."""
        # Every rule is simulated with the sliders' strata.
        fine = self.drawn if self.drawn.question.scheme is None else None
        shown = [one for one in (self.settings, fine) if one is not None]
        tables = [table for one in shown if (table := one.rounds(self.trials)) is not None]
        return pd.concat(tables, ignore_index=True) if tables else None

    @property
    def words(self) -> tuple[str, ...]:
        """Each choice of the drawn design in a few words, “H = 5”."""
        if self.drawn.uniform:
            return ("drawn uniformly",)
        if self.drawn.question.scheme is None:
            kind = "for a decision" if self.drawn.question.gate else "recommended"
            return (f"{kind}, along {self.drawn.signal}",)
        scheme = self.drawn.question.scheme
        by = f"δ = {scheme.offset:g}" if "offset" in scheme.rule.choices else scheme.rule.title
        return STRATIFIERS[scheme.stratifier].title, f"H = {scheme.n_strata}", by


def choose(prospect: Prospect, sliders: DeltaGenerator, more: DeltaGenerator) -> Designs:
    """Draw the sliders, the choice of what Label draws with what either design gives, and the rest out of the way.

    Parameters
    ----------
    prospect : Prospect
        What is asked of the pool.
    sliders, more : DeltaGenerator
        Where what is always in sight stands, and where the other settings do.

    Raises
    ------
    DesignError, PoolError
        What was chosen cannot be used.
    """
    with st.expander("What the recommended design rests on", icon=":material/verified:"):
        recommended = basis.choose(prospect)
    scheme = None
    with sliders:
        # The number of labels comes first; what it may be follows from the strata below it.
        amount = st.container()
        if prospect.pool.n_generations:
            scheme = controls.scheme(prospect.question.parser, more=more)
        elif not recommended.uniform:
            st.caption("The sliders of a design need a cheap model’s answers (the surrogate’s), which this pool lacks.")
            frame.step("pages/surrogate.py", "Run a surrogate", ":material/smart_toy:")
    settings = chosen = None if scheme is None else _by(recommended, scheme)
    if scheme is not None and scheme.rule.whole:
        # It has no strata, on which the other rules could be compared.
        settings = _by(recommended, replace(scheme, allocation=controls.ALLOCATION.default))
    with amount:
        least = recommended if settings is None else settings
        labels = controls.budget(least.least, least.n_items)
    recommended = recommended.at(labels)
    settings, chosen = (None if one is None else one.at(labels) for one in (settings, chosen))
    with sliders:
        drawn = _switch(chosen, recommended)
    with more:
        simulate = drawn.known is not None and controls.SIMULATE.draw()
        trials = controls.TRIALS.draw() if simulate else 0
    return Designs(drawn, settings, recommended, trials)


def _by(prospect: Prospect, scheme: Scheme) -> Prospect:
    return prospect.asking(replace(prospect.question, scheme=scheme))


def _switch(settings: Prospect | None, recommended: Prospect) -> Prospect:
    """Draw which design page Label draws, with what each would give; return it."""
    gate = recommended.asking(replace(recommended.question, gate=True))
    offered = {controls.BEST: recommended, controls.PAPERS: settings, controls.GATE: gate}
    designs = {name: one for name, one in offered.items() if one is not None and one.budget >= one.least}
    control = controls.DESIGN.of({name: controls.DESIGN.names[name] for name in designs})
    captions = [plain(one.promise.brief) for one in designs.values()]
    return designs[replace(control, label="Which list to draw").draw_list(captions)]
