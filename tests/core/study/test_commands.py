"""From logs to a list of samples to grade, and from their grades to the accuracy."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from core import labels
from core.commands import main
from core.design import manifest
from core.errors import LabelError
from core.pool import Pool
from core.readers import read
from tests.core.readers.test_inspect_log import as_eval, as_json, sample

ITEMS = 40


def text(item: int, model: str, epoch: int = 1) -> str:
    """What a model says: the target errs on every fourth item, and there the surrogate is torn."""
    torn = item % 4 == 0 and (model == "big" or epoch % 2)
    return "The answer is 5" if torn else "The answer is 4"


def log(model: str, epochs: int = 1, scored: bool = False) -> list[dict[str, Any]]:
    runs = [(item, epoch) for item in range(ITEMS) for epoch in range(1, epochs + 1)]
    return [
        {**sample(f"q{item}", epoch, text(item, model, epoch)), **({} if scored else {"scores": {}})}
        for item, epoch in runs
    ]


def named(content: bytes, model: str) -> bytes:
    return content.replace(b"org/m", model.encode())


@pytest.fixture
def logs(tmp_path: Path) -> list[str]:
    small, big = tmp_path / "small.json", tmp_path / "big.json"
    small.write_bytes(named(as_json(*log("small", 4)), "small"))
    big.write_bytes(named(as_json(*log("big", 2, scored=True)), "big"))
    return [str(small), str(big)]


def graded(folder: Path, *scorers: str, value: Any = None) -> str:
    """The samples as they come back: scored by what is right."""
    written = json.loads((folder / "samples.json").read_text())
    for one in written["samples"]:
        verdict = ("C" if one["output"]["completion"].endswith("4") else "I") if value is None else value
        one["scores"] = {scorer: {"value": verdict, "answer": None} for scorer in scorers}
    path = folder / "graded.json"
    path.write_text(json.dumps(written, indent=1))
    return str(path)


def test_two_commands_lead_from_logs_to_the_accuracy(
    logs: Sequence[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "grade"
    assert main(["study", "list", *logs, "--target", "big", "--labels", "16", "--out", str(folder)]) == 0
    said = capsys.readouterr().out
    assert "40 items" in said and "inspect score" in said
    plan = manifest.read((folder / "plan.json").read_bytes())
    listed = pd.read_csv(folder / "list.csv", dtype=str)
    samples = json.loads((folder / "samples.json").read_text())
    assert [one["id"] for one in samples["samples"]] == listed["item_id"].tolist()
    assert all("scores" not in one and one["epoch"] == 1 for one in samples["samples"])
    assert {one["metadata"]["plan_id"] for one in samples["samples"]} == {plan.plan_id}
    assert samples["eval"]["dataset"]["samples"] == 16 and "results" not in samples
    assert main(["study", "estimate", str(folder), graded(folder, "expert")]) == 0
    by_log = capsys.readouterr().out
    drawn = manifest.reproduce(plan, read(folder / "pool.parquet"))
    strata = pd.Series(drawn.stratum[drawn.positions])
    right = pd.Series([int(item[1:]) % 4 != 0 for item in drawn.ids], dtype=float).groupby(strata).mean()
    accuracy = 100 * float(right.to_numpy() @ drawn.strata.sizes) / ITEMS
    assert f"big: Accuracy {accuracy:.1f}\u00a0%" in by_log and "16 labels" in by_log and "Uniform" in by_log
    listed["label"] = ["right" if str(answer).endswith("4") else "wrong" for answer in listed["target_answer"]]
    listed.to_csv(tmp_path / "filled.csv", index=False)
    assert main(["study", "estimate", str(folder), str(tmp_path / "filled.csv")]) == 0
    assert capsys.readouterr().out == by_log
    listed.to_csv(folder / "list.csv", index=False)
    assert main(["study", "list", *logs, "--target", "big", "--labels", "9", "--out", str(folder)]) == 2
    assert "has labels" in capsys.readouterr().err and len(pd.read_csv(folder / "list.csv")) == 16


def test_the_target_is_named_where_it_has_epochs_too(
    logs: Sequence[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["study", "list", *logs, "--labels", "16", "--out", str(tmp_path)]) == 2
    assert "Name the target" in capsys.readouterr().err
    once = tmp_path / "once.json"
    once.write_bytes(named(as_json(*log("big")), "big"))
    assert main(["study", "list", logs[0], str(once), "--labels", "16", "--out", str(tmp_path)]) == 0
    assert "target big" in capsys.readouterr().out


def test_a_model_may_be_its_own_surrogate(
    logs: Sequence[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "self"
    assert main(["study", "list", logs[0], "--target", "small", "--labels", "10", "--out", str(folder)]) == 0
    pool = read(folder / "pool.parquet")
    assert (pool.n_generations, list(pool.targets)) == (4, ["small"])
    assert main(["study", "list", logs[0], "--target", "nobody", "--labels", "10", "--out", str(folder)]) == 2
    assert "no results of “nobody”" in capsys.readouterr().err


def test_a_target_that_was_not_run_is_run_on_the_list_alone(
    logs: Sequence[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "later"
    assert main(["study", "list", logs[0], "--labels", "12", "--out", str(folder)]) == 0
    ids = pd.read_csv(folder / "list.csv")["item_id"].tolist()
    assert f"--sample-id {','.join(ids)}" in capsys.readouterr().out and not (folder / "samples.json").exists()
    run = tmp_path / "run.eval"
    # Every fourth item is wrong, by the scorer of the task.
    run.write_bytes(as_eval(*(sample(item, 1, "4", "I" if int(item[1:]) % 4 == 0 else "C") for item in ids)))
    assert main(["study", "estimate", str(folder), str(run)]) == 0
    assert "12 labels" in capsys.readouterr().out


def test_one_of_several_scorers_is_chosen(
    logs: Sequence[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "grade"
    main(["study", "list", *logs, "--target", "big", "--labels", "12", "--out", str(folder)])
    both = graded(folder, "expert", "match")
    assert main(["study", "estimate", str(folder), both]) == 2
    assert "expert, match" in capsys.readouterr().err
    assert main(["study", "estimate", str(folder), both, "--scorer", "expert"]) == 0
    assert main(["study", "estimate", str(folder), both, "--scorer", "nobody"]) == 2
    capsys.readouterr()
    half = graded(folder, "expert", value="P")
    assert main(["study", "estimate", str(folder), half]) == 0
    assert "Mean score 50.0\u00a0%" in capsys.readouterr().out


@pytest.mark.parametrize("written", [as_json, as_eval])
@pytest.mark.parametrize(
    ("value", "label", "kind"),
    [
        ("C", "right", "right-wrong"),
        ("N", "wrong", "right-wrong"),
        (1, "right", "right-wrong"),
        (False, "wrong", "right-wrong"),
        ({"only": "I"}, "wrong", "right-wrong"),
        ("0", "wrong", "right-wrong"),
        ("i", "i", "right-wrong"),
        ("incorrect", "incorrect", "right-wrong"),
        ("partially", "partially", "right-wrong"),
        (2, "2.0", "score"),
        ("", None, "right-wrong"),
        ("P", "0.5", "score"),
        (0.25, "0.25", "score"),
        ("free text", "free text", "right-wrong"),
    ],
)
def test_scores_of_a_graded_log_are_labels(written: Any, value: Any, label: str | None, kind: str) -> None:
    file = labels.read(written(sample(7, 1, "4", value), sample(7, 2, "4", "C")))
    row = file.rows.iloc[0]
    assert (file.source, len(file.rows), row["item_id"], row["annotator"]) == ("inspect", 1, "7", "match")
    assert (row["label"], row["kind"]) == (label, kind)


def test_several_values_of_a_score_are_one_label_only_if_somebody_says_which() -> None:
    value = {"style": 1, "correct": 0}
    log = as_json(sample("a", 1, "4", value), sample("b", 1, "4", {"correct": 1, "style": 0}))
    with pytest.raises(LabelError, match=r"match\.style and match\.correct.*--scorer match\.style"):
        labels.read(log)
    assert labels.read(log, scorer="match.correct").rows["label"].tolist() == ["wrong", "right"]
    with pytest.raises(LabelError, match="none of “match”"):
        labels.read(log, scorer="match")
    listed = labels.read(as_json(sample("a", 1, "4", [1, 0]))).rows
    assert listed["status"].tolist() == ["several"]


def test_an_epoch_without_a_score_gives_way_to_one_that_has() -> None:
    ungraded = {**sample("a", 1, "4"), "scores": {}}
    assert labels.read(as_json(ungraded, sample("a", 2, "4", "I"))).rows["label"].tolist() == ["wrong"]
    assert labels.read(as_json(ungraded)).rows["status"].tolist() == ["empty"]


def test_damaged_logs_are_refused() -> None:
    with pytest.raises(LabelError, match="no id"):
        labels.read(as_json({"epoch": 1}))
    with pytest.raises(LabelError, match="cannot be read"):
        labels.read(as_json(sample("a", 1, "4"))[:-3])
    with pytest.raises(LabelError, match="cannot be read"):
        labels.read(as_eval(sample("a", 1, "4"), **{"samples/x_epoch_1.json": b"["}))


def test_grades_of_another_list_are_refused(
    logs: Sequence[str], tmp_path: Path, pool: Pool, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, other = tmp_path / "grade", tmp_path / "other"
    main(["study", "list", *logs, "--target", "big", "--labels", "12", "--out", str(folder)])
    main(["study", "list", logs[0], "--target", "small", "--labels", "12", "--out", str(other)])
    assert main(["study", "estimate", str(other), graded(folder, "expert")]) == 2
    assert "another target than “small”" in capsys.readouterr().err
    pool.write(folder / "pool.parquet")
    assert main(["study", "estimate", str(folder), graded(folder, "expert")]) == 2
    assert "another pool" in capsys.readouterr().err


@pytest.mark.parametrize("more", [[], ["--target", "bot"], ["--target", "bot", "--surrogate", "bot"]])
def test_a_model_with_one_answer_an_item_needs_no_surrogate(
    more: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = pd.DataFrame({"id": range(60), "prompt": [f"Write about {item}" for item in range(60)]})
    table["bot:answer"] = [f"A text about {item}" for item in range(60)]
    table.to_csv(tmp_path / "answers.csv", index=False)
    folder = tmp_path / "study"
    typed = [str(tmp_path / "answers.csv"), "--labels", "20", "--out", str(folder), *more]
    assert main(["study", "list", *typed]) == 0
    out = capsys.readouterr().out
    assert "surrogate none (0 samples an item), target bot." in out and "draw uniformly" in out
    listed = pd.read_csv(folder / "list.csv", dtype=str)
    assert listed["target_answer"].str.startswith("A text about").all() and len(listed) == 20
    listed.assign(label=["right", "right", "right", "wrong"] * 5).to_csv(folder / "list.csv", index=False)
    assert main(["study", "estimate", str(folder), str(folder / "list.csv")]) == 0
    assert "bot: Accuracy 75.0" in capsys.readouterr().out
