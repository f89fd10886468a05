"""The parts of the lab's comparisons: a topic, the frame that it computes, and the table that people read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd

from ..words import first_sentence
from .settings import Experiment

Progress = Callable[[float], None]
# Fields of an experiment on which nearly every frame depends.
OF_TARGET = ("target", "budgets")


@dataclass(frozen=True, slots=True)
class Computation:
    """A tidy frame that takes a while; whoever waits for it sees how far it is.

    Parameters
    ----------
    run : callable
        From an experiment and progress, which is called with the share done, to the frame.
    depends : tuple of str
        Fields of the experiment that it depends on, beside the pool and the scheme's parser.
    title : str
        What is being done.
    unit : str
        What its work is counted in, in the plural.
    work : callable
        How much work an experiment is, in that unit.
    """

    run: Callable[[Experiment, Progress | None], pd.DataFrame]
    depends: tuple[str, ...]
    title: str
    unit: str
    work: Callable[[Experiment], int]


@dataclass(frozen=True, slots=True, eq=False)
class LabTable:
    """A table of the lab.

    Parameters
    ----------
    name : str
        Its key.
    title : str
        Its heading.
    finding : str
        What it shows: a headline with one number, then what else there is to say.
    note : str
        How to read it.
    rows : DataFrame
        The tidy frame, for export.
    cells : DataFrame
        As people read it.
    remark : str
        What the simulation adds to the finding, or "".
    """

    name: str
    title: str
    finding: str
    note: str
    rows: pd.DataFrame
    cells: pd.DataFrame
    remark: str = ""

    @property
    def headline(self) -> str:
        """The first sentence of the finding."""
        return first_sentence(self.finding)[0]

    @property
    def more(self) -> str:
        """The rest of the finding; "" if there is none."""
        return first_sentence(self.finding)[1]


@dataclass(frozen=True, slots=True)
class Topic:
    """One comparison of the lab.

    Parameters
    ----------
    name : str
        Its key.
    title : str
        Its heading.
    values : callable or Computation
        The frame that it shows, computed at once from an experiment or in a while.
    table : callable
        From experiment, values and the simulation or None to the table.
    simulation : Computation, optional
        The simulation beside it.
    published : callable, optional
        Makes the paper's table on another pool.
    at_budget : bool
        It shows one budget, the experiment's ``budget``.
    over_budgets : bool
        Its headline is about all budgets together, not about one.
    printed : callable
        Whether the command prints it for an experiment; the page offers every topic.
    generations : bool
        It needs a surrogate's generations.
    """

    name: str
    title: str
    values: Callable[[Experiment], pd.DataFrame] | Computation
    table: Callable[[Experiment, pd.DataFrame, pd.DataFrame | None], LabTable]
    simulation: Computation | None = None
    published: Callable[[], LabTable] | None = None
    at_budget: bool = False
    over_budgets: bool = False
    printed: Callable[[Experiment], bool] = lambda experiment: True
    generations: bool = True


@dataclass(frozen=True, slots=True)
class LabQuestion:
    """A question that people ask of the lab.

    Parameters
    ----------
    name : str
        Its key.
    title : str
        The question.
    topics : tuple of Topic
        The comparisons that answer it.
    """

    name: str
    title: str
    topics: tuple[Topic, ...]
