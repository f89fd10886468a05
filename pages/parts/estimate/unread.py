"""Labels and answers on page Estimate that cannot be compared with each other, each with its own cause."""

from __future__ import annotations

import streamlit as st

from core import labels
from core.labels import DECISION, letter
from core.study import Study
from core.words import counted, shortened
from pages.parts.app import address
from pages.parts.estimate.handover import back_to_the_list
from pages.parts.markup import plain
from pages.parts.surrogate import role as surrogate_role

_SHOWN, _LONGEST = 3, 40
# From so many items on, no answer at all that looks like one is no accident; with options one is enough.
_ENOUGH, _SHARE = 5, 0.05
_OPTION, _NUMBER = "an option", "a number"
_MEANT = {"number": _NUMBER} | dict.fromkeys(("choice", "mmlu-pro", "mmlu-redux", "gpqa", "mmbench"), _OPTION)


def section(study: Study) -> None:
    """Show the labels that cannot be compared, and the remedy; end the page if none can be."""
    if study.outcomes.table.empty and study.labels.unknown:
        _nothing_known(study)
    if study.outcomes.table.empty:
        if not study.labels.ties:
            st.info("No label can be used yet, so there is no estimate.", icon=":material/info:")
        back_to_the_list(study)
        st.stop()
    if study.labels.unknown:
        cannot = f"{counted(len(study.labels.unknown), 'label')} cannot"
        st.warning(
            plain(
                f"{cannot} be compared: the pool knows no answer of “{study.target}” to these items. They are left "
                "out until the target has been run on them."
            ),
            icon=":material/rule:",
        )
    odd = _no_answers(study)
    if odd:
        st.warning(plain(odd), icon=":material/rule:")


def unreadable(study: Study) -> str:
    """Name right answers that cannot be read, and say what to do."""
    many = len(study.labels.unreadable)
    rows = study.labels.rows
    rows = rows[rows["item_id"].isin(study.labels.unreadable) & rows["label"].notna()]
    rows = rows[rows["annotator"] != DECISION]
    named = [
        f"item {shortened(str(row.item_id), _LONGEST)} = “{shortened(str(row.label), _LONGEST)}”"
        + (f" by “{row.annotator!s}”" if row.annotator else "")
        for row in rows.head(_SHOWN).itertuples()
    ]
    rest = ", …" if len(rows) > _SHOWN else ""
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
    example = "no answer found" if given is None else f"“{shortened(given, 2 * _LONGEST)}”"
    none = "None" if not any(fits) else f"Only {sum(fits):,}"
    what = "an option of its item or a right answer" if any(options) else "any item’s right answer"
    return (
        f"{none} of the {len(fits):,} answers of “{study.target}” is {what} (item {shortened(item, _LONGEST)}: "
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
        on_click=surrogate_role.preset,
        args=(study.plan.plan_id,),
    )
    if clicked:
        st.switch_page("pages/surrogate.py", query_params=address.choices().parameters())
    st.stop()
