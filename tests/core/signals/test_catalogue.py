"""Signals by name: what each is made of, what it never looks at, and what is said if it cannot be made."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

from core.errors import DesignError, NeymanError, PoolError
from core.pool import Pool
from core.signals import (
    SIGNALS,
    agreement,
    numeric_columns,
    past_results,
    predictive_entropy,
    self_consistency,
    semantic_entropy,
    signal,
)

N = 60


def records(losses: np.ndarray | None = None) -> list[dict[str, Any]]:
    rng = np.random.default_rng(1)
    rows = []
    for n in range(N):
        letters = ["ABCD"[c] for c in rng.integers(0, 1 + n % 4, 5)]
        outcome = {"answer": "ABCD"[n % 3]}
        if losses is not None and not np.isnan(losses[n]):
            outcome["loss"] = losses[n]
        rows.append(
            {
                "id": f"q{n}",
                "prompt": "?" * (1 + n % 7),
                "generations": letters,
                "logprobs": (-rng.random(5)).tolist(),
                "token_logprobs": (-rng.random(5)).tolist(),
                "targets": {"new": outcome, "one": {"loss": float(n % 4 > 1)}, "two": {"loss": float(n % 4 > 2)}},
                "judge": n % 4 / 4 + rng.random() / 10,
                "verdict": n % 4 < 2,
                "text": str(n / 2),
                "reward": None if n == 7 else -n,
                "word": "x" if n % 5 == 2 else "1",
                "group": "uvw"[n % 3],
            }
        )
    return rows


def pool(losses: np.ndarray | None = None) -> Pool:
    return Pool.from_records(records(losses))


def options(name: str) -> dict[str, Any]:
    more = {"column": {"column": "judge"}, "risk": {"risk": np.linspace(0, 1, N)}}
    return {"target": "new", **more.get(name, {})}


@pytest.mark.parametrize("name", SIGNALS)
def test_the_losses_of_the_target_change_nothing(name: str) -> None:
    rng = np.random.default_rng(5)
    losses = [
        None,
        np.full(N, np.nan),
        rng.integers(0, 2, N).astype(float),
        (np.arange(N) % 4 > 1) * 1.0,
        rng.random(N),
    ]
    first, *others = [signal(pool(loss), name, **options(name)) for loss in losses]
    for other in others:
        assert other.values.tobytes() == first.values.tobytes() and other.how == first.how
        assert (other.risk is None) == (first.risk is None)


def test_values_ascend_in_risk() -> None:
    p = pool()
    classes = p.classes()
    expected = {
        "semantic-entropy": semantic_entropy(classes),
        "likelihood-entropy": semantic_entropy(classes, p.logprobs),
        "agreement": 1 - agreement(classes, p.target_classes("new")),
        "past-results": past_results(np.column_stack([p.losses("one"), p.losses("two")])),
        "column": p.items["judge"],
        "risk": np.linspace(0, 1, N),
        "group": np.arange(N) % 3,
        "self-consistency": 1 - self_consistency(classes),
        "predictive-entropy": predictive_entropy(p.token_logprobs),
    }
    for name, values in expected.items():
        along = signal(p, name, **options(name))
        np.testing.assert_array_equal(along.values, values)
        assert along.name == name and (along.risk is not None) == (name in ("past-results", "risk"))
        assert not along.values.flags.writeable and along.how.endswith(".")


def test_past_results_know_the_belief_and_the_models() -> None:
    p = pool()
    np.testing.assert_array_equal(
        signal(p, "past-results", target="new", past=["one"]).values, past_results(p.losses("one")[:, None])
    )
    both = np.column_stack([p.losses("one"), p.losses("two")])
    np.testing.assert_array_equal(signal(p, "past-results", target="new", accuracy=0.8).values, past_results(both, 0.8))


def test_losses_beyond_0_and_1_are_no_probability() -> None:
    p = Pool.from_records({"id": str(n), "targets": {"one": {"loss": float(n)}}} for n in range(5))
    assert signal(p, "past-results").risk is None


@pytest.mark.parametrize(("column", "sign"), [("judge", 1), ("verdict", -1), ("text", 1), ("reward", 1)])
def test_columns_are_numbers_and_past_outcomes_orient_them(column: str, sign: int) -> None:
    p = pool()
    numbers = np.array([float(cell) if cell is not None else np.nan for cell in p.items[column]])
    np.testing.assert_array_equal(signal(p, "column", target="new", column=column).values, sign * numbers)
    np.testing.assert_array_equal(signal(p, "column", target="new", column=column, past=()).values, numbers)


def test_items_without_a_signal_are_counted() -> None:
    along = signal(pool(), "column", column="reward")
    assert np.isnan(along.values).sum() == 1 and "1 item without" in along.how


@pytest.mark.parametrize(
    ("name", "more", "error", "words"),
    [
        ("entropy", {}, DesignError, "no signal called “entropy”"),
        ("agreement", {}, DesignError, "needs the target"),
        ("agreement", {"target": "x"}, PoolError, "no target “x”"),
        ("agreement", {"target": "one"}, PoolError, "no answers of “one”"),
        ("past-results", {"past": ["x"]}, PoolError, "no target “x”"),
        ("past-results", {"past": ()}, DesignError, "no past results"),
        ("column", {}, DesignError, "name of a column"),
        ("column", {"column": "x"}, PoolError, "no column “x”.*judge"),
        ("column", {"column": "word"}, PoolError, "row 3, word: “x” is not a number, nor are 11 other"),
        ("risk", {"past": ()}, DesignError, "no past results"),
        ("risk", {"risk": [0.5]}, DesignError, "1 predicted risks for 60 items"),
        ("risk", {"risk": [0.5] * 58 + [np.nan, 2]}, DesignError, "2 items.*row 59"),
    ],
)
def test_what_is_missing_is_named(name: str, more: dict[str, Any], error: type[NeymanError], words: str) -> None:
    with pytest.raises(error, match=words):
        signal(pool(), name, **more)


@pytest.mark.parametrize("name", ["semantic-entropy", "likelihood-entropy", "agreement"])
def test_generations_are_needed(name: str) -> None:
    p = Pool.from_records([{"id": "a", "targets": {"m": {"answer": "A"}}}])
    with pytest.raises(PoolError, match="no generations"):
        signal(p, name, target="m")


def test_log_probabilities_are_needed() -> None:
    with pytest.raises(PoolError, match="log-probabilit"):
        signal(Pool.from_records([{"id": "a", "generations": ["A"]}]), "likelihood-entropy")


def test_empty_and_infinite_columns_are_refused() -> None:
    p = Pool.from_records([{"id": "a", "x": "inf", "prompt": "p"}, {"id": "b", "x": "1"}])
    with pytest.raises(DesignError, match="infinite"):
        signal(p, "column", column="x")
    with pytest.raises(PoolError, match="row 1, prompt"):
        signal(p, "column", column="prompt")


def test_a_quarter_of_a_million_items_take_a_second() -> None:
    rng = np.random.default_rng(0)
    classes, target = rng.integers(0, 4, (250_000, 10)), rng.integers(-1, 5, 250_000)
    losses = (rng.random((250_000, 20)) < 0.3).astype(float)
    start = time.process_time()
    agreement(classes, target)
    past_results(losses, 0.7)
    assert time.process_time() - start < 2


def test_columns_of_numbers_are_named() -> None:
    row = {"id": "a", "prompt": "?", "judge": 0.5, "length": 3, "passed": True, "note": "long"}
    assert set(numeric_columns(Pool.from_records([row]))) == {"judge", "length", "passed"}
    assert numeric_columns(Pool.from_records([{"id": "a"}])) == ()
