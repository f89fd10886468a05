"""Labels on page Estimate that disagree, are missing, cannot be compared or look odd, each with its way out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass

import pandas as pd
import streamlit as st

from core import labels
from core.figures import intervals
from core.labels import DECISION, KINDS, letter
from core.pool import number_in
from core.report import sections
from core.study import Partial, Study
from core.words import counted, shortened, significant
from pages.parts import downloads
from pages.parts.app import address, frame, session, state
from pages.parts.app.frame import in_callback
from pages.parts.estimate.controls import ABOUT, SAYS, UNBOUNDED
from pages.parts.estimate.selection import back_to_the_list, label_more
from pages.parts.label.item import show
from pages.parts.markup import plain
from pages.parts.surrogate import roles
from pages.parts.views import verdicts
from pages.parts.widgets.controls import SCALES

_ROWS = "disputed-rows"
_LONGEST_ANSWER = 60


@dataclass(slots=True)
class Dispute:
    """The disputed item that is looked at."""

    item: str = ""


def disagreements(study: Study) -> None:
    """Draw all disputed items in the list's order, one at a time."""
    disputed = [str(item) for item in study.labels.settlement.conflicts["item_id"]]
    if not disputed:
        return
    if waiting := len(study.labels.ties):
        wait = counted(waiting, "item waits", "items wait")
        st.markdown(f"**{wait} for your decision, of {len(disputed):,} disputed**")
    item = _item(disputed, study)
    _walk(disputed, item)
    left, right = st.columns([3, 2])
    with left:
        show(study, item)
    with right:
        _given(study, item)
        _buttons(study, disputed, item)
    st.markdown("**All disputed items**")
    st.caption("Choose a row to see the item above.")
    st.dataframe(
        study.labels.settlement.conflicts.fillna({"label": "undecided"}),
        hide_index=True,
        column_config={
            "item_id": st.column_config.TextColumn("Item", pinned=True),
            "votes": "Votes",
            "label": "What counts",
        },
        key=_ROWS,
        on_select=_opener(disputed),
        selection_mode="single-row",
        alt="Items whose annotators disagree, and what counts.",
    )


def _opener(disputed: list[str]) -> Callable[[], None]:
    def show() -> None:
        rows = session.widget(_ROWS)["selection"]["rows"]
        if rows:
            _go(disputed[rows[0]])

    return show


def _item(disputed: list[str], study: Study) -> str:
    """The item that is looked at: the one study, else the first without a decision."""
    item = session.held(Dispute).item
    if item not in disputed:
        item = study.labels.ties[0] if study.labels.ties else disputed[0]
    return item


def _walk(disputed: list[str], item: str) -> None:
    place = disputed.index(item)
    with st.container(horizontal=True, vertical_alignment="center"):
        for title, step, icon in (("Previous", -1, "arrow_back"), ("Next", 1, "arrow_forward")):
            other = place + step
            inside = 0 <= other < len(disputed)
            st.button(
                title,
                key=f"disputed-{title.lower()}",
                icon=f":material/{icon}:",
                disabled=not inside,
                on_click=_go,
                args=(disputed[other] if inside else item,),
            )
        st.caption(f"{place + 1:,} of {len(disputed):,}")


def _given(study: Study, item: str) -> None:
    """Who said what, and why; and what counts now."""
    rows = study.labels.opinions(item)
    given = rows[rows["annotator"] != DECISION]
    table = pd.DataFrame(
        {"Person": given["annotator"].replace("", "no name"), "Label": given["label"], "Note": given["note"].fillna("")}
    )
    st.dataframe(table, hide_index=True, alt="The labels of this item, by person, with their notes.")
    counts = study.labels.settlement.conflicts.set_index("item_id").at[item, "label"]
    if item in study.labels.ties:
        st.markdown("Undecided: people are split evenly.")
    else:
        how = "by decision" if (rows["annotator"] == DECISION).any() else "as the most frequent answer"
        st.markdown(plain(f"What counts, {how}: {shortened(str(counts), _LONGEST_ANSWER)}"))


