"""The lab's tables, each made in one place: the page draws them, `neyman lab` prints them.

A topic computes a tidy frame of exact values and, for some, a simulation beside it; from both follow the table as
people read it, its finding and its note.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd

from ..pool.pool import Pool
from . import coverage, sentences, signals_compared, tables
from .ablation_topics import MAP, ablation
from .experiments import Experiment
from .method_topics import AGAINST, BASELINES, LADDER, RELATED, SAVINGS
from .topic import OF_TARGET, Computation, LabQuestion, LabTable, Progress, Topic


def lab_tables(experiment: Experiment, progress: Callable[[str], None] | None = None) -> list[LabTable]:
    """Every table of an experiment, each followed by the paper's.

    Parameters
    ----------
    experiment : Experiment
        Without trials nothing is simulated.
    progress : callable, optional
        Called with the title of each topic before it is computed.

    Raises
    ------
    PoolError, DesignError
        As of the computations.
    """
    results = []
    for topic in TOPICS:
        if not topic.printed(experiment):
            continue
        if progress is not None:
            progress(topic.title)
        if isinstance(topic.values, Computation):
            values = topic.values.run(experiment, None)
        else:
            values = topic.values(experiment)
        # A map with its simulation in every cell is too wide for a terminal.
        simulation = topic.simulation if experiment.trials and not topic.at_budget else None
        drawn = None if simulation is None else simulation.run(experiment, None)
        results.append(topic.table(experiment, values, drawn))
        if topic.published is not None:
            results.append(topic.published())
    return results


def _compared_signals(experiment: Experiment, progress: Progress | None) -> pd.DataFrame:
    pool, scheme = experiment.pool, experiment.scheme
    # Without generations each signal is a target's own, which takes long to make for a leaderboard of hundreds.
    targets = list(pool.targets) if pool.n_generations else [experiment.target]
    signals = signals_compared.signals(pool, scheme.parser, targets)
    return signals_compared.compare(pool, signals, targets, experiment.budgets, scheme, progress)


def _signals(experiment: Experiment, values: pd.DataFrame, drawn: pd.DataFrame | None) -> LabTable:
    note = "Squared error after stratifying by the signal, % of Uniform’s, exact. AUROC for losses of 0 and 1 only."
    ours = experiment.recommended_error
    finding = sentences.signals(values, experiment.budget, experiment.target, ours)
    return LabTable("signals", "Signals", finding, note, values, tables.signals(values))


def _coverage(experiment: Experiment, progress: Progress | None) -> pd.DataFrame:
    scheme, seed = experiment.scheme, experiment.seed
    trials = coverage.TRIALS
    recommended = coverage.recommended(
        experiment.known, experiment.outcome, experiment.budgets, trials=trials, seed=seed
    )
    if not experiment.pool.n_generations:
        return recommended
    chosen = coverage.coverage(
        experiment.outcome, experiment.budgets, scheme, trials=trials, seed=seed, progress=progress
    )
    return pd.concat([chosen, recommended], ignore_index=True)


def _intervals(experiment: Experiment, values: pd.DataFrame, drawn: pd.DataFrame | None) -> LabTable:
    note = f"Simulated: {coverage.TRIALS:,} samples of the design at each budget."
    finding = sentences.coverage(values, experiment.budget)
    return LabTable("intervals", "Intervals", finding, note, values, tables.coverage(values))


def _has_intervals(experiment: Experiment) -> bool:
    losses = experiment.outcome.losses
    return experiment.trials > 0 and bool(np.all((losses >= 0) & (losses <= 1)))


SIGNALS = Topic(
    "signals",
    "Signals",
    Computation(
        _compared_signals,
        (*OF_TARGET, "scheme"),
        "Comparing the signals",
        "items",
        lambda e: e.pool.n_items * (len(e.pool.targets) if e.pool.n_generations else 1),
    ),
    _signals,
    at_budget=True,
    generations=False,
)
INTERVALS = Topic(
    "intervals",
    "Intervals",
    Computation(
        _coverage,
        (*OF_TARGET, "scheme", "seed"),
        "Drawing samples",
        "samples",
        lambda e: len(e.budgets) * coverage.TRIALS,
    ),
    _intervals,
    printed=_has_intervals,
    generations=False,
)
# What people ask, by a short name, with its comparisons.
QUESTIONS = (
    LabQuestion("method", "Which method?", (BASELINES, LADDER, RELATED, AGAINST, SAVINGS)),
    LabQuestion(
        "strata",
        "Which signal and strata?",
        (
            SIGNALS,
            ablation("allocation", "Allocation"),
            ablation("stratifier", "Stratifier"),
            ablation("strata", "Strata H"),
            ablation("offset", "Offset δ (evens out)"),
            MAP,
        ),
    ),
    LabQuestion("interval", "Can I trust the interval?", (INTERVALS,)),
)
TOPICS = tuple(topic for question in QUESTIONS for topic in question.topics)


def answerable(pool: Pool) -> tuple[LabQuestion, ...]:
    """Return the questions with the comparisons that a pool can answer: without generations, those that need none."""
    fitting = [
        replace(question, topics=tuple(one for one in question.topics if pool.n_generations or not one.generations))
        for question in QUESTIONS
    ]
    return tuple(question for question in fitting if question.topics)
