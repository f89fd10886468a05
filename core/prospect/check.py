"""Checks of plans on pools whose outcomes are known: forecasts, gates and comparisons against what happens.

`neyman check POOL …` prints these tables; docs/planning.md, 8, has those of the pools tried.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..allocation.ways import PROXY_NEYMAN, RECOMMENDED, UNIFORM
from ..design.design import Design
from ..design.recommend import recommend
from ..design.scheme import PAPER
from ..estimation.contrasts import difference
from ..gates import betting
from ..gates.accuracy_gate import HOLD, SHIP, Gate, capitals
from ..pool.pool import Pool
from ..signals.quality import auroc
from ..simulation.exact import exact_mse, uniform_mse
from ..simulation.replications import rounds
from .forecast import risks_of
from .pairs import Pairing
from .sampling_frame import SamplingFrame, frame, gate_scheme, layout, pool_frame

Array = NDArray[np.float64]

BUDGETS = (50, 100, 200, 400)
# Paths of a simulated gate in one array.
_CHUNK = 1000


def known_targets(pool: Pool) -> Iterator[tuple[str, Array]]:
    """Targets whose losses are 0 or 1, all known, and vary; with these losses."""
    pool.check_unweighted("The check of forecasts")
    for name in pool.targets:
        losses = pool.losses(name)
        if np.isin(losses, (0.0, 1.0)).all() and np.ptp(losses) > 0:
            yield name, losses


def forecasts(pool: Pool, budgets: Sequence[int] = BUDGETS, trials: int = 0, seed: int = 0) -> pd.DataFrame:
    """Forecasts fed with the true accuracy and AUROC, beside what is exact or simulated.

    Parameters
    ----------
    pool : Pool
        The pool.
    budgets : sequence of int
        Numbers of labels; those above a third of the items are left out.
    trials : int
        Simulated rounds of labelling for the mean half-width; 0 for none.
    seed : int
        Of the rounds.

    Returns
    -------
    DataFrame
        pool, target, method, budget, accuracy, auroc, forecast and exact (squared error, Uniform = 1), half_width
        (forecast) and simulated (mean half-width, NaN without rounds).
    """
    rows = []
    for target, losses in known_targets(pool):
        accuracy = 1 - float(losses.mean())
        for method, items in _frames(pool, target):
            ranked = float(np.clip(auroc(items.profile.signal, losses), 0.5, 0.999))
            p = risks_of(items, accuracy, ranked)
            for budget in (m for m in budgets if 3 * m <= losses.size):
                cut, whole = layout(items, method, budget), layout(items, UNIFORM.name, budget)
                design = Design(budget) if method == PROXY_NEYMAN.name else recommend(pool, budget, target)
                plan = design.draw(pool, seed=0)
                exact = exact_mse(losses, plan.stratum, plan.allocation) / uniform_mse(losses, budget)
                width = math.nan
                if trials:
                    labelled = rounds(design, pool, losses, trials, seed)
                    width = float((labelled["high"] - labelled["low"]).mean() / 2)
                ratio = cut.mse(p) / whole.mse(p)
                numbers = (accuracy, ranked, ratio, exact, cut.half_width(p), width)
                rows.append((pool.name, target, method, budget, *numbers))
    names = ["pool", "target", "method", "budget", "accuracy", "auroc", "forecast", "exact", "half_width", "simulated"]
    return pd.DataFrame(rows, columns=names)


def gates(pool: Pool, band: float = 0.05, most: int = 1000, trials: int = 10_000, seed: int = 0) -> pd.DataFrame:
    """Error rates of gates whose bar is the target's own accuracy, coverage at all times, and labels to a decision.

    Parameters
    ----------
    pool : Pool
        The pool.
    band : float
        Of the gates.
    most : int
        Labels after which looking ends.
    trials : int
        Simulated paths.
    seed : int
        Of the paths.

    Returns
    -------
    DataFrame
        pool, target, design ("uniform" or "coarse"), accuracy, fixed_ship and fixed_hold (exact error rates of the
        test with a fixed number of labels at the bar), ship and hold (simulated, looked at after every label), covered
        (paths whose 95 % limits hold at all labels), fixed_labels (for a bar that lies the band below the accuracy),
        labels and decided (mean labels to a decision there, and the share of paths with one).
    """
    rows = []
    for target, losses in known_targets(pool):
        accuracy = 1 - float(losses.mean())
        if not band < accuracy - band < 1 - band:
            continue
        at = Gate(accuracy, min(band, 1 - accuracy), n_items=losses.size)
        below = Gate(accuracy - band, band, n_items=losses.size)
        needed = below.labels() or losses.size
        fixed = at.chances(min(needed, losses.size), [(at.items - at.most_wrong) / at.items])
        only_ship = at.chances(min(needed, losses.size), [(at.items - at.most_wrong - 1) / at.items])[SHIP][0]
        for name, strata in _gate_strata(pool, target):
            paths = _paths(1 - losses, strata, min(most, losses.size), trials, seed)
            error, covered, early, decided = np.zeros(2), 0.0, 0.0, 0.0
            for labelled in paths:
                wins = capitals(labelled, accuracy, betting.DISTANCE)
                error += [(won.max(axis=1) >= math.log(20)).sum() for won in wins]
                covered += float((np.maximum(*wins).max(axis=1) < math.log(40)).sum())
                won = betting.log_capital(betting.flipped(labelled), 1 - below.bar, band)
                place = betting.first(won, below.confidence)
                decided += float((place < labelled.ends.size).sum())
                early += float(np.r_[labelled.ends, min(most, losses.size)][place].sum())
            shares = (*(error / trials), covered / trials)
            fixed_errors = (only_ship, fixed[HOLD][0])
            rows.append(
                (pool.name, target, name, accuracy, *fixed_errors, *shares, needed, early / trials, decided / trials)
            )
    names = ["pool", "target", "design", "accuracy", "fixed_ship", "fixed_hold", "ship", "hold", "covered"]
    return pd.DataFrame(rows, columns=[*names, "fixed_labels", "labels", "decided"])


def pairs(pool: Pool, budgets: Sequence[int] = (100, 200, 400), trials: int = 500, seed: int = 0) -> pd.DataFrame:
    """Stated and simulated power to tell two targets apart.

    Parameters
    ----------
    pool : Pool
        The pool.
    budgets : sequence of int
        Numbers of labels; those above half of the items are left out.
    trials : int
        Simulated rounds of labelling, drawn uniformly.
    seed : int
        Of the rounds.

    Returns
    -------
    DataFrame
        pool, first, second, budget, agreement, difference, stated, simulated.
    """
    rows, rng = [], np.random.default_rng(seed)
    for (first, one), (second, other) in combinations(known_targets(pool), 2):
        gaps = one - other
        if gaps.mean() == 0:
            continue
        pairing = Pairing(agreement=float(np.mean(gaps == 0)), n_items=gaps.size)
        for budget in (m for m in budgets if 2 * m <= gaps.size):
            detected = 0
            for _ in range(trials):
                drawn = rng.choice(gaps.size, budget, replace=False)
                estimate = difference(one[drawn], other[drawn], np.zeros(budget, dtype=np.int64), [gaps.size])
                detected += estimate.low > 0 or estimate.high < 0
            stated = pairing.chance(budget, abs(float(gaps.mean())))
            numbers = (pairing.agreement, float(gaps.mean()), stated, detected / trials)
            rows.append((pool.name, first, second, budget, *numbers))
    columns = ["pool", "first", "second", "budget", "agreement", "difference", "stated", "simulated"]
    return pd.DataFrame(rows, columns=columns)


def summary(table: pd.DataFrame) -> str:
    """Summarise a table of `forecasts` in a sentence.

    Parameters
    ----------
    table : DataFrame
        Of `forecasts`.
    """
    if table.empty:
        return "No target of these pools has losses of 0 and 1 that are all known."
    gaps = 100 * (table["forecast"] - table["exact"]).abs()
    ratio = (table["half_width"] / table["simulated"]).median()
    return (
        f"Forecast of the relative error: {gaps.median():.1f} points off in the median, {gaps.max():.1f} at worst; "
        f"forecast half-width over the simulated mean: {ratio:.3f} in the median."
    )


def _frames(pool: Pool, target: str) -> Iterator[tuple[str, SamplingFrame]]:
    """The frame along each design's own signal."""
    items = pool_frame(pool, target)
    yield RECOMMENDED.name, items
    if items.paper is not None:
        yield PROXY_NEYMAN.name, frame(items.n_items, items.paper, items.paper, PAPER, PAPER.sorted_by)


