"""Strata without a label: no estimate of the pool, but what is missing, what comes first, and what is known."""

from __future__ import annotations

import numpy as np
import pytest

from core import labels
from core.design import recommend
from core.estimation import Interval, stratified
from core.estimation.shrinkage import joined
from core.report.sections import partial_headline as headline
from core.report.sections import partial_statement as statement
from core.report.sections import reason
from core.study import Partial, partial
from core.words import SPACE
from tests.core.study.examples import LOSSES, PLAN, POOL, accuracy, numbers, outcomes
from tests.core.wording import Saying

STRATUM = PLAN.stratum[PLAN.positions]


def part(keep: list[int], spare=None, lost=(), **more: object) -> Partial | None:
    """The labels of these strata alone."""
    return partial(outcomes(keep=np.isin(STRATUM, keep), **more), spare, lost)


def test_with_a_label_in_every_stratum_there_is_nothing_to_say() -> None:
    assert part(list(range(PLAN.strata.n_strata))) is None


def test_the_labelled_strata_are_estimated_as_a_population_of_their_own() -> None:
    study = part([0, 2, 4], target="model")
    assert study is not None and study.empty == (1, 3)
    places = PLAN.positions[np.isin(STRATUM, [0, 2, 4])]
    strata = np.searchsorted([0, 2, 4], PLAN.stratum[places])
    assert study.estimate == accuracy(1 - LOSSES[places], strata, PLAN.strata.sizes[[0, 2, 4]])
    assert study.known == pytest.approx(PLAN.strata.sizes[[0, 2, 4]].sum() / 500)
    assert headline(study) == Saying("Strata 1 and 3", "no label")
    assert f"{100 * (1 - study.known):.1f} % of the pool" in reason(study).replace(SPACE, " ")
    assert statement(study) == Saying("“model”", "not ", "whole pool")


def test_the_first_items_are_the_plans_own_in_its_order() -> None:
    study = part([0, 1, 2])
    for h in (3, 4):
        mine = study.first.loc[study.first["stratum"] == h, "item_id"].tolist()
        assert mine == [str(i) for i in PLAN.ids[h == STRATUM][:2]]
    assert headline(study) == Saying("Strata 3 and 4", "no label")


def test_lost_items_give_way_to_replacements_that_are_not_lost_themselves() -> None:
    """All items of the last stratum are lost, then the first of their replacements, then every other one."""
    lost = [str(i) for i in PLAN.ids[STRATUM == 4]]
    spare = labels.replacements(PLAN, lost)
    offered = [str(item) for item in spare["item_id"]]
    assert len(offered) >= 5
    for gone in ([], offered[:1], offered[::2]):
        study = part([0, 1, 2, 3], spare, [*lost, *gone])
        assert study is not None and study.empty == (4,)
        assert study.first["item_id"].tolist() == [item for item in offered if item not in gone][:2]


def test_labels_missing_at_random_leave_an_estimate_of_the_whole_pool() -> None:
    fine = recommend(POOL, 60, "model").draw(POOL, seed=1)
    assert fine.strata.n_strata > 20
    kept = np.random.default_rng(2).random(60) >= 0.25
    some = outcomes(fine, kept)
    study = partial(some)
    assert study is not None and study.joined is not None and study.empty
    place = joined(some.counts)
    merged = np.bincount(place, weights=fine.strata.sizes).astype(int)
    here = fine.positions[kept]
    assert numbers(study.joined) | {"method": ""} == numbers(
        stratified(1 - LOSSES[here], place[fine.stratum[here]], merged)
    ) | {"method": ""}
    assert "missing at random" in headline(study) and "provisional, as if the missing labels" in repr(some)
    assert statement(study) == Saying("whatever", "without a label")
    low, high = study.worst_case or (0, 0)
    assert low <= study.joined.value <= high
    # A stratum of many labels that are all missing is no accident.
    assert part([0, 1, 2]).joined is None and part([0]).joined is None


def test_without_any_label_nothing_is_stated() -> None:
    study = part([], measure="score", interval=Interval(bounded=False))
    assert study.estimate is None and statement(study) == "" and study.known == 0
    assert len(study.empty) == PLAN.strata.n_strata


def test_too_few_labels_for_an_interval() -> None:
    study = partial(outcomes(keep=slice(1)))
    assert study is not None and study.estimate is not None
    assert "1 label came back: too few" in statement(study)


def test_the_whole_pool_is_bounded_whatever_the_other_strata_hold() -> None:
    study = part([0, 2, 4])
    assert study is not None and study.estimate is not None and study.worst_case is not None
    low, high = study.known * study.estimate.low, study.known * study.estimate.high + 1 - study.known
    assert study.worst_case == pytest.approx((low, high))
    gone = partial(outcomes(keep=np.isin(STRATUM, [0, 2, 4])), given_up=np.flatnonzero(PLAN.stratum == 2)[:3])
    assert gone is not None and gone.worst_case is not None
    assert gone.worst_case[0] < low and gone.worst_case[1] > high
    free = part([0, 2, 4], interval=Interval(bounded=False))
    assert free is not None and free.worst_case is None
