"""Leaderboards: which columns are models, which rows are items, and what is none of them."""

from __future__ import annotations

import pytest

from core.errors import PoolError
from core.pool.pool import Pool
from core.readers import Shape, read, read_mapped, read_or_shape
from tests.core.wording import Saying

WORDS = ["yes", "no", "yes", "yes"]


def table(**columns: list[object]) -> bytes:
    rows = [list(columns), *zip(*columns.values(), strict=True)]
    return "\n".join(",".join(map(str, row)) for row in rows).encode()


def board(**columns: list[object]) -> Pool:
    pool = read_or_shape(table(id=["a", "b", "c", "d"], **columns), "m")
    assert isinstance(pool, Pool)
    return pool


@pytest.mark.parametrize(
    ("truth", "output"),
    [("expected", "output"), ("label", "prediction"), ("gold", "response"), ("Expected answer", "Model answer")],
)
@pytest.mark.parametrize("right", [WORDS, ["1", "0", "0", "1"]])
def test_right_answers_and_outputs_in_yes_and_no_are_no_models(truth: str, output: str, right: list[object]) -> None:
    content = table(id=["a", "b", "c", "d"], **{truth: right, output: right[::-1]})
    shape = read_or_shape(content, "m")
    assert isinstance(shape, Shape)
    assert shape.guess.fields["answer"] == truth and shape.guess.targets == {"m": {"text": output}}


@pytest.mark.parametrize("truth", ["answer", "label", "ground_truth"])
def test_cells_that_say_the_words_of_right_answers_are_no_scores(truth: str) -> None:
    models = {"gpt-4": WORDS, "claude-3": WORDS[::-1]}
    assert isinstance(read_or_shape(table(id=["a", "b", "c", "d"], **{truth: WORDS}, **models)), Shape)
    scored = board(**{truth: WORDS, "gpt-4": [1, 1, 1, 0], "claude-3": [0, 1, 0, 0]})
    assert scored.items["answer"].tolist() == WORDS and scored.losses("gpt-4").tolist() == [0, 0, 0, 1]


@pytest.mark.parametrize("name", ["mean", "Average", "total", "Gesamt"])
def test_rows_and_columns_of_totals_are_left_out_and_named(name: str) -> None:
    content = f"id,gpt-4,claude-3,{name}\na,1,0,1\nb,0,1,1\nc,0,0,0\n{name},33,0.5,0.4\nStd,0.1,0.1,\n"
    pool = read(content.encode())
    assert pool.items.index.tolist() == ["a", "b", "c"] and [*pool.targets] == ["gpt-4", "claude-3"]
    assert pool.losses("gpt-4").tolist() == [0, 1, 1]
    assert pool.account is not None and [one.words for one in pool.account.left_out] == ["2 rows of totals (rows 5, 6)"]
    assert any(f"sums up the models: “{name}”" in note for note in pool.notes)


def test_an_item_called_as_a_total_among_others_is_an_item() -> None:
    assert read(b"task,gpt-4,claude-3\nsum,1,0\nsort,0,1\nmean,1,1\nsplit,1,0\n").n_items == 3
    assert read(b"task,gpt-4,claude-3\nsort,0,1\nmean,1,1\nsplit,1,0\n").n_items == 3


def test_each_model_has_its_own_scale() -> None:
    pool = board(**{"gpt-4": [1, 0, 1, 1], "claude-3": [100, 40, 0, 100], "llama-3": [0, 0, 0, 0]})
    assert pool.losses("gpt-4").tolist() == [0, 1, 0, 0] and pool.losses("llama-3").tolist() == [1] * 4
    assert pool.losses("claude-3").tolist() == pytest.approx([0, 0.6, 1, 0])
    assert any("per cent" in note for note in pool.notes)


@pytest.mark.parametrize("fact", ["split", "is_easy", "difficulty", "human_verified", "tokens"])
def test_facts_of_items_are_no_models(fact: str) -> None:
    for cells in (["dev", "dev", "test", "dev"], ["1", "0", "1", "1"]):
        pool = board(**{"gpt-4": [1, 0, 1, 1], fact: cells, "claude-3": [0, 1, 1, 1]})
        assert [*pool.targets] == ["gpt-4", "claude-3"] and pool.items[fact].tolist() == cells


@pytest.mark.parametrize("odd", ["urgent", "ground", "spam", "klasse", "is_fraud", "needs_escalation"])
@pytest.mark.parametrize("first", ["id", "text"])
def test_an_odd_column_of_0_and_1_is_asked_about_as_it_may_hold_right_answers(odd: str, first: str) -> None:
    models = {"gpt-4": [1, 0, 1, 1], "claude-3": [0, 1, 1, 1], "llama-3": [0, 0, 1, 1]}
    shape = read_or_shape(table(**{first: ["item a", "item b", "item c", "item d"], **models, odd: [1, 1, 1, 0]}))
    assert isinstance(shape, Shape) and not shape.guess.targets
    assert [(one.field, [path.path for path in one.candidates]) for one in shape.doubts] == [("answer", [odd])]


def test_odd_columns_that_may_be_no_models_are_named() -> None:
    pool = board(**{"gpt-4": [1, 0, 1, 1], "claude-3": [0, 1, 1, 1], "mine": [1, 1, 1, 0], "yours": [0, 1, 1, 0]})
    assert set(pool.targets) == {"gpt-4", "claude-3", "mine", "yours"}
    assert [note for note in pool.notes if "“mine”" in note] == [Saying("as models", "“mine”")]


def test_signs_are_verdicts() -> None:
    pool = board(**{"gpt-4": ["✓", "✗", "✔️", "✘"], "claude-3": ["✅", "❌", "true", "false"]})
    assert pool.losses("gpt-4").tolist() == pool.losses("claude-3").tolist() == [0, 1, 0, 1]


