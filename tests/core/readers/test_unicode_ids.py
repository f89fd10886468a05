"""Ids that programs write in two forms of Unicode, é as one character (NFC) or two (NFD), are ids of one item."""

from __future__ import annotations

import json
from typing import Any
from unicodedata import normalize

import pandas as pd
import pytest

from core.design import Design
from core.errors import PoolError
from core.pool import Pool
from core.readers import Shape, read, read_mapped, read_results
from core.study import labelled

NAMES = [f"caf\u00e9 {number}" for number in range(20)]


def lines(form: Any, **more: Any) -> bytes:
    rows = [{"id": normalize(form, name), "prompt": "?", **more} for name in NAMES]
    return "\n".join(json.dumps(row) for row in rows).encode()


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_ids_are_read_in_their_composed_form(form: Any) -> None:
    assert read(lines(form, generations=["a", "b"])).ids.tolist() == NAMES
    table = "id,generation_1\n" + "\n".join(f"{normalize(form, name)},a" for name in NAMES)
    assert read(table.encode()).ids.tolist() == NAMES


def test_two_forms_in_one_file_are_a_conflict_with_its_rows() -> None:
    both = lines("NFC", generations=["a"]) + b"\n" + lines("NFD", generations=["b"])
    with pytest.raises(PoolError, match="row 21, id: the id “café 0” is already used in row 1"):
        read(both)


def test_files_in_different_forms_are_joined_and_rows_of_a_mapped_file_are_a_conflict() -> None:
    boards = {
        model: f"id,{model},{model}-mini\n" + "\n".join(f"{normalize(form, name)},{len(name) % 2},1" for name in NAMES)
        for model, form in (("gpt-4", "NFC"), ("claude", "NFD"))
    }
    joined = read_results({f"{model}.csv": text.encode() for model, text in boards.items()})
    assert joined.pool([], list(joined.models)).ids.tolist() == NAMES
    rows = [{"key": normalize(form, name), "output": form} for name in NAMES for form in ("NFC", "NFD")]
    content = "\n".join(map(json.dumps, rows)).encode()
    with pytest.raises(PoolError, match="already used in row 1"):
        read_mapped(content, Shape.of(content, "m").guess, "m")


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_labels_find_their_items_in_either_form(form: Any) -> None:
    records = [
        {"id": normalize(form, name), "generations": ["a", "b"], "targets": {"m": {"loss": 0}}} for name in NAMES
    ]
    plan = Design(6).draw(Pool.from_records(records, "x"), seed=0)
    other = "NFD" if form == "NFC" else "NFC"
    filled = pd.DataFrame({"item_id": [normalize(other, str(item)) for item in plan.ids], "label": "right"})
    assert len(labelled(plan, filled, "m").outcomes.table) == 6
