"""Simulated lists with carried verdicts: the numbers wrong in each stratum and among the audits are drawn at once."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ...design.design import Plan
from ...estimation.carried import AuditedStrata
from ...estimation.intervals import DEFAULT
from ...estimation.samples import Samples
from .lists import Floats


def carried_rounds(
    plan: Plan,
    truth: Floats,
    rounds: int,
    rng: np.random.Generator,
    follows: bool = False,
    logged: int = 0,
    wrong: float = 0.0,
) -> pd.DataFrame:
    """Value and limits of simulated lists of a plan, which may carry verdicts over.

    Parameters
    ----------
    plan : Plan
        Of one wave.
    truth : (N,) float
        The target's losses, 0 or 1.
    rounds : int
        Lists.
    rng : Generator
        Of the draws.
    follows : bool
        Whether nothing is audited.
    logged : int
        Audits of earlier lists.
    wrong : float
        Share of the carried verdicts that was wrong there.

    Returns
    -------
    DataFrame
        One row a list: value, low, high.
    """
    carried, sizes, counts = plan.design.carried, plan.strata.sizes, plan.allocation
    ones = np.bincount(plan.stratum, weights=truth, minlength=sizes.size).astype(np.int64)
    n_open = sizes.size if carried is None else sizes.size - 1
    rest = slice(0, n_open)
    drawn = rng.hypergeometric(ones[rest], (sizes - ones)[rest], counts[rest], (rounds, n_open))
    squares = drawn * (counts[rest] - drawn) / np.maximum(counts[rest], 1)
    samples = Samples(counts[rest], sizes[rest], drawn / np.maximum(counts[rest], 1), squares)
    part = (
        samples.estimates(DEFAULT)
        if n_open
        else pd.DataFrame(dict.fromkeys(("value", "low", "high"), np.zeros(rounds)))
    )
    if carried is None:
        return part
    known, share = carried.known, float(carried.known.mean())
    values, audits = carried.values[known], int(counts[-1])
    gaps = truth[known] - values
    people = [int((gaps > 0).sum()), int((gaps < 0).sum())]
    people.append(int(known.sum()) - sum(people))
    found = rng.multivariate_hypergeometric(people, audits, rounds)
    earlier = rng.binomial(logged, wrong, rounds)
    # What the log found has the direction that the verdicts are wrong in.
    side = 0 if people[0] >= people[1] else 1
    up, down = (found[:, way] + (earlier if way == side else 0) for way in (0, 1))
    n = audits + logged
    exact = follows or audits == known.sum()
    if exact and not follows:
        up, down, n = found[:, 0], found[:, 1], audits
    shift = np.zeros(rounds) if follows else (up - down) / max(n, 1)
    value = values.sum() / truth.size + (1 - share) * part["value"].to_numpy() + share * shift
    if exact:
        low, high = (value + (1 - share) * (part[end] - part["value"]).to_numpy() for end in ("low", "high"))
    else:
        open_part = None
        if n_open:
            tallies = np.stack([counts[rest] - drawn, drawn], axis=-1).astype(np.float64)
            open_part = np.array([0.0, 1.0]), tallies, counts[rest], sizes[rest]
        strata = AuditedStrata(float(values.sum()), int(known.sum()), truth.size, logged > 0)
        limits = strata.limits(DEFAULT, n, up, down, open_part)
        low, high = np.minimum(limits.low, value), np.maximum(limits.high, value)
    return pd.DataFrame({"value": value, "low": low, "high": high}).clip(0.0, 1.0)
