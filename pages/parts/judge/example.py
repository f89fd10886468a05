"""The bundled judges, told as a story."""

from __future__ import annotations


def link() -> None:
    """Draw the way to the bundled judges."""
