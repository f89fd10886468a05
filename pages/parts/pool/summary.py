"""The first screen of page Pool: what a file has, its models, what the method is worth there, and the next step."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pandas as pd
import streamlit as st

from core.judge import n_judged, named_judge
from core.pool import Pool, named_versions, newest_first, shown
from core.prospect import Prospect
from core.words import UNKNOWN, counted, per_cent
from pages.parts import downloads, prospects
from pages.parts.app import frame, session, state
from pages.parts.markup import meanings, plain
from pages.parts.plan.controls import THIS_POOL
from pages.parts.pool import mapping
from pages.parts.views import promises
from pages.parts.widgets import controls

# Rows of the table in sight, their height, and notes below the headline; the others are on a tab.
_ROWS, _ROW, _NOTES = 5, 35, 2
_LONGEST = 40
_TARGET, _PAST, _OTHER = "model under test", "past results", "another model"
_ORDER = {_TARGET: 0, _PAST: 2, _OTHER: 3}


def contents(pool: Pool) -> str:
    """Return what a pool has in one sentence: items, models, right answers, and the cheap model's answers."""
    sizes, judging = [pool.sizes], named_judge(pool)
    models, there = counted(len(pool.targets), "model"), {*pool.item_columns}
    if not pool.targets:
        sizes += ["no model’s answers"] if judging is None else []
    else:
        answered, keyed = bool(pool.targets.answered), "answer" in there
        scored = not keyed and any(target.known() for target in pool.targets.values())
        said = ["answers"] * answered + ["scores"] * (scored or not answered)
        sizes.append(f"{' and '.join(said)} of {models}")
        sizes += [] if scored or not answered else ["right answers" if keyed else "no right answers"]
    if pool.n_generations:
        sizes.append(f"{counted(pool.n_generations, 'answer')} of a cheap model")
    if judging is not None:
        sizes.append(f"judge {shown(judging, _LONGEST)}")
    return f"{shown(pool.name, _LONGEST)}: {', '.join(sizes)}"


def section(pool: Pool) -> None:
    """Draw the sentence, what the file was read as, and what its reader and its tool say of it."""
    frame.finding(plain(contents(pool)), f"Fingerprint of its contents: {pool.digest[:12]}")
    origin, bundled = pool.origin, state.is_bundled(pool)
    earlier, said = " for an earlier file" * mapping.is_remembered(pool), list[str]()
    if origin is not None:
        known = f"Recognized as **{plain(origin.format)}**"
        said.append(f"{known}." if origin.format else f"Read with the fields that **you chose**{earlier}.")
    more = len(pool.remarks) - _NOTES
    said += [plain(note) for note in (*pool.remarks[:_NOTES], judged(pool)) if note]
    if more > 0:
        said.append(f"{counted(more, 'more note')} on tab “Account”.")
    if said:
        st.caption(" ".join(said))
    mapping.left_out(pool)
    for difference in pool.account.differences if pool.account is not None and not bundled else ():
        st.warning(plain(difference), icon=":material/difference:")


def models(pool: Pool, prospect: Prospect | None, kind: str | None) -> pd.DataFrame:
    """Return a row for each model: its accuracy, on how many items an outcome is known, and its role; target first."""
    chosen, rows = prospects.target(pool) if prospect is None else prospect.question.target, []
    for name in list(pool.targets)[: state.MANY_MODELS]:
        target = pool.targets[name]
        known = target.known(kind)
        role = _TARGET if name == chosen else _PAST if known else _OTHER
        rows.append([name, target.weighted_accuracy(kind), known, role])
    table = pd.DataFrame(rows, columns=["model", "accuracy", "known", "role"]).astype({"known": "Int64"})
    if pool.n_generations:
        most = "" if pool.complete else "up to "
        each = f"cheap model, {most}{counted(pool.n_generations, 'answer')} each"
        table.loc[len(table)] = ["Surrogate", math.nan, None, each]
    table = table.sort_values("accuracy", ascending=False, kind="stable")
    return table.sort_values("role", key=lambda roles: roles.map(_ORDER).fillna(1), kind="stable", ignore_index=True)


def models_table(pool: Pool, table: pd.DataFrame) -> None:
    """Draw the models; of very many the first."""
    if table.empty:
        return
    st.dataframe(
        downloads.in_per_cent(table, ["accuracy"]),
        hide_index=True,
        placeholder=UNKNOWN,
        height=_ROW * (min(len(table), _ROWS) + 1) + 3,
        column_config={
            "model": st.column_config.TextColumn("Model", pinned=True),
            "accuracy": downloads.share("Accuracy"),
            "known": st.column_config.NumberColumn("Known on", format="localized", help="Items with a known outcome."),
            "role": st.column_config.TextColumn("Role"),
        },
        alt="The models of the pool: accuracy, number of items with a known outcome, and role.",
    )
    if (cut := len(pool.targets) - state.MANY_MODELS) > 0:
        st.caption(f"{counted(cut, 'more model')}.")


# Larger pools take seconds to sort; pages Explore and Plan do it when they are opened.
_LARGE = 50_000


def prospect_of(pool: Pool) -> Prospect | None:
    """Return what is known of a pool beforehand; None for one item, and for a pool that takes seconds to sort."""
    return prospects.current(pool) if 1 < pool.n_items <= _LARGE else None


