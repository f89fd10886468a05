"""Write the tables of docs/against.md from docs/against.csv: python -m tools.against [docs/against.md]."""

from __future__ import annotations

import sys
from pathlib import Path

import pandas as pd

from core.lab.against import against_tables
from core.lab.printing import grid

DOCS = Path(__file__).parents[1] / "docs"
START, END = "<!-- written by python -m tools.against -->", "<!-- until here -->"


def written(frame: pd.DataFrame) -> str:
    """The tables, and whose code ran, in Markdown."""
    parts = []
    for table in against_tables(frame):
        cells = table.cells.rename(columns={"": "mean error"}).drop(columns="mean error", errors="ignore")
        parts += [f"### {table.title}", table.finding, grid(cells)]
    code = frame.drop_duplicates("method")[["title", "code", "source"]]
    return "\n\n".join([*parts, "### Whose code", grid(code)])


def main(page: Path) -> None:
    """Replace what stands between both marks of the page."""
    text = page.read_text(encoding="utf-8")
    head, tail = text.split(START)[0], text.split(END)[1]
    frame = pd.read_csv(DOCS / "against.csv")
    page.write_text(f"{head}{START}\n\n{written(frame)}\n\n{END}{tail}", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else DOCS / "against.md")
