"""Topics that compare methods: the baselines, the ladder, related methods, label savings."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..allocation.ways import WAYS
from . import against, baselines, control_variates, ladder, published, related, savings, sentences, tables
from .experiments import Experiment
from .settings import TRIALS
from .topic import OF_TARGET, Computation, LabTable, Progress, Topic

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
        frames, remark = [values, drawn], sentences.lure(drawn, experiment.budget)
        note += (
            f" LURE has no closed form: {experiment.trials:,} simulated draws with clip {experiment.clip:g}, with "
            "standard errors (s.e.) in points. SE-LURE draws by semantic entropy, PE-LURE by predictive entropy."
        )
        if "pe-lure" not in set(drawn["method"]):
            note += f" {baselines.PE_LACKS}"
    finding, cells = sentences.baselines(values, experiment.budget), tables.baselines(values, drawn)
    return LabTable("baselines", "All methods", finding, note, pd.concat(frames, ignore_index=True), cells, remark)


def _lure(experiment: Experiment, progress: Progress | None) -> pd.DataFrame:
    scores = baselines.scores(experiment.pool, experiment.outcome, _known(experiment))
    losses, trials, clip, seed = experiment.outcome.losses, experiment.trials, experiment.clip, experiment.seed
    return baselines.simulated(losses, scores, experiment.budgets, trials, clip, seed, progress)


def _verdicts(experiment: Experiment) -> control_variates.Verdicts:
    e = experiment
    known, one = _known(e), control_variates.verdicts(e.pool, e.target, e.judge, e.scheme.parser)
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
        "Squared error, % of Uniform’s, exact except for designs in several waves, which have a standard error (s.e.). "
        "Saved: labels at equal error, in % of what Uniform needs."
    )
    missing = ladder.left_out(experiment.pool, experiment.target, experiment.scheme.parser)
    for rung, reason in missing.items():
        note += f" “{WAYS[rung].title}” is left out: {reason}."
    finding, cells = sentences.ladder(values, experiment.budget), tables.ladder(values, experiment.budget)
    return LabTable("ladder", "By what is known", finding, note, values, cells)


def _saved(experiment: Experiment, progress: Progress | None) -> pd.DataFrame:
    e = experiment
    rules = savings.savings(e.outcome, e.budgets, e.scheme)
    recommended = savings.recommended(e.known, e.outcome, e.budgets, progress)
    return pd.concat([rules, recommended], ignore_index=True)


def _savings(experiment: Experiment, values: pd.DataFrame, drawn: pd.DataFrame | None) -> LabTable:
    note = (
        "Labels for equal errors, exact. Method needs: the fewest labels for the error that Uniform reaches with M. "
        "Uniform needs: the fewest "
        "labels for the error that the method reaches with M; other pages say 1 − M/(Uniform needs)."
    )
    finding = f"{sentences.recommended_savings(values)} {sentences.savings(values)}".lstrip()
    return LabTable("savings", "Labels saved", finding, note, values, tables.savings(values))


def _published_savings() -> LabTable:
    rows = published.savings()
    note = "Published by the paper on other pools, from simulated curves with T = 3,000."
    finding, cells = sentences.published_savings(rows), tables.published_savings(rows)
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
