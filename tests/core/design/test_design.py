"""Plans: samples by permanent random numbers, nested in the budget, each item with the probability promised."""

from __future__ import annotations

import copy
import dataclasses
import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.allocation import allocate, proxy_neyman
from core.design import ALLOCATIONS, Design, Plan, Scheme, first_plan_id, permanent_random_numbers, plan_id
from core.errors import DesignError
from core.estimation import stratified
from core.pool import Pool
from core.stratification import METHODS as STRATIFIERS
from core.stratification import Profile, profile

DIGEST, STRATA = "ab" * 32, "ef" * 32


def classes_of(n_items: int = 300, seed: int = 0) -> np.ndarray:
    """Classes of ten generations that agree more or less."""
    rng = np.random.default_rng(seed)
    certain = rng.random(n_items) < 0.4
    return np.where(certain[:, None], 0, rng.integers(0, 4, (n_items, 10)) * (rng.random((n_items, 1)) < 0.8))


def made_up(n_items: int = 300, seed: int = 0) -> Profile:
    return profile(classes_of(n_items, seed))


def pool_of(classes: np.ndarray | None = None, prompt: str = "A question?", target: str = "m") -> Pool:
    """A pool with these classes of generations, by default `classes_of`, and a target's losses."""
    given = classes_of() if classes is None else classes
    wrong = np.random.default_rng(5).random(len(given)) < 0.2 + 0.3 * (np.ptp(given, axis=1) > 0)
    return Pool.from_records(
        {
            "id": f"item {i}",
            "prompt": prompt,
            "generations": row.astype(str).tolist(),
            "targets": {target: {"loss": int(wrong[i])}},
        }
        for i, row in enumerate(given)
    )


def ids_of(n_items: int) -> np.ndarray:
    return np.array([f"item {i}" for i in range(n_items)], dtype=object)


def plan_of(uncertainty: Profile, **parameters: Any) -> Plan:
    return design(**parameters).plan(DIGEST, ids_of(uncertainty.signal.size), uncertainty)


def design(budget: Any = 70, seed: Any = 0, **scheme: Any) -> Design:
    return Design(budget, Scheme(**scheme), seed)


POOL = made_up()


@pytest.mark.parametrize("allocation", ALLOCATIONS)
@pytest.mark.parametrize("stratifier", STRATIFIERS)
def test_the_sample_is_the_allocation(allocation: str, stratifier: str) -> None:
    plan = plan_of(POOL, budget=60, allocation=allocation, stratifier=stratifier)
    strata = plan.stratum
    assert np.unique(plan.positions).size == 60
    np.testing.assert_array_equal(np.bincount(strata[plan.positions]), plan.allocation)
    assert plan.ids.tolist() == [f"item {p}" for p in plan.positions]
    np.testing.assert_allclose(plan.inclusion_probabilities, plan.allocation / np.bincount(strata))
    # The zeros of this pool take up two of five quantiles.
    assert plan.strata.n_strata == (1 if allocation == "uniform" else 4 if stratifier == "quantile" else 5)


def test_proxy_neyman_allocates_by_the_papers_rule() -> None:
    plan = plan_of(POOL, budget=60, offset=0.4)
    weights = proxy_neyman(plan.strata.sizes, plan.strata.consistency, 0.4)
    np.testing.assert_array_equal(plan.allocation, allocate(weights, plan.strata.sizes, 60))


@given(
    st.integers(0, 2**64),
    st.sampled_from(ALLOCATIONS),
    st.sampled_from(STRATIFIERS),
    st.sampled_from([0.0, 0.75, 5.0]),
    st.integers(5, 300),
    st.integers(5, 300),
)
def test_a_smaller_budget_is_the_head_of_a_larger_ones_list(
    seed: int, allocation: str, stratifier: str, offset: float, one: int, other: int
) -> None:
    both = [
        plan_of(POOL, budget=m, seed=seed, allocation=allocation, stratifier=stratifier, offset=offset)
        for m in sorted((one, other))
    ]
    np.testing.assert_array_equal(both[0].positions, both[1].positions[: both[0].positions.size])