def _buttons(study: Study, disputed: list[str], item: str) -> None:
    rows = study.labels.opinions(item)
    with st.container(horizontal=True):
        for number, label in enumerate(study.labels.choices(item)):
            st.button(
                plain(f"“{shortened(label, _LONGEST_ANSWER)}” counts"),
                key=f"decide-{item}-{number}",
                icon=":material/gavel:",
                on_click=_decide,
                args=(study, item, label, _next(disputed, study.labels.ties, item)),
            )
    if (rows["annotator"] == DECISION).any():
        st.button(
            "Withdraw the decision",
            key=f"withdraw-{item}",
            icon=":material/undo:",
            on_click=_withdraw,
            args=(study, item),
        )


def _next(disputed: list[str], undecided: tuple[str, ...], item: str) -> str:
    """The next item without a decision after this one, round the end; the item itself if there is no other."""
    place = disputed.index(item)
    waiting = [other for other in disputed[place + 1 :] + disputed[:place] if other in undecided]
    return waiting[0] if waiting else item


def _go(item: str) -> None:
    session.held(Dispute).item = item
    # The tab stays open once nothing waits any more.
    ABOUT.set("disputes")


@in_callback
def _decide(study: Study, item: str, label: str, then: str) -> None:
    study.labels.decide(state.archive(), item, label, state.now())
    _go(then)


@in_callback
def _withdraw(study: Study, item: str) -> None:
    study.labels.withdraw(state.archive(), item, state.now())
    _go(item)


_number = st.column_config.NumberColumn
_COLUMNS = {
    "stratum": _number("Stratum", pinned=True),
    "items": _number("Items", format="localized"),
    "share_of_pool": downloads.share("Share of pool"),
    "planned": _number("Planned", format="localized"),
    "labels": _number("Labels", format="localized"),
}
_ITEM = {
    "order": _number("Order"),
    "item_id": st.column_config.TextColumn("Item", pinned=True),
    "stratum": _number("Stratum"),
    "prompt": st.column_config.TextColumn("Prompt", width="large"),
}


def begun(study: Study, partial: Partial) -> None:
    """Draw what labels that leave strata out say: a provisional number if there is one, and the way on before all."""
    frame.headline(plain(sections.provisional_finding(partial)))
    one = partial.joined
    if one is not None:
        row = pd.DataFrame({"label": ["Provisional"], "value": [one.value], "low": [one.low], "high": [one.high]})
        if one.has_interval:
            frame.chart(
                intervals.provisional(row, partial.unit),
                "provisional-figure",
                sections.partial_headline(partial),
                button=False,
            )
    label_more(
        study,
        study.plan.design.budget,
        "Label them" if one is None else "Label the next items",
        "label-first",
        "primary",
    )
    st.markdown(plain(sections.reason(partial)))
    if partial.estimate is not None and not partial.begun:
        st.info(plain(sections.partial_statement(partial)), icon=":material/join_left:")


def first_section(study: Study, partial: Partial) -> None:
    """Draw the items to label first."""
    first = partial.first.assign(order=range(1, len(partial.first) + 1))
    rows = _with_prompts(study, first)[["order", "item_id", "stratum", *_prompt(study)]]
    st.dataframe(rows, hide_index=True, column_config=_ITEM, alt="The items to label first, in the design's order.")


def counts_section(partial: Partial) -> None:
    """Draw the labels in each stratum, and what is known of those that have some."""
    if partial.estimate is not None and partial.begun:
        st.caption(plain(sections.partial_statement(partial)))
    rows = downloads.in_per_cent(partial.strata, downloads.SHARES)
    st.dataframe(rows, hide_index=True, column_config=_COLUMNS, alt="Labels of each stratum.")


def items(study: Study) -> None:
    """Draw the items of the list that have no label yet, those that will get none, and what takes their place."""
    back_to_the_list(study)
    later, drawn = study.labels.not_yet, set(study.labels.ids)
    missing = [item for item in study.labels.missing if item not in set(later)]
    given_up = [item for item in study.labels.lost if item in drawn]
    if missing:
        st.markdown(f"**Labels still missing ({len(missing):,})**")
        _missing(study, missing)
    if later:
        st.markdown(f"**Not labelled yet ({len(later):,})**")
        _missing(study, later)
    if given_up:
        st.markdown(f"**Cannot be labelled ({len(given_up):,})**")
        _replaced(study, given_up)


