"""Earlier place of what is forecast in `core.prospect`; `python -m core.planning` is an earlier `neyman plan`."""

import sys
from importlib import import_module
from typing import Any

_MODULES = ("prior", "question", "forecast", "pairs", "sampling_frame")
_PLACES = (*(f".prospect.{name}" for name in _MODULES), ".prospect", ".gates")


def __getattr__(name: str) -> Any:
    for place in () if name.startswith("_") else _PLACES:
        module = import_module(place, __package__)
        if hasattr(module, name):
            return getattr(module, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


if __name__ == "__main__":
    from .commands import earlier

    sys.exit(earlier("plan", switches={"--check": ["check"]}))