def test_each_stratum_gives_its_items_of_smallest_random_number_in_their_order() -> None:
    plan = plan_of(POOL, budget=80, seed=9)
    numbers = permanent_random_numbers(9, 300)
    strata = plan.stratum
    for h, m in enumerate(plan.allocation.tolist()):
        members = np.flatnonzero(strata == h)
        smallest = members[np.argsort(numbers[members])][:m]
        np.testing.assert_array_equal(plan.positions[strata[plan.positions] == h], smallest)


def test_the_whole_pool_and_the_smallest_budget() -> None:
    everything = plan_of(POOL, budget=300)
    assert sorted(everything.positions.tolist()) == list(range(300))
    least = plan_of(POOL, budget=5)
    assert least.allocation.tolist() == [1] * 5
    assert plan_of(POOL, budget=1, allocation="uniform").positions.size == 1
    assert plan_of(made_up(1), budget=1).positions.tolist() == [0]


def test_random_numbers_are_pcg64s_stream_for_ever() -> None:
    """The first numbers of NumPy's documented stream: a manifest of today draws the same sample in any version."""
    assert permanent_random_numbers(0, 3).tolist() == [11749869230777074271, 4976686463289251617, 755828109848996024]
    np.testing.assert_array_equal(permanent_random_numbers(7, 10), permanent_random_numbers(7, 1000)[:10])


def test_equal_seeds_draw_equal_samples_and_others_do_not() -> None:
    first, again, other = (plan_of(POOL, budget=40, seed=s) for s in (1, 1, 2))
    np.testing.assert_array_equal(first.positions, again.positions)
    assert first.sample_digest == again.sample_digest
    assert set(first.positions.tolist()) != set(other.positions.tolist())
    assert first.sample_digest != other.sample_digest


@pytest.mark.parametrize("allocation", ["proxy-neyman", pytest.param("uniform", marks=pytest.mark.trial)])
def test_each_item_is_drawn_as_often_as_its_inclusion_probability_says(allocation: str) -> None:
    pool = made_up(60, seed=3)
    draws = 800
    counts = np.zeros(60)
    for seed in range(draws):
        plan = plan_of(pool, budget=15, n_strata=4, seed=seed, allocation=allocation)
        counts[plan.positions] += 1
    probability = plan.inclusion_probabilities[plan.stratum]
    error = np.sqrt(draws * probability * (1 - probability))
    assert np.all(np.abs(counts - draws * probability) <= 4.5 * error)
    within = ((counts - draws * probability) ** 2 / error**2).mean()
    assert within == pytest.approx(1, abs=0.6)


def test_the_list_is_in_random_order_within_a_stratum() -> None:
    """An item's place in the list of its stratum says nothing about its place in the pool."""
    signals = profile([[0, 0]] * 50)
    first = [plan_of(signals, budget=20, seed=seed).positions[0] for seed in range(400)]
    assert np.mean(first) == pytest.approx(24.5, abs=4 * math.sqrt(50**2 / 12 / 400))
    assert len(set(first)) > 40


@pytest.mark.parametrize(
    "same",
    [
        {"offset": 1},
        {"offset": np.float64(1.0)},
        {"offset": np.float32(1.0)},
        {"offset": np.int64(1)},
        {"budget": np.int64(70)},
        {"n_strata": np.int32(5), "seed": np.uint64(0)},
    ],
)
def test_equal_plans_have_equal_names(same: dict[str, Any]) -> None:
    plain, other = design(offset=1.0), design(**{"offset": 1.0, **same})
    assert other == plain and hash(other) == hash(plain)
    assert plan_id(DIGEST, STRATA, other) == plan_id(DIGEST, STRATA, plain)


def test_a_minus_sign_before_zero_does_not_rename_a_plan() -> None:
    assert plan_id(DIGEST, STRATA, design(offset=-0.0)) == plan_id(DIGEST, STRATA, design(offset=0.0))


@pytest.mark.parametrize(
    "change",
    [
        {"budget": 71},
        {"n_strata": 4},
        {"stratifier": "quantile"},
        {"allocation": "power"},
        {"offset": 0.7},
        {"seed": 1},
        {"parser": "number"},
    ],
)
def test_different_plans_have_different_names(change: dict[str, Any]) -> None:
    plain = design()
    assert plan_id(DIGEST, STRATA, design(**change)) != plan_id(DIGEST, STRATA, plain)
    assert first_plan_id(DIGEST, design(**change)) != first_plan_id(DIGEST, plain)


