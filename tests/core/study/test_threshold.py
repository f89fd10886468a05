"""Which strata count as short of labels: those with less than two thirds of what the design gives them."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from core.design import Design, Scheme
from core.estimation.variance import uneven
from core.study import compare
from core.study.comparison import Judged
from tests.core.study.examples import POOL, accuracy, outcomes


@pytest.mark.parametrize("least", [0, 1])
def test_a_stratum_is_short_below_two_thirds_of_its_labels(least: int) -> None:
    """Of equal numbers for two strata a and 20 came back: each is due (20 + a)/2, and a < 10 is below 2/3 of it."""
    plan = Design(40, Scheme(n_strata=2, allocation="equal"), seed=5).draw(POOL)
    assert plan.allocation.tolist() == [20, 20]
    member = plan.stratum[plan.positions]
    for count in range(1, 21):
        study = outcomes(plan, np.flatnonzero((member != least) | (np.cumsum(member == least) <= count)))
        assert study.estimate.n_labels == 20 + count
        short = Fraction(count, 1) / Fraction(20 + count, 2) < Fraction(2, 3)
        assert short == (count < 10)
        assert study.short == ((least,) if short else ())


@pytest.mark.parametrize(("n_strata", "labels"), [(30, 2), (20, 3)])
def test_no_cut_of_a_list_of_fine_strata_is_short(n_strata: int, labels: int) -> None:
    """The last labels come in an order of their own: at each cut some strata have one fewer. One of three is short."""
    design = Design(60, Scheme(stratifier="equal-mass", allocation="equal", n_strata=n_strata))
    plan = design.draw(POOL, seed=2)
    assert set(plan.allocation) == {labels}
    for first in range(n_strata, 61):
        study = outcomes(plan, slice(first))
        assert not study.short and study.careful == study.interval
    in_first = plan.stratum[plan.positions] == 0
    study = outcomes(plan, np.flatnonzero(~in_first | (np.cumsum(in_first) <= 1)))
    assert study.short == ((0,) if labels == 3 else ())


def test_a_comparison_widens_its_targets_limits_where_the_estimate_does() -> None:
    """12 labels of each stratum are due, of one only 7 came: short, and not uneven."""
    values, strata, sizes = np.array([1.0, 0.0] * 12), np.array([0] * 17 + [1] * 7), np.array([600, 400])
    one, two = Judged("one", values, ""), Judged("two", 1 - values, "")
    short = compare(one, two, strata, sizes, weights=np.array([1.0, 1.0])).values
    free = compare(one, two, strata, sizes).values
    assert short is not None and free is not None and not uneven([17, 7], sizes)
    assert short[0] == accuracy(values, strata, sizes, conservative=True)
    assert free[0] == accuracy(values, strata, sizes) != short[0]
