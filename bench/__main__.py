"""Measure all speed targets and print them: name, median, limit, and whether it is kept.

It measures and does not judge: the exit code is 0 in any case.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
import platform
import sys
import traceback

import numpy as np

import bench


def main() -> None:
    print(f"{cores()} cores · Python {platform.python_version()} · NumPy {np.__version__} · {platform.platform()}\n")
    print(f"{'':64}{'median':>12}{'limit':>12}")
    slow = failed = 0
    for name in sorted(module.name for module in pkgutil.iter_modules(bench.__path__)):
        if not name.startswith("bench_"):
            continue
        try:
            rows: list[bench.Row] = importlib.import_module(f"bench.{name}").rows()
        except Exception:
            failed += 1
            print(f"{name}: could not be measured", flush=True)
            traceback.print_exc(file=sys.stdout)
            continue
        for label, measured, limit, *unit in rows:
            slow += measured > limit
            mark = "ok" if measured <= limit else "OVER THE LIMIT"
            print(f"{label:64}{written(measured, *unit):>12}{written(limit, *unit):>12}  {mark}", flush=True)
    missed = [f"{count} {what}" for count, what in ((slow, "over the limit"), (failed, "not measured")) if count]
    print("\n" + (", ".join(missed) or "All within their limits") + ".")


def cores() -> int:
    """Cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def written(number: float, unit: str = "s") -> str:
    """A duration, or a number of another unit, as people read it."""
    return f"{number * 1000:.2f} ms" if unit == "s" and number < 1 else f"{number:.2f} {unit}"


if __name__ == "__main__":
    main()
