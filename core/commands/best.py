"""`neyman best`: the best of several models, from their answers and few labels."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from .. import contests
from ..contests import DECIDED, LOOKS, UNDECIDED, Best, Standing
from ..errors import DesignError
from ..labels.formats.lists import to_csv
from ..readers import read
from ..words import counted
from ..words.console import emit
from ..words.documents import document
from .grading import check_unfilled
from .options import meanings

STATUS = {DECIDED: 0, UNDECIDED: 3}


@Parameter(name="*")
@dataclass(frozen=True, slots=True, kw_only=True)
class BestOptions:
    """The options of `neyman best`, checked.

    Parameters
    ----------
    within : float
        How far below the best the answer may be, in points; 0: it must be better than all others.
    confidence : float
        In per cent: a claim is wrong at most 100 less this of the time.
    power : float
        In per cent: how often the planned labels decide.
    looks : int
        Waves of labels, after each of which models drop out.
    budget : int
        Labels of all waves (default: as many as the power takes).
    labels : path
        A filled list; repeat it for the list of each wave.
    word : str
        What a word in it means, as rigth=right, falsch=wrong or unklar=skip (no verdict); may be repeated.
    kind : str
        What its labels are: gold (right answers), right-wrong or score (default: gold, or what fits the answers).
    parser : str
        How all answers are read (default: as each item says).
    out : path
        Where the next list to label is written (CSV).
    markdown : path
        Where a summary for a pull request is written.
    seed : int
        Seed of the lists.
    json : bool
        Print one JSON object.
    """

    within: Annotated[float, Parameter(validator=Number(gte=0, lt=100))] = 1.0
    confidence: Annotated[float, Parameter(validator=Number(gt=50, lt=100))] = 95.0
    power: Annotated[float, Parameter(validator=Number(gt=0, lt=100))] = 80.0
    looks: Annotated[int, Parameter(validator=Number(gte=1, lte=10))] = LOOKS
    budget: Annotated[int | None, Parameter(validator=Number(gt=0))] = None
    labels: tuple[Path, ...] = ()
    word: tuple[str, ...] = ()
    kind: str | None = None
    parser: str | None = None
    out: Path | None = None
    markdown: Path | None = None
    seed: Annotated[int, Parameter(validator=Number(gte=0))] = 0
    json: bool = False


def best(pool: Path, /, *models: str, options: BestOptions | None = None) -> int:
    """Find the best of several models. Exit status: 0 decided, 3 undecided, 2 not readable.

    Parameters
    ----------
    pool : path
        A pool, table or log with the answers of all models to the same items.
    models : str
        Those to choose among (default: all).
    options : BestOptions
        What is asked.
    """
    asked = options or BestOptions()
    for path in (pool, *asked.labels):
        if not path.exists():
            raise DesignError(f"There is no file {path}. Give the pool, and lists that --out has written.")
    planned = contests.best(
        read(pool),
        models or None,
        asked.within / 100,
        asked.confidence / 100,
        asked.power / 100,
        asked.looks,
        asked.budget,
        kind=asked.kind,
        seed=asked.seed,
        parser=asked.parser,
    )
    standing = planned.decide(asked.labels, meanings(asked.word), asked.kind) if asked.labels else planned.begin()
    if asked.out is not None and standing.next_wave is not None:
        check_unfilled(asked.out)
        asked.out.write_text(to_csv(planned.request(standing.next_wave)), encoding="utf-8")
    emit(_said(planned, standing, asked), end="")
    if asked.markdown is not None:
        asked.markdown.write_text(standing.markdown(), encoding="utf-8")
    return STATUS[standing.verdict]


def _said(planned: Best, standing: Standing, asked: BestOptions) -> str:
    if asked.json:
        return document("neyman-best/1", standing.document())
    lines = [repr(planned), repr(standing)]
    if standing.next_wave is not None:
        rows = counted(len(planned.request(standing.next_wave)), "row")
        where = f"is in {asked.out}" if asked.out is not None else "is written with --out LIST.csv"
        given = "".join(f"--labels {path} " for path in asked.labels)
        lines.append(f"The list ({rows}) {where}. Come back with {given}--labels {asked.out or 'LIST.csv'}.")
    return "\n".join(filter(None, lines)) + "\n"
