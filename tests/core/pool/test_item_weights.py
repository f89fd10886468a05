"""Weights of items: from columns and shares of groups, their faults, and the remarks on them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from core.errors import PoolError
from core.pool import Pool
from core.readers import read
from core.readers.field_map import FieldMap
from core.readers.mapped import read_mapped

CASES = [json.loads(line) for line in (Path(__file__).parent / "item_weights.jsonl").read_text("utf-8").splitlines()]


def pool_of(case: dict) -> Pool:
    """Items with the groups and the columns of a case."""
    size = len(next(iter(case["columns"].values())))
    columns = {"id": [f"q{number}" for number in range(size)], **case["columns"]}
    rows = [{name: cells[place] for name, cells in columns.items()} for place in range(size)]
    return Pool.from_records({name: cell for name, cell in row.items() if cell is not None} for row in rows)


@pytest.mark.parametrize("case", CASES, ids=[case["case"] for case in CASES])
def test_what_people_give_as_weights(case):
    if "refused" in case:
        with pytest.raises(PoolError) as refused:
            pool = pool_of(case)
            pool.weighted(case["by"])
        said = " ".join(map(str, refused.value.problems))
        assert all(part in said for part in case["refused"])
        return
    pool = pool_of(case)
    pool = pool.weighted(case["by"]) if "by" in case else pool
    weights = [1.0] * pool.n_items if pool.weights is None else pool.weights.tolist()
    assert weights == pytest.approx(case["weights"])
    assert all(
        any(part in remark.replace("\u00a0", " ") for remark in pool.remarks) for part in case.get("remarks", [])
    )


def test_weights_change_the_pool_but_not_its_items():
    pool = pool_of({"columns": {"traffic": [1, 2, 5]}})
    weighted = pool.weighted("traffic")
    assert weighted.digest != pool.digest
    assert weighted.items_digest == pool.items_digest
    assert weighted.weighted(None).digest == pool.digest
    assert weighted.weighted(None).remarks == pool.remarks


@pytest.mark.parametrize("suffix", [".jsonl", ".parquet", ".jsonl.gz"])
def test_a_file_keeps_them(tmp_path, suffix):
    weighted = pool_of({"columns": {"prompt": ["a?", "b?", "c?"], "traffic": [1, 2, 5.5]}}).weighted("traffic")
    weighted.write(tmp_path / f"pool{suffix}")
    again = read(tmp_path / f"pool{suffix}")
    assert again.digest == weighted.digest
    assert np.array_equal(again.weights, weighted.weights)


def test_a_csv_with_weights_and_items_of_weight_0(tmp_path):
    path = tmp_path / "pool.csv"
    path.write_text("id,prompt,item_weight\na,one?,2\nb,two?,0\nc,three?,4\n", "utf-8")
    pool = read(path)
    assert pool.ids.tolist() == ["a", "c"]
    assert pool.weights.tolist() == pytest.approx([2 / 3, 4 / 3])
    assert pool.account is not None
    assert "1 item of weight 0, which never need a label (row 3)" in " ".join(pool.account.lines)


def test_a_column_of_any_table_is_taken_for_weights(tmp_path):
    path = tmp_path / "ours.csv"
    path.write_text("question,expected,traffic\n1+1?,2,5\n2+2?,4,1\n3+3?,6,x\n", "utf-8")
    mapping = FieldMap({"prompt": "question", "answer": "expected", "item_weight": "traffic"})
    with pytest.raises(PoolError, match="row 4, item_weight: “x” is not a number"):
        read_mapped(path, mapping)
    path.write_text("question,expected,traffic\n1+1?,2,5\n2+2?,4,1\n3+3?,6,0\n", "utf-8")
    assert read_mapped(path, mapping).weights.tolist() == pytest.approx([5 / 3, 1 / 3])
