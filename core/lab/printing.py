"""The lab's tables as plain text, Markdown or JSON, of one pool or of several side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from ..pool.pool import Pool
from ..words import grouped
from ..words.documents import document
from . import across, captions, shown_tables
from .settings import Experiment
from .topic import LabTable

Fact = str | int | float | tuple[int, ...] | tuple[str, ...]
Facts = Mapping[str, Fact]


def as_text(about: Facts, tables: Sequence[LabTable]) -> str:
    """Plain text, tables aligned."""
    parts = ["\n".join(f"{name}: {_written(value)}" for name, value in about.items())]
    for table in tables:
        body, line = table.cells.map(grouped).to_string(index=False), "=" * len(table.title)
        parts.append("\n".join((table.title, line, _finding(table), "", body, "", table.note)))
    return "\n\n".join(parts) + "\n"


def as_markdown(about: Facts, tables: Sequence[LabTable]) -> str:
    """GitHub-flavoured Markdown."""
    parts = ["# Lab", "\n".join(f"- {name}: {_escaped(_written(fact))}" for name, fact in about.items())]
    for table in tables:
        parts += [f"## {table.title}", _escaped(_finding(table)), grid(table.cells.map(grouped)), _escaped(table.note)]
    return "\n\n".join(part for part in parts if part) + "\n"


def as_json(about: Facts, tables: Sequence[LabTable]) -> str:
    """One JSON object: the facts, and each table's tidy rows; what is not a number is null."""
    written = {
        table.name: {
            "title": table.title,
            "finding": _finding(table),
            "note": table.note,
            "rows": table.rows.to_dict("records"),
        }
        for table in tables
    }
    return document("neyman-lab/1", {**about, "tables": written}, indent=1)


def facts_across(pools: Sequence[Pool], budgets: Sequence[int], trials: int, seed: int) -> dict[str, Fact]:
    """Where the tables of several pools come from.

    Parameters
    ----------
    pools : sequence of Pool
        The pools.
    budgets : sequence of int
        Numbers of labels.
    trials : int
        Simulated rounds; 0 is none.
    seed : int
        Of the rounds.
    """
    return {
        "pools": tuple(pool.name for pool in pools),
        "digests": tuple(pool.digest for pool in pools),
        "budgets": tuple(budgets),
        "rounds": trials,
        "seed": seed,
    }


def facts(experiment: Experiment) -> dict[str, Fact]:
    """Where the tables of an experiment come from."""
    pool, losses, scheme = experiment.pool, experiment.outcome.losses, experiment.scheme
    return {
        "pool": pool.name,
        "digest": pool.digest,
        "target": experiment.target,
        "items": pool.n_items,
        "known outcomes": int(losses.size),
        "generations per item": pool.n_generations,
        "mean loss": round(float(losses.mean()), 6),
        "budgets": experiment.budgets,
        "setting": f"{scheme.stratifier}, H = {scheme.n_strata}, δ = {scheme.offset:g}",
        "trials": experiment.trials,
        "clip": experiment.clip,
        "seed": experiment.seed,
    }


def _finding(table: LabTable) -> str:
    return f"{table.finding} {table.remark}".rstrip()


def _written(fact: Fact) -> str:
    return ", ".join(map(str, fact)) if isinstance(fact, tuple) else str(fact)


def grid(table: pd.DataFrame) -> str:
    """A frame as a table of Markdown."""
    head = [str(column) for column in table.columns]
    rows = [[_escaped(value) for value in row] for row in table.itertuples(index=False)]
    return "\n".join(f"| {' | '.join(row)} |" for row in [head, ["---"] * len(head), *rows])


def _escaped(value: object) -> str:
    text = str(value).replace("\n", " ")
    return "".join(f"\\{c}" if c in "\\|`*_<>[]#" else c for c in text)


# The tables that set several pools side by side.


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
    exact = "Squared error, % of Uniform’s, exact except for designs in waves. “–”: the pool lacks what it needs."
    results = [
        LabTable("across", "Across pools", captions.across(means), exact, frame, shown_tables.across(frame)),
        LabTable(
            "means",
            "Means",
            captions.worst_across(means),
            "A pool’s mean is over its budgets and targets. In the mean of all pools, every target counts equally.",
            means,
            shown_tables.means(means),
        ),
        LabTable(
            "saved-across",
            "Label savings",
            captions.saved_across(saved),
            "Labels for equal errors, exact. Uniform needs: the fewest labels for the error that the method "
            "reaches with its labels.",
            saved,
            shown_tables.saved_across(saved),
        ),
    ]
    if frame["coverage"].notna().any():
        results += [
            LabTable(
                "coverage-across",
                "Coverage",
                captions.coverage_across(frame),
                "Share of simulated rounds whose interval contains the truth, in %. The default interval, at 95 %.",
                frame,
                shown_tables.coverage_across(frame),
            ),
            LabTable(
                "bias-across",
                "Bias",
                captions.bias_across(frame),
                "Mean of the simulated estimates less the truth, in points.",
                frame,
                shown_tables.bias_across(frame),
            ),
        ]
    return results
