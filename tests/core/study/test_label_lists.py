"""Filled lists with words, signs, grades and slips: a right number, or a refusal with row, text and remedy."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import neyman
from core.commands import main
from core.design import Plan, manifest
from core.errors import DesignError, LabelError
from core.labels import KINDS, cells
from core.labels.kinds import NO_OPTION
from core.pool import Pool
from core.study import Study

CASES = Path(__file__).parents[2] / "cases" / "labels"


def cases_of(name: str) -> list[dict[str, Any]]:
    """The corpus of this name."""
    return [json.loads(line) for line in (CASES / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


LISTS = cases_of("lists")
# The item of the odd cell, which is right, and its row.
ODD, ROW = "item-069", 5
Estimate = Callable[[bytes, dict[str, Any]], str]


@pytest.fixture(scope="module")
def pool() -> Pool:
    return neyman.read(CASES / "pool.jsonl")


def plan_of(pool: Pool, name: str) -> Plan:
    return manifest.reproduce(manifest.read((CASES / f"{name}_manifest.json").read_bytes()), pool)


def filled(case: dict[str, Any]) -> bytes:
    """The list of `cli_maybe.csv` in the words of a case."""
    rows = list(csv.reader((CASES / "cli_maybe.csv").read_text().splitlines()))[1:]
    meant = {item: item == ODD or label == "right" for item, label in rows}
    said = {item: case["right"] if right else case["wrong"] for item, right in meant.items()}
    said[ODD] = case.get("odd", said[ODD])
    stream = io.StringIO()
    writer = csv.writer(stream)
    # The code of the target whose answers a list shows.
    code = ["t08f27188"] * case.get("shown", False)
    names = ["item_id", "label", *["answers_of"] * len(code)]
    writer.writerows([names, *([item, text.strip('"'), *code] for item, text in said.items())])
    return stream.getvalue().encode()


def first_line(study: Study) -> str:
    return repr(study).splitlines()[0].replace("\N{NO-BREAK SPACE}", " ")


def by_python(pool: Pool, case: dict[str, Any], name: str = "cli") -> str:
    """The first line of the study, or the refusal."""
    try:
        content = filled(case) if "right" in case else (CASES / case["file"]).read_bytes()
        return first_line(
            neyman.labelled(plan_of(pool, name), content, "M", case.get("kind"), words=case.get("words", {}))
        )
    except LabelError as error:
        return str(error)


def by_command(
    pool: Pool, case: dict[str, Any], folder: Path, capsys: pytest.CaptureFixture[str], name: str = "cli"
) -> tuple[int, str]:
    """The exit status of `neyman study estimate`, and its first line."""
    pool.write(folder / "pool.parquet")
    (folder / "plan.json").write_bytes((CASES / f"{name}_manifest.json").read_bytes())
    if "right" in case:
        (folder / "filled.csv").write_bytes(filled(case))
    path = folder / "filled.csv" if "right" in case else CASES / case["file"]
    words = [f"--word={word}={meaning}" for word, meaning in case.get("words", {}).items()]
    kind = ["--kind", case["kind"]] if "kind" in case else []
    status = main(["study", "estimate", str(folder), str(path), "--target", "M", *kind, *words])
    said = capsys.readouterr()
    return status, (said.out or said.err).splitlines()[0].replace("\N{NO-BREAK SPACE}", " ")


def check(said: str, case: dict[str, Any]) -> None:
    """Check what is said of a case."""
    if "value" in case:
        measure = "Mean score" if case.get("kind") == "score" else "Accuracy"
        assert f"{measure} {case['value']} % (" in said, said
        given = f"{24 - case['without']} labels" + (f", {case['without']} without a verdict" if case["without"] else "")
        assert f"{given} ({KINDS[case.get('kind', 'right-wrong')].brief})" in said, said
    elif "asks" in case:
        assert 'kind="right-wrong", --kind right-wrong' in said and "Accuracy" not in said, said
    else:
        assert "not understood" in said and " % (" not in said, said
        for text in case["refused"]:
            assert f"“{text.strip()}”" in said, said
        if "odd" in case and case["odd"] in case["refused"]:
            assert f"(row {ROW})" in said or "were given" in said, said
        for text in case.get("says", []):
            assert text in said, said
        # What is to be done, in Python and in the shell.
        assert "words={" in said or "kind=" in said, said
        assert "--word=" in said or "--kind" in said, said


@pytest.mark.parametrize("case", LISTS, ids=lambda case: case["name"])
def test_a_list_of_people_is_read_or_refused(
    case: dict[str, Any], pool: Pool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = by_python(pool, case)
    check(said, case)
    status, typed = by_command(pool, case, tmp_path, capsys)
    check(typed, case)
    assert status == (0 if "value" in case else 2)


@pytest.mark.parametrize("case", [one for one in LISTS if "unused" in one], ids=lambda case: case["name"])
def test_a_meaning_that_no_label_has_is_named(case: dict[str, Any], pool: Pool) -> None:
    said = repr(neyman.labelled(plan_of(pool, "cli"), filled(case), "M", words=case["words"]))
    assert ("written in no label of the list, so not used" in said) == bool(case["unused"])
    assert all(one in said for one in case["unused"])


def test_a_meaning_of_a_misspelled_word_is_named_in_the_refusal(pool: Pool) -> None:
    content = filled({"right": "right", "wrong": "wrong", "odd": "rigth"})
    with pytest.raises(LabelError, match=r"“rigth” \(row 5\).*so not used: “rihgt” as right"):
        neyman.labelled(plan_of(pool, "cli"), content, "M", words={"rihgt": "right"})
    empty = filled({"right": "", "wrong": "", "odd": ""})
    with pytest.raises(LabelError, match=r"No row has a label yet\. Fill in the column `label`\.$"):
        neyman.labelled(plan_of(pool, "cli"), empty, "M", words={"rihgt": "right"})


# The small inputs of tests/cases/README.md, with their right values.
FILES = [
    ("cli", {"file": "cli_maybe.csv", "value": 65.0, "without": 1}),
    ("cli", {"file": "cli_yes_no_unk.csv", "value": 65.0, "without": 1}),
    ("cli", {"file": "own_skip.xlsx", "value": 65.0, "without": 1}),
    ("cli", {"file": "cli_typo.csv", "refused": ["rigth"], "odd": "rigth"}),
    ("cli", {"file": "cli_typo.csv", "words": {"rigth": "right"}, "value": 69.4, "without": 0}),
    ("cli", {"file": "cli_typo.csv", "words": {"rigth": "skip"}, "value": 65.0, "without": 1}),
    ("cli", {"file": "cli_halves.csv", "refused": ["0.5"], "odd": "0.5"}),
    ("cli", {"file": "cli_halves.csv", "words": {"0.5": "skip"}, "value": 65.0, "without": 1}),
    ("cli", {"file": "cli_halves.csv", "kind": "score", "value": 67.2, "without": 0}),
    ("w", {"file": "w_correct_hallucinated.csv", "refused": ["hallucinated"]}),
    ("w", {"file": "w_likert.csv", "refused": ["1", "5"]}),
    ("w", {"file": "w_zero_to_ten.csv", "refused": ["0", "10"]}),
]


@pytest.mark.parametrize(("name", "case"), FILES, ids=lambda case: str(case))
def test_the_small_lists_have_their_right_values(
    name: str, case: dict[str, Any], pool: Pool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    check(by_python(pool, case, name), case)
    status, typed = by_command(pool, case, tmp_path, capsys, name)
    check(typed, case)
    assert status == (0 if "value" in case else 2)


@pytest.mark.parametrize("word", ["maybe", "skip", "n/a"])
def test_limits_hold_whichever_way_an_item_without_a_verdict_goes(word: str, pool: Pool) -> None:
    plan = plan_of(pool, "cli")
    case = {"right": "right", "wrong": "wrong"}
    study = neyman.labelled(plan, filled({**case, "odd": word}), "M")
    ways = [neyman.labelled(plan, filled({**case, "odd": one}), "M").estimate() for one in ("wrong", "right")]
    estimate = study.estimate()
    assert estimate.low == min(one.low for one in ways) and estimate.high == max(one.high for one in ways)
    assert ways[0].value <= estimate.value < ways[1].value and estimate.n_labels == 23
    assert study.labels.without_verdict == (ODD,) and "missing at random" not in repr(study)


def test_every_row_that_is_not_understood_is_a_problem_of_the_error(pool: Pool) -> None:
    case = {"right": "richtig", "wrong": "falsch"}
    with pytest.raises(LabelError) as refused:
        neyman.labelled(plan_of(pool, "cli"), filled(case), "M")
    assert [problem.row for problem in refused.value.problems] == list(range(2, 26)) and refused.value.total == 24


def test_two_people_with_other_words_are_read_alike(pool: Pool) -> None:
    plan = plan_of(pool, "cli")
    one, two = (filled({"right": right, "wrong": wrong}) for right, wrong in (("yes", "no"), ("✓", "✗")))
    files = [
        content.replace(b"item_id,label", b"item_id,label,annotator").replace(b"\r\n", b",%b\r\n" % who, -1)
        for content, who in ((one, b"Ann"), (two, b"Ben"))
    ]
    files = [
        content.replace(b"annotator,%b" % who, b"annotator")
        for content, who in zip(files, (b"Ann", b"Ben"), strict=True)
    ]
    study = neyman.labelled(plan, files, "M")
    assert first_line(study).startswith("Accuracy 69.4 % (") and not study.labels.ties


# Cells of the rows of wrong items whose label does not count, and of the other rows.
UNUSED: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"label": None}, {}),
    ({"label": "skip"}, {}),
    *(({"label": None, "status": status}, {}) for status in ("cancelled", "discarded", "draft", "ignored", "rejected")),
    ({"label": "wrong", "status": "discarded"}, {}),
    ({"label": ["right", "wrong"]}, {}),
    ({"label": "wrong", "plan_id": "p000000000000"}, {}),
    ({"label": None, "annotator": "Ben"}, {"annotator": "Ann"}),
    ({"label": None, "annotator": "ann"}, {"annotator": "Ann"}),
]


@pytest.mark.parametrize("people", [1, 2])
@pytest.mark.parametrize(("odd", "others"), UNUSED, ids=str)
def test_labels_that_do_not_count_are_not_missing_at_random(
    odd: dict[str, Any], others: dict[str, Any], people: int, pool: Pool
) -> None:
    plan = plan_of(pool, "cli")
    rows = list(csv.DictReader((CASES / "cli_maybe.csv").read_text().splitlines()))
    given = [
        {**row, **(odd if row["label"] == "wrong" else {"label": "right", **others})}
        for row in rows
        if row["item_id"] != ODD
    ]
    given += [{"item_id": ODD, "label": "right", **others}]
    # The last person of several labels one item alone.
    given[-1]["annotator"] = "Cid" if people == 2 else given[-1].get("annotator", "Ann")
    study = neyman.labelled(plan, "\n".join(map(json.dumps, given)).encode(), "M")
    wrong = sum(row["label"] == "wrong" for row in rows)
    said = neyman.labelled(plan, filled({"right": "right", "wrong": "skip", "odd": "right"}), "M")
    assert wrong and first_line(study) == first_line(said)
    assert f"{24 - wrong} labels, {wrong} without a verdict" in first_line(study)


@pytest.mark.parametrize("extra", ["Total,19,", "item-069,5,another-plan", "nowhere,rigth,"])
def test_a_row_that_is_left_out_refuses_nothing(extra: str, pool: Pool) -> None:
    lines = filled({"right": "right", "wrong": "wrong"}).decode().split()
    content = "\n".join(["item_id,label,plan_id", *(f"{line}," for line in lines[1:]), extra]).encode()
    study = neyman.labelled(plan_of(pool, "cli"), content, "M")
    assert first_line(study).startswith("Accuracy 69.4 % (") and "left out" in repr(study)


def test_a_refusal_names_the_file_of_each_row(pool: Pool, tmp_path: Path) -> None:
    content = filled({"right": "right", "wrong": "wrong", "odd": "rigth"})
    (tmp_path / "ann.csv").write_bytes(content)
    (tmp_path / "ben.csv").write_bytes(content.replace(b"item_id,label\r\n", b"item_id,label\r\n\r\n"))
    plan = plan_of(pool, "cli")
    with pytest.raises(LabelError) as refused:
        neyman.labelled(plan, [tmp_path / "ann.csv", tmp_path / "ben.csv"], "M")
    assert "“rigth” (row 5 of “ann.csv”; row 6 of “ben.csv”)" in str(refused.value)
    assert [(one.row, one.file) for one in refused.value.problems] == [(5, "ann.csv"), (6, "ben.csv")]
    with pytest.raises(LabelError, match=r"2 labels are .*row 5 of “file 1”; row 5 of “file 2”"):
        neyman.labelled(plan, [content, content], "M")


def test_a_slip_about_another_model_is_said_and_refuses_only_what_needs_it() -> None:
    said = [{"M": {"answer": "x"}, "N": {"answer": "y"}}] * 48
    records = [{"id": str(n), "generations": ["x"], "targets": one} for n, one in enumerate(said)]
    plan = neyman.Design(budget=24).draw(Pool.from_records(records), seed=0)
    of_m, of_n = (neyman.request(plan, "right-wrong", name).assign(label="right") for name in "MN")
    of_n.loc[2, "label"] = "rigth"
    both = pd.concat([of_m, of_n])
    study = neyman.labelled(plan, both, "M")
    assert first_line(study).startswith("Accuracy 100.0 % (")
    assert "about “N”, which do not count here, 1 label is not understood: “rigth” (row 27)" in repr(study)
    with pytest.raises(LabelError, match=r"“rigth” \(row 27\)"):
        neyman.labelled(plan, both, "N")
    with pytest.raises(LabelError, match=r"“rigth” \(row 27\)"):
        study.compare("N")


def test_a_refusal_says_how_the_file_was_read(pool: Pool) -> None:
    content = filled({"right": "right", "wrong": "wrong", "odd": "Größe"}).decode().encode("cp1252")
    with pytest.raises(LabelError, match=r"“Größe” \(row 5\).*code page 1252"):
        neyman.labelled(plan_of(pool, "cli"), content, "M")


def doors(frame: pd.DataFrame) -> list[bytes | pd.DataFrame]:
    """The same list as CSV, workbook, JSON Lines, JSON and table."""
    book = io.BytesIO()
    frame.to_excel(book, index=False)
    records = [frame.to_json(orient="records", lines=lines).encode() for lines in (True, False)]
    return [frame.to_csv(index=False).encode(), book.getvalue(), *records, frame]


def told(plan: Plan, content: bytes | pd.DataFrame) -> tuple[str, str]:
    """Whether a list is read, and what is said of it."""
    try:
        return "read", first_line(neyman.labelled(plan, content, "M"))
    except LabelError as error:
        return "refused", str(error)


@pytest.mark.parametrize(
    ("columns", "outcome"),
    [
        (["Label"], "read"),
        (["label "], "read"),
        ([" LABEL"], "read"),
        (["verdict"], "read"),
        (["Verdict"], "read"),
        (["correct"], "read"),
        *(([name], "read") for name in ("Labels", "label:", "LABEL *", "Correct?", "Rating", "score", "Judgement")),
        *(([name], "read") for name in ("Bewertung", "richtig?", "veredicto", "判定", "верно")),
        (["label", "label2"], "read"),
        (["label2"], "refused"),
        (["answer"], "refused"),
        (["label", "Label"], "refused"),
        (["label", "label:"], "refused"),
        (["verdict", "result"], "refused"),
        *(([name], "refused") for name in ("Ergebnis", "my label", "verdict of Ann", "note")),
        (["score", "rating"], "refused"),
    ],
    ids=str,
)
def test_a_column_means_the_same_in_every_format(columns: list[str], outcome: str, pool: Pool) -> None:
    table = pd.read_csv(io.BytesIO(filled({"right": "right", "wrong": "wrong"})))
    frame = pd.DataFrame({"item_id": table["item_id"]} | {name: table["label"] for name in columns})
    for content in doors(frame):
        done, said = told(plan_of(pool, "cli"), content)
        assert done == outcome and ("Accuracy 69.4 % (" in said) == (outcome == "read"), said
        if outcome == "refused" and len(columns) == 1 and columns != ["note"]:
            assert f"If “{columns[0].lower()}” holds the labels, rename it to label." in said.replace(
                columns[0], columns[0].lower()
            )


@pytest.mark.parametrize("case", cases_of("columns"), ids=str)
def test_a_column_of_another_name_keeps_its_direction(case: dict[str, str], pool: Pool) -> None:
    table = pd.read_csv(io.BytesIO(filled(case)), dtype=str)
    frame = pd.DataFrame({"item_id": table["item_id"], case["column"]: table["label"]})
    for content in doors(frame):
        done, said = told(plan_of(pool, "cli"), content)
        assert done == "refused" and f"“{case['column'].lower()}” holds the labels" in said.replace(
            case["column"], case["column"].lower()
        )
        assert case["says"] in said, said
        assert ("rename it to label" in said) == ("rename it to label" in case["says"])


def test_what_is_no_number_is_no_blank(pool: Pool) -> None:
    table = pd.read_csv(io.BytesIO(filled({"right": "1", "wrong": "0"}))).astype({"label": float})
    table.loc[3, "label"] = math.inf
    with pytest.raises(LabelError, match="inf"):
        neyman.labelled(plan_of(pool, "cli"), table, "M", "right-wrong")


@pytest.mark.parametrize(
    ("right", "wrong", "blank"),
    [
        ("", "✗", "right"),
        ("✓", "", "wrong"),
        ("", "wrong", "right"),
        ("yes", "", "wrong"),
        ("✓", "-", "wrong"),
        ("–", "n", "right"),
    ],
)
def test_a_list_with_one_verdict_says_what_a_blank_may_mean(right: str, wrong: str, blank: str, pool: Pool) -> None:
    plan, content = plan_of(pool, "cli"), filled({"right": right, "wrong": wrong})
    said, empty = repr(neyman.labelled(plan, content, "M")), wrong if blank == "wrong" else right
    assert f"If a blank means {blank}, say so: words={{" in said and f"--word={empty}={blank}" in said
    study = neyman.labelled(plan, content, "M", words={empty: blank})
    assert first_line(study).startswith("Accuracy 69.4 % (") and "24 labels (right or wrong)" in first_line(study)
    assert "If a blank means" not in repr(study) and "with the meaning that a person gave" in repr(study)


@pytest.mark.parametrize("odd", ["right", "skip", "n/a", "unsure"])
def test_a_list_with_one_verdict_and_no_blank_says_nothing_of_it(odd: str, pool: Pool) -> None:
    content = filled({"right": "right", "wrong": "right", "odd": odd})
    assert "If a blank means" not in repr(neyman.labelled(plan_of(pool, "cli"), content, "M"))


def test_what_a_blank_means_is_said_in_the_shell(
    pool: Pool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    case = {"right": "", "wrong": "✗", "words": {"": "right"}, "value": 69.4, "without": 0}
    status, said = by_command(pool, case, tmp_path, capsys)
    check(said, case)
    assert status == 0
    status, said = by_command(pool, {**case, "words": {}}, tmp_path, capsys)
    assert "69.4" not in said


@pytest.mark.parametrize(("box", "remarked"), [("FALSE", True), ("", False)])
def test_boxes_that_nobody_ticked_yet_are_remarked(box: str, remarked: bool, pool: Pool) -> None:
    plan = plan_of(pool, "cli")
    labels = ["TRUE", "FALSE", "TRUE", "TRUE", "TRUE", "FALSE", "TRUE", "TRUE"] + [box] * (len(plan.ids) - 8)
    content = pd.DataFrame({"item_id": plan.ids, "label": labels}).to_csv(index=False).encode()
    said = repr(neyman.labelled(plan, content, "M", "right-wrong"))
    assert ("The last 16 verdicts of the list are all “wrong”, 2 of the 8 above them" in said) == remarked


def test_a_slip_of_a_right_answer_is_offered_and_read() -> None:
    plan = asked(["yes", "no"])
    table = neyman.request(plan, "gold", "M")
    labels = [["yes", "no"][int(item) % 2] for item in table["item_id"]]
    for slip in ("yess", "yse", "eys", "yees", "Yess"):
        filled_in = table.assign(label=[slip if label == "yes" and n < 9 else label for n, label in enumerate(labels)])
        with pytest.raises(LabelError, match=rf"--word={slip.lower()}=yes "):
            neyman.labelled(plan, filled_in, "M", "gold")
        study = neyman.labelled(plan, filled_in, "M", "gold", words={slip: "yes"})
        assert first_line(study).startswith("Accuracy 100.0 % (") and "as yes (" in repr(study)


def test_a_remedy_with_quotes_is_python() -> None:
    said = cells.both_ways({'so "so"': "skip"})
    assert eval(said.removeprefix("words=").split(" in Python")[0]) == {'so "so"': "skip"}


ANSWERS = cases_of("answers")


def asked(answers: list[str], kind: str | None = None, declines: str | None = None) -> Plan:
    """A plan of a pool of 48 items whose target gives these answers in turn."""
    said = [answers[number % len(answers)] for number in range(48)]
    said[-1] = declines or said[-1]
    known = {} if kind is None else {"answer_kind": kind}
    records = [{"id": str(n), "generations": [one], "targets": {"M": {"answer": one}}} for n, one in enumerate(said)]
    return neyman.Design(budget=24).draw(Pool.from_records([{**record, **known} for record in records]), seed=0)


@pytest.mark.parametrize("case", ANSWERS, ids=lambda case: case["name"])
def test_a_right_answer_is_one_of_the_pool_in_any_spelling_or_refused(case: dict[str, Any]) -> None:
    plan = asked(case["answers"], case.get("kind"))
    table = neyman.request(plan, "gold", "M")
    labels = [case["labels"][int(item) % len(case["labels"])] for item in table["item_id"]]
    if "odd" not in case:
        study = neyman.labelled(plan, table.assign(label=labels), "M", "gold")
        assert first_line(study).startswith("Accuracy 100.0 % (")
        return
    labels[3] = case["odd"]
    with pytest.raises(LabelError) as refused:
        neyman.labelled(plan, table.assign(label=labels), "M", "gold")
    assert "1 label is not understood" in str(refused.value) and f"“{case['odd']}”" in str(refused.value)


def gold(plan: Plan, labels: Callable[[int], str]) -> Study:
    table = neyman.request(plan, "gold", "M")
    return neyman.labelled(plan, table.assign(label=[labels(int(item)) for item in table["item_id"]]), "M", "gold")


@pytest.mark.parametrize(
    ("columns", "remedy"),
    [
        (["label: anna"], "If “label: anna” holds the labels, rename it to label."),
        (["Label: Anna", "label:Ben"], "a file for each person, with the columns item_id and label."),
        (["label: 1 = wrong, 0 = right"], "write wrong in a column label where it says “1”, and right where"),
    ],
)
def test_a_column_called_like_that_of_a_criterion_is_named_with_a_remedy(columns: list[str], remedy: str) -> None:
    plan = asked(["Oslo", "Bern"])
    table = neyman.request(plan, "right-wrong", "M")
    labels = ["1", "0"] if "=" in columns[0] else ["right", "wrong"]
    table = table.assign(**{name: [labels[n % 2] for n in range(len(table))] for name in columns})
    for file in (table, table.to_csv(index=False).encode()):
        with pytest.raises(LabelError) as refused:
            neyman.labelled(plan, file, "M", "right-wrong")
        assert remedy in str(refused.value) and "another target" not in str(refused.value)


@pytest.mark.parametrize(
    ("answer", "label"),
    [
        ("[0, {}]", "[0, {})"), ("[0, {}]", "(0, {})"), ("{}", "{}!"), ("o(n^{})", "O(n^{})"), ("{} MW", "{} mW"),
        ("{}", "00{}"), ("f_{}'", "f_{}''"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("kind", [None, "text"])
def test_a_right_answer_with_a_sign_that_means_something_equals_none_without_it_in_silence(
    answer: str, label: str, kind: str | None
) -> None:
    numbers = [str(number) for number in range(2, 26)]
    study = gold(
        asked([answer.format(one) for one in numbers], kind), lambda item: label.format(numbers[item % len(numbers)])
    )
    said = repr(study)
    assert "equal no answer that a model gave" in said or "although other signs stand there" in said


@pytest.mark.parametrize(
    ("answers", "label"),
    [
        ("{}", "= {}"),
        ("{}", "${}"),
        ("{}", "{}km"),
        ("{}", "{} %"),
        ("{} apples", "{}"),
        ("It is {}", "{}"),
        ("2024-01-{}", "{}.1.2024"),
        ("Town {}", "Twon {}"),
        ("$ {}", "{}"),
        ("{}.0 m", "{} m"),
    ],
)
def test_right_answers_that_no_model_gave_are_counted_in_the_first_line(answers: str, label: str) -> None:
    plan = asked([answers.format(number) for number in range(30, 78)])
    study = gold(plan, lambda item: label.format(30 + item))
    assert "24 labels (right answers, 24 given by no model)" in first_line(study)
    said = repr(study)
    assert "24 right answers equal no answer that a model gave: they count as wrong (item “" in said
    assert 'parser="number"' in said and "`answer_kind`" in said and " beside “" in said
    half = gold(plan, lambda item: (label if item % 2 else answers).format(30 + item))
    odd = sum(int(item) % 2 for item in half.labels.ids)
    assert f"24 labels (right answers, {odd} given by no model)" in first_line(half)


@pytest.mark.parametrize(
    ("answers", "labels", "remarked"),
    [
        (["0.5", "0.25", "7", "8"], ["50%", "25%", "7", "8"], True),
        (["0.5", "0.25", "7", "8"], ["50 %", "0.25", "7", "8"], True),
        (["50%", "25%", "7", "8"], ["0.5", "0.25", "7", "8"], True),
        (["50", "25", "10"], ["0.5", "0.25", "0.1"], True),
        (["$0.05", "7"], ["5 cents", "7"], True),
        (["So it is 50%. #### 50%", "7"], ["0.5", "7"], True),
        (["0.5", "0.25"], ["50%", "0.3"], True),
        (["50%", "7%"], ["50", "7"], False),
        (["50%", "7"], ["50.5%", "7"], False),
        (["100", "31", "42", "53"], ["1", "30", "43", "54"], False),
        (["100", "31", "42", "53"], ["10", "30", "43", "54"], False),
    ],
    ids=str,
)
def test_right_answers_a_hundred_times_the_models_are_remarked(
    answers: list[str], labels: list[str], remarked: bool
) -> None:
    study = gold(asked(answers, "number"), lambda item: labels[item % len(labels)])
    assert ("by a factor of 100, as per cent and shares do" in repr(study)) == remarked


@pytest.mark.parametrize(
    ("answers", "labels", "factors"),
    [
        (["557.36", "12.5", "31.4", "42.1", "8"], ["55736", "12.6", "31.5", "42.2", "8"], "100"),
        (["557.3", "12.25", "31.4", "42.1", "8"], ["5573", "1225", "31.5", "42.2", "8"], "10 or 100"),
        (["5573000", "12.25", "31.4"], ["5573", "12.25", "31.4"], "1,000"),
        (["55.7", "12.25", "31.4"], ["-557", "12.25", "31.4"], ""),
    ],
)
def test_right_answers_that_lost_a_point_are_remarked(answers: list[str], labels: list[str], factors: str) -> None:
    said = repr(gold(asked(answers, "number"), lambda item: labels[item % len(labels)]))
    assert (f"by a factor of {factors}, as numbers do that lost a point or a comma" in said) == bool(factors)


@pytest.mark.parametrize(
    ("answers", "labels", "remarked"),
    [
        (["3.14159", "66.6667", "12.34"], ["3.14", "66.67", "12.3"], 24),
        (["3.14159", "2.71828", "7"], ["3.141", "2.718", "7"], 16),
        (["3.14", "0.67", "7"], ["3.14159", "2/3", "7"], 16),
        (["-3.14159", "1/3", "7"], ["-3.14", "0.33", "7"], 16),
        (["3.14159 m", "7"], ["3.14 m", "7"], 12),
        (["3.14159", "7"], ["3.1415", "7"], 12),
        (["12.4", "7"], ["12", "7"], 12),
        (["0.3333", "7"], ["0.3", "7"], 12),
        (["0.312", "3.7", "0.07", "12"], ["0.3", "4", "0.1", "12"], 18),
        (["0.3", "4", "8"], ["0.312", "3.7", "8"], 16),
        (["3", "5", "8", "12"], ["4", "6", "7", "12"], 0),
        (["0.3", "0.25", "0.85", "0.64"], ["0.9", "0.3", "0.2", "0.1"], 0),
        (["3.14159", "7"], ["3.15", "7"], 0),
        (["3.14159", "7"], ["-3.14", "7"], 0),
        (["12.9", "7"], ["12", "7"], 0),
        (["1234", "7"], ["1200", "7"], 12),
        (["55351", "61234", "47712", "8"], ["55400", "6E+04", "4.77e4", "8"], 18),
        (["0.312", "0.458", "0.777", "8"], ["31%", "46%", "78%", "8"], 18),
        (["21", "15", "33", "48", "57"], ["20", "16", "34", "47", "58"], 0),
        (["30", "31"], ["40", "31"], 0),
    ],
    ids=str,
)
def test_right_answers_with_other_digits_than_the_models_are_remarked(
    answers: list[str], labels: list[str], remarked: int
) -> None:
    plan = asked(answers, "number")
    study = gold(plan, lambda item: labels[item % len(labels)])
    there = {answer: label for answer, label in zip(answers, labels, strict=True) if answer != label}
    unlike = sum(answers[int(item) % len(answers)] in there for item in study.labels.ids)
    assert study.labels.values["value"].sum() == 24 - unlike
    said = "but for digits that are rounded or cut off: they count as wrong"
    assert (said in repr(study)) == bool(remarked)
    assert not remarked or f"{unlike} right answers equal the answer of “M” {said}" in repr(study)


@pytest.mark.parametrize(
    ("answers", "labels", "record", "said"),
    [
        (["The answer is B.", "A"], ["B", "A"], {"choices": ["Paris", "Rome"]}, "name the right option and no other"),
        (["**B**", "A"], ["Rome", "Paris"], {"choices": ["Paris", "Rome"]}, "the kind “choice” (`parser` in Python"),
        (["It is Rome.", "A"], ["B", "A"], {"choices": ["Paris", "Rome"]}, "name the right option and no other"),
        (["B", "A"], ["A", "B"], {"choices": ["Paris", "Rome"]}, ""),
        (["Yes, it is.", "no", "yes"], ["yes", "no", "yes"], {}, "say the same yes or no"),
        (["no", "yes"], ["yes", "no"], {}, ""),
        (["51 m", "7"], ["51 km", "7"], {"answer_kind": "number"}, "count as right although their unit differs"),
        (["$51", "7"], ["€51", "7"], {"answer_kind": "number"}, "count as right although their unit differs"),
        (["less than 51", "7"], ["51", "7"], {"answer_kind": "number"}, "although another word or sign stands"),
        (["3 to 51", "7"], ["51", "7"], {"answer_kind": "number"}, "although another word or sign stands"),
        (["51k", "7"], ["51000", "7"], {"answer_kind": "number"}, "a letter or a word for its zeros"),
        (["51000 m", "7"], ["51 km", "7"], {"answer_kind": "number"}, "in another unit, such as “51000 m” beside “51"),
        (["1 kg", "7"], ["1000 g", "7"], {"answer_kind": "number"}, "the right amount in another unit"),
        (["1.25 km", "7"], ["1250 m", "7"], {"answer_kind": "number"}, "the right amount in another unit"),
        (["500 m", "7"], ["51 km", "7"], {"answer_kind": "number"}, ""),
        (["51 km", "7"], ["51", "7"], {"answer_kind": "number"}, ""),
        (["51", "7"], ["51 km", "8"], {"answer_kind": "number"}, ""),
    ],
    ids=str,
)
def test_right_answers_of_people_get_the_remarks_of_those_of_the_pool(
    answers: list[str], labels: list[str], record: dict[str, Any], said: str
) -> None:
    texts = [answers[number % len(answers)] for number in range(48)]
    rows = [{"id": str(n), "generations": [one], "targets": {"M": {"text": one}}} for n, one in enumerate(texts)]
    plan = neyman.Design(budget=24).draw(Pool.from_records([{**row, **record} for row in rows]), seed=0)
    remarks = gold(plan, lambda item: labels[item % len(labels)]).labels.to_check
    assert any(said in remark for remark in remarks) if said else not remarks


@pytest.mark.parametrize(
    ("answer", "label", "lost"),
    [
        ("12345678901234567", "1.23457E+16", True),
        ("12345678901234567", "1.23E+16", True),
        ("12345678901234567", "12345678901234500", True),
        ("12345678901234567", "1.2345678901234568e+16", True),
        ("-12345678901234567", "-12345678901234500", True),
        ("12345678901234567", "12345678901334567", False),
        ("12345678901234567", "1.23467E+16", False),
        ("1234567", "1.2e6", False),
        ("1234567", "1200000", False),
    ],
)
def test_long_right_answers_that_a_spreadsheet_shortened_are_remarked(answer: str, label: str, lost: bool) -> None:
    answers, labels = [answer, "7", "8", "9"], [label, "7", "8", "9"]
    study = gold(asked(answers, "number"), lambda item: labels[item % len(labels)])
    few = sum(int(item) % 4 == 0 for item in study.labels.ids)
    assert study.labels.values["value"].sum() == 24 - few
    said = f"{few} right answers equal the answer of “M” in the digits that a spreadsheet keeps of long numbers"
    assert (said in repr(study)) == lost


@pytest.mark.parametrize("kind", ["number", None])
@pytest.mark.parametrize(
    ("answer", "label", "same"),
    [
        ("0.3", "0.30000000000000004", True),
        ("0.30000000000000004", "0.3", True),
        ("9.999999999999986", "10", True),
        ("-0.1", "-0.09999999999999964", True),
        ("1/3", "0.3333333333333333", True),
        ("0.3333333333", "1/3", True),
        ("0.333333", "1/3", False),
        ("12345678901", "12345678902", False),
        ("12345678.90", "12345678.91", False),
        ("0.3", "-0.30000000000000004", False),
        ("0.3", "0.30000000001", False),
    ],
)
def test_digits_that_programs_lose_make_no_answer_wrong(answer: str, label: str, same: bool, kind: str | None) -> None:
    # Other items have the label as their answer.
    plan = asked([answer, label, "5.5"], kind)
    study = gold(plan, lambda item: "5.5" if item % 3 == 2 else label)
    values = study.labels.values.set_index("item_id")["value"]
    assert all(values[item] == (same or int(item) % 3 > 0) for item in values.index)


SCALE = neyman.Interval(bounded=False)


@pytest.mark.parametrize(
    ("odd", "words", "value"),
    [
        ("good", {}, None),
        ("good", {"good": "right"}, None),
        ("5", {"5": "right"}, None),
        ("bad", {"bad": "wrong"}, None),
        ("right", {}, None),
        ("80%", {}, None),
        ("", {"": "right"}, None),
        ("good", {"good": "5"}, 5.0),
        ("right", {"right": "1"}, 1.0),
        ("80%", {"80%": "4,5"}, 4.5),
        ("4.5", {}, 4.5),
    ],
)
def test_a_word_among_grades_without_bounds_means_a_number(
    odd: str, words: dict[str, str], value: float | None, pool: Pool
) -> None:
    plan = plan_of(pool, "cli")
    table = neyman.request(plan, "score", "M")
    table["label"] = [odd if place == 3 else "34"[place % 2] for place in range(len(table))]
    if value is None:
        with pytest.raises(LabelError, match=r"1 label is not understood: .*Say which score each means") as refused:
            neyman.labelled(plan, table, "M", "score", words=words, interval=SCALE)
        assert "right, wrong or skip" not in str(refused.value) and "Grades" not in str(refused.value)
        return
    study = neyman.labelled(plan, table, "M", "score", words=words, interval=SCALE)
    labels = study.labels.values.set_index("item_id")["value"]
    assert labels[str(table["item_id"][3])] == value
    skipped = neyman.labelled(plan, table, "M", "score", words={odd: "skip"}, interval=SCALE)
    assert len(skipped.labels.without_verdict) == 1


def test_per_cent_alone_are_scores_without_bounds(pool: Pool) -> None:
    plan = plan_of(pool, "cli")
    table = neyman.request(plan, "score", "M")
    table["label"] = ["80%" if place % 2 else "120%" for place in range(len(table))]
    study = neyman.labelled(plan, table, "M", "score", interval=SCALE)
    assert set(study.labels.values["value"]) == {0.8, 1.2}


# Options, labels for them in turn, and the options that are meant; None: it is not understood.
OPTIONS = [
    (["1.5", "2.5"], ["1,5", "2,5"], "AB"),
    (["1,5", "2,5"], ["1.5", "2.50"], "AB"),
    (["$1,000", "$2,000"], ["1000", "2000.0"], "AB"),
    (["1000", "2000"], ["$1,000", "2,000"], "AB"),
    (["50%", "20%"], ["50", "20.0"], "AB"),
    (["0.5", "0.2"], ["50%", "20 %"], "AB"),
    (["50%", "20%"], ["50%", "0.2"], None),
    (["1.250", "3"], ["1,250", "3"], "AB"),
    (["yes", "no"], ["y", "nope"], "AB"),
    (["True", "False"], ["T", "f"], "AB"),
    (["one", "two"], ["Option A", "Answer: b"], "AB"),
    (["one", "two"], ["Ａ", "[B]"], "AB"),
    (["one", "two"], ["“A”", "选项B"], "AB"),
    (["Option B", "Option A"], ["Option B", "Option A"], "AB"),
    (["one", "two"], ["A", "Option C"], None),
    (["one", "two"], ["A", "B?"], None),
    (["1", "1000"], ["1", "1,000"], None),
    (["0.5", "50"], ["50", "50%"], None),
    (["1.25", "1250"], ["1.25", "1,250"], None),
    (["5 km", "5 miles"], ["5 km", "5"], None),
    (["5 km", "7 km"], ["5 km", "7 miles"], None),
    (["yes", "maybe"], ["yes", "n"], None),
]


@pytest.mark.parametrize(("options", "labels", "meant"), OPTIONS, ids=str)
def test_an_option_is_the_only_one_with_the_value_of_a_label(
    options: list[str], labels: list[str], meant: str | None
) -> None:
    records = [
        {"id": str(n), "answer_kind": "choice", "choices": options, "generations": ["A"]}
        | {"targets": {"M": {"answer": "AB"[n % 2]}}}
        for n in range(48)
    ]
    plan = neyman.Design(budget=24).draw(Pool.from_records(records), seed=0)
    table = neyman.request(plan, "gold", "M")
    table["label"] = [labels[int(item) % 2] for item in table["item_id"]]
    if meant is None:
        with pytest.raises(LabelError, match=f"not understood: “{re.escape(labels[1])}”"):
            neyman.labelled(plan, table, "M", "gold")
    else:
        assert first_line(neyman.labelled(plan, table, "M", "gold")).startswith("Accuracy 100.0 % (")


def of_options(*options: str) -> Plan:
    """A plan of a pool whose items all have these options, of which the target chooses the first."""
    records = [
        {
            "id": str(n),
            "answer_kind": "choice",
            "choices": list(options),
            "generations": ["A"],
            "targets": {"M": {"answer": "A"}, "N": {"answer": "AB"[n % 2]}},
        }
        for n in range(48)
    ]
    return neyman.Design(budget=24).draw(Pool.from_records(records), seed=0)


@pytest.mark.parametrize(
    "word", ["None of the above", "none of these.", "no option is right", "Neither", "none", "KEINE", "以上都不是"]
)
def test_no_option_is_a_right_answer_that_no_target_gives(word: str) -> None:
    plan = of_options("x", "z")
    study = gold(plan, lambda item: word if item % 2 else "A")
    odd = sum(int(item) % 2 for item in plan.ids)
    assert f"Accuracy {100 * (1 - odd / 24):.1f} % (" in first_line(study) and "24 labels" in first_line(study)
    assert f"{odd} right answers say that no option is right: every answer to these items counts as wrong" in repr(
        study
    )
    assert study.labels.values_of("N").sum() == 24 - odd and NO_OPTION not in study.labels.positives
    table = neyman.request(plan, "gold", "M")
    two = pd.concat([table.assign(label=label, annotator=label) for label in (word, "none of the options")])
    assert not neyman.labelled(plan, two, "M", "gold").labels.ties


@pytest.mark.parametrize(
    ("options", "word", "says"),
    [
        (("x", "None of the above"), "none of these", "--word=none of these=None of the above"),
        (("x", "neither of them"), "none of the above", "--word=none of the above=neither of them"),
        (("x", "z"), "no option seems right", "write “none of the options” where the item has options"),
        (("x", "z"), "not there", "write “none of the options” where the item has options"),
    ],
)
def test_what_may_say_that_no_option_is_right_is_asked_about(options: tuple[str, ...], word: str, says: str) -> None:
    with pytest.raises(LabelError, match="not understood") as refused:
        gold(of_options(*options), lambda item: word if item % 2 else "A")
    assert says in str(refused.value)


def test_an_option_that_says_that_none_is_right_is_that_option() -> None:
    study = gold(of_options("None", "all of them"), lambda item: "none")
    assert first_line(study).startswith("Accuracy 100.0 % (") and "no option is right" not in repr(study)


@pytest.mark.parametrize("sign", ['"', "〃", "do.", "Ditto", '-"-', "as above", "#REF!", "#div/0!"])
def test_ditto_marks_and_errors_are_no_right_answers(sign: str) -> None:
    towns = [f"Town {number}" for number in range(48)]
    plan = asked(towns)
    with pytest.raises(
        LabelError, match=r"not understood.*Write the answer itself in place of a ditto mark"
    ) as refused:
        gold(plan, lambda item: sign if item % 4 == 1 else towns[item])
    assert f"“{sign}” (rows " in str(refused.value) and "A new right answer" not in str(refused.value)
    # One alone may be an answer, and so is what a model says.
    first = int(plan.ids[0])
    if not sign.startswith("#"):
        assert "24 labels" in first_line(gold(plan, lambda item: sign if item == first else towns[item]))
    assert "24 labels" in first_line(gold(asked([sign, *towns[1:]]), lambda item: [sign, *towns[1:]][item]))
    given = gold(asked([sign, *towns[:3]]), lambda item: [sign, *towns[:3]][item % 4])
    assert first_line(given).startswith("Accuracy 100.0 % (")


def test_ids_with_other_blanks_at_their_ends_are_those_of_the_pool() -> None:
    for of_pool, of_list in (("q{}", " q{}"), ("q{}", "q{}\t"), (" q{}", "q{}"), ("q{} ", " q{}")):
        records = [{"id": of_pool.format(n), "generations": ["a"], "targets": {"M": {"answer": "a"}}} for n in range(9)]
        plan = neyman.Design(budget=9).draw(Pool.from_records(records), seed=0)
        table = pd.DataFrame({"item_id": [of_list.format(n) for n in range(9)], "label": "right"})
        assert "9 labels (right or wrong)" in first_line(neyman.labelled(plan, table, "M", "right-wrong"))


def test_a_majority_over_others_is_said(pool: Pool) -> None:
    plan = plan_of(pool, "cli")
    study = neyman.labelled(plan, of_people(pool, "annotator", ("yes", "yes", "no")), "M")
    assert "People disagree on 24 items of which the most frequent label counts (" in repr(study)
    agreed = neyman.labelled(plan, of_people(pool, "annotator", ("yes", "yes", "yes")), "M")
    assert "People disagree" not in repr(agreed)


def test_right_answers_that_some_model_has_are_not_counted_and_those_of_the_pool_alone_are() -> None:
    names = [f"Town {number}" for number in range(48)]
    records = [
        {
            "id": str(n),
            "answer": names[n] if n % 3 == 0 else f"Village {n}",
            "generations": [names[n]],
            "targets": {"M": {"answer": f"City {n}"}, "N": {"answer": names[n] if n % 3 else "?"}},
        }
        for n in range(48)
    ]
    plan = neyman.Design(budget=24).draw(Pool.from_records(records), seed=0)
    own = sum(int(item) % 3 == 0 for item in plan.ids)
    study = gold(plan, lambda item: names[item])
    assert first_line(study).endswith(f"24 labels (right answers, {own} given by no model)")


@pytest.mark.parametrize(
    "labels", ["yn", "YN", "rw", "10", "12345", "0123456789", ["1.0", "0.0"], ["10", "7", "3"]], ids=str
)
def test_verdicts_and_grades_are_no_right_answers_though_their_kind_is_given(labels: list[str]) -> None:
    for answers in ([str(number) for number in range(30, 78)], [f"the town {number}" for number in range(48)]):
        with pytest.raises(LabelError, match=r"look like (verdicts|grades).*--kind right-wrong"):
            gold(asked(answers), lambda item: labels[item % len(labels)])


@pytest.mark.parametrize("shift", [0, 1])
def test_small_numbers_are_right_answers_where_models_give_such(shift: int) -> None:
    plan = asked([str(number * 7 % 6) for number in range(48)])
    assert "24 labels (right answers" in first_line(gold(plan, lambda item: str((item * 7 + shift) % 6)))


@pytest.mark.parametrize("word", ["?", "n/a", "unsure", "skip", "none", "-"])
def test_a_model_that_declines_makes_no_right_answer(word: str) -> None:
    plan = asked([f"answer {number}" for number in range(24)], declines=word)
    table = neyman.request(plan, "gold", "M")
    labels = [f"answer {int(item) % 24}" for item in table["item_id"]]
    labels[3] = word
    study = neyman.labelled(plan, table.assign(label=labels), "M", "gold")
    assert study.labels.without_verdict == (table["item_id"][3],)


@pytest.mark.parametrize(
    ("answers", "labels"),
    [
        (["yes", "no"], ["y", "n"]),
        (["yes", "no"], ["true", "false"]),
        (["yes", "no"], ["1", "0"]),
        ([str(number) for number in range(1, 25)], ["1", "2", "3", "4", "5"]),
    ],
)
def test_labels_that_may_be_of_two_kinds_are_asked_about(answers: list[str], labels: list[str]) -> None:
    plan = asked(answers)
    table = neyman.request(plan, "gold", "M").assign(label=[labels[place % len(labels)] for place in range(24)])
    with pytest.raises(LabelError, match="--kind gold"):
        neyman.labelled(plan, table, "M")


def of_people(pool: Pool, by: str, three: tuple[str, str, str]) -> pd.DataFrame:
    """Three people's labels of each item of the list, with the column ``by``."""
    ids = [str(item) for item in plan_of(pool, "cli").ids]
    rows = [(item, label, who) for item in ids for who, label in zip("abc", three, strict=True)]
    return pd.DataFrame(rows, columns=["item_id", "label", by])


