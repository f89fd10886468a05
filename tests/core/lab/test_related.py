"""GAT, AcTracer and control variates: closed forms, enumeration of small pools, and the bias of what is biased."""

from __future__ import annotations

import json
import math
from itertools import combinations, permutations, product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from core import lure
from core.commands import main
from core.errors import DesignError, PoolError
from core.lab import TOPICS, actracer, captions, experiment, related, shown_tables
from core.pool import Pool
from core.simulation import uniform_mse
from tests.core.lab.conftest import outcome_of
from tests.core.lab.test_ladder import records

LOSSES = np.array([1.0, 0.0, 0.3, 1.0, 0.0, 1.0, 0.2])
PREDICTED = np.array([0.9, 0.2, 0.4, 0.5, 0.1, 0.8, 0.6])


@pytest.fixture(scope="module")
def pool() -> Pool:
    """Two targets' answers, with a judge, P(True) and vectors that know something of the items."""
    rng, rows = np.random.default_rng(5), records(160)
    for row in rows:
        wrong = float(row["targets"]["new"]["answer"] != "A")  # type: ignore[index]
        row["judge"] = float(rng.random() > 0.2 + 0.6 * wrong)
        row["p_true"] = float(np.clip(0.8 - 0.5 * wrong + rng.normal(0, 0.1), 0, 1))
        row["vector"] = [wrong + rng.normal(0, 0.6), rng.normal()]
    return Pool.from_records(rows, "related")


# Control variates.


@pytest.mark.parametrize("coefficient", [0.0, 0.6, 1.0, -0.5])
def test_the_difference_estimate_and_its_variance_are_unbiased_over_all_samples(coefficient: float) -> None:
    estimates = [
        related.estimate(LOSSES[list(s)], PREDICTED[list(s)], PREDICTED, coefficient) for s in combinations(range(7), 3)
    ]
    values = np.array([one.value for one in estimates])
    (mse,) = related.exact_errors(LOSSES, PREDICTED, [3], coefficient)
    assert values.mean() == pytest.approx(LOSSES.mean(), abs=1e-12)
    assert values.var() == pytest.approx(mse, rel=1e-12)
    assert np.mean([one.standard_error**2 for one in estimates]) == pytest.approx(mse, rel=1e-12)
    assert all(one.low < one.value < one.high for one in estimates)


def test_without_a_coefficient_it_is_uniform_and_the_best_one_leaves_what_is_not_correlated() -> None:
    assert related.exact_errors(LOSSES, PREDICTED, [3], 0.0)[0] == pytest.approx(uniform_mse(LOSSES, 3))
    best = related.best_coefficient(LOSSES, PREDICTED)
    rho = np.corrcoef(LOSSES, PREDICTED)[0, 1]
    (least,) = related.exact_errors(LOSSES, PREDICTED, [3], best)
    assert least == pytest.approx((1 - rho**2) * uniform_mse(LOSSES, 3))
    for other in (best - 0.1, best + 0.1):
        assert related.exact_errors(LOSSES, PREDICTED, [3], other)[0] > least
    assert related.best_coefficient(LOSSES, np.ones(7)) == 0


def test_verdicts_come_from_the_judge_or_the_answers_or_the_surrogate(pool: Pool) -> None:
    judged = related.verdicts(pool, "new")
    np.testing.assert_allclose(judged.losses, 1 - pool.items["judge"])
    assert 0 <= judged.coefficient <= 1 and "judge" in judged.how
    other = related.verdicts(pool, "new", "p_true")
    np.testing.assert_allclose(other.losses, 1 - pool.items["p_true"])
    plain = Pool.from_records(records(60), "no judge")
    agreeing = related.verdicts(plain, "new")
    shares = [np.mean([g == row["targets"]["new"]["answer"] for g in row["generations"]]) for row in records(60)]  # type: ignore[index,attr-defined]
    np.testing.assert_allclose(agreeing.losses, 1 - np.array(shares))
    rows = [row | {"targets": {"m": {"loss": n % 2}}} for n, row in enumerate(records(60))]
    alone = related.verdicts(Pool.from_records(rows, "losses"), "m")
    assert alone.coefficient == 1 and "self-consistency" in alone.how
    with pytest.raises(PoolError, match="no column"):
        related.verdicts(pool, "new", "nothing")


