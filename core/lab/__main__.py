"""`python -m core.lab POOL --target T`: every table of the paper on a pool of one's own, in one command."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from core.answers import KINDS
from core.design.scheme import Scheme
from core.errors import DesignError, NeymanError
from core.lab.printing import as_json, as_markdown, as_text
from core.lab.report import Order, report
from core.lab.settings import TRIALS, parsed_budgets
from core.pool.pool import Pool
from core.readers import read
from core.stratification.cuts import METHODS


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables; 0, or 2 with one sentence on stderr where the user must put something right."""
    given = _parser().parse_args(arguments)
    try:
        pool = read(given.pool)
        order = Order(
            _target(pool, given.target),
            parsed_budgets(" ".join(given.budgets)),
            Scheme(
                stratifier=given.stratifier,
                n_strata=given.strata,
                offset=given.offset,
                parser=given.answer_kind,
            ),
            given.trials,
            given.clip,
            given.seed,
        )
        made = report(pool, order, _tell if sys.stderr.isatty() else None)
    except NeymanError as error:
        print(error, file=sys.stderr)
        return 2
    sys.stdout.write(as_json(made) if given.json else as_markdown(made) if given.markdown else as_text(made))
    return 0


def _target(pool: Pool, asked: str | None) -> str:
    names = list(pool.targets)
    if asked is not None:
        return asked
    if len(names) == 1:
        return names[0]
    if not names:
        raise DesignError("This pool has no target model: its tables need a target’s losses or answers.")
    raise DesignError(f"This pool has several targets; name one with --target: {', '.join(names)}.")


def _tell(title: str) -> None:
    print(f"{title} …", file=sys.stderr)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m core.lab", description=__doc__)
    parser.add_argument("pool", help="a pool file: JSON Lines, CSV or Parquet")
    parser.add_argument("--target", help="the target model; may be left out where the pool has one only")
    parser.add_argument("--budgets", nargs="+", default=[], help="numbers of labels; by default the paper's")
    parser.add_argument("--answer-kind", choices=KINDS, help="parser for all answers; by default the pool's own")
    parser.add_argument("--stratifier", choices=METHODS, default="adaptive")
    parser.add_argument("--strata", type=int, default=5, help="H, the number of strata (default 5)")
    parser.add_argument("--offset", type=float, default=0.75, help="δ (default 0.75)")
    parser.add_argument("--trials", type=int, default=TRIALS, help="T of every simulation (default 3000); 0: none")
    parser.add_argument("--clip", type=float, default=0.1, help="LURE's share of Uniform (default 0.1)")
    parser.add_argument("--seed", type=int, default=0)
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--markdown", action="store_true", help="print Markdown")
    form.add_argument("--json", action="store_true", help="print one JSON object with tidy rows")
    return parser


if __name__ == "__main__":
    sys.exit(main())
