"""Long tables: rows with one id are told apart by model, prompt variant, reviewer or subset."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from core.commands import main
from core.errors import PoolError
from core.pool import Pool
from core.readers import FieldMap, Shape, read, read_mapped, read_or_shape
from tests.conftest import ROOT
from tests.core.readers.guessed import guess, lines, table
from tests.core.wording import Saying

ITEMS = 10
Q = "How many apples are {} apples?".format
A = "There are {} apples, I think.".format


def right(n: int, other: str) -> int:
    return int((3 * n + 2 * len(other) + n * len(other)) % 5 < 3)


class Long(NamedTuple):
    """Rows of an item for each of some others, and the map that is guessed."""

    row: Callable[[int, str], dict[str, Any]]
    others: tuple[str, ...]
    model: str | tuple[str, ...] = ""
    reviewer: str = ""


MODELS, VARIANTS, PEOPLE = ("gpt-4o", "claude-3", "qwen-72b"), ("zero-shot", "cot"), ("ann", "bob", "cy")
TABLES: dict[str, Long] = {
    "source_model": Long(
        lambda n, m: {"id": n, "question": Q(n), "source_model": m, "response": A(n + len(m)), "correct": right(n, m)},
        MODELS,
        "source_model",
    ),
    "model_under_test": Long(
        lambda n, m: {"qid": n, "prompt": Q(n), "model_under_test": m, "output": A(n), "score": right(n, m)},
        MODELS,
        "model_under_test",
    ),
    "candidate model": Long(
        lambda n, m: {"case_id": f"c{n}", "Candidate Model": m, "is_correct": bool(right(n, m))},
        MODELS,
        "Candidate Model",
    ),
    "response_model, beside a constant run id": Long(
        lambda n, m: {"run_id": "r7", "question_id": n, "question": Q(n), "response_model": m, "passed": right(n, m)},
        MODELS,
        "response_model",
    ),
    "llm, beside a constant key": Long(
        lambda n, m: {"key": "k", "item_id": n, "llm": m, "answer": A(n), "correct": right(n, m)}, MODELS, "llm"
    ),
    "prompt_variant": Long(
        lambda n, v: {"question_id": n, "question": Q(n), "prompt_variant": v, "output": A(n), "correct": right(n, v)},
        VARIANTS,
        "prompt_variant",
    ),
    "prompt_template, without a question": Long(
        lambda n, v: {"question_id": n, "prompt_template": v, "correct": right(n, v)}, VARIANTS, "prompt_template"
    ),
    "prompt, beside a question": Long(
        lambda n, v: {"id": n, "prompt": v, "question": Q(n), "answer": A(n), "correct": right(n, v)},
        VARIANTS,
        "prompt",
    ),
    "prompt_id": Long(
        lambda n, v: {"prompt_id": v, "question": Q(n), "output": A(n), "correct": right(n, v)}, VARIANTS, "prompt_id"
    ),
    "strategy": Long(lambda n, v: {"id": n, "strategy": v, "correct": right(n, v)}, VARIANTS, "strategy"),
    "model and variant": Long(
        lambda n, both: {
            "id": n,
            "question": Q(n),
            "model": both.split("/")[0],
            "prompt_version": both.split("/")[1],
            "correct": right(n, both),
        },
        tuple("/".join(pair) for pair in product(MODELS, VARIANTS)),
        ("model", "prompt_version"),
    ),
    "reviewer": Long(
        lambda n, who: {"response_id": f"r{n}", "question": Q(n), "response": A(n), "reviewer": who, "grade": len(who)},
        PEOPLE,
        reviewer="reviewer",
    ),
    "annotator_id with verdicts": Long(
        lambda n, who: {"id": n, "question": Q(n), "output": A(n), "annotator_id": who, "correct": right(n, who)},
        PEOPLE,
        reviewer="annotator_id",
    ),
    "rater, in words": Long(
        lambda n, who: {
            "item": f"i{n}",
            "model_output": A(n),
            "rater": who,
            "verdict": ["fail", "pass"][right(n, who)],
        },
        PEOPLE,
        reviewer="rater",
    ),
    "judge_model": Long(
        lambda n, who: {"id": n, "prompt": Q(n), "output": A(n), "judge_model": who, "score": right(n, who)},
        MODELS[:2],
        reviewer="judge_model",
    ),
    "evaluator, beside a group that names the question": Long(
        lambda n, who: {
            "question_group": "ab"[n % 2],
            "question_text": Q(n),
            "response_text": A(n),
            "evaluator": who,
            "accuracy": len(who),
            "tone": f"{who}, {n}",
        },
        PEOPLE,
        reviewer="evaluator",
    ),
}
SUBSETS: dict[str, Callable[[str, int], dict[str, Any]]] = {
    "subset": lambda s, n: {"subset": s, "id": n, "question": Q(f"{n} {s}"), "answer": f"{n}"},
    "language": lambda s, n: {"language": s, "question_id": n, "question": Q(f"{n} {s}"), "output": A(n)},
    "task": lambda s, n: {"id": n, "task": s, "prompt": Q(f"{n} {s}"), "output": A(n), "correct": right(n, s)},
    "dataset, without questions": lambda s, n: {"dataset": s, "doc_id": n, "correct": right(n, s)},
    "split and index": lambda s, n: {"split": s, "index": n, "input": Q(f"{n} {s}"), "response": A(n), "score": 1},
    "subject": lambda s, n: {"subject": s, "no": n, "question": Q(f"{n} {s}"), "response": A(n), "passed": right(n, s)},
    "benchmark": lambda s, n: {
        "benchmark": s,
        "example_id": n,
        "input": Q(f"{n} {s}"),
        "prediction": A(n),
        "label": "x",
    },
    "category": lambda s, n: {
        "category": s,
        "id": f"q{n}",
        "question": Q(f"{n} {s}"),
        "reply": A(n),
        "ok": right(n, s),
    },
    "exam": lambda s, n: {"exam": s, "nr": n, "question": Q(f"{n} {s}"), "gold": f"{n}", "output": A(n)},
}


def pool_of(content: bytes) -> Pool:
    read = read_or_shape(content, "m")
    return read_mapped(content, read.guess, "m") if isinstance(read, Shape) else read


@pytest.mark.parametrize("by_item", [True, False], ids=["item by item", "one after the other"])
@pytest.mark.parametrize("kind", TABLES)
def test_rows_of_an_item_are_told_apart(kind: str, by_item: bool) -> None:
    long = TABLES[kind]
    pairs = [(n, other) for n in range(ITEMS) for other in long.others]
    rows = [long.row(n, other) for n, other in (pairs if by_item else sorted(pairs, key=lambda one: one[1]))]
    for content in (lines(rows), table(rows)):
        found = guess(content)
        assert (found.model, found.reviewer, found.run) == (long.model, long.reviewer, "")
        pool = pool_of(content)
        assert pool.n_items == ITEMS
        if long.reviewer:
            kept = [name for name in pool.items if f"({long.reviewer} " in str(name)]
            assert len(kept) >= len(long.others) and pool.generations is None
            assert all(any(f"({long.reviewer} {who})" in name for name in kept) for who in long.others)
            assert Saying(f"{len(long.others)} reviewers") in pool.remarks
        else:
            names = {other.replace("/", ", ") for other in long.others}
            assert names == {*pool.targets} | ({*names} - {*pool.targets} if pool.generations is not None else set())
            for name, target in pool.targets.items():
                losses = dict(zip(pool.ids.tolist(), pool.losses(name).tolist(), strict=True))
                assert len(losses) == target.known() == ITEMS
                shares = [1 - right(n, name.replace(", ", "/")) for n in range(ITEMS)]
                assert sorted(losses.values()) == sorted(map(float, shares))


@pytest.mark.parametrize("kind", SUBSETS)
def test_ids_that_are_unique_within_a_subset_are_read_with_it(kind: str) -> None:
    rows = [SUBSETS[kind](s, n) for s in ("algebra", "biology", "law") for n in range(ITEMS)]
    for content in (lines(rows), table(rows)):
        found = guess(content)
        (subset, number) = found.fields["id"]
        pool = pool_of(content)
        assert pool.n_items == 3 * ITEMS and found.fields["group"] == subset
        assert pool.ids.tolist() == [f"{row[subset]}:{row[number]}" for row in rows]


def test_a_few_ids_that_repeat_across_subsets_are_still_a_mistake() -> None:
    rows = [{"id": n, "category": "ab"[n % 2], "question": Q(n), "output": A(n)} for n in range(40)]
    rows[21]["id"] = 4
    with pytest.raises(PoolError) as caught:
        read_mapped(table(rows), guess(table(rows)))
    assert (caught.value.problems[0].row, caught.value.problems[0].field) == (23, "id")
    assert "--id SUBSET,ID" in caught.value.problems[0].remedy


def test_a_reviewer_with_two_rows_about_an_output_and_rows_about_other_outputs_are_refused() -> None:
    fields = FieldMap({"id": "id"}, {"m": {"text": "output"}}, ("grade",), reviewer="who")
    rows = [{"id": n, "output": A(n), "who": who, "grade": "good"} for n in range(4) for who in "ab"]
    rows += [{"id": 3, "output": A(3), "who": "a", "grade": "bad"}, {"id": 2, "output": A(9), "who": "c", "grade": "x"}]
    with pytest.raises(PoolError) as caught:
        read_mapped(table(rows), fields)
    said = [(one.row, one.message) for one in caught.value.problems]
    assert said == [(10, Saying("“a” has a verdict on this item in row 8")), (11, Saying("differs from that of row 6"))]


def test_many_reviewers_have_columns_by_their_numbers_within_an_item() -> None:
    rows = [{"id": n, "output": A(n), "worker": f"w{7 * n + k}", "good": k % 2} for n in range(20) for k in range(3)]
    pool = read_mapped(table(rows), FieldMap({"id": "id"}, {"m": {"text": "output"}}, ("good",), reviewer="worker"))
    assert [name for name in pool.items if "worker" in str(name)] == [f"good (worker {k})" for k in (1, 2, 3)]


def test_the_case_of_reviewers_has_16_items_and_three_reviewers() -> None:
    pool = pool_of((ROOT / "tests" / "cases" / "reviewers_long.csv").read_bytes())
    assert pool.n_items == 16 and pool.items["accuracy (reviewer r2)"].notna().all()
    assert pool.ids[0] == "AAA_S0" and Saying("3 reviewers") in pool.remarks


METRICS = ("metric", "Metric name", "criterion", "scorer", "eval_metric", "rubric", "指标", "score_name", "measure")


@pytest.mark.parametrize("models", [("gpt-4o", "claude-3"), ()], ids=["models", "one model"])
@pytest.mark.parametrize("score", ["score", "value", "correct"])
@pytest.mark.parametrize("metric", METRICS)
def test_scores_of_several_metrics_are_asked_about(
    metric: str, score: str, models: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The first metric of each item counted, as if the others were further runs."""
    rows = [
        {"item_id": f"q{n}", **({"model": m} if m else {}), metric: name, score: right(n, m + name)}
        for n in range(ITEMS)
        for m in models or ("",)
        for name in ("accuracy", "f1")
    ]
    file, out = tmp_path / "long.csv", tmp_path / "pool.parquet"
    file.write_bytes(table(rows))
    assert main(["pool", "map", str(file)]) == 2
    named = f"--model={'model,' if models else ''}{metric}"
    assert capsys.readouterr().err == Saying(f"“{metric}” names several metrics (“accuracy” and “f1”)", named)
    assert main(["pool", "map", str(file), named, "--out", str(out)]) == 0
    pool = read(out)
    for m in models or ("",):
        for name in ("accuracy", "f1"):
            losses = pool.losses(f"{m}, {name}" if m else name).tolist()
            assert losses == [1 - right(n, m + name) for n in range(ITEMS)]


