"""The tables behind the number on page Estimate: strata, groups, items, labels as given, other intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from core import labels
from core.figures import intervals
from core.labels import DECISION, letter
from core.report import details, sections, sentences
from core.study import Provenance, Result, Study, judged_items, leading
from core.words import SPACE, UNKNOWN, counted, drawn, factor, shortened
from pages.parts import downloads, markup
from pages.parts.app import session
from pages.parts.estimate import figures
from pages.parts.markup import plain

_WHICH = "items-of"
_ALL, _DISPUTED = "all", "disputed"
_ROWS, _LONGEST = 1000, 120
# What makes the rows of a table lead to their items: keywords for ``st.dataframe``.
ROWS: dict[str, Any] = {"on_select": "rerun", "selection_mode": "single-row"}


def items_section(study: Study) -> None:
    """Draw the items behind the estimate, all or those of one number, and one of them in full."""
    table = judged_items(study)
    which = st.selectbox("Items of", _choices(table), key=_WHICH, format_func=_name)
    _list(study, table[_chosen(table, which)].reset_index(drop=True), "items")


def of_row(study: Study, kind: str, names: pd.Series[Any], chosen: list[int]) -> None:
    """The items behind the chosen row of a table, right below it.

    Parameters
    ----------
    study : Study
        What is estimated.
    kind : str
        What a row is: "stratum" or "group".
    names : Series
        The number or name of each row.
    chosen : list of int
        Places of the chosen rows, none or one.
    """
    if not chosen or chosen[0] >= len(names):
        return
    which, table = f"{kind} {names.iloc[chosen[0]]}", judged_items(study)
    st.markdown(f"**{plain(_name(which))}**")
    _list(study, table[_chosen(table, which)].reset_index(drop=True), kind)


def _choices(table: pd.DataFrame) -> list[str]:
    strata = [f"stratum {stratum}" for stratum in sorted(table["stratum"].unique())]
    groups = [f"group {group}" for group in sorted(set(table["group"]) - {""})]
    disputed = [_DISPUTED] if table["disputed"].any() else []
    choices = [_ALL, *disputed, *strata, *groups]
    if session.widget(_WHICH) not in choices:
        # Of a stratum or group whose items have no label.
        session.forget(_WHICH)
    return choices


def _name(which: str) -> str:
    return {_ALL: "The whole list", _DISPUTED: "Annotators disagree"}.get(which, which[:1].upper() + which[1:])


def _chosen(table: pd.DataFrame, which: str) -> pd.Series[bool]:
    kind, _, name = which.partition(" ")
    if kind == "stratum":
        return table["stratum"] == int(name)
    if kind == "group":
        return table["group"] == name
    return table["disputed"] if which == _DISPUTED else table["value"].notna()


def _list(study: Study, table: pd.DataFrame, place: str) -> None:
    cut = f", the first {_ROWS:,} shown" if len(table) > _ROWS else ""
    order = leading(table["value"], study.labels.measure)
    st.caption(f"{counted(len(table), 'labelled item')}, {order}{cut}. Choose a row to read it.")
    rows = table.head(_ROWS)
    shown = pd.DataFrame(
        {
            "Item": rows["item_id"],
            "Counts": [{0.0: "wrong", 1.0: "right"}.get(value, f"{value:g}") for value in rows["value"]],
            "Label": rows["label"],
            "Target": [shortened(answer, _LONGEST) for answer in rows["target"]],
            "Surrogate": rows["surrogate"],
        }
    )
    if "prompt" in study.pool.item_columns:
        # Last, because it takes all the room that is left.
        shown["Prompt"] = [shortened(prompt or "", _LONGEST) for prompt in rows["prompt"]]
    event = st.dataframe(
        shown,
        hide_index=True,
        column_config={"Item": st.column_config.TextColumn(pinned=True)},
        key=f"{place}-items",
        **ROWS,
        alt="Labelled items, the wrong ones first, with the surrogate’s answers, the target’s answer and the label.",
    )
    chosen = event["selection"]["rows"]
    if len(rows):
        _one(study, rows.iloc[chosen[0] if chosen and chosen[0] < len(rows) else 0], place)


def _one(study: Study, row: pd.Series[Any], place: str) -> None:
    """One item in full: prompt and options, what surrogate and target said, and who labelled it how."""
    item = str(row["item_id"])
    st.markdown(f"**Item {plain(item)}**")
    left, right = st.columns([3, 2], gap="large")
    with left:
        if row["prompt"] is not None:
            markup.show(row["prompt"], f"{place}-{item}")
        if row["choices"] is not None:
            options = [f"{letter(number)}. {option}" for number, option in enumerate(row["choices"])]
            markup.show("\n".join(options), f"{place}-{item}-options")
        for title, text in (("Surrogate", row["surrogate"]), ("Target", row["target"] or "no answer")):
            if text:
                st.caption(title)
                markup.show(str(text), f"{place}-{item}-{title}")
    with right:
        given = study.labels.opinions(item)
        people = given["annotator"].replace({"": "no name", DECISION: "decision"})
        rows = pd.DataFrame({"Person": people, "Label": given["label"], "Note": given["note"].fillna("")})
        st.dataframe(rows, hide_index=True, alt="Each person’s label of this item.")


# The labels as they were given: who said what of which item, with notes; how people agree; all of it as a file.

_note_text = st.column_config.TextColumn
_COLUMNS = {
    "item_id": _note_text("Item", pinned=True),
    "annotator": _note_text("Person"),
    "label": _note_text("Label"),
    "kind": _note_text("Kind"),
    "target": _note_text(
        "Judges", help="The target whose answer is judged. Empty for right answers, which count for every target."
    ),
    "note": _note_text("Note", width="large"),
    "status": _note_text("Status", help="Why there is no label."),
    "source": _note_text("Source", help="“here”: given on page Label or here; “pool”: an outcome that the pool knew."),
    "created": st.column_config.DatetimeColumn("Time (UTC)", format="YYYY-MM-DD HH:mm"),
}


def provenance_section(study: Study, sources: Provenance) -> None:
    """Draw how people agree, and every label of the plan, also of other kinds and targets."""
    log = study.labels.log
    by_people = labels.by_people(log)
    given = by_people[by_people["label"].notna()]
    people = len({*given["annotator"]})
    if sources.several:
        st.caption(plain(sections.agreement(sources)))
    by = f"{len(given):,} by {counted(people, 'person', 'people')}" if people else "the pool’s own outcomes"
    st.markdown(f"**Labels as given ({by})**")
    if len(sources.people) > 1:
        st.markdown(plain(sections.given(sources)))
    shown = log.assign(created=pd.to_datetime(log["created"], utc=True, format="ISO8601"))
    used = [name for name in _COLUMNS if name not in ("status", "target", "note") or _some(log[name])]
    st.dataframe(
        shown[used].fillna({"note": ""}),
        hide_index=True,
        column_config=_COLUMNS,
        alt="Every label of this plan, as it was given.",
    )
    if by_people.empty:
        return
    name = f"neyman-{study.plan.plan_id}-labels.csv"
    downloads.csv("Labels as CSV", lambda: labels.labels_csv(by_people), name)
    st.caption(
        "The file holds what people said, skips too; page Label takes it back. Decisions, and outcomes that the "
        "pool knew, are not in it."
    )


def _some(column: pd.Series) -> bool:
    return bool((column.notna() & (column != "")).any())


_VALUES = ("value", "low", "high", "model_value", "model_low", "model_high")
_number = st.column_config.NumberColumn
_text = st.column_config.TextColumn


def strata_section(study: Study, result: Result) -> None:
    """Draw the strata with their labels and values."""
    st.markdown(plain(details.strata_finding(result)))
    signal, unit = ("Entropy", " (nats)") if sentences.along_entropy(result) else ("Signal", "")
    st.caption("Choose a row to see its items.")
    event = st.dataframe(
        downloads.in_per_cent(
            _in_units(result, result.strata_table, ["value"], ["sd"] if result.unit is not True else []),
            ["share_of_pool", "share_of_variance"],
        ),
        hide_index=True,
        placeholder=UNKNOWN,
        column_config={
            "stratum": _number("Stratum", pinned=True),
            "se_low": _number(f"{signal} from{unit}", format="%.3f"),
            "se_high": _number(f"{signal} to{unit}", format="%.3f"),
            "items": _number("Items", format="localized"),
            "share_of_pool": downloads.share("Share of pool"),
            "planned": _number("Planned", format="localized"),
            "labels": _number("Labels", format="localized"),
            "value": _shown(result, sentences.name(result)),
            "sd": _number("Spread", format="%.3f", help="Standard deviation of the labels in the stratum."),
            "share_of_variance": downloads.share("Share of variance"),
        },
        alt="Labels and value of each stratum.",
        **ROWS,
        key="stratum-rows",
    )
    of_row(study, "stratum", result.strata_table["stratum"], event["selection"]["rows"])


def groups_section(study: Study, result: Result) -> None:
    """Draw the estimate of each group."""
    if result.groups is None:
        return
    finding = details.groups_finding(result)
    st.markdown(plain(finding))
    rows = details.group_intervals(result)
    figures.show(
        study,
        "groups-figure",
        lambda: intervals.estimates(rows, result.unit),
        finding,
        f"{sentences.name(result)} by group",
        lambda: rows,
    )
    st.caption(
        "Each group’s interval holds on its own, not all at once. The model-based estimate borrows from the other "
        "groups: closer for few labels, and biased towards them. Choose a row to see its items."
    )
    shown = {
        "group": _text("Group", pinned=True),
        "items": _number("Items", format="localized"),
        "labels": _number("Labels", format="localized"),
        "value": _shown(result, sentences.name(result)),
        "low": _shown(result, "From"),
        "high": _shown(result, "To"),
        "standard_error": _width(result, "Standard error"),
        "estimator": _text("Estimator"),
        "model_value": _shown(result, "Model-based"),
        "model_low": _shown(result, "Model-based, from"),
        "model_high": _shown(result, "Model-based, to"),
    }
    of_groups = result.groups.replace([math.inf, -math.inf], math.nan)
    event = st.dataframe(
        _in_units(result, of_groups, [name for name in _VALUES if name in shown], ["standard_error"]),
        hide_index=True,
        placeholder=UNKNOWN,
        column_config=shown,
        column_order=list(shown),
        alt="Estimate of each group.",
        **ROWS,
        key="group-rows",
    )
    of_row(study, "group", of_groups["group"], event["selection"]["rows"])


def intervals_section(result: Result) -> None:
    """Draw the interval by other methods, if there are any."""
    if len(result.intervals) < 2:
        return
    st.markdown("**Other intervals**")
    st.caption("Wald’s is shown for comparison only: it misses too often for few labels or values near 0 or 1.")
    shown = {
        "label": _text("Interval", pinned=True),
        "low": _shown(result, "From"),
        "high": _shown(result, "To"),
        "width": _width(result, "Width"),
    }
    by_kind = result.intervals
    by_kind = by_kind.assign(
        label=by_kind["label"].where(by_kind["recommended"], by_kind["label"] + " (for comparison only)")
    )
    st.dataframe(
        _in_units(result, by_kind, ["low", "high"], ["width"]),
        hide_index=True,
        placeholder=UNKNOWN,
        column_config=shown,
        column_order=list(shown),
        alt="The interval by other methods.",
    )


def _in_units(result: Result, table: pd.DataFrame, values: Sequence[str], widths: Sequence[str]) -> pd.DataFrame:
    """Return a table with values and widths in the unit that the result is shown in."""
    shown = {name: drawn(table[name], result.unit) for name in values if name in table}
    return table.assign(**shown, **{name: factor(result.unit) * table[name] for name in widths if name in table})


def _shown(result: Result, title: str) -> Any:
    """A column of values on the result's scale."""
    return downloads.share(title) if result.unit is True else _number(title, format="%.4g")


def _width(result: Result, title: str) -> Any:
    """A column of widths: points if values are shares."""
    return _number(title, format=f"%.1f{SPACE}points" if result.unit is True else "%.3g")
