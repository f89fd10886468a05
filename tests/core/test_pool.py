"""The pool: what it hands out, how it reads outcomes, its digest, and the problems it tells."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from core.errors import DesignError, PoolError
from core.pool import Pool
from core.readers import read

AWKWARD = ["a,b;c\td", 'say "hi"', "two\nlines\r\n", "🙂 é\u2028", "=1+1", "+x", "-x", "@x", " padded ", "007", "nul\0"]


def pool_of(*records: dict[str, Any]) -> Pool:
    return Pool.from_records([{"id": f"q{number}", **record} for number, record in enumerate(records)])


def problems_of(records: list[dict[str, Any]]) -> list[tuple[int | None, str | None, str]]:
    with pytest.raises(PoolError) as caught:
        Pool.from_records(records)
    assert caught.value.total == len(caught.value.problems)
    return [(problem.row, problem.field, problem.message) for problem in caught.value.problems]


# What it hands out


def test_items_are_a_frame_of_what_is_there() -> None:
    pool = pool_of(
        {"prompt": "Why?", "choices": ["a", "b"], "answer": "A", "level": 3}, {"image": "x.png", "level": None}
    )
    assert list(pool.items.columns) == ["prompt", "choices", "answer", "image", "level"]
    assert pool.items.index.tolist() == ["q0", "q1"]
    assert pool.items.loc["q0", "choices"] == ["a", "b"]
    assert pool.items.loc["q1", "image"] == ["x.png"]
    assert pool.items["level"].isna().tolist() == [False, True]


def test_generations_are_a_list_that_stays_in_arrow() -> None:
    lists = [["A", "B"], ["", "C"], ["D", "E"]]
    generations = pool_of(*({"generations": texts} for texts in lists)).generations
    assert generations is not None
    assert generations == lists
    assert generations != lists[:2]
    assert generations != [*lists[:2], ["D", "X"]]
    assert (len(generations), generations[-1], list(generations[1:])) == (3, ["D", "E"], lists[1:])
    assert generations[::-2] == lists[::-2]
    assert [texts for texts in generations] == lists
    with pytest.raises(IndexError):
        generations[3]


def test_missing_generations_are_padded_and_noted() -> None:
    pool = pool_of({"generations": ["A", "B", "A"]}, {"generations": ["A"]}, {})
    assert pool.n_generations == 3
    assert pool.classes().tolist() == [[0, 1, 0], [0, -1, -1], [-1, -1, -1]]
    assert pool.generations == [["A", "B", "A"], ["A"], []]
    assert pool.answers() == [["A", "B", "A"], ["A"], []]
    assert pool.notes == (
        "1 of 3 items have fewer than 3 generations.",
        "1 of 3 items have no generation: they go to the stratum of highest entropy.",
    )


def test_a_pool_without_generations_says_so() -> None:
    pool = pool_of({"answer": "A"})
    assert pool.generations is None
    assert pool.n_generations == 0
    with pytest.raises(PoolError, match="no generations"):
        pool.classes()


def test_log_probabilities_are_matrices() -> None:
    pool = pool_of(
        {"generations": ["A", "B"], "logprobs": [-1, -2.5], "token_logprobs": [-0.5, -0.25]},
        {"generations": ["A"], "logprobs": [-3]},
    )
    np.testing.assert_array_equal(pool.logprobs, [[-1, -2.5], [-3, np.nan]])
    assert pool.token_logprobs is None
    assert "1 of 2 items have generations without token_logprobs: those stay unused." in pool.notes


def test_arrays_are_kept_and_read_only() -> None:
    pool = pool_of({"generations": ["A", "B"], "logprobs": [-1, -2], "targets": {"m": {"loss": 1}}})
    assert pool.classes() is pool.classes()
    for array in (pool.classes(), pool.losses("m"), pool.logprobs):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0  # type: ignore[index]


# Parsing


def test_by_default_each_item_is_parsed_by_its_own_kind() -> None:
    texts = ["18", "18.0", "The answer is 18."]
    pool = pool_of({"generations": texts}, {"generations": texts, "answer_kind": "number"})
    assert pool.classes().tolist() == [[0, 1, 2], [0, 0, 0]]
    assert pool.classes("number").tolist() == [[0, 0, 0], [0, 0, 0]]
    assert pool.classes("as-is").tolist() == [[0, 1, 2], [0, 1, 2]]
    assert pool.answers("number")[0] == ["18", "18", "18"]


def test_answers_of_an_official_parser_win_unless_a_parser_is_named() -> None:
    item = {"generations": ["A", "B", "C"], "generation_answers": ["X", None, "X"]}
    pool = pool_of(item, {"generations": ["A", "A", " "]})
    assert pool.classes().tolist() == [[0, 1, 0], [0, 0, 1]]
    assert pool.answers() == [["X", None, "X"], ["A", "A", None]]
    assert pool.classes("as-is").tolist() == [[0, 1, 2], [0, 0, 1]]


def test_choices_are_given_to_the_parser_item_by_item() -> None:
    pool = pool_of(
        {"choices": ["red", "blue"], "generations": ["blue", "(B)", "A"], "answer_kind": "choice"},
        {"choices": ["blue", "red"], "generations": ["blue", "(B)", "A"], "answer_kind": "choice"},
    )
    assert pool.answers() == [["B", "B", "A"], ["A", "B", "A"]]
    assert pool.classes().tolist() == [[0, 0, 1], [0, 1, 0]]


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(DesignError, match="no answer kind “roman”"):
        pool_of({"generations": ["I"]}).classes("roman")
    found = problems_of([{"id": "a", "answer_kind": "roman"}])
    assert found == [(1, "answer_kind", "“roman” is no answer kind.")]


def test_the_parse_report_counts_by_source() -> None:
    pool = pool_of(
        {"generations": ["3", "none"], "answer": "3", "targets": {"m": {"text": "It is 4."}}, "answer_kind": "number"},
        {"generations": ["5", "6"], "answer": "", "answer_kind": "number"},
    )
    report = pool.parse_report().set_index("source")
    assert report["texts"].to_dict() == {"generation 1": 2, "generation 2": 2, "truth": 2, "m": 1}
    assert report["unparsed"].to_dict() == {"generation 1": 0, "generation 2": 1, "truth": 1, "m": 0}
    assert report.loc["generation 2", "unparsed_share"] == 0.5
    assert report.loc["generation 2", "example"] == "none"
    assert report.loc["generation 1", "distinct_answers"] == 2


# Outcomes


@pytest.mark.parametrize(
    ("outcome", "loss"),
    [
        ({"loss": 0.25, "answer": "B", "text": "B"}, 0.25),
        ({"answer": "B", "text": "A"}, 1.0),
        ({"answer": "A"}, 0.0),
        ({"answer": "blue"}, 1.0),
        ({"text": "The answer is (A)."}, 0.0),
        ({"text": "No idea"}, 1.0),
        ({"loss": True}, 1.0),
        ({}, np.nan),
    ],
)
def test_loss_wins_over_answer_and_answer_over_text(outcome: dict[str, Any], loss: float) -> None:
    item = {"answer": "A", "choices": ["red", "blue"], "answer_kind": "choice"}
    pool = pool_of({**item, "targets": {"m": outcome}}, {**item, "targets": {"m": {"loss": 0}}})
    np.testing.assert_array_equal(pool.losses("m"), [loss, 0])


def test_the_truth_of_a_choice_may_be_the_text_of_an_option() -> None:
    item = {"choices": ["red", "blue"], "answer_kind": "choice", "answer": "blue"}
    assert pool_of({**item, "targets": {"m": {"answer": "B"}}}).losses("m").tolist() == [0]


def test_without_a_readable_truth_the_loss_is_unknown() -> None:
    pool = pool_of(
        {"answer": "18", "targets": {"m": {"answer": "18"}}, "answer_kind": "number"},
        {"targets": {"m": {"answer": "18"}}, "answer_kind": "number"},
        {"answer": "unknown", "targets": {"m": {"answer": "18"}}, "answer_kind": "number"},
    )
    np.testing.assert_array_equal(pool.losses("m"), [0, np.nan, np.nan])


def test_a_parser_may_be_named_for_truths_and_outputs() -> None:
    pool = pool_of({"answer": "#### 18", "targets": {"m": {"text": "So it is 18.0"}}})
    assert pool.losses("m").tolist() == [1]
    assert pool.losses("m", "number").tolist() == [0]
    with pytest.raises(DesignError, match="no answer kind “roman”"):
        pool.losses("m", "roman")


def test_a_benchmarks_truth_is_a_bare_letter() -> None:
    item = {"answer": "A", "answer_kind": "gpqa", "choices": ["x", "y", "z", "w"]}
    pool = pool_of(
        {**item, "targets": {"m": {"answer": "A"}}},
        {**item, "targets": {"m": {"text": "Answer: A"}}},
        {**item, "targets": {"m": {"text": "A"}}},
    )
    assert pool.losses("m").tolist() == [0, 0, 1]


def test_changing_the_frame_of_items_leaves_the_pool_alone() -> None:
    pool = pool_of({"answer": "A"})
    frame = pool.items
    frame.loc["q0", "answer"] = "B"
    assert pool.items.loc["q0", "answer"] == "A"


def test_targets_are_listed_with_what_is_known() -> None:
    pool = pool_of({"targets": {"m": {"loss": 1, "answer": "B"}, "n": {"loss": 0}}}, {"targets": {"n": {"loss": 1}}})
    assert list(pool.targets) == ["m", "n"]
    assert pool.targets["m"].answers == ["B", None]
    assert pool.targets["n"].answers is None
    assert pool.targets["m"].texts is None
    np.testing.assert_array_equal(pool.targets["m"].losses, [1, np.nan])
    assert pool.notes == ("m is known for 1 of 2 items.",)


def test_an_unknown_target_is_named_with_those_that_exist() -> None:
    pool = pool_of({"targets": {"m": {"loss": 1}}})
    with pytest.raises(PoolError, match="no target “x”; its targets are m"):
        pool.losses("x")
    with pytest.raises(KeyError):
        pool.targets["x"]
    with pytest.raises(PoolError, match="it has no targets"):
        pool_of({}).losses("x")


# Digest and files


@pytest.mark.parametrize("suffix", [".jsonl", ".jsonl.gz", ".parquet"])
def test_a_written_pool_reads_back_the_same(suffix: str, tmp_path: Path) -> None:
    pool = Pool.from_records(
        {
            "id": name,
            "prompt": name * 2,
            "choices": ["N/A", name],
            "answer": "" if number == 3 else name,
            "group": "g",
            "answer_kind": "as-is",
            "generations": [name, "", "x"][: 3 - number % 2],
            "generation_answers": [name, None, None][: 3 - number % 2],
            "logprobs": [-1e-300, -0.0, -12.5][: 3 - number % 2],
            "targets": {"m:1": {"answer": name}, "é": {"loss": number / 3}} if number else {},
            "whole": number,
            "decimal": number / 7,
            "flag": number > 2,
            "mixed": number if number % 2 else name,
            "nested": {"deep": [number, None, {"x": name}]},
            "empty": None,
        }
        for number, name in enumerate(AWKWARD)
    )
    path = tmp_path / f"pool{suffix}"
    pool.write(path)
    again = read(path)
    assert again.digest == pool.digest
    assert again.items.index.tolist() == AWKWARD
    assert again.generations == pool.generations
    assert again.name == "pool"
    assert "empty" not in again.items
    assert pool.items["nested"].iloc[1] == json.dumps({"deep": [1, None, {"x": AWKWARD[1]}]}, ensure_ascii=False)


def test_another_suffix_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PoolError, match=r"another ending"):
        pool_of({}).write(tmp_path / "pool.xlsx")


def test_the_digest_does_not_depend_on_chunks_or_name() -> None:
    records = [{"id": str(n), "generations": ["a" * n, "b"], "targets": {"m": {"loss": n}}} for n in range(9)]
    pool = Pool.from_records(records)
    table = pa.concat_tables([pool.table.slice(0, 2), pool.table.slice(2, 5), pool.table.slice(7)])
    assert Pool("other", table, ("note",)).digest == pool.digest
    assert Pool("other", pool.table.slice(1)).digest == Pool.from_records(records[1:]).digest


@pytest.mark.parametrize(
    "change",
    [
        {"id": "z"},
        {"generations": ["A", "C"]},
        {"generations": ["AB", ""]},
        {"generations": ["A", "B", ""]},
        {"generations": []},
        {"answer": None},
        {"answer": ""},
        {"targets": {"m": {"loss": 0}, "n": {"loss": 0}}},
        {"targets": {"m": {"answer": "0"}}},
        {"targets": {"n": {"loss": 0}}},
        {"extra": 1},
        {"prompt": "A"},
    ],
)
def test_every_change_changes_the_digest(change: dict[str, Any]) -> None:
    record = {"id": "a", "answer": "A", "generations": ["A", "B"], "targets": {"m": {"loss": 0}}}
    other = {"id": "b"}
    assert Pool.from_records([{**record, **change}, other]).digest != Pool.from_records([record, other]).digest


def test_the_order_of_items_changes_the_digest_and_that_of_keys_does_not() -> None:
    first, second = {"id": "a", "x": 1, "answer": "A"}, {"id": "b", "answer": "B", "x": 2}
    digest = Pool.from_records([first, second]).digest
    assert Pool.from_records([second, first]).digest != digest
    assert Pool.from_records([dict(reversed(first.items())), second]).digest == digest


def test_absent_null_and_empty_list_are_the_same() -> None:
    assert pool_of({"generations": [], "choices": None, "targets": {"m": {"loss": None}}}).digest == pool_of({}).digest


# Problems


def test_ids_must_be_there_and_be_unique() -> None:
    found = problems_of([{"id": "a"}, {"id": ""}, {"prompt": "x"}, {"id": "a"}, {"id": " "}, {"id": 7}, {"id": "7"}])
    missing = "the id is missing or empty."
    assert found == [
        (2, "id", missing),
        (3, "id", missing),
        (4, "id", "the id “a” is already used in row 1."),
        (5, "id", missing),
        (7, "id", "the id “7” is already used in row 6."),
    ]


def test_numeric_ids_are_their_decimal_texts() -> None:
    assert Pool.from_records([{"id": 7}, {"id": "007"}]).items.index.tolist() == ["7", "007"]


@pytest.mark.parametrize(
    ("record", "field", "message"),
    [
        ({"generations": "A"}, "generations", "“A” is not a list of texts."),
        ({"generations": [["A"]]}, "generations", "“[['A']]” is not a list of texts."),
        ({"generations": {"1": "A"}}, "generations", "“{'1': 'A'}” is not a list of texts."),
        ({"prompt": ["x"]}, "prompt", "“['x']” is not a text."),
        ({"id": True}, "id", "“True” is not a text."),
        ({"generations": ["A"], "logprobs": ["-1"]}, "logprobs", "“['-1']” is not a list of numbers."),
        ({"generations": ["A"], "logprobs": [-1, -2]}, "logprobs", "there are 2 values for 1 generations."),
        ({"generations": ["A"], "generation_answers": []}, None, ""),
        ({"generation_answers": ["A"]}, "generation_answers", "there are 1 values for 0 generations."),
        (
            {"generations": ["A"], "logprobs": [float("-inf")]},
            "logprobs",
            "a log-probability is missing, NaN or infinite.",
        ),
        ({"generations": ["A"], "logprobs": [None]}, "logprobs", "a log-probability is missing, NaN or infinite."),
        ({"targets": {"m": {"loss": float("nan")}}}, "targets.m.loss", "the loss is nan."),
        ({"targets": {"m": {"loss": float("inf")}}}, "targets.m.loss", "the loss is inf."),
        ({"targets": {"m": {"loss": "0"}}}, "targets.m.loss", "“0” is not a number."),
        ({"targets": ["m"]}, "targets", "targets is not an object."),
        ({"targets": {"m": 1}}, "targets", "the outcome of “m” is not an object, or its name is not usable."),
        ({"targets": {" ": {}}}, "targets", "the outcome of “ ” is not an object, or its name is not usable."),
    ],
)
def test_what_is_wrong_is_told_with_row_and_field(record: dict[str, Any], field: str | None, message: str) -> None:
    records = [{"id": "first"}, {"id": "second", **record}]
    if field is None:
        assert Pool.from_records(records).n_items == 2
    else:
        assert problems_of(records) == [(2, field, message)]


def test_problems_of_all_rows_are_told_and_the_first_200_kept() -> None:
    records = [{"id": str(n), "generations": "x", "targets": {"m": {"loss": float("nan")}}} for n in range(1_500)]
    with pytest.raises(PoolError) as caught:
        Pool.from_records(records)
    assert caught.value.total == 3_000
    assert len(caught.value.problems) == 200
    assert [problem.row for problem in caught.value.problems[:4]] == [1, 1, 2, 2]
    assert "(2999 more problems" in str(caught.value)


def test_numbers_and_nulls_among_generations_are_texts() -> None:
    pool = pool_of({"generations": [1, 2.5, True, None, "x"], "answer": 1})
    assert pool.generations == [["1", "2.5", "true", "", "x"]]
    assert pool.items["answer"].tolist() == ["1"]
    assert pool.notes == ("Some generations are null; they are read as empty texts.",)


def test_half_a_surrogate_pair_becomes_a_replacement_character() -> None:
    assert pool_of({"generations": ["\ud83d", "ok"], "note": "\udc00"}).generations == [["\ufffd", "ok"]]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([1, None, 3], [1, None, 3]),
        ([1, 2.5], [1.0, 2.5]),
        ([True, False], [True, False]),
        (["7", 7], ['"7"', "7"]),
        ([2**70, 1], [str(2**70), "1"]),
        ([{"b": 1, "a": 2}, [1]], ['{"a": 2, "b": 1}', "[1]"]),
        ([float("inf"), 1.0], ["Infinity", "1.0"]),
        ([float("nan"), 1.0], [None, 1.0]),
        ([2**60, 0.5], [str(2**60), "0.5"]),
    ],
)
def test_extra_keys_are_kept_as_they_are_or_as_json(values: list[Any], expected: list[Any]) -> None:
    pool = pool_of(*({"extra": value} for value in values))
    assert pool.table.column("extra").to_pylist() == expected


def test_extra_keys_are_united_over_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core._records.BATCH", 2)
    values: list[Any] = [None, None, 1, 2, 0.5, None, 7, 8]
    assert pool_of(*({"x": value} for value in values)).table.column("x").to_pylist() == values
    values[0] = "text"
    expected = ['"text"', None, "1", "2", "0.5", None, "7", "8"]
    assert pool_of(*({"x": value} for value in values)).table.column("x").to_pylist() == expected


def test_a_million_columns_are_refused() -> None:
    wide = [{"id": str(n), f"key {n}": 1, "targets": {f"model {n}": {"loss": 1}}} for n in range(600)]
    with pytest.raises(PoolError, match="one too many"):
        Pool.from_records(wide)
    with pytest.raises(PoolError, match=r"1,001 generations"):
        pool_of({"generations": ["A"] * 1_001})


def test_no_records_are_no_pool() -> None:
    assert problems_of([]) == [(None, None, "there is no item in this file.")]


# Real pools


@pytest.mark.parametrize(
    ("name", "size", "share", "risks"),
    [
        ("exams-gpt35-k10.jsonl", 1000, 0.321, [0.420, 0.424]),
        ("gsm8k-committee10.jsonl", 1319, 0.150, [0.058, 0.086, 0.058, 0.112]),
        ("blink-vlm-committee10.jsonl", 1901, 0.044, [0.456, 0.401]),
    ],
)
def test_real_pools_have_their_reference_figures(
    shared_pool: Callable[[str], Path], name: str, size: int, share: float, risks: list[float]
) -> None:
    pool = read(shared_pool(name))
    assert (pool.n_items, pool.n_generations) == (size, 10)
    assert (pool.classes().max(axis=1) == 0).mean() == pytest.approx(share, abs=5e-4)
    assert [target.losses.mean() for target in pool.targets.values()] == pytest.approx(risks, abs=5e-4)
