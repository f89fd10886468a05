"""Active testing of language models: which few items of a pool to label, and what accuracy follows from the labels.

    import neyman

    pool = neyman.read("pool.jsonl")
    plan = neyman.recommend(pool, 100, target="my-model").draw(pool, seed=0)

This is the face of the package `core`, whose docstring has a whole session. If Neyman is installed that package is
`neyman.core`; in a checkout, and in the process of the app, it is `core`. One process never has it under both names.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

_INSIDE = Path(__file__).parent / "core" / "__init__.py"


def package() -> ModuleType:
    """The package behind this face."""
    there = sys.modules.get("core")
    if not _INSIDE.is_file() or (there is not None and there.__file__ and _INSIDE.samefile(there.__file__)):
        return import_module("core")
    return import_module(f"{__name__}.core")


def __getattr__(name: str) -> Any:
    """Hand on a name of the package's face (PEP 562)."""
    if name == "core":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(package(), name)


def __dir__() -> list[str]:
    return dir(package())
