"""Risk models: the regression against scipy's optimum, what they are trained on, and the model that is shipped."""

from __future__ import annotations

import gc
import json
import time
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize

from core.errors import DesignError
from core.pool import Pool
from core.readers import read
from core.signals import (
    FEATURES,
    RiskModel,
    agreement,
    default_model,
    features,
    fit,
    risk_model,
    self_consistency,
    semantic_entropy,
    signal,
    train,
)
from core.signals.past import past_risk
from core.signals.risk import CHOSEN


def records(n_items: int = 300, models: int = 5, seed: int = 0) -> list[dict[str, Any]]:
    """Models m0, m1 … that give the right answer A to easy items, one of three others to hard ones."""
    rng = np.random.default_rng(seed)
    ease = rng.beta(1.2, 0.9, n_items)

    def answers() -> list[str]:
        return ["ABCD"[c] for c in np.where(rng.random(n_items) < ease, 0, rng.integers(1, 4, n_items)).tolist()]

    outputs, surrogate = [answers() for _ in range(models)], [answers() for _ in range(6)]
    return [
        {
            "id": f"q{n}",
            "prompt": "x" * (n % 7 + 1),
            "choices": ["a", "b", "c", "d"][: 2 + n % 3],
            "group": "uv"[n % 2],
            "generations": [sample[n] for sample in surrogate],
            "targets": {
                f"m{j}": {"answer": of_item[n], "loss": float(of_item[n] != "A")} for j, of_item in enumerate(outputs)
            },
        }
        for n in range(n_items)
    ]


def without(rows: list[dict[str, Any]], model: str, *fields: str) -> Pool:
    """The pool without these fields of a model."""
    return Pool.from_records(
        {
            **row,
            "targets": {m: {f: v for f, v in o.items() if m != model or f not in fields} for m, o in outcomes.items()},
        }
        for row in rows
        for outcomes in [row["targets"]]
    )


@pytest.fixture(scope="module")
def rows() -> list[dict[str, Any]]:
    return records()


@pytest.fixture(scope="module")
def pool(rows: list[dict[str, Any]]) -> Pool:
    return Pool.from_records(rows)


def losses_of(pool: Pool, *names: str) -> np.ndarray:
    return np.column_stack([pool.losses(name) for name in names])


def test_features_are_what_they_are_called(pool: Pool) -> None:
    past = losses_of(pool, "m1", "m2")
    table = features(pool, "m0", past)
    assert tuple(table.columns) == FEATURES and len(table) == pool.n_items
    classes, risk = pool.classes(), past_risk(past)
    disagreement = 1 - agreement(classes, pool.target_classes("m0"))
    most = [np.bincount(row).max() for row in classes]
    agreeing = [(row == c).sum() for row, c in zip(classes, pool.target_classes("m0"), strict=True)]
    entropy = semantic_entropy(classes) / np.log(6)
    expected = {
        "past risk": np.log(risk / (1 - risk)),
        "disagreement": disagreement,
        "past risk × disagreement": np.log(risk / (1 - risk)) * disagreement,
        "semantic entropy": entropy,
        "1 − self-consistency": 1 - self_consistency(classes),
        "surrogates' favourite": np.equal(agreeing, most),
        "options": np.log(2 + np.arange(300) % 3),
        "unparsed": np.zeros(300),
        "length": np.log(2 + np.arange(300) % 7),
        "group's entropy": np.where(np.arange(300) % 2, entropy[1::2].mean(), entropy[::2].mean()),
    }
    for name in FEATURES:
        np.testing.assert_allclose(table[name], expected[name], atol=1e-12, err_msg=name)


def test_features_that_a_pool_lacks_are_left_out(rows: list[dict[str, Any]]) -> None:
    bare = Pool.from_records({"id": row["id"], "targets": row["targets"]} for row in rows)
    nothing = np.empty((300, 0))
    assert features(bare, "m0", nothing).empty and len(features(bare, "m0", nothing)) == 300
    assert list(features(bare, "m0", losses_of(bare, "m1"))) == ["past risk"]
    one = Pool.from_records({"id": "a", "generations": [text]} for text in ["x"])
    assert list(features(one, None, np.empty((1, 0)))) == ["1 − self-consistency", "unparsed"]


def test_missing_values_stay_missing() -> None:
    p = Pool.from_records(
        [
            {"id": "a", "generations": ["x", "?"], "choices": ["x", "y"], "answer_kind": "choice", "prompt": "p"},
            {"id": "b", "targets": {"m": {"answer": "x"}}},
        ]
    )
    table = features(p, "m", np.array([[np.nan], [1.0]]))
    assert table.isna().sum().to_dict() == {
        "past risk": 0,
        "semantic entropy": 1,
        "1 − self-consistency": 1,
        "options": 1,
        "unparsed": 1,
        "length": 1,
    }