def _missing(study: Study, missing: Sequence[str]) -> None:
    st.caption(
        "In the design’s order. If nobody can label an item, choose “Replace item” on page Label: the next one of "
        "its stratum takes its place."
    )
    table = _with_prompts(study, pd.DataFrame({"item_id": list(missing)}))
    st.dataframe(table, hide_index=True, column_config=_ITEM, alt="Items of the list without a label.")


def _replaced(study: Study, given_up: list[str]) -> None:
    spare = study.labels.spare
    words = f"{counted(len(given_up), 'item')} of the list will get no label; "
    took = f"{counted(len(spare), 'item takes its', 'items take their')} place, in the design’s order."
    st.caption(words + took if len(spare) else words + "their strata have no item left to take their place.")
    table = _with_prompts(study, spare[["item_id", "stratum"]])
    st.dataframe({"item_id": given_up}, alt="Items of the list that will get no label.")
    st.dataframe(table, hide_index=True, column_config=_ITEM, alt="Replacements, in the design's order.")
    rows = table.assign(plan_id=study.plan.plan_id)[["item_id", "plan_id", *_prompt(study)]]
    name = f"neyman-{study.plan.plan_id}-replacements.csv"
    downloads.csv("Replacements as CSV", lambda: labels.to_csv(rows), name)


def _prompt(study: Study) -> list[str]:
    return ["prompt"] if "prompt" in study.pool.item_columns else []


def _with_prompts(study: Study, table: pd.DataFrame) -> pd.DataFrame:
    if not _prompt(study):
        return table
    ids = table["item_id"].tolist()
    return table.assign(prompt=study.pool.items_with(ids)["prompt"].loc[ids].array)


# Labels and answers on page Estimate that cannot be compared with each other, each with its own cause.

_SHOWN_LABELS, _LONGEST_LABEL = 3, 40
# From so many items on, no answer at all that looks like one is no accident; with options one is enough.
_ENOUGH, _SHARE = 5, 0.05
_OPTION, _NUMBER = "an option", "a number"
_MEANT = {"number": _NUMBER} | dict.fromkeys(("choice", "mmlu-pro", "mmlu-redux", "gpqa", "mmbench"), _OPTION)


def unread_section(study: Study) -> None:
    """End the page with the remedy if no label can be compared."""
    if not study.outcomes.table.empty:
        return
    show_remarks(remarks(study))
    if study.labels.unknown:
        _nothing_known(study)
    disagreements(study)
    if not study.labels.ties:
        st.info("No label can be used yet, so there is no estimate.", icon=":material/info:")
    back_to_the_list(study)
    st.stop()


def unreadable(study: Study) -> str:
    """Name right answers that cannot be read, and say what to do."""
    many = len(study.labels.unreadable)
    rows = study.labels.rows
    rows = rows[rows["item_id"].isin(study.labels.unreadable) & rows["label"].notna()]
    rows = rows[rows["annotator"] != DECISION]
    named = [
        f"item {shortened(str(row.item_id), _LONGEST_LABEL)} = “{shortened(str(row.label), _LONGEST_LABEL)}”"
        + (f" by “{row.annotator!s}”" if row.annotator else "")
        for row in rows.head(_SHOWN_LABELS).itertuples()
    ]
    rest = ", …" if len(rows) > _SHOWN_LABELS else ""
    kinds = {_MEANT.get(kind, "an answer") for kind in _kinds(study, study.labels.unreadable)}
    meant = kinds.pop() if len(kinds) == 1 else "an answer"
    their = "It is" if many == 1 else "They are"
    return (
        f"{counted(many, 'right answer')} cannot be read as {meant} ({', '.join(named)}{rest}). {their} not the "
        "target’s fault: take a corrected list back on page Label, or choose above how answers are read."
    )


