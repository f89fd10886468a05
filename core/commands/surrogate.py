"""`neyman surrogate`: generate without the app."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from ..surrogate.cli import main


def surrogate(*words: Annotated[str, Parameter(allow_leading_hyphen=True, show=False)]) -> int:
    """Generate for a pool, on this machine or any other.

    Parameters
    ----------
    *words : str
        A command of `core.surrogate.cli` and its options, `--help` among them.
    """
    return main(words)
