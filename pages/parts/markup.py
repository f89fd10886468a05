"""Text that is not ours, in places that render Markdown."""

from __future__ import annotations

import re

_MARKUP = re.compile(r"([\\`*_{}\[\]<>()#+\-.!|~$:&=^])")


def plain(text: str) -> str:
    """Text of a file or a model for a place that renders Markdown: shown as it is, never as markup."""
    return _MARKUP.sub(r"\\\1", text)
