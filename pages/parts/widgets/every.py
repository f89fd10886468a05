"""Every control of the pages, whichever page has it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pages.parts.estimate.controls
import pages.parts.judge.controls
import pages.parts.lab.controls
import pages.parts.models.controls
import pages.parts.plan.controls
from pages.parts.app import session
from pages.parts.widgets import controls
from pages.parts.widgets.control import Control

_MODULES = (
    controls,
    pages.parts.plan.controls,
    pages.parts.estimate.controls,
    pages.parts.lab.controls,
    pages.parts.judge.controls,
    pages.parts.models.controls,
)
# Once each, though one module may know another's.
_BY_ID = {id(one): one for module in _MODULES for one in vars(module).values() if isinstance(one, Control)}
EVERY: tuple[Control[Any], ...] = tuple(_BY_ID.values())

# What says nothing of another pool.
OF_POOL: tuple[str, ...] = tuple(one.key for one in EVERY if one.of_pool)


def choose(values: Mapping[str, Any]) -> None:
    """Change controls, by their keys, all at once; for a callback, or before they are drawn."""
    changed: dict[str, str | Sequence[str] | None] = {}
    for one in EVERY:
        if one.key in values:
            changed |= one.parameter(values[one.key])
    session.write(changed)
