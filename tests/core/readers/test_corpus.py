"""Inputs of kinds that were once read wrongly, in every form of file, and the cases of public reports."""

from __future__ import annotations

import json
import math
import shlex
from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from core.commands import main
from core.errors import PoolError
from core.pool import Pool
from core.readers import FieldMap, Paths, Shape, read, read_mapped, read_or_shape
from tests.conftest import ROOT
from tests.core.readers.corpus import (
    BARE,
    FAMILIES,
    FOREIGN,
    FORMS,
    GOLD,
    IN_ONE_TEXT,
    NATIVE_FORMS,
    NEGATIVE,
    RAW,
    RIGHT,
    SAID,
    SIZE,
    WHOLE,
    Case,
    Row,
    Whole,
    in_lines,
)
from tests.core.wording import Saying

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
    # A list of a table stands in its cell as text, which is entered.
    found = {name: path.removesuffix("[]") if isinstance(path, str) else path for name, path in found.items()}
    asked = [one.path for doubt in shape.doubts for one in doubt.candidates]
    in_doubt = (case.asked,) if isinstance(case.asked, str) else case.asked
    assert (found, asked) == (case.fields, [*filter(None, in_doubt)])
    if case.share is not None:
        (target,) = read_mapped(content, shape.guess, "m").targets.values()
        assert target.accuracy() == pytest.approx(case.share)


@pytest.mark.parametrize(
    "case",
    [pytest.param(one, id=f"{family}: {name}") for family, cases in WHOLE.items() for name, one in cases.items()],
)
def test_whole_files_are_read_as_a_whole_or_refused(case: Whole) -> None:
    written = case.value if isinstance(case.value, str) else json.dumps(case.value)
    for content in (written.encode(), *([in_lines(case.value)] if isinstance(case.value, list) else [])):
        if not case.items:
            with pytest.raises(PoolError) as refused:
                found = read_or_shape(content, "m")
                assert isinstance(found, Shape)
                read_mapped(content, found.guess, "m")
            assert str(refused.value).replace("\xa0", " ") == Saying(*case.said)
            continue
        found = read_or_shape(content, "m")
        assert isinstance(found, Pool) or not found.doubts
        pool = found if isinstance(found, Pool) else read_mapped(content, found.guess, "m")
        assert pool.account is not None
        shares = {name: one.accuracy() if one.known() else None for name, one in pool.targets.items()}
        assert (pool.n_items, shares) == (case.items, pytest.approx(case.shares))
        assert " ".join([*pool.notes, *pool.account.lines]).replace("\xa0", " ") == Saying(*case.said)


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


@pytest.mark.parametrize(
    ("gold", "said"),
    [
        (lambda n: datetime(2026, 1, 1 + n), lambda n: f"2026-01-{1 + n:02}"),
        (lambda n: datetime(2026, 1, 1 + n, 3), lambda n: f"2026-01-{1 + n:02} 03:00:00"),
        (lambda n: date(2026, 1, 1 + n), lambda n: f"2026-01-{1 + n:02}"),
        (lambda n: Decimal(f"{n}.50"), lambda n: f"{n}.5"),
    ],
    ids=["days", "times", "dates", "decimals"],
)
def test_values_of_parquet_that_json_has_not_are_read_as_texts_and_numbers(
    gold: Callable[[int], object], said: Callable[[int], str]
) -> None:
    rows = [{"id": n, "question": f"{n}?", "expected": gold(n), "output": said(n if RIGHT[n] else n + 1)}
            for n in range(SIZE)]  # fmt: skip
    content = FORMS["Parquet"](rows)
    assert read_mapped(content, Shape.of(content, "m").guess, "m").targets["m"].accuracy() == pytest.approx(0.65)


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


