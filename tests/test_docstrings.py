"""What docstrings promise: parameters that exist, one a paragraph; names that exist; sources that can be opened."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from tests.conftest import ROOT
from tests.test_structure import CORE, SOURCES, tree

Documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
_HEADER = re.compile(r"^(?P<names>\*{0,2}\w+(?:, \*{0,2}\w+)*)(?: : .+)?$")
_DOCUMENTS = re.compile(r"\b[\w./-]+\.md\b|\b(?:METHOD|DESIGN)\b")
_REFERENCE = re.compile(r"`{1,2}(core(?:\.\w+)+)")


def statements(code: ast.AST) -> Iterator[ast.AST]:
    """A module and its statements; what these say in their expressions has no docstring."""
    yield code
    for node in ast.iter_child_nodes(code):
        if isinstance(node, ast.stmt | ast.ExceptHandler | ast.match_case):
            yield from statements(node)


@cache
def documented(path: Path) -> list[tuple[str, Documented, str]]:
    """Name, node and docstring of everything in a file that has one."""
    nodes = [node for node in statements(tree(path)) if isinstance(node, Documented)]
    return [(getattr(node, "name", path.name), node, text) for node in nodes if (text := ast.get_docstring(node))]


def section(text: str, title: str) -> list[str]:
    """The lines of one numpydoc section."""
    match = re.search(rf"^{title}\n-+\n(.*?)(?=^\w[\w ]*\n-+\n|\Z)", text, re.MULTILINE | re.DOTALL)
    return match.group(1).splitlines() if match else []


def parameters(node: Documented) -> set[str]:
    """What a function is called with, or the fields of a class and the parameters of its ``__init__``."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        arguments = node.args
        return {
            a.arg
            for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg)
            if a
        }
    fields = {n.target.id for n in node.body if isinstance(n, ast.AnnAssign) and isinstance(n.target, ast.Name)}
    starts = [n for n in node.body if isinstance(n, ast.FunctionDef) and n.name == "__init__"]
    return fields.union(*map(parameters, starts))


def resolves(name: str) -> bool:
    """Whether a dotted name is a module of core or something in one."""
    parts = name.split(".")
    for cut in range(len(parts), 0, -1):
        if ".".join(parts[:cut]) in CORE:
            value: Any = importlib.import_module(".".join(parts[:cut]))
            for attribute in parts[cut:]:
                if attribute not in getattr(value, "__dataclass_fields__", {}) and not hasattr(value, attribute):
                    return False
                value = getattr(value, attribute, None)
            return True
    return False


def test_parameters_are_documented_one_a_paragraph() -> None:
    wrong = []
    for module, path in SOURCES.items():
        for name, node, text in documented(path):
            for line in section(text, "Parameters"):
                if not line or line.startswith(" "):
                    continue
                header = _HEADER.match(line)
                names = {part.lstrip("*") for part in header["names"].split(", ")} if header else set()
                if not names or not names <= parameters(node):
                    wrong.append(f"{module}: {name}: {line}")
    assert wrong == []


def test_names_in_docstrings_exist() -> None:
    assert [
        (module, name)
        for module, path in SOURCES.items()
        for _, _, text in documented(path)
        for name in _REFERENCE.findall(text)
        if not resolves(name)
    ] == []


def test_docstrings_cite_only_documents_of_the_repository() -> None:
    assert [
        (module, name)
        for module, path in SOURCES.items()
        for _, _, text in documented(path)
        for name in _DOCUMENTS.findall(text)
        if not (ROOT / name).is_file()
    ] == []


def test_first_lines_say_what_is_returned_or_done() -> None:
    riddles = re.compile(r"(What|Which|How|If)\b")
    found = [
        (module, name) for module, path in SOURCES.items() for name, _, text in documented(path) if riddles.match(text)
    ]
    assert found == []
