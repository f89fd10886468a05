"""Markdown: text that is not ours in places that render it, and what the terms in a text mean."""

from __future__ import annotations

import re

import streamlit as st

from core.prospect import Finding
from core.words import GLOSSARY, PLURALS, counted

_MARKUP = re.compile(r"([\\`*_{}\[\]<>()#+\-.!|~$:&=^])")
# Streamlit replaces these after the Markdown is parsed, where a backslash is forgotten: icons, arrows, links.
_REPLACED = re.compile(
    r":(?=material|streamlit)|<(?=->|-|=)|-(?=[->])|[>~](?==)|(?<=https:)/|(?<=http:)/|www(?=\.)|@", re.IGNORECASE
)
_JOINER = "\u2060"
# A no-break space is none of HTML's white space.
_SPACES = re.compile(r"[^\S\u00a0]+")
# Where each term of the glossary stands in a text, also at the beginning of a sentence.
_TERMS = {
    term: re.compile(rf"(?i:\b{term[0]}){term[1:]}s?\b|\b{PLURALS.get(term, term)}\b" if term.isascii() else term)
    for term in GLOSSARY
}


def plain(text: str) -> str:
    """Text of a file or a model for a line that renders Markdown: shown as it is, never as markup.

    White space becomes single spaces, as in any line of HTML, but for no-break spaces inside the line; signs that
    Streamlit would put together to something else are kept apart by a word joiner, which nobody sees.
    """
    return _escaped(text.strip())


def strong(finding: Finding) -> str:
    """Write a finding as `plain` writes text, with the words that matter most in bold."""
    marked = f"**{_escaped(finding.strong)}**" if finding.strong else ""
    return f"{_escaped(finding.before)}{marked}{_escaped(finding.after)}"


def _escaped(text: str) -> str:
    line = _REPLACED.sub(lambda match: match.group() + _JOINER, _SPACES.sub(" ", text))
    return _MARKUP.sub(r"\\\1", line)


def meanings(text: str) -> str | None:
    """Return the meanings of a text's glossary terms, a paragraph each, for its tooltip; None if it has none."""
    terms = [term for term, place in _TERMS.items() if place.search(text)]
    return "\n\n".join(f"**{term[0].upper()}{term[1:]}**: {GLOSSARY[term]}" for term in terms) or None


LONGEST = 20_000


def beginning(text: str) -> str:
    """The part of a text that is shown at first: all of it, or so much that a page stays fast."""
    return text if len(text) <= LONGEST else text[:LONGEST]


def show(text: str, key: str) -> None:
    """Show a text as it is, never as markup; of a huge one the beginning, until all is wanted.

    Parameters
    ----------
    text : str
        The text.
    key : str
        Key of the switch, which no other text on the page has.
    """
    rest = len(text) - len(beginning(text))
    if not rest:
        st.text(text)
        return
    whole = st.toggle(f"Show all ({counted(rest, 'more character')})", key=f"whole-{key}")
    _draw(text if whole else beginning(text))


def _draw(text: str) -> None:
    # A browser lays out one huge element much longer than many small ones.
    for start in range(0, len(text), LONGEST):
        st.text(text[start : start + LONGEST])
