"""Write the tables of docs/ that say what the catalogues hold: python -m tools.tables."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from core.allocation import RULES
from core.labels import KINDS
from core.signals import SIGNALS
from core.stratification import STRATIFIERS

DOCS = Path(__file__).parents[1] / "docs"


def tables() -> list[tuple[str, str, str]]:
    """The page, the header and the whole of each table."""
    signals = [(one.name, one.rests_on, one.when) for one in SIGNALS.entries]
    stratifiers = [(one.name, one.title, one.about) for one in STRATIFIERS.entries]
    rules = [(one.name, one.title, one.about) for one in RULES.entries]
    kinds = [(one.name, one.title, one.meaning) for one in KINDS.entries]
    return [
        _table("designs.md", ("signal", "needs", "when"), signals),
        _table("designs.md", ("stratifier", "called", "strata"), stratifiers),
        _table("designs.md", ("allocation", "called", "labels of a stratum"), rules),
        _table("labels.md", ("kind", "a label is", "what it says"), kinds),
    ]


def written(text: str, header: str, table: str) -> str:
    """A page with the table below this header in place of what stands there."""
    before, after = text.split(header, 1)
    _, end = after.split("\n\n", 1)
    return f"{before}{table}\n\n{end}"


def _table(page: str, header: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> tuple[str, str, str]:
    first = f"| {' | '.join(header)} |"
    lines = [first, "|---" * len(header) + "|", *(f"| `{name}` | {' | '.join(cells)} |" for name, *cells in rows)]
    return page, first, "\n".join(lines)


def main() -> None:
    """Write all of them."""
    for page, header, table in tables():
        path = DOCS / page
        path.write_text(written(path.read_text(encoding="utf-8"), header, table), encoding="utf-8")


if __name__ == "__main__":
    main()
