"""The table of code lines, files and imports by room."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tools import size

MODULE = '''"""Docstring,
of two lines."""

# A comment.
import re  # beside code


class A:
    """Docstring."""

    text = """Two lines
of code."""

    def f(self):
        """Docstring."""
        "no docstring"
        return (
            1
        )
'''


def house(root: Path, files: dict[str, str]) -> list[size.Room]:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return size.rooms(size.modules(root))


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (MODULE, 9),
        ("", 0),
        ("# only a comment\n", 0),
        ('"""Docstring."""', 0),
        ("x = 1\n'''No docstring.'''\n", 2),
        ("x = (\n    1,\n\n    # why\n    2,\n)\n", 4),
    ],
)
def test_blanks_comments_and_docstrings_are_no_code(text: str, lines: int) -> None:
    assert size.Module.of(Path("core/x.py"), text).code_lines == lines


@pytest.mark.parametrize(
    ("path", "room"),
    [
        ("app.py", "pages"),
        ("serve.py", "server"),
        ("core/errors.py", "core"),
        ("core/pool/pool.py", "core/pool"),
        ("core/surrogate/job/store.py", "core/surrogate"),
        ("pages/plan.py", "pages"),
        ("pages/parts/downloads.py", "pages/parts"),
        ("pages/parts/plan/controls.py", "pages/parts/plan"),
        ("tests/conftest.py", "tests"),
        ("tests/core/shell.py", "tests/core"),
        ("tests/core/labels/queues/test_a.py", "tests/core/labels"),
        ("tests/browser/conftest.py", "tests/browser"),
        ("bench/floor.py", "bench"),
    ],
)
def test_a_file_stands_in_a_room(path: str, room: str) -> None:
    assert size.Module.of(Path(path), "").room == room


def test_arrows_are_imports_between_rooms(tmp_path: Path) -> None:
    files = {
        "core/errors.py": "class E(Exception): ...\n",
        "core/pool/__init__.py": "from .pool import Pool\nfrom ..errors import E\n",
        "core/pool/pool.py": "Pool = 1\n",
        "core/labels/kinds.py": "def f():\n    from ..pool import Pool\n    from core.pool.pool import Pool\n",
        "pages/plan.py": "import core.labels.kinds\nimport json\n",
        "tests/core/pool/test_a.py": "from core.pool import Pool\n",
    }
    measured = {one.name: one for one in house(tmp_path, files)}
    assert {name: one.imports for name, one in measured.items()} == {
        "core": (),
        "core/labels": ("core/pool",),
        "core/pool": ("core",),
        "pages": ("core/labels",),
        "tests/core/pool": ("core/pool",),
    }
    assert {
        name: (one.lines, one.files, one.imported_by) for name, one in measured.items() if one.part == "product"
    } == {
        "core": (1, 1, 1),
        "core/labels": (3, 1, 1),
        "core/pool": (3, 2, 2),
        "pages": (2, 1, 0),
    }
    lines = size.table(measured.values()).splitlines()
    assert [line.split() for line in lines if "rooms" in line] == [
        ["product:", "4", "rooms", "9", "5", "3"],
        ["tools:", "0", "rooms", "0", "0", "0"],
        ["tests:", "1", "rooms", "1", "1", "1"],
    ]


def test_the_table_and_json_say_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    house(tmp_path, {"core/errors.py": "A = 1\n", "app.py": "import core.errors\n", "tools/size.py": "\n"})
    monkeypatch.setattr(size, "ROOT", tmp_path)
    size.main(["--json"])
    measured = {one["name"]: one for one in json.loads(capsys.readouterr().out)}
    assert measured["pages"] == {
        "name": "pages",
        "part": "product",
        "lines": 1,
        "files": 1,
        "imports": ["core"],
        "imported_by": 0,
    }
    size.main([])
    lines = capsys.readouterr().out.splitlines()
    rows = {line.split()[0]: [int(text) for text in line.split()[1:]] for line in lines if line[:4] in ("core", "page")}
    assert rows == {
        name: [one["lines"], one["files"], len(one["imports"]), one["imported_by"]]
        for name, one in measured.items()
        if one["part"] == "product"
    }


def test_every_module_of_the_repository_stands_in_a_room() -> None:
    folders = {path for path in size.ROOT.iterdir() if path.is_dir() and not path.name.startswith((".", "site"))}
    assert {path.name for path in folders if any(path.rglob("*.py"))} == set().union(*size.PARTS.values())
    assert {path.name for path in size.ROOT.glob("*.py")} == size.SCRIPTS.keys()
