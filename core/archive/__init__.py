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

_MODULES = {
    "AnnotatorLink": "plans",
    "Archive": "archive",
    "Quarantine": "quarantine",
    "ReadLimits": "quarantine",
    "Setback": "rejoin",
    "Watch": "database",
    "kept_secret": "owned_files",
    "listening": "quarantine",
    "newest_copy": "copies",
    "bring_back": "rejoin",
    "restore": "recovery",
    "start_afresh": "recovery",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES.get(name, 'label_log')}"), name)
