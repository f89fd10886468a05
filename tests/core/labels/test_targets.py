"""Labels know whose answers they judge, and annotators do not."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from core.design import Design
from core.errors import LabelError
from core.labels import assign_targets, export, read, relevant, request, settle, target_code
from core.labels.formats.tasks import CONTROL
from core.pool import Pool
from core.stratification import profile
from tests.core.wording import Saying

TARGETS = ("org/model, “large” 🙂", "b")


@pytest.fixture
def judged_list() -> pd.DataFrame:
    pool = Pool.from_records([{"id": name, "prompt": name, "generations": ["A", "A"]} for name in "xyz"])
    signals = profile(pool.classes())
    plan = Design(budget=3, seed=0).plan(pool.items_digest, np.array(pool.items.index, dtype=object), signals)
    return request(plan, pool.items, ["A", "B", None], target=TARGETS[0])


@pytest.mark.parametrize("format", ["csv", "jsonl", "xlsx", "label-studio", "argilla", "prodigy"])
def test_a_list_comes_back_to_its_target_and_does_not_name_it(judged_list: pd.DataFrame, format: str) -> None:
    content = export(judged_list, format, "right-wrong")
    assert b"large" not in content, "annotators are blind to the model"
    rows = assign_targets(read(answered(content, format)).rows, TARGETS, default="b")
    assert rows["target"].tolist() == [TARGETS[0]] * 3


def answered(content: bytes, format: str) -> bytes:
    """What the tool gives back: Argilla and Prodigy are known by their answers."""
    if format == "argilla":
        records = [{**record, f"{CONTROL}.responses": ["right"]} for record in json.loads(content)]
        return json.dumps(records).encode()
    if format == "prodigy":
        records = [{**json.loads(line), "accept": ["right"]} for line in content.decode().splitlines()]
        return "\n".join(map(json.dumps, records)).encode()
    return content


def test_a_list_that_says_nothing_belongs_to_the_chosen_target() -> None:
    rows = assign_targets(read(b"item_id,label\nx,right\n").rows, TARGETS, default="b")
    assert rows["target"].tolist() == ["b"]
    assert assign_targets(pd.DataFrame({"item_id": ["x"]}), TARGETS)["target"].tolist() == [""]


def test_another_targets_labels_are_told_and_left_out() -> None:
    file = f"item_id,label,answers_of\nx,right,{target_code('b')}\ny,wrong,t00000000\nz,wrong,\n"
    rows = assign_targets(read(file.encode()).rows, TARGETS, default="b")
    assert rows["target"].tolist() == ["b", "t00000000", "b"]
    settlement = settle(rows, ["x", "y", "z"], "p", "right-wrong", target="b")
    assert settlement.labels["item_id"].tolist() == ["x", "z"]
    assert settlement.odd[["what", "row"]].values.tolist() == [["another target", 3]]
    assert len(settle(rows, ["x", "y", "z"], "p", "right-wrong").labels) == 3, "no target was asked for"
    with pytest.raises(LabelError, match="target"):
        settle(rows.iloc[1:2], ["x", "y", "z"], "p", "right-wrong", target="b")


def test_kept_labels_are_told_by_their_annotator() -> None:
    stored = pd.DataFrame({"item_id": ["x"], "annotator": ["Ann"], "label": ["perhaps"]})
    (sentence,) = settle(stored, ["x"], "p", "right-wrong").sentences
    assert sentence == Saying("1 label", "not understood", "(“x” = “perhaps” by “Ann”)")


def test_only_known_kinds_are_relevant() -> None:
    with pytest.raises(LabelError, match="“best”"):
        relevant(pd.DataFrame({"kind": [], "target": []}), "best")


def test_codes_differ_and_tell_nothing() -> None:
    codes = {target_code(name) for name in (*TARGETS, "", "c", "\ud800")}
    assert len(codes) == 5 and all(len(code) == 9 and code.startswith("t") for code in codes)
    assert json.loads(json.dumps(sorted(codes))) == sorted(codes)