@pytest.mark.parametrize(
    ("three", "kind", "value"), [(("1", "1", "0.4"), "score", 80.0), (("yes", "yes", "no"), None, 100.0)]
)
@pytest.mark.parametrize("by", ["annotator", "rater", "user", "annotator_id", "Annotator Name", "Rater-ID", "person"])
def test_each_person_has_a_vote_whatever_names_them(
    by: str, three: tuple[str, str, str], kind: str | None, value: float, pool: Pool
) -> None:
    rows, plan = of_people(pool, by, three), plan_of(pool, "cli")
    files = [part[["item_id", "label"]].to_csv(index=False).encode() for _, part in rows.groupby(by)]
    for source in (rows, rows.to_csv(index=False).encode(), rows.to_json(orient="records", lines=True).encode(), files):
        study = neyman.labelled(plan, source, "M", kind)
        assert f" {value} % (" in first_line(study)
        assert by == "annotator" or source is files or f"“{by.lower()}” is read as the annotator" in repr(study)
        assert source is not files or "each counts as the labels of another person" in repr(study)


def test_equal_labels_that_nobody_signed_are_remarked(pool: Pool) -> None:
    plan = plan_of(pool, "cli")
    rows = of_people(pool, "shift", ("1", "1", "0.4"))
    assert "equal labels of an item count once" in repr(neyman.labelled(plan, rows, "M", "score"))
    signed = rows.assign(annotator=rows["shift"].map({"a": "Ann ", "b": "ann", "c": " Ann"}))
    study = neyman.labelled(plan, signed, "M", "score")
    assert " 85.0 % (" in first_line(study) and "“Ann” and “ann” count as several people" in repr(study)
    files = [part.to_csv(index=False).encode() for _, part in signed.groupby(signed["annotator"].str.strip())]
    assert "“Ann” and “ann” count as several people" in repr(neyman.labelled(plan, files, "M", "score"))


