"""The precision that the labels of a list have reached as they came in."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from ..errors import NeymanError
from .outcomes import Outcomes


def reached(outcomes: Outcomes, points: int = 8) -> pd.DataFrame:
    """Tabulate the half-widths of beginnings of a list as it was labelled: labels, half_width.

    Parameters
    ----------
    outcomes : Outcomes
        The labels at hand.
    points : int
        Beginnings, at most. One in which a stratum has no label has no row.
    """
    place = {position: number for number, position in enumerate(outcomes.plan.positions.tolist())}
    ordered = outcomes.table.sort_values("position", key=lambda column: column.map(place), kind="stable")
    rows = []
    for count in np.unique(np.linspace(0, len(ordered), points + 1).astype(int))[1:].tolist():
        try:
            part = replace(outcomes, table=ordered.head(count))
            rows.append((count, part.half_width) if part.estimate.has_interval else None)
        except NeymanError:
            continue
    return pd.DataFrame([row for row in rows if row is not None], columns=["labels", "half_width"])
