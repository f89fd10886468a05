"""Describe the demo pool, family by family, as a Markdown table; runs with the app's own environment.

PYTHONPATH=. python data/tiny_lm/report.py
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pandas as pd

from core.answers import parse
from core.pool import Pool
from core.readers import read

DEMO = Path(__file__).resolve().parents[1] / "demo.jsonl.gz"


def described(pool: Pool) -> pd.DataFrame:
    """One row per family and one for all: items, shares in percent of right, agreeing and unparsed generations."""
    items = pool.items
    kinds = items["answer_kind"].tolist()
    truth = [parse(answer, kind) for answer, kind in zip(items["answer"], kinds, strict=True)]
    answers = pool.answers()
    (name,) = pool.targets
    table = pd.DataFrame(
        {
            "family": items["group"].astype(str).to_numpy(),
            "items": 1,
            "surrogate right": [np.mean([g == t for g in row]) for row, t in zip(answers, truth, strict=True)],
            "target right": 1 - pool.losses(name),
            "all ten agree": (pool.classes() == 0).all(axis=1),
            "unparsed": [np.mean([g is None for g in row]) for row in answers],
        }
    )
    shares = {column: "mean" for column in table.columns[2:]}
    rows = table.groupby("family").agg({"items": "sum"} | shares)
    rows.loc["All"] = [len(table), *table.iloc[:, 2:].astype(float).mean()]
    rows.iloc[:, 1:] *= 100
    return rows


def main() -> None:
    """Print the table of the demo pool, or of the pool named on the command line."""
    table = described(read(Path(sys.argv[1]) if len(sys.argv) > 1 else DEMO))
    print("| family |", " | ".join(table.columns), "|")
    print("|---|" + "---|" * len(table.columns))
    for family, row in table.iterrows():
        print(f"| {family} | {row.iloc[0]:.0f} |", " | ".join(f"{value:.1f} %" for value in row.iloc[1:]), "|")


if __name__ == "__main__":
    main()
