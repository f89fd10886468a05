"""What the pool hands out: items, generations, log-probabilities and targets."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from core.errors import PoolError
from core.pool import Pool
from core.readers import read
from tests.core.pool.conftest import pool_of
from tests.core.wording import Saying


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
        Saying("1 of 3 items has", "fewer than 3"),
        Saying("1 of 3 items has", "no answer of the surrogate", "hardest items"),
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
    assert Saying("1 of 2", "token_logprobs") in pool.notes


def test_arrays_are_kept_and_read_only() -> None:
    pool = pool_of({"generations": ["A", "B"], "logprobs": [-1, -2], "targets": {"m": {"loss": 1}}})
    assert pool.classes() is pool.classes()
    for array in (pool.classes(), pool.losses("m"), pool.logprobs):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0  # type: ignore[index]


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
    assert pool.notes == (Saying("m ", "1 of 2"),)


def test_an_unknown_target_is_named_with_those_that_exist() -> None:
    pool = pool_of({"targets": {"m": {"loss": 1}}})
    with pytest.raises(PoolError, match=r"no target “x”.*m"):
        pool.losses("x")
    with pytest.raises(KeyError):
        pool.targets["x"]
    with pytest.raises(PoolError, match="no targets"):
        pool_of({}).losses("x")


@pytest.mark.parametrize(
    ("name", "size", "share", "risks"),
    [
        ("exams-gpt35-k10.jsonl", 1000, 0.321, [0.420, 0.424]),
        ("gsm8k-committee10.jsonl", 1319, 0.150, [0.058, 0.086, 0.058, 0.112]),
        ("blink-vlm-committee10.jsonl", 1901, 0.044, [0.456, 0.401]),
    ],
)
def test_real_pools_have_their_reference_figures(
    real_pool: Callable[[str], Path], name: str, size: int, share: float, risks: list[float]
) -> None:
    pool = read(real_pool(name))
    assert (pool.n_items, pool.n_generations) == (size, 10)
    assert (pool.classes().max(axis=1) == 0).mean() == pytest.approx(share, abs=5e-4)
    assert [target.losses.mean() for target in pool.targets.values()] == pytest.approx(risks, abs=5e-4)


def test_a_pool_is_shown_in_three_short_lines() -> None:
    pool = Pool.from_records([{"id": str(n), "prompt": "x" * 999, "targets": {"m": {"loss": 0}}} for n in range(1200)])
    assert repr(pool).splitlines() == ["Pool “pool”: 1,200 items", "  columns  id, prompt", "  targets  m"]
    assert repr(pool.targets["m"]) == "Target “m”: 1,200 of 1,200 losses known, mean 0.000"
    unknown = Pool.from_records([{"id": "1", "prompt": "?", "targets": {"m": {"answer": "A"}}}]).targets["m"]
    assert repr(unknown) == "Target “m”: 0 of 1 losses known, answers"
