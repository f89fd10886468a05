"""The lab's tables, each made in one place: the page draws them, `python -m core.lab` prints them.

A topic computes a tidy frame of exact values and, for some, a simulation beside it; from both follow the table as
people read it, its finding and its note.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.lab import (
    ablations,
    across,
    baselines,
    control_variates,
    coverage,
    ladder,
    published,
    related,
    savings,
    sentences,
    signals_compared,
    strata_map,
    tables,
)
from core.lab.experiments import Experiment
from core.lab.settings import TABLES, TRIALS, variants
from core.words import METHOD_NAMES

Progress = Callable[[float], None]


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
        What it shows, one or two sentences.
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
    printed : callable
        Whether the command prints it for an experiment; the page offers every topic.
    """

    name: str
    title: str
    values: Callable[[Experiment], pd.DataFrame] | Computation
    table: Callable[[Experiment, pd.DataFrame, pd.DataFrame | None], LabTable]
    simulation: Computation | None = None
    published: Callable[[], LabTable] | None = None
    at_budget: bool = False
    printed: Callable[[Experiment], bool] = lambda experiment: True


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
    made = []
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
        made.append(topic.table(experiment, values, drawn))
        if topic.published is not None:
            made.append(topic.published())
    return made


def across_tables(frame: pd.DataFrame) -> list[LabTable]:
    """The tables of several pools, from `core.lab.across.compare`: errors, means, label savings; coverage and bias.

    Parameters
    ----------
    frame : DataFrame
        With rounds, coverage and bias follow.
    """
    if frame.empty:
        return []
    means, saved = across.means(frame), across.savings(frame)
    exact = "Relative MSE in % of Uniform’s, exact but for designs in several waves. “–”: the pool has no information."
    made = [
        LabTable("across", "Across pools", sentences.across(means), exact, frame, tables.across(frame)),
        LabTable(
            "means",
            "Means",
            sentences.worst_across(means),
            "Of each pool over its budgets and targets; of all pools over all targets alike.",
            means,
            tables.means(means),
        ),
        LabTable(
            "saved-across",
            "Label savings",
            sentences.saved_across(saved),
            "Exact. Uniform needs: the fewest labels for the error that the method reaches with its labels.",
            saved,
            tables.saved_across(saved),
        ),
    ]
    if frame["coverage"].notna().any():
        made += [
            LabTable(
                "coverage-across",
                "Coverage",
                sentences.coverage_across(frame),
                "Share of simulated rounds whose interval contains the truth, in %. The default interval, at 95 %.",
                frame,
                tables.coverage_across(frame),
            ),
            LabTable(
                "bias-across",
                "Bias",
                sentences.bias_across(frame),
                "Mean of the simulated estimates less the truth, in points.",
                frame,
                tables.bias_across(frame),
            ),
        ]
    return made


def noise_note(of: str = "row", trials: int = TRIALS) -> str:
    """What the mark of noise means.

    Parameters
    ----------
    of : str
        What the best is the best of.
    trials : int
        T of the simulations.
    """
    return (
        f"{tables.NOISE}: nearer to the {of}’s best than √(e² + e_best²), one standard error of the difference between "
        f"two independent simulations of T = {trials:,} trials, with e = value · √(2/T)."
    )


def _baselines(experiment: Experiment, values: pd.DataFrame, drawn: pd.DataFrame | None) -> LabTable:
    note = "Relative MSE in % of Uniform’s, exact."
    frames, remark = [values], ""
    if drawn is not None:
        frames, remark = [values, drawn], sentences.lure(drawn, experiment.budget)
        note += (
            f" LURE has no closed form: {experiment.trials:,} simulated draws with clip {experiment.clip:g}, with "
            "standard errors (s.e.) in points. SE-LURE draws by semantic entropy, PE-LURE by predictive entropy."
        )
        if "pe-lure" not in set(drawn["method"]):
            note += f" {baselines.PE_LACKS}"
    finding, cells = sentences.baselines(values, experiment.budget), tables.baselines(values, drawn)
    return LabTable("baselines", "Baselines", finding, note, pd.concat(frames, ignore_index=True), cells, remark)


def _lure(experiment: Experiment, progress: Progress | None) -> pd.DataFrame:
    scores = baselines.scores(experiment.pool, experiment.outcome, _known(experiment))
    losses, trials, clip, seed = experiment.outcome.losses, experiment.trials, experiment.clip, experiment.seed
    return baselines.simulated(losses, scores, experiment.budgets, trials, clip, seed, progress)


def _verdicts(experiment: Experiment) -> control_variates.Verdicts:
    e = experiment
    known, made = _known(e), control_variates.verdicts(e.pool, e.target, e.judge, e.scheme.parser)
    return replace(made, losses=made.losses[known])


def _related(experiment: Experiment) -> pd.DataFrame:
    return related.exact(experiment.outcome, _verdicts(experiment), experiment.budgets, experiment.scheme)


