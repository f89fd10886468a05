"""The best of a pool's models: lists, their way back, what is said, and `neyman best`."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import core as neyman
from core.commands import main
from core.contests import DECIDED, UNDECIDED, Best, best
from core.errors import DesignError, LabelError
from core.pool import Pool
from tests.conftest import ROOT

RIGHT = "42"


def pool(n: int = 300, kind: str | None = None, outcomes: bool = False) -> Pool:
    """Three models: a is right on 90 % of the items, b on 70 %, c on 60 %; c was not asked the last."""
    rng, records = np.random.default_rng(3), []
    for place in range(n):
        targets = {}
        for name, share in (("a", 0.9), ("b", 0.7), ("c", 0.6)):
            right = rng.random() < share
            given = {"answer": RIGHT if right else str(rng.integers(3))}
            targets[name] = given | ({"loss": float(not right)} if outcomes else {})
        if place == n - 1:
            del targets["c"]
        records.append({"id": f"q{place}", "prompt": f"What is {place}?", "targets": targets})
        if kind:
            records[-1]["answer_kind"] = kind
    return Pool.from_records(records)


def filled(planned: Best, standing: neyman.Plan | None = None, keep: float = 1.0) -> pd.DataFrame:
    """The next list with its labels, or the first part of them."""
    rows = planned.request(standing)
    if "target_answer" in rows:
        rows["label"] = np.where(rows["target_answer"] == RIGHT, "right", "wrong")
    else:
        rows["label"] = RIGHT
    rows.loc[len(rows) * keep :, "label"] = None
    return rows


@pytest.mark.parametrize("kind", ["gold", "right-wrong"])
def test_lists_of_waves_lead_to_the_best(kind: str) -> None:
    planned = best(pool(), within=0.03, labels=90, looks=2, kind=kind)
    assert planned.left_out == 1 and not planned.rehearsal
    lists, standing = [], planned.begin()
    while standing.next_wave is not None:
        lists.append(filled(planned, standing.next_wave))
        standing = planned.decide(lists)
    assert standing.verdict == DECIDED and standing.leader == "a"
    assert standing.sentence.startswith("a is the best model, or within 3 points of it. 3 models, ")
    assert standing.n_labels == sum(rows["item_id"].nunique() for rows in lists)
    assert standing.table()["model"].iloc[0] == "a"
    assert len({item for rows in lists for item in rows["item_id"]}) == standing.n_labels
    if kind == "right-wrong":
        assert not lists[0].duplicated(["item_id", "target_answer"]).any()


def test_the_list_is_that_of_the_contest() -> None:
    planned = best(pool(), labels=60, looks=1)
    wave = planned.begin().next_wave
    assert planned.plan(wave).ids.tolist() == [planned.pool.ids[place] for place in wave.order]
    asked = planned.pool.target_answers
    agree = (asked("a") == asked("b")) & (asked("a") == asked("c"))
    assert not agree[wave.order].any()


def test_a_list_is_decided_once_it_is_whole() -> None:
    planned = best(pool(), labels=60, looks=1)
    rows = filled(planned, keep=0.5)
    standing = planned.decide(rows)
    assert standing.verdict == UNDECIDED and standing.look is None
    assert len(standing.course.waiting) == 30 == standing.n_labels
    rows["label"] = rows["label"].where(rows["label"].notna(), "skip")
    assert planned.decide(rows).look is not None


@pytest.mark.parametrize("other", [{"within": 0.02}, {"looks": 3}, {"confidence": 0.9}, {"seed": 1}, {"labels": 59}])
def test_labels_of_another_rule_are_refused(other: dict[str, float]) -> None:
    rows = filled(best(pool(), labels=60, looks=1))
    with pytest.raises(LabelError, match="another list"):
        best(pool(), **{"labels": 60, "looks": 1, **other}).decide(rows)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("choices", "said"),
    [
        ({"models": ["a"]}, "two models or more"),
        ({"models": ["a", "z"]}, "no model “z”"),
        ({"power": 1.0}, "power"),
        ({"looks": 0}, "looks"),
        ({"labels": 0}, "labels"),
    ],
)
def test_what_cannot_be_asked_is_named(choices: dict[str, object], said: str) -> None:
    with pytest.raises(DesignError, match=said):
        best(pool(), **choices)  # type: ignore[arg-type]


def test_known_outcomes_are_a_rehearsal() -> None:
    planned = best(pool(outcomes=True).part(np.arange(299)), within=0.03)
    standing = planned.begin()
    assert planned.rehearsal and standing.verdict == DECIDED
    assert standing.truth.startswith("a is best, ") and "all 299 known outcomes" in standing.truth
    assert planned.size.labels < planned.size.uniform


def test_texts_that_nobody_repeats_are_judged() -> None:
    records = [
        {"id": f"q{place}", "targets": {name: {"answer": f"{name} says {place}"} for name in "ab"}}
        for place in range(30)
    ]
    assert best(Pool.from_records(records), labels=20, looks=1).kind == "right-wrong"


def test_the_command_decides_with_an_exit_status(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, first, summary = (str(tmp_path / name) for name in ("pool.jsonl", "first.csv", "summary.md"))
    pool().write(path)
    asked = ["best", path, "--within", "5", "--looks", "1", "--budget", "120"]
    assert main([*asked, "--out", first]) == 3
    assert "Come back with --labels" in capsys.readouterr().out
    rows = pd.read_csv(first)
    rows.assign(label=RIGHT).to_csv(first, index=False)
    assert main([*asked, "--labels", first, "--markdown", summary]) == 0
    assert "a is the best model" in capsys.readouterr().out
    assert "| c |" in Path(summary).read_text(encoding="utf-8")
    assert main([*asked, "--labels", first, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["best"], document["labels"], document["waiting"]) == ("a", 120, 0)
    assert main([*asked, "--within", "4", "--labels", first]) == 2
    assert main(["best", path, "a", "--looks", "1"]) == 2
    assert main(["best", str(tmp_path / "missing.csv")]) == 2


def test_the_face_and_the_bundled_pool() -> None:
    part = neyman.read(ROOT / "data" / "mmlu-pro.parquet").part(np.arange(2000))
    planned = neyman.best(part, list(part.targets)[:3], within=0.05)
    accuracy = {name: part.targets[name].accuracy() for name in planned.models}
    assert planned.rehearsal and accuracy[planned.begin().leader] > max(accuracy.values()) - 0.05
    assert planned.sentence in repr(planned)
