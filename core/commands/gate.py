"""`neyman gate`: whether a new version is worse than an old one by more than a margin, from logs of any tool.

What it needs is loaded once its words have been read, so that help and mistakes are answered at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter
from cyclopts.validators import Number

from ..errors import DesignError
from ..words.console import say


@Parameter(name="*")
@dataclass(frozen=True, slots=True, kw_only=True)
class GateOptions:
    """The options of `neyman gate`, checked.

    Parameters
    ----------
    margin : float
        The largest loss of accuracy that may pass, in points.
    confidence : float
        One-sided, in per cent: how often a version worse by the margin does not pass.
    power : float
        In per cent: how often a version as good as the old one passes, if the list is looked at once.
    looks : str
        once: grade the whole list, then decide. any: decide after any label; the list is no longer, and reaches less.
    old_model : str
        Which model of OLD, if it has several.
    new_model : str
        Which model of NEW, if it has several.
    parser : str
        How all answers are read (default: as each item says).
    bank : path
        A bank of verdicts, a file or a home: its verdicts on OLD count, and OLD may be a model that it knows.
    follows : bool
        The verdict follows from the answer alone: verdicts on other models' equal answers count too.
    partial : bool
        Decide although most items have no answer of one version and are left out.
    labels : path
        The filled-in list.
    word : str
        What a word in it means, as rigth=right, falsch=wrong or unklar=skip (no verdict); may be repeated.
    kind : str
        What its labels are: right-wrong, or score from 0 to 1 (default: scores if most are fractions).
    out : path
        Where the list to grade is written (CSV), if grades are missing.
    markdown : path
        Where a summary for a pull request is written.
    seed : int
        Seed of the list.
    json : bool
        Print one JSON object.
    """

    margin: Annotated[float, Parameter(validator=Number(gt=0, lt=100))] = 2.0
    confidence: Annotated[float, Parameter(validator=Number(gt=50, lt=100))] = 95.0
    power: Annotated[float, Parameter(validator=Number(gt=0, lt=100))] = 80.0
    looks: Literal["once", "any"] = "once"
    old_model: str | None = None
    new_model: str | None = None
    parser: str | None = None
    bank: Path | None = None
    follows: bool = False
    partial: bool = False
    labels: Path | None = None
    word: tuple[str, ...] = ()
    kind: str | None = None
    out: Path | None = None
    markdown: Path | None = None
    seed: Annotated[int, Parameter(validator=Number(gte=0))] = 0
    json: bool = False


def gate(old: Path, new: Path, /, options: GateOptions | None = None) -> int:
    """Decide whether a new version is worse than an old one. Exit status: 0 pass, 1 fail, 3 undecided, 2 not readable.

    Parameters
    ----------
    old : path
        A log or pool with the old version's answers, or a model that the bank knows.
    new : path
        A log or pool with the new version's answers.
    options : GateOptions
        What is asked.
    """
    asked = options or GateOptions()
    for path in (new,) if asked.bank is not None else (old, new):
        if not path.exists():
            raise DesignError(f"There is no file {path}. Give the log or the pool of each version.")
    if asked.bank is not None and not asked.bank.exists():
        raise DesignError(f"There is no bank {asked.bank}. Give the file that a bank was written to, or a home.")
    if asked.labels is not None and not asked.labels.exists():
        raise DesignError(f"There is no file {asked.labels}. Write the list with --out, and give it once it is filled.")
    say(f"Comparing {new} with {old} …")
    # Here, since it takes pandas and the readers of all tools.
    from .gating import run

    return run(old, new, asked)
