"""The main figure of page Explore: the error of both designs against Uniform and the best possible allocation."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.figures import units
from core.prospect import Prospect
from core.words import counted
from pages.parts import guarded
from pages.parts.app import frame
from pages.parts.explore import chart, race
from pages.parts.explore.designs import Designs
from pages.parts.markup import meanings, plain
from pages.parts.views import promises
from pages.parts.widgets import basis, controls

_RULES = "Proxy-Neyman is the paper’s rule. Oracle-Neyman is the best that any rule could do with these strata."
# In pools of fewer items nobody overlooks it.
_SMALL = 300
_JUMPS = "Lines go up and down in a small pool, since every number of labels has its own strata."
_HOLLOW = "Hollow marks: simulated, with a standard error up and down."
_LINES = (
    f"Lines are exact, from the closed form of the variance. An arrow says that one goes on above. {_JUMPS} "
    "Proxy-Neyman and the other rules use the sliders’ strata and offset. Oracle-Neyman also knows the target’s "
    "losses, which nobody does before labelling."
)


def section(designs: Designs) -> pd.DataFrame | None:
    """Draw the finding, the figure and what qualifies it; return what was simulated, None for nothing."""
    drawn = designs.drawn
    promises.labelled(drawn)
    if designs.recommended.uniform:
        basis.nothing_known()
    if drawn.known is None:
        promises.part(drawn)
        _no_outcome(drawn)
        promises.section(drawn)
        guarded.warn(drawn.guard)
        return None
    promised, simulated, curve = drawn.promise, None, designs.curve
    frame.finding(promised.title)
    st.markdown(promised.headline, help=meanings(promised.headline))
    if curve["relative_mse"].notna().any():
        simulated = chart.section(designs, promised.headline)
    if promised.caveat:
        # Below the figure, which does not move when it comes and goes.
        st.warning(promised.caveat, icon=":material/balance:")
    if money := promised.payment.words:
        st.caption(plain(f"{counted(drawn.budget, 'label')}: {money}."))
    guarded.warn(drawn.guard)
    if curve["relative_mse"].notna().any():
        # The rules share the strata of the sliders.
        rules = _RULES if designs.settings is not None else ""
        low = units.unit(controls.UNIT.value, drawn.share).low
        jumps = _JUMPS if drawn.n_items < _SMALL else ""
        hollow = "" if simulated is None else _HOLLOW
        said = " ".join(filter(None, (low, hollow, rules, jumps)))
        st.caption(said, help=_explained(designs, simulated is not None))
    race.section(drawn)
    return simulated


def _explained(designs: Designs, simulated: bool) -> str:
    points = f" Points: {designs.trials:,} simulated rounds of labelling each, with bars of one standard error."
    return f"{_LINES}{points * simulated}"


def _no_outcome(prospect: Prospect) -> None:
    """Say what is forecast without an outcome, what needs none, and how to see it exactly."""
    if prospect.part is not None:
        # Page Lab has nothing to compare if nothing is known of the items.
        if not prospect.uniform:
            frame.step("pages/lab.py", "See what is exact on the known items", ":material/science:")
        return
    seen = "choose a target with known results, or " if prospect.knowledge.past else ""
    st.info(
        "The file knows no outcome of your model (the target), so what the labels save is a forecast. The strata, the "
        "shares of the labels and the list of items to label need no outcome and are ready. To see an exact gain, "
        f"{seen}add to the file {promises.lacking(prospect.pool, prospect.question.target)}.",
        icon=":material/info:",
    )