def test_the_regression_is_the_optimum() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(2.0, 3.0, (400, 2))
    loss = (rng.random(400) < 1 / (1 + np.exp(-x[:, 0] + 0.3 * x[:, 1]))).astype(float)
    tables = [
        pd.DataFrame({"a": part[:, 0], "b": part[:, 1], "loss": wrong, "pool": number})
        for number, (part, wrong) in enumerate([(x[:100], loss[:100]), (x[100:], loss[100:])])
    ]
    model = fit(tables, ("a", "b", "c"))
    standard = (x - x.mean(axis=0)) / x.std(axis=0)
    weights = np.where(np.arange(400) < 100, 1 / 100, 1 / 300) * 200

    def objective(beta: np.ndarray) -> float:
        score = beta[0] + standard @ beta[1:]
        return float(weights @ (np.logaddexp(0, score) - loss * score) + 0.5 * beta[1:] @ beta[1:])

    best = minimize(objective, np.zeros(3), tol=1e-10).x
    assert model.features == ("a", "b") and model.models == 2
    np.testing.assert_allclose([model.intercept, *model.coefficients], best, atol=1e-5)
    expected = 1 / (1 + np.exp(-best[0] - standard @ best[1:]))
    np.testing.assert_allclose(model.predict(pd.DataFrame(x, columns=["a", "b"])), expected, atol=1e-5)


@pytest.mark.parametrize("loss", [0.0, 1.0])
def test_equal_outcomes_and_constant_features_have_a_finite_model(loss: float) -> None:
    table = pd.DataFrame({"a": np.arange(50.0), "b": 1.0, "loss": loss, "pool": 0})
    risk = fit([table], ("a", "b")).predict(table)
    assert np.all(np.isfinite(risk)) and np.all(np.abs(risk - loss) < 0.05)


def test_a_perfect_feature_has_a_finite_model() -> None:
    table = pd.DataFrame({"a": np.repeat([0.0, 1.0], 500), "loss": np.repeat([0.0, 1.0], 500), "pool": 0})
    risk = fit([table], ("a",)).predict(table)
    assert risk[0] < 0.02 and risk[-1] > 0.98


@pytest.mark.parametrize(
    "tables", [[], [pd.DataFrame({"a": [1.0], "loss": [2.0], "pool": [0]})], [pd.DataFrame({"loss": [1.0]})]]
)
def test_what_cannot_be_trained_is_refused(tables: list[pd.DataFrame]) -> None:
    with pytest.raises(DesignError):
        fit(tables, ("a",))


def test_models_survive_json(pool: Pool) -> None:
    model = train(pool, "m0")
    assert RiskModel.from_dict(json.loads(json.dumps(model.to_dict()))) == model
    with pytest.raises(DesignError, match="for each feature"):
        RiskModel(("a",), (0.0,), (0.0,), (1.0,), 0.0, 1)
    with pytest.raises(DesignError, match="for each feature"):
        RiskModel(("a",), (0.0,), (1.0,), (), 0.0, 1)


def test_a_feature_that_is_missing_is_named() -> None:
    with pytest.raises(DesignError, match="disagreement"):
        default_model().predict(pd.DataFrame({"past risk": [0.0]}))


def test_unknown_features_count_as_their_mean() -> None:
    model = RiskModel(("a",), (3.0,), (2.0,), (1.0,), 0.5, 1)
    np.testing.assert_allclose(
        model.predict(pd.DataFrame({"a": [np.nan, 3.0, 5.0]})), 1 / (1 + np.exp([-0.5, -0.5, -1.5]))
    )


@pytest.mark.parametrize("past", [None, ("m1", "m2", "m4"), ("m3",)])
def test_the_losses_of_the_target_change_nothing(rows: list[dict[str, Any]], past: tuple[str, ...] | None) -> None:
    rng = np.random.default_rng(1)
    unknown = signal(without(rows, "m0", "loss"), "risk", target="m0", past=past)
    for _ in range(3):
        scrambled = [
            {**row, "targets": {**row["targets"], "m0": {**row["targets"]["m0"], "loss": float(rng.random() < 0.5)}}}
            for row in rows
        ]
        again = signal(Pool.from_records(scrambled), "risk", target="m0", past=past)
        assert again.values.tobytes() == unknown.values.tobytes() and again.how == unknown.how


def test_models_are_trained_on_the_pool_where_there_are_two_or_the_default_is_taken(
    pool: Pool, rows: list[dict[str, Any]]
) -> None:
    assert risk_model(pool, "m0") == train(pool, "m0") != default_model()
    assert risk_model(pool, "m0").features == CHOSEN and risk_model(pool, "m0").models == 4
    assert risk_model(pool, "m0", ["m1"]) == default_model()
    silent = without(rows, "m0", "answer")
    assert risk_model(silent, "m0").features == ("past risk",)
    with pytest.raises(DesignError, match="risk model needs"):
        risk_model(silent, "m0", ["m1"])
    with pytest.raises(DesignError, match="no past results"):
        risk_model(pool, "m0", ())


def test_a_pool_is_learned_from_once_for_each_question(rows: list[dict[str, Any]]) -> None:
    """Designs of every budget ask for the same model; the pool goes all the same."""
    pool = Pool.from_records(rows)
    assert risk_model(pool, "m0") is risk_model(pool, "m0", None)
    assert risk_model(pool, "m0", ["m1", "m2"]) == train(pool, "m0", ["m1", "m2"]) != risk_model(pool, "m0")
    assert risk_model(pool, "m1") == train(pool, "m1")
    gone = weakref.ref(pool)
    del pool
    gc.collect()
    assert gone() is None


