"""The notebooks run from the top, and show what they say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tools.notebooks import NOTEBOOKS, run


def shown(notebook: dict[str, Any]) -> list[Any]:
    """What is printed, and in which forms values are shown: tables and figures differ in a library's spaces."""
    return [
        [one.get("text") or sorted(one["data"]) for one in cell["outputs"]]
        for cell in notebook["cells"]
        if cell["cell_type"] == "code"
    ]


@pytest.mark.parametrize("path", sorted(NOTEBOOKS.glob("*.ipynb")), ids=lambda path: path.stem)
def test_a_notebook_shows_what_is_kept_in_it(path: Path) -> None:
    kept = json.loads(path.read_text(encoding="utf-8"))
    assert shown(run(path)) == shown(kept) and len(shown(kept)) >= 4
