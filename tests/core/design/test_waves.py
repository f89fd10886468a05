"""Designs in two waves: unbiased over every path of samples, and drawn, extended and estimated as plans are."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from core.archive import Archive
from core.design import Design, Plan, Scheme, families, family, manifest, pool_profile
from core.design.families import relatives
from core.design.two_waves import first_strata
from core.errors import DesignError, ManifestError
from core.estimation import stratified
from core.labels import replacements
from core.pool import Pool
from tests.core.brute_force import samples

RNG = np.random.default_rng(5)


def pool_of(n_items: int, groups: int = 2) -> Pool:
    ease = RNG.beta(1.2, 0.8, n_items)
    rows = [["A" if u < one else "BCD"[int(3 * u) % 3] for u in RNG.random(8)] for one in ease]
    return Pool.from_records(
        [{"id": f"q{i}", "group": f"g{i % groups}", "generations": row} for i, row in enumerate(rows)]
    )


def two(budget: int, **choices: object) -> Design:
    return Design(budget, Scheme(waves=2, **choices), seed=3)  # type: ignore[arg-type]


def listed(plan: Plan, positions: np.ndarray) -> Plan:
    """The plan had it drawn these items."""
    return replace(plan, positions=positions, ids=plan.pool_ids[positions])


def first_wave(n_items: int, budget: int, allocation: tuple[int, ...]) -> Plan:
    """A first wave of few items, with so many labels of each of its strata, as larger budgets have it."""
    pool = pool_of(n_items)
    profile = pool_profile(pool, Scheme(waves=2))
    strata = first_strata(profile, len(allocation), 100)
    plan = replace(two(budget).draw(pool), strata=strata, stratum=profile.stratum(strata))
    return replace(plan, allocation=np.array(allocation))


def paths(plan: Plan, losses: np.ndarray, lost: int = 0) -> np.ndarray:
    """Probability, R̂ and standard error of every path, with every choice of ``lost`` labels missing from wave 1."""
    rows = []
    for drawn in (firsts := list(samples(plan.stratum, tuple(plan.allocation)))):
        first = listed(plan, np.asarray(drawn))
        for gone in (choices := list(itertools.combinations(drawn, lost))):
            known = losses.copy()
            known[list(gone)] = np.nan
            second = first.next_wave(known)
            fine = list(samples(second.stratum, tuple(second.allocation)))
            for one in fine:
                estimate = listed(second, np.asarray(one)).estimate(losses)
                chance = 1 / (len(firsts) * len(choices) * len(fine))
                rows.append((chance, estimate.value, estimate.standard_error))
    return np.array(rows).T


@pytest.mark.parametrize(
    ("n_items", "allocation", "n_paths"), [pytest.param(9, (2,), 100, marks=pytest.mark.trial), (9, (2, 2), 150)]
)
def test_two_waves_are_unbiased_over_every_path_and_so_is_their_variance(
    n_items: int, allocation: tuple[int, ...], n_paths: int
) -> None:
    losses = (RNG.random(n_items) < 0.4).astype(float)
    losses[:2] = 0.5, 1.0
    plan = first_wave(n_items, 8, allocation)
    assert plan.strata.n_strata == len(allocation)
    chance, value, error = paths(plan, losses)
    assert chance.sum() == pytest.approx(1) and chance.size > n_paths
    assert chance @ value == pytest.approx(losses.mean(), abs=1e-12) and np.ptp(value) > 0.2
    assert chance @ error**2 == pytest.approx(chance @ (value - losses.mean()) ** 2, abs=1e-12)


def test_an_item_without_a_label_belongs_to_the_rest_and_the_estimate_stays_unbiased() -> None:
    losses = np.array([1, 0, 1, 1, 0, 0.5])
    chance, value, _ = paths(first_wave(6, 5, (3,)), losses, lost=1)
    assert chance.sum() == pytest.approx(1) and chance.size == 240
    assert chance @ value == pytest.approx(losses.mean(), abs=1e-12)


POOL = pool_of(400, 4)
LOSSES = (RNG.random(400) < 0.35).astype(float)
PLAN = two(80, n_strata=40).draw(POOL)
SECOND = PLAN.next_wave(LOSSES)


def test_the_first_wave_takes_a_quarter_in_fine_strata_of_equal_size() -> None:
    assert PLAN.ids.size == 20 and PLAN.allocation.tolist() == [2] * 10 and set(PLAN.strata.sizes) == {40}
    assert two(80).draw(POOL).strata.n_strata == 5, "no more than the scheme allows"
    assert two(4).draw(POOL).ids.size == 2 and two(4).draw(POOL).next_wave(LOSSES).allocation.tolist() == [2, 2]


def test_the_second_wave_takes_the_others_two_a_stratum_after_what_is_labelled() -> None:
    assert SECOND.earlier is PLAN and SECOND.ids.size == 80 == np.unique(SECOND.ids).size
    assert SECOND.ids[:20].tolist() == PLAN.ids.tolist() and SECOND.plan_id != PLAN.plan_id
    assert SECOND.allocation.tolist() == [20] + [2] * 30 and SECOND.strata.sizes.sum() == 400
    assert np.array_equal(SECOND.allocation, np.bincount(SECOND.stratum[SECOND.positions]))
    assert np.array_equal(np.bincount(SECOND.stratum), SECOND.strata.sizes)
    numbers = SECOND.numbers
    assert not np.isin(numbers, PLAN.numbers).any(), "what was not drawn has large numbers in the first wave"
    for h in range(1, 31):
        member = np.flatnonzero(SECOND.stratum == h)
        drawn = np.isin(member, SECOND.positions)
        assert numbers[member[drawn]].max() < numbers[member[~drawn]].min()
    item = SECOND.ids[30]
    spare = replacements(SECOND, [item])
    assert spare["stratum"].tolist() == [SECOND.stratum[SECOND.positions[30]]]
    assert not set(spare["item_id"]) & set(SECOND.ids)


def test_strata_of_the_second_wave_are_smaller_where_labels_were_uncertain() -> None:
    """Every first label is right where the surrogate agrees with itself, and half of the others are wrong."""
    pool = pool_of(2000)
    entropy = pool_profile(pool, Scheme()).signal
    unsure = entropy > np.quantile(entropy, 0.6)
    losses = (unsure & (RNG.random(2000) < 0.5)).astype(float)
    second = two(200, n_strata=50).draw(pool).next_wave(losses)
    share = np.bincount(second.stratum, unsure) / second.strata.sizes
    sizes = second.strata.sizes[1:]
    assert sizes[share[1:] > 0.9].mean() < 0.9 * sizes[share[1:] < 0.1].mean()


def test_the_estimate_weights_the_waves_by_their_numbers_of_labels() -> None:
    estimate = SECOND.estimate(LOSSES)
    first = stratified(LOSSES[PLAN.positions], PLAN.stratum[PLAN.positions], PLAN.strata.sizes)
    second = stratified(LOSSES[SECOND.positions], SECOND.stratum[SECOND.positions], SECOND.strata.sizes)
    assert estimate.value == pytest.approx(0.25 * first.value + 0.75 * second.value)
    variance = first.standard_error**2 / 16 + second.standard_error**2 * 9 / 16
    assert estimate.standard_error == pytest.approx(variance**0.5) and estimate.n_labels == 80
    assert PLAN.estimate(LOSSES) == first
    # Each wave counts as its share of the labels, so that top-ups do not leave the first its weight.
    for budget, weight in ((60, 1 / 4), (120, 1 / 6), (200, 1 / 10)):
        more = SECOND.with_budget(budget)
        again = stratified(LOSSES[more.positions], more.stratum[more.positions], more.strata.sizes)
        assert more.estimate(LOSSES).value == pytest.approx(weight * first.value + (1 - weight) * again.value)


@pytest.mark.parametrize(("budget", "n_strata", "second"), [(160, 80, 60), (164, 80, 14), (400, 80, 12), (80, 12, 12)])
def test_near_a_census_the_second_wave_has_fewer_strata_and_never_more_than_the_scheme(
    budget: int, n_strata: int, second: int
) -> None:
    """At 160 labels the second wave takes 120 of 360, a third, two a stratum; beyond that a stratum has 25 items."""
    assert two(budget, n_strata=n_strata).draw(POOL).next_wave(LOSSES).strata.n_strata == 1 + second


def test_what_took_the_place_of_a_lost_item_is_labelled_in_the_first_wave() -> None:
    gone = [str(PLAN.ids[3]), str(PLAN.ids[8])]
    instead = replacements(PLAN, gone)
    known = LOSSES.copy()
    known[PLAN.positions[[3, 8]]] = np.nan
    second = PLAN.next_wave(known, replacements=instead["item_id"].tolist())
    assert second.strata.sizes[0] == 20 and second.allocation.sum() == 80
    assert second.ids[:18].tolist() == [item for item in PLAN.ids if item not in gone]
    assert set(second.ids[18:20]) == set(instead["item_id"]) and set(second.stratum[instead["place"]]) == {0}
    first = np.r_[np.delete(PLAN.positions, [3, 8]), instead["place"]]
    first_wave = stratified(LOSSES[first], PLAN.stratum[first], PLAN.strata.sizes)
    rest = stratified(LOSSES[second.positions], second.stratum[second.positions], second.strata.sizes)
    assert second.estimate(LOSSES).value == pytest.approx(0.25 * first_wave.value + 0.75 * rest.value)
    again = manifest.reproduce(manifest.read(manifest.write(second, "demo")), POOL)
    assert again.ids.tolist() == second.ids.tolist() and second.with_budget(90).ids[:80].tolist() == again.ids.tolist()
    # Without them, they may be drawn again.
    assert PLAN.next_wave(known).strata.sizes[0] == 18


def test_a_label_of_the_first_wave_that_is_gone_is_stood_for_by_the_others() -> None:
    known = LOSSES.copy()
    known[PLAN.positions[4]] = np.nan
    left = np.delete(PLAN.positions, 4)
    first = stratified(LOSSES[left], PLAN.stratum[left], PLAN.strata.sizes)
    places = np.setdiff1d(SECOND.positions, PLAN.positions[4])
    last = stratified(LOSSES[places], SECOND.stratum[places], SECOND.strata.sizes)
    estimate = SECOND.estimate(pd.Series(known, index=POOL.ids).dropna())
    assert estimate.n_labels == 79 and estimate.value == pytest.approx(0.25 * first.value + 0.75 * last.value)
    variance = first.standard_error**2 / 16 + last.standard_error**2 * 9 / 16
    assert estimate.standard_error == pytest.approx(variance**0.5, rel=1e-12)


def test_top_ups_only_add_items_in_the_strata_of_the_second_wave() -> None:
    plan = SECOND
    for budget in (90, 150, 400):
        more = plan.with_budget(budget)
        assert more.ids.size == budget and more.ids[: plan.ids.size].tolist() == plan.ids.tolist()
        assert more.earlier is PLAN and more.allocation[0] == 20
        plan = more
    assert plan.estimate(LOSSES).value == LOSSES.mean()
    assert SECOND.with_budget(50).allocation.tolist() == [20] + [1] * 30
    assert SECOND.least_budget == 50 and PLAN.with_budget(PLAN.least_budget).allocation.tolist() == [1] * 10
    with pytest.raises(DesignError, match="at least 50 labels"):
        SECOND.with_budget(49)
    with pytest.raises(DesignError, match="at least 40 labels"):
        PLAN.with_budget(39)


@pytest.mark.parametrize("losses", [np.zeros(400), np.ones(400), 7 * LOSSES - 3, LOSSES * RNG.random(400)])
def test_any_losses_draw_a_second_wave(losses: np.ndarray) -> None:
    second = PLAN.next_wave(losses)
    estimate = second.estimate(losses)
    assert second.allocation.sum() == 80 and estimate.low <= estimate.value <= estimate.high


def test_every_signal_draws_a_second_wave() -> None:
    risk = np.clip(0.4 + 0.3 * RNG.standard_normal(400), 0, 1)
    given = Design(60, Scheme(waves=2, signal="risk", n_strata=30), 0, tuple(risk))
    bare = Pool.from_records([{"id": f"q{i}", "group": f"g{i % 3}"} for i in range(400)])
    for design, pool in ((given, POOL), (two(60, signal="group"), bare)):
        second = design.draw(pool).next_wave(LOSSES)
        assert second.ids.size == 60 and np.isfinite(second.strata.consistency).all()


def test_uniform_has_one_wave() -> None:
    plan = Design(20, Scheme(waves=2, allocation="uniform"), 0).draw(POOL)
    assert (
        plan.ids.size == 20 and plan.ids.tolist() == Design(20, Scheme(allocation="uniform"), 0).draw(POOL).ids.tolist()
    )
    with pytest.raises(DesignError, match="one wave"):
        plan.next_wave(LOSSES)


def test_wave_errors() -> None:
    with pytest.raises(DesignError, match="one wave"):
        Design(20, seed=0).draw(POOL).next_wave(LOSSES)
    with pytest.raises(DesignError, match="second wave already"):
        SECOND.next_wave(LOSSES)
    with pytest.raises(DesignError, match="at least 4 labels"):
        two(3)
    with pytest.raises(DesignError, match="number of items"):
        two(401).draw(POOL)
    lacking = LOSSES.copy()
    lacking[PLAN.positions[PLAN.stratum[PLAN.positions] == 2]] = np.nan
    with pytest.raises(DesignError, match="1 stratum of the first wave"):
        PLAN.next_wave(lacking)
    with pytest.raises(DesignError, match="Wave 1: No item of stratum 2"):
        SECOND.estimate(pd.Series(lacking, index=POOL.ids).dropna())
    with pytest.raises(DesignError, match="replacement"):
        PLAN.next_wave(LOSSES, replacements=["nobody"])
    with pytest.raises(DesignError, match="replacement"):
        PLAN.next_wave(lacking, replacements=[PLAN.ids[PLAN.stratum[PLAN.positions] == 2][0]])
    alone = PLAN.design.plan(POOL.items_digest, POOL.ids, pool_profile(POOL, PLAN.design.scheme))
    with pytest.raises(DesignError, match="profile"):
        alone.next_wave(LOSSES)
    second = alone.next_wave(LOSSES, profile=pool_profile(POOL, PLAN.design.scheme))
    assert second.plan_id == SECOND.plan_id and second.ids.tolist() == SECOND.ids.tolist()


def test_a_second_wave_is_drawn_again_from_its_manifest_and_the_items_alone() -> None:
    text = manifest.write(SECOND.with_budget(90), "demo")
    assert json.loads(text)["earlier"]["plan_id"] == PLAN.plan_id and "earlier" not in json.loads(
        manifest.write(PLAN, "x")
    )
    changed = pool_of(400, 4)
    assert changed.items_digest == POOL.items_digest and changed.digest != POOL.digest
    for pool in (POOL, changed):
        again = manifest.reproduce(manifest.read(text), pool)
        assert again.ids.tolist() == SECOND.with_budget(90).ids.tolist()
        assert manifest.write(again, "demo") == text
        assert again.estimate(LOSSES) == SECOND.with_budget(90).estimate(LOSSES)
        assert again.with_budget(80).plan_id == SECOND.plan_id
    document = json.loads(text)
    document["earlier"]["design"]["budget"] = 84
    with pytest.raises(ManifestError, match="plan id does not belong"):
        manifest.read(json.dumps(document))
    del document["earlier"]
    with pytest.raises(ManifestError, match="plan id does not belong"):
        manifest.read(json.dumps(document))


def test_labels_of_the_first_wave_are_labels_of_the_second(tmp_path: Path) -> None:
    archive = Archive(tmp_path)
    archive.pools.save(POOL, "2026-01-01T00:00:00+00:00")
    more, other = SECOND.with_budget(100), PLAN.next_wave(1 - LOSSES)
    plans = (PLAN, SECOND, more, other)
    for plan in plans:
        text = manifest.write(plan, "pool")
        archive.plans.save(
            plan.plan_id, text, POOL.digest, "2026-01-01T00:00:00+00:00", POOL.items_digest, plan.stratum
        )
    designs = archive.plans.table()
    assert set(family(SECOND, designs)) & {plan.plan_id for plan in plans} == {p.plan_id for p in (PLAN, SECOND, more)}
    assert set(family(PLAN, designs)) & {plan.plan_id for plan in plans} == {PLAN.plan_id}
    names = {plan.plan_id for plan in plans}
    assert set(relatives(SECOND, names)) == {PLAN.plan_id, more.plan_id}
    # Few strata, whose number is below the least budget of two waves.
    small = two(8).draw(POOL)
    assert relatives(small, {small.with_budget(12).plan_id}) == (small.with_budget(12).plan_id,)
    manifests = manifest.intact(designs["manifest"])
    assert set(families(manifests)[more.plan_id]) == {PLAN.plan_id, SECOND.plan_id, more.plan_id}
