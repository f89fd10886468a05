"""The lab's tables, each made in one place: the page draws them, `neyman lab` prints them.

A topic computes a tidy frame of exact values and, for some, a simulation beside it; from both follow the table as
people read it, its finding and its note.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..allocation.ways import WAYS
from ..pool.pool import Pool
from . import ablations, against, baselines, captions, coverage, ladder, related, shown_tables, signals_compared
from .settings import TRIALS, Experiment, variants
from .topic import OF_TARGET, Computation, LabQuestion, LabTable, Progress, Topic


def noise_note(of: str = "row") -> str:
    """Return a note that explains the mark of noise.

    Parameters
    ----------
    of : str
        What the best is the best of.
    """
    return (
        f"{shown_tables.NOISE}: nearer to the {of}’s best than √(e² + e_best²), one standard error of the difference "
        f"between two independent simulations of T = {TRIALS:,} trials, with e = value · √(2/T)."
    )


def ablation(name: str, title: str) -> Topic:
    """A topic that varies one choice of the scheme.

    Parameters
    ----------
    name : str
        One of `core.lab.settings.TABLES`.
    title : str
        The heading of its table.
    """
    infeasible = " Oracle-Neyman is infeasible: it knows the losses." if name == "allocation" else ""

    def exact(experiment: Experiment) -> pd.DataFrame:
        compared = ablations.exact(experiment.outcome, variants(name, experiment.scheme), experiment.budgets)
        return ablations.with_recommended(compared, experiment.recommended)

    def simulated(experiment: Experiment, progress: Progress | None) -> pd.DataFrame:
        columns, budgets = variants(name, experiment.scheme), experiment.budgets
        return ablations.simulated(experiment.outcome, columns, budgets, experiment.trials, experiment.seed, progress)

    def table(experiment: Experiment, values: pd.DataFrame, drawn: pd.DataFrame | None) -> LabTable:
        marks = ablations.marked(values)
        simulation = "" if drawn is None else "; after the dot, simulated with its standard error (s.e.)"
        apart = "columns in brackets are never best or worst"
        note = f"Squared error, % of Uniform’s, exact{simulation}; {apart}. {noise_note()}{infeasible}"
        rows, cells = ablations.joined(values, marks, drawn), shown_tables.ablation(marks, drawn)
        finding = captions.ablation(marks)
        return LabTable(name, title, finding, note, rows, cells)

    def as_published() -> LabTable:
        marks = baselines.marked(name)
        note = f"Published by the paper on another pool ({baselines.POOL}), simulated with T = 3,000."
        rows, cells = ablations.joined(baselines.table(name), marks), shown_tables.ablation(marks)
        finding = captions.ablation(marks)
        return LabTable(f"published-{name}", f"{title}, as published", finding, note + infeasible, rows, cells)

    return Topic(
        name,
        title,
        exact,
        table,
        Computation(
            simulated,
            (*OF_TARGET, "scheme", "trials", "seed"),
            "Simulating every cell",
            "trials",
            lambda e: e.trials * len(variants(name, e.scheme)),
        ),
        as_published,
        over_budgets=True,
    )


def _map(experiment: Experiment, values: pd.DataFrame, drawn: pd.DataFrame | None) -> LabTable:
    scheme, budget = experiment.scheme, experiment.budget
    simulation = "" if drawn is None else "; after the dot, simulated with its standard error (s.e.)"
    note = f"Squared error at M = {budget:,}, % of Uniform’s, exact{simulation}. {noise_note('map')}"
    rows = values if drawn is None else values.merge(drawn, on=["n_strata", "offset"], how="left")
    finding = captions.heat_map(values, scheme.n_strata, scheme.offset, experiment.recommended_error)
    return LabTable(
        "map", "Strata and offset", finding, note, rows.assign(budget=budget), shown_tables.heat_map(values, drawn)
    )


def _simulated_map(experiment: Experiment, progress: Progress | None) -> pd.DataFrame:
    outcome, budget, scheme = experiment.outcome, experiment.budget, experiment.scheme
    trials, seed = experiment.trials, experiment.seed
    return ablations.map_simulated(outcome, budget, scheme, trials=trials, seed=seed, progress=progress)


MAP = Topic(
    "map",
    "Strata and offset",
    lambda e: ablations.map_exact(e.outcome, e.budget, e.scheme),
    _map,
    Computation(
        _simulated_map,
        ("target", "budget", "scheme", "trials", "seed"),
        "Simulating every cell",
        "cells",
        lambda e: len(ablations.STRATA) * len(ablations.OFFSETS),
    ),
    at_budget=True,
)


# Topics that compare methods: the baselines, the ladder, related methods, label savings.

# Simulated lists of each method, so that a pool takes about a minute.
_LISTS = 500
_QUICK = tuple(rival for rival in against.RIVALS.entries if not rival.slow)


def _errors(experiment: Experiment, progress: Progress | None) -> pd.DataFrame:
    e = experiment
    rules = baselines.exact(e.outcome, e.budgets, e.scheme)
    return pd.concat([rules, e.recommended], ignore_index=True)


def _baselines(experiment: Experiment, values: pd.DataFrame, drawn: pd.DataFrame | None) -> LabTable:
    exact = "exact" if drawn is None else "exact except LURE"
    note = f"Squared error, % of Uniform’s, {exact}."
    frames, remark = [values], ""
    if drawn is not None:
        frames, remark = [values, drawn], captions.lure(drawn, experiment.budget)
        note += (
            f" LURE has no closed form: {experiment.trials:,} simulated draws with clip {experiment.clip:g}, with "
            "standard errors (s.e.) in points. SE-LURE draws by semantic entropy, PE-LURE by predictive entropy."
        )
        if "pe-lure" not in set(drawn["method"]):
            note += f" {baselines.PE_LACKS}"
    finding, cells = captions.baselines(values, experiment.budget), shown_tables.baselines(values, drawn)
    return LabTable("baselines", "All methods", finding, note, pd.concat(frames, ignore_index=True), cells, remark)


def _lure(experiment: Experiment, progress: Progress | None) -> pd.DataFrame:
    scores = baselines.scores(experiment.pool, experiment.outcome, _known(experiment))
    losses, trials, clip, seed = experiment.outcome.losses, experiment.trials, experiment.clip, experiment.seed
    return baselines.simulated(losses, scores, experiment.budgets, trials, clip, seed, progress)


def _verdicts(experiment: Experiment) -> related.Verdicts:
    e = experiment
    known, one = _known(e), related.verdicts(e.pool, e.target, e.judge, e.scheme.parser)
    return replace(one, losses=one.losses[known])


def _related(experiment: Experiment) -> pd.DataFrame:
    e = experiment
    compared = related.exact(e.outcome, _verdicts(e), e.budgets, e.scheme)
    return pd.concat([compared, e.recommended], ignore_index=True)


def _simulated_related(experiment: Experiment, progress: Progress | None) -> pd.DataFrame:
    e = experiment
    settings = (e.trials, e.clip, e.seed, e.proxy, e.scheme.parser)
    return related.simulated(e.pool, e.outcome, _known(e), e.budgets, *settings, progress)


def _related_table(experiment: Experiment, values: pd.DataFrame, drawn: pd.DataFrame | None) -> LabTable:
    note = f"Squared error, % of Uniform’s. Control variates: exact, with {_verdicts(experiment).how}."
    frames, remark = [values], ""
    if drawn is not None and len(drawn):
        frames, remark = [values, drawn], captions.simulated_related(drawn, experiment.budget)
        note += f" GAT and AcTracer: {experiment.trials:,} simulated rounds, with standard errors (s.e.) in points."
    note = " ".join([note, *related.lacks(experiment.pool, experiment.proxy)])
    finding, rows = captions.related(values, experiment.budget), pd.concat(frames, ignore_index=True)
    cells = shown_tables.related(values, None if drawn is None or drawn.empty else drawn)
    return LabTable("related", "Related methods", finding, note, rows, cells, remark)


def _known(experiment: Experiment) -> NDArray[np.bool_]:
    return np.isfinite(experiment.pool.losses(experiment.target, experiment.scheme.parser))


def _ladder(experiment: Experiment, progress: Progress | None) -> pd.DataFrame:
    e, trials = experiment, experiment.trials or TRIALS
    return ladder.ladder(e.pool, e.target, e.budgets, e.scheme, trials, e.seed, progress)


def _rungs(experiment: Experiment, values: pd.DataFrame, drawn: pd.DataFrame | None) -> LabTable:
    note = (
        "Squared error, % of Uniform’s, exact except for designs in several waves, which have a standard error (s.e.). "
        "Saved: labels at equal error, in % of what Uniform needs."
    )
    missing = ladder.left_out(experiment.pool, experiment.target, experiment.scheme.parser)
    for rung, reason in missing.items():
        note += f" “{WAYS[rung].title}” is left out: {reason}."
    finding, cells = captions.ladder(values, experiment.budget), shown_tables.ladder(values, experiment.budget)
    return LabTable("ladder", "By what is known", finding, note, values, cells)


def _saved(experiment: Experiment, progress: Progress | None) -> pd.DataFrame:
    e = experiment
    rules = ladder.savings(e.outcome, e.budgets, e.scheme)
    recommended = ladder.recommended(e.known, e.outcome, e.budgets, progress)
    return pd.concat([rules, recommended], ignore_index=True)


def _savings(experiment: Experiment, values: pd.DataFrame, drawn: pd.DataFrame | None) -> LabTable:
    note = (
        "Labels for equal errors, exact. Method needs: the fewest labels for the error that Uniform reaches with M. "
        "Uniform needs: the fewest "
        "labels for the error that the method reaches with M; other pages say 1 − M/(Uniform needs)."
    )
    finding = f"{captions.recommended_savings(values)} {captions.savings(values)}".lstrip()
    return LabTable("savings", "Labels saved", finding, note, values, shown_tables.savings(values))


def _published_savings() -> LabTable:
    rows = baselines.savings()
    note = "Published by the paper on other pools, from simulated curves with T = 3,000."
    finding, cells = captions.published_savings(rows), shown_tables.published_savings(rows)
    return LabTable("published-savings", "Labels saved, as published", finding, note, rows, cells)


def _against(experiment: Experiment, progress: Progress | None) -> pd.DataFrame:
    if not against.comparable(experiment.pool, experiment.budget, experiment.target):
        return pd.DataFrame()
    e, rounds = experiment, min(experiment.trials or _LISTS, _LISTS)
    methods = [rival.name for rival in _QUICK]
    return against.against([e.pool], methods, (e.budget,), rounds, e.seed, progress=progress, target=e.target)


def _against_table(experiment: Experiment, values: pd.DataFrame, drawn: pd.DataFrame | None) -> LabTable:
    if values.empty:
        return LabTable("against", "Other tools", against.NEEDS, "", values, values)
    return against.against_table(values)


BASELINES = Topic(
    "baselines",
    "All methods",
    Computation(
        _errors,
        (*OF_TARGET, "scheme"),
        "Comparing the methods",
        "budgets",
        lambda e: len(e.budgets),
    ),
    _baselines,
    Computation(
        _lure,
        (*OF_TARGET, "trials", "clip", "seed"),
        "Simulating LURE",
        "trials",
        lambda e: e.trials * (1 if e.pool.token_logprobs is None else 2),
    ),
)
LADDER = Topic(
    "ladder",
    "By what is known",
    Computation(
        _ladder,
        (*OF_TARGET, "scheme", "trials", "seed"),
        "Recommending designs",
        "budgets",
        lambda e: len(e.budgets),
    ),
    _rungs,
    at_budget=True,
    generations=False,
)
RELATED = Topic(
    "related",
    "Related methods",
    _related,
    _related_table,
    Computation(
        _simulated_related,
        (*OF_TARGET, "trials", "clip", "seed", "proxy"),
        "Simulating GAT and AcTracer",
        "trials",
        lambda e: 2 * e.trials,
    ),
)
SAVINGS = Topic(
    "savings",
    "Labels saved",
    Computation(
        _saved,
        (*OF_TARGET, "scheme"),
        "Counting labels saved",
        "budgets",
        lambda e: len(e.budgets),
    ),
    _savings,
    published=_published_savings,
    over_budgets=True,
)
AGAINST = Topic(
    "against",
    "Other tools",
    Computation(
        _against,
        ("target", "budget", "trials", "seed"),
        "Simulating all methods",
        "methods",
        lambda e: len(_QUICK) * len(against.contests(e.pool, e.target)),
    ),
    _against_table,
    at_budget=True,
    # The command prints it for several pools at once.
    printed=lambda experiment: False,
    generations=False,
)


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
    finding = captions.signals(values, experiment.budget, experiment.target, ours)
    return LabTable("signals", "Signals", finding, note, values, shown_tables.signals(values))


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
    finding = captions.coverage(values, experiment.budget)
    return LabTable("intervals", "Intervals", finding, note, values, shown_tables.coverage(values))


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
# What people ask, by a short name, with its comparisons; those that a paper or a reviewer asks for are apart.
AUTHORS = "authors"
QUESTIONS = (
    LabQuestion("method", "Which method?", (BASELINES, LADDER, SAVINGS)),
    LabQuestion("strata", "Which signal and strata?", (SIGNALS, MAP)),
    LabQuestion("interval", "Can I trust the interval?", (INTERVALS,)),
    LabQuestion(
        AUTHORS,
        "For authors",
        (
            RELATED,
            AGAINST,
            ablation("allocation", "Allocation"),
            ablation("stratifier", "Stratifier"),
            ablation("strata", "Strata H"),
            ablation("offset", "Offset δ (evens out)"),
        ),
    ),
)
TOPICS = tuple(topic for question in QUESTIONS for topic in question.topics)


def answerable(pool: Pool) -> tuple[LabQuestion, ...]:
    """Return the questions with the comparisons that a pool can answer: without generations, those that need none."""
    fitting = [
        replace(question, topics=tuple(one for one in question.topics if pool.n_generations or not one.generations))
        for question in QUESTIONS
    ]
    return tuple(question for question in fitting if question.topics)
