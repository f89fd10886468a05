"""Texts of a server made fit to be shown: without keys, on one printable line."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ..words import printable

_LONGEST = 300
_SECRET = re.compile(r"\b(?:sk|hf|gsk|xai|key)[-_][A-Za-z0-9_\-]{8,}|(?i:\bbearer\s+)[^\s\"',;]+")


def fits_header(key: str) -> bool:
    """Whether a key is one line of visible ASCII: anything else cannot stand in a header."""
    return key.isascii() and key.isprintable() and " " not in key


def looks_secret(text: str) -> bool:
    """Whether a text contains what looks like a key of one of the usual providers, or a bearer token."""
    return _SECRET.search(text) is not None


def clean(text: str, secrets: Iterable[str] = (), longest: int = _LONGEST) -> str:
    """Make a text fit to be logged, stored and shown: on one printable line, shortened, without secrets and keys."""
    for secret in filter(None, secrets):
        text = text.replace(secret, "…")
    text = printable(" ".join(_SECRET.sub("…", text).split()))
    return text if len(text) <= longest else text[: longest - 1] + "…"
