"""The paper's tables on your pools, in one command.

`python -m core.lab POOL --target T` prints every table of one target; `python -m core.lab --across POOL …` compares
Uniform, the paper's design and the recommended ones on every target of all pools.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from ..answers import KINDS
from ..design.scheme import Scheme
from ..errors import DesignError, NeymanError
from ..pool.pool import Pool
from ..readers import read
from ..stratification.cuts import METHODS
from ..words import counted
from . import across
from .experiments import experiment
from .pool_tables import across_tables
from .printing import Facts, as_json, as_markdown, as_text, facts, facts_across
from .settings import TRIALS, parsed_budgets
from .topic import LabTable
from .topics import lab_tables


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables; return 0, or 2 after one sentence on stderr where the user must put something right."""
    options = _parser().parse_args(arguments)
    if options.across:
        prepare = _across
    elif len(options.pools) > 1:
        print("These are several pools: add --across to compare them, or name one.", file=sys.stderr)
        return 2
    else:
        prepare = _one
    try:
        about, tables = prepare(options)
    except NeymanError as error:
        print(error, file=sys.stderr)
        return 2
    write = as_json if options.json else as_markdown if options.markdown else as_text
    sys.stdout.write(write(about, tables))
    return 0


def _one(options: argparse.Namespace) -> tuple[Facts, list[LabTable]]:
    """Every table of one target, and where they come from."""
    pool = read(options.pools[0])
    budgets, target = parsed_budgets(" ".join(options.budgets)), _target(pool, options.target)
    simulation = (options.trials, options.clip, options.seed)
    run = experiment(pool, target, budgets, _scheme(options), *simulation, options.judge, options.p_true)
    return facts(run), lab_tables(run, _announce)


def _across(options: argparse.Namespace) -> tuple[Facts, list[LabTable]]:
    """The tables of several pools, and where they come from."""
    pools = [read(path) for path in options.pools]
    budgets = parsed_budgets(" ".join(options.budgets)) or across.BUDGETS
    _announce(f"Comparing {counted(len(pools), 'pool')}")
    frame = across.compare(pools, budgets, _scheme(options), options.rounds, options.seed)
    if frame.empty:
        raise DesignError(
            "No target of these pools can be compared: each needs a known outcome that varies, on three times as many "
            "items as the smallest budget."
        )
    return facts_across(pools, budgets, options.rounds, options.seed), across_tables(frame)


def _announce(title: str) -> None:
    if sys.stderr.isatty():
        print(title, "…", file=sys.stderr)


def _scheme(options: argparse.Namespace) -> Scheme:
    return Scheme(
        stratifier=options.stratifier, n_strata=options.strata, offset=options.offset, parser=options.answer_kind
    )


def _target(pool: Pool, name: str | None) -> str:
    names = list(pool.targets)
    if name is not None:
        return name
    if len(names) == 1:
        return names[0]
    if not names:
        raise DesignError("This pool has no target. Its tables need a target’s losses, or its answers and the truth.")
    raise DesignError(f"This pool has several targets. Name one with --target: {', '.join(names)}.")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m core.lab", description=__doc__)
    parser.add_argument("pools", nargs="+", metavar="pool", help="a pool file: JSON Lines, CSV or Parquet")
    parser.add_argument("--across", action="store_true", help="compare every target of all pools in one table")
    parser.add_argument(
        "--rounds", type=int, default=0, help="with --across: simulated rounds for coverage and bias (default: none)"
    )
    parser.add_argument("--target", help="the target model; not needed if the pool has only one")
    parser.add_argument("--budgets", nargs="+", default=[], help="numbers of labels (default: the paper's)")
    parser.add_argument("--answer-kind", choices=KINDS, help="parser for all answers (default: the pool's own)")
    parser.add_argument("--stratifier", choices=METHODS, default="adaptive")
    parser.add_argument("--strata", type=int, default=5, help="H, the number of strata (default 5)")
    parser.add_argument("--offset", type=float, default=0.75, help="δ (default 0.75)")
    parser.add_argument("--trials", type=int, default=TRIALS, help="T of every simulation (default 3000), 0 for none")
    parser.add_argument("--clip", type=float, default=0.1, help="LURE's share of Uniform (default 0.1)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--judge", metavar="COLUMN", help="a judge's verdicts, 1 for right (default: “judge”)")
    parser.add_argument("--p-true", metavar="COLUMN", help="GAT's probability of “True” (default: “p_true”)")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--markdown", action="store_true", help="print Markdown")
    form.add_argument("--json", action="store_true", help="print one JSON object with tidy rows")
    return parser


if __name__ == "__main__":
    sys.exit(main())
