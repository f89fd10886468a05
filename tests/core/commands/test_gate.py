"""`neyman gate`: exit status, what it says and writes, the list and its way back, banks, and logs that are hostile."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import core as neyman
from core.archive import Archive
from core.bank import Bank
from core.commands import main
from core.pool import Pool
from tests.conftest import ROOT
from tests.core.wording import Saying

TOOLS = ROOT / "tests" / "core" / "readers" / "fixtures" / "tools"


def log(folder: Path, version: str, answers: str, right: str | None, shift: int = 0) -> Path:
    """A file with a version's answers, item after item, graded against the right ones if there are any."""
    records = []
    for place, answer in enumerate(answers):
        outcome = {} if right is None else {"loss": float(answer != right[place])}
        records.append({"id": f"q{place + shift}", "prompt": f"What is {place + shift}?"})
        records[-1]["targets"] = {version: {"answer": answer} | outcome}
    path = folder / f"{version}.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def answers(n: int, wrong: int, changed: int = 0) -> str:
    """n answers of which the first are wrong, and the last have become wrong."""
    return "B" * wrong + "A" * (n - wrong - changed) + "C" * changed


@pytest.mark.parametrize(("changed", "status", "said"), [(0, 0, "Pass"), (3, 0, "Pass"), (30, 1, "Fail")])
def test_graded_logs_decide_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], changed: int, status: int, said: str
) -> None:
    old = log(tmp_path, "v1", answers(400, 40), "A" * 400)
    new = log(tmp_path, "v2", answers(400, 40, changed), "A" * 400)
    assert main(["gate", str(old), str(new), "--margin", "2", "--markdown", str(tmp_path / "said.md")]) == status
    printed = capsys.readouterr().out
    assert said in printed and f"{400 - changed} of 400 items" in printed
    assert f"**{said.lower()}**" in (tmp_path / "said.md").read_text(encoding="utf-8")
    assert main(["gate", str(old), str(new), "--json"]) == status
    document = json.loads(capsys.readouterr().out)
    assert document["verdict"] == said.lower() and document["unequal"] == changed
    assert document["difference"]["value"] == pytest.approx(changed / 400)


# What is changed in the new version's records, and what the gate then says; None: the old file stands for both.
REMARKS = [
    ({"id": "other {id}"}, "v2 is matched by its prompts: 60 of 60 items."),
    ({"answer": ""}, "60 outputs of v2 without an answer count as wrong."),
    (None, "Both versions are read from the same file, and their answers are the same."),
]