def test_models_without_answers_leave_the_default(rows: list[dict[str, Any]]) -> None:
    outcomes_only = [
        {**row, "targets": {m: o if m == "m0" else {"loss": o["loss"]} for m, o in row["targets"].items()}}
        for row in rows
    ]
    assert risk_model(Pool.from_records(outcomes_only), "m0") == default_model()


def test_losses_beyond_0_and_1_are_refused(rows: list[dict[str, Any]]) -> None:
    scores = [{**row, "targets": {m: {**o, "loss": 3 * o["loss"]} for m, o in row["targets"].items()}} for row in rows]
    for past in (None, ["m1"]):
        with pytest.raises(DesignError, match="between 0 and 1"):
            risk_model(Pool.from_records(scores), "m0", past)


def test_a_trained_risk_orders_better_than_its_parts_and_is_calibrated() -> None:
    pool = Pool.from_records(records(1500, 5, seed=2))
    losses = pool.losses("m0")

    def squares(values: np.ndarray) -> float:
        order = np.argsort(values, kind="stable")
        return sum(float(((part - part.mean()) ** 2).sum()) for part in np.array_split(losses[order], 25))

    risk = signal(pool, "risk", target="m0")
    parts = [squares(signal(pool, name, target="m0").values) for name in ("agreement", "past-results")]
    assert risk.risk is not None and squares(risk.values) < 0.9 * min(parts)
    assert abs(risk.risk.mean() - losses.mean()) < 0.04


def test_earlier_pools_train_too(pool: Pool) -> None:
    other = Pool.from_records(records(200, 3, seed=4))
    both = train([pool, other], "m0")
    assert both.models == 4 + 2 and both.features == CHOSEN
    along = signal(other, "risk", target="m2", past=["m1"], risk=both)
    assert along.values.shape == (200,) and "6 models" in along.how
    np.testing.assert_array_equal(
        along.values, both.predict(features(other, "m2", losses_of(other, "m1"), both.features))
    )


def test_of_many_models_the_nearest_are_learned_from() -> None:
    p = Pool.from_records(records(60, 20))
    model = train(p, "m0", accuracy=0.6)
    assert model.models == 12
    assert train(p, "m0", past=["m1", "m2", "m3"], accuracy=0.6).models == 3


def test_twelve_thousand_items_train_in_seconds() -> None:
    rng = np.random.default_rng(0)
    losses = (rng.random((12_032, 12)) < rng.random((12_032, 1))).astype(float)
    letters = np.array(list("ABCD"))[rng.integers(0, 4, (12_032, 10))].tolist()
    p = Pool.from_records(
        {
            "id": str(n),
            "generations": letters[n],
            "targets": {f"m{j}": {"loss": losses[n, j], "answer": "ABCD"[j % 4]} for j in range(12)},
        }
        for n in range(12_032)
    )
    start = time.process_time()
    signal(p, "risk", target="m0", accuracy=0.5)
    assert time.process_time() - start < 10


@pytest.mark.parametrize("file", ["exams-gpt35-k10.jsonl", "gsm8k-committee10.jsonl", "blink-vlm-committee10.jsonl"])
def test_on_real_pools_risk_orders_better_than_either_signal(real_pool: Callable[[str], Path], file: str) -> None:
    pool = read(real_pool(file))
    for name in pool.targets:
        losses = pool.losses(name)

        def squares(values: np.ndarray, losses: np.ndarray = losses) -> float:
            order = np.argsort(values, kind="stable")
            return sum(float(((part - part.mean()) ** 2).sum()) for part in np.array_split(losses[order], 50))

        parts = [
            squares(signal(pool, signal_name, target=name).values) for signal_name in ("agreement", "past-results")
        ]
        assert squares(signal(pool, "risk", target=name).values) < min(parts)


def test_a_risk_that_was_predicted_before_is_corrected_as_far_as_labels_say() -> None:
    rng = np.random.default_rng(2)
    logits = rng.normal(-1, 1.5, 4000)
    truth = 1 / (1 + np.exp(-(1 + 0.5 * logits)))
    losses = (rng.random(4000) < truth).astype(float)
    table = pd.DataFrame({"logit": logits})

    def off(labels: int, against: np.ndarray) -> float:
        model = fit([table.head(labels).assign(loss=losses[:labels], pool=0)], ["logit"], "logit")
        return float(np.abs(model.predict(table) - against).mean())

    known = 1 / (1 + np.exp(-logits))
    assert off(4000, truth) < 0.03 < 0.1 < off(4000, known)
    assert off(2, known) < 0.15 and off(50, truth) < 0.6 * np.abs(known - truth).mean()
    alike = fit([table.head(12).assign(loss=0.0, pool=0)], ["logit"], "logit").predict(table)
    assert np.corrcoef(alike, known)[0, 1] > 0.9, "labels that agree leave an order"