@pytest.mark.parametrize(
    ("rows", "kind", "says"),
    [
        ([("other-1", "blue"), ("other-2", "red")], "gold", "another pool"),
        ([(ODD, "blue", "p000000000000")], "gold", "belong to plan"),
        (
            [("item-069", "skip"), ("item-070", "n/a")],
            "gold",
            "has a right answer yet: 2 labels are no verdict ",
        ),
        ([("item-069", "skip"), ("item-070", "?")], "right-wrong", r"a label of “M” yet: 2 .*“skip” and “\?”"),
        (
            [("item-069", "skip"), ("item-070", "")],
            "score",
            r"of “M” yet: 1 label is no verdict \(“skip”\). Fill",
        ),
    ],
    ids=str,
)
def test_a_list_without_a_label_that_counts_is_refused(
    rows: list[tuple[str, ...]], kind: str, says: str, pool: Pool
) -> None:
    table = pd.DataFrame(rows, columns=["item_id", "label", "plan_id"][: len(rows[0])])
    with pytest.raises(LabelError, match=says):
        neyman.labelled(plan_of(pool, "cli"), table, "M", kind)


@pytest.mark.parametrize("twice", ["label", "item_id", "extra"])
def test_a_table_with_a_column_twice_is_refused(twice: str, pool: Pool) -> None:
    table = pd.DataFrame([[ODD, "right", "a", "b"]], columns=["item_id", "label", twice, twice])
    with pytest.raises(LabelError, match=f"several columns “{twice}”: keep one of each"):
        neyman.labelled(plan_of(pool, "cli"), table, "M")