@pytest.mark.parametrize(("change", "said"), REMARKS)
def test_what_is_odd_about_the_files_is_said(
    change: dict[str, str] | None, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old = log(tmp_path, "v1", answers(60, 6), "A" * 60)
    new = log(tmp_path, "v2", answers(60, 6), "A" * 60)
    records = [json.loads(line) for line in new.read_text(encoding="utf-8").splitlines()]
    for record in records if change is not None else []:
        record["id"] = change.get("id", "{id}").format(id=record["id"])
        target = record["targets"]["v2"]
        if "answer" in change:
            target.update(answer=change["answer"], loss=1.0)
    new.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    status = main(["gate", str(old), str(old if change is None else new), "--json"])
    document = json.loads(capsys.readouterr().out)
    assert said in document["remarks"] and status == (change is not None and "answer" in change)


def test_ungraded_answers_make_a_list_that_comes_back(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old = log(tmp_path, "v1", answers(400, 40), "A" * 400)
    new = log(tmp_path, "v2", "A" * 20 + answers(380, 20, 10), None)
    listed = tmp_path / "list.csv"
    assert main(["gate", str(old), str(new), "--out", str(listed)]) == 3
    assert "Come back with --labels" in capsys.readouterr().out
    table = pd.read_csv(listed)
    # Twenty mistakes are mended and ten are new: no other item is asked for.
    assert set(table["item_id"]) <= {f"q{place}" for place in (*range(20), *range(390, 400))}
    table["label"] = np.where(table["target_answer"] == "A", "right", "wrong")
    table.to_csv(listed, index=False)
    assert main(["gate", str(old), str(new), "--labels", str(listed)]) == 0
    assert "Pass" in capsys.readouterr().out


def test_labels_name_their_version_and_may_be_said_to_be_scores(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old = log(tmp_path, "v1", answers(60, 10), None)
    new = log(tmp_path, "v2", "A" * 5 + answers(55, 5, 10), None)
    listed = tmp_path / "list.csv"
    words = ["gate", str(old), str(new), "--margin", "10", "--labels", str(listed)]
    main([*words[:-2], "--out", str(listed)])
    table = pd.read_csv(listed)
    assert table["answers_of"].nunique() == 2
    table["label"] = [["1", "0", "0.5"][place % 3] for place in range(len(table))]
    table.drop(columns="answers_of").to_csv(listed, index=False)
    capsys.readouterr()
    assert main(words) == 2 and f"{len(table)} labels name no version" in capsys.readouterr().err
    table.to_csv(listed, index=False)
    assert main(words) == 2 and "--kind score" in capsys.readouterr().err
    assert main([*words, "--kind", "score"]) in (0, 1, 3)
    assert "The labels are read as scores from 0 to 1." in capsys.readouterr().out


def test_items_of_one_version_alone_are_counted_and_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old = log(tmp_path, "v1", answers(400, 40), "A" * 400)
    new = log(tmp_path, "v2", answers(400, 40), "A" * 400, shift=30)
    assert main(["gate", str(old), str(new)]) in (0, 3, 1)
    assert capsys.readouterr().out == Saying("60", "of 430 items", "no answer of v1 (30) or of v2 (30)", "left out")
    elsewhere = log(tmp_path, "v3", answers(40, 4), "A" * 40, shift=1000)
    assert main(["gate", str(old), str(elsewhere)]) == 2
    assert "same questions" in capsys.readouterr().err


@pytest.mark.parametrize("banked", [False, True])
def test_few_items_of_many_decide_only_if_that_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], banked: bool
) -> None:
    old = log(tmp_path, "v1", answers(40, 4), "A" * 40)
    new = log(tmp_path, "v2", answers(400, 4), "A" * 400)
    words = ["gate", str(old), str(new)]
    if banked:
        Bank.of(neyman.read(old)).write(tmp_path / "verdicts.parquet")
        words = ["gate", "v1", str(new), "--bank", str(tmp_path / "verdicts.parquet")]
    assert main(words) == 3
    said = capsys.readouterr().out
    assert said == Saying("Undecided", "Most items are left out, 360 of 400", "--partial")
    assert ("The bank knows an item by" in said) is banked
    assert main([*words, "--partial"]) == 0
    assert "Pass" in (said := capsys.readouterr().out) and "Most items" not in said


def shuffled(path: Path, seed: int) -> Path:
    """A log of letters whose items have four options, in an order of its own."""
    random = np.random.default_rng(seed)
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for record in records:
        order, (target,) = random.permutation(4).tolist() if seed else [*range(4)], record["targets"].values()
        record["choices"] = [f"{'ABCD'[place]} is it" for place in order]
        for holder in (target, record):
            if "answer" in holder:
                holder["answer"] = "ABCD"[order.index("ABCD".index(holder["answer"]))]
    path.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    return path


def with_right(path: Path) -> Path:
    """A log whose items have the right answer “A” in place of outcomes."""
    records = [json.loads(line) | {"answer": "A"} for line in path.read_text(encoding="utf-8").splitlines()]
    path.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    return path


@pytest.mark.parametrize("keyed", [(True, True), (True, False), (False, True), (False, False)])
def test_options_in_another_order_are_read_as_their_texts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], keyed: tuple[bool, bool]
) -> None:
    old, new = log(tmp_path, "v1", answers(60, 10), None), log(tmp_path, "v2", "A" * 8 + answers(52, 2, 3), None)
    old, new = (with_right(path) if has else path for path, has in zip((old, new), keyed, strict=True))
    words = ["gate", str(shuffled(old, 0)), str(shuffled(new, 5)), "--margin", "10"]
    status, said = main([*words, "--out", str(tmp_path / "list.csv")]), capsys.readouterr().out
    assert "v2 has the options of" in said and "in another order" in said and "same answer to 49 of 60 items" in said
    if not any(keyed):
        table = pd.read_csv(tmp_path / "list.csv")
        chosen = [
            options.split("\n")["ABCD".index(letter)]
            for options, letter in zip(table["choices"], table["target_answer"], strict=True)
        ]
        table.assign(label=["right" if text == "A is it" else "wrong" for text in chosen]).to_csv(
            tmp_path / "list.csv", index=False
        )
        status, said = main([*words, "--labels", str(tmp_path / "list.csv")]), capsys.readouterr().out
    assert status == 0 and "exactly +8.3 points" in said


def test_other_options_and_labels_of_another_run_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old, new = log(tmp_path, "v1", answers(60, 10), None), log(tmp_path, "v2", "A" * 8 + answers(52, 2, 3), None)
    listed = tmp_path / "list.csv"
    main(["gate", str(old), str(new), "--out", str(listed)])
    pd.read_csv(listed).assign(label="right").to_csv(listed, index=False)
    log(tmp_path, "v2", "D" * 8 + answers(52, 2, 3), None)
    capsys.readouterr()
    assert main(["gate", str(old), str(new), "--labels", str(listed)]) == 2
    assert capsys.readouterr().err == Saying("another answer than that of “v2”", "row 3: item “", "write a new list")
    path = shuffled(new, 1)
    path.write_text(path.read_text(encoding="utf-8").replace("is it", "was it"), encoding="utf-8")
    assert main(["gate", str(shuffled(old, 0)), str(path)]) == 2
    assert capsys.readouterr().err == Saying("v2 has other options", "60 items", "edition")


