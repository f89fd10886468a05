"""What lasts: pools, designs and labels in NEYMAN_HOME.

Names are loaded when they are used: a worker of ``core.surrogate`` needs the database alone, and stays small.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from core.archive.archive import Archive
    from core.archive.label_log import BY_HAND, Import, is_by_hand

__all__ = [
    "BY_HAND",
    "Archive",
    "Import",
    "is_by_hand",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{'archive' if name == 'Archive' else 'label_log'}"), name)
