"""The version gate on page Versions: whether a new version is worse, by the items alone whose answers differ."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

import pandas as pd
import streamlit as st

from core.bank import bank_versions, oldest_first, predecessors, with_version
from core.errors import HomeError
from core.figures import intervals
from core.gates import (
    Chances,
    VersionDecision,
    VersionGate,
    by_words,
    chances,
    gate_of,
    known_losses,
    listed_pool,
    points,
    pool_of,
    request,
)
from core.gates import gate as plan_gate
from core.labels import to_csv
from core.pool import Pool, newest_first
from core.prospect import Question
from core.report import gate_html
from core.study import BegunGate, begun
from core.words import PER_CENT, counted, first_sentence, per_cent
from pages.parts import downloads, targets
from pages.parts.app import address, frame, kept, session, state
from pages.parts.markup import plain
from pages.parts.plan.controls import KNOWN_OUTCOMES, LOOKS, MARGIN, VERDICTS_FOLLOW
from pages.parts.views import verdicts
from pages.parts.widgets import controls
from pages.parts.widgets.control import Toggle

# Larger pools take seconds to look through.
_MOST_ITEMS = 50_000
# The story on the bundled benchmark, as an address has it.
STORY = {
    controls.GATE_OLD.key: "Meta-Llama-3-70B",
    controls.GATE_NEW.key: "Meta-Llama-3_1-8B-Instruct",
    VERDICTS_FOLLOW.key: controls.FOLLOWING,
    KNOWN_OUTCOMES.key: "true",
}
_COLUMNS = {
    "what": st.column_config.TextColumn("Answers differ and", pinned=True),
    "items": st.column_config.NumberColumn("Items", format="localized"),
    "known": st.column_config.NumberColumn("Known", format="localized", help="Without a label."),
    "labels": st.column_config.NumberColumn("On list", format="localized"),
}

_WORSE = {"pass": "Not worse", "fail": "Worse"}
USUAL_GATE = "A usual test labels items drawn from all, of both versions, and needs so many to be as sure."


def section(pool: Pool) -> None:
    """Draw the gate: its versions and rule, how many labels it takes and on which items, and what is decided."""
    if (own := gate_of(pool)) is not None:
        _of_list(pool, own)
        return
    pool = targets.known(pool)
    names = pool.targets.answered
    known = bank_versions(verdicts.bank(pool), pool) if pool.n_items <= _MOST_ITEMS else ()
    if not names or len(names) + len(known) < 2:
        st.markdown(
            "A version gate tells whether a new version is worse, by the answers of both to the same items. This pool "
            "has the answers of fewer than two, and the bank has no graded version with answers to these items. Add "
            "the file of the other version on page Pool."
        )
        _by_verdicts(pool)
        _story(pool)
        return
    left, right = frame.controls_and_figures(3, 7)
    with left, frame.errors():
        planned, whole = _asked(pool, names, known)
    with right, frame.errors():
        _read(planned, whole)
        started = begun(state.archive(), pool, planned.old, planned.new)
        if started is not None:
            _decided(started, lambda: _further(pool, whole, planned, started))
            st.caption("This list has labels, so its items and its rule no longer change.")
        elif planned.order.size:
            _known(pool, whole, planned)
        else:
            decision = planned.decide({})
            frame.headline(plain(decision.sentence))
            _verdict(decision)
            st.markdown(plain(planned.sentence))
            _carried(whole, planned)
            _all_known(planned, _outcomes(pool, planned))
    _story(pool)


def _by_verdicts(pool: Pool) -> None:
    """Offer the gate of a version whose verdicts alone are known: its accuracy less the margin is the bar."""
    parser = controls.current_parser()
    known = [name for name in newest_first(pool.targets) if pool.targets[name].known(parser) == pool.n_items]
    # A bar is an accuracy, which losses outside 0 to 1 do not have.
    known = [name for name in known if not math.isnan(pool.targets[name].weighted_accuracy(parser))]
    if not known:
        return
    cells = st.columns(2)
    with cells[0]:
        old = controls.GATE_OLD.of({name: name for name in known}).draw()
    with cells[1]:
        margin = MARGIN.draw()
    accuracy = 100 * pool.targets[old].weighted_accuracy(parser)
    bar = round(min(max(accuracy - margin, controls.BAR.low), controls.BAR.high), 1)
    frame.finding(
        f"By verdicts (right or wrong) alone: is the new version right on at least {bar:g}{PER_CENT} of these items?"
    )
    st.markdown(
        plain(
            f"“{old}” is right on {per_cent(accuracy / 100, 1)}, so that a version below {bar:g}{PER_CENT} is worse by "
            f"more than {margin:g} points. Draw a list for the new version by what the others got wrong, and run it on "
            "these items alone: page Estimate then says ship or hold by this bar."
        )
    )
    kind, part = {controls.LABEL_KIND.key: "right-wrong"}, {controls.PART.key: controls.LIST}
    asked = {controls.TARGET.key: controls.NEW, controls.BAR.key: f"{bar:g}"} | kind | part
    with st.container(horizontal=True):
        frame.step("pages/label.py", "Draw the list for the new version", ":material/checklist:", **asked)
        frame.step("pages/plan.py", "How many runs that takes", ":material/flag:", **{controls.BAR.key: f"{bar:g}"})


def _asked(pool: Pool, names: tuple[str, ...], known: tuple[str, ...]) -> tuple[VersionGate, Pool]:
    """Draw the controls; return the gate that they ask for, and the pool with the answers of both versions.

    Parameters
    ----------
    pool : Pool
        The current pool.
    names, known : tuple of str
        Its targets with answers, and models that the bank alone knows, which may be the old version.
    """
    bank, latest = verdicts.bank(pool), controls.TARGET.address
    own = kept.once("version gates", (verdicts.key_of(pool), names, "order"), lambda: oldest_first(bank, names))
    if pool.digest == state.published().digest:
        # None of its models follows another one, so it begins with the story’s.
        pair = STORY[controls.GATE_OLD.key], STORY[controls.GATE_NEW.key]
        own, latest = (*(name for name in own if name not in pair), *pair), None
    led = controls.GATE_OLD.address or controls.GATE_NEW.address
    if led:
        # Links of earlier versions leave out what was the default: the target, then the pool's order.
        newest = sorted(names, key=lambda name: name != latest)
    else:
        # Never the oldest: a link from another page has a target, whether or not anybody chose it.
        first = latest if latest in own[1:] else own[-1]
        newest = [first, *predecessors(own, first)]
    change = partial(_change, own)
    new = controls.GATE_NEW.of({name: name for name in newest}).draw(change)
    others = [name for name in newest if name != new] if led else predecessors(own, new)
    olds = {name: name for name in others} | {name: f"{name} (bank)" for name in known}
    old = controls.GATE_OLD.of(olds).draw(change)
    margin = MARGIN.draw() / 100
    follows = VERDICTS_FOLLOW.draw() == controls.FOLLOWING
    looks = LOOKS.draw()
    parser = controls.current_parser()
    key = (verdicts.key_of(pool), old, new, margin, looks, follows, parser)
    whole = pool
    if old in known:
        added = (verdicts.key_of(pool), old, "added")
        whole = kept.once("version gates", added, lambda: with_version(pool, bank, old))
    asked = partial(plan_gate, whole, old, new, margin, bank=bank, looks=looks, follows=follows)
    # What is left out stands beside the verdict.
    make = partial(asked, parser=parser, banked=old in known, partial=True)
    return kept.once("version gates", key, make), whole


def _read(planned: VersionGate, whole: Pool) -> None:
    """Warn of free texts that are compared word for word, and offer to read their answers otherwise."""
    said = by_words(planned, whole, controls.current_parser())
    if said:
        st.warning(plain(said), icon=":material/rule:")
    if said or controls.PARSER.address is not None:
        controls.parser()


def _change(own: Sequence[str]) -> None:
    """Have the address name both versions once either was chosen."""
    old, new = session.widget(controls.GATE_OLD.key), session.widget(controls.GATE_NEW.key)
    controls.GATE_NEW.set(new)
    controls.GATE_OLD.set(predecessors(own, new)[0] if old == new else old)


def _planned(planned: VersionGate) -> None:
    """Draw which items have to be labelled, and the chance of each verdict beside that of a usual gate."""
    table = planned.strata_table()
    drawn = intervals.gate_items(*planned.parts)
    alt = "Items by whether answers differ, and which of them are to be labelled."
    frame.chart(drawn, "gate-items", alt, button=False)
    likely = _likely(planned)
    st.markdown(plain(likely.sentence), help=plain(f"{likely.about} {planned.rates} {planned.why_rates}".strip()))
    alt = "Chance to pass and to fail against the true difference, of this gate and of the usual one."
    frame.chart(intervals.chances(likely.table, planned.margin), "version-gate", alt)
    with st.expander("Which items", icon=":material/table_rows:"):
        alt = "Items whose answers differ, by the old version’s verdict."
        order = ["what", "items", *(["known"] if table["known"].any() else []), "labels"]
        st.dataframe(table, hide_index=True, column_order=order, column_config=_COLUMNS, alt=alt)
        st.caption(plain(likely.about))
        _rates(planned)


def _likely(planned: VersionGate) -> Chances:
    return kept.once("version gates", (planned, "chances"), lambda: chances(planned))


def _verdict(decision: VersionDecision, key: str = "verdict", rest: str = "") -> None:
    """Draw the verdict as a word with its icon and colour, and the difference on a scale with the margin."""
    frame.verdict(decision.verdict.capitalize(), {"pass": True, "fail": False}.get(decision.verdict), rest)
    one, margin = decision.difference, decision.gate.margin
    if math.isfinite(one.low) and math.isfinite(one.high):
        row = {"label": "", "value": -one.value, "low": -one.high, "high": -one.low}
        alt = "Difference in accuracy with its interval, beside the margin."
        frame.chart(intervals.verdict(pd.DataFrame([row]), margin, decision.verdict), key, alt)


def _list(pool: Pool, whole: Pool, planned: VersionGate) -> None:
    """Offer the list: to page Label, or as a file."""
    listed = kept.once("version gates", (planned, "list"), lambda: listed_pool(planned, whole, pool.digest))
    make, keep = downloads.in_turn(lambda: to_csv(request(planned, whole)), partial(_keep, listed))
    with st.container(horizontal=True):
        if st.button("Label these items", type="primary", icon=":material/checklist:", key="label-version-gate"):
            # How answers are read holds for these items too, and the address forgets it with the pool.
            here = address.choices()
            state.choose(listed)
            uniform = {controls.ALLOCATION.key: ["uniform"], controls.PART.key: [controls.PART.default]}
            where = here.replace(design=controls.PAPERS, plan=None, seed=None, others=uniform)
            where = where.replace(
                pool=state.shortened(listed.digest), budget=listed.n_items, target=planned.new, kind="right-wrong"
            )
            st.switch_page("pages/label.py", query_params=where.parameters())
        name = f"{downloads.slug('neyman-gate', planned.old, planned.new)}.csv"
        st.download_button("List as CSV", make, name, "text/csv", on_click=keep, icon=":material/download:")
    st.caption(
        "The file names the versions by codes, so that no name influences anybody. Fill the column “label” with right "
        "or wrong. "
        "“Label these items” opens the same list on page Label, which takes the filled file back."
    )


@frame.in_callback
def _keep(listed: Pool) -> None:
    try:
        state.archive().pools.save(listed, state.now())
    except HomeError as error:
        raise HomeError(f"The list was downloaded, but it is not kept yet. {error} Then download it again.") from error


def _known(pool: Pool, whole: Pool, planned: VersionGate) -> None:
    """Draw the list that decides; below what known outcomes decide already, if every one is known."""
    known = _outcomes(pool, planned)
    listed = {item: known[item] for item in planned.items["item_id"] if item in known}
    settled = planned.settled(known) if len(known) == planned.n_items else None
    if settled is None:
        _listed(pool, whole, planned, known, listed, KNOWN_OUTCOMES)
        return
    # Without the labels that nobody has to give.
    frame.finding(plain(settled.gap))
    by_margin = f"{_WORSE.get(settled.verdict, 'Perhaps worse')} by more than {100 * planned.margin:g} points."
    _verdict(settled, rest=by_margin)
    if planned.runs is not None:
        st.markdown(plain(first_sentence(settled.sentence)[1]))
    for also in filter(None, [planned.elsewhere(known), planned.left_out]):
        st.markdown(plain(also))
    if planned.runs is not None:
        return
    if box := frame.panel("What a list would have taken", "gate-list", "checklist", KNOWN_OUTCOMES.value):
        with box:
            shown = replace(KNOWN_OUTCOMES, label="Show what the list would have decided")
            _listed(pool, whole, planned, known, listed, shown)


def _listed(
    pool: Pool,
    whole: Pool,
    planned: VersionGate,
    known: Mapping[object, float],
    listed: Mapping[object, float],
    shown: Toggle,
) -> None:
    """Draw what the list takes, or what its known outcomes decide; then its items, its chances and its file."""
    head = st.container()
    decided = len(listed) == len(planned.order) and shown.draw()
    with head:
        first, rest = first_sentence(planned.sentence)
        if decided:
            decision = planned.decide(listed)
            frame.headline(plain(decision.sentence))
            _verdict(decision, "verdict-of-list")
            _all_known(planned, known)
            st.markdown(plain(planned.sentence))
        else:
            usual = _likely(planned).usual_needed
            instead = f", instead of {usual:,}" if usual is not None and usual > planned.n_labels else ""
            frame.finding(plain(f"{first.removesuffix('.')}{instead}"), USUAL_GATE if instead else "")
            st.markdown(plain(rest))
        if planned.or_all and len(known) < planned.n_items:
            st.markdown(plain(planned.or_all))
    _carried(whole, planned)
    _planned(planned)
    _list(pool, whole, planned)


def _carried(whole: Pool, planned: VersionGate) -> None:
    """Say how many verdicts on the new version are known, if they count."""
    if VERDICTS_FOLLOW.value == controls.FOLLOWING:
        known = verdicts.known(whole, Question(planned.new, parser=controls.current_parser()))
        if known is not None:
            st.markdown(plain(known.beside(planned.old, 1 - planned.share)))


def _outcomes(pool: Pool, planned: VersionGate) -> dict[object, float]:
    """Known losses of the new version on the items that are compared."""
    known, compared = known_losses(pool, planned.new, controls.current_parser()), {*planned.pool_ids.tolist()}
    return {item: loss for item, loss in known.items() if item in compared}


def _all_known(planned: VersionGate, known: Mapping[object, float]) -> None:
    """Show the exact difference if the outcome of every item is known."""
    if len(known) == planned.n_items:
        exact = planned.decide(known).difference
        all_of = counted(len(known), "known outcome")
        st.markdown(plain(f"All {all_of} together give a difference of exactly {points(exact.value)} points."))


def _of_list(pool: Pool, own: VersionGate) -> None:
    """Draw what the labels say of the gate whose list the current pool is."""
    started = begun(state.archive(), pool, own.old, own.new)
    if started is None:
        frame.headline(plain(f"This pool is the list of a version gate. {own.selection}"))
        _rates(own)
        frame.step("pages/label.py", "Label its items", ":material/checklist:", budget=str(pool.n_items))
    else:
        _decided(started, lambda: _elsewhere(started))
        st.markdown(plain(own.selection))
    both = {controls.GATE_OLD.key: own.old, controls.GATE_NEW.key: own.new, controls.TARGET.key: own.new}
    back = address.parameters(pool_of(pool), **both)
    st.page_link("pages/versions.py", label="The pool of this gate", icon=":material/database:", query_params=back)


def _further(pool: Pool, whole: Pool, planned: VersionGate, started: BegunGate) -> None:
    """Lead from a list that left it undecided to its rest, which decides exactly."""
    key = (planned, started.plan_id, frozenset(started.losses.items()), "rest")
    rest = kept.once("version gates", key, lambda: started.further(planned))
    if rest is None:
        if started.next_step:
            st.markdown(plain(f"{started.next_step} This needs answers that are read as they were for the list."))
    elif rest.order.size:
        st.markdown(plain(started.next_step))
        _list(pool, whole, rest)
    else:
        settled = rest.decide({})
        frame.finding(plain(settled.sentence))
        _verdict(settled)


def _elsewhere(started: BegunGate) -> None:
    if started.next_step:
        st.markdown(plain(f"{started.next_step} The page of its pool, linked below, has their list."))


def _decided(started: BegunGate, then: Callable[[], None]) -> None:
    """Draw what is decided, what comes next, and the files of a finished list."""
    decision, gate = started.decision, started.gate
    frame.headline(plain(decision.sentence))
    _verdict(decision)
    then()
    for also in filter(None, [started.remark, gate.left_out]):
        st.markdown(plain(also))
    _rates(gate)
    # The old version's answers are graded once those of the new one are.
    new_left = any((item, gate.new) not in started.losses for item in gate.items["item_id"])
    old_left = {*gate.gradings.itertuples(index=False, name=None)} - started.losses.keys()
    to = address.choices().replace(
        pool=state.shortened(started.pool.digest),
        plan=started.plan_id,
        design=None,
        seed=None,
        target=gate.old if old_left and not new_left else gate.new,
    )
    finished, icon = decision.n_graded == decision.n_listed, ":material/checklist:"
    label = "Its list and labels" if finished else "Continue its list"
    st.page_link("pages/label.py", label=label, icon=icon, query_params=to.parameters())
    if finished:
        name = downloads.slug("neyman-gate", gate.old, gate.new)
        with st.container(horizontal=True):
            st.download_button(
                "Verdict as HTML",
                lambda: gate_html(started),
                f"{name}.html",
                "text/html",
                on_click="ignore",
                icon=":material/description:",
            )
            downloads.csv("Verdict of each item as CSV", lambda: downloads.as_csv(started.verdicts()), f"{name}.csv")


def _rates(planned: VersionGate) -> None:
    if planned.rates:
        st.markdown(plain(planned.rates), help=plain(planned.why_rates) or None)


def _story(pool: Pool) -> None:
    """Offer the gate on published models, if it is not what is shown."""
    if pool.digest == state.published().digest:
        return
    about = address.parameters(state.published().digest, **STORY)
    label = f"See it on MMLU-Pro: {STORY[controls.GATE_OLD.key]} and {STORY[controls.GATE_NEW.key]}"
    st.page_link("pages/versions.py", label=label, icon=":material/science:", query_params=about)