def test_plans_of_other_items_or_strata_have_other_names() -> None:
    name = plan_id(DIGEST, STRATA, design())
    assert len({name, plan_id("cd" * 32, STRATA, design()), plan_id(DIGEST, "cd" * 32, design())}) == 3
    assert len(name) == 13 and name[0] == "p"


@pytest.mark.parametrize(
    ("plan", "name"),
    [
        (design(), "p078c44b5f308"),
        (
            Design(40, Scheme("semantic-entropy", "quantile", 4, "power", 0.3, parser="text"), 7),
            "pcc102f977967",
        ),
    ],
)
def test_plans_keep_the_names_that_the_first_format_gave_them(plan: Design, name: str) -> None:
    assert first_plan_id(DIGEST, plan) == name


def test_a_plan_carries_its_name() -> None:
    plan = plan_of(POOL, budget=40)
    assert plan.plan_id == plan_id(DIGEST, plan.strata_digest, design(40))


@pytest.mark.parametrize(
    ("parameters", "field"),
    [
        ({"budget": 0}, "budget"),
        ({"budget": True}, "budget"),
        ({"budget": 12.5}, "budget"),
        ({"budget": "70"}, "budget"),
        ({"seed": -1}, "seed"),
        ({"seed": 0.5}, "seed"),
        ({"allocation": "oracle-neyman"}, "losses"),
    ],
)
def test_impossible_parameters_are_refused_when_the_design_is_made(parameters: dict[str, Any], field: str) -> None:
    with pytest.raises(DesignError, match=field):
        design(**parameters)


@pytest.mark.parametrize(
    ("budget", "message"),
    [(4, "smallest possible budget is 5"), (301, "more than the 300 items"), (10**30, "more than the 300 items")],
)
def test_a_budget_that_does_not_fit_the_pool_is_refused(budget: int, message: str) -> None:
    with pytest.raises(DesignError, match=message):
        plan_of(POOL, budget=budget)


def test_the_profile_must_describe_the_pool() -> None:
    with pytest.raises(DesignError, match=r"300 items .* 299"):
        design(10).plan(DIGEST, ids_of(299), POOL)


def test_a_design_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        design(10).budget = 11  # type: ignore[misc]


def test_a_design_shows_what_differs_from_the_default() -> None:
    assert repr(Design(70)) == "Design(70)"
    assert repr(design(70, seed=3, n_strata=4)) == "Design(70, Scheme(n_strata=4), seed=3)"


def test_a_scheme_must_be_one() -> None:
    with pytest.raises(DesignError, match="Scheme"):
        Design(70, 5)  # type: ignore[arg-type]


def test_a_plan_drawn_from_a_pool_is_the_plan_of_its_profile() -> None:
    pool = pool_of()
    plan = Design(40).draw(pool, seed=2)
    assert plan.design == Design(40, seed=2) and plan.pool is pool
    same = Design(40, seed=2).plan(pool.items_digest, ids_of(300), POOL)
    assert plan.plan_id == same.plan_id and plan.ids.tolist() == same.ids.tolist()
    assert Design(40, seed=2).draw(pool, profile=POOL).plan_id == plan.plan_id


def test_only_a_pool_can_be_drawn_from() -> None:
    with pytest.raises(DesignError, match=r"pool\.jsonl"):
        Design(40).draw("pool.jsonl")  # type: ignore[arg-type]


def test_without_a_seed_each_draw_takes_one_and_records_it() -> None:
    plans = [Design(40).plan(DIGEST, ids_of(300), POOL) for _ in range(3)]
    assert Design(40) == Design(40) and len({plan.seed for plan in plans}) == 3
    again = plans[0].design.plan(DIGEST, ids_of(300), POOL)
    assert again.plan_id == plans[0].plan_id and again.ids.tolist() == plans[0].ids.tolist()
    assert design(40, seed=1).plan(DIGEST, ids_of(300), POOL, seed=0).seed == 0


