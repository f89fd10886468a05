"""Estimates per group: hand figures, both estimators, coverage, and groups without labels."""

from __future__ import annotations

import math

import numpy as np
import pytest

from core.design.two_waves import corrected
from core.errors import DesignError
from core.estimation import Interval, domains, stratified
from core.estimation.contrasts import ratio
from core.estimation.groups import _MODEL, NONE, RATIO, WITHIN, _Labels, _model_based

FREE = Interval(bounded=False)
# Sixty items in strata of 30; even places are "maths", the others "law", the last ten in no group.
STRATA = np.repeat([0, 1], 30)
GROUPS = [None if i >= 50 else "law" if i % 2 else "maths" for i in range(60)]


def test_a_group_seen_in_every_stratum_is_a_stratified_sample_of_itself() -> None:
    places = np.array([0, 2, 4, 1, 3, 30, 32, 34, 31, 33])
    losses = np.array([1, 0, 0, 1, 1, 1, 1, 0, 0, 1.0])
    table = domains(losses, places, STRATA, GROUPS).set_index("group")
    assert table.index.tolist() == ["maths", "law"]
    assert table["items"].tolist() == [25, 25] and table["labels"].tolist() == [6, 4]
    assert set(table["estimator"]) == {WITHIN}
    alone = stratified(losses[[0, 1, 2, 5, 6, 7]], [0, 0, 0, 1, 1, 1], (15, 10))
    row = table.loc["maths"]
    assert (row["value"], row["standard_error"], row["low"], row["high"]) == pytest.approx(
        (alone.value, alone.standard_error, alone.low, alone.high)
    )


def test_a_group_unseen_in_a_stratum_is_estimated_by_a_ratio() -> None:
    """Law has labels in stratum 0 (losses 1, 1, 0 of m = 5, weight 6) and one in stratum 1 (loss 0 of m = 4, 7.5)."""
    places = np.array([1, 3, 5, 0, 2, 31, 30, 32, 34])
    losses = np.array([1, 1, 0, 0, 1, 0, 1, 1, 1.0])
    row = domains(losses, places, STRATA, GROUPS).set_index("group").loc["law"]
    assert row["estimator"] == RATIO
    total = 3 * 6 + 7.5
    value = 12 / total
    assert row["value"] == pytest.approx(value)
    first = np.array([1 - value, 1 - value, -value, 0, 0])
    second = np.array([-value, 0, 0, 0])
    variance = sum(30**2 * (1 - z.size / 30) * z.var(ddof=1) / z.size for z in (first, second)) / total**2
    assert row["standard_error"] == pytest.approx(math.sqrt(variance))
    assert 0 <= row["low"] < value < row["high"] <= 1


def test_groups_without_labels_say_so() -> None:
    table = domains([1.0, 0.0, 1.0], [0, 2, 30], STRATA, GROUPS).set_index("group")
    row = table.loc["law"]
    assert row["estimator"] == NONE and row["labels"] == 0
    assert math.isnan(row["value"])
    assert (row["low"], row["high"]) == (0.0, 1.0)
    assert "no item" in row["method"]


def test_a_fully_labelled_group_is_known() -> None:
    groups = ["rare" if i in (0, 30) else "rest" for i in range(60)]
    losses = [1.0, 0.0, 1.0, 1.0, 0.0, 0.0]
    row = domains(losses, [0, 30, 1, 2, 31, 32], STRATA, groups).set_index("group").loc["rare"]
    assert (row["value"], row["low"], row["high"], row["items"]) == (0.5, 0.5, 0.5, 2)


def test_one_group_that_is_the_pool_is_the_estimate() -> None:
    losses, places = [1.0, 0, 1, 0, 0, 1, 1], [0, 5, 7, 9, 31, 33, 40]
    alone = stratified(losses, STRATA[places], (30, 30))
    row = domains(losses, places, STRATA, ["all"] * 60).iloc[0]
    assert (row["value"], row["low"], row["high"]) == pytest.approx((alone.value, alone.low, alone.high))


