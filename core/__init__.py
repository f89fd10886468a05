"""Active testing of language models: which few items of a pool to label, and what accuracy follows from the labels.

A whole session, from the pool to the report:

    import neyman

    pool = neyman.read("pool.jsonl")
    plan = neyman.recommend(pool, 100, target="my-model").draw(pool, seed=0)
    neyman.request(plan, "right-wrong", target="my-model").to_csv("list.csv", index=False)
    study = neyman.labelled(plan, "filled.csv", target="my-model")
    print(study)
    neyman.report(study, "report.html")

Each name is loaded when it is first used; `__init__.pyi` has the types. `docs/method.md` has the method, its formulas
and its sources.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import Any

# One process has these files once: as `core`, or as `neyman.core` if Neyman is installed.
_TWIN = sys.modules.get("neyman.core" if __name__ == "core" else "core")
if _TWIN is not None and _TWIN.__file__ and os.path.samefile(_TWIN.__file__, __file__):
    raise ImportError(f"This process has {_TWIN.__name__} already, and {__name__} would be a second copy of it.")

__version__ = "0.3.0.dev0"

_ROOMS = {
    "read": "readers",
    "Pool": "pool",
    "Scheme": "design",
    "Design": "design",
    "Plan": "design",
    "recommend": "design",
    "Prospect": "prospect",
    "Interval": "estimation",
    "Estimate": "estimation",
    "stratified": "estimation",
    "Study": "study",
    "labelled": "study",
    "reproduce": "study",
    "request": "study",
    "runs": "study",
    # The room itself, which can be called.
    "report": "report",
    "rounds": "simulation",
    "forecast": "prospect",
    "Bank": "bank",
    "gate": "gates",
    "best": "contests",
    "history": "bank",
    # As the report's.
    "judge": "judge",
    "judged": "judge",
}
__all__ = ["__version__", *_ROOMS]


def __getattr__(name: str) -> Any:
    """Load a name of the face from its room (PEP 562)."""
    if name not in _ROOMS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    room = import_module(f".{_ROOMS[name]}", __name__)
    return room if name == _ROOMS[name] else getattr(room, name)


def __dir__() -> list[str]:
    return sorted(__all__)