def _simulated_related(experiment: Experiment, progress: Progress | None) -> pd.DataFrame:
    e = experiment
    settings = (e.trials, e.clip, e.seed, e.proxy, e.scheme.parser)
    return related.simulated(e.pool, e.outcome, _known(e), e.budgets, *settings, progress)


def _related_table(experiment: Experiment, values: pd.DataFrame, drawn: pd.DataFrame | None) -> LabTable:
    note = f"Relative MSE in % of Uniform’s. Control variates: exact, with {_verdicts(experiment).how}."
    frames, remark = [values], ""
    if drawn is not None and len(drawn):
        frames, remark = [values, drawn], sentences.simulated_related(drawn, experiment.budget)
        note += f" GAT and AcTracer: {experiment.trials:,} simulated rounds, with standard errors (s.e.) in points."
    note = " ".join([note, *related.lacks(experiment.pool, experiment.proxy)])
    finding, rows = sentences.related(values, experiment.budget), pd.concat(frames, ignore_index=True)
    cells = tables.related(values, None if drawn is None or drawn.empty else drawn)
    return LabTable("related", "Related methods", finding, note, rows, cells, remark)


def _known(experiment: Experiment) -> NDArray[np.bool_]:
    return np.isfinite(experiment.pool.losses(experiment.target, experiment.scheme.parser))


def _ladder(experiment: Experiment, progress: Progress | None) -> pd.DataFrame:
    e, trials = experiment, experiment.trials or TRIALS
    return ladder.ladder(e.pool, e.target, e.budgets, e.scheme, trials, e.seed, progress)


def _rungs(experiment: Experiment, values: pd.DataFrame, drawn: pd.DataFrame | None) -> LabTable:
    note = (
        "Relative MSE in % of Uniform’s, exact but for designs in several waves, which have a standard error (s.e.). "
        "Saved: labels at equal error, in % of what Uniform needs."
    )
    missing = ladder.left_out(experiment.pool, experiment.target, experiment.scheme.parser)
    for rung, reason in missing.items():
        note += f" “{METHOD_NAMES[rung]}” is left out: {reason}."
    finding, cells = sentences.ladder(values, experiment.budget), tables.ladder(values, experiment.budget)
    return LabTable("ladder", "Ladder", finding, note, values, cells)


def _savings(experiment: Experiment, values: pd.DataFrame, drawn: pd.DataFrame | None) -> LabTable:
    note = (
        "Exact. Method needs: the fewest labels for the error that Uniform reaches with M. Uniform needs: the fewest "
        "labels for the error that the method reaches with M."
    )
    return LabTable("savings", "Savings", sentences.savings(values), note, values, tables.savings(values))


def _published_savings() -> LabTable:
    rows = published.savings()
    note = "Published by the paper on other pools, from simulated curves with T = 3,000."
    finding, cells = sentences.published_savings(rows), tables.published_savings(rows)
    return LabTable("published-savings", "Savings, as published", finding, note, rows, cells)


def _ablation(name: str, title: str) -> Topic:
    """A topic that varies one choice of the scheme: one of `core.lab.settings.TABLES`."""
    infeasible = " In brackets: infeasible, never best or worst." if name == "allocation" else ""

    def exact(experiment: Experiment) -> pd.DataFrame:
        return ablations.exact(experiment.outcome, variants(name, experiment.scheme), experiment.budgets)

    def simulated(experiment: Experiment, progress: Progress | None) -> pd.DataFrame:
        columns, budgets = variants(name, experiment.scheme), experiment.budgets
        return ablations.simulated(experiment.outcome, columns, budgets, experiment.trials, experiment.seed, progress)

    def table(experiment: Experiment, values: pd.DataFrame, drawn: pd.DataFrame | None) -> LabTable:
        marks = ablations.marked(values)
        simulation = "" if drawn is None else "; after the dot, simulated with its standard error (s.e.)"
        note = f"Relative MSE in % of Uniform’s, exact{simulation}. {noise_note()}{infeasible}"
        rows, cells = ablations.joined(values, marks, drawn), tables.ablation(marks, drawn)
        return LabTable(name, title, sentences.ablation(marks), note, rows, cells)

    def as_published() -> LabTable:
        marks = published.marked(name)
        note = f"Published by the paper on another pool ({published.POOL}), simulated with T = 3,000."
        rows, cells = ablations.joined(published.table(name), marks), tables.ablation(marks)
        finding = sentences.ablation(marks)
        return LabTable(f"published-{name}", f"{title}, as published", finding, note + infeasible, rows, cells)

    return Topic(
        name,
        _TABS.get(name, title),
        exact,
        table,
        Computation(
            simulated,
            (*_OUTCOME, "scheme", "trials", "seed"),
            "Simulating every cell",
            "trials",
            lambda e: e.trials * len(variants(name, e.scheme)),
        ),
        as_published,
    )