@pytest.mark.parametrize(
    ("right", "wrong", "words", "remarked"),
    [
        ("W", "F", {"F": "wrong"}, True),
        ("W", "F", {"F": "right"}, False),
        ("richtig", "yes", {"richtig": "right"}, True),
        ("richtig", "richtig", {"richtig": "right"}, False),
        ("right", "yes", {}, False),
    ],
)
def test_words_that_make_every_verdict_the_same_are_remarked(
    right: str, wrong: str, words: dict[str, str], remarked: bool, pool: Pool
) -> None:
    said = repr(neyman.labelled(plan_of(pool, "cli"), filled({"right": right, "wrong": wrong}), "M", words=words))
    assert ("Every verdict is" in said) == remarked


@pytest.mark.parametrize(("strata", "shows"), [(1, "Accuracy"), (9, "No estimate yet")])
def test_what_is_printed_beside_an_empty_stratum_is_what_the_error_says(strata: int, shows: str, pool: Pool) -> None:
    plan = plan_of(pool, "cli")
    table = neyman.request(plan, "right-wrong", "M").assign(label="right")
    table.loc[plan.stratum[plan.positions] < strata, "label"] = ""
    study = neyman.labelled(plan, table, "M", "right-wrong")
    printed = study.outcomes.provisional
    assert first_line(study).startswith(shows) and repr(study).startswith(printed)
    with pytest.raises(DesignError) as refused:
        study.estimate()
    assert printed in str(refused.value) and bool(printed) == (strata == 1)


