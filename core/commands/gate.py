"""`neyman gate`: whether a new version is worse than an old one by more than a margin, from logs of any tool.

What it needs is loaded once its words have been read, so that help and mistakes are answered at once.
"""

from __future__ import annotations

from pathlib import Path

from ..errors import DesignError
from ..words.console import say
from .options import GateOptions


def gate(old: Path, new: Path, /, options: GateOptions | None = None) -> int:
    """Decide whether a new version is worse than an old one. Exit status: 0 pass, 1 fail, 3 undecided, 2 not readable.

    Parameters
    ----------
    old : path
        A log or pool with the old version's answers, or a model that the bank knows.
    new : path
        A log or pool with the new version's answers.
    options : GateOptions
        What is asked.
    """
    asked = options or GateOptions()
    for path in (new,) if asked.bank is not None else (old, new):
        if not path.exists():
            raise DesignError(f"There is no file {path}. Give the log or the pool of each version.")
    if asked.bank is not None and not asked.bank.exists():
        raise DesignError(f"There is no bank {asked.bank}. Give the file that a bank was written to, or a home.")
    if asked.labels is not None and not asked.labels.exists():
        raise DesignError(f"There is no file {asked.labels}. Write the list with --out, and give it once it is filled.")
    say(f"Comparing {new} with {old} …")
    # Here, since it takes pandas and the readers of all tools.
    from .gating import run

    return run(old, new, asked)
