"""Text that is not ours, in places that render Markdown."""

from __future__ import annotations

import re

_MARKUP = re.compile(r"([\\`*_{}\[\]<>()#+\-.!|~$:&=^])")
# Streamlit replaces these after the Markdown is parsed, where a backslash is forgotten: icons, arrows, links.
_REPLACED = re.compile(
    r":(?=material|streamlit)|<(?=->|-|=)|-(?=[->])|[>~](?==)|(?<=https:)/|(?<=http:)/|www(?=\.)|@", re.IGNORECASE
)
_JOINER = "\u2060"
# A no-break space is none of HTML's white space.
_SPACES = re.compile(r"[^\S\u00a0]+")


def plain(text: str) -> str:
    """Text of a file or a model for a line that renders Markdown: shown as it is, never as markup.

    White space becomes single spaces, as in any line of HTML, but for no-break spaces inside the line; signs that
    Streamlit would put together to something else are kept apart by a word joiner, which nobody sees.
    """
    line = _SPACES.sub(" ", text).strip()
    return _MARKUP.sub(r"\\\1", _REPLACED.sub(lambda found: found.group() + _JOINER, line))