@pytest.mark.parametrize("form", ["{} error", "error:{}", "{}_errors", "{} (wrong)"])
def test_columns_that_say_what_is_wrong_are_read_so(form: str) -> None:
    columns = {form.format("gpt-4"): [1, 0, 0, 0], form.format("claude-3"): [1, 1, 0, 0]}
    content = table(id=["a", "b", "c", "d"], **columns)
    shape = read_or_shape(content)
    assert isinstance(shape, Shape)
    pool = read_mapped(content, shape.guess)
    assert pool.losses("gpt-4").tolist() == [1, 0, 0, 0] and pool.losses("claude-3").tolist() == [1, 1, 0, 0]


@pytest.mark.parametrize(
    "content",
    [
        b"id,verified,refused,gpt-4,claude-3\na,1,1,1,0\nb,0,1,1,0\n",
        b"id,prompt,gpt-4\na,Why?,x\nb,How?,y\n",
        b"item,judge_a,judge_b\na,1,0\nb,0,1\n",
        b"question,grader_gpt-4,grader_claude\nWhy?,1,0\nHow?,0,1\n",
        b"item,reviewer_a,reviewer_b\na,1,0\nb,0,1\n",
        b"question,accurate,complete,polite\nWhy?,1,0,1\nHow?,0,1,1\n",
        b"question,answer,vegan,spicy\nWhy?,So it is.,0,1\nHow?,By all means.,1,1\n",
    ],
)
def test_what_may_be_scores_or_outputs_is_asked_for_and_no_pool_without_them(content: bytes) -> None:
    assert isinstance(read_or_shape(content), Shape)
    with pytest.raises(PoolError):
        read(b"id,gpt-4,claude-3\n" + b"a,1,0\n" * 60 + b"b,maybe,0\n")


def test_a_row_for_each_model_is_turned() -> None:
    """Twelve models on five hundred items were “in no known format”, and had to be turned by hand."""
    items = [f"q{n}" for n in range(40)]
    right = {"atlas-3b": [n % 2 for n in range(40)], "atlas-8b": [int(n % 5 > 0) for n in range(40)]}
    right["atlas-70b"] = [int(n % 8 > 0) for n in range(40)]
    rows = [["Model", *items, "Average"], *([name, *of_it, sum(of_it) / 40] for name, of_it in right.items())]
    content = "\n".join(",".join(map(str, row)) for row in rows).encode()
    pool = read(content, "board")
    upright = table(id=[*items], **{name: [*of_it] for name, of_it in right.items()})
    assert pool.digest == read(upright, "board").digest and [*pool.targets] == [*right]
    assert pool.account is not None and pool.account.seen == 40 and Saying("Each row is a model") == pool.notes[0]
    with pytest.raises(PoolError, match="row 4: there are 41 cells under 42 columns"):
        read(content.removesuffix(b",0.875"), "board")


@pytest.mark.parametrize(
    "change",
    [
        (b"Model", b"item"),
        (b"atlas-8b", b"atlas-3b"),
        (b"\natlas-8b,0", b"\natlas-8b,0.5"),
        (b",q", b",has_q"),
    ],
    ids=["items", "a model twice", "shares", "properties"],
)
def test_other_rows_of_0_and_1_are_not_turned(change: tuple[bytes, bytes]) -> None:
    names, cells = ",".join(f"q{n}" for n in range(40)), [",".join(str(n % 2) for n in range(40))] * 2
    content = f"Model,{names}\natlas-3b,{cells[0]}\natlas-8b,{cells[1]}\n".encode()
    assert read(content).n_items == 40
    try:
        other = read_or_shape(content.replace(*change))
    except PoolError as error:
        assert Saying("a row for each model", "it has totals but no items") == str(error)
    else:
        assert isinstance(other, Shape) or other.n_items == 2


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        (("pass", "fail"), "where “pass” is right"),
        (("1", "0"), "where 1 is right"),
        (("100", "50"), "where 100 is right"),
    ],
)
def test_what_stands_for_right_is_named_as_in_the_file(cells: tuple[str, str], said: str) -> None:
    """A table of “pass” and “fail” was explained with “yes”, “correct” and per cent."""
    rows = [f"t{n},{cells[n % 2]},{cells[n % 3 > 0]}" for n in range(20)]
    notes = " ".join(read("\n".join(["id,gpt-4o,llama-3-8b", *rows]).encode()).notes)
    assert f"{said}: gpt-4o has" in notes and "“yes”" not in notes


def test_a_column_of_few_words_beside_models_is_the_group_and_others_are_named() -> None:
    """“suite” was in no group, and no sentence said what became of it."""
    rows = [f"t{n},{('web', 'sql')[n % 2]},case {n},{n % 2},{int(n % 3 > 0)}" for n in range(20)]
    pool = read("\n".join(["task,suite,about,agent-1.0,agent-1.1", *rows]).encode())
    assert pool.n_groups == 2 and [*pool.items["group"][:2]] == ["web", "sql"] and "about" in pool.item_columns
    notes = " ".join(pool.notes)
    assert Saying("Kept with the items as in the file: “about”.", "The groups are those of “suite”.") == notes
    # Of two such columns none is the group; who labelled is no group.
    two = [f"t{n},{('web', 'sql')[n % 2]},{('a', 'b')[n % 2]},{n % 2},{int(n % 3 > 0)}" for n in range(20)]
    for names in ("suite,kit", "annotator,kit"):
        both = read("\n".join([f"task,{names},agent-1.0,agent-1.1", *two]).encode())
        assert bool(both.n_groups) == ("annotator" in names)
