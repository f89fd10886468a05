"""All methods on the same pools: error, bias, coverage, width, refusals and time in each scenario."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd

from ... import __version__
from ...design.scheme import whole
from ...errors import DesignError
from ...pool.pool import Pool
from ...simulation.exact import uniform_mse
from .lists import Lists, measures
from .methods import RIVALS, Rival
from .peers import Peers
from .scenarios import Contest, contests

BUDGETS = (100,)
# The relative error of a method that is as good as Uniform then has a standard error of .028.
ROUNDS = 2500
NEEDS = (
    "A comparison needs two models whose outcome is known on every item. It has to vary, and there must be three times "
    "as many items as labels."
)


@dataclass(frozen=True, slots=True, eq=False)
class _Heat:
    """A contest at a budget, with the seed of its lists."""

    contest: Contest
    budget: int
    seed: int

    @property
    def about(self) -> dict[str, object]:
        """The columns that say which cell it is."""
        pool = self.contest.pool
        return {
            "pool": pool.name,
            "digest": pool.digest,
            "items": pool.n_items,
            "scenario": self.contest.scenario.name,
            "target": self.contest.target,
            "past": "; ".join(self.contest.past),
            "budget": self.budget,
            "seed": self.seed,
        }


def against(
    pools: Sequence[Pool],
    methods: Sequence[str] = (),
    budgets: Sequence[int] = BUDGETS,
    rounds: int = ROUNDS,
    seed: int = 0,
    python: Path | None = None,
    clock: Callable[[], float] = lambda: float("nan"),
    progress: Callable[[float], None] | None = None,
    target: str | None = None,
) -> pd.DataFrame:
    """Compare the methods.

    Parameters
    ----------
    pools : sequence of Pool
        With models whose outcomes are known.
    methods : sequence of str
        Of `RIVALS`; all of them if none is named.
    budgets : sequence of int
        M, each below a third of the items of a pool.
    rounds : int
        Simulated lists, T ≥ 2.
    seed : int
        Of the lists.
    python : Path, optional
        The interpreter of the peers' environment (`make env-peers`); without it their methods are "-like".
    clock : callable
        Processor seconds, for the time that a method takes, as the other packages are timed.
    progress : callable, optional
        Called with the share done.
    target : str, optional
        The model that is evaluated in every scenario, by default the one that the scenario names.

    Returns
    -------
    DataFrame
        A row for each pool, scenario, budget and method: pool, digest, items, scenario, target, past, budget, seed,
        method, title, code (whose code it is, with its version), source, ours, rounds, the columns of
        `core.lab.against.measures`, seconds (for all lists) and note (why it refuses).

    Raises
    ------
    DesignError
        A method has no such name, there are too few rounds, two pools have the same name, or none has enough models
        with known outcomes.
    """
    if rounds < 2:
        raise DesignError(f"At least 2 simulated lists are needed. Found {rounds}.")
    whole("seed", seed, 0)
    names = [pool.name for pool in pools]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise DesignError(f"Two pools are called “{twice}”. Give their files different names.")
    named = set(methods) or {*RIVALS}
    for name in named - {*RIVALS}:
        _ = RIVALS[name]
    chosen = [rival for rival in RIVALS.entries if rival.name in named]
    found = [one for pool in pools for one in contests(pool, target)]
    cells = [
        _Heat(contest, budget, int(np.random.SeedSequence([seed, number]).generate_state(1)[0]))
        for number, (contest, budget) in enumerate(product(found, budgets))
        if _fits(contest, budget)
    ]
    if not cells:
        raise DesignError(f"None of these pools can be compared on. {NEEDS}")
    packages = {rival.name: rival.package for rival in chosen if rival.package}
    with Peers.started(python, packages, [(cell.contest, cell.budget, cell.seed) for cell in cells], rounds) as peers:
        rows = []
        for done, (number, rival) in enumerate(product(range(len(cells)), chosen), start=1):
            if rival.name not in peers.versions:
                rows.append((number, rival, _own(cells[number], rival, rounds, clock)))
            if progress is not None:
                progress(done / (len(cells) * len(chosen)))
        rows += _of_peers(cells, chosen, peers)
    rows.sort(key=lambda row: (row[0], chosen.index(row[1])))
    return pd.DataFrame([row for _, _, row in rows])


def comparable(pool: Pool, budget: int, target: str | None = None) -> bool:
    """Whether there is a scenario in which methods can be compared on a pool with so many labels."""
    return any(_fits(contest, budget) for contest in contests(pool, target))


def _fits(contest: Contest, budget: int) -> bool:
    return 3 * budget <= contest.losses.size


def _own(cell: _Heat, rival: Rival, rounds: int, clock: Callable[[], float]) -> dict[str, object]:
    """The row of a method whose code is here."""
    start, note, lists = clock(), "", None
    try:
        lists = rival.run(cell.contest, cell.budget, rounds, cell.seed)
    except DesignError as error:
        note = str(error)
    seconds = clock() - start
    title = f"{rival.title}-like" if rival.package else rival.title
    code = f"neyman {__version__}"
    return _row(cell, rival, title, code, rounds, lists, seconds, note)


def _of_peers(
    cells: Sequence[_Heat], chosen: Sequence[Rival], peers: Peers
) -> Iterator[tuple[int, Rival, dict[str, object]]]:
    """The rows of methods whose authors' packages ran."""
    for number, results in enumerate(peers.results()):
        for rival in chosen:
            if rival.name in peers.versions:
                result = results[rival.name]
                code = f"{rival.package} {peers.versions[rival.name]}"
                row = _row(
                    cells[number], rival, rival.title, code, result.rounds, result.lists, result.seconds, result.note
                )
                yield number, rival, row


def _row(
    cell: _Heat, rival: Rival, title: str, code: str, rounds: int, lists: Lists | None, seconds: float, note: str
) -> dict[str, object]:
    exact = uniform_mse(cell.contest.losses, cell.budget)
    nothing = np.full(rounds, np.nan)
    found = measures(Lists.bare(nothing) if lists is None else lists, cell.contest.mean, exact)
    about = {"method": rival.name, "title": title, "code": code, "source": rival.source, "ours": rival.ours}
    return {**cell.about, **about, "rounds": rounds, **found, "seconds": seconds, "note": note}