@pytest.mark.parametrize(
    ("labels", "draws"),
    [((12, 12), 100), *(pytest.param(m, 1000, marks=pytest.mark.trial) for m in ((12, 12), (30, 24)))],
)
def test_intervals_of_groups_cover(labels: tuple[int, int], draws: int) -> None:
    """Seeded draws, three groups of unequal size; at least 93 %, three standard errors."""
    rng = np.random.default_rng(21)
    strata = np.repeat([0, 1], [700, 500])
    group = rng.choice(["a", "b", "c"], 1200, p=[0.6, 0.3, 0.1])
    loss = (rng.random(1200) < np.where(strata == 0, 0.15, 0.5)).astype(float)
    truth = {g: loss[group == g].mean() for g in "abc"}
    hits = dict.fromkeys("abc", 0)
    for _ in range(draws):
        drawn = np.concatenate([rng.choice(700, labels[0], False), 700 + rng.choice(500, labels[1], False)])
        for row in domains(loss[drawn], drawn, strata, group.tolist()).itertuples():
            hits[row.group] += row.low <= truth[row.group] <= row.high
    print({g: h / draws for g, h in hits.items()})
    assert min(hits.values()) / draws >= 0.93 - 3 * math.sqrt(0.93 * 0.07 / draws)


def test_groups_that_are_written_alike_are_one() -> None:
    table = domains([1.0, 0.0, 1.0], [0, 1, 30], STRATA, [1, "1"] * 30)
    assert table["group"].tolist() == ["1"] and table["items"].tolist() == [60]


def test_a_group_with_unevenly_spread_labels_has_the_limits_of_its_sample() -> None:
    """A random number of labels of each stratum falls into a group."""
    losses, places = [0.0] * 2 + [0.0] * 5 + [1.0] * 5, [0, 1, *range(30, 40)]
    row = domains(losses, places, STRATA, ["all"] * 60).iloc[0]
    alone = stratified(losses, STRATA[places], (30, 30))
    assert (row["low"], row["high"]) == (alone.low, alone.high)


def test_groups_without_bounds_have_limits_by_t() -> None:
    """Maths in both strata is a sample of itself; law, with one label in stratum 1, a ratio of spreads of its own."""
    places = np.array([0, 2, 4, 1, 3, 5, 30, 32, 34, 31])
    losses = np.array([7, 3, 5, 0.5, 0.25, 0.75, 4, 9, 8, 0.5])
    table = domains(losses, places, STRATA, GROUPS, FREE).set_index("group")
    alone = stratified(losses[[0, 1, 2, 6, 7, 8]], [0, 0, 0, 1, 1, 1], (15, 10), bounded=False)
    maths, law = table.loc["maths"], table.loc["law"]
    assert (maths["estimator"], maths["low"], maths["high"]) == (
        WITHIN,
        pytest.approx(alone.low),
        pytest.approx(alone.high),
    )
    assert maths["high"] > 1 and "Satterthwaite" in maths["method"]
    member = np.isin(places, [1, 3, 5, 31]).astype(float)
    again = ratio(losses * member, member, STRATA[places], (30, 30), FREE)
    assert (law["estimator"], law["value"], law["low"]) == (RATIO, again.value, again.low)
    assert "Satterthwaite" in law["method"], "labels in 0 … 1 do not bound the others"


def test_a_group_without_bounds_and_without_spread_has_no_interval() -> None:
    places, losses = [0, 2, 1, 30, 32, 31], [7.0, 7.0, 1.0, 7.0, 7.0, 2.0]
    table = domains(losses, places, STRATA, GROUPS, FREE).set_index("group")
    maths = table.loc["maths"]
    assert maths["value"] == 7 and maths["standard_error"] == 0
    assert (maths["low"], maths["high"]) == (-math.inf, math.inf)
    without = domains([7.0, 5.0, 7.0, 6.0], [0, 2, 30, 32], STRATA, GROUPS, FREE).set_index("group").loc["law"]
    assert math.isnan(without["value"]) and (without["low"], without["high"]) == (-math.inf, math.inf)