def test_verdicts_do_not_look_at_the_targets_losses(pool: Pool) -> None:
    rows = [row | {"targets": row["targets"] | {"new": {"loss": n % 2}}} for n, row in enumerate(records(60))]  # type: ignore[operator]
    flipped = [row | {"targets": row["targets"] | {"new": {"loss": 1 - n % 2}}} for n, row in enumerate(records(60))]  # type: ignore[operator]
    one, two = (related.verdicts(Pool.from_records(r, "x"), "new") for r in (rows, flipped))
    np.testing.assert_array_equal(one.losses, two.losses)
    assert one.coefficient == two.coefficient


def test_a_verdict_on_another_scale_is_scaled_and_a_missing_one_is_the_mean() -> None:
    rows = [
        {"id": f"q{n}", "reward": reward, "targets": {"m": {"loss": 1}}} for n, reward in enumerate((-2, 0, 2, None))
    ]
    verdicts = related.verdicts(Pool.from_records(rows, "rewards"), "m", "reward")
    np.testing.assert_allclose(verdicts.losses, [1, 0.5, 0, 0.5])


# GAT.


def test_the_score_is_the_entropy_of_true_and_false() -> None:
    scores = related.gat_scores([0.0, 1.0, 0.5, 0.25, math.nan])
    expected = -(0.25 * math.log(0.25) + 0.75 * math.log(0.75))
    np.testing.assert_allclose(scores, [0, 0, math.log(2), expected, math.nan], equal_nan=True)


def test_probabilities_come_from_both_log_probabilities() -> None:
    logs = np.log([[0.6, 0.2], [0.3, 0.3]]).T
    np.testing.assert_allclose(related.true_probability(*logs), [0.75, 0.5])
    np.testing.assert_allclose(related.true_probability([-1.0, -math.inf], [-math.inf, -1.0]), [1, 0])
    for wrong in (([1.2],), ([0.1], [-1.0]), ([-1.0], [0.1])):
        with pytest.raises(DesignError):
            related.true_probability(*wrong)


def test_the_columns_of_a_pool_are_found_by_their_names(pool: Pool) -> None:
    np.testing.assert_allclose(related.gat_proxy(pool), pool.items["p_true"])
    np.testing.assert_allclose(related.gat_proxy(pool, "judge"), pool.items["judge"])
    logged = [{"id": f"q{n}", "logprob_true": -0.5, "logprob_false": -1.0 - n} for n in range(3)]
    proxy = related.gat_proxy(Pool.from_records(logged, "logged"))
    np.testing.assert_allclose(proxy, 1 / (1 + np.exp(-0.5 - np.arange(3))))
    assert related.gat_proxy(Pool.from_records(records(5), "bare")) is None


def test_the_prompt_holds_question_and_answer_as_they_are() -> None:
    prompt = related.prompt("What is {answer}?", "{question}")
    assert "What is {answer}?" in prompt and "Proposed answer: {question}" in prompt and "True or False" in prompt


def test_gat_is_lure_with_its_score_and_unbiased(pool: Pool) -> None:
    outcome, known = outcome_of(pool, "new"), np.ones(160, dtype=bool)
    rows = related.simulated(pool, outcome, known, [20, 50], 400, 0.2, 3).set_index(["method", "budget"])
    estimates = lure.estimates(outcome.losses, related.gat_scores(pool.items["p_true"]), [20, 50], 400, 0.2, 3)
    squared = (estimates - outcome.losses.mean()) ** 2
    for place, budget in enumerate((20, 50)):
        row = rows.loc[("gat", budget)]
        assert row["mse"] == pytest.approx(squared[:, place].mean())
        assert row["relative_mse"] == pytest.approx(row["mse"] / uniform_mse(outcome.losses, budget))
        assert abs(row["bias"]) < 4.5 * row["bias_error"]


# AcTracer.


