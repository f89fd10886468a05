"""All methods on the same pools: error, bias, coverage, width, refusals and time, computed and printed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ... import __version__
from ...allocation.ways import FROM_ANSWERS, FROM_PAST, FROM_SURROGATE, UNIFORM
from ...design.scheme import whole
from ...errors import DesignError
from ...estimation.intervals import DEFAULT
from ...pool.pool import Pool
from ...simulation.exact import uniform_mse
from ...words import counted, per_cent
from ..topic import LabTable
from .methods import RIVALS, Peers, Rival
from .simulated_lists import SCENARIOS, Contest, Lists, contests, measures

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


# The comparison as people read it: a table for each scenario and budget, and where Neyman loses.

# Differences count from so many standard errors on.
_CLEAR = 2.0
# An interval that holds the truth less often is not narrower: it misses.
_COVERING = 0.94
_BAR, _FULL = 12, 1.5
_COLUMNS = {
    "method": "Method",
    "models": "Models",
    "error": "Error",
    "bias": "Bias, points",
    "coverage": "Coverage",
    "width": "Width",
    "refused": "Refused",
}
# Designs that know less than past results.
_LESS = (FROM_ANSWERS, FROM_SURROGATE)
_NOTE = (
    "Error: mean squared error, Uniform = 1, ± its standard error (none: it is exact). Bias: mean estimate less the "
    "truth, in points of the mean loss. Coverage: of the 95 % interval. Width: Uniform’s = 1. “–”: the method gives no "
    "interval, or refuses."
)


def against_tables(frame: pd.DataFrame) -> list[LabTable]:
    """A table for each scenario and budget, and one of the rows where Neyman loses.

    Parameters
    ----------
    frame : DataFrame
        Of `core.lab.against.against`, or as read from its CSV file.
    """
    results = []
    for scenario in SCENARIOS:
        here = frame[frame["scenario"] == scenario.name]
        for budget, rows in here.groupby("budget"):
            title = f"{scenario.title}, {budget} labels"
            name = f"against-{scenario.name}-{budget}"
            results.append(LabTable(name, title, f"{scenario.meaning} {_who(rows)}", _NOTE, rows, _cells(rows)))
    lost = losing(frame)
    finding = f"{counted(len(lost), 'row')} in which Neyman loses, by more than two standard errors."
    note = (
        "Another method’s error is compared with that of Neyman with past results, which knows the same of the items, "
        f"and so is its interval if it holds the truth in at least {per_cent(_COVERING)} of the lists."
    )
    results.append(LabTable("against-lost", "Where Neyman loses", finding, note, lost, lost.reset_index(drop=True)))
    return results


def against_table(frame: pd.DataFrame) -> LabTable:
    """One table of a single pool at one budget, with all scenarios below each other.

    Parameters
    ----------
    frame : DataFrame
        Of `core.lab.against.against`.
    """
    parts = [(one.title, frame[frame["scenario"] == one.name]) for one in SCENARIOS]
    shown = [_cells(rows).assign(models=f"{title}: {rows['target'].iloc[0]}") for title, rows in parts if len(rows)]
    cells = pd.concat(shown, ignore_index=True).rename(columns=lambda name: name.partition(",")[0])
    cells["refused"] = cells["refused"].fillna("")
    finding = f"{_headline(frame)} {_lost_to(frame)}"
    who = " ".join(f"{title}: {_who(rows).partition(': ')[2]}" for title, rows in parts if len(rows))
    rounds = f"{int(frame['rounds'].max()):,} simulated lists each. {who}"
    return LabTable(
        "against", "Other tools", finding, f"{_NOTE} {rounds}", frame, cells[[*_COLUMNS]].rename(columns=_COLUMNS)
    )


def _headline(frame: pd.DataFrame) -> str:
    """The error of Neyman without a bank in the first scenario of the frame, and whether another tool has less."""
    for scenario in SCENARIOS:
        rows = frame[(frame["scenario"] == scenario.name) & frame["relative_mse"].notna()].set_index("method")
        own = next((way for way in (FROM_PAST, *_LESS) if way.name in rows.index), None)
        if own is not None:
            at, target = per_cent(float(rows["relative_mse"][own.name])), rows["target"].iloc[0]
            start = f"For {target} the recommended design {own.rung} has {at} of Uniform’s squared error"
            others = rows[~rows["ours"].astype(bool)].drop(index=UNIFORM.name, errors="ignore")
            if others.empty:
                return f"{start}."
            best = others.sort_values("relative_mse").iloc[0]
            if _is_less(best, rows.loc[own.name]):
                return f"{start}; {best['title']} has less."
            clearly = "" if _is_less(rows.loc[own.name], best) else "; no other tool has clearly less"
            return f"{start}{clearly or ', less than any other tool'}."
    return "No design of Neyman’s applies to this pool."


def _lost_to(frame: pd.DataFrame) -> str:
    titles, lost = {one.name: one.title for one in SCENARIOS}, losing(frame)
    if lost.empty:
        return "Nowhere here does Neyman lose by more than two standard errors."
    said = "; ".join(f"{titles[name]}: {what}" for name, what in zip(lost["scenario"], lost["what"], strict=True))
    return f"Neyman loses in {counted(len(lost), 'comparison')}. {said}."


def losing(frame: pd.DataFrame) -> pd.DataFrame:
    """Every row in which Neyman loses.

    Parameters
    ----------
    frame : DataFrame
        Of `core.lab.against.against`.

    Returns
    -------
    DataFrame
        scenario, pool, labels, what: a method with a smaller error than Neyman with past results, or with a narrower
        interval that holds the truth in 94 % of the lists or more; or one of Neyman's designs whose interval holds the
        truth too rarely, is wider than Uniform's, or whose error is above Uniform's.
    """
    rows = []
    for (scenario, pool, budget), cell in frame.groupby(["scenario", "pool", "budget"], sort=False):
        about = {"scenario": scenario, "pool": pool, "labels": budget}
        rows += [{**about, "what": what} for what in _lost(cell.set_index("method"))]
    return pd.DataFrame(rows, columns=["scenario", "pool", "labels", "what"])


def _lost(cell: pd.DataFrame) -> Iterator[str]:
    ours, uniform = cell[cell["ours"].astype(bool)], cell.loc[UNIFORM.name] if UNIFORM.name in cell.index else None
    if FROM_PAST.name in cell.index:
        own = cell.loc[FROM_PAST.name]
        for name, row in cell[~cell["ours"].astype(bool)].iterrows():
            if _is_less(row, own):
                yield f"{row['title']}: error {row['relative_mse']:.2f}, Neyman {own['relative_mse']:.2f}"
            reach = _CLEAR * np.hypot(row["width_error"], own["width_error"])
            # An interval that is wider than Uniform's is listed below.
            covers = name != UNIFORM.name and row["coverage"] >= _COVERING
            if covers and row["width"] + reach < own["width"]:
                narrow = f"{row['width'] / own['width']:.2f} times as wide as Neyman’s, coverage {row['coverage']:.3f}"
                yield f"{row['title']}: interval {narrow}"
    for _, row in ours.iterrows():
        if row["coverage"] + _CLEAR * row["coverage_error"] < DEFAULT.confidence:
            yield f"{row['title']}: coverage {row['coverage']:.3f}"
        if row["relative_mse"] - _CLEAR * row["error"] > 1:
            yield f"{row['title']}: error {row['relative_mse']:.2f}, above Uniform’s"
        if uniform is not None and row["width"] > uniform["width"]:
            yield f"{row['title']}: interval {row['width'] / uniform['width']:.2f} times as wide as Uniform’s"


def _is_less(one: Any, other: Any) -> bool:
    """Whether the error of a row is smaller than that of another one, by more than simulation leaves open."""
    return bool(one["relative_mse"] + _CLEAR * np.hypot(one["error"], other["error"]) < other["relative_mse"])


def _who(rows: pd.DataFrame) -> str:
    """Who is evaluated, on each pool."""
    each = rows.drop_duplicates("pool")
    return " ".join(
        f"{row.pool}: {row.target}, {counted(len(str(row.past).split('; ')), 'past model')}."
        for row in each.itertuples()
    )


def _cells(rows: pd.DataFrame) -> pd.DataFrame:
    """A row for each method: the error on each pool, then what else is measured, pool by pool."""
    pools = list(dict.fromkeys(rows["pool"]))
    uniform = rows[rows["method"] == UNIFORM.name].set_index("pool")["width"]
    table = []
    for _, of_method in rows.groupby("method", sort=False):
        at = of_method.set_index("pool").reindex(pools)
        titles = of_method["title"].unique()
        width = at["width"] / uniform.reindex(pools)

        def each(values: pd.Series, written: Callable[[float], str]) -> str:
            return " / ".join("–" if pd.isna(value) else written(value) for value in values)

        errors = {
            f"error, {pool}": "–" if pd.isna(row["relative_mse"]) else _error(row["relative_mse"], row["error"])
            for pool, row in at.iterrows()
        }
        table.append(
            {"method": titles[0]}
            | errors
            | {
                "": _bar(float(at["relative_mse"].mean())),
                "bias": each(100 * at["bias"], _bias),
                "coverage": each(at["coverage"], "{:.3f}".format),
                "width": each(width, "{:.2f}".format),
                "refused": each(100 * at["refused"], "{:.0f} %".format) if at["refused"].any() else "",
                "seconds": f"{at['seconds'].sum():.1f}",
            }
        )
    return pd.DataFrame(table)


def _error(value: float, error: float) -> str:
    return f"{value:.2f} ± {error:.2f}" if error else f"{value:.2f}"


def _bias(points: float) -> str:
    written = f"{points:+.1f}"
    return "0.0" if written[1:] == "0.0" else written.replace("-", "−")


def _bar(value: float) -> str:
    """The mean error over the pools as a bar, Uniform's at two thirds of its length."""
    if np.isnan(value):
        return ""
    return "█" * max(1, round(_BAR * min(value, _FULL) / _FULL)) + ("…" if value > _FULL else "")