def _gate_strata(pool: Pool, target: str) -> Iterator[tuple[str, NDArray[np.int64]]]:
    yield UNIFORM.name, np.zeros(pool.n_items, dtype=np.int64)
    items = pool_frame(pool, target)
    strata = gate_scheme(items.scheme).stratify(items.profile)
    yield "coarse", items.profile.stratum(strata)


def _paths(values: Array, stratum: NDArray[np.int64], most: int, trials: int, seed: int) -> Iterator[betting.Blocks]:
    """Simulated lists of labels, drawn in turn from strata, in chunks."""
    rng, sizes = np.random.default_rng(seed), np.bincount(stratum)
    rounds_each = max(1, min(most // sizes.size, int(sizes.min())))
    order = np.tile(np.arange(sizes.size), rounds_each)
    for start in range(0, trials, _CHUNK):
        count = min(_CHUNK, trials - start)
        drawn = np.empty((count, rounds_each, sizes.size))
        for h in range(sizes.size):
            # A random sample without replacement of each path: which of the ones are drawn, item after item.
            left, ones = sizes[h] - np.arange(rounds_each), np.full(count, values[stratum == h].sum())
            for number in range(rounds_each):
                drawn[:, number, h] = rng.random(count) < ones / left[number]
                ones = ones - drawn[:, number, h]
        yield betting.blocks(drawn.reshape(count, -1), order, sizes)
