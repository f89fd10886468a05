"""The recognized format of a pool's file on page Pool, what the method saves on it, and where to go from there."""

from __future__ import annotations

import streamlit as st

from core.judge import n_judged, named_judge
from core.pool import FileAccount, Origin, Pool, named_versions, newest_first
from core.prospect import Prospect
from core.readers import RIGHT, WRONG
from core.words import counted, per_cent
from pages.parts import prospects
from pages.parts.app import frame, state
from pages.parts.markup import plain
from pages.parts.plan.controls import THIS_POOL
from pages.parts.plan.others import savings_table
from pages.parts.pool import mapping
from pages.parts.views import promises
from pages.parts.widgets import controls


def first(pool: Pool) -> None:
    """Draw the way that most take with such a pool."""
    if named_judge(pool):
        frame.step("pages/judge.py", "How good is the judge?", ":material/gavel:")
    else:
        frame.step("pages/label.py", "Draw the items to label", ":material/checklist:")


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
        "gave them, they are a target’s score: “Change the fields”."
    )


def onward(pool: Pool, prospect: Prospect | None) -> None:
    """Draw the ways on; ``prospect``: what is known of the pool beforehand."""
    st.header("Next")
    if known := judged(pool):
        frame.step("pages/judge.py", "How good is the judge?", ":material/gavel:")
        st.caption(plain(f"{known} A few labels tell how far a judge can be trusted."))
    if named_versions(names := pool.targets.answered):
        new, old, *_ = newest_first(names)
        pair = {controls.GATE_OLD.key: old, controls.GATE_NEW.key: new}
        frame.step("pages/versions.py", "Is the new version worse?", ":material/difference:", **pair)
        st.caption(plain(f"{new} against {old}: only answers that differ are graded."))
    first, second, third = st.columns(3)
    with first:
        if pool.n_generations or pool.targets if prospect is None else not prospect.uniform:
            frame.step("pages/explore.py", "Explore what the method gains", ":material/query_stats:")
            exact = prospect is not None and prospect.is_exact
            st.caption(f"What each design saves with any number of labels{', exact from known outcomes' * exact}.")
        else:
            frame.step("pages/surrogate.py", "Ask a cheap model first", ":material/smart_toy:")
            st.caption("Labels are most useful where its answers disagree. Without them, items are drawn uniformly.")
    with second:
        plan = {"plan-for": THIS_POOL}
        frame.step("pages/plan.py", "Plan labels, precision and money", ":material/calculate:", **plan)
        st.caption("How precise labels are on this pool, how many you need for a precision, and what they cost.")
    with third:
        frame.step("pages/label.py", "Draw the items to label", ":material/checklist:")
        st.caption("A list for your annotators, or label right here.")


# Larger pools take seconds to sort; pages Explore and Plan do it when they are opened.
_LARGE = 50_000


def prospect_of(pool: Pool) -> Prospect | None:
    """Return what is known of a pool beforehand; None for one item, and for a pool that takes seconds to sort."""
    if not 1 < pool.n_items <= _LARGE:
        return None
    with frame.errors():
        return prospects.current(pool)


def savings(prospect: Prospect | None) -> None:
    """Draw the verdict and what similar pools saved; nothing if nothing is known of the items."""
    if prospect is None or prospect.uniform:
        return
    with frame.errors():
        promise = prospect.promise
    pool, kind = prospect.pool, "" if promise.exact else f" With {counted(promise.labels, 'label')}."
    st.header("Will it help me?")
    if (fact := prospect.fact) is not None and not state.is_bundled(pool):
        st.markdown(plain(f"{fact.title}. {fact.because} {fact.rehearsal}"))
    promises.part(prospect)
    st.markdown(plain(promise.verdict))
    agreeing = f" All answers agree on {per_cent(prospect.profile.agreeing)} of them." if pool.n_generations else ""
    st.caption(plain(f"{promise.rests_on}{kind} Items are sorted by {prospect.signal}.{agreeing}"))
    if panel := frame.panel("What pools like this one saved", "savings-panel", "savings"):
        with panel, frame.errors():
            savings_table(pool, prospect)


_ROLES = {
    "id": "item id",
    "prompt": "prompt",
    "group": "group",
    "answer": "right answer",
    "choices": "options",
    "generations": "answers of the models",
    "generation_answers": "answers, parsed by the tool",
    "loss": "score (the loss is 1 − score)",
}


def section(pool: Pool) -> None:
    """Draw the sentence and the account, as far as a reader gave them, and the fields folded away."""
    origin = pool.origin
    if origin is not None:
        _sentence(pool, origin)
    if not state.is_bundled(pool):
        account(pool.account)
    mapping.change(pool)
    if origin is not None:
        _fields(pool, origin)


def account(given: FileAccount | None) -> None:
    """Draw what became of the records in three lines, and where a tool's own total differs."""
    if given is None:
        return
    st.caption("  \n".join(map(plain, given.lines)))
    for difference in given.differences:
        st.warning(plain(difference), icon=":material/difference:")


def _sentence(pool: Pool, origin: Origin) -> None:
    known = f"Recognized as **{plain(origin.format)}**" if origin.format else "Read with the fields that **you chose**"
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"{known}: {', '.join(counts(pool))}.", width="content")
        first(pool)


def counts(pool: Pool) -> list[str]:
    """Return how much was read of each kind, in words."""
    sizes = [counted(pool.n_items, "item")]
    if pool.n_generations:
        each = f"{counted(pool.n_generations, 'answer')} of a cheap model to each"
        sizes.append(each + ("" if pool.complete else " at most"))
    sizes.append(counted(len(pool.targets), "model") if pool.targets else "no model to test")
    if (judging := named_judge(pool)) is not None:
        given = int(pool.items[judging].count())
        sizes.append(f"{counted(given, 'verdict')} of the judge “{plain(judging)}”")
    return sizes


def _fields(pool: Pool, origin: Origin) -> None:
    # Of a format's fields, a file may lack some.
    names = {*pool.source.column_names, *(("generations", "generation_answers", "loss") if pool.targets else ())}
    fields = {name: path for name, path in origin.fields.items() if name in names or name not in _ROLES}
    if fields and (panel := frame.panel("Which field became what", "origin", "swap_horiz")):
        rows = [{"field of the file": path, "became": _became(name)} for name, path in fields.items()]
        with panel:
            st.dataframe(rows, hide_index=True, width="content", alt="Fields of the file, and what each became.")


def _became(name: str) -> str:
    """Say what a field became: of a target's score, also what 1 means there."""
    model, _, part = name.rpartition(" · ")
    return f"score of {model} (1 = {part})" if model and part in (RIGHT, WRONG) else _ROLES.get(name, name)