@pytest.mark.parametrize("number", ["float16", "float32", "float64"])
def test_a_number_of_a_table_has_the_digits_that_it_was_written_with(number: str, pool: Pool) -> None:
    ids = [str(item) for item in plan_of(pool, "cli").ids]
    table = pd.DataFrame({"item_id": ids, "label": pd.Series([0.1] * len(ids), dtype=number)})
    rows = neyman.labelled(plan_of(pool, "cli"), table, "M", "score").labels.rows
    assert set(rows["label"]) == {"0.1"}
    table["label"] = 0.1 + 0.2
    assert set(neyman.labelled(plan_of(pool, "cli"), table, "M", "score").labels.rows["label"]) == {"0.3"}


@pytest.mark.parametrize(
    ("options", "labels"),
    [
        (["no", "yes"], ["No", "Yes"]),
        (["no", "yes"], ["NO.", "Yes."]),
        (["no", "yes"], ["n", "y"]),
        (["yes", "no", "maybe"], ["Yes", "No"]),
        (["yes", "no", "maybe"], ["1", "0"]),
        (["True", "False"], [True, False]),
        (["True", "False"], ["TRUE", "FALSE"]),
        (["1", "0"], ["1.0", "0.0"]),
    ],
)
def test_labels_that_may_be_options_are_asked_about(options: list[str], labels: list[object]) -> None:
    records = [
        {"id": str(n), "answer_kind": "choice", "choices": options, "generations": ["A"]}
        | {"targets": {"M": {"answer": "AB"[n % 2]}}}
        for n in range(48)
    ]
    plan = neyman.Design(budget=24).draw(Pool.from_records(records), seed=0)
    table = neyman.request(plan, "gold", "M")
    table["label"] = [labels[int(item) % 2] for item in table["item_id"]]
    with pytest.raises(LabelError, match="--kind gold"):
        neyman.labelled(plan, table, "M")
    spelled = {option.casefold() for option in options} | {"1.0", "0.0"}
    if all(str(label).casefold().rstrip(".") in spelled for label in labels):
        assert first_line(neyman.labelled(plan, table, "M", "gold")).startswith("Accuracy 100.0 % (")


