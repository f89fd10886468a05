"""Odd cells at the other doors: `neyman judge --labels` and `--threshold`, `neyman gate --labels`, imported banks."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import neyman
from core.bank import Bank
from core.commands import main
from core.design import Design, Scheme
from core.errors import BankError, LabelError
from core.gates import gate, listed_pool
from core.gates.version_pool import graded
from core.judge import judged, request
from core.labels import read as read_labels
from core.pool import Pool
from tests.core.commands.test_gate import answers, log
from tests.core.judge.pools import people_of, records_of

SIZE = 300


def judge_files(folder: Path, scores: bool = False) -> tuple[Path, Path]:
    """A table with a judge's verdicts (or grades 1 to 5), and the list of it as people filled it."""
    rows = records_of(SIZE, 0.97, 0.9)
    names = {"id": "id", "question": "input", "output": "output"}
    table = pd.DataFrame({name: [row[field] for row in rows] for name, field in names.items()})
    verdicts = [row["judge"] for row in rows]
    table["verdict"] = [{"pass": 5, "fail": 1}[one] for one in verdicts] if scores else verdicts
    table.to_csv(folder / "judged.csv", index=False)
    listed = folder / "list.csv"
    threshold = ["--threshold", "4"] if scores else []
    main(["judge", str(folder / "judged.csv"), "verdict", "--out", str(listed), *threshold])
    frame, people = pd.read_csv(listed, dtype=str), people_of(SIZE)
    frame["label"] = ["pass" if people[item] else "fail" for item in frame["item_id"]]
    frame.to_csv(listed, index=False)
    return folder / "judged.csv", listed


def change(listed: Path, labels: dict[str, str], rows: int | None = None) -> None:
    """Write other words into a filled list, into its first rows alone if they are counted."""
    frame = pd.read_csv(listed, dtype=str)
    some = frame.index[:rows]
    frame.loc[some, "label"] = frame.loc[some, "label"].map(lambda label: labels.get(label, label))
    frame.to_csv(listed, index=False)


