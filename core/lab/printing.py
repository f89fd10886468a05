"""A report as plain text, Markdown or JSON."""

from __future__ import annotations

import json

import pandas as pd

from core.lab.report import Fact, Report


def as_text(made: Report) -> str:
    """Plain text, tables aligned."""
    parts = ["\n".join(f"{name}: {_fact(value)}" for name, value in made.facts)]
    for table in made.tables:
        body = table.shown.to_string(index=False)
        parts.append("\n".join((table.title, "=" * len(table.title), table.finding, "", body, "", table.note)))
    return "\n\n".join(parts) + "\n"


def as_markdown(made: Report) -> str:
    """GitHub-flavoured Markdown."""
    parts = ["# Lab", "\n".join(f"- {name}: {_cell(_fact(value))}" for name, value in made.facts)]
    for table in made.tables:
        parts += [f"## {table.title}", _cell(table.finding), _grid(table.shown), _cell(table.note)]
    return "\n\n".join(part for part in parts if part) + "\n"


def as_json(made: Report) -> str:
    """One JSON object: the facts, and each table's tidy rows; what is not a number is null."""
    tables = {
        table.name: {
            "title": table.title,
            "finding": table.finding,
            "note": table.note,
            "rows": json.loads(table.frame.to_json(orient="records", double_precision=15)),
        }
        for table in made.tables
    }
    return json.dumps(dict(made.facts) | {"tables": tables}, ensure_ascii=False, indent=1) + "\n"


def _fact(value: Fact) -> str:
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _grid(table: pd.DataFrame) -> str:
    head = [str(column) for column in table.columns]
    rows = [[_cell(value) for value in row] for row in table.itertuples(index=False)]
    return "\n".join(f"| {' | '.join(row)} |" for row in [head, ["---"] * len(head), *rows])


def _cell(value: object) -> str:
    text = str(value).replace("\n", " ")
    return "".join(f"\\{c}" if c in "\\|`*_<>[]#" else c for c in text)