def _kinds(study: Study, ids: tuple[str, ...]) -> list[str]:
    """The answer kind of each of these items."""
    if study.labels.parser is not None:
        return [study.labels.parser]
    items = study.pool.items_with(ids)
    return ["as-is"] if "answer_kind" not in items else [str(kind) for kind in items["answer_kind"].loc[list(ids)]]


def _no_answers(study: Study) -> str:
    """A doubt if (nearly) none of the target's answers is an option, or any item's right answer."""
    pairs = study.labels.pairs
    if pairs.empty:
        return ""
    ids = pairs["item_id"].tolist()
    options = labels.choices_of(study.pool.items_with(ids), ids)
    if len(pairs) < _ENOUGH and not all(options):
        return ""
    right = set(pairs["true"])
    fits = [
        said is not None and (said in right or said in {letter(number) for number in range(len(offered or ()))})
        for said, offered in zip(pairs["said"], options, strict=True)
    ]
    if sum(fits) > _SHARE * len(fits):
        return ""
    item = pairs["item_id"].iloc[fits.index(False)]
    given = study.labels.answers[item]
    example = "no answer found" if given is None else f"“{shortened(given, 2 * _LONGEST_LABEL)}”"
    none = "None" if not any(fits) else f"Only {sum(fits):,}"
    what = "an option of its item or a right answer" if any(options) else "any item’s right answer"
    return (
        f"{none} of the {len(fits):,} answers of “{study.target}” is {what} (item {shortened(item, _LONGEST_LABEL)}: "
        f"{example}): this does not look like answers. Choose above how the target’s answers are read."
    )


def _nothing_known(study: Study) -> None:
    answers = f"answer of “{study.target}”" if study.target else "target’s answer"
    many = len(study.labels.unknown)
    came = "1 right answer came" if many == 1 else f"{many:,} right answers came"
    words = f"{came} back, but no {answers} to these items is known to compare them with."
    st.info(plain(f"{words} Run a target on just these items."), icon=":material/info:")
    clicked = st.button(
        "Run a target on these items",
        type="primary",
        icon=":material/smart_toy:",
        on_click=roles.preset,
        args=(study.plan.plan_id,),
    )
    if clicked:
        st.switch_page("pages/surrogate.py", query_params=address.choices().parameters())
    st.stop()


_SHOWN, _LONGEST, _MOST = 3, 40, 12
# So many stand below each other.
_MOST_REMARKS = 2


def remarks(study: Study) -> list[str]:
    """Return what has to be said of the labels: odd ones, and those that cannot be compared."""
    odd = study.labels.settlement.odd
    # If people disagree, the panel of disputed items says it; what is not understood is asked below.
    elsewhere = odd["what"].isin(["conflict", labels.oddities.NOT_A_LABEL, labels.oddities.OUT_OF_RANGE])
    said = [*study.labels.to_check, *labels.oddities.sentences(odd[~elsewhere])]
    if study.labels.unknown and not study.outcomes.table.empty:
        said.append(
            f"{counted(len(study.labels.unknown), 'label')} cannot be compared: the pool knows no answer of "
            f"“{study.target}” to these items. They are left out until the target has been run on them."
        )
    return [*said, *filter(None, [_no_answers(study)])]


def show_remarks(said: Sequence[str]) -> None:
    """Draw remarks on the labels; several in one panel, whose name counts them."""
    many = len(said) > _MOST_REMARKS
    with st.expander(f"{len(said):,} remarks on these labels", icon=":material/rule:") if many else nullcontext():
        for sentence in said:
            st.warning(plain(sentence), icon=":material/rule:")


def section(study: Study) -> None:
    """Say which labels do not count, and why there is no number; end the page if labels are not understood."""
    if len(study.labels.not_understood):
        show_remarks(remarks(study))
        _withdrawn(study)
    if study.labels.beyond:
        more = counted(study.labels.beyond, "further item is", "further items are")
        st.caption(f"{more} labelled on a larger list of this design: choose that plan to use them.")
    if study.labels.settlement.labels.empty and study.labels.ties:
        st.info(plain(_all_tied(len(study.labels.ties))), icon=":material/balance:")


