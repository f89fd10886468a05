"""Active testing of language models: which few items of a pool to label, and what accuracy follows from the labels.

A whole session, from the pool to the report:

    import core as neyman

    pool = neyman.read("pool.jsonl")
    plan = neyman.Design(100).draw(pool)
    neyman.request(plan, "right-wrong", target="my-model").to_csv("list.csv", index=False)
    study = neyman.labelled(plan, "filled.csv", target="my-model")
    print(study)
    neyman.report(study, "report.html")

Each name is loaded when it is first used. `docs/method.md` has the method, its formulas and its sources.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from core.design import Design, Plan, Scheme
    from core.estimation import Estimate, Interval
    from core.pool import Pool
    from core.readers import read
    from core.report import report as report
    from core.simulation import rounds
    from core.study import Study, labelled, request

__version__ = "0.2.0"

__all__ = [
    "Design",
    "Estimate",
    "Interval",
    "Plan",
    "Pool",
    "Scheme",
    "Study",
    "__version__",
    "labelled",
    "read",
    "report",
    "request",
    "rounds",
]
_ROOMS = {
    "read": "readers",
    "Pool": "pool",
    "Scheme": "design",
    "Design": "design",
    "Plan": "design",
    "Interval": "estimation",
    "Estimate": "estimation",
    "Study": "study",
    "labelled": "study",
    "request": "study",
    "rounds": "simulation",
}


def __getattr__(name: str) -> Any:
    """Load a name of the face from its room (PEP 562)."""
    if name == "report":
        # This room can be called.
        return import_module("core.report")
    if name not in _ROOMS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"core.{_ROOMS[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
