"""Reference numbers of judges against people's labels, worked out by hand."""

from __future__ import annotations

from typing import NamedTuple

from core.judge import VerdictPair, VerdictSample


class Vector(NamedTuple):
    """Labels, effective sizes of both classes, and measure → (value or None, low, high)."""

    pair: VerdictPair
    effective: tuple[float, float]
    measures: dict[str, tuple[float | None, float, float]]


VECTORS = (
    Vector(
        VerdictPair(VerdictSample((170,), (31,), (15,)), VerdictSample((830,), (69,), (5,))),
        (36.690647, 74.165572),
        {
            "pass_rate": (0.857597, 0.784345, 0.899839),
            "tnr": (0.577643, 0.367210, 0.761512),
            "tpr": (0.897689, 0.869450, 0.926366),
            "kappa": (0.439793, 0.243756, 0.596824),
        },
    ),
    Vector(
        VerdictPair(
            VerdictSample((60, 60, 60), (10, 10, 10), (3, 5, 8)),
            VerdictSample((300, 300, 220), (23, 23, 17), (0, 1, 3)),
        ),
        (36.724959, 67.848589),
        {
            "pass_rate": (0.852133, 0.777806, 0.893928),
            "tnr": (0.649232, 0.422754, 0.824107),
            "tpr": (0.901424, 0.870747, 0.931109),
            "kappa": (0.505281, 0.301529, 0.654077),
        },
    ),
    Vector(
        VerdictPair(VerdictSample((50,), (20,), (0,)), VerdictSample((950,), (80,), (0,))),
        (33.333333, 87.356322),
        {
            "pass_rate": (1.0, 0.959652, 1.0),
            "tnr": (None, 0.0, 1.0),
            "tpr": (0.95, 0.947916, 0.954934),
        },
    ),
)
