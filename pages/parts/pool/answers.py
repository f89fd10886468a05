"""The answers of a pool: hints above the tabs; how much they disagree, how they are read, and which are not."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pandas as pd
import streamlit as st

from core.answers import KINDS, OPEN, PATTERNS
from core.figures import strata
from core.pool import Pool, shown, spellings
from core.readers import FolderPool
from core.simulation import findings
from core.stratification import Profile, value_counts
from core.study import plans_by_earlier_rules
from core.words import UNKNOWN, first_sentence, per_cent
from pages.parts import downloads, prospects
from pages.parts.app import address, frame, kept, session, state
from pages.parts.markup import plain
from pages.parts.surrogate import roles
from pages.parts.widgets import controls

_LONGEST = 30


def hint(pool: Pool, profile: Profile, kind: str | None) -> None:
    """Say so if texts look unparsed, or if one number counts as several answers; with the way to mend it."""
    several = kept.once("spellings", pool.digest, lambda: spellings(pool)) if kind is None else None
    if several is not None:
        first, second = shown(several.first, _LONGEST), shown(several.second, _LONGEST)
        gain = ""
        if not isinstance(pool, FolderPool):
            now, then = (per_cent(one.agreeing) for one in (profile, prospects.profile(pool, "number")))
            gain = f" Read as numbers, all answers agree on {then} of the items, now on {now}."
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(
                plain(
                    f"On {per_cent(several.share)} of the items, one number is written in several ways, such as "
                    f"{first} and {second}, and counts as several answers.{gain}"
                ),
                width="content",
            )
            st.button("Read them as numbers", icon=":material/123:", on_click=_as_numbers)
    elif findings.looks_raw(profile.signal, pool.n_generations):
        st.warning(
            "On most items every generation is its own answer. These look like raw texts: choose on tab “Answers” how "
            "they are read.",
            icon=":material/rule:",
        )


def earlier_rules(pool: Pool) -> None:
    """Say if lists were drawn under earlier rules for reading answers, and offer to read the file again."""
    said = plans_by_earlier_rules(state.archive(), pool)
    if not said:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.info(plain(said), icon=":material/history:")
        if pool.origin is not None:
            st.caption("What the file’s reader chose was kept: open the file again above to read it by today’s rules.")
        frame.step("pages/label.py", "Draw a list by today’s rules", ":material/checklist:")


def _as_numbers() -> None:
    controls.PARSER.set("number")


_LOOK: dict[str, Any] = {"delta_color": "off", "delta_arrow": "off", "border": True}
_number = st.column_config.NumberColumn


def section(pool: Pool, profile: Profile | None, kind: str | None) -> None:
    """Draw how much the answers disagree, how they are read, and the texts without one.

    Parameters
    ----------
    pool : Pool
        The pool.
    profile : Profile or None
        Its disagreement with the present parser, if it has generations.
    kind : str or None
        The present parser, None for the pool's own.
    """
    if profile is not None:
        frame.headline(plain(findings.pool_finding(pool, profile)))
        _disagreements(profile)
    with st.columns([1, 1, 1])[0]:
        if pool.n_generations:
            controls.parser()
    _report(pool.parse_report(kind))
    if isinstance(pool, FolderPool):
        return
    _patterns(pool.unparsed(kind))
    _trial(pool, profile, kind)
    with st.container(horizontal=True):
        if _needs_judge(pool):
            _to_surrogate(
                "Have a judge look at the answers",
                "gavel",
                "A model says of each answer how likely it is right. That sorts the items, so fewer labels are enough.",
                roles.preset_judge,
            )
        if roles.is_open_ended(pool):
            _to_surrogate(
                "Group these answers by meaning",
                "join_inner",
                "A judge says which of an item’s answers entail each other, if equal texts are too strict a rule.",
                roles.preset_meaning,
            )


def _needs_judge(pool: Pool) -> bool:
    """Whether right answers are free texts, and there are texts to hold against them."""
    if not {"prompt", "answer_kind"} <= {*pool.item_columns}:
        return False
    is_open = OPEN in pool.source.column("answer_kind").unique().to_pylist()
    return is_open and any(target.texts is not None for target in pool.targets.values())


def _to_surrogate(label: str, icon: str, more: str, preset: Callable[[], None]) -> None:
    """Draw a button that opens page Surrogate for a task."""
    if st.button(label, icon=f":material/{icon}:", help=more, on_click=preset):
        st.switch_page("pages/surrogate.py", query_params=address.choices().parameters())


def _disagreements(profile: Profile) -> None:
    """Draw the shares of items at each value of semantic entropy and of self-consistency."""
    entropy, rest = first_sentence(findings.signal_finding(profile.signal))
    same = findings.consistency_finding(profile.consistency)
    shown = (
        ("Semantic entropy", entropy.removesuffix("."), rest, "Semantic entropy (nats)", profile.signal, 0.0),
        ("Self-consistency", same, "", "Share of the most frequent answer", profile.consistency, 1.0),
    )
    for column, (name, words, more, axis, values, agreed) in zip(st.columns(2, gap="large"), shown, strict=True):
        with column:
            st.markdown(f"**{name}: {words}**", help=more or None)
            table = value_counts(values)
            drawn = strata.distribution(table["value"].tolist(), table["items"].tolist(), axis, agreed)
            alt = f"Share of items at each value of {name.lower()}; full agreement highlighted."
            frame.chart(drawn, name.split("-")[-1].split()[-1], alt)


def _report(table: pd.DataFrame) -> None:
    """Draw how many texts had an answer."""
    st.dataframe(
        downloads.in_per_cent(table, ["unparsed_share"]),
        hide_index=True,
        placeholder=UNKNOWN,
        column_config={
            "source": st.column_config.TextColumn("Source", pinned=True),
            "texts": _number("Texts", format="localized"),
            "parsed": _number("With an answer", format="localized"),
            "unparsed": _number("Without one", format="localized"),
            "unparsed_share": downloads.share("Share without"),
            "distinct_answers": _number("Different answers", format="localized"),
            "example": "Example of a text without",
        },
        alt="Texts with and without an answer.",
    )


def _patterns(missing: pd.DataFrame) -> None:
    if missing.empty:
        st.markdown("An answer was found in every text.")
        return
    st.markdown("**Texts without an answer, by what they look like**")
    st.caption("Those of one item’s generations count as one meaning together; a target’s count as wrong.")
    shown = missing.assign(meaning=[PATTERNS[name] for name in missing["pattern"]])
    st.dataframe(
        downloads.in_per_cent(shown, ["share"])[
            ["source", "pattern", "texts", "share", "meaning", "example", "item_id"]
        ],
        hide_index=True,
        column_config={
            "pattern": st.column_config.TextColumn(pinned=True),
            "texts": st.column_config.NumberColumn("texts", format="localized"),
            "share": downloads.share("share"),
            "example": st.column_config.TextColumn("example (its end)", width="large"),
            "item_id": "item",
        },
        alt="Texts without an answer by pattern, with an example of each.",
    )


def _trial(pool: Pool, profile: Profile | None, kind: str | None) -> None:
    """Draw what another parser would change, before it is used."""
    others = [one for one in (controls.OWN, *KINDS) if one != (kind or controls.OWN)]
    names = controls.PARSER.names
    chosen = st.selectbox(
        "Read answers another way",
        others,
        None,
        format_func=lambda one: names[one],
        key="try-parser",
        placeholder="Nothing changes until you use it",
        width=320,
    )
    if chosen is None:
        return
    other = None if chosen == controls.OWN else chosen
    st.markdown(f"**With “{names[chosen]}”**")
    if profile is not None:
        after = prospects.profile(pool, other)
        _disagreement(pool, kind, other, profile, after)
        known = [one.known.tolist() for one in (profile, after)]
        frame.chart(
            strata.compared(known[0], known[1], "Semantic entropy (nats)"),
            "parser-trial",
            "Share of items at each value of semantic entropy, as read now and as read the other way.",
        )
    if pool.targets:
        shares = ["accuracy now", "accuracy with it", "no answer now", "no answer with it"]
        st.dataframe(
            downloads.in_per_cent(_of_targets(pool, kind, other), shares),
            hide_index=True,
            placeholder=UNKNOWN,
            column_config={name: downloads.share(name) for name in shares}
            | {"target": st.column_config.TextColumn(pinned=True)},
            alt="Each target's accuracy and share of texts without an answer, now and read the other way.",
        )
        st.caption("Scores that the file states itself do not depend on how answers are read.")
    st.button(f"Use “{names[chosen]}”", icon=":material/check:", on_click=_use, args=(chosen,))


def _disagreement(pool: Pool, kind: str | None, other: str | None, before: Profile, after: Profile) -> None:
    """Draw what becomes of the generations, each number beside the present one."""
    mean = [before.mean, after.mean]
    shares = {
        "All answers agree": [float(one.agreeing) for one in (before, after)],
        "Generations without an answer": [pool.unparsed_share(one) for one in (kind, other)],
    }
    with st.container(horizontal=True):
        st.metric("Mean semantic entropy", f"{mean[1]:.3f}", f"now {mean[0]:.3f}", **_LOOK)
        for name, (now, then) in shares.items():
            st.metric(name, per_cent(then, 1), f"now {per_cent(now, 1)}", **_LOOK)


def _of_targets(pool: Pool, kind: str | None, other: str | None) -> pd.DataFrame:
    """Return a row for each target: its accuracy and share of texts without an answer, now and then."""
    reports = [pool.parse_report(one).set_index("source")["unparsed_share"] for one in (kind, other)]
    rows = []
    for name, target in pool.targets.items():
        accuracies = [target.accuracy(one) for one in (kind, other)]
        missing = [report.get(name, math.nan) for report in reports]
        rows.append([name, *accuracies, *missing])
    columns = ["target", "accuracy now", "accuracy with it", "no answer now", "no answer with it"]
    return pd.DataFrame(rows, columns=columns)


def _use(chosen: str) -> None:
    controls.PARSER.set(chosen)
    session.show("try-parser", None)
