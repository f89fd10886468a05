"""Trials of the version gate: how often it passes what it should not, and how often it passes what it should."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from core.gates.version_chances import decided_at
from core.gates.version_plan import gate
from core.pool.pool import Pool


def gate_trial(
    n_items: int,
    differ: int,
    old_wrong: float,
    margin: float,
    graded: float = 1.0,
    rounds: int = 20_000,
    seed: int = 0,
) -> dict[str, float]:
    """Decide many lists of a gate at its margin, and if the new version is as good as the old one.

    Parameters
    ----------
    n_items : int
        N.
    differ : int
        D, items whose answers differ.
    old_wrong : float
        Share of these that the old version got wrong.
    margin : float
        m.
    graded : float
        Share of these on which the old version is graded, in [0, 1].
    rounds : int
        Lists, if they are simulated.
    seed : int
        Of the lists.

    Returns
    -------
    dict
        labels; false_pass (share of lists that pass a version worse by the margin, or as little more as whole items
        allow), false_fail (that fail one worse by as much, or as little less), power (that pass one as good as the old
        one), of new versions that err alike among these items; worst_pass and worst_fail, the largest of the first two
        over all new versions. NaN if D items cannot make up the difference, or if the list has no exact test.
    """
    planned = gate(_versions(n_items, differ, round(old_wrong * differ), graded), "old", "new", margin, seed=seed)
    # Whole items: at least the margin, and at most.
    above, below = math.ceil(margin * n_items - 1e-9), math.floor(margin * n_items + 1e-9)
    passed, failed = (decided_at(planned, count / n_items, rounds, seed) for count in (above, below))
    test = planned.margin_test()
    worst = (math.nan, math.nan) if test is None else test.most_wrong()
    as_good = decided_at(planned, 0.0, rounds, seed)
    return {
        "labels": planned.n_labels,
        "false_pass": math.nan if passed is None else passed[0],
        "false_fail": math.nan if failed is None else failed[1],
        "power": math.nan if as_good is None else as_good[0],
        "worst_pass": worst[0],
        "worst_fail": worst[1],
    }


def _versions(n_items: int, differ: int, old_wrong: float, graded: float) -> Pool:
    """Items on the first of which answers differ; on the first of those that are graded the old version is wrong."""
    known = np.floor(np.arange(n_items + 1) * graded).astype(int)
    return Pool.from_records(
        {
            "id": str(place),
            "targets": {
                "old": {"answer": "a"} | ({"loss": float(before < old_wrong * graded)} if after > before else {}),
                "new": {"answer": "b" if place < differ else "a"},
            },
        }
        for place, (before, after) in enumerate(pairwise(known))
    )
