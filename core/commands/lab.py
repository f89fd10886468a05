"""`neyman lab`: the paper's tables on your pools."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import process_time
from typing import Annotated

from cyclopts import App, Parameter

from ..answers import KINDS
from ..design.scheme import Scheme
from ..errors import DesignError
from ..lab import across as comparison
from ..lab.against import BUDGETS, RIVALS, ROUNDS, against, against_tables
from ..lab.printing import Facts, across_tables, as_json, as_markdown, as_text, facts, facts_across
from ..lab.settings import TRIALS, experiment, parsed_budgets
from ..lab.topic import LabTable
from ..lab.topics import lab_tables
from ..pool.pool import Pool
from ..readers import read
from ..stratification.cuts import METHODS
from ..words import counted
from ..words.console import count, emit, is_watched, say
from .options import FORM, Several

# Where make env-peers puts it in a checkout.
_PEERS = Path(".venv-peers/bin/python")

app = App("lab", help="Compare methods on your pools, with the paper's tables.")


@Parameter(name="*")
@dataclass(frozen=True, slots=True, kw_only=True)
class LabOptions:
    """The options that the tables of one pool and of several share.

    Parameters
    ----------
    budgets : int
        Numbers of labels (default: the paper's).
    answer_kind : str
        Parser for all answers (default: the pool's own).
    stratifier : str
        How strata are cut.
    strata : int
        H, the number of strata.
    offset : float
        Offset δ of the paper's rule.
    seed : int
        Seed of all simulations.
    markdown : bool
        Print Markdown.
    json : bool
        Print one JSON object with tidy rows.
    """

    budgets: Annotated[tuple[str, ...], Several] = ()
    answer_kind: Annotated[str | None, Parameter(choices=list(KINDS))] = None
    stratifier: Annotated[str, Parameter(choices=list(METHODS))] = "adaptive"
    strata: int = 5
    offset: float = 0.75
    seed: int = 0
    markdown: Annotated[bool, Parameter(group=FORM)] = False
    json: Annotated[bool, Parameter(group=FORM)] = False

    @property
    def scheme(self) -> Scheme:
        """The design that the tables vary."""
        return Scheme(stratifier=self.stratifier, n_strata=self.strata, offset=self.offset, parser=self.answer_kind)

    @property
    def numbers(self) -> tuple[int, ...]:
        """The budgets, none if none is given."""
        return parsed_budgets(" ".join(self.budgets))

    def print(self, about: Facts, tables: Sequence[LabTable]) -> int:
        """Print tables in the form that was asked for."""
        write = as_json if self.json else as_markdown if self.markdown else as_text
        emit(write(about, tables), end="")
        return 0


@app.default
def tables(
    pools: Annotated[tuple[Path, ...], Parameter(name="POOL")],
    /,
    *,
    target: str | None = None,
    trials: int | None = None,
    clip: float = 0.1,
    judge: str | None = None,
    p_true: str | None = None,
    against: Annotated[bool, Parameter(negative=())] = False,
    csv: Path | None = None,
    peers: Path = _PEERS,
    options: LabOptions | None = None,
) -> int:
    """Print every table of one target, or with --against all methods on several pools.

    Parameters
    ----------
    pools : path
        A pool file: JSON Lines, CSV or Parquet. With --against: one or more, after the names of the methods to compare
        (default: all).
    target : str
        The target model; not needed if the pool has only one.
    trials : int
        Rounds of every simulation, 0 for none (default: 3,000; with --against, 2,500 lists).
    clip : float
        LURE's share of Uniform.
    judge : str
        Column of a judge's verdicts, 1 for right (default: “judge”).
    p_true : str
        Column of GAT's probability of “True” (default: “p_true”).
    against : bool
        Compare Uniform, the paper's design, other packages and Neyman's designs.
    csv : path
        With --against: the file that the results are written to.
    peers : path
        With --against: the Python of the environment that has the other packages (make env-peers).
    options : LabOptions
        The design, the budgets, and the form.
    """
    options = options or LabOptions()
    if against:
        return _against(pools, ROUNDS if trials is None else trials, csv, peers, options)
    if len(pools) > 1:
        raise DesignError("These are several pools. Name one, or compare them: neyman lab across POOL …")
    pool = read(pools[0])
    simulation = (TRIALS if trials is None else trials, clip, options.seed)
    run = experiment(pool, _target(pool, target), options.numbers, options.scheme, *simulation, judge, p_true)
    return options.print(facts(run), lab_tables(run, _announce))


@app.command
def across(
    pools: Annotated[tuple[Path, ...], Parameter(name="POOL")],
    /,
    *,
    rounds: int = 0,
    options: LabOptions | None = None,
) -> int:
    """Compare Uniform, the paper's design and the recommended ones on every target of all pools.

    Parameters
    ----------
    pools : path
        Pool files with known outcomes.
    rounds : int
        Simulated rounds for coverage and bias, 0 for none.
    options : LabOptions
        The design, the budgets, and the form.
    """
    options = options or LabOptions()
    read_pools = [read(path) for path in pools]
    budgets = options.numbers or comparison.BUDGETS
    _announce(f"Comparing {counted(len(read_pools), 'pool')}")
    frame = comparison.compare(read_pools, budgets, options.scheme, rounds, options.seed)
    if frame.empty:
        raise DesignError(
            "No target of these pools can be compared: each needs a known outcome that varies, on three times as many "
            "items as the smallest budget."
        )
    return options.print(facts_across(read_pools, budgets, rounds, options.seed), across_tables(frame))


@app.command
def risk_transfer(pools: Annotated[tuple[Path, ...], Parameter(name="POOL")], /, *, write: bool = False) -> int:
    """Hold out one benchmark after another, to see whether a risk model comparison.

    Prints the exact relative error of fine strata along each signal and along what models trained on the other
    benchmarks predict, then trains the default model on all benchmarks.

    Parameters
    ----------
    pools : path
        Two or more: a pool file, or a folder of MMLU-Pro's zips.
    write : bool
        Replace the coefficients of the default model.
    """
    benchmarks = {path.stem: comparison.cases(comparison.pools_of(path), path.stem) for path in pools}
    if len(benchmarks) < 2:
        raise DesignError("One benchmark cannot show what comparison. Give two or more.")
    emit((100 * comparison.transfer(benchmarks)).to_string(float_format="{:.1f}".format, na_rep="–"))
    text = json.dumps(comparison.default(benchmarks).to_dict(), indent=1, ensure_ascii=False) + "\n"
    emit(f"\nTrained on all:\n{text}", end="")
    if write:
        comparison.SHIPPED.write_text(text, encoding="utf-8")
    return 0


def _against(words: Sequence[Path], rounds: int, csv: Path | None, peers: Path, options: LabOptions) -> int:
    """All methods, or those that are named before the pools."""
    methods = [str(word) for word in words if str(word) in RIVALS]
    read_pools = [read(word) for word in words if str(word) not in RIVALS]
    python = peers if peers.exists() else None
    if python is None:
        say(f"No environment with the other packages at {peers}, so their methods are “-like”: run make env-peers.")
    budgets = options.numbers or BUDGETS
    frame = against(read_pools, methods, budgets, rounds, options.seed, python, process_time, _share)
    if csv is not None:
        frame.to_csv(csv, index=False, lineterminator="\n")
    return options.print(facts_across(read_pools, budgets, rounds, options.seed), against_tables(frame))


def _share(done: float) -> None:
    if is_watched():
        count(f"{100 * done:.0f} %", over=done >= 1)


def _announce(title: str) -> None:
    if is_watched():
        say(f"{title} …")


def _target(pool: Pool, name: str | None) -> str:
    names = list(pool.targets)
    if name is not None:
        return name
    if len(names) == 1:
        return names[0]
    if not names:
        raise DesignError("This pool has no target. Its tables need a target’s losses, or its answers and the truth.")
    raise DesignError(f"This pool has several targets. Name one with --target: {', '.join(names)}.")
