"""Verdicts that are known already, and words of verdicts that nobody knows: asked for once, kept in the home."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import partial

import streamlit as st

from core.bank import Bank, Known, edits, gather
from core.design import Design, carried_verdicts
from core.design import carrying as carried
from core.labels import MEANINGS, Word, cells
from core.pool import Pool
from core.prospect import Prospect, Question
from core.words import counted
from pages.parts import downloads
from pages.parts.app import frame, kept, session, state
from pages.parts.app.frame import in_callback
from pages.parts.markup import plain


def ask(
    unknown: Sequence[Word],
    whose: str,
    nothing: str,
    learn: Callable[[Mapping[str, str]], None] | None = None,
    meanings: Sequence[str] = MEANINGS,
) -> None:
    """Draw a form that asks what words mean.

    Parameters
    ----------
    unknown : sequence of Word
        The words, how many labels are written so (0 if nobody counted), and what is proposed.
    whose : str
        What uses them, with its verb: “3 labels use”.
    nothing : str
        What a word means that is neither right nor wrong.
    learn : callable, optional
        Takes the meanings that were chosen; by default the home remembers them.
    meanings : sequence of str
        From which people choose.
    """
    with st.form("unknown-words"):
        st.markdown(f"**What do these words mean?** {plain(whose)} words that Neyman does not know.")
        for one in unknown:
            many = f" ({counted(one.labels, 'label')})" if one.labels else ""
            st.segmented_control(
                plain(f"“{one.word}”{many}"),
                meanings,
                default=one.meaning if one.meaning in meanings else None,
                key=_key(one.word),
                format_func=lambda meaning: nothing if meaning == MEANINGS[-1] else meaning.capitalize(),
            )
        proposed = "Common words come with a proposal. " if any(one.meaning for one in unknown) else ""
        st.caption(f"{proposed}Nothing counts until you press the button. Later files are then read the same way.")
        words = [one.word for one in unknown]
        st.form_submit_button(
            "Use these meanings",
            type="primary",
            icon=":material/translate:",
            on_click=_learn,
            args=(words, learn or _remember),
        )


def remedy(judges: bool, kinds: bool, asked: bool, scale: cells.GradeRange | None, free: bool = False) -> str:
    """Say on a page what to do about labels that are not understood.

    Parameters
    ----------
    judges : bool
        Whether labels judge answers in words.
    kinds : bool
        Whether the page has a choice of kinds of label.
    asked : bool
        Whether a form below asks what their words mean.
    scale : GradeRange or None
        Of the grades, if some lie outside 0 to 1.
    free : bool
        Whether labels are scores that may lie outside 0 to 1.
    """
    if free:
        return f"Write the score of each in the list{', or say below that it has no verdict' * asked}."
    if not judges:
        said = "Correct the list: write an option of the item, one of the answers of the pool, or a number."
        said += " Or say below what is no answer." if asked else ""
        return f"{said} If labels say right or wrong, choose another kind of label above." if kinds else said
    meant = "Say below what each means, or correct the list." if asked else "Correct the list."
    if scale is None:
        return f"{meant} If it holds labels of another kind, choose that kind above." if kinds else meant
    said = f"Grades {scale} were given, and Neyman reads scores from 0 (worst) to 1 (best). {meant}"
    to_scores = "For scores, write (grade − lowest possible) / (highest possible − lowest possible) instead."
    return f"{said} {to_scores}" if kinds else said


def read_as(statement: str, words: Iterable[str]) -> None:
    """Say how words are read, with a button that forgets their meanings."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f":material/translate: {plain(statement)}", width="content")
        st.button("Forget these words", icon=":material/undo:", on_click=_forget, args=(list(words),))


def _key(word: str) -> str:
    return f"unknown-word-{word}"


@in_callback
def _learn(words: Sequence[str], learn: Callable[[Mapping[str, str]], None]) -> None:
    learn({word: meaning for word in words if (meaning := session.widget(_key(word)))})


def _remember(said: Mapping[str, str]) -> None:
    state.archive().words.save(said, state.now())


@in_callback
def _forget(words: Sequence[str]) -> None:
    state.archive().words.forget(words)


# Larger pools take seconds to look through.
_MOST = 50_000


def bank(pool: Pool) -> Bank:
    """Return what this home and the pool itself know; nothing while the home's bank is switched off."""
    return _bank(pool, key_of(pool))


def _bank(pool: Pool, key: Hashable) -> Bank:
    own, title = of_pool(pool), "Looking for known verdicts …"
    return kept.once("bank", key, lambda: gather(state.archive(), state.now(), own), title)


def of_pool(pool: Pool) -> Bank:
    """Return what the pool’s own models alone say, without this home."""
    return kept.once("bank", pool.digest, lambda: Bank.of(pool))


def key_of(pool: Pool) -> Hashable:
    """Return the key of the bank that a pool sees: pools and labels of the home, and what people say of verdicts."""
    archive = state.archive()
    pools = tuple(archive.pools.table()["digest"])
    return str(archive.folder), pool.digest, pools, archive.labels.state(), edits(archive)


def may_be_known(pool: Pool, asked: Question) -> bool:
    """Whether to look for verdicts: the target's answers are there, and the pool is not too large."""
    return asked.target is not None and asked.target in pool.targets and pool.n_items <= _MOST


def known(pool: Pool, asked: Question) -> Known | None:
    """Return what is known of the target; None without its answers, or of a pool too large to look through."""
    return _known(pool, asked, key_of(pool)) if may_be_known(pool, asked) else None


def _known(pool: Pool, asked: Question, key: Hashable) -> Known:
    everything, target = _bank(pool, key), str(asked.target)
    here = (key, target, asked.parser)
    return kept.once("known verdicts", here, lambda: everything.lookup(pool, target, asked.parser))


def carrying(prospect: Prospect, follows: bool) -> Design:
    """Return the prospect's design with verdicts carried over."""
    asked, pool, design = prospect.question, prospect.pool, prospect.design
    # Once for all three, since it asks the home.
    key, target = key_of(pool), str(asked.target)
    here = (key, target, asked.parser, follows)
    found, log = _known(pool, asked, key), _bank(pool, key).log
    # The same for every budget.
    verdicts = kept.once("carried verdicts", here, lambda: carried_verdicts(found, log(pool), follows))
    # On a separate shelf: the designs of a few budgets would push out what is known, which takes a second to find.
    make = partial(carried, design, pool, target, verdicts, asked.parser)
    return kept.once("designs that carry", (here, design), make)


def graded_before(pool: Pool, asked: Question) -> None:
    """Draw the verdicts that are known of a target: how many, from where, and some of them side by side."""
    found = known(pool, asked)
    if found is None:
        st.markdown("Verdicts are known of a target whose answers are in the pool. This pool has none.")
        return
    frame.headline(plain(found.sentence))
    if not found.n_known:
        return
    share = st.column_config.NumberColumn("share of the items", format="percent")
    st.dataframe(found.by_source(), hide_index=True, column_config={"share": share}, width="content")
    st.markdown("**Some of them, beside what their verdict comes from**")
    st.dataframe(found.examples(pool), hide_index=True)
    downloads.csv("Known verdicts as CSV", lambda: found.frame().to_csv(index=False), "neyman-known-verdicts.csv")