def test_each_target_of_which_hardly_any_output_is_an_answer_is_named() -> None:
    rows = [
        {"id": n, "answer": f"city {n}", "targets": {"m": {"answer": f"city {n}"}, "other": {"answer": f"c{n}"}}}
        for n in range(SIZE)
    ]
    warned = [note for note in read(in_lines(rows)).notes if note.startswith("Hardly any output")]
    assert len(warned) == 1 and "of “other” (none of 20)" in warned[0] and "“m”" not in warned[0]


def test_letters_of_one_model_and_texts_of_another_are_compared_with_the_option() -> None:
    options = ["Rome", "Oslo", "Bern", "Kyiv"]
    rows = [
        {
            "id": n,
            "choices": options,
            "answer": options[n % 4],
            "targets": {"words": {"answer": options[n % 4]}, "letters": {"answer": "ABCD"[n % 4]}},
        }
        for n in range(SIZE)
    ]
    pool = read(in_lines(rows))
    assert [pool.targets[name].accuracy() for name in ("words", "letters")] == [1, 1]


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


def _table(*rows: dict[str, object]) -> bytes:
    return FORMS["JSON Lines"](rows)


QUESTIONS = [{"id": f"q{n}", "question": f"What is {n}?", "answer": str(n)} for n in range(SIZE)]