@pytest.mark.parametrize("where", ["file", "home"])
def test_the_old_version_may_stand_in_a_bank_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], where: str
) -> None:
    old = neyman.read(log(tmp_path, "v1", answers(400, 40), "A" * 400))
    new = log(tmp_path, "v2", answers(400, 40, 30), "A" * 400)
    bank = tmp_path / "verdicts.parquet"
    if where == "file":
        Bank.of(old).write(bank)
    else:
        bank = tmp_path / "home"
        Archive(bank).pools.save(old, "2026-11-25T12:00:00+00:00")
    assert main(["gate", "v1", str(new), "--bank", str(bank)]) == 1
    assert capsys.readouterr().out == Saying("v1 and v2", "same answer", "370 of 400")
    assert main(["gate", "v0", str(new), "--bank", str(bank)]) == 2
    assert "no answer of “v0”" in capsys.readouterr().err
    main(["gate", "v1", str(log(tmp_path, "v2", answers(410, 40, 30), None)), "--bank", str(bank)])
    said = capsys.readouterr().out
    assert said == Saying("10 of 410 items", "no answer of v1") and "(no answer)" not in said, "no file has v1"
    if where == "home":
        assert Archive(bank).verdicts.states() == {}, "a home is read, not written"


@pytest.mark.parametrize(
    ("content", "said"),
    [(b"", "empty"), (b"\x00\xff\x00", ""), (b"{}\n", ""), (b'{"id": "1"}\n', ""), (b"[" * 5000, "")],
)
def test_what_cannot_be_read_ends_with_2_and_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes, said: str
) -> None:
    old = log(tmp_path, "v1", answers(40, 4), "A" * 40)
    (bad := tmp_path / "bad.jsonl").write_bytes(content)
    assert main(["gate", str(old), str(bad)]) == 2
    printed = capsys.readouterr()
    assert said in printed.err and printed.err.strip() and "Traceback" not in printed.err
    assert main(["gate", str(old), str(tmp_path / "none.jsonl")]) == 2
    assert "no file" in capsys.readouterr().err


@pytest.mark.parametrize("words", [["--margin", "0"], ["--confidence", "40"], ["--looks", "often"], ["--power", "0"]])
def test_impossible_rules_are_wrong_usage(tmp_path: Path, words: list[str]) -> None:
    old = log(tmp_path, "v1", answers(40, 4), "A" * 40)
    assert main(["gate", str(old), str(old), *words]) == 2


def test_one_log_of_a_tool_with_itself_passes_without_a_label(capsys: pytest.CaptureFixture[str]) -> None:
    file = str(TOOLS / "inspect.eval")
    assert main(["gate", file, file]) == 0
    # Of its five samples one has no answer, which never equals another.
    printed = capsys.readouterr().out
    assert printed == Saying("Nothing has to be graded", "same answer", "4 of 5") and "0.0 points" in printed


def test_names_of_a_hostile_log_do_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    evil = "v|`\x1b[2J**x** <script>"
    records = [{"id": f"q{n}", "prompt": "?", "targets": {evil: {"answer": "A", "loss": 0.0}}} for n in range(30)]
    Pool.from_records(records).write(tmp_path / "evil.jsonl")
    said = tmp_path / "said.md"
    assert main(["gate", str(tmp_path / "evil.jsonl"), str(tmp_path / "evil.jsonl"), "--markdown", str(said)]) == 0
    assert "\x1b" not in capsys.readouterr().out
    rows = [line for line in said.read_text(encoding="utf-8").splitlines() if line.startswith("|")]
    assert all(line.count("|") == 3 for line in rows)


def test_help_and_mistakes_are_answered_without_what_reading_takes() -> None:
    code = (
        "import sys; from core.commands import main; main(['gate', '--help']); main(['gate', 'a', 'b']);"
        "assert not {'pandas', 'scipy', 'numpy'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_it_says_what_it_reads_before_it_loads_what_reading_takes_and_that_without_scipy(tmp_path: Path) -> None:
    old = log(tmp_path, "v1", answers(60, 6), "A" * 60)
    code = (
        "import sys; from core.commands import gate; from pathlib import Path\n"
        f"old = Path({str(old)!r})\n"
        "def say(line):\n"
        "    assert line == f'Comparing {old} with {old} …' and not {'pandas', 'scipy', 'numpy'} & set(sys.modules)\n"
        "    import core.commands.gating\n"
        "    assert not {'scipy', 'core.study', 'core.surrogate', 'core.prospect'} & set(sys.modules)\n"
        "    sys.exit(7)\n"
        "gate.say = say; gate.gate(old, old)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 7, done.stderr


@pytest.mark.parametrize("workflow", ["github-gate.yml", "gitlab-gate.yml"])
def test_the_command_of_each_workflow_runs_without_network(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, workflow: str
) -> None:
    text = (ROOT / "docs" / "ci" / workflow).read_text(encoding="utf-8").replace("\\\n", " ")
    (line,) = (line for line in text.splitlines() if "neyman gate eval" in line)
    words = line.partition("neyman gate ")[2].partition("||")[0].split()
    (tmp_path / "eval").mkdir()
    for name in words[:2]:
        (tmp_path / name).write_bytes((TOOLS / "inspect.eval").read_bytes())
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("socket.socket", lambda *_, **__: pytest.fail("The network was asked."))
    assert main(["gate", *words]) == 0
    assert "**pass**" in (tmp_path / "summary.md").read_text(encoding="utf-8")