def test_intervals_of_groups_without_bounds_cover() -> None:
    """100 seeded draws of 24 labels in each of two strata, half of them in each group; at least 93 %, three errors."""
    rng = np.random.default_rng(4)
    strata, groups = np.repeat([0, 1], 300), np.tile(["a", "b"], 300)
    loss = rng.normal(np.where(groups == "a", 5.0, 2.0), np.where(strata == 0, 1.0, 3.0))
    truth = {name: float(loss[groups == name].mean()) for name in ("a", "b")}
    hits = dict.fromkeys(truth, 0)
    for _ in range(100):
        drawn = np.concatenate([rng.choice(300, 24, False), 300 + rng.choice(300, 24, False)])
        for row in domains(loss[drawn], drawn, strata, groups.tolist(), FREE).itertuples():
            hits[row.group] += row.low <= truth[row.group] <= row.high
    assert min(hits.values()) / 100 >= 0.93 - 3 * math.sqrt(0.93 * 0.07 / 100)


def test_joint_limits_hold_for_all_groups_with_labels_at_once() -> None:
    """Of three groups two have labels: 95 % together is 97.5 % each."""
    groups = [*GROUPS[:50], *["rest"] * 10]
    places = np.array([0, 2, 4, 1, 3, 30, 32, 34, 31, 33])
    losses = np.array([1, 0, 0, 1, 1, 1, 1, 0, 0, 1.0])
    table = domains(losses, places, STRATA, groups)
    each = domains(losses, places, STRATA, groups, Interval(confidence=0.975))
    assert table["joint_low"].tolist() == each["low"].tolist() and table["joint_high"].tolist() == each["high"].tolist()


def test_no_groups_no_rows() -> None:
    table = domains([1.0, 0.0, 1.0], [0, 1, 30], STRATA, [None] * 60)
    assert table.empty and "estimator" in table


@pytest.mark.parametrize(
    ("losses", "places", "groups", "message"),
    [
        ([1.0], [0, 1], GROUPS, "1 losses and 2 positions"),
        ([1.0], [0], GROUPS[:5], "5 groups for 60 items"),
        ([1.0], [60], GROUPS, "between 0 and 59"),
        ([1.0, 1.0], [3, 3], GROUPS, "two labels"),
        ([5.0], [3], GROUPS, "outside 0 … 1"),
        ([math.nan], [3], GROUPS, "Some losses are unknown"),
    ],
)
def test_errors(losses: list[float], places: list[int], groups: list[object], message: str) -> None:
    with pytest.raises(DesignError, match=message):
        domains(losses, places, STRATA, groups)


def test_a_model_based_estimate_weighs_a_groups_residuals_by_their_number() -> None:
    """Given predictions of 1/4, three labels of maths with the residuals 3/4, −1/4, −1/4, its 22 open items."""
    losses, places = np.array([1.0, 0, 0, 1, 0, 1]), np.array([0, 2, 30, 1, 3, 31])
    table = domains(losses, places, STRATA, GROUPS, predicted=np.full(60, 0.25)).set_index("group")
    maths = table.loc["maths"]
    open_items = maths["items"] - 3
    value = (1 + open_items * (0.25 + 3 / 18 * (0.25 / 3))) / maths["items"]
    assert maths["model_value"] == pytest.approx(value)
    assert maths["model_low"] < value < maths["model_high"]


