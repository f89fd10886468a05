"""The design to begin with, from what is known before any label."""

from __future__ import annotations

import json
from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest

import neyman
from core.design import Design, Scheme, recommend
from core.design import manifest as manifests
from core.design.scheme import scattered
from core.errors import DesignError, PoolError
from core.estimation import stratified
from core.pool import Pool
from core.stratification import EQUAL_MASS

LETTERS = "ABCD"


def records(n_items=240, seed=0, answers=True, generations=True, groups=True):
    rng = np.random.default_rng(seed)
    rows = []
    for number in range(n_items):
        ease = rng.beta(1.5, 1.0)
        row = {"id": f"q{number}", "answer": "A", "answer_kind": "as-is"}
        if groups:
            row["group"] = f"g{number % 5}"
        if generations:
            row["generations"] = [LETTERS[c] for c in np.where(rng.random(6) < ease, 0, rng.integers(0, 4, 6))]
        row["targets"] = {}
        for model in ("new", "old", "older"):
            said = "A" if rng.random() < 0.3 + 0.6 * ease else "B"
            row["targets"][model] = {"answer": said} if answers else {"loss": float(said != "A")}
        rows.append(row)
    return rows


def pool(**what):
    return Pool.from_records(records(**what))


@pytest.mark.parametrize(
    ("what", "arguments", "signal"),
    [
        ({}, {"past": ()}, "semantic-entropy"),
        ({}, {"target": "new", "past": ()}, "agreement"),
        ({"answers": False}, {"target": "new", "past": ()}, "semantic-entropy"),
        ({}, {"target": "new"}, "risk"),
        ({"answers": False}, {"target": "new"}, "risk"),
        ({"generations": False}, {"target": "new"}, "risk"),
        ({}, {"target": "new", "past": ("old",)}, "risk"),
        ({"answers": False}, {"target": "new", "past": ("old",)}, "past-results"),
        ({"generations": False}, {"past": ()}, "group"),
    ],
)
def test_the_best_signal_that_is_known_is_taken(what, arguments, signal):
    design = recommend(pool(**what), 60, **arguments)
    assert design.scheme.signal == signal
    assert (design.scheme.stratifier, design.scheme.n_strata, design.scheme.allocation) == (EQUAL_MASS, 30, "equal")
    assert (design.risk is not None) == (signal == "risk")
    assert design.why.endswith(".")
    plan = design.draw(pool(**what), seed=1)
    assert plan.allocation.tolist() == [2] * 30


def test_where_nothing_is_known_items_are_drawn_uniformly():
    bare = Pool.from_records([{"id": f"q{n}"} for n in range(30)])
    design = recommend(bare, 10)
    assert design.scheme.allocation == "uniform"
    assert design.draw(bare, seed=0).strata.n_strata == 1


@pytest.mark.parametrize("past", [None, (), ("old",)])
@pytest.mark.parametrize("answers", [False, True])
def test_the_losses_of_the_target_are_never_looked_at(past, answers):
    plain = records(answers=answers)
    scrambled = [
        row | {"targets": row["targets"] | {"new": row["targets"]["new"] | {"loss": float(number % 7 == 0)}}}
        for number, row in enumerate(plain)
    ]
    designs = [recommend(Pool.from_records(rows), 40, "new", past) for rows in (plain, scrambled)]
    assert designs[0] == designs[1]
    plans = [
        design.draw(Pool.from_records(rows), seed=3) for design, rows in zip(designs, (plain, scrambled), strict=True)
    ]
    assert plans[0].ids.tolist() == plans[1].ids.tolist()


def test_a_given_risk_is_kept_in_the_plan_and_draws_the_same_sample_again():
    source = pool()
    risk = np.random.default_rng(1).random(240)
    design = neyman.recommend(source, 50, risk=risk)
    assert design == recommend(source, 50, risk=risk.tolist())
    assert design != recommend(source, 50, risk=1 - risk)
    plan = design.draw(source, seed=5)
    text = manifests.write(plan, "pool")
    np.testing.assert_allclose(json.loads(text)["design"]["risk"], risk, atol=5e-5)
    again = manifests.reproduce(manifests.read(text), source)
    assert again.ids.tolist() == plan.ids.tolist()
    np.testing.assert_array_equal(again.stratum, plan.stratum)


@pytest.mark.parametrize("risk", [[0.5] * 239, [[0.5]], [1.5] * 240, [np.nan] * 240])
def test_a_risk_that_is_no_probability_for_each_item_is_refused(risk):
    with pytest.raises(DesignError, match="predicted risk"):
        recommend(pool(), 50, risk=risk).draw(pool())


@pytest.mark.parametrize("accuracy", [-0.1, 1.5, np.nan])
@pytest.mark.parametrize("past", [(), None])
def test_an_accuracy_that_is_none_is_refused_whatever_the_signal(accuracy, past):
    with pytest.raises(DesignError, match="expected accuracy"):
        recommend(pool(), 50, "new", past, accuracy=accuracy)


def test_a_signal_that_a_design_needs_must_be_there():
    with pytest.raises(PoolError, match="generations"):
        Design(10).draw(pool(generations=False))
    with pytest.raises(DesignError, match="risk"):
        Design(10, risk=[0.5] * 240)
    with pytest.raises(DesignError, match="target"):
        Scheme(signal="agreement")


@pytest.mark.parametrize("budget", [1, 2, 3, 7, 120, 239, 240])
def test_every_budget_can_be_drawn(budget):
    source = pool()
    plan = recommend(source, budget, "new").draw(source, seed=0)
    assert plan.ids.size == len(set(plan.ids)) == budget
    assert plan.allocation.min() >= 1