@pytest.mark.parametrize(
    ("fields", "targets", "roles"),
    [
        ({"answer": "answer"}, {"m": {"text": "answer"}}, ("the right answer", "the answer of “m”")),
        ({"answer": "answer"}, {"m": {"answer": "answer"}}, ("the right answer", "the answer of “m”")),
        ({"prompt": "answer", "answer": "answer"}, {}, ("the prompt", "the right answer")),
        ({"prompt": "question"}, {"m": {"text": "question"}}, ("the prompt", "the answer of “m”")),
        ({"answer": "answer", "generations": ("answer", "question")}, {}, ("the right answer", "samples")),
        ({"generations": "answer"}, {"m": {"text": "answer"}}, ("samples", "the answer of “m”")),
        ({"prompt": "question", "generations": "question"}, {}, ("the prompt", "samples")),
        ({"answer": "answer"}, {"m": {"right": "answer"}}, ("the right answer", "a score of “m”")),
        ({"answer": "answer"}, {"m": {"loss": "answer"}}, ("the right answer", "a score of “m”")),
        ({"answer": "answer"}, {"m": {"meaning": "answer"}}, ("the right answer", "the meaning of “m”")),
        ({}, {"a": {"text": "answer"}, "b": {"text": "answer"}}, ("the answer of “a”", "the answer of “b”")),
        ({}, {"a": {"right": "answer"}, "b": {"wrong": "answer"}}, ("a score of “a”", "a score of “b”")),
        ({}, {"a": {"right": "answer", "loss": "answer"}}, ("a score of “a”", "another score of “a”")),
    ],
)
def test_a_column_in_two_roles_is_refused(
    fields: dict[str, Paths], targets: dict[str, dict[str, str]], roles: tuple[str, ...], tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    """Choosing a column twice gave “right on 100 % of all items … no labels are needed”."""
    with pytest.raises(PoolError) as refused:
        read_mapped(_table(*QUESTIONS), FieldMap({"id": "id", **fields}, targets))
    (problem,) = refused.value.problems
    assert problem.message == Saying(*roles)
    file = tmp_path / "file.jsonl"
    file.write_bytes(_table(*QUESTIONS))
    given = [f"--{name}={path if isinstance(path, str) else ','.join(path)}" for name, path in fields.items()]
    given += [f"--target={model}:{name}={path}" for model, one in targets.items() for name, path in one.items()]
    unnamed = [f"--{name}=" for name in ("prompt", "answer") if name not in fields]
    assert main(["pool", "map", str(file), *given, *unnamed]) == 2
    assert capsys.readouterr().err == Saying(*roles)


@pytest.mark.parametrize(
    ("given", "answers", "targets"),
    [
        (["--answer", "answer"], SIZE, []),
        (["--target", "m:text=answer"], 0, ["m"]),
        (["--answer=", "--column", "answer"], 0, []),
    ],
)
def test_the_command_asks_whose_the_answers_are(
    given: list[str], answers: int, targets: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, out = tmp_path / "file.jsonl", tmp_path / "pool.parquet"
    file.write_bytes(_table(*QUESTIONS))
    assert main(["pool", "map", str(file)]) == 2
    printed = capsys.readouterr().err
    assert printed == Saying("“answer” may hold the right answers", "--answer=answer", "--target MODEL:text=answer")
    assert main(["pool", "map", str(file), *given, "--out", str(out)]) == 0
    pool = read(out)
    assert [*pool.targets] == targets
    assert (int(pool.items["answer"].notna().sum()) if answers else 0) == answers


def test_a_native_pool_is_not_asked_whose_its_answers_are() -> None:
    rows = [{"id": row["id"], "prompt": row["question"], "answer": row["answer"]} for row in QUESTIONS]
    pool = read_or_shape(_table(*rows))
    assert isinstance(pool, Pool) and pool.items["answer"].notna().all()


@pytest.mark.parametrize(("meaning", "share", "known"), [("skip", 11 / 16, 16), ("wrong", 11 / 20, 20)])
def test_numbers_below_0_mean_what_somebody_says(
    meaning: str, share: float, known: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Items that nobody had scored were compared with the right answers, and counted as fails."""
    row = NEGATIVE["score, -1"].row
    file, out = tmp_path / "m.jsonl", tmp_path / "pool.parquet"
    file.write_bytes(_table(*(dict(row(n)) for n in range(SIZE))))
    scored = ["pool", "map", str(file), "--target", "m:text=response", "--target", "m:right=score"]
    assert main(["pool", "map", str(file)]) == 2
    assert capsys.readouterr().err == Saying("“score” is below 0 (-1) in 4 of the first 20 rows", "--judge score")
    assert main(scored) == 2
    assert (printed := capsys.readouterr().err).count("the score -1 is not between 0 and 1") == 4
    assert printed == Saying("row 1, score", "--word=-1=skip")
    assert main([*scored, f"--word=-1={meaning}", "--out", str(out)]) == 0
    target = read(out).targets["m"]
    assert (target.accuracy(), target.known()) == (pytest.approx(share), known)


def test_losses_below_0_are_refused_or_named() -> None:
    def pool(*losses: float) -> Pool:
        return read(_table(*({"id": f"q{n}", "targets": {"m": {"loss": loss}}} for n, loss in enumerate(losses))))

    with pytest.raises(PoolError) as refused:
        pool(0, -1, 1, -1)
    assert [problem.row for problem in refused.value.problems] == [2, 4]
    assert any("1 of the losses of “m” is below 0, the first in row 2" in note for note in pool(0.2, -0.4, 3).notes)
    assert not pool(0, 1, 0.5).notes


@pytest.mark.parametrize("form", ["JSON Lines", "JSON", "Parquet"])
def test_keys_of_targets_that_are_not_read_are_named(form: str) -> None:
    rows = [
        {
            "id": f"q{n}",
            "prompt": "?",
            "targets": {"gpt-3.5": {"text": "a", "correct": True, "grade": "A" if n else None}},
        }
        for n in range(3)
    ]
    content = FORMS[form](rows)
    fields = FieldMap({"id": "id"}, {"gpt-3.5": {"right": "targets.gpt-3.5.correct"}})
    assert read_mapped(content, fields).targets["gpt-3.5"].accuracy() == 1
    (note, *_) = read(content).notes
    assert note == Saying("“targets.gpt-3.5.correct” (3 items, from row 1 on)", "“targets.gpt-3.5.grade” (2 items")
    assert note == Saying("--target gpt-3.5:text=targets.gpt-3.5.text --target gpt-3.5:right=targets.gpt-3.5.correct")


@pytest.mark.parametrize("key", ["correct", "right", "score", "grade", "passed"])
def test_what_a_pool_holds_of_a_model_is_never_the_right_answer(key: str, tmp_path: Path) -> None:
    """The remedy read “targets.m.text” as the right answer, and left other columns out."""
    rows = [
        {"id": f"q{n}", "prompt": f"{n}?", "source": "web", "targets": {"my m": {"text": f"t{n}", key: RIGHT[n]}}}
        for n in range(SIZE)
    ]
    file, out = tmp_path / "pool.jsonl", tmp_path / "pool.parquet"
    file.write_bytes(_table(*rows))
    (note,) = [note for note in read(file).notes if "neyman pool map FILE" in note]
    given = shlex.split(note.partition("neyman pool map FILE ")[2])
    assert main(["pool", "map", str(file), *given, "--out", str(out)]) == 0
    pool = read(out)
    assert pool.targets["my m"].accuracy() == pytest.approx(0.65) and pool.targets["my m"].texts is not None
    assert {"prompt", "source"} <= set(pool.items) and "answer" not in pool.items


@pytest.mark.parametrize("most", [100, 20, 5])
def test_scores_on_another_scale_are_refused_once_with_a_remedy(most: int) -> None:
    rows = [{"id": f"q{n}", "output": f"t{n}", "score": most * (n % 2)} for n in range(SIZE)]
    with pytest.raises(PoolError) as refused:
        read_mapped(_table(*rows), FieldMap({"id": "id"}, {"m": {"text": "output", "right": "score"}}))
    assert [(one.row, one.field) for one in refused.value.problems] == [(n + 1, "score") for n in range(1, SIZE, 2)]
    assert all("Divide per cent by 100" in one.remedy for one in refused.value.problems)


@pytest.mark.parametrize(
    "judged",
    [
        {"judge_verdict": "pass", "human_label": "good"},
        {"llm_judge_score": 0.5, "human_label": "3"},
        {"judge": "incorrect", "expert_grade": "B"},
        {"judge_score": 0.1, "reviewer": "yes"},
    ],
)
def test_people_beside_a_judge_are_mentioned(judged: dict[str, object]) -> None:
    judge, people = judged
    others = {"pass": "fail", "good": "bad", "3": "1", "incorrect": "correct", "B": "A", "yes": "no"}
    rows = [
        {"id": f"q{n}", "question": f"{n}?", "output": "x"}
        | {name: others.get(str(one), 0.25) if n % 2 else one for name, one in judged.items()}
        for n in range(SIZE)
    ]
    shape = Shape.of(_table(*rows), "m")
    assert people in shape.guess.columns
    notes = " ".join(read_mapped(_table(*rows), shape.guess).notes)
    assert notes == Saying(f"“{people}” is kept as people’s verdicts, beside “{judge}”")


def test_columns_that_are_not_used_are_named() -> None:
    row = {"id": "q", "question": "?", "output": "x", "v1_pass": True, "v1": "a", "meta": {"a": 1, "b": 2}, "run.at": 3}
    shape = Shape.of(_table(row, row | {"id": "p"}), "m")
    assert shape.not_used(shape.guess) == Saying("Columns not used:", "“v1_pass”", "“v1”", "“meta”", "“run.at”")
    assert shape.not_used(FieldMap({name: name for name in ("id", "prompt")}, columns=("meta.a",))) == Saying(
        "“meta.b”"
    )


def test_columns_whose_parts_are_read_are_used() -> None:
    chat = [{"role": "user", "content": "?"}, {"role": "assistant", "content": "12"}]
    samples = [json.dumps({"reasoning": "r", "answer": "12"})] * 2
    for row, unused in [
        ({"id": "q", "messages": chat, "gold": "12"}, ""),
        ({"id": "q", "question": "?", "gold": "12", "samples": samples}, "Columns not used: “samples[].reasoning”."),
        ({"id": "q", "question": "?", "answer": 1, "choices": '["x", "y"]', "output": "A"}, ""),
    ]:
        shape = Shape.of(_table(*(row | {"id": f"q{n}"} for n in range(SIZE))), "m")
        assert shape.not_used(shape.guess) == unused


def _early(n: int, review: object, **more: object) -> dict[str, object]:
    message = {"role": "assistant", "content": f"The answer is {SAID[n]}"}
    choices = [{"index": 0, "message": message, **({"review": review} if review else {})}]
    asked = {"question": f"What is {n}?", "answer": GOLD[n]}
    return {
        "index": n,
        "model_spec": {"model_id": "M"},
        "answer_id": f"a{n}",
        "raw_input": asked,
        "choices": choices,
        **more,
    }


@pytest.mark.parametrize(
    "result",
    [float, bool, lambda right: {"AverageAccuracy": int(right)}],
    ids=["number", "truth value", "by metric"],
)
def test_early_reviews_of_evalscope_are_read(result: Callable[[bool], object]) -> None:
    rows = [_early(n, {"gold": GOLD[n], "pred": SAID[n], "result": result(RIGHT[n])}) for n in range(SIZE)]
    pool = read(_table(*rows))
    assert pool.targets["M"].accuracy() == pytest.approx(0.65) and pool.items["answer"].tolist() == list(GOLD)
    assert pool.items["prompt"].iloc[1] == "What is 1?" and pool.ids[1] == "1"


def test_early_predictions_of_evalscope_are_read_with_options_and_without_an_output() -> None:
    rows = [_early(n, None, raw_input={"input": f"{n}?", "A": "x", "B": "y", "target": "A"}) for n in range(3)]
    pool = read(_table(*rows, {**rows[0], "index": 3, "choices": []}))
    texts = pool.targets["M"].texts
    assert (
        texts is not None
        and texts[2] == f"The answer is {SAID[2]}"
        and pool.items["prompt"].tolist()[:2] == ["0?", "1?"]
    )
    assert any("ended with an error" in note for note in pool.notes)


def test_a_text_without_options_is_refused_with_its_row() -> None:
    rows = [dict(IN_ONE_TEXT["bars, answer in letters"].row(n)) for n in range(SIZE)]
    fields = Shape.of(_table(*rows), "m").guess
    rows[4]["options"] = "Oslo"
    with pytest.raises(PoolError) as refused:
        read_mapped(_table(*rows), fields)
    assert [(one.row, one.field) for one in refused.value.problems] == [(5, "options")]
    assert refused.value.problems[0].remedy == Saying("as a list", "A) Paris; B) Rome")


@pytest.mark.parametrize(("wrong", "said"), [(1, "right of 7 outputs that differ from the right answer"), (20, "")])
def test_a_success_that_says_nothing_of_the_answer_is_named(wrong: int, said: str) -> None:
    rows = [
        {"id": f"q{n}", "question": f"What is {n}?", "gold": GOLD[n], "output": SAID[n], "success": n != 1}
        for n in range(SIZE)
    ]
    rows = [row | {"success": RIGHT[n]} for n, row in enumerate(rows)] if wrong == SIZE else rows
    notes = " ".join(read_mapped(_table(*rows), Shape.of(_table(*rows), "m").guess).notes)
    assert ("that differ from the right answer" in notes) == bool(said) and said in notes


def test_a_part_of_right_answers_is_not_taken_for_all_of_them() -> None:
    """“age” alone was right everywhere, beside 65 % of right names."""
    rows = [
        {"id": f"q{n}", "text": f"Who is {n}?", "gold": {"name": f"A{n}", "age": n}}
        | {"output": {"age": n, "name": f"A{n}" if RIGHT[n] else "B"}}
        for n in range(SIZE)
    ]
    (doubt,) = Shape.of(_table(*rows), "m").doubts
    assert [one.path for one in doubt.candidates] == ["gold.name", "gold.age"] and not doubt.is_of_answers
    assert doubt.sentence == Saying("“gold” and “output” have the same parts (“name” and “age”)", "--answer gold.name")
    assert Shape.of(_table(*(row | {"correct": 1} for row in rows)), "m").guess.fields["answer"]
