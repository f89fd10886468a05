"""Other numbers from the same labels: precision, recall and F1, and the difference from another target."""

from __future__ import annotations

from contextlib import suppress

import pandas as pd
import streamlit as st

from core.errors import NeymanError
from core.figures import intervals
from core.pool import ModelPair
from core.report import sections
from core.study import Answered, Comparison, Metrics, Study
from core.words import level, points, shortened, signed, value, width
from pages.parts.app.frame import headline, show_error
from pages.parts.estimate import controls, figures
from pages.parts.estimate.controls import POSITIVE
from pages.parts.markup import plain
from pages.parts.widgets.controls import COMPARE

_LONGEST = 28


def others(study: Study) -> list[str]:
    """Name the targets that this one can be compared with; of a pair, other pairs with the same baseline."""
    if (own := study.labels.pair) is not None:
        pairs = {name: ModelPair.of(name, study.pool.targets) for name in study.pool.targets if name != study.target}
        return [name for name, pair in pairs.items() if pair is not None and pair.other == own.other]
    return [name for name in study.pool.targets if name != study.target] if study.target is not None else []


def compared(study: Study) -> Comparison | None:
    """The comparison with the target that is chosen; None if none is, or nothing can be compared."""
    name = COMPARE.address
    with suppress(NeymanError):
        return study.compare(name) if name is not None and name in others(study) else None
    return None


def compared_section(study: Study) -> None:
    """Draw a choice of the other target, and what follows."""
    if not others(study):
        return
    st.header("Compare with another target")
    name = COMPARE.of({name: name for name in others(study)}).draw_empty("Choose a target", width=320)
    if name is None:
        return
    try:
        comparison = study.compare(name)
    except NeymanError as error:
        st.info(plain(str(error)), icon=":material/info:")
        return
    _show_difference(study, comparison)


def _show_difference(study: Study, comparison: Comparison) -> None:
    headline(plain(sections.comparison_headline(comparison)))
    if comparison.gap is not None:
        both, said = (
            " and ".join(f"“{shortened(name, _LONGEST)}”" for name in comparison.names),
            sections.comparison_headline(comparison),
        )
        figures.show(
            study,
            "compared-values",
            lambda: intervals.estimates(comparison.table(), comparison.unit, compared=True),
            "The two values with their intervals.",
            f"{both} on the same items",
            comparison.table,
        )
        figures.show(
            study,
            "compared-difference",
            lambda: intervals.difference(comparison.gap_table(), comparison.unit, comparison.sides),
            said,
            f"Difference of {both}",
            comparison.gap_table,
        )
        st.markdown(plain(sections.beside_separate(comparison)))
        _table(comparison)
    for words in sections.remarks(comparison):
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


# Other metrics than accuracy, from the same labels: precision, recall, F1 of one answer; accuracy where answered.


def metrics(study: Study) -> Metrics | None:
    """The metrics of the answer that is chosen as positive; None if none is, or they cannot be computed."""
    with suppress(NeymanError):
        return study.metrics(POSITIVE.address or "") if POSITIVE.address in study.labels.positives else None
    return None


def refuse(study: Study) -> None:
    """Say of an answer in the address that no label has it, and take it out of there."""
    control = POSITIVE.of({option: option for option in study.labels.positives})
    if study.labels.positives and control.address is not None and not control.offers(control.address):
        controls.sentence([(control, control.address, "none")])
        control.set(None)


def section(study: Study) -> None:
    """Draw a choice of the answer that counts as positive, and its metrics."""
    options = study.labels.positives
    if not options:
        return
    st.header("Precision, recall, F1")
    positive = POSITIVE.of({option: option for option in options}).draw_empty("Choose an answer", width=320)
    if positive is None:
        return
    try:
        found = study.metrics(positive)
    except NeymanError as error:
        show_error(error)
        return
    _show(study, found)


def answered(study: Study, part: Answered | None) -> None:
    """Accuracy where the target answered; nothing if it answered every labelled item."""
    if part is None:
        return
    st.header("Where the model answered")
    headline(plain(sections.answered_headline(part)))
    figures.show(
        study,
        "answered-figure",
        lambda: intervals.estimates(part.table()),
        sections.answered_headline(part),
        "Accuracy where the model answered",
        part.table,
    )


def _show(study: Study, metrics: Metrics) -> None:
    headline(plain(sections.metrics_headline(metrics)))
    table = metrics.table()
    figures.show(
        study,
        "metrics-figure",
        lambda: intervals.estimates(table),
        sections.metrics_headline(metrics),
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
    st.caption(plain(sections.counts_in_words(metrics)))