def run(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    capsys.readouterr()
    status = main([*map(str, words)])
    said = capsys.readouterr()
    return status, said.out, said.err


@pytest.mark.parametrize("word", ["hallucinated", "partially", "not right", "flase", "0.5", "3"])
def test_a_word_of_people_that_nobody_knows_ends_the_judge_with_2(
    word: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table, listed = judge_files(tmp_path)
    change(listed, {"fail": word})
    status, out, error = run(capsys, "judge", table, "verdict", "--labels", listed)
    assert status == 2 and not out and f"“{word}” (rows " in error and f"{word}=" in error and "--kind" not in error
    status, said, _ = run(capsys, "judge", table, "verdict", "--labels", listed, "--word", f"{word}=fail")
    change(listed, {word: "fail"})
    expected = run(capsys, "judge", table, "verdict", "--labels", listed)
    assert (status, said.splitlines()[0]) == (expected[0], expected[1].splitlines()[0])


def test_what_is_no_verdict_widens_the_limits_of_a_judge(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table, listed = judge_files(tmp_path)
    frame = pd.read_csv(listed, dtype=str)
    plain = run(capsys, "judge", table, "verdict", "--labels", listed, "--json")
    ways = {}
    for word in ("maybe", "pass", "fail"):
        frame.loc[[3, 40], "label"] = word
        frame.to_csv(listed, index=False)
        ways[word] = json.loads(run(capsys, "judge", table, "verdict", "--labels", listed, "--json")[1])
    for name in ("pass_rate", "tpr", "tnr", "agreement"):
        open_one, passed, failed = (ways[word]["measures"][name] for word in ("maybe", "pass", "fail"))
        assert open_one["low"] <= min(passed["low"], failed["low"]) + 1e-12
        assert open_one["high"] >= max(passed["high"], failed["high"]) - 1e-12
    assert ways["maybe"]["labels"] == json.loads(plain[1])["labels"] - 2
    frame.loc[[3, 40], "label"] = "maybe"
    frame.to_csv(listed, index=False)
    said = run(capsys, "judge", table, "verdict", "--labels", listed)[1]
    assert ", 2 without a verdict, " in said.splitlines()[0]


def test_grades_of_people_are_refused_where_a_judge_has_a_threshold(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The worst grade, 1, once counted as right, and all others as missing."""
    table, listed = judge_files(tmp_path, scores=True)
    expected = run(capsys, "judge", table, "verdict", "--threshold", 4, "--labels", listed)
    change(listed, {"pass": "5", "fail": "1"})
    status, out, error = run(capsys, "judge", table, "verdict", "--threshold", 4, "--labels", listed)
    assert status == 2 and not out and "Grades from 1 to 5" in error and "“1” (rows" in error and "“5” (rows" in error
    words = ["--word", "1=fail", "--word", "5=pass"]
    assert run(capsys, "judge", table, "verdict", "--threshold", 4, "--labels", listed, *words)[0] == expected[0]
    status, _, error = run(capsys, "judge", table, "verdict", "--threshold", 4, "--labels", listed, "--word", "5=pass")
    assert status == 2 and "“1” (rows" in error


def test_labels_in_a_mapping_are_read_by_the_same_rule() -> None:
    pool = Pool.from_records(records_of(SIZE, 0.97, 0.9), "answers")
    plan = neyman.judge(pool, "judge", 60, seed=2)
    people = people_of(SIZE)
    said = {str(item): bool(people[item]) for item in request(plan)["item_id"]}
    first = next(iter(said))
    with pytest.raises(LabelError, match=r"“0.5” \(row 1\)"):
        judged(plan, {**said, first: 0.5})
    assert judged(plan, {**said, first: "n/a"}).title.startswith("Judge “judge”: 59 labels of 300 items, 1 without")


def gate_files(folder: Path) -> tuple[Path, Path, Path]:
    old = log(folder, "v1", answers(400, 40), "A" * 400)
    new = log(folder, "v2", "A" * 20 + answers(380, 20, 10), None)
    listed = folder / "list.csv"
    main(["gate", str(old), str(new), "--out", str(listed)])
    table = pd.read_csv(listed, dtype=str)
    table["label"] = np.where(table["target_answer"] == "A", "right", "wrong")
    table.to_csv(listed, index=False)
    return old, new, listed


@pytest.mark.parametrize("word", ["rigth", "hallucinated", "0.5", "7", "100%"])
def test_what_is_not_understood_ends_the_gate_with_2(
    word: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old, new, listed = gate_files(tmp_path)
    change(listed, {"right": word}, 1)
    status, out, error = run(capsys, "gate", old, new, "--labels", listed)
    assert status == 2 and not out and f"“{word}” (row 2)" in error
    assert "--kind score" in error or "--kind" not in error
    # On a scale of its own, each grade needs a meaning; the other labels here are words.
    status, out, _ = run(capsys, "gate", old, new, "--labels", listed, "--word", f"{word}=right")
    assert status == 0 and "Pass" in out


def test_an_item_without_a_verdict_leaves_a_gate_open_unless_neither_way_matters(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old, new, listed = gate_files(tmp_path)
    whole = json.loads(run(capsys, "gate", old, new, "--labels", listed, "--json")[1])
    change(listed, {"right": "skip", "wrong": "skip"}, 1)
    status, out, _ = run(capsys, "gate", old, new, "--labels", listed, "--json")
    one = json.loads(out)
    assert status == 0 and one["without_verdict"] == 1 and one["graded"] == whole["graded"] - 1
    assert one["difference"]["low"] <= whole["difference"]["low"]
    assert one["difference"]["high"] >= whole["difference"]["high"]
    assert "1 without a verdict" in one["sentence"]
    change(listed, {"right": "skip", "wrong": "skip"}, 20)
    status, out, _ = run(capsys, "gate", old, new, "--labels", listed)
    assert status == 3 and "20 without a verdict" in out


# What is changed in a filled list of a gate, its exit status, and what is said, with the rows.
ODD_GATES = [
    ("item_id", "elsewhere", 2, 3, "2 rows are about no item of this list and are left out (row 2: “elsewhere”"),
    ("item_id", "elsewhere", None, 2, "names an item of this list (row 2: “elsewhere”)"),
    ("answers_of", "nobody", 2, 3, "2 rows judge another target's answers and are left out (row 2: "),
    ("answers_of", "nobody", None, 2, "20 rows judge another target's answers and are left out (row 2: "),
    ("label", "0.9", None, 0, "read as scores from 0 to 1"),
]


@pytest.mark.parametrize(("column", "text", "rows", "expected", "said"), ODD_GATES)
def test_rows_that_do_not_count_for_a_gate_are_named(
    column: str,
    text: str,
    rows: int | None,
    expected: int,
    said: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    old, new, listed = gate_files(tmp_path)
    frame = pd.read_csv(listed, dtype=str)
    frame.loc[frame.index[:rows], column] = text
    frame.to_csv(listed, index=False)
    summary = tmp_path / "summary.md"
    status, out, error = run(capsys, "gate", old, new, "--labels", listed, "--markdown", summary)
    assert status == expected and said in (error if expected == 2 else out), (out, error)
    if expected != 2:
        _, out, _ = run(capsys, "gate", old, new, "--labels", listed, "--json")
        assert said in summary.read_text(encoding="utf-8") and said in " ".join(json.loads(out)["remarks"])


def test_a_column_called_like_that_of_a_criterion_is_named_with_a_remedy_that_works(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old, new, listed = gate_files(tmp_path)
    asked = pd.read_csv(listed, dtype=str)
    asked.rename(columns={"label": "label: anna"}).to_csv(listed, index=False)
    status, _, error = run(capsys, "gate", old, new, "--labels", listed)
    assert status == 2 and "“label: anna” is called like the column of a criterion" in error
    assert "If “label: anna” holds the labels, rename it to label." in error and "another target" not in error
    asked.to_csv(listed, index=False)
    assert run(capsys, "gate", old, new, "--labels", listed)[0] == 0


@pytest.mark.parametrize(
    ("item", "text"), [("", "Total: 13 right"), ("", "13"), ("Total", "0.65"), ("note", "see mail")]
)
def test_a_row_below_the_list_of_a_gate_is_left_out_and_named(
    item: str, text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old, new, listed = gate_files(tmp_path)
    whole = json.loads(run(capsys, "gate", old, new, "--labels", listed, "--json")[1])
    frame = pd.read_csv(listed, dtype=str)
    below = pd.DataFrame({"item_id": [item], "label": [text]})
    pd.concat([frame, below]).to_csv(listed, index=False)
    status, out, _ = run(capsys, "gate", old, new, "--labels", listed, "--json")
    one = json.loads(out)
    assert status == 0 and one["difference"] == whole["difference"] and one["graded"] == whole["graded"]
    assert f"1 row is about no item of this list and is left out (row {len(frame) + 2}: “{item}” = “{text}”)" in (
        " ".join(one["remarks"])
    )


def test_graders_who_disagree_leave_a_gate_open_and_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old, new, listed = gate_files(tmp_path)
    frame = pd.read_csv(listed, dtype=str)
    other = frame.head(1).assign(label={"right": "wrong", "wrong": "right"}[frame["label"].iloc[0]], annotator="Bo")
    pd.concat([frame, other]).to_csv(listed, index=False)
    status, out, _ = run(capsys, "gate", old, new, "--labels", listed)
    assert status == 3 and "2 rows disagree with other labels of the same item (row 2: " in out
    assert "To decide a tie, keep the label that counts in one row of the item, and empty the others." in out
    decided = pd.concat([frame.assign(label=[None, *frame["label"][1:]]), other])
    decided.to_csv(listed, index=False)
    status, out, _ = run(capsys, "gate", old, new, "--labels", listed)
    assert "disagree" not in out and "tie" not in out and "20 labels" in out


@pytest.mark.parametrize(("kept", "other"), [("right", "wrong"), ("wrong", "right")])
def test_a_gate_with_one_verdict_and_blanks_says_what_a_blank_may_mean(
    kept: str, other: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old, new, listed = gate_files(tmp_path)
    whole = run(capsys, "gate", old, new, "--labels", listed)
    change(listed, {other: ""})
    said = run(capsys, "gate", old, new, "--labels", listed)[1]
    assert f"Every verdict is “{kept}”, and " in said and f"--word=={other} in the shell" in said
    blank = run(capsys, "gate", old, new, "--labels", listed, "--word", f"={other}")
    assert blank[0] == whole[0] and "Every verdict is" not in blank[1]


def test_a_gate_whose_list_ends_in_boxes_that_nobody_ticked_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old, new, listed = gate_files(tmp_path)
    frame = pd.read_csv(listed, dtype=str)
    assert "verdicts of the list are all" not in run(capsys, "gate", old, new, "--labels", listed)[1]
    first = ["TRUE", "FALSE", *["TRUE"] * 6]
    frame.assign(label=first + ["FALSE"] * (len(frame) - 8)).to_csv(listed, index=False)
    said = run(capsys, "gate", old, new, "--labels", listed)[1]
    assert f"The last {len(frame) - 8} verdicts of the list are all “wrong”, 1 of the 8 above them" in said


def test_a_meaning_that_no_label_of_a_gate_or_judge_has_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old, new, listed = gate_files(tmp_path)
    said = run(capsys, "gate", old, new, "--labels", listed, "--word=1=wrong")[1]
    assert "written in no label of the list, so not used: “1” as wrong." in said
    table, listed = judge_files(tmp_path)
    asked = ["judge", table, "verdict", "--labels", listed]
    assert "so not used" not in run(capsys, *asked)[1]
    said = run(capsys, *asked, "--word=1=fail", "--word=pass=pass")[1]
    assert "so not used: “1” as wrong." in said


def test_right_answers_are_no_gradings_of_a_gate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old, new, listed = gate_files(tmp_path)
    status, out, error = run(capsys, "gate", old, new, "--labels", listed, "--kind", "gold")
    assert status == 2 and not out and "not of the kind “gold”. Say " in error and "--kind right-wrong or" in error
    assert run(capsys, "gate", old, new, "--labels", listed, "--kind", "right-wrong")[0] == 0


@pytest.mark.parametrize("words", [("yes", "no"), ("TRUE", "FALSE"), ("1", "0"), ("Yes", "No")])
@pytest.mark.parametrize("corrected", [False, True])
def test_right_answers_that_may_be_verdicts_are_refused_by_a_gate_and_remarked_by_a_judge(
    words: tuple[str, str], corrected: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ids, listed, files = [f"q{place}" for place in range(80)], tmp_path / "list.csv", []
    truth = {item: words[place % 2] for place, item in enumerate(ids)}
    for name, wrong in (("v1", 20), ("v2", 5)):
        said = {item: words[(place % 2 + (place % wrong == 1)) % 2] for place, item in enumerate(ids)}
        files.append(tmp_path / f"{name}.jsonl")
        records = [{"id": item, "prompt": f"{item}?", "targets": {name: {"answer": said[item]}}} for item in ids]
        files[-1].write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    table = pd.DataFrame({"id": ids, "prompt": ids, "output": said.values(), "verdict": ["pass", "fail"] * 40})
    table.to_csv(tmp_path / "judged.csv", index=False)
    doors = [["gate", *files], ["judge", tmp_path / "judged.csv", "verdict"]]
    for door, good, bad in zip(doors, ("right", "pass"), ("wrong", "fail"), strict=True):
        run(capsys, *door, "--out", listed)
        frame = pd.read_csv(listed, dtype=str)
        spelled = {word.casefold(): word for word in words}
        said_of = [spelled[answer.strip("'").casefold()] for answer in frame["target_answer"]]
        pairs = list(zip(frame["item_id"], said_of, strict=True))
        filled = [good if corrected and truth[item] == answer else truth[item] for item, answer in pairs]
        frame.assign(label=filled).to_csv(listed, index=False)
        status, out, error = run(capsys, *door, "--labels", listed)
        if door is doors[0] and not corrected:
            assert status == 2 and "the same label on both versions" in error and "in rows 2 and 3, " in error
        elif door is doors[1] and corrected:
            assert status == 2 and "Answers to these items are among them" in error, error
        else:
            assert status != 2, error
            assert "are read as verdicts on the model’s answer" in out and "--kind" not in out
        verdicts = [good if truth[item] == answer else bad for item, answer in pairs]
        frame.assign(label=verdicts).to_csv(listed, index=False)
        assert "are read as verdicts" not in "".join(run(capsys, *door, "--labels", listed)[1:])


TOWNS = ["Rome", "Oslo", "ja", "pass", "Bonn", "Lima"]


@pytest.mark.parametrize("labels", [["Rome", "Oslo"], ["ja", "nein"], TOWNS])
def test_labels_that_are_answers_of_the_pool_get_one_remedy_at_every_door_of_a_gate(
    labels: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No meaning is proposed of them, and the remedy works: the list of a gate takes no right answers."""
    said = {name: [TOWNS[(n + (name == "v2" and n < 12)) % 6] for n in range(60)] for name in ("v1", "v2")}
    records = {
        name: [{"id": f"q{n}", "targets": {name: {"answer": one}}} for n, one in enumerate(said[name])] for name in said
    }
    pool = Pool.from_records(
        [{**one, "targets": one["targets"] | two["targets"]} for one, two in zip(*records.values(), strict=True)]
    )
    files, listed = [tmp_path / "v1.jsonl", tmp_path / "v2.jsonl"], tmp_path / "list.csv"
    for path in files:
        path.write_text("\n".join(map(json.dumps, records[path.stem])), encoding="utf-8")
    run(capsys, "gate", *files, "--out", listed)
    frame = pd.read_csv(listed, dtype=str)
    frame["label"] = [labels[number // 2 % len(labels)] for number in range(len(frame))]
    frame.to_csv(listed, index=False)
    status, _, error = run(capsys, "gate", *files, "--labels", listed)
    planned = gate(pool, "v1", "v2", 0.02)
    with pytest.raises(LabelError) as refused:
        graded(planned, pool, read_labels(listed.read_bytes()))
    # On page Label the list is a pool of its own.
    own = listed_pool(planned, pool)
    plan = Design(own.n_items, Scheme(allocation="uniform", n_strata=1)).draw(own, seed=2)
    with pytest.raises(LabelError) as on_page:
        neyman.labelled(plan, listed, "v2", "right-wrong")
    for told in (error, str(refused.value), str(on_page.value)):
        assert "write in each row whether the answer that it shows is right or wrong." in told and "gold" not in told
        assert "If they judge the model’s answer, say what each means" in told and "=right" not in told
    assert status == 2
    frame.assign(label=["right", "wrong"] * (len(frame) // 2)).to_csv(listed, index=False)
    assert run(capsys, "gate", *files, "--labels", listed)[0] != 2


def test_a_fraction_among_scores_for_a_gate_is_read_once_a_person_says_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old, new, listed = gate_files(tmp_path)
    change(listed, {"right": "1", "wrong": "0"})
    change(listed, {"1": "½"}, 3)
    typed = ["gate", old, new, "--labels", listed, "--kind", "score"]
    status, _, said = run(capsys, *typed)
    assert status == 2 and "a score such as 0.5 or skip (no verdict)" in said and "'--word=½=0.5' in the shell" in said
    assert run(capsys, *typed, "--word=½=0.5")[0] != 2
    assert "A score needs kind=" in run(capsys, *typed[:-2], "--word=½=0.5")[2]


def test_a_judge_whose_failures_are_all_tied_is_not_said_to_have_no_label() -> None:
    plan = neyman.judge(Pool.from_records(records_of(SIZE, 0.97, 0.9), "answers"), "judge", 60, seed=2)
    table = request(plan)
    both = pd.concat([table.assign(label=label, annotator=label) for label in ("pass", "fail")])
    with pytest.raises(
        LabelError, match=r"items that the judge fails tie\. To decide a tie.* settle ties on page Estimate"
    ):
        judged(plan, both.to_csv(index=False).encode())


@pytest.mark.parametrize("loss", ["5", "-1", "wrong", "", "nan", "1.5"])
def test_a_bank_with_another_verdict_than_0_to_1_is_refused_with_its_row(loss: str, tmp_path: Path) -> None:
    pool = Pool.from_records(
        [{"id": f"q{n}", "prompt": f"{n}?", "targets": {"m": {"answer": "A", "loss": n % 2}}} for n in range(6)]
    )
    path = tmp_path / "bank.csv"
    Bank.of(pool).write(path)
    assert len(Bank.read(path).rows) == 6
    lines = pd.read_csv(path, dtype=str, keep_default_na=False)
    lines.loc[2, "loss"] = loss
    lines.to_csv(path, index=False)
    with pytest.raises(BankError, match="row 3"):
        Bank.read(path)


@pytest.mark.parametrize("cell", ["", "yes", "1", " "])
def test_a_bank_with_a_cell_that_says_neither_true_nor_false_is_refused_with_its_row(cell: str, tmp_path: Path) -> None:
    """An empty cell once said false, so that a right answer counted as a model's."""
    pool = Pool.from_records(
        [{"id": f"q{n}", "prompt": f"{n}?", "targets": {"m": {"answer": "A", "loss": n % 2}}} for n in range(6)]
    )
    path = tmp_path / "bank.csv"
    Bank.of(pool).write(path)
    frame = pd.read_csv(path, dtype=str, keep_default_na=False)
    frame.loc[2, "is_key"] = cell
    frame.to_csv(path, index=False)
    with pytest.raises(BankError, match=r"1 cell in the column is_key .*row 3 \("):
        Bank.read(path)
    frame.assign(is_key=["TRUE", *["False"] * 5]).to_csv(path, index=False)
    assert Bank.read(path).rows["is_key"].tolist() == [True, *[False] * 5]
