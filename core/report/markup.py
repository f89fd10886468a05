"""Pieces of the report's HTML; every text is escaped here."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table, with a head unless all its cells are empty."""
    top = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    start = f"<thead><tr>{top}</tr></thead>" if any(head) else ""
    lines = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f'<div class="wide"><table>{start}<tbody>{lines}</tbody></table></div>'


def paragraph(words: str, kind: str = "") -> str:
    """A paragraph; nothing for no words."""
    opened = f'<p class="{kind}">' if kind else "<p>"
    return f"{opened}{escape(words)}</p>" if words else ""