@pytest.mark.parametrize(
    ("right", "wrong", "words", "refused"),
    [
        ("2", "1", {"2": "right"}, "“1”"),
        ("1", "2", {"2": "wrong"}, "“1”"),
        ("0", "-1", {"-1": "wrong"}, "“0”"),
        ("2", "1", {"2": "right", "1": "wrong"}, ""),
        ("1", "0", {"9": "skip"}, ""),
        ("1", "0", {"0.5": "right"}, ""),
    ],
)
def test_other_numbers_with_a_meaning_leave_0_and_1_without(
    right: str, wrong: str, words: dict[str, str], refused: str, pool: Pool
) -> None:
    said = by_python(pool, {"right": right, "wrong": wrong, "words": words})
    assert (f"not understood: {refused}" in said) if refused else "Accuracy 69.4 % (" in said


@pytest.mark.parametrize(
    "words",
    [{"yes": "skip"}, {"no": "wrong"}, {"Yes": "right"}, {"": "yes"}, {"": "wrong"}, {"no": "skip", "maybe": "skip"}],
    ids=str,
)
def test_words_without_effect_on_right_answers_are_refused(words: dict[str, str]) -> None:
    plan = asked(["yes it is", "no it is not"])
    table = neyman.request(plan, "gold", "M")
    right = {"yes": "yes it is", "no": "no it is not"}
    table["label"] = [list(right.values())[int(item) % 2] for item in table["item_id"]]
    table.loc[2, "label"] = ""
    said = {right.get(word.lower(), word): right.get(meaning, meaning) for word, meaning in words.items()}
    with pytest.raises(LabelError, match=r"has no effect: .*--kind right-wrong"):
        neyman.labelled(plan, table, "M", "gold", words=said)
    assert "Accuracy 100.0 % (" in first_line(neyman.labelled(plan, table, "M", "gold", words={"maybe": "skip"}))


def test_a_new_right_answer_is_read_once_a_person_says_so() -> None:
    plan = asked(["Paris", "Rome"])
    table = neyman.request(plan, "gold", "M")
    table["label"] = [["Paris", "Rome"][int(item) % 2] for item in table["item_id"]]
    table.loc[2, "label"] = "Madrid"
    with pytest.raises(LabelError, match="--word=madrid=Madrid"):
        neyman.labelled(plan, table, "M", "gold")
    study = neyman.labelled(plan, table, "M", "gold", words={"madrid": "Madrid"})
    assert "24 labels (right answers, 1 given by no model)" in first_line(study)
    with pytest.raises(LabelError, match="“Madrd”"):
        neyman.labelled(plan, table, "M", "gold", words={"madrid": "Madrd"})
