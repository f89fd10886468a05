"""Print code lines, files and imports of each room of the repository: python -m tools.size [--json].

A code line is a line of Python that is not blank, a comment or a part of a docstring. A room is a folder of `core`, of
`pages/parts` or of the tests, or another folder of the top level; an arrow is an import of one room by another.
"""

from __future__ import annotations

import ast
import io
import json
import sys
import tokenize
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
PRODUCT, TOOLS, TESTS = "product", "tools", "tests"
# Folders whose folders are rooms.
WINGS = (("pages", "parts"), ("tests", "core"), ("core", "readers"), ("core",), ("tests",))
# Scripts of the top level, and the rooms that they open.
SCRIPTS = {"app.py": "pages", "serve.py": "server"}
PARTS = {PRODUCT: {"core", "neyman", "pages", "server"}, TOOLS: {"bench", "data", "tools"}, TESTS: {"tests"}}
DOCUMENTED = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
NO_CODE = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}


@dataclass(frozen=True, slots=True)
class Room:
    """Size of a room.

    Parameters
    ----------
    name : str
        Its folder, or that of its wing if its files stand between rooms.
    part : str
        `PRODUCT`, `TOOLS` or `TESTS`.
    lines : int
        Code lines.
    files : int
        Files of Python.
    imports : tuple of str
        Names of the rooms that it imports.
    imported_by : int
        Number of rooms that import it.
    """

    name: str
    part: str
    lines: int
    files: int
    imports: tuple[str, ...]
    imported_by: int


@dataclass(frozen=True, slots=True)
class Module:
    """A file of Python: its path in the repository, its text, and the nodes of its code."""

    path: Path
    text: str
    nodes: tuple[ast.AST, ...]

    @classmethod
    def of(cls, path: Path, text: str) -> Module:
        """Parse a text."""
        return cls(path, text, tuple(ast.walk(ast.parse(text))))

    @property
    def name(self) -> str:
        """Name by which the module is imported."""
        return ".".join(self.path.with_suffix("").parts).removesuffix(".__init__")

    @property
    def room(self) -> str:
        """Name of the room in which the module stands."""
        parts = self.path.parts
        if len(parts) == 1:
            return SCRIPTS[parts[0]]
        wing = next((wing for wing in WINGS if parts[: len(wing)] == wing), None)
        # A file between the rooms of a wing belongs to none of them.
        return parts[0] if wing is None else "/".join(parts[:-1][: len(wing) + 1])

    @property
    def code_lines(self) -> int:
        """Number of lines that are not blank, a comment or a part of a docstring."""
        lines: set[int] = set()
        for token in tokenize.generate_tokens(io.StringIO(self.text).readline):
            if token.type not in NO_CODE:
                lines.update(range(token.start[0], token.end[0] + 1))
        for node in self.nodes:
            if isinstance(node, DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
                lines.difference_update(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1))
        return len(lines)

    @property
    def imports(self) -> Iterator[str]:
        """Dotted names that the module imports, ``from a import b`` as ``a.b``."""
        package = self.path.parts[:-1]
        for node in self.nodes:
            if isinstance(node, ast.Import):
                yield from (one.name for one in node.names)
            elif isinstance(node, ast.ImportFrom):
                above = package[: len(package) - node.level + 1] if node.level else ()
                base = ".".join([*above, *([node.module] if node.module else [])])
                yield from (f"{base}.{one.name}" for one in node.names)


def modules(root: Path) -> list[Module]:
    """Read the modules of a repository."""
    folders = sorted(set().union(*PARTS.values()))
    paths = [root / name for name in SCRIPTS] + [path for one in folders for path in sorted((root / one).rglob("*.py"))]
    return [Module.of(path.relative_to(root), path.read_text(encoding="utf-8")) for path in paths if path.is_file()]


def rooms(every: Iterable[Module]) -> list[Room]:
    """Measure every room, those of the product first, in the order of their names."""
    every = list(every)
    homes = {one.name: one.room for one in every}
    arrows: dict[str, set[str]] = {}
    for one in every:
        targets = {homes.get(name) or homes.get(name.rpartition(".")[0]) for name in one.imports}
        arrows.setdefault(one.room, set()).update(name for name in targets if name and name != one.room)
    measured = [
        Room(
            room,
            next(part for part, folders in PARTS.items() if room.split("/")[0] in folders),
            sum(one.code_lines for one in every if one.room == room),
            sum(one.room == room for one in every),
            tuple(sorted(arrows[room])),
            sum(room in targets for targets in arrows.values()),
        )
        for room in arrows
    ]
    return sorted(measured, key=lambda one: (list(PARTS).index(one.part), one.name))


def table(measured: Iterable[Room]) -> str:
    """Lay out the rooms of each part of the repository, with its totals, as a table of text."""
    every = list(measured)
    width = max(len(one.name) for one in every) + 2
    head = f"{'room':{width}}{'code lines':>12}{'files':>8}{'imports':>10}{'imported by':>14}"
    text = []
    for part in PARTS:
        of_part = [one for one in every if one.part == part]
        rows = [(one.name, one.lines, one.files, len(one.imports), f"{one.imported_by:>14}") for one in of_part]
        sums = [sum(row[column] for row in rows) for column in (1, 2, 3)]
        rows.append((f"{part}: {len(of_part)} rooms", *sums, ""))
        text += [
            head,
            *(f"{name:{width}}{lines:>12,}{files:>8,}{arrows:>10}{by}" for name, lines, files, arrows, by in rows),
        ]
        text.append("")
    return "\n".join(text).rstrip()


def main(words: list[str]) -> None:
    """Print the table, or the rooms as JSON."""
    measured = rooms(modules(ROOT))
    print(json.dumps([asdict(one) for one in measured], indent=1) if "--json" in words else table(measured))


if __name__ == "__main__":
    main(sys.argv[1:])
