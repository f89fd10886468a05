"""What commands print with --json has the documented form, and says what they say in words."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from core.commands import main
from tests.conftest import ROOT
from tests.core.commands.test_gate import answers, log
from tests.core.commands.test_label_doors import judge_files
from tests.core.schema import checked, schema

TOOLS = ROOT / "tests" / "core" / "readers" / "fixtures" / "tools"
DEMO = str(ROOT / "data" / "demo.jsonl.gz")
SIZE = 60


def listed(folder: Path, labels: int = 20) -> list[str]:
    """The words that write a list of a model with three samples of a surrogate."""
    records = [
        {
            "id": f"q{i}",
            "prompt": f"What is {i}?",
            "generations": ["A", "A", "B"[i % 2 :] or "A"],
            "targets": {"bot": {"text": "A"}},
        }
        for i in range(SIZE)
    ]
    path = folder / "pool.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return ["study", "list", str(path), "--labels", str(labels), "--target", "bot", "--out", str(folder / "grade")]


def graded(folder: Path, given: int = 20) -> list[str]:
    """The words that read the list with its first labels given."""
    main(listed(folder))
    frame = pd.read_csv(folder / "grade" / "list.csv", dtype=str)
    frame["label"] = ["right" if place % 3 else "wrong" for place in range(given)] + [""] * (len(frame) - given)
    frame.to_csv(folder / "filled.csv", index=False)
    return ["study", "estimate", str(folder / "grade"), str(folder / "filled.csv")]


def gate(folder: Path) -> list[str]:
    versions = [log(folder, name, answers(SIZE, 6), "A" * SIZE) for name in ("v1", "v2")]
    return ["gate", *map(str, versions)]


def best(folder: Path) -> list[str]:
    records = [
        {"id": f"q{i}", "prompt": f"What is {i}?", "targets": {"a": {"answer": "A"}, "b": {"answer": "AB"[i % 2]}}}
        for i in range(SIZE)
    ]
    path = folder / "models.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return ["best", str(path)]


def judge(folder: Path, *labels: str) -> list[str]:
    table, filled = judge_files(folder)
    return ["judge", str(table), "verdict", *(["--labels", str(filled)] if labels else [])]


def judge_grades(folder: Path, *labels: str) -> list[str]:
    table, filled = folder / "outputs.csv", folder / "list.csv"
    rows = {"id": [f"q{i}" for i in range(SIZE)], "question": "q", "output": "a"}
    pd.DataFrame(rows | {"grade of the judge": [i % 5 + 1 for i in range(SIZE)]}).to_csv(table, index=False)
    words = ["judge", str(table), "grade of the judge", "--scale", "1-5", "--budget", "40"]
    if not labels:
        return words
    main([*words, "--out", str(filled)])
    pd.read_csv(filled, dtype=str).assign(label="3").to_csv(filled, index=False)
    return [*words, "--labels", str(filled)]


COMMANDS: list[tuple[str, int, Callable[[Path], list[str]]]] = [
    ("neyman-pool/1", 0, lambda folder: ["pool", "map", DEMO]),
    ("neyman-pool/1", 0, lambda folder: ["pool", "map", str(ROOT / "tests" / "cases" / "yes_no.csv")]),
    ("neyman-pool/1", 0, lambda folder: ["pool", "join", str(TOOLS / "promptfoo.jsonl.gz")]),
    ("neyman-list/1", 0, listed),
    ("neyman-result/2", 0, graded),
    ("neyman-plan/1", 0, lambda folder: ["plan", "--labels", "100", "--items", "2000"]),
    ("neyman-plan/1", 0, lambda folder: ["plan", "--half-width", "0.03", "--pool", DEMO]),
    ("neyman-lab/1", 0, lambda folder: ["lab", DEMO, "--trials", "0"]),
    ("neyman-gate/1", 0, gate),
    ("neyman-best/1", 3, best),
    ("neyman-judge-list/1", 3, judge),
    ("neyman-judge/1", 0, lambda folder: judge(folder, "labels")),
    ("neyman-judge-grades-list/1", 3, judge_grades),
    ("neyman-judge-grades/1", 0, lambda folder: judge_grades(folder, "labels")),
]


@pytest.mark.parametrize(("form", "status", "words"), COMMANDS)
def test_the_document_has_its_form(
    form: str,
    status: int,
    words: Callable[[Path], list[str]],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    asked = words(tmp_path)
    capsys.readouterr()
    assert main([*asked, "--json"]) == status
    checked(capsys.readouterr().out, form)


def test_the_document_of_an_estimate_is_the_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = graded(tmp_path)
    capsys.readouterr()
    main(asked)
    said = capsys.readouterr().out
    main([*asked, "--json"])
    document = checked(capsys.readouterr().out, "neyman-result/2")
    assert f"{100 * document['estimate']['value']:.1f}" in said
    assert len(document["labels"]) == 20


def test_a_number_of_the_first_labels_is_provisional_and_ends_with_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["study", "list", DEMO, "--labels", "100", "--target", "tiny-target (1.2M)", "--out", str(tmp_path)])
    frame = pd.read_csv(tmp_path / "list.csv", dtype=str)
    frame["label"] = ["right" if place % 4 else "wrong" for place in range(40)] + [""] * (len(frame) - 40)
    frame.to_csv(tmp_path / "list.csv", index=False)
    capsys.readouterr()
    assert main(["study", "estimate", str(tmp_path), str(tmp_path / "list.csv"), "--json"]) == 2
    document = checked(capsys.readouterr().out, "neyman-provisional/1")
    assert document["begun"] and document["waiting"]


def test_the_command_of_the_judge_s_workflow_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (ROOT / "docs" / "ci" / "github-judge.yml").read_text(encoding="utf-8").replace("\\\n", " ")
    (line,) = (line for line in text.splitlines() if "neyman judge eval" in line)
    words = line.partition("neyman judge ")[2].partition("||")[0].split()
    (tmp_path / "eval").mkdir()
    table, filled = judge_files(tmp_path)
    table.rename(tmp_path / "eval" / "judged.csv")
    filled.rename(tmp_path / "eval" / "labels.csv")
    monkeypatch.chdir(tmp_path)
    assert main(["judge", *words]) == 0
    assert "trusted" in (tmp_path / "summary.md").read_text(encoding="utf-8").lower()


def test_every_documented_form_is_tried() -> None:
    tried = {form for form, _, _ in COMMANDS} | {"neyman-provisional/1", "neyman-jobs/1", "neyman-job/1"}
    assert {f"#/$defs/{form.replace('/', '-')}" for form in tried} == {one["$ref"] for one in schema()["oneOf"]}
