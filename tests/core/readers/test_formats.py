"""Each format of results is declared in a module, listed once, and described in the documents."""

from __future__ import annotations

import re
from importlib import import_module

from core.readers.results import FORMATS
from tests.conftest import ROOT


def test_every_module_with_a_format_is_listed() -> None:
    folder = ROOT / "core" / "readers" / "tool_formats"
    modules = [path for path in sorted(folder.glob("*.py")) if "\nFORMAT = " in path.read_text()]
    declared = [import_module(f"core.readers.tool_formats.{path.stem}").FORMAT for path in modules]
    assert len(declared) == len(FORMATS) and all(one in FORMATS for one in declared)


def test_the_documents_have_a_row_for_every_format_and_no_other() -> None:
    part = (ROOT / "docs" / "pools.md").read_text(encoding="utf-8").split("## Files of other tools")[1]
    rows = [line.split("|")[1] for line in re.search(r"\|---.*?\n\n", part, re.DOTALL)[0].splitlines()[1:] if line]
    firsts = {one.name: one.name.split()[0] for one in FORMATS}
    assert [name for name, word in firsts.items() if not any(word in row for row in rows)] == []
    assert len(rows) == len(FORMATS)
