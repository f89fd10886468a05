"""All tables of a pool and target."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.design.scheme import PAPER, Scheme
from core.errors import DesignError
from core.lab import ablations, baselines, published, savings, sentences, shown, signals_compared, strata_map
from core.lab.settings import TABLES, TRIALS, checked_budgets, default_budgets, variants
from core.pool.pool import Pool
from core.stratification.profiles import Outcome, outcome, profile

TITLES = {
    "allocation": "Allocation",
    "stratifier": "Stratifier",
    "strata": "Number of strata H",
    "offset": "Offset δ",
}


Fact = str | int | float | tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Order:
    """What a report is made of.

    ``budgets``: empty = the paper's, clipped to the pool. ``trials``: of every simulation, 0 = none. ``clip``: LURE's
    share of Uniform.
    """

    target: str
    budgets: tuple[int, ...] = ()
    scheme: Scheme = PAPER
    trials: int = TRIALS
    clip: float = 0.1
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Table:
    """One table: ``frame`` tidy, ``shown`` as people read it, ``finding`` and ``note`` around it."""

    name: str
    title: str
    finding: str
    note: str
    frame: pd.DataFrame
    shown: pd.DataFrame


@dataclass(frozen=True, slots=True)
class Report:
    """Where the tables come from, and the tables."""

    facts: tuple[tuple[str, Fact], ...]
    tables: tuple[Table, ...]


def report(pool: Pool, order: Order, progress: Callable[[str], None] | None = None) -> Report:
    """Every table of Lab.

    Parameters
    ----------
    progress : called with the title of each part before it is computed.

    Raises
    ------
    PoolError : no generations, or no such target. DesignError : a budget or number of trials that does not
        fit, or no known outcome of the target.
    """
    tell = progress or (lambda title: None)
    scheme = order.scheme
    if order.trials != 0 and order.trials < 2:
        raise DesignError(f"The number of trials is {order.trials}: give at least 2, or 0 to simulate nothing.")
    losses = pool.losses(order.target, order.scheme.parser)
    found = outcome(profile(pool.classes(order.scheme.parser)), losses)
    if found is None:
        raise DesignError(f"No outcome of “{order.target}” is known on this pool: its tables need losses or answers.")
    n_strata = found.profile.stratify(scheme.n_strata, scheme.stratifier).n_strata
    budgets = (
        checked_budgets(order.budgets, n_strata, found.losses.size)
        if order.budgets
        else default_budgets(n_strata, found.losses.size)
    )
    tell("Baselines")
    tables = [_baselines(pool, found, np.isfinite(losses), budgets, order)]
    tell("Label savings")
    saved = savings.savings(found, budgets, scheme)
    tables.append(
        Table(
            "savings",
            "Label savings",
            sentences.savings(saved),
            f"Exact. {shown.SAVINGS_NOTE}",
            saved,
            shown.savings(saved),
        )
    )
    tables.append(_published_savings())
    for name in TABLES:
        tell(TITLES[name])
        tables.append(_ablation(name, found, budgets, order))
        tables.append(_published(name))
    tell("H × δ")
    tables.append(_map(found, budgets, scheme))
    tell("Signals")
    tables.append(_signals(pool, budgets, order))
    return Report(_facts(pool, order, found.losses, budgets), tuple(tables))


def _baselines(pool: Pool, found: Outcome, known: NDArray[np.bool_], budgets: Sequence[int], order: Order) -> Table:
    exact = baselines.exact(found, budgets, order.scheme)
    given = baselines.scores(pool, found, known)
    drawn = None
    if order.trials:
        drawn = baselines.simulated(found.losses, given, budgets, order.trials, order.clip, order.seed)
    finding = sentences.baselines(exact, middle := _middle(budgets))
    if drawn is not None:
        finding = f"{finding} {sentences.lure(drawn, middle)}".strip()
    note = "Relative MSE in % of Uniform’s. Exact; LURE simulated, ± its standard error."
    return Table(
        "baselines",
        "Baselines",
        finding,
        note if "pe-lure" in given else f"{note} {baselines.PE_LACKS}",
        pd.concat([exact, *([] if drawn is None else [drawn])], ignore_index=True),
        shown.baselines(exact, drawn),
    )


def _ablation(name: str, found: Outcome, budgets: Sequence[int], order: Order) -> Table:
    columns = variants(name, order.scheme)
    exact = ablations.exact(found, columns, budgets)
    marked = ablations.marked(exact)
    drawn = ablations.simulated(found, columns, budgets, order.trials, order.seed) if order.trials else None
    note = f"Relative MSE in % of Uniform’s, exact{'; simulated in brackets' if order.trials else ''}. "
    return Table(
        name,
        TITLES[name],
        sentences.ablation(marked),
        note + shown.noise_note(),
        ablations.joined(exact, marked, drawn),
        shown.ablation(marked, drawn),
    )


def _published(name: str) -> Table:
    marked = published.marked(name)
    return Table(
        f"published-{name}",
        f"{TITLES[name]}, as published",
        sentences.ablation(marked),
        f"Published by the paper on another pool ({published.POOL}), simulated with T = 3,000. {shown.noise_note()}",
        ablations.joined(published.table(name), marked),
        shown.ablation(marked),
    )


def _published_savings() -> Table:
    frame = published.savings()
    mean = f"On average {100 * frame['fraction'].mean():.1f} % of the labels were saved."
    note = "Published by the paper on other pools, from simulated curves with T = 3,000."
    return Table("published-savings", "Label savings, as published", mean, note, frame, shown.published_savings(frame))


def _map(found: Outcome, budgets: Sequence[int], scheme: Scheme) -> Table:
    budget = _middle(budgets)
    frame = strata_map.exact(found, budget, scheme)
    finding = sentences.heat_map(frame, budget, scheme.n_strata, scheme.offset)
    note = f"Relative MSE in % of Uniform’s at M = {budget:,}, exact. {shown.noise_note()}"
    return Table("map", "H × δ", finding, note, frame.assign(budget=budget), shown.heat_map(frame))


def _signals(pool: Pool, budgets: Sequence[int], order: Order) -> Table:
    frame = signals_compared.compare(
        pool, signals_compared.signals(pool, order.scheme.parser), list(pool.targets), budgets, order.scheme
    )
    note = "Exact. Relative MSE in % of Uniform’s after stratifying on the signal; AUROC for losses of 0 and 1 only."
    finding = sentences.signals(frame, _middle(budgets), order.target)
    return Table("signals", "Signals compared", finding, note, frame, shown.signals(frame))


def _facts(
    pool: Pool, order: Order, losses: NDArray[np.float64], budgets: Sequence[int]
) -> tuple[tuple[str, Fact], ...]:
    scheme = order.scheme
    return (
        ("pool", pool.name),
        ("digest", pool.digest),
        ("target", order.target),
        ("items", pool.n_items),
        ("known outcomes", int(losses.size)),
        ("generations per item", pool.n_generations),
        ("mean loss", round(float(losses.mean()), 6)),
        ("budgets", tuple(budgets)),
        ("setting", f"{scheme.stratifier}, H = {scheme.n_strata}, δ = {scheme.offset:g}"),
        ("trials", order.trials),
        ("clip", order.clip),
        ("seed", order.seed),
    )


def _middle(budgets: Sequence[int]) -> int:
    """The budget nearest to the paper's 100: the one that sentences and the map speak of."""
    return min(budgets, key=lambda budget: (abs(budget - 100), budget))
