"""Kept plans of a pool: which have labels, which are larger, and how they are drawn again."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from core.answers import PARSER_VERSION
from core.archive import Archive
from core.design import Design, Plan, Scheme, manifest
from core.errors import ManifestError
from core.pool import Pool
from core.study import (
    Labelling,
    Reading,
    Study,
    damaged_plans,
    kept_plan,
    kept_plans,
    larger,
    next_seed,
    plans_by_earlier_rules,
    presumed,
    readings,
)
from tests.core.study.conftest import CREATED, rows, truths, verdicts


@pytest.fixture(scope="module")
def other(pool: Pool) -> Pool:
    """The same items with other generations and without targets."""
    records = []
    for item, row in pool.items.iterrows():
        listed = {name: list(value) if isinstance(value, np.ndarray | list) else value for name, value in row.items()}
        records.append({"id": item, **listed, "generations": [["A", "B", "C"][int(str(item)[1:]) % 2]] * 3 + ["D"]})
    return Pool.from_records(records, "other generations")


def keep(archive: Archive, plan: Plan, pool: Pool, count: int, created: str) -> None:
    ids = plan.ids[:count]
    Labelling.load(archive, plan, pool, "right-wrong", "one").save(
        archive, rows(ids, verdicts(pool, ids, "one")), "csv", created
    )


def test_the_next_list_keeps_its_seed_until_it_has_labels(tmp_path: Path, plan: Plan, pool: Pool) -> None:
    homes = [Archive(tmp_path / name) for name in ("one", "two")]
    archive = homes[0]
    first = next_seed(archive, pool, 10**6)
    assert first == next_seed(Archive(tmp_path / "one"), pool, 10**6) != next_seed(homes[1], pool, 10**6)
    keep(archive, plan, pool, 1, CREATED)
    second = next_seed(archive, pool, 10**6)
    assert second != first
    waiting = Design(30, Scheme(n_strata=3), seed=second).draw(pool)
    Study(Labelling.load(archive, waiting, pool)).labels.save_plan(archive, CREATED)
    keep(archive, plan.with_budget(90), pool, 60, CREATED)
    keep(archive, Design(20, Scheme(n_strata=2), seed=5).draw(pool), pool, 10, CREATED)
    assert next_seed(archive, pool, 10**6) == second, "whatever was labelled of other lists"
    shutil.copytree(tmp_path / "one", tmp_path / "moved")
    assert next_seed(Archive(tmp_path / "moved"), pool, 10**6) == second
    keep(archive, waiting, pool, 1, CREATED)
    assert next_seed(archive, pool, 10**6) not in (first, second)
    assert next_seed(archive, Pool.from_records([{"id": "1"}, {"id": "2"}]), 10**6) != first


def test_plans_with_labels_are_listed_with_those_of_their_relatives(archive: Archive, plan: Plan, pool: Pool) -> None:
    assert kept_plans(archive, pool) == []
    keep(archive, plan, pool, 50, CREATED)
    large = plan.with_budget(90)
    keep(archive, large, pool, 80, "2026-01-02T00:00:00+00:00")
    unlabelled = Study(Labelling.load(archive, Design(30, Scheme(n_strata=3), 1).draw(pool), pool))
    unlabelled.labels.save_plan(archive, CREATED)
    plans = {stored.plan_id: stored for stored in kept_plans(archive, pool)}
    assert set(plans) == {plan.plan_id, large.plan_id}
    assert (plans[plan.plan_id].labelled, plans[large.plan_id].labelled) == (60, 80), "at most those planned"
    assert {stored.newest for stored in plans.values()} == {"2026-01-02T00:00:00+00:00"}
    family = Labelling.load(archive, plan, pool).family
    chosen = larger(archive, plan, family, 70)
    assert chosen is not None and chosen.plan_id == large.plan_id
    assert larger(archive, plan, family, 500) == chosen, "the largest there is"
    assert larger(archive, large, family, 70) is None


def test_a_damaged_manifest_takes_no_other_plan_away(archive: Archive, plan: Plan, pool: Pool) -> None:
    keep(archive, plan, pool, 50, CREATED)
    archive.plans.save("p0", "{}", pool.digest, CREATED, pool.items_digest)
    assert [stored.plan_id for stored in kept_plans(archive, pool)] == [plan.plan_id]
    assert damaged_plans(archive, pool) == ["p0"]
    assert larger(archive, plan, (plan.plan_id, "p0"), 90) is None


def test_a_plan_is_drawn_again_whatever_generations_the_pool_got_since(
    archive: Archive, plan: Plan, pool: Pool, other: Pool
) -> None:
    assert other.digest != pool.digest and other.items_digest == pool.items_digest
    keep(archive, plan, pool, 60, CREATED)
    (stored,) = kept_plans(archive, other)
    assert not stored.of_pool and kept_plans(archive, pool)[0].of_pool
    again = kept_plan(archive, stored.plan_id, other)
    assert (again.plan_id, again.ids.tolist()) == (plan.plan_id, plan.ids.tolist())
    assert np.array_equal(again.stratum, plan.stratum) and again.pool is other


def test_a_plan_kept_without_its_strata_follows_from_the_pool_it_was_drawn_from(
    archive: Archive, plan: Plan, pool: Pool, other: Pool, tmp_path
) -> None:
    text = manifest.write(plan, pool.name)
    archive.plans.save(plan.plan_id, text, pool.digest, CREATED, plan.items_digest)
    before = archive.plans.table()
    again = kept_plan(archive, plan.plan_id, other)
    assert again.ids.tolist() == plan.ids.tolist() and again.pool is other
    # From now on its strata are kept, and nothing else has changed.
    assert np.array_equal(archive.plans.strata(plan.plan_id), plan.stratum) and archive.plans.table().equals(before)
    # Where that pool is not kept either, other generations draw another sample, which is refused.
    empty = Archive(tmp_path / "empty")
    empty.plans.save(plan.plan_id, text, pool.digest, CREATED, plan.items_digest)
    with pytest.raises(ManifestError):
        kept_plan(empty, plan.plan_id, other)


def test_what_is_looked_at_first_gives_an_estimate_and_is_the_newest(archive: Archive, plan: Plan, pool: Pool) -> None:
    study = Study(Labelling.load(archive, plan, pool, "right-wrong", "two"))
    study.labels.save(archive, rows(plan.ids, verdicts(pool, plan.ids, "two")), "csv", CREATED)
    later = Study(Labelling.load(archive, plan, pool, "gold", "one"))
    later.labels.save(archive, rows(plan.ids[:2], truths(pool, plan.ids[:2])), "csv", "2026-01-02T00:00:00+00:00")
    log = later.labels.refreshed(archive).log
    assert readings(log) == [Reading("right-wrong", "two"), Reading("gold", "")]
    assert [one.items for one in readings(log)] == [60, 2]
    assert presumed(log, plan, pool) == Reading("right-wrong", "two"), "two right answers reach no estimate"
    assert presumed(log, plan, pool, kind="gold").kind == "gold"
    assert presumed(log, plan, pool, target="one") == Reading("gold", "one")
    later.labels.save(archive, rows(plan.ids, truths(pool, plan.ids)), "csv", "2026-01-03T00:00:00+00:00")
    assert presumed(later.labels.refreshed(archive).log, plan, pool).kind == "gold"
    assert presumed(log.head(0), plan, pool) == Reading("gold", "one")


def test_plans_that_were_drawn_under_earlier_rules_are_named(tmp_path: Path, pool: Pool) -> None:
    archive = Archive(tmp_path)
    numbers = Pool.from_records([{"id": str(n), "answer_kind": "number", "generations": ["1", "2"]} for n in range(40)])
    plan = Design(10, Scheme(n_strata=1)).draw(numbers)
    for version, drawn in ((PARSER_VERSION["number"], plan), ("0", plan.with_budget(20))):
        text = manifest.write(drawn, "numbers", {"number": version, "choice": "0"})
        archive.plans.save(drawn.plan_id, text, numbers.digest, CREATED, numbers.items_digest, drawn.stratum)
    said = plans_by_earlier_rules(archive, numbers)
    assert said.startswith("1 list was drawn") and f"“Number” (0, now {PARSER_VERSION['number']})" in said
    assert "Option letter" not in said and plans_by_earlier_rules(archive, pool) == ""
