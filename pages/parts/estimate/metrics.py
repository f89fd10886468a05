"""Other metrics than accuracy, from the same labels: precision, recall, F1 of one answer; accuracy where answered."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.errors import NeymanError
from core.figures import intervals as charts
from core.report import metrics as measured
from core.report.metrics import Answered, Metrics, closed
from core.words import level, value, width
from pages.parts.controls import POSITIVE
from pages.parts.estimate import address as estimate_refused
from pages.parts.estimate.chosen import Chosen
from pages.parts.estimate.result import Outcomes
from pages.parts.frame import CONFIG, show_error
from pages.parts.markup import plain


def section(chosen: Chosen, seen: Outcomes) -> Metrics | None:
    """A choice of the answer that counts as positive, and its metrics; None where none is chosen."""
    if chosen.asked != "gold" or chosen.target is None:
        return None
    pairs = seen.pairs
    said, true = pairs["said"].tolist(), pairs["true"].tolist()
    options = closed(true)
    if not options:
        return None
    st.subheader("Precision, recall, F1")
    control = POSITIVE.of({option: option for option in options})
    if control.address is not None and not control.offers(control.address):
        estimate_refused.sentence([(control, control.address, "none")])
    positive = control.draw_empty("Choose an answer", width=320)
    if positive is None:
        return None
    places = chosen.pool.items.index.get_indexer(pairs["item_id"])
    strata, sizes = chosen.plan.stratum[places], chosen.plan.strata.sizes
    try:
        own = measured.metrics(said, true, positive, strata, sizes, chosen.target, chosen.interval)
    except NeymanError as error:
        show_error(error)
        return None
    _show(own)
    return own


def answered(chosen: Chosen, seen: Outcomes) -> Answered | None:
    """Accuracy where the target answered; None where it answered every labelled item, or nothing of it is known."""
    known = seen.known
    gave = [seen.answers.get(item, "") is not None for item in known["item_id"]]
    if all(gave) or chosen.unbounded:
        return None
    own = measured.answered(
        1.0 - known["loss"].to_numpy(dtype=float),
        gave,
        known["stratum"].to_numpy(),
        chosen.plan.strata.sizes,
        chosen.target or "",
        chosen.interval,
    )
    st.subheader("Where the model answered")
    st.markdown(f"##### {plain(measured.answered_headline(own))}")
    st.plotly_chart(
        charts.estimates(own.table()), config=CONFIG, key="answered-figure", alt=measured.answered_headline(own)
    )
    return own


def _show(own: Metrics) -> None:
    st.markdown(f"##### {plain(measured.headline(own))}")
    table = own.table()
    st.plotly_chart(charts.estimates(table), config=CONFIG, key="metrics-figure", alt=measured.headline(own))
    sure = level(own.confidence)
    rows = {
        "Metric": table["label"],
        "Value": [value(x, True) for x in table["value"]],
        f"{sure} from": [value(x, True) for x in table["low"]],
        f"{sure} to": [value(x, True) for x in table["high"]],
        "Standard error": [width(x, True) for x in table["standard_error"]],
        "Labels": table["labels"],
    }
    st.dataframe(pd.DataFrame(rows), hide_index=True, alt="Precision, recall and F1 with their intervals.")
    st.caption(plain(measured.counts_in_words(own)))
