"""Beside another target: the same items judged for both, and the paired difference."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.errors import NeymanError
from core.figures import intervals as charts
from core.report import comparison as compared
from core.study import Comparison, Study
from core.words import level, points, shortened, signed, value, width
from pages.parts.app.frame import headline
from pages.parts.estimate import figures as estimate_figures
from pages.parts.markup import plain
from pages.parts.widgets.controls import COMPARE

_LONGEST = 28


def section(study: Study) -> Comparison | None:
    """A choice of the other target, and what follows; None if none is chosen or nothing can be compared."""
    others = [name for name in study.pool.targets if name != study.target]
    if study.target is None or not others:
        return None
    st.header("Compare with another target")
    name = COMPARE.of({name: name for name in others}).draw_empty("Choose a target", width=320)
    if name is None:
        return None
    try:
        comparison = study.compare(name)
    except NeymanError as error:
        st.info(plain(str(error)), icon=":material/info:")
        return None
    _show(study, comparison)
    return comparison


def _show(study: Study, comparison: Comparison) -> None:
    headline(plain(compared.headline(comparison)))
    if comparison.gap is not None:
        both, said = (
            " and ".join(f"“{shortened(name, _LONGEST)}”" for name in comparison.names),
            compared.headline(comparison),
        )
        estimate_figures.show(
            study,
            "compared-values",
            lambda: charts.estimates(comparison.table(), comparison.unit, compared=True),
            "The two values with their intervals.",
            f"{both} on the same items",
            comparison.table,
        )
        estimate_figures.show(
            study,
            "compared-difference",
            lambda: charts.difference(comparison.gap_table(), comparison.unit, comparison.sides),
            said,
            f"Difference of {both}",
            comparison.gap_table,
        )
        st.markdown(plain(compared.beside_separate(comparison)))
        _table(comparison)
    for words in compared.remarks(comparison):
        st.caption(plain(words))


def _table(comparison: Comparison) -> None:
    if comparison.values is None or comparison.gap is None:
        return
    sure, unit, gap = level(comparison.confidence), comparison.unit, comparison.gap

    def of_gap(number: float) -> str:
        return f"{signed(number, unit)}{points(unit)}"

    rows = pd.DataFrame(
        {
            "": [*comparison.names, f"Difference: {comparison.names[0]} less {comparison.names[1]}"],
            "Value": [*(value(one.value, unit) for one in comparison.values), of_gap(gap.value)],
            f"{sure} from": [*(value(one.low, unit) for one in comparison.values), of_gap(gap.low)],
            f"{sure} to": [*(value(one.high, unit) for one in comparison.values), of_gap(gap.high)],
            "Standard error": [width(one.standard_error, unit) for one in (*comparison.values, gap)],
        }
    )
    first = {"": st.column_config.TextColumn(pinned=True)}
    st.dataframe(rows, hide_index=True, column_config=first, alt="The two values and their difference, with intervals.")