def test_a_larger_budget_only_adds_and_each_prefix_is_spread_over_the_strata():
    source = pool()
    design = recommend(source, 60, "new")
    plan = design.draw(source, seed=2)
    larger = plan.with_budget(75)
    assert larger.ids[:60].tolist() == plan.ids.tolist()
    stratum = plan.stratum[plan.positions]
    for length in (15, 30, 45, 60):
        thirds = np.bincount(stratum[:length] // 10, minlength=3)
        assert thirds.max() - thirds.min() <= 3
    # The first labels are one for each stratum, the next a second one.
    assert sorted(stratum[:30]) == sorted(stratum[30:]) == list(range(30))
    cut = plan.with_budget(45)
    assert cut.ids.tolist() == plan.ids[:45].tolist()


@pytest.mark.parametrize(("budget", "labels"), [(5, [2, 3]), (7, [2, 2, 3]), (9, [2, 2, 2, 3])])
def test_a_label_left_over_goes_to_the_riskiest_stratum(budget, labels):
    source = pool()
    assert recommend(source, budget, "new").draw(source, seed=0).allocation.tolist() == labels


@pytest.mark.parametrize("n_strata", [1, 2, 3, 5, 8, 30, 100])
def test_the_order_of_strata_is_a_permutation_whose_prefixes_are_spread(n_strata):
    places = scattered(n_strata)
    assert sorted(places.tolist()) == list(range(n_strata))
    for length in range(2, n_strata):
        widest = np.diff(np.concatenate([[0], np.sort(places[:length]), [n_strata]])).max()
        assert widest <= 2 * n_strata / length + 2


def test_the_estimate_is_unbiased_over_all_samples_of_a_small_pool():
    """Every pair of every stratum is equally likely: the mean of the estimates is the pool's mean, and so is V̂'s."""
    source = Pool.from_records(records(12))
    losses = np.random.default_rng(0).random(12)
    plan = recommend(source, 4, "new").draw(source, seed=0)
    assert plan.allocation.tolist() == [2, 2]
    pairs = [list(combinations(np.flatnonzero(plan.stratum == h).tolist(), 2)) for h in (0, 1)]
    estimates = [_estimate(plan, losses, [*one, *two]) for one, two in product(*pairs)]
    values = np.array([value for value, _ in estimates])
    assert values.mean() == pytest.approx(losses.mean(), abs=1e-12)
    assert np.mean([variance for _, variance in estimates]) == pytest.approx(values.var(), abs=1e-12)


def _estimate(plan, losses, labelled):
    estimate = stratified(losses[labelled], plan.stratum[labelled], plan.strata.sizes)
    return estimate.value, estimate.standard_error**2


@pytest.mark.parametrize("budget", [2, 7, 40, 120])
def test_a_scheme_gives_the_labels_of_its_plan(budget):
    pool = Pool.from_records(records())
    for design in (recommend(pool, budget, "new"), Design(max(budget, 5))):
        plan = design.draw(pool, seed=1)
        labels = design.scheme.allocate(plan.strata, design.budget)
        assert labels.tolist() == plan.allocation.tolist() and labels.sum() == design.budget


def test_a_few_answers_of_the_target_do_not_replace_the_surrogate():
    rows = records()
    for row in rows[8:]:
        row["targets"]["new"] = {"loss": 0.0}
    few = Pool.from_records(rows)
    assert recommend(few, 40, "new", ()).scheme.signal == "semantic-entropy"
    risk = recommend(few, 40, "new").risk
    assert risk is not None and len(set(risk)) > 1


@pytest.mark.parametrize("budget", [12, 16, 22, 33])
def test_small_pools_keep_strata(budget):
    small = pool(n_items=45)
    assert recommend(small, budget, past=()).draw(small, seed=0).strata.n_strata >= 5


def test_nearly_the_whole_pool_is_drawn_from_few_strata_of_equal_size():
    source = pool(n_items=240)
    design = recommend(source, 196, past=())
    assert design.draw(source, seed=0).strata.sizes.tolist() == [60] * 4
    assert recommend(source, 225, past=()).draw(source, seed=0).strata.n_strata == 1
    # What other budgets follow from is the design of all items.
    assert recommend(source, 240, past=()).scheme.floor == 1


def test_a_series_of_risks_is_taken_by_item_id():
    source = pool()
    risk = pd.Series(np.linspace(0, 1, 240), index=source.ids)
    assert recommend(source, 40, risk=risk.sample(frac=1, random_state=0)) == recommend(
        source, 40, risk=risk.to_numpy()
    )
    with pytest.raises(DesignError, match="predicted risk"):
        recommend(source, 40, risk=risk.iloc[1:])


@pytest.mark.parametrize("stratifier", ["adaptive", "quantile", EQUAL_MASS])
def test_a_plan_along_a_given_risk_is_drawn_again_from_its_manifest(stratifier):
    source = pool(generations=False)
    risk = np.random.default_rng(2).random(240)
    scheme = Scheme("risk", stratifier, allocation="proportional")
    plan = Design(40, scheme, risk=risk).draw(source, seed=1)
    again = manifests.reproduce(manifests.read(manifests.write(plan, "pool")), source)
    assert again.ids.tolist() == plan.ids.tolist()


def test_a_budget_above_the_pool_and_a_bare_name_are_refused():
    with pytest.raises(DesignError, match="241"):
        recommend(pool(), 241)
    for call in (lambda: recommend(pool(), 40, "new", "old"), lambda: Scheme("past-results", past="old")):
        with pytest.raises(DesignError, match="list of names"):
            call()
