"""Reference numbers of judges and people: estimates worked out by hand, limits of the first implementation."""

from __future__ import annotations

from typing import NamedTuple

from core.judge.measures import VerdictPair
from core.judge.rates import VerdictSample


class Vector(NamedTuple):
    """Labels, and measure → (value or None, low, high)."""

    pair: VerdictPair
    measures: dict[str, tuple[float | None, float, float]]


VECTORS = (
    Vector(
        VerdictPair(VerdictSample((170,), (31,), (15,)), VerdictSample((830,), (69,), (5,))),
        {
            "pass_rate": (0.857597, 0.786283, 0.906655),
            "tnr": (0.577643, 0.373317, 0.804968),
            "tpr": (0.897689, 0.86779, 0.929279),
            "kappa": (0.439793, 0.245653, 0.616834),
        },
    ),
    Vector(
        VerdictPair(
            VerdictSample((60, 60, 60), (10, 10, 10), (3, 5, 8)),
            VerdictSample((300, 300, 220), (23, 23, 17), (0, 1, 3)),
        ),
        {
            "pass_rate": (0.852133, 0.783178, 0.900395),
            "tnr": (0.649232, 0.435123, 0.868288),
            "tpr": (0.901424, 0.869328, 0.934211),
            "kappa": (0.505281, 0.309103, 0.677267),
        },
    ),
    Vector(
        VerdictPair(VerdictSample((50,), (20,), (0,)), VerdictSample((950,), (80,), (0,))),
        {
            "pass_rate": (1.0, 0.961029, 1.0),
            "tnr": (None, 0.0, 1.0),
            "tpr": (0.95, 0.946718, 0.955928),
        },
    ),
)
