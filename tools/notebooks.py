"""Run the notebooks of docs/notebooks and keep what they show: ``python -m tools.notebooks``.

A notebook is JSON: its code cells run here one after the other, in an empty folder that has the bundled pools under
``data``. A cell shows what it prints, and the value of its last line as a notebook does.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).resolve().parents[1]
NOTEBOOKS = _ROOT / "docs" / "notebooks"
_FORMS = (("image/svg+xml", "_repr_svg_"), ("text/html", "_repr_html_"))


def main() -> None:
    """Run all of them, and write what they show."""
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        path.write_text(json.dumps(run(path), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        print(path.name)


def run(path: Path) -> dict[str, Any]:
    """Return a notebook with what its cells show now."""
    notebook: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    names: dict[str, Any] = {"__name__": "__main__"}
    with _folder():
        for number, cell in enumerate((one for one in notebook["cells"] if one["cell_type"] == "code"), 1):
            cell["execution_count"] = number
            cell["outputs"] = _outputs("".join(cell["source"]), names, number)
    return notebook


@contextlib.contextmanager
def _folder() -> Iterator[None]:
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        Path("data").symlink_to(_ROOT / "data")
        yield


def _outputs(source: str, names: dict[str, Any], number: int) -> list[dict[str, Any]]:
    """Run a cell; return what it prints, and its value if its last line has one."""
    tree, printed, value = ast.parse(source), io.StringIO(), None
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "cell", "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    outputs: list[dict[str, Any]] = []
    if text := printed.getvalue():
        outputs.append({"name": "stdout", "output_type": "stream", "text": text.splitlines(keepends=True)})
    if value is not None:
        data = {"text/plain": repr(value).splitlines(keepends=True)}
        kind, show = next(((kind, getattr(value, name)) for kind, name in _FORMS if hasattr(value, name)), ("", repr))
        if kind:
            data[kind] = show().splitlines(keepends=True)
        outputs.append({"data": data, "execution_count": number, "metadata": {}, "output_type": "execute_result"})
    return outputs


if __name__ == "__main__":
    main()
