"""Topics that vary choices of the scheme: one at a time as the paper's tables do, and H with δ as a map."""

from __future__ import annotations

import pandas as pd

from . import ablations, published, sentences, strata_map, tables
from .experiments import Experiment
from .settings import TRIALS, variants
from .topic import OF_TARGET, Computation, LabTable, Progress, Topic


def noise_note(of: str = "row") -> str:
    """Return a note that explains the mark of noise.

    Parameters
    ----------
    of : str
        What the best is the best of.
    """
    return (
        f"{tables.NOISE}: nearer to the {of}’s best than √(e² + e_best²), one standard error of the difference between "
        f"two independent simulations of T = {TRIALS:,} trials, with e = value · √(2/T)."
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
        rows, cells = ablations.joined(values, marks, drawn), tables.ablation(marks, drawn)
        finding = sentences.ablation(marks)
        return LabTable(name, title, finding, note, rows, cells)

    def as_published() -> LabTable:
        marks = published.marked(name)
        note = f"Published by the paper on another pool ({published.POOL}), simulated with T = 3,000."
        rows, cells = ablations.joined(published.table(name), marks), tables.ablation(marks)
        finding = sentences.ablation(marks)
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
    finding = sentences.heat_map(values, scheme.n_strata, scheme.offset, experiment.recommended_error)
    return LabTable(
        "map", "Strata and offset", finding, note, rows.assign(budget=budget), tables.heat_map(values, drawn)
    )


def _simulated_map(experiment: Experiment, progress: Progress | None) -> pd.DataFrame:
    outcome, budget, scheme = experiment.outcome, experiment.budget, experiment.scheme
    trials, seed = experiment.trials, experiment.seed
    return strata_map.simulated(outcome, budget, scheme, trials=trials, seed=seed, progress=progress)


MAP = Topic(
    "map",
    "Strata and offset",
    lambda e: strata_map.exact(e.outcome, e.budget, e.scheme),
    _map,
    Computation(
        _simulated_map,
        ("target", "budget", "scheme", "trials", "seed"),
        "Simulating every cell",
        "cells",
        lambda e: len(strata_map.STRATA) * len(strata_map.OFFSETS),
    ),
    at_budget=True,
)
