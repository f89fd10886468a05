"""Beside another target: the same items judged for both, and the paired difference."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from core import labels
from core.errors import NeymanError
from core.figures import intervals as charts
from core.report import comparison as compared
from core.report.comparison import Comparison, Judged, compare
from core.words import level, points, signed, value, width
from pages.parts.controls import COMPARE
from pages.parts.estimate.chosen import Chosen
from pages.parts.estimate.result import Outcomes
from pages.parts.frame import CONFIG
from pages.parts.label.work import DECISION
from pages.parts.markup import plain

_BASES = {
    "gold": "labels that say what is right",
    "right-wrong": "labels that say right or wrong",
    "score": "labels that score",
}
_POOL = "the outcomes that the pool knows"


def section(chosen: Chosen, found: labels.Settlement, seen: Outcomes) -> Comparison | None:
    """A choice of the other target, and what follows; None where none is chosen or nothing can be compared."""
    others = [name for name in chosen.pool.targets if name != chosen.target]
    if chosen.target is None or not others:
        return None
    st.subheader("Compare with another target")
    name = COMPARE.of({name: name for name in others}).draw_empty("Choose a target", width=320)
    if name is None:
        return None
    try:
        result = _compare(chosen, found, seen, name)
    except NeymanError as error:
        st.info(plain(str(error)), icon=":material/info:")
        return None
    _show(result)
    return result


def _compare(chosen: Chosen, found: labels.Settlement, seen: Outcomes, name: str) -> Comparison:
    table = seen.table
    first = Judged(chosen.target or "", table["loss"].to_numpy(dtype=float), _BASES[chosen.asked])
    second = _other(chosen, found, table["item_id"].tolist(), name)
    sizes = chosen.plan.strata.sizes
    strata = table["stratum"].to_numpy()
    weights = chosen.plan.weights
    return compare(first, second, strata, sizes, chosen.measure, chosen.interval, weights)


def _other(chosen: Chosen, found: labels.Settlement, ids: list[str], name: str) -> Judged:
    """The other target's losses on these items, from the source that knows most of them; people's labels first."""
    sources = [_from_labels(chosen, found, ids, name)]
    if not chosen.unbounded:
        sources.append(_from_pool(chosen, ids, name))
    known = [int((~np.isnan(source.losses)).sum()) for source in sources]
    return sources[int(np.argmax(known))]


def _from_labels(chosen: Chosen, found: labels.Settlement, ids: list[str], name: str) -> Judged:
    parser, items = chosen.parser, chosen.pool.items
    if chosen.asked == "gold":
        answers = labels.target_answers(chosen.pool, name, ids, parser)
        losses = labels.losses(found, answers, items, parser)
    else:
        rows = labels.relevant(chosen.log, chosen.asked, name)
        # A label of which no target is known is counted for the first one already.
        rows = rows[(rows["target"] == name) & rows["item_id"].isin(ids)]
        decided = rows[rows["annotator"] == DECISION]
        own = labels.settle(
            rows[rows["annotator"] != DECISION],
            ids,
            chosen.plan.plan_id,
            chosen.asked,
            family=chosen.plans,
            decisions=dict(zip(decided["item_id"], decided["label"], strict=True)),
            unbounded=chosen.unbounded,
        )
        losses = labels.losses(own)
    return Judged(name, losses.set_index("item_id")["loss"].reindex(ids).to_numpy(dtype=float), _BASES[chosen.asked])


def _from_pool(chosen: Chosen, ids: list[str], name: str) -> Judged:
    """The pool's outcomes, where they are right or wrong (for scores: where they lie in 0 to 1)."""
    every = chosen.pool.losses(name, chosen.parser)
    own = np.array(every[chosen.pool.items.index.get_indexer(ids)], dtype=float)
    known = own[~np.isnan(own)]
    fits = np.isin(known, (0.0, 1.0)) if chosen.asked != "score" else (known >= 0) & (known <= 1)
    return Judged(name, own if fits.all() else np.full(len(ids), np.nan), _POOL)


def _show(found: Comparison) -> None:
    st.markdown(f"##### {plain(compared.headline(found))}")
    if found.gap is not None:
        st.plotly_chart(
            charts.estimates(found.table(), found.unit, compared=True),
            config=CONFIG,
            key="compared-values",
            alt="The two values with their intervals.",
        )
        st.plotly_chart(
            charts.difference(found.gap_table(), found.unit, found.sides),
            config=CONFIG,
            key="compared-difference",
            alt=compared.headline(found),
        )
        st.markdown(plain(compared.beside_separate(found)))
        _table(found)
    for words in compared.remarks(found):
        st.caption(plain(words))


def _table(found: Comparison) -> None:
    if found.values is None or found.gap is None:
        return
    sure, unit, gap = level(found.confidence), found.unit, found.gap

    def of_gap(number: float) -> str:
        return f"{signed(number, unit)}{points(unit)}"

    rows = pd.DataFrame(
        {
            "": [*found.names, f"Difference: {found.names[0]} less {found.names[1]}"],
            "Value": [*(value(one.value, unit) for one in found.values), of_gap(gap.value)],
            f"{sure} from": [*(value(one.low, unit) for one in found.values), of_gap(gap.low)],
            f"{sure} to": [*(value(one.high, unit) for one in found.values), of_gap(gap.high)],
            "Standard error": [width(one.standard_error, unit) for one in (*found.values, gap)],
        }
    )
    st.dataframe(rows, hide_index=True, alt="The two values and their difference, with intervals.")
