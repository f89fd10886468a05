"""What labels, a precision or an amount of money give, in one command.

`python -m core.planning --items 3000 --labels 150 --accuracy 0.7 0.85` needs no pool; `--pool FILE` plans on one.
`python -m core.planning --check POOL …` checks forecasts, gates and comparisons on pools whose outcomes are known.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from ..errors import DesignError, NeymanError
from ..estimation.intervals import Interval
from ..readers import read
from ..words import counted, level, per_cent
from . import check
from .belief import AUROCS, Belief, belief
from .costs import Costs
from .forecast import curve, grid
from .gate import Gate
from .outlook import Outlook, from_half_width, from_labels, from_money
from .sampling_frame import SamplingFrame, assumed_frame, pool_frame
from .sheet import sheet


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the plan; return 0, or 2 after one sentence on stderr where the user must put something right."""
    options = _parser().parse_args(arguments)
    try:
        sys.stdout.write(_checked(options) if options.check else _planned(options))
    except NeymanError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def _planned(options: argparse.Namespace) -> str:
    """The answer, as text, JSON or CSV; the HTML page is written beside it."""
    items = assumed_frame(options.items) if options.pool is None else pool_frame(read(options.pool), options.target)
    believed = belief(_one_or_two("--accuracy", options.accuracy), _auroc(options.auroc))
    interval = Interval(confidence=options.confidence)
    outlook = _answer(options, items, believed, interval)
    table = curve(items, believed, grid(items, outlook.labels), interval)
    gate = "" if options.gate is None else _gate(options, outlook)
    if options.html is not None:
        page = sheet(outlook, believed, table, items.signal, interval.confidence, [gate] if gate else [])
        Path(options.html).write_text(page, encoding="utf-8")
    if options.csv:
        return table.to_csv(index=False)
    if options.json:
        row = json.loads(outlook.summary_frame().to_json(orient="records"))[0]
        rows = json.loads(table.to_json(orient="records"))
        return json.dumps({"signal": items.signal, **row, "curve": rows}, indent=2, ensure_ascii=False) + "\n"
    return "\n".join([outlook.sentence(), outlook.verdict(), *([gate] if gate else [])]) + "\n"


def _answer(options: argparse.Namespace, items: SamplingFrame, believed: Belief, interval: Interval) -> Outlook:
    costs = Costs(
        options.price, options.minutes, options.run_price, options.tokens, options.token_price, options.currency
    )
    if options.half_width is not None:
        return from_half_width(items, believed, options.half_width, costs, interval)
    if options.money is not None:
        return from_money(items, believed, options.money, costs, interval)
    return from_labels(items, believed, options.labels, costs, interval)


def _gate(options: argparse.Namespace, outlook: Outlook) -> str:
    gate = Gate(options.gate, options.band, n_items=outlook.n_items)
    labels = gate.labels()
    where = f"where the accuracy is {100 * gate.band:.3g} points or more from {per_cent(gate.bar, 1)}"
    if labels is None:
        return f"Gate: a clear answer {where} takes more than 100,000 labels."
    return (
        f"Gate: {counted(labels, 'label')}, drawn uniformly, give a clear answer with a chance of {level(gate.power)} "
        f"{where}; each answer is wrong at most {level(1 - gate.confidence)} of the time."
    )


def _checked(options: argparse.Namespace) -> str:
    """The tables of `core.planning.check`, as CSV or text."""
    pools = [read(path) for path in options.check]
    trials = options.trials
    tables = {
        "Forecasts": pd.concat([check.forecasts(pool, trials=min(trials, 1000)) for pool in pools]),
        "Gates": pd.concat([check.gates(pool, trials=trials) for pool in pools]),
        "Pairs": pd.concat([check.pairs(pool, trials=min(trials, 500)) for pool in pools]),
    }
    if options.csv:
        return "\n".join(f"# {name}\n{table.to_csv(index=False)}" for name, table in tables.items())
    text = [f"{name}\n{table.to_string(index=False, float_format='{:.3f}'.format)}" for name, table in tables.items()]
    return "\n\n".join([*text, check.summary(tables["Forecasts"])]) + "\n"


def _one_or_two(name: str, numbers: Sequence[float]) -> float | tuple[float, float]:
    if len(numbers) > 2:
        raise DesignError(f"Give {name} one number, or the two ends of a range.")
    return numbers[0] if len(numbers) == 1 else (numbers[0], numbers[1])


def _auroc(words: Sequence[str]) -> float | str | tuple[float, float]:
    """A word, a number, or the two ends of a range."""
    text = " ".join(words)
    if text in AUROCS:
        return text
    try:
        return _one_or_two("--auroc", [float(word) for word in words])
    except ValueError:
        raise DesignError(f"--auroc is a number or one of {', '.join(AUROCS)}. Found “{text}”.") from None


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m core.planning", description=__doc__)
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--labels", type=int, default=150, help="how many labels (default 150)")
    what.add_argument("--half-width", type=float, help="the wanted half-width, 0.05 for ±5 points")
    what.add_argument("--money", type=float, help="the amount to spend")
    parser.add_argument("--items", type=int, help="the number of items (default: very many)")
    parser.add_argument("--pool", metavar="FILE", help="a pool file instead: its signal and number of items")
    parser.add_argument("--target", help="the target model, where the pool has its answers")
    parser.add_argument(
        "--accuracy", type=float, nargs="+", default=[0.7, 0.85], help="believed accuracy, or its range"
    )
    parser.add_argument(
        "--auroc", nargs="+", default=["typical"], help=f"believed AUROC: a number, a range, or {', '.join(AUROCS)}"
    )
    parser.add_argument("--confidence", type=float, default=0.95)
    parser.add_argument("--price", type=float, default=0.0, help="of a label")
    parser.add_argument("--minutes", type=float, default=0.0, help="of a label")
    parser.add_argument("--run-price", type=float, default=0.0, help="of the target's answer to an item")
    parser.add_argument("--tokens", type=float, default=0.0, help="of the surrogate's pass, for one item")
    parser.add_argument("--token-price", type=float, default=0.0, help="of a million tokens")
    parser.add_argument("--currency", default="€")
    parser.add_argument("--gate", type=float, metavar="BAR", help="ship from this accuracy: labels for a clear answer")
    parser.add_argument("--band", type=float, default=0.05, help="of the gate (default 0.05)")
    parser.add_argument("--html", metavar="FILE", help="write the plan as one HTML page")
    parser.add_argument("--check", nargs="+", metavar="POOL", help="check plans on pools whose outcomes are known")
    parser.add_argument("--trials", type=int, default=1000, help="simulations of --check (default 1000)")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print one JSON object")
    form.add_argument("--csv", action="store_true", help="print the curve (or the check's tables) as CSV")
    return parser


if __name__ == "__main__":
    sys.exit(main())