def test_model_based_estimates_are_closer_for_groups_with_few_labels_and_cover() -> None:
    """25 draws of 60 labels among ten groups that differ by 12 points around their strata."""
    rng = np.random.default_rng(6)
    strata, group = np.repeat([0, 1], 600), rng.integers(0, 10, 1200)
    chance = np.clip(np.where(strata == 0, 0.2, 0.6) + rng.normal(0, 0.12, 10)[group], 0, 1)
    loss = (rng.random(1200) < chance).astype(float)
    truth = {str(g): loss[group == g].mean() for g in range(10)}
    errors, hits = np.zeros((2, 25)), 0.0
    for t in range(25):
        drawn = np.r_[rng.choice(600, 30, False), 600 + rng.choice(600, 30, False)]
        table = domains(loss[drawn], drawn, strata, group.tolist())
        expected = table["group"].map(truth)
        errors[:, t] = [((table[name] - expected) ** 2).mean() for name in ("value", "model_value")]
        hits += float(((table["model_low"] <= expected) & (expected <= table["model_high"])).mean()) / 25
    direct, model = np.sqrt(np.nanmean(errors, axis=1))
    assert model < 0.6 * direct and hits >= 0.92


def test_a_model_needs_a_variance_and_knows_a_whole_group() -> None:
    lonely = domains([1.0, 0.0], [0, 30], STRATA, GROUPS)
    assert lonely["model_value"].isna().all() and lonely["model_high"].isna().all()
    groups = ["rare" if i in (0, 30) else "rest" for i in range(60)]
    rare = domains([1.0, 0.0, 1.0, 1.0], [0, 30, 1, 31], STRATA, groups).set_index("group").loc["rare"]
    assert (rare["model_value"], rare["model_low"], rare["model_high"]) == (0.5, 0.5, 0.5)
    free = domains([7.0, 3, 5, 9, 8, 4], [0, 2, 1, 30, 32, 31], STRATA, GROUPS, FREE).set_index("group")
    assert free["model_low"].lt(free["model_value"]).all() and free["model_high"].max() > 1


@pytest.mark.parametrize(("known", "gain"), [("right", 0.92), ("too low", 0.95), ("reversed", 1), ("noise", 1.05)])
def test_a_predicted_risk_that_labels_correct_helps_or_does_no_harm(known: str, gain: float) -> None:
    """40 draws of two labels in each of 30 strata along a risk, among eight groups whose risks differ."""
    rng = np.random.default_rng(12)
    group = np.repeat(np.arange(8), 150)
    truth = 1 / (1 + np.exp(-rng.normal(-0.5, 1.8, 1200) - rng.normal(0, 0.8, 8)[group]))
    loss = (rng.random(1200) < truth).astype(float)
    odds = np.log(truth / (1 - truth))
    risk = {
        "right": truth,
        "too low": 1 / (1 + np.exp(1.5 - odds)),
        "reversed": 1 - truth,
        "noise": rng.permutation(truth),
    }[known]
    strata = np.empty(1200, dtype=int)
    strata[np.argsort(risk)] = np.arange(1200) // 40
    members = [np.flatnonzero(strata == h) for h in range(30)]
    real = np.array([loss[group == g].mean() for g in range(8)])
    squares, hits = np.zeros(2), 0.0
    for number in range(40):
        drawn = np.concatenate([rng.choice(member, 2, False) for member in members])
        for way, predicted in enumerate((None, corrected(risk, drawn, loss[drawn]))):
            # The columns that `domains` hands on, without the limits of each group beside them.
            given = _Labels(loss[drawn], drawn, strata)
            model = dict(zip(_MODEL, _model_based(given, group, Interval(), predicted), strict=True))
            if not number:
                table = domains(loss[drawn], drawn, strata, group.tolist(), predicted=predicted)
                for name, values in model.items():
                    assert table[name].tolist() == values[table["group"].astype(int)].tolist()
            squares[way] += ((model["model_value"] - real) ** 2).mean()
        hits += float(((model["model_low"] <= real) & (real <= model["model_high"])).mean()) / 40
    assert math.sqrt(squares[1] / squares[0]) < gain
    assert hits >= 0.92