def test_one_metric_in_all_rows_is_no_question() -> None:
    rows = [{"item_id": n, "model": m, "metric": "em", "score": right(n, m)} for n in range(ITEMS) for m in MODELS]
    assert Shape.of(table(rows), "m").doubts == () and len(pool_of(table(rows)).targets) == len(MODELS)


@pytest.mark.parametrize("who", ["annotator", "reviewer", "rater"])
def test_reviewers_of_several_models_are_refused_with_a_remedy(
    who: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [
        {"item_id": n, "question": Q(n), "model": m, "response": A(n + len(m)), who: p, "correct": right(n, m + p)}
        for n in range(ITEMS)
        for m in MODELS
        for p in PEOPLE
    ]
    file = tmp_path / "long.csv"
    file.write_bytes(table(rows))
    assert main(["pool", "map", str(file)]) == 2
    assert capsys.readouterr().err == Saying(f"“{who}” names several people", "--reviewer=")
    file.write_bytes(table([row for row in rows if row[who] == "ann"]))
    assert main(["pool", "map", str(file)]) == 0


def test_scores_that_differ_without_a_word_why_are_counted() -> None:
    rows = [
        {"item_id": n, "question": Q(n), "model": m, "response": A(n + len(m)), "by": p, "correct": right(n, m + p)}
        for n in range(ITEMS)
        for m in MODELS
        for p in PEOPLE
    ]
    differ = sum(right(n, m + p) != right(n, m + "ann") for n in range(ITEMS) for m in MODELS for p in PEOPLE)
    assert any(f"{differ} rows give an output a score other than" in note for note in pool_of(table(rows)).notes)


def _said(n: int, m: str) -> dict[str, Any]:
    return {"item_id": n, "model": m, "question": Q(n), "gold": f"{n}", "output": f"{n + 1 - right(n, m)}"}


@pytest.mark.parametrize("again", [range(1), range(0, 8, 3), range(2 * ITEMS)], ids=["one", "some", "all"])
@pytest.mark.parametrize(
    "row", [_said, lambda n, m: {"item_id": n, "model": m, "score": right(n, m)}], ids=["outputs", "scores"]
)
def test_rows_that_are_there_twice_count_once_and_are_named(
    row: Callable[[int, str], dict[str, Any]], again: range
) -> None:
    """A copied row made a target the surrogate, with two samples of one item."""
    rows = [row(n, m) for n in range(ITEMS) for m in MODELS[:2]]
    once, twice = pool_of(table(rows)), pool_of(table([*rows, *(rows[place] for place in again)]))
    assert twice.digest == once.digest and [*twice.targets] == [*once.targets]
    assert twice.account is not None and twice.account.repeated == len(again)
    assert any(f"word for word (the first is row {2 * ITEMS + 2})" in note for note in twice.notes)


def test_equal_samples_beside_other_ones_stay_samples() -> None:
    rows = [_said(n, m) | {"output": f"{(n + k) % 3 // 2}"} for n in range(ITEMS) for m in MODELS for k in range(3)]
    pool = pool_of(table(rows))
    assert pool.n_generations == 9 and not any("word for word" in note for note in pool.notes)


def test_copies_of_rows_without_a_model_are_no_samples() -> None:
    rows = [{"id": n, "question": Q(n), "gold": f"{n}", "output": f"{n + n % 2}"} for n in range(ITEMS)]
    pool = pool_of(table([*rows, *rows[:4]]))
    assert pool.n_generations == 0 and pool.targets["m"].accuracy() == 0.5
    assert pool.account is not None and pool.account.repeated == 4


def test_ids_put_together_are_never_those_of_other_items() -> None:
    pairs = [("a:b", "c"), ("a", "b:c"), *[(task, f"{n}") for task in ("a", "a:b") for n in range(9)]]
    rows = [{"task": task, "id": name, "question": f"{task} {name}?", "correct": 1} for task, name in pairs]
    pool = read_mapped(lines(rows), FieldMap({"id": ("task", "id"), "prompt": "question"}, {"m": {"right": "correct"}}))
    assert pool.ids.tolist() == ["a:b:c", "a:b\\:c", *[f"{task}:{name}" for task, name in pairs[2:]]]
    assert any(note.startswith("1 id put together") for note in pool.notes)


@pytest.mark.parametrize("name", ["id", "item_id", "question_id"])
def test_ids_that_repeat_for_no_reason_are_asked_about(name: str) -> None:
    rows = [{name: f"q{n // 3}", "score": n % 2, "answer": "abc"[n % 3], "label": "abc"[n // 3 % 3]} for n in range(30)]
    doubts = Shape.of(lines(rows)).doubts
    assert [(one.field, one.candidates[0].path) for one in doubts] == [("id", name)]


@pytest.mark.parametrize("first", [True, False], ids=["above", "below"])
@pytest.mark.parametrize("name", ["gold", "reference", "ground_truth", "Ground Truth", "correct answer", "标准答案"])
def test_what_is_called_as_right_among_models_is_the_right_answer(name: str, first: bool) -> None:
    names = [name, *MODELS][:: 1 if first else -1]
    rows = [
        {"id": n, "question": Q(n), "model": who, "output": str(n + 1 - (right(n, who) if who in MODELS else 1))}
        for n in range(ITEMS)
        for who in names
    ]
    pool = read(table(rows))
    assert pool.items["answer"].tolist() == list(map(str, range(ITEMS))) and name not in pool.targets
    for model in pool.targets:
        assert pool.losses(model).tolist() == [1 - right(n, model) for n in range(ITEMS)]
    assert any("read as the right answers" in note for note in pool.notes)
    known = read(table([{**row, "expected": str(row["id"])} for row in rows]))
    assert known.targets.keys() == pool.targets.keys() and any("left out" in note for note in known.notes)


def test_people_among_models_are_named() -> None:
    rows = [{"id": n, "question": Q(n), "model": who, "output": A(n)} for n in range(9) for who in (*MODELS, "human")]
    assert any("“human” is read as a model." in note for note in read(table(rows)).notes)
    scored = read(table([{**row, "correct": 1} for row in rows]))
    assert not any("“human” is" in note for note in scored.notes)
