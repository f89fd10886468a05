"""Pools, designs and labels kept in NEYMAN_HOME; and the quarantine in which uploaded files are read first.

Names are loaded when they are used: a worker of ``core.surrogate`` needs the database alone, and stays small.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .archive import Archive
    from .copies import newest_copy
    from .database import Watch
    from .label_log import BY_HAND, Import, is_by_hand
    from .owned_files import kept_secret
    from .plans import AnnotatorLink
    from .quarantine import Quarantine, ReadLimits, listening
    from .recovery import restore, start_afresh
    from .rejoin import Setback, bring_back

__all__ = [
    "BY_HAND",
    "AnnotatorLink",
    "Archive",
    "Import",
    "Quarantine",
    "ReadLimits",
    "Setback",
    "Watch",
    "bring_back",
    "is_by_hand",
    "kept_secret",
    "listening",
    "newest_copy",
    "restore",
    "start_afresh",
]

# Where the names are, light modules first.
_MODULES = ("owned_files", "copies", "recovery", "database", "rejoin", "label_log", "plans", "archive", "quarantine")


def __getattr__(name: str) -> Any:
    for module in _MODULES if name in __all__ else ():
        if hasattr(loaded := import_module(f"{__name__}.{module}"), name):
            return getattr(loaded, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
