"""A number from the beginning of a list of fine strata: provisional, and in no report, gate, bundle or exit status."""

from __future__ import annotations

import numpy as np
import pytest

from core.design import Plan, recommend
from core.design.scheme import scattered
from core.errors import DesignError
from core.estimation import Interval, stratified
from core.estimation.shrinkage import is_beginning, joined
from core.report.sections import partial_headline, partial_statement, reason
from core.study import partial
from core.study.outcomes import BEGUN, Outcomes
from core.words import SPACE
from tests.core.lab.conftest import pool_of
from tests.core.study import examples
from tests.core.study.examples import numbers
from tests.core.wording import Saying

POOL = pool_of(3000, seed=3)
LOSSES = POOL.losses("model")
FINE = recommend(POOL, 200, "model").draw(POOL, seed=1)


def outcomes(plan: Plan, keep: np.ndarray, values: np.ndarray | None = None, **more: object) -> Outcomes:
    given = 1 - LOSSES[plan.positions[keep]] if values is None else values
    return examples.outcomes(plan, keep, given, **more)


def begun(labels: int, plan: Plan = FINE, **more: object) -> Outcomes:
    return outcomes(plan, np.arange(plan.ids.size) < labels, **more)


def test_thirty_labels_of_a_fine_list_give_a_provisional_number() -> None:
    assert FINE.strata.n_strata == 100
    some = begun(30)
    place = joined(some.counts, 2)
    assert np.bincount(place[some.strata]).min() == 2 and place.max() + 1 == 15
    study = partial(some)
    assert study is not None and study.joined is not None and study.begun
    here, merged = FINE.positions[:30], np.bincount(place, weights=FINE.strata.sizes).astype(int)
    expected = stratified(1 - LOSSES[here], place[FINE.stratum[here]], merged)
    assert numbers(study.joined) | {"method": ""} == numbers(expected) | {"method": ""}
    assert study.joined.has_interval and study.joined.method.endswith(BEGUN) and study.joined.measure == "accuracy"
    assert partial_headline(study) == Saying("Accuracy about", "provisional", "joined")
    said = reason(study).replace(SPACE, " ")
    assert "first 30 labels" in said and "70 strata of 100" in said and "reports and gates wait" in said
    assert "provisional" in repr(some) and partial_statement(study)


def test_it_is_no_estimate() -> None:
    some = begun(30)
    with pytest.raises(DesignError, match="No item of strata"):
        _ = some.estimate
    with pytest.raises(DesignError):
        some.top_up(0.05)


@pytest.mark.parametrize("labels", [0, 1, 19])
def test_below_twenty_labels_there_is_none(labels: int) -> None:
    study = partial(begun(labels))
    assert study is not None and study.joined is None and not study.begun


def test_items_passed_over_are_taken_either_way() -> None:
    whole, gaps = begun(30), np.arange(FINE.ids.size) < 30
    gaps[[3, 11]] = False
    left = whole.table.iloc[[3, 11]].drop(columns="value").assign(least=0.0, most=1.0)
    some = outcomes(FINE, gaps, open=left, n_open=2)
    assert some.begun and some.joined is not None and whole.joined is not None
    assert some.joined.low <= whole.joined.low and whole.joined.high <= some.joined.high
    # Without a word on why they are missing, the labels are no beginning of the list.
    assert outcomes(FINE, gaps).joined is None


def test_the_labels_values_do_not_move_the_joining() -> None:
    flipped = outcomes(FINE, np.arange(200) < 30, LOSSES[FINE.positions[:30]])
    assert flipped.joined is not None and begun(30).joined is not None
    assert flipped.joined.value == pytest.approx(1 - begun(30).joined.value)


def test_scores_without_bounds_have_it_too() -> None:
    free = begun(30, measure="score", interval=Interval(bounded=False))
    assert free.joined is not None and free.joined.has_interval and "Satterthwaite" in free.joined.method


def test_a_list_that_begins_with_the_safest_strata_has_none() -> None:
    order, counts = np.tile(np.arange(40), 2), np.r_[np.ones(25, dtype=int), np.zeros(15, dtype=int)]
    assert not is_beginning(order, scattered(40), counts)
    spread = np.tile(scattered(40), 2)
    counts = np.bincount(spread[:25], minlength=40)
    assert is_beginning(spread, scattered(40), counts) and not is_beginning(spread, scattered(40), counts[::-1])
