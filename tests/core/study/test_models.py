"""Lists with a column that names models: the rows of the target count, and others are named or refused."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import neyman
from core.commands import main
from core.design import Plan, manifest
from core.errors import LabelError
from core.gates import gate
from core.gates.version_pool import graded
from core.judge import Criterion, judge, judged
from core.labels import read, target_code
from core.pool import Pool

CASES = Path(__file__).parents[2] / "cases" / "labels"
MODELS = [json.loads(line) for line in (CASES / "models.jsonl").read_text(encoding="utf-8").splitlines()]
OTHERS = ("N", "org/Big-7B")
Row = tuple[str, str, str]


@pytest.fixture(scope="module")
def pool() -> Pool:
    rows = [json.loads(line) for line in (CASES / "pool.jsonl").read_text(encoding="utf-8").splitlines()]
    for place, row in enumerate(rows):
        other = "ABC"[place % 3]
        row["targets"] |= {name: {"answer": other} for name in OTHERS}
        row |= {"verdict": "pass" if place % 3 else "fail", "second": "pass" if place % 4 else "fail"}
    return Pool.from_records(rows, "models")


@pytest.fixture(scope="module")
def plan(pool: Pool) -> Plan:
    return neyman.Design(24).draw(pool, seed=0)


def listed(case: dict[str, Any], ids: Sequence[str]) -> list[Row]:
    """Rows of each model in turn: those of the target first say what counts, all others are wrong."""
    own = "M" if "M" in case["models"] else case["models"][0]
    return [
        (item, name if not place or not case.get("merged") else "", said(place) if name == own else "wrong")
        for name in case["models"]
        for place, item in enumerate(ids)
    ]


def said(place: int) -> str:
    return "right" if place % 3 else "wrong"


def table(rows: Sequence[Sequence[str]], *header: str) -> bytes:
    stream = io.StringIO()
    csv.writer(stream).writerows([header, *rows])
    return stream.getvalue().encode()


def as_lines(rows: Sequence[Row], column: str) -> bytes:
    records = [{"item_id": item, column: name or None, "label": label} for item, name, label in rows]
    return "\n".join(json.dumps(one) for one in records).encode()


WAYS: dict[str, Callable[[Sequence[Row], str], Any]] = {
    "csv": lambda rows, column: table(rows, "item_id", column, "label"),
    "json": as_lines,
    "frame": lambda rows, column: pd.DataFrame(rows, columns=["item_id", column, "label"]),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("case", MODELS, ids=lambda case: case["name"])
def test_a_list_of_several_models_is_that_of_the_target(case: dict[str, Any], way: str, pool: Pool, plan: Plan) -> None:
    rows = listed(case, [str(item) for item in plan.ids])
    content = WAYS[way](rows, case["column"])
    if "refused" in case:
        with pytest.raises(LabelError) as refused:
            neyman.labelled(plan, content, "M")
        # Records are counted from 1, the rows of a table with the header.
        assert all(text in str(refused.value) for text in case["refused"] if way == "csv" or "rows" not in text)
        return
    study = neyman.labelled(plan, content, "M")
    alone = neyman.labelled(plan, table([(item, said(k)) for k, item in enumerate(plan.ids)], "item_id", "label"), "M")
    assert study.estimate() == alone.estimate()
    assert case["left"] in repr(study) and ("left out" in repr(study)) == bool(case["left"])


@pytest.mark.parametrize("case", MODELS[::4], ids=lambda case: case["name"])
def test_the_command_reads_it_alike(
    case: dict[str, Any], pool: Pool, plan: Plan, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pool.write(tmp_path / "pool.parquet")
    (tmp_path / "plan.json").write_text(manifest.write(plan, "models"))
    (tmp_path / "list.csv").write_bytes(WAYS["csv"](listed(case, [str(item) for item in plan.ids]), case["column"]))
    status = main(["study", "estimate", str(tmp_path), str(tmp_path / "list.csv"), "--target", "M"])
    shown = capsys.readouterr()
    assert status == (2 if "refused" in case else 0)
    assert all(text in shown.out + shown.err for text in case.get("refused", [case.get("left", "")]))


@pytest.mark.parametrize("case", MODELS, ids=lambda case: case["name"])
def test_a_judge_is_held_against_the_labels_of_its_model(case: dict[str, Any], pool: Pool) -> None:
    checked = judge(pool, "verdict", budget=24, seed=0, target="M")
    ids = [str(item) for item in checked.ids]
    content = WAYS["csv"](listed(case, ids), case["column"])
    if "refused" in case:
        with pytest.raises(LabelError) as refused:
            judged(checked, content)
        assert all(text in str(refused.value) for text in case["refused"])
        return
    alone = judged(checked, table([(item, said(k)) for k, item in enumerate(ids)], "item_id", "label"))
    assert judged(checked, content).sentence == alone.sentence and case["left"] in repr(judged(checked, content))


def test_labels_of_criteria_are_those_of_the_model_that_was_judged(pool: Pool) -> None:
    criteria = [Criterion("safe", "verdict"), Criterion("kind", "second")]
    checked = judge(pool, criteria, budget=24, seed=0, target="M")
    header = ("item_id", "model", "label: safe", "label: kind")
    own = [(str(item), "M", said(k), said(k + 1)) for k, item in enumerate(checked.ids)]
    others = [(item, "N", "wrong", "wrong") for item, *_ in own]
    alone = judged(checked, table([(item, *labels) for item, _, *labels in own], header[0], *header[2:]))
    together = judged(checked, table([*own, *others], *header))
    assert together.sentence == alone.sentence
    assert "48 labels judge the answers of “N”, not of “M”, and are left out." in repr(together)
    with pytest.raises(LabelError, match="judge the answers of “N”, not of “M”"):
        judged(checked, table(others, *header))


def test_a_gate_reads_the_rows_of_both_versions_by_their_names(pool: Pool) -> None:
    planned = gate(pool, "N", "M", margin=0.1)
    asked = list(planned.gradings.itertuples(index=False))
    rows = [(str(one.item_id), str(one.target), said(k)) for k, one in enumerate(asked)]
    coded = [(item, target_code(name), label) for item, name, label in rows]
    right = graded(planned, pool, read(table(coded, "item_id", "answers_of", "label")))
    assert {name for _, name in right.losses} == {"N", "M"}
    others = [(item, "org/Big-7B", "wrong") for item, *_ in rows]
    for more in ([], others):
        given = graded(planned, pool, read(table([*rows, *more], "item_id", "version", "label")))
        assert given.losses == right.losses
        said_of = f"{len(more)} labels judge the answers of “org/Big-7B”, not of “N” and “M”, and are left out."
        assert (said_of in given.remarks) == bool(more)
    with pytest.raises(LabelError, match="judge the answers of “org/Big-7B”"):
        graded(planned, pool, read(table(others, "item_id", "version", "label")))
    with pytest.raises(LabelError, match=r"“gpt-9” \(row 2\), which is no target"):
        graded(planned, pool, read(table([(rows[0][0], "gpt-9", "wrong"), *rows], "item_id", "version", "label")))
    with pytest.raises(LabelError, match="is empty in row 2"):
        graded(planned, pool, read(table([(rows[0][0], "", "wrong"), *rows], "item_id", "version", "label")))


def test_a_file_that_names_several_targets_asks_for_one(plan: Plan) -> None:
    rows = [(str(item), name, "right") for name in ("M", "N") for item in plan.ids]
    with pytest.raises(LabelError, match=r"“M” and “N”\. Name one: target=\"M\", --target M or target=\"N\""):
        neyman.labelled(plan, table(rows, "item_id", "model", "label"))
    study = neyman.labelled(plan, table(rows[24:], "item_id", "model", "label"))
    assert study.labels.target == "N" and len(study.labels.labelled) == 24


def test_a_name_beside_the_code_of_another_model_is_refused(plan: Plan) -> None:
    rows = [(str(item), target_code("M"), "N", "right") for item in plan.ids]
    with pytest.raises(LabelError, match=r"“N” \(rows 2–25\), and the column answers_of another target"):
        neyman.labelled(plan, table(rows, "item_id", "answers_of", "model", "label"), "M")


def test_right_answers_are_the_same_for_every_model(plan: Plan) -> None:
    rows = [(str(item), name, "ABC"[k % 3]) for name in ("N", "M") for k, item in enumerate(plan.ids)]
    study = neyman.labelled(plan, table(rows, "item_id", "model", "label"), "M")
    alone = neyman.labelled(plan, table([(item, label) for item, _, label in rows[24:]], "item_id", "label"), "M")
    assert study.labels.kind == "gold" and study.estimate() == alone.estimate()


def test_of_a_pool_without_models_a_list_is_of_one() -> None:
    rows = [{"id": f"q{place}", "generations": ["A", "AB"[place % 2]]} for place in range(60)]
    pool = Pool.from_records(rows, "none")
    bare = neyman.Design(24).draw(pool, seed=0)
    given = [(str(item), name, "right") for name in ("a-1", "b-1") for item in bare.ids]
    with pytest.raises(LabelError, match=r"“a-1” \(rows 2–25\) and “b-1” \(rows 26–49\)\. Keep the rows of one"):
        neyman.labelled(bare, table(given, "item_id", "model", "label"))
    assert len(neyman.labelled(bare, table(given[:24], "item_id", "model", "label")).labels.labelled) == 24