def by_hand(order: list[list[float]], budget: int, exploration: float) -> float:
    """The estimate of one order of each cluster's items, in plain Python."""
    sizes = [len(items) for items in order]
    shares = [size / sum(sizes) for size in sizes]
    counts = [min(2, size) for size in sizes]
    while sum(counts) < budget:
        bounds = []
        for share, items, count, size in zip(shares, order, counts, sizes, strict=True):
            sd = float(np.std(items[:count], ddof=1)) if count > 1 else 0.0
            bounds.append(share / count * (sd + exploration / math.sqrt(count)) if count < size else -1.0)
        counts[bounds.index(max(bounds))] += 1
    return sum(s * float(np.mean(items[:c])) for s, items, c in zip(shares, order, counts, strict=True))


def test_the_mean_over_all_orders_is_that_of_the_enumeration_and_not_the_truth() -> None:
    losses, cluster = np.array([1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 1.0]), np.array([0, 0, 0, 1, 1, 1, 1])
    parts = [losses[cluster == k].tolist() for k in (0, 1)]
    orders = product(permutations(parts[0]), permutations(parts[1]))
    paths = [by_hand([list(one), list(two)], 5, 0.1) for one, two in orders]
    drawn = actracer.estimates(losses, cluster, [5], None, 20_000, 0.1, 1)[:, 0]
    error = drawn.std(ddof=1) / math.sqrt(drawn.size)
    assert drawn.mean() == pytest.approx(np.mean(paths), abs=4.5 * error)
    assert drawn.var() == pytest.approx(np.var(paths), rel=0.06)
    assert abs(np.mean(paths) - losses.mean()) > 1e-3


def test_one_cluster_without_confidence_is_uniform() -> None:
    losses = np.random.default_rng(0).random(30)
    drawn = actracer.estimates(losses, np.zeros(30, dtype=int), [6, 12, 30], None, 8000, 0.5, 2)
    errors = (drawn - losses.mean()) ** 2
    for place, budget in enumerate((6, 12)):
        se = errors[:, place].std(ddof=1) / math.sqrt(8000)
        assert errors[:, place].mean() == pytest.approx(uniform_mse(losses, budget), abs=4.5 * se)
    np.testing.assert_allclose(drawn[:, 2], losses.mean())


def test_confidence_decides_which_level_comes_next() -> None:
    """Shares 1/2, 3/10, 1/5: lacking most are level 0, then 1, then 0 (3·½−1 = ½ against 2/5 and … of 3·1/5 = 3/5)."""
    losses = np.array([0.0] * 5 + [1.0] * 3 + [2.0] * 2)
    drawn = actracer.estimates(losses, np.zeros(10, dtype=int), [2, 3, 10], losses, 5)
    # The first three are one of each level: 0, then 1, then 2.
    np.testing.assert_allclose(drawn, np.tile([0.5, 1.0, 0.7], (5, 1)))


def test_budgets_that_the_clusters_cannot_begin_with_are_unknown() -> None:
    drawn = actracer.estimates(LOSSES, [0, 0, 0, 1, 1, 1, 2], [4, 5, 7], None, 10)
    assert np.isnan(drawn[:, 0]).all() and not np.isnan(drawn[:, 1:]).any()
    np.testing.assert_allclose(drawn[:, 2], LOSSES.mean())
    for arguments in ((LOSSES[:3], [0, 0], [2]), ([math.nan, 1.0], [0, 0], [2]), (LOSSES, [0] * 7, [8])):
        with pytest.raises(DesignError):
            actracer.estimates(*arguments)


def test_clusters_find_groups_of_points_whatever_their_scale() -> None:
    rng = np.random.default_rng(0)
    centres = np.repeat([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]], 20, axis=0)
    points = (centres + rng.normal(0, 0.3, (60, 2))) * [1, 1000]
    clusters = actracer.clusters(points, 3)
    assert [set(clusters[start : start + 20]) for start in (0, 20, 40)] == [{k} for k in clusters[[0, 20, 40]]]
    assert len(set(clusters)) == 3
    assert set(actracer.clusters(np.ones((9, 2)), 4)) == {0}
    assert set(actracer.clusters(rng.normal(size=(40, 2)), 10)) <= set(range(10))


