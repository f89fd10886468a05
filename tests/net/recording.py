"""Text files that hold what the code does today, one fact a line, and how they are compared with what it does now."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from pathlib import Path

FOLDER = Path(__file__).with_name("recorded")
COMMAND = "python -m tests.net"
# Lines of a difference that a failed test shows.
_SHOWN = 40
# Characters of a line of it.
_WIDTH = 300


def path_of(name: str) -> Path:
    return FOLDER / f"{name}.txt"


def write(name: str, lines: Iterable[str]) -> None:
    """Replace a recording."""
    path_of(name).parent.mkdir(parents=True, exist_ok=True)
    path_of(name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def difference(name: str, lines: Iterable[str]) -> str:
    """Compare a recording with the lines of now: empty if they are equal, else what to show and what to do."""
    before = path_of(name).read_text(encoding="utf-8").split("\n")[:-1] if path_of(name).exists() else []
    changes = [
        line[:_WIDTH]
        for line in difflib.unified_diff(before, list(lines), "recorded", "now", lineterm="", n=0)
        if not line.startswith(("---", "+++", "@@"))
    ]
    if not changes:
        return ""
    more = [f"… and {len(changes) - _SHOWN:,} more lines"] if len(changes) > _SHOWN else []
    advice = f"If each line is meant, `{COMMAND} {name}` records it; the commit names why."
    return "\n".join([f"{path_of(name).name} has changed:", *changes[:_SHOWN], *more, advice])


def one_line(text: object) -> str:
    """A text on one line."""
    return str(text).replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r")
