"""Tables as people keep them, one a line of ``tables.jsonl``: what is read of each, and what is asked or said.

A line has the cells of each row of an item; ``{said}`` and the like stand for the values of `_values`. ``k`` is the
number of samples, ``targets`` the share of right answers of each, ``asked`` the columns in doubt, ``said`` parts of
remarks, ``refused`` a part of the refusal if nothing is read without an answer. ``above`` and ``between`` are further
rows, ``files`` the row of each file of a zip, ``columns`` the rows of a table with a column for each item.
"""

from __future__ import annotations

import io
import json
import math
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from core.errors import PoolError
from core.readers import Shape, read, read_mapped
from tests.core.readers.corpus import GOLD, RIGHT, SAID, SIZE
from tests.core.readers.guessed import lines, table

CASES = [json.loads(line) for line in Path(__file__).with_name("tables.jsonl").read_text(encoding="utf-8").splitlines()]
_MIDDLE = 9
_CLASSES = ("joy", "anger", "fear")


def _values(n: int) -> dict[str, Any]:
    """Return what stands for a name in a cell of item ``n``: of two models, 65 % and 80 % are right."""
    right, other = RIGHT[n], n % 5 != 1
    values: dict[str, Any] = {"n": n, "asked": f"What is {n} plus {n + 3}?", "gold": GOLD[n], "said": SAID[n]}
    values |= {"other": GOLD[n] if other else str(int(GOLD[n]) + 2), "right": right, "other_right": other}
    values |= {"class": _CLASSES[n % 3], "said_class": _CLASSES[(n + (not right)) % 3]}
    values |= {"other_class": _CLASSES[(n + (not other)) % 3], "bit": n % 2, "said_bit": n % 2 if right else 1 - n % 2}
    letters = (
        "ABCD"[n % 4],
        "ABCD"[(n + (not right)) % 4],
        "ABCD"[(n + (not other)) % 4],
        "ABCD"[(n - (n % 6 == 2)) % 4],
    )
    values |= dict(zip(("letter", "said_letter", "other_letter", "third_letter"), letters, strict=True))
    values |= {
        "shelf": "ABCD"[n // 5],
        "grade": n % 5 + 1,
        "other_grade": (n + (not other)) % 5 + 1,
        "third_grade": (n + (not right)) % 5 + 1,
    }
    return values | {
        "share": round(0.9 - n / 100, 3),
        "one": int(right),
        "other_one": int(other),
        "verdict": "good" if right else "bad",
    }


def _cell(cell: Any, values: Mapping[str, Any]) -> Any:
    if isinstance(cell, list):
        return [_cell(one, values) for one in cell]
    if isinstance(cell, dict):
        return {key: _cell(one, values) for key, one in cell.items()}
    if not isinstance(cell, str):
        return cell
    return values[cell[1:-1]] if cell[1:-1] in values and cell[0] == "{" else cell.format(**values)


def _rows(case: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    items = [[_cell(row, _values(n)) for row in rows] for n in range(SIZE)]
    items[_MIDDLE] += case.get("between", [])
    return [*case.get("above", []), *(row for item in items for row in item)]


def _content(case: Mapping[str, Any]) -> bytes:
    if "files" in case:
        archive = io.BytesIO()
        with zipfile.ZipFile(archive, "w") as opened:
            for name, row in case["files"].items():
                opened.writestr(name, lines(_rows(case, [row])))
        return archive.getvalue()
    if "columns" in case:
        cells = [[_cell(cell, _values(n)) for n in range(SIZE)] for cell in case["columns"]]
        return "\n".join(
            ",".join(map(str, [name, *row])) for name, row in zip(case["names"], cells, strict=True)
        ).encode()
    rows = _rows(case, case["rows"])
    return table(rows) if case.get("as", "csv") == "csv" else lines(rows)


@pytest.mark.parametrize("case", CASES, ids=[case["case"] for case in CASES])
def test_a_table_is_read_right_or_asked_about(case: Mapping[str, Any]) -> None:
    content = _content(case)
    if "columns" not in case:
        shape = Shape.of(content, "m")
        assert {one.path for doubt in shape.doubts for one in doubt.candidates} == set(case.get("asked", ()))
    if "refused" in case:
        with pytest.raises(PoolError, match=case["refused"]):
            read(content, "m")
        return
    # A zip is only read by its map.
    pool = read_mapped(content, shape.guess, "m") if "files" in case else read(content, "m")
    said = " ".join(pool.notes)
    assert (pool.n_items, pool.n_generations) == (SIZE, case.get("k", 0))
    shares = {name: None if math.isnan(share := target.accuracy()) else share for name, target in pool.targets.items()}
    assert shares == pytest.approx(case.get("targets", {}))
    assert all(part in said for part in case.get("said", ())), said