def _map(experiment: Experiment, values: pd.DataFrame, drawn: pd.DataFrame | None) -> LabTable:
    scheme, budget = experiment.scheme, experiment.budget
    simulation = "" if drawn is None else "; after the dot, simulated with its standard error (s.e.)"
    note = f"Relative MSE in % of Uniform’s at M = {budget:,}, exact{simulation}. {noise_note('map')}"
    rows = values if drawn is None else values.merge(drawn, on=["n_strata", "offset"], how="left")
    finding = sentences.heat_map(values, budget, scheme.n_strata, scheme.offset)
    return LabTable("map", "H × δ map", finding, note, rows.assign(budget=budget), tables.heat_map(values, drawn))


def _simulated_map(experiment: Experiment, progress: Progress | None) -> pd.DataFrame:
    outcome, budget, scheme = experiment.outcome, experiment.budget, experiment.scheme
    trials, seed = experiment.trials, experiment.seed
    return strata_map.simulated(outcome, budget, scheme, trials=trials, seed=seed, progress=progress)


def _compared_signals(experiment: Experiment, progress: Progress | None) -> pd.DataFrame:
    pool, scheme = experiment.pool, experiment.scheme
    signals = signals_compared.signals(pool, scheme.parser)
    return signals_compared.compare(pool, signals, list(pool.targets), experiment.budgets, scheme, progress)


def _signals(experiment: Experiment, values: pd.DataFrame, drawn: pd.DataFrame | None) -> LabTable:
    note = "Exact. Relative MSE in % of Uniform’s after stratifying by the signal. AUROC for losses of 0 and 1 only."
    finding = sentences.signals(values, experiment.budget, experiment.target)
    return LabTable("signals", "Signals and surrogates", finding, note, values, tables.signals(values))


def _coverage(experiment: Experiment, progress: Progress | None) -> pd.DataFrame:
    scheme, seed = experiment.scheme, experiment.seed
    return coverage.coverage(experiment.outcome, experiment.budgets, scheme, seed=seed, progress=progress)


def _intervals(experiment: Experiment, values: pd.DataFrame, drawn: pd.DataFrame | None) -> LabTable:
    note = f"Simulated: {coverage.TRIALS:,} samples of the design at each budget. {sentences.widened(values)}".rstrip()
    finding = sentences.coverage(values, experiment.budget)
    return LabTable("intervals", "Intervals", finding, note, values, tables.coverage(values))


def _has_intervals(experiment: Experiment) -> bool:
    losses = experiment.outcome.losses
    return experiment.trials > 0 and bool(np.all((losses >= 0) & (losses <= 1)))


_OUTCOME = ("target", "budgets")
# Short enough for twelve tabs in a row.
_TABS = {"strata": "H", "offset": "δ"}
_TITLES = {"allocation": "Allocation", "stratifier": "Stratifier", "strata": "Strata H", "offset": "Offset δ"}
_MAP_CELLS = len(strata_map.STRATA) * len(strata_map.OFFSETS)

TOPICS = (
    Topic(
        "baselines",
        "Baselines",
        lambda e: baselines.exact(e.outcome, e.budgets, e.scheme),
        _baselines,
        Computation(
            _lure,
            (*_OUTCOME, "trials", "clip", "seed"),
            "Simulating LURE",
            "trials",
            lambda e: e.trials * (1 if e.pool.token_logprobs is None else 2),
        ),
    ),
    Topic(
        "ladder",
        "Ladder",
        Computation(
            _ladder,
            (*_OUTCOME, "scheme", "trials", "seed"),
            "Recommending designs",
            "budgets",
            lambda e: len(e.budgets),
        ),
        _rungs,
        at_budget=True,
    ),
    Topic(
        "related",
        "Related",
        _related,
        _related_table,
        Computation(
            _simulated_related,
            (*_OUTCOME, "trials", "clip", "seed", "proxy"),
            "Simulating GAT and AcTracer",
            "trials",
            lambda e: 2 * e.trials,
        ),
    ),
    Topic(
        "savings",
        "Savings",
        lambda e: savings.savings(e.outcome, e.budgets, e.scheme),
        _savings,
        published=_published_savings,
    ),
    *(_ablation(name, _TITLES[name]) for name in TABLES),
    Topic(
        "map",
        "H × δ",
        lambda e: strata_map.exact(e.outcome, e.budget, e.scheme),
        _map,
        Computation(
            _simulated_map,
            ("target", "budget", "scheme", "trials", "seed"),
            "Simulating every cell",
            "cells",
            lambda e: _MAP_CELLS,
        ),
        at_budget=True,
    ),
    Topic(
        "signals",
        "Signals",
        Computation(
            _compared_signals,
            ("budgets", "scheme"),
            "Comparing the signals",
            "items",
            lambda e: e.pool.n_items * len(e.pool.targets),
        ),
        _signals,
        at_budget=True,
    ),
    Topic(
        "intervals",
        "Intervals",
        Computation(
            _coverage,
            (*_OUTCOME, "scheme", "seed"),
            "Drawing samples",
            "samples",
            lambda e: len(e.budgets) * coverage.TRIALS,
        ),
        _intervals,
        printed=_has_intervals,
    ),
)
