"""Inputs of kinds that were once read wrongly, in every form of file, and the cases of public reports."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from core.commands import main
from core.pool import Pool
from core.readers import Shape, read, read_mapped, read_or_shape
from tests.conftest import ROOT
from tests.core.readers.corpus import BARE, FAMILIES, FOREIGN, FORMS, NATIVE_FORMS, RAW, SIZE, Case, Row

CASES = [
    pytest.param(case, form, id=f"{family}: {name}, {form}")
    for family, cases in FAMILIES.items()
    for name, case in cases.items()
    for form in FORMS
]
FILES = ROOT / "tests" / "cases"


@pytest.mark.parametrize(("case", "form"), CASES)
def test_fields_are_what_they_are_in_every_form(case: Case, form: str) -> None:
    content = FORMS[form]([case.row(n) for n in range(SIZE)])
    shape = Shape.of(content, "m")
    targets = [*shape.guess.targets.values()]
    found = {**shape.guess.fields, **(targets[0] if len(targets) == 1 else {})}
    asked = [one.path for doubt in shape.doubts for one in doubt.candidates]
    assert (found, asked) == (case.fields, [case.asked] if case.asked else [])
    if case.share is not None:
        (target,) = read_mapped(content, shape.guess, "m").targets.values()
        assert target.accuracy() == pytest.approx(case.share)


def _pool(path: Path) -> Pool:
    found = read_or_shape(path)
    return read_mapped(path, found.guess) if isinstance(found, Shape) else found


@pytest.mark.parametrize(
    ("file", "first", "target", "share", "known"),
    [
        ("history_in_one_row.json", "RS-0000", "bot-v1", math.nan, 0),
        ("chat_history_column.jsonl", "c0", "chat_history_column", 0.65, 20),
        ("evalscope_old/reviews/Qwen2.5/gsm8k_main.jsonl", "0", "Qwen2.5", 0.65, 20),
        ("phoenix_evals.csv", "f3b17af01be7f3cf", "phoenix_evals", 2 / 3, 15),
        ("native_no_kind.jsonl", "q0", "m", 1.0, 20),
    ],
)
def test_cases_of_public_reports_have_their_values(
    file: str, first: str, target: str, share: float, known: int, tmp_path: Path
) -> None:
    written = tmp_path / "pool.parquet"
    assert main(["pool", "map", str(FILES / file), "--out", str(written)]) == 0
    for pool in (_pool(FILES / file), read(written)):
        only = pool.targets[target]
        assert (pool.ids[0], [*pool.targets], only.known()) == (first, [target], known)
        assert only.accuracy() == pytest.approx(share, nan_ok=True)


@pytest.mark.parametrize("form", NATIVE_FORMS)
@pytest.mark.parametrize("row", RAW.values(), ids=RAW)
def test_raw_outputs_of_native_pools_are_read_by_the_kind_of_their_answers(row: Row, form: str) -> None:
    pool = read(NATIVE_FORMS[form]([row(n) for n in range(SIZE)]))
    assert pool.targets["m"].accuracy() == pytest.approx(0.65) and pool.targets["m"].known() == SIZE
    # The first sample says the right answer, the second one another.
    assert [label == pool.classes()[n, 0] for n, label in enumerate(pool.target_classes("m"))].count(True) == 13
    assert not any("Hardly any" in note for note in pool.notes)


@pytest.mark.parametrize("form", NATIVE_FORMS)
@pytest.mark.parametrize("row", BARE.values(), ids=BARE)
def test_bare_answers_of_native_pools_are_compared_as_before(row: Row, form: str) -> None:
    pool = read(NATIVE_FORMS[form]([row(n) for n in range(SIZE)]))
    assert "answer_kind" not in pool.items and pool.targets["m"].accuracy() == pytest.approx(0.65) and not pool.notes


def test_a_pool_in_which_hardly_any_output_is_an_answer_says_so() -> None:
    rows = [RAW["texts in sentences"](n) | {"answer_kind": "as-is"} for n in range(SIZE)]
    pool = read(NATIVE_FORMS["CSV"](rows))
    assert (
        pool.targets["m"].accuracy() == 0 and "Hardly any output is one of the right answers (none of" in pool.notes[0]
    )


@pytest.mark.parametrize("form", NATIVE_FORMS)
@pytest.mark.parametrize(("question", "gold"), FOREIGN)
def test_questions_and_right_answers_beside_generations_have_any_name(question: str, gold: str, form: str) -> None:
    names = {"prompt": question, "answer": gold}
    rows = [
        {names.get(name, name): value for name, value in RAW["numbers in sentences"](n).items()} for n in range(SIZE)
    ]
    pool = read(NATIVE_FORMS[form](rows))
    assert pool.items["prompt"].tolist() == [row[question] for row in rows]
    assert pool.items["answer"].tolist() == [row[gold] for row in rows]
    assert pool.targets["m"].accuracy() == pytest.approx(0.65)
    assert any(
        f"“{question}” is read as the prompt and “{gold}” is read as the right answer" in one for one in pool.notes
    )
