"""Options that several commands share, and those of `neyman gate`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Group, Parameter
from cyclopts.validators import Number, mutually_exclusive

from ..errors import DesignError

# One option, several values after it: --accuracy 0.7 0.85.
Several = Parameter(consume_multiple=True)
# How a result is printed, by default as text.
FORM = Group("Output", validator=mutually_exclusive)


def meanings(given: Iterable[str], good: str = "right", bad: str = "wrong") -> dict[str, str]:
    """Read what is said of words of labels, each as WORD=MEANING, or =MEANING of a blank; a word may hold “=” itself.

    Parameters
    ----------
    given : iterable of str
        As typed.
    good, bad : str
        How the command calls both verdicts, for the error.

    Raises
    ------
    DesignError
        One gives no meaning, or another one than before.
    """
    said = dict[str, str]()
    for one in given:
        word, sign, meaning = one.rpartition("=")
        if not sign or not meaning:
            ways = f"--word=WORD={good}, --word=WORD={bad} or --word=WORD=skip (no verdict)"
            raise DesignError(f"“{one}” gives no meaning. Write {ways}.")
        if said.setdefault(word, meaning) != meaning:
            raise DesignError(f"“{word}” is given as {said[word]} and as {meaning}. Say one.")
    return said


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
    varies : bool
        A version answers differently each time (by default: a file has several runs of one), so that single runs do not
        say what to expect.
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
    varies: bool | None = None
    labels: Path | None = None
    word: tuple[str, ...] = ()
    kind: str | None = None
    out: Path | None = None
    markdown: Path | None = None
    seed: Annotated[int, Parameter(validator=Number(gte=0))] = 0
    json: bool = False
