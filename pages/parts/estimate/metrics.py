"""Other metrics than accuracy, from the same labels: precision, recall, F1 of one answer; accuracy where answered."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.errors import NeymanError
from core.figures import intervals as charts
from core.report import metrics as measured
from core.study import Answered, Metrics, Study
from core.words import level, value, width
from pages.parts.app.frame import headline, show_error
from pages.parts.estimate import address as estimate_refused
from pages.parts.estimate import figures as estimate_figures
from pages.parts.estimate.controls import POSITIVE
from pages.parts.markup import plain


def section(study: Study) -> Metrics | None:
    """A choice of the answer that counts as positive, and its metrics; None if none is chosen."""
    options = study.labels.positives
    if not options:
        return None
    st.header("Precision, recall, F1")
    control = POSITIVE.of({option: option for option in options})
    if control.address is not None and not control.offers(control.address):
        estimate_refused.sentence([(control, control.address, "none")])
        control.set(None)
    positive = control.draw_empty("Choose an answer", width=320)
    if positive is None:
        return None
    try:
        metrics = study.metrics(positive)
    except NeymanError as error:
        show_error(error)
        return None
    _show(study, metrics)
    return metrics


def answered(study: Study, part: Answered | None) -> None:
    """Accuracy where the target answered; nothing if it answered every labelled item."""
    if part is None:
        return
    st.header("Where the model answered")
    headline(plain(measured.answered_headline(part)))
    estimate_figures.show(
        study,
        "answered-figure",
        lambda: charts.estimates(part.table()),
        measured.answered_headline(part),
        "Accuracy where the model answered",
        part.table,
    )


def _show(study: Study, metrics: Metrics) -> None:
    headline(plain(measured.headline(metrics)))
    table = metrics.table()
    estimate_figures.show(
        study,
        "metrics-figure",
        lambda: charts.estimates(table),
        measured.headline(metrics),
        f"Precision, recall and F1 of “{metrics.positive}”",
        lambda: table,
    )
    sure = level(metrics.confidence)
    rows = {
        "Metric": table["label"],
        "Value": [value(x, True) for x in table["value"]],
        f"{sure} from": [value(x, True) for x in table["low"]],
        f"{sure} to": [value(x, True) for x in table["high"]],
        "Standard error": [width(x, True) for x in table["standard_error"]],
        "Labels": table["labels"],
    }
    first = {"Metric": st.column_config.TextColumn(pinned=True)}
    st.dataframe(
        pd.DataFrame(rows), hide_index=True, column_config=first, alt="Precision, recall and F1 with their intervals."
    )
    st.caption(plain(measured.counts_in_words(metrics)))
