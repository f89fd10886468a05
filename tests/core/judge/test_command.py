"""`neyman judge`: the list, the verdict as exit status, JSON and Markdown, and what is refused."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pandas as pd
import pytest

from core.commands import main
from core.commands.judge import _stems
from core.judge import Criterion, judge, read_with_judge
from tests.core.judge.pools import people_of, records_of
from tests.core.wording import Saying

SIZE = 500


def table(path: Path, tnr: float = 0.9, tpr: float = 0.97) -> Path:
    """A colleague's table: id, question, output, verdict, reason."""
    rows = records_of(SIZE, tpr, tnr)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "question", "output", "verdict", "reason"])
        writer.writerows([row["id"], row["input"], row["output"], row["judge"], row["reason"]] for row in rows)
    return path


def filled(path: Path) -> None:
    """Label a list as people would."""
    people = people_of(SIZE)
    frame = pd.read_csv(path, dtype=str)
    frame["label"] = ["pass" if people[item] else "fail" for item in frame["item_id"]]
    frame.to_csv(path, index=False)


def run(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    status = main(["judge", *map(str, words)])
    printed = capsys.readouterr()
    return status, printed.out, printed.err


def test_without_labels_it_writes_a_blind_list_and_says_what_it_will_tell(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pool, to_fill = table(tmp_path / "a.csv"), tmp_path / "list.csv"
    status, said, _ = run(capsys, pool, "verdict", "--out", to_fill)
    assert status == 3 and "failures caught ±" in said and "--labels" in said
    frame = pd.read_csv(to_fill, dtype=str)
    assert len(frame) == 100 and frame["label"].isna().all()
    assert frame["prompt"].str.startswith("question").all() and frame["target_answer"].str.startswith("answer").all()
    assert not {"verdict", "reason"} & set(frame.columns)


@pytest.mark.parametrize(
    ("tnr", "asked", "status", "word"),
    [(0.95, ("--tpr", 80, "--tnr", 60), 0, "TRUSTED"), (0.3, (), 1, "NOT TRUSTED"), (0.85, (), 3, "UNDECIDED")],
)
def test_the_exit_status_is_the_verdict(
    tnr: float,
    asked: tuple[object, ...],
    status: int,
    word: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    pool, to_fill = table(tmp_path / "a.csv", tnr), tmp_path / "list.csv"
    run(capsys, pool, "verdict", "--out", to_fill)
    filled(to_fill)
    ended, said, _ = run(capsys, pool, "verdict", "--labels", to_fill, *asked)
    assert ended == status and f"\n{word}" in said and "Corrected pass rate" in said


def test_json_and_markdown_say_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pool, to_fill, summary = table(tmp_path / "a.csv", 0.3), tmp_path / "list.csv", tmp_path / "summary.md"
    run(capsys, pool, "verdict", "--out", to_fill)
    filled(to_fill)
    _, said, _ = run(capsys, pool, "verdict", "--labels", to_fill, "--json", "--markdown", summary)
    document = json.loads(said)
    assert document["verdict"] == "not trusted" and document["labels"] == 100
    tnr = document["measures"]["tnr"]
    assert tnr["low"] < tnr["value"] < tnr["high"] < 0.8
    text = summary.read_text(encoding="utf-8")
    assert document["decision"] in text and f"| Failures caught (TNR) | {100 * tnr['value']:.1f} % |" in text


def test_criteria_have_a_column_a_result_and_a_report_each(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, to_fill = tmp_path / "a.csv", tmp_path / "list.csv"
    people = people_of(SIZE)
    rows = [
        f"{row['id']},{row['input']},{row['output']},{row['judge']},{number % 2}"
        for number, row in enumerate(records_of(SIZE, 0.97, 0.9))
    ]
    path.write_text("\n".join(["id,question,output,verdict,safe", *rows]), encoding="utf-8")
    status, said, _ = run(capsys, path, "verdict", "--criterion", "safe", "--out", to_fill)
    assert (
        status == 3 and "a column for each criterion" in said and said.startswith("Drawn for “verdict”, which passes ")
    )
    frame = pd.read_csv(to_fill, dtype=str)
    for name in ("verdict", "safe"):
        frame[f"label: {name}"] = ["pass" if people[item] else "fail" for item in frame["item_id"]]
    frame.to_csv(to_fill, index=False)
    report = tmp_path / "judge.html"
    asked = ("--criterion", "safe", "--labels", to_fill, "--json", "--report", report, "--tpr", 80, "--tnr", 60)
    status, said, _ = run(capsys, path, "verdict", *asked)
    documents = json.loads(said)
    assert [one["judge"] for one in documents] == ["verdict", "safe"]
    # The worst verdict is the status: half of “safe” is chance.
    assert status == 1 and documents[1]["verdict"] == "not trusted"
    assert {one.name for one in tmp_path.glob("*.html")} == {"judge-verdict.html", "judge-safe.html"}
    frame.assign(**{"label: safe": ""}).to_csv(to_fill, index=False)
    asked = ("--criterion", "safe", "--labels", to_fill, "--tpr", 80, "--tnr", 60)
    status, said, _ = run(capsys, path, "verdict", *asked)
    assert (
        status == 3
        and "\nTRUSTED" in said
        and said.endswith("UNDECIDED on “safe”: No row has a label of “criterion safe” yet. Fill in its column.\n")
    )
    passed = {row.split(",")[0] for row in rows if row.endswith(",1")}
    only = ["pass" if item in passed else "" for item in frame["item_id"]]
    frame.assign(**{"label: safe": only}).to_csv(to_fill, index=False)
    status, said, _ = run(capsys, path, "verdict", *asked)
    assert status == 3 and "\nTRUSTED" in said
    assert "UNDECIDED on “safe”: No item that the judge fails has a label yet. Label more of the list." in said
    assert "--word==wrong in the shell" in said


def test_the_threshold_that_a_refusal_names_serves_one_criterion_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.csv"
    rows = [f"{row['id']},q{n},a{n},{row['judge']},{n % 5 + 1}" for n, row in enumerate(records_of(SIZE))]
    path.write_text("\n".join(["id,question,output,verdict,safety judge", *rows]), encoding="utf-8")
    asked = (path, "verdict", "--criterion", "safety judge", "--json")
    status, _, error = run(capsys, *asked)
    assert status == 2 and "'--threshold=safety judge=…' in the shell" in error
    status, said, _ = run(capsys, *asked, "--threshold=safety judge=4")
    criteria = [Criterion.of("verdict"), Criterion.of("safety judge", threshold=4)]
    pool = read_with_judge(path, "verdict", "safety judge")
    assert status == 3 and json.loads(said)["plan"] == judge(pool, criteria, 100, seed=0).plan_id


@pytest.mark.parametrize(
    ("column", "words", "is_odd"),
    [
        ("hallucination", ("1", "0"), True),
        ("is toxic", ("yes", "no"), True),
        ("non-toxic", ("yes", "no"), False),
        ("error", ("pass", "fail"), False),
        ("verdict", ("1", "0"), False),
    ],
)
def test_yes_in_a_column_that_sounds_bad_is_named_where_it_passes(
    column: str, words: tuple[str, str], is_odd: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, to_fill = tmp_path / "a.csv", tmp_path / "list.csv"
    rows = [f"{row['id']},q{n},a{n},{words[row['judge'] == 'fail']}" for n, row in enumerate(records_of(SIZE))]
    path.write_text("\n".join([f"id,question,output,{column}", *rows]), encoding="utf-8")
    _, said, _ = run(capsys, path, column, "--out", to_fill)
    assert ("the name sounds as if it meant fail" in said) == is_odd
    filled(to_fill)
    _, said, _ = run(capsys, path, column, "--labels", to_fill)
    assert (f"--word={words[0]}=fail --word={words[1]}=pass" in said) == is_odd
    if is_odd:
        turned = (f"--word={words[0]}=fail", f"--word={words[1]}=pass")
        assert "the name sounds" not in run(capsys, path, column, "--labels", to_fill, *turned)[1]


def test_reports_of_criteria_whose_names_make_the_same_file_are_both_kept() -> None:
    assert _stems("judge", ["clear?", "Clear!", "safe"]) == ["judge-clear--1", "judge-Clear--2", "judge-safe"]
    assert _stems("judge", [""]) == ["judge"]


def test_another_judge_is_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, to_fill = tmp_path / "a.csv", tmp_path / "list.csv"
    rows = [f"{row['id']},q,a,{row['judge']},{row['other']}" for row in records_of(SIZE)]
    path.write_text("\n".join(["id,question,output,verdict,other", *rows]), encoding="utf-8")
    run(capsys, path, "verdict", "--out", to_fill)
    filled(to_fill)
    _, said, _ = run(capsys, path, "verdict", "--labels", to_fill, "--beside", "other")
    assert said == Saying("compared with “other”", "difference")


def test_another_seed_is_another_list(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pool = table(tmp_path / "a.csv")
    plans = [json.loads(run(capsys, pool, "verdict", "--json", "--seed", seed)[1])["plan"] for seed in (0, 0, 1)]
    assert plans[0] == plans[1] != plans[2]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("nothing",), "no column or target"),
        (("verdict", "--budget", 501), "501"),
        (("verdict", "--threshold", 0.5), "holds words"),
        (("verdict", "--threshold", "half"), "“half” is no threshold"),
        (("verdict", "--threshold", "output=1"), "“output” is no criterion. Those of this command: “verdict”."),
        (("verdict", "--word", "gut"), "--word=WORD=pass"),
        (("verdict", "--labels", "nowhere.csv"), "nowhere.csv"),
    ],
)
def test_what_cannot_be_read_ends_with_2_and_one_sentence(
    words: tuple[object, ...], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out, error = run(capsys, table(tmp_path / "a.csv"), *words)
    assert status == 2 and out == "" and said in error and "Traceback" not in error


def test_a_column_that_looks_like_the_models_score_is_the_judges_if_it_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = table(tmp_path / "a.csv")
    path.write_text(path.read_text(encoding="utf-8").replace("verdict", "correct", 1), encoding="utf-8")
    status, said, _ = run(capsys, path, "correct")
    assert status == 3 and f"of {SIZE} items" in said


@pytest.mark.parametrize(
    ("threshold", "rate", "said"),
    [(9, "0.0", "never says pass, since all its scores are below the threshold of 9"), (1, "100.0", "at or above")],
)
def test_a_threshold_beside_all_scores_is_said(
    threshold: float, rate: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.csv"
    rows = [f"c{n},question {n},answer {n},{n % 5 + 1}" for n in range(60)]
    path.write_text("\n".join(["id,question,output,score", *rows]), encoding="utf-8")
    status, out, _ = run(capsys, path, "score", "--threshold", threshold, "--budget", 20)
    assert status == 3 and out.replace("\N{NO-BREAK SPACE}", " ") == Saying(f"passes {rate} % of 60 items", said)
