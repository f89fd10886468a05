"""A belief from earlier labels: which of them give one, and that known outcomes do not."""

from __future__ import annotations

import numpy as np

from core.archive import Archive
from core.design import Design, Plan
from core.pool import Pool
from core.prospect import Pilot
from core.study import Labelling, Study, pilot
from core.words import value
from tests.core.study.conftest import CREATED, rows, truths, verdicts


def keep(archive: Archive, plan: Plan, pool: Pool, labels: list[str], kind: str = "gold", target: str = "one") -> None:
    study = Study(Labelling.load(archive, plan, pool, kind, target))
    study.labels.save(archive, rows(plan.ids[: len(labels)], labels), "csv", CREATED)


def test_right_answers_are_a_belief_about_every_target(archive: Archive, plan: Plan, pool: Pool) -> None:
    assert pilot(archive, pool, "one") is None
    keep(archive, plan, pool, truths(pool, plan.ids))
    for target in ("one", "two"):
        estimate = Study(Labelling.load(archive, plan, pool, "gold", target)).estimate()
        known = Pilot(estimate.value, 60, plan.plan_id, estimate.low, estimate.high)
        assert pilot(archive, pool, target) == known
        first = f"{target} is right on about {value(estimate.value, True, estimate.high - estimate.low)} of all items"
        assert known.title_of(target) == first and known.because.endswith("(95\u00a0% confidence), from 60 labels.")
    assert pilot(archive, pool, "three") is None


def test_verdicts_are_a_belief_about_the_target_that_they_judge(archive: Archive, plan: Plan, pool: Pool) -> None:
    keep(archive, plan, pool, verdicts(pool, plan.ids, "one"), "right-wrong")
    belief = pilot(archive, pool, "one")
    assert belief is not None and belief.n_labels == 60
    assert pilot(archive, pool, "two") is None


def test_the_plan_with_most_labels_counts_and_one_without_an_estimate_does_not(
    archive: Archive, plan: Plan, pool: Pool
) -> None:
    small = Design(20, seed=8).draw(pool)
    keep(archive, small, pool, truths(pool, small.ids))
    keep(archive, plan, pool, truths(pool, plan.ids[:3]))
    estimate = Study(Labelling.load(archive, small, pool, "gold", "one")).estimate()
    assert pilot(archive, pool, "one") == Pilot(estimate.value, 20, small.plan_id, estimate.low, estimate.high)
    keep(archive, plan, pool, truths(pool, plan.ids))
    belief = pilot(archive, pool, "one")
    assert belief is not None and belief.plan_id == plan.plan_id


def with_losses(pool: Pool, name: str, seed: int) -> Pool:
    """The pool with outcomes of “one” that its labels know nothing of."""
    rng, records = np.random.default_rng(seed), []
    for place, (item, row) in enumerate(pool.items.iterrows()):
        listed = {key: list(value) if isinstance(value, np.ndarray | list) else value for key, value in row.items()}
        answer = {"answer": pool.targets["two"].answers[place], "loss": float(rng.random() < 0.5)}
        generations = list(pool.generations[place])
        records.append({"id": item, **listed, "generations": generations, "targets": {"one": answer}})
    return Pool.from_records(records, name)


def test_known_outcomes_are_never_looked_at(archive: Archive, pool: Pool) -> None:
    first, second = (with_losses(pool, "scrambled", seed) for seed in (0, 1))
    plan = Design(40, seed=2).draw(first)
    keep(archive, plan, first, truths(first, plan.ids))
    assert pilot(archive, first, "one") == pilot(archive, second, "one") is not None


def test_a_kept_pool_of_the_same_name_is_an_earlier_version(archive: Archive, plan: Plan, pool: Pool) -> None:
    keep(archive, plan, pool, truths(pool, plan.ids))
    records = [{"id": f"new {n}", "targets": {"one": {"loss": 1.0}}} for n in range(30)]
    later = Pool.from_records(records, pool.name)
    belief = pilot(archive, later, "one")
    assert belief is not None and belief.plan_id == plan.plan_id
    assert pilot(archive, Pool.from_records(records, "another"), "one") is None
