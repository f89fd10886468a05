"""Tables of outputs with a judge's verdicts: what is kept of them, whichever way they are opened."""

from __future__ import annotations

from pathlib import Path

import pytest

import core as neyman
from core.judge import judges, named_judge, read_with_judge, request, verdicts
from core.pool import Pool
from core.readers import Shape, read_mapped, read_or_shape

TABLE = "id,question,output,{judge},reason\n" + "".join(
    f"{n},What is {n}?,It is {n}.,{{{'yes' if n % 3 else 'no'}}},because {n}\n" for n in range(60)
)


def table(path: Path, judge: str, yes: str, no: str) -> Path:
    path.write_text(TABLE.format(judge=judge, yes=yes, no=no), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("judge", "yes", "no"),
    [
        ("judge", "pass", "fail"),
        ("verdict", "1", "0"),
        ("gpt-4-judge", "gut", "schlecht"),
        ("correct", "true", "false"),
        ("answer", "pass", "fail"),
        ("meanings", "pass", "fail"),
    ],
)
def test_a_table_is_opened_with_its_judge_and_its_reasons(tmp_path: Path, judge: str, yes: str, no: str) -> None:
    path = table(tmp_path / "outputs.csv", judge, yes, no)
    pool = read_with_judge(path, judge)
    said = verdicts(pool, judge, words={} if yes != "gut" else {"gut": "pass", "schlecht": "fail"})
    assert (said.n_fail, said.n_pass) == (20, 40)
    assert "reason" in pool.item_columns and "prompt" in pool.item_columns
    (target,) = pool.targets.values()
    assert target.texts is not None and target.texts[0] == "It is 0."


@pytest.mark.parametrize(("judge", "yes", "no"), [("judge", "pass", "fail"), ("gpt-4-judge", "gut", "schlecht")])
def test_the_guess_of_page_pool_keeps_both(tmp_path: Path, judge: str, yes: str, no: str) -> None:
    path = table(tmp_path / "outputs.csv", judge, yes, no)
    shape = read_or_shape(path)
    assert isinstance(shape, Shape)
    pool = read_mapped(path, shape.guess)
    assert {judge, "reason"} <= set(pool.item_columns)
    assert judges(pool)[0] == judge


@pytest.mark.parametrize(
    ("header", "prompt"),
    [
        ("id,question,answer,judge,reason", "question"),
        ("trace_id,user_message,ai_response,llm_judge,critique", "user_message"),
    ],
)
def test_what_a_judge_has_seen_is_the_output_and_its_reason_is_no_question(
    tmp_path: Path, header: str, prompt: str
) -> None:
    path = tmp_path / "outputs.csv"
    rows = "".join(f"{n},What is {n}?,It is {n}.,{n % 2},since {n} is what was asked for\n" for n in range(40))
    path.write_text(f"{header}\n{rows}", encoding="utf-8")
    shape = read_or_shape(path)
    assert isinstance(shape, Shape) and shape.guess.fields["prompt"] == prompt
    (target,) = read_mapped(path, shape.guess).targets.values()
    assert target.texts is not None and target.texts[3] == "It is 3."


def test_other_criteria_beside_a_judge_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "outputs.csv"
    rows = "".join(f"{n},What is {n}?,It is {n}.,{n % 2},{'Pass' if n % 5 else 'fail'}\n" for n in range(40))
    path.write_text("id,question,output,judge,safe\n" + rows, encoding="utf-8")
    shape = read_or_shape(path)
    assert isinstance(shape, Shape)
    pool = read_mapped(path, shape.guess)
    assert verdicts(pool, "safe").n_fail == 8 and named_judge(pool) == "judge"


def test_a_column_of_peoples_verdicts_is_no_judge() -> None:
    rows = [{"id": f"{n}", "prompt": f"{n}?", "expert_verdict": ("pass", "fail")[n % 2]} for n in range(4)]
    assert named_judge(Pool.from_records(rows)) is None and "expert_verdict" in judges(Pool.from_records(rows))


def test_a_table_that_is_read_as_it_is_has_a_list_all_the_same(tmp_path: Path) -> None:
    pool = neyman.read(table(tmp_path / "outputs.csv", "judge", "pass", "fail"))
    shown = request(neyman.judge(pool, "judge", 20, seed=0))
    assert shown["prompt"].str.startswith("What is").all() and shown["target_answer"].str.startswith("It is").all()