def _all_tied(count: int) -> str:
    where = "the only labelled item" if count == 1 else f"each of the {count:,} labelled items"
    return (
        f"There is no estimate until ties are decided: on {where}, people are split evenly. Decide "
        "below what counts, or have one more person label."
    )


def _withdrawn(study: Study) -> None:
    """Say why there is no number, ask what words mean, and end the page."""
    bad = study.labels.not_understood
    is_scale = KINDS[study.kind].averaged and bool((bad["why"] == labels.cells.OFF_SCALE).any())
    st.warning(
        "There is no number while labels are not understood; what is kept has not changed.", icon=":material/block:"
    )
    if is_scale:
        st.warning(plain(_beyond(study, bad)), icon=":material/rule:")
        _other_scales(study)
    elif study.labels.unreadable:
        st.warning(plain(unreadable(study)), icon=":material/rule:")
    # A number means what it does in its list alone: it is said where the list comes back.
    there = [one for one in study.labels.words_to_ask(bad) if number_in(one.word) is None and len(one.word) <= _LONGEST]
    free = KINDS[study.kind].averaged and study.labels.unbounded
    judges, asked = KINDS[study.kind].judges and not free, 0 < len(there) <= _MOST
    if not is_scale and not study.labels.unreadable:
        of_list = study.labels.of_list(study.labels.rows, study.labels.settlement)
        kinds, scale = not study.labels.asks_for_verdicts, labels.cells.off_scale(of_list, study.kind)
        way = verdicts.remedy(judges, kinds, asked, scale, free)
        st.warning(plain(f"{labels.cells.statement(bad)} {way}"), icon=":material/rule:")
    if asked:
        meanings = labels.MEANINGS if judges else labels.MEANINGS[-1:]
        verdicts.ask(
            there, f"{counted(len(bad), 'label')} {'uses' if len(bad) == 1 else 'use'}", "No verdict", None, meanings
        )
    back_to_the_list(study)
    st.stop()


def _beyond(study: Study, bad: pd.DataFrame) -> str:
    """Name scores that lie outside their scale: a slip, or another scale."""
    scores, many = _scores(study), len(bad)
    low, high = (significant(end, 3) for end in (min(scores), max(scores)))
    scale = KINDS[study.kind].scale
    way = "allow it below, or choose theirs in “Settings”" if scale is None else "choose theirs in “Settings”"
    return (
        f"{many:,} of {counted(len(scores), 'score')} {'lies' if many == 1 else 'lie'} outside {scale or '0 to 1'} "
        f"({_examples(bad)}; all run from {low} to {high}). If they are on another scale, {way}; correct slips in the "
        "file and take it back on page Label."
    )


def _scores(study: Study) -> list[float]:
    """Return all numbers among the labels."""
    given = (labels.canonical(str(label), "score") for label in study.labels.rows["label"].dropna())
    return [float(score) for score in given if score is not None]


def _other_scales(study: Study) -> None:
    """Draw the ways to read scores that lie outside their scale: the first known scale that has them all, or none."""
    scores, slips = _scores(study), labels.cells.off_scale(study.labels.rows, study.kind) is None
    scales = () if slips else tuple(KINDS[labels.scored(one)] for one in SCALES)
    fits = (one for one in scales if one.allows(min(scores)) and one.allows(max(scores)))
    with st.container(horizontal=True):
        if (kind := next(fits, None)) is not None:
            st.button(
                f"Read them as grades, {kind.scale}",
                key="read-on-scale",
                icon=":material/straighten:",
                type="primary",
                on_click=SAYS.set,
                args=(kind.name,),
            )
        if KINDS[study.kind].scale is None:
            st.button("Allow scores outside 0 to 1", icon=":material/open_in_full:", on_click=_allow)


def _examples(rows: pd.DataFrame) -> str:
    named = [
        f"item “{shortened(str(row.item_id), _LONGEST)}” = “{shortened(str(row.label), _LONGEST)}”"
        + (f" by “{shortened(str(row.annotator), _LONGEST)}”" if row.annotator else "")
        for row in rows.head(_SHOWN).itertuples()
    ]
    return ", ".join(named) + (", …" if len(rows) > _SHOWN else "")


def _allow() -> None:
    UNBOUNDED.set(True)
