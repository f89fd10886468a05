"""`neyman plan` and `neyman check`: what labels, a precision or an amount of money give, and whether forecasts hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import pandas as pd
from cyclopts import Group, Parameter
from cyclopts.validators import mutually_exclusive

from ..allocation import default_budget
from ..errors import DesignError
from ..prospect import Prospect, Question, scenario_table, scenarios
from ..prospect.check import forecasts, gates, pairs, summary
from ..prospect.prior import AUROCS
from ..prospect.question import Costs
from ..prospect.sampling_frame import VERY_MANY
from ..prospect.scenarios import printed
from ..readers import read
from ..report.sheet import Sheet
from ..words.console import emit
from ..words.documents import document
from .options import FORM, Several

_WHAT = Group("Give one of these", validator=mutually_exclusive)
_AUROC = f"Expected AUROC: a number, a range, or one of {', '.join(AUROCS)}."


@Parameter(name="*")
@dataclass(frozen=True, slots=True, kw_only=True)
class PlanOptions:
    """The options of `neyman plan`, checked.

    Parameters
    ----------
    labels : int
        How many labels (default: 100, or a third of a small pool).
    half_width : float
        The half-width to reach, 0.05 for ±5 points.
    money : float
        The amount to spend.
    items : int
        The number of items (default: very many).
    pool : str
        A pool file instead: its signal and number of items.
    target : str
        The target model, if the pool has its answers.
    accuracy : float or two
        Expected accuracy, or its range (default: what past outcomes on the pool show, or else 0.7 to 0.85).
    auroc : float, two, or a word
        Expected AUROC (default: what past outcomes on the pool show, or else what such a signal is usually worth).
    confidence : float
        Confidence of the intervals.
    price : float
        Price of a label.
    minutes : float
        Minutes that a label takes.
    run_price : float
        Price of the target's answer to an item.
    tokens : float
        Tokens of the surrogate for one item, its answers and the prompt together.
    token_price : float
        Price of a million tokens.
    currency : str
        Currency of all prices.
    gate : float
        Accuracy from which you ship: adds the labels for a clear answer.
    band : float
        Half-width of the gate's band.
    html : str
        Write the plan as one HTML page to this file.
    json : bool
        Print one JSON object.
    csv : bool
        Print the curve as CSV.
    """

    labels: Annotated[int | None, Parameter(group=_WHAT)] = None
    half_width: Annotated[float | None, Parameter(group=_WHAT)] = None
    money: Annotated[float | None, Parameter(group=_WHAT)] = None
    items: int | None = None
    pool: Path | None = None
    target: str | None = None
    accuracy: Annotated[tuple[float, ...], Several] = ()
    auroc: Annotated[
        tuple[str, ...], Several, Parameter(help=f"Expected AUROC: a number, a range, {', '.join(AUROCS)}.")
    ] = ()
    confidence: float = 0.95
    price: float = 0.0
    minutes: float = 0.0
    run_price: float = 0.0
    tokens: float = 0.0
    token_price: float = 0.0
    currency: str = "€"
    gate: float | None = None
    band: float = 0.05
    html: Path | None = None
    json: Annotated[bool, Parameter(group=FORM)] = False
    csv: Annotated[bool, Parameter(group=FORM)] = False


def plan(options: PlanOptions | None = None) -> int:
    """Plan labels, precision and money before labelling, without a pool or on one."""
    emit(_planned(options or PlanOptions()), end="")
    return 0


def _planned(options: PlanOptions) -> str:
    """The answer, as text, JSON or CSV; the HTML page is written beside it."""
    prospect = _answer(options)
    rows = scenarios(prospect, options.half_width, options.money)
    promise, signal = prospect.promise, prospect.signal if prospect.is_exact else prospect.frame.signal
    gate = None if options.gate is None else prospect.gate(options.gate, options.band)
    sheet = Sheet(prospect, gate, rows=rows)
    if options.html is not None:
        options.html.write_text(sheet.html(), encoding="utf-8")
    if options.csv:
        return sheet.frame().to_csv(index=False)
    if options.json:
        row = {str(key): value for key, value in promise.summary_frame().iloc[0].items()}
        known, curve = (one.to_dict("records") for one in (scenario_table(rows), prospect.half_width_curve()))
        return document("neyman-plan/1", {"signal": signal, **row, "known": known, "curve": curve})
    decided = [] if gate is None else [str(gate.finding), str(gate.of_planned)]
    own = next(one for one in rows if one.own)
    # Labels for a half-width are compared with those of a random sample for the same half-width.
    wide = options.half_width is not None
    answer = [f"{own.sentence}.", own.beside, own.worth] if wide else [promise.sentence, promise.verdict]
    return "\n".join([*filter(None, answer), *decided, promise.rests_on, "", printed(rows)]) + "\n"


def _answer(options: PlanOptions) -> Prospect:
    """Return the prospect at the number of labels that answers the question."""
    costs = Costs(
        options.price, options.minutes, options.run_price, options.tokens, options.token_price, options.currency
    )
    if options.pool is not None and options.items is not None:
        raise DesignError("A pool has its own number of items. Leave out --items.")
    if options.pool is None and options.target is not None:
        raise DesignError(f"“{options.target}” is a target of which pool? Give --pool, or leave out --target.")
    accuracy = _one_or_two("--accuracy", options.accuracy) if options.accuracy else None
    auroc = _auroc(options.auroc)
    question = Question(
        options.target,
        expected=accuracy,
        auroc=auroc,
        costs=costs,
        confidence=options.confidence,
        n_items=options.items,
    )
    pool = None if options.pool is None else read(options.pool)
    size = pool.n_items if pool is not None else options.items or VERY_MANY
    prospect = Prospect(pool, None, default_budget(min(2, size), size), question)
    if options.half_width is not None:
        return prospect.for_half_width(options.half_width)
    if options.money is not None:
        return prospect.for_money(options.money)
    return prospect if options.labels is None else prospect.at(options.labels)


def check(
    pools: Annotated[tuple[Path, ...], Parameter(name="POOL")],
    /,
    *,
    trials: int = 1000,
    csv: bool = False,
) -> int:
    """Check forecasts, gates and comparisons on pools whose outcomes are known.

    Parameters
    ----------
    pools : path
        Pool files with known outcomes.
    trials : int
        Simulations.
    csv : bool
        Print the tables as CSV.
    """
    read_pools = [read(path) for path in pools]
    tables = {
        "Forecasts": pd.concat([forecasts(pool, trials=min(trials, 1000)) for pool in read_pools]),
        "Gates": pd.concat([gates(pool, trials=trials) for pool in read_pools]),
        "Pairs": pd.concat([pairs(pool, trials=min(trials, 500)) for pool in read_pools]),
    }
    if csv:
        emit("\n".join(f"# {name}\n{table.to_csv(index=False)}" for name, table in tables.items()), end="")
        return 0
    text = [f"{name}\n{table.to_string(index=False, float_format='{:.3f}'.format)}" for name, table in tables.items()]
    emit("\n\n".join([*text, summary(tables["Forecasts"])]) + "\n", end="")
    return 0


def _one_or_two(name: str, numbers: Sequence[float]) -> float | tuple[float, float]:
    if len(numbers) > 2:
        raise DesignError(f"Give {name} one number, or the two ends of a range.")
    return numbers[0] if len(numbers) == 1 else (numbers[0], numbers[1])


def _auroc(words: Sequence[str]) -> float | str | tuple[float, float] | None:
    """A word, a number, or the two ends of a range; None for none."""
    text = " ".join(words)
    if not words:
        return None
    if text in AUROCS:
        return text
    try:
        return _one_or_two("--auroc", [float(word) for word in words])
    except ValueError:
        raise DesignError(f"--auroc is a number or one of {', '.join(AUROCS)}. Found “{text}”.") from None
