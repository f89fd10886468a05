"""Speed targets: ``python -m bench`` measures every ``bench/bench_*.py`` and prints one table.

Such a module has a function ``rows() -> list[Row]``: name, measured median, limit, both in seconds. A row of four names
another unit. `bench.pools` makes the pools that several of them measure, `bench.browser` opens the app.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

Row = tuple[str, float, float] | tuple[str, float, float, str]


def median(work: Callable[[], object], runs: int = 5, before: Callable[[], object] | None = None) -> float:
    """Median duration of ``work`` in seconds over ``runs`` ≥ 5 runs, after one that is not counted.

    ``before`` runs ahead of each of them and is not counted.
    """
    durations = []
    for _ in range(max(runs, 5) + 1):
        if before is not None:
            before()
        start = time.perf_counter()
        work()
        durations.append(time.perf_counter() - start)
    return statistics.median(durations[1:])