def worth(pool: Pool, prospect: Prospect | None) -> None:
    """Draw in a sentence what labels are worth on the pool, and what that rests on."""
    if prospect is None:
        st.markdown("Page Plan says how precise labels of these items are, and what they cost.")
        return
    if promises.labelled(prospect):
        return
    promise, fact = prospect.promise, prospect.fact
    known = ""
    if fact is not None and not state.is_bundled(pool):
        st.markdown(plain(f"{fact.title}: no labels are needed for that."), help=plain(fact.because))
        known = fact.rehearsal
    promises.part(prospect)
    if prospect.uniform and named_judge(pool) is not None:
        st.markdown("A few labels tell how far the judge (an automatic grader) can be trusted.")
        return
    if prospect.uniform:
        st.markdown(plain(f"{promise.title} with {counted(promise.labels, 'label')}: nothing predicts mistakes yet."))
        return
    signal = prospect.signal.replace("semantic entropy", "semantic entropy (how much answers disagree)")
    st.markdown(plain(f"Items can be sorted by {signal}. {promise.verdict}"), help=meanings(promise.verdict))
    why = (
        f"Of the cheap model, all answers agree on {per_cent(prospect.profile.agreeing)} of the items."
        if pool.n_generations
        else prospect.why
    )
    labels = "" if promise.exact else f"With {counted(promise.labels, 'label')}."
    rest = (why, promise.rests_on, labels, known)
    st.caption("What this rests on", help=plain(" ".join(filter(None, rest))))


def judged(pool: Pool) -> str:
    """Say whose verdicts a pool of outputs has; nothing of any other pool."""
    judging = named_judge(pool)
    if judging is None:
        return ""
    known = n_judged(pool, judging)
    if known == pool.n_items:
        return f"“{judging}” passes or fails each item."
    return (
        f"“{judging}” has verdicts on {known:,} of {pool.n_items:,} items, and a judge needs one on each. If people "
        "gave them, they are a target’s score: see “Fields”."
    )


def onward(pool: Pool, prospect: Prospect | None) -> None:
    """Draw the next step as a filled button, the ones that fit less well as links, and what to do with the pool."""
    (page, label, icon, more), *others = _ways(pool, prospect)
    with st.container(horizontal=True, vertical_alignment="center"):
        frame.next_step(page, label, icon, **more)
        for page, label, icon, more in others[:1]:
            frame.step(page, label, icon, **more)
        _keeping(pool)


def _ways(pool: Pool, prospect: Prospect | None) -> Iterator[tuple[str, str, str, dict[str, str]]]:
    """Yield the pages that a pool leads to, the best first, each with its link's words, icon and parameters."""
    if named_judge(pool) is not None:
        yield "pages/judge.py", "How good is the judge?", ":material/gavel:", {}
    if named_versions(names := pool.targets.answered):
        new, old, *_ = newest_first(names)
        pair = {controls.GATE_OLD.key: old, controls.GATE_NEW.key: new}
        yield "pages/versions.py", "Is the new version worse?", ":material/difference:", pair
    elif len(names) > 1 and not (prospect is not None and prospect.is_exact):
        yield "pages/models.py", "Which model is best?", ":material/emoji_events:", {}
    if prospect is not None and not prospect.uniform and prospect.is_exact:
        yield "pages/explore.py", "Explore what the method gains", ":material/query_stats:", {}
    if not pool.n_generations and "prompt" in pool.item_columns and (prospect is None or prospect.uniform):
        yield "pages/surrogate.py", "Ask a cheap model first", ":material/smart_toy:", {}
    plan = {"plan-for": THIS_POOL}
    yield "pages/plan.py", "Plan the labels", ":material/calculate:", plan
    yield "pages/label.py", "Draw the items to label", ":material/checklist:", {}


def _keeping(pool: Pool) -> None:
    """Draw the way to rename and to forget the current pool; nothing for one that the home does not list."""
    archive = state.archive()
    if pool.digest not in set(archive.pools.listed()["digest"]):
        return
    if (menu := frame.menu("Rename or forget", "keeping", "edit")) is None:
        return
    with menu, frame.errors():
        # Here, so that other pages do not wait for what only jobs use.
        from core.surrogate import forget_pool, pool_holdings

        st.text_input("Name", pool.name, key=f"name-{pool.digest[:8]}-{pool.name}", on_change=_rename, args=(pool,))
        held = pool_holdings(archive, state.store(), pool.digest)
        st.markdown(plain(held.sentence))
        if held.running:
            st.caption(plain(f"The run {held.running[0]} works on it: stop it first, or wait until it is over."))
        if not st.button("Take it off the lists", key="forget-pool", disabled=bool(held.running)):
            return
        forget_pool(archive, state.store(), pool.digest)
        session.write({"pool": None})
        st.toast(plain(f"{pool.name} is off the lists."), icon=":material/check:")
        st.rerun()


@frame.in_callback
def _rename(pool: Pool) -> None:
    name = str(session.widget(f"name-{pool.digest[:8]}-{pool.name}") or "").strip()
    if name:
        state.rename(pool, name)