def test_vectors_are_a_list_or_columns(pool: Pool) -> None:
    points = actracer.vectors(pool)
    assert points is not None and points.shape == (160, 2)
    columns = [{"id": f"q{n}", "vector:a": n, "vector:b": -n} for n in range(4)]
    np.testing.assert_allclose(actracer.vectors(Pool.from_records(columns, "c")), [[n, -n] for n in range(4)])
    assert actracer.vectors(Pool.from_records(records(3), "none")) is None


@pytest.mark.parametrize(
    ("vectors", "message"),
    [
        ([[1, 2], [1]], "Row 2"),
        ([[1, 2], "text"], "Row 2"),
        ([[1, 2], None], "Row 2"),
        ([[1, 2], ["a", 2]], "Row 2"),
        ([[], []], "Row 1"),
        ([5, 6], "Row 1"),
    ],
)
def test_a_vector_that_is_none_is_named(vectors: list[object], message: str) -> None:
    rows = [{"id": f"q{n}"} | ({} if v is None else {"vector": v}) for n, v in enumerate(vectors)]
    with pytest.raises((DesignError, PoolError), match=message):
        actracer.vectors(Pool.from_records(rows, "bad"))


# Side by side.


def test_the_topic_shows_all_of_them_with_actracers_bias(pool: Pool) -> None:
    run = experiment(pool, "new", (20, 50), trials=300)
    topic = next(topic for topic in TOPICS if topic.name == "related")
    assert callable(topic.values) and topic.simulation is not None
    values, drawn = topic.values(run), topic.simulation.run(run, None)
    table = topic.table(run, values, drawn)
    assert set(table.rows["method"]) == {
        *("uniform", "proxy-neyman", "recommended"),
        *("control-variate", "control-variate-best", "gat", "actracer"),
    }
    exact = values.set_index(["method", "budget"])["relative_mse"]
    assert (exact["control-variate-best"] <= exact["control-variate"] + 1e-12).all()
    assert table.cells["AcTracer’s bias, points"].str.contains("s.e.").all()
    assert "AcTracer’s mean" in table.remark and "GAT is not shown" not in table.note


def test_the_command_takes_other_columns(pool: Pool, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "related.jsonl"
    pool.write(path)
    columns = ("--judge", "p_true", "--p-true", "judge")
    assert main(["lab", str(path), "--target", "new", "--budgets", "20", "--trials", "50", "--json", *columns]) == 0
    printed = pd.DataFrame(json.loads(capsys.readouterr().out)["tables"]["related"]["rows"]).set_index("method")
    verdicts, losses = related.verdicts(pool, "new", "p_true"), pool.losses("new")
    (expected,) = related.exact_errors(losses, verdicts.losses, [20], verdicts.coefficient)
    assert printed.at["control-variate", "mse"] == pytest.approx(expected)
    drawn = lure.estimates(losses, related.gat_scores(pool.items["judge"]), [20], 50)
    assert printed.at["gat", "mse"] == pytest.approx(((drawn - losses.mean()) ** 2).mean())
    assert main(["lab", str(path), "--target", "new", "--judge", "nothing"]) == 2


def test_what_a_pool_lacks_is_said() -> None:
    plain = Pool.from_records(records(60), "plain")
    run = experiment(plain, "new", (20,), trials=50)
    topic = next(topic for topic in TOPICS if topic.name == "related")
    assert callable(topic.values) and topic.simulation is not None
    drawn = topic.simulation.run(run, None)
    table = topic.table(run, topic.values(run), drawn)
    assert drawn.empty and table.remark == "" and related.LACKS in table.note and actracer.LACKS in table.note


def test_a_bias_is_called_one_only_where_it_can_be_seen() -> None:
    row = {"method": "actracer", "budget": 50, "relative_mse": 0.9, "relative_standard_error": 0.1}
    near = pd.DataFrame([row | {"bias": 0.001, "bias_error": 0.002}])
    far = near.assign(bias=-0.02)
    assert "no bias can be seen" in captions.simulated_related(near, 50)
    assert "−2.0" in captions.simulated_related(far, 50) and "is biased" in captions.simulated_related(far, 50)
    exact = pd.DataFrame({"method": ["uniform"], "budget": [50], "relative_mse": [1.0]})
    assert shown_tables.related(exact, far)["AcTracer’s bias, points"].tolist() == ["−2.0 (s.e. 0.2)"]