def test_a_design_takes_the_choices_of_its_scheme() -> None:
    plain = Design(40, Scheme(n_strata=4, offset=0.5), 1)
    assert Design(40, n_strata=4, seed=1, offset=0.5) == plain == Design(40, Scheme(n_strata=4), 1, offset=0.5)
    assert hash(Design(40, n_strata=4)) == hash(Design(40, Scheme(n_strata=4)))
    other = dataclasses.replace(plain, budget=50)
    assert other == Design(50, plain.scheme, 1) == copy.deepcopy(other)
    assert repr(Design(40, n_strata=4)) == "Design(40, Scheme(n_strata=4))"
    with pytest.raises(DesignError, match=r"“strata”.*signal, stratifier, n_strata, "):
        Design(40, strata=4)


def test_a_plan_lists_its_items_with_their_strata_and_probabilities() -> None:
    plan = plan_of(POOL, budget=40)
    items = plan.items
    assert items["item_id"].tolist() == plan.ids.tolist()
    np.testing.assert_array_equal(items["stratum"], plan.stratum[plan.positions])
    assert (1 / items["probability"]).sum() == pytest.approx(300)


def test_a_plan_shows_its_strata_in_a_short_table() -> None:
    plan = plan_of(POOL, budget=40)
    head, names, *rows = repr(plan).splitlines()
    assert plan.plan_id in head and "40 of 300" in head
    assert names.split() == ["stratum", "N_h", "p_h", "m_h", "π_h"]
    assert [int(row.split()[3]) for row in rows] == plan.allocation.tolist()
    frame = plan.summary_frame()
    assert frame["items"].tolist() == plan.strata.sizes.tolist() and len(frame) == len(rows)


def test_another_budget_draws_from_the_same_strata() -> None:
    plan = plan_of(POOL, budget=40, allocation="power")
    larger = plan.with_budget(60)
    direct = plan_of(POOL, budget=60, allocation="power")
    assert larger.plan_id == direct.plan_id and larger.ids.tolist() == direct.ids.tolist()
    assert larger.with_budget(40).plan_id == plan.plan_id


def test_labels_of_the_plan_are_estimated_whether_by_id_or_over_the_pool() -> None:
    pool = pool_of()
    plan, losses = Design(60, seed=0).draw(pool), pool.losses("m")
    expected = stratified(losses[plan.positions], plan.stratum[plan.positions], plan.strata.sizes)
    everything = dict(zip(pool.items.index, losses, strict=True))
    for given_losses in (losses, everything, pd.Series(everything), {i: everything[i] for i in plan.ids}):
        assert plan.estimate(given_losses) == expected
    assert plan.estimate(losses, 0.8).low > expected.low


def test_labels_that_are_missing_leave_a_smaller_sample() -> None:
    pool = pool_of()
    plan, losses = Design(60, seed=0).draw(pool), pool.losses("m")
    places = plan.positions[:30]
    expected = stratified(losses[places], plan.stratum[places], plan.strata.sizes)
    first = {item: losses[place] for item, place in zip(plan.ids, places, strict=False)}
    assert plan.estimate(first) == expected
    lost = plan.positions[plan.stratum[plan.positions] == 0][1:]
    labelled = plan.positions[~np.isin(plan.positions, lost)]
    few = {str(plan.pool_ids[place]): losses[place] for place in labelled}
    assert plan.estimate(few) == stratified(losses[labelled], plan.stratum[labelled], plan.strata.sizes)


@pytest.mark.parametrize(
    ("losses", "problem"),
    [
        ({}, "No item of strat"),
        ([0.0] * 299, "299 losses for 300 items"),
        (pd.Series([0.0, 1.0], ["item 1", "item 1"]), "two losses"),
        (pd.Series(np.zeros(1000)), "None of these 1,000 keys"),
        ({"item 1": "wrong"}, "not numbers.*wrong"),
        ("losses.csv", "not numbers"),
    ],
)
def test_losses_that_do_not_fit_the_plan_are_refused(losses: Any, problem: str) -> None:
    with pytest.raises(DesignError, match=problem):
        plan_of(POOL, budget=40).estimate(losses)
