"""Sentences of findings, held against numbers that come from elsewhere."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from core.design import Design
from core.simulation import findings
from core.stratification import Moments, profile
from core.stratification.moments import moments

# TEST_VECTORS 3: an accuracy of 0.8193 in five strata, p_h of the allocation vectors.
SIZES = np.array([1400, 400, 400, 400, 400])
RIGHT = np.array([1358, 360, 312, 248, 180])
CONSISTENCY = [1.0, 0.88, 0.74, 0.60, 0.45]


@pytest.fixture
def known() -> Moments:
    losses = np.concatenate([np.arange(n) >= right for n, right in zip(SIZES, RIGHT, strict=True)]).astype(float)
    return moments(losses, np.repeat(np.arange(5), SIZES))


def test_the_comparison_has_the_reference_values(known: Moments) -> None:
    found = findings.compare(known, CONSISTENCY, 70)
    percents = {name: 100 * ratio for name, ratio in found.relative.items()}
    assert percents["uniform"] == 100
    assert percents["proxy-neyman"] == pytest.approx(66.4030087934, abs=1e-9)
    assert percents["oracle-neyman"] == pytest.approx(63.0245326511, abs=1e-9)
    assert percents["proportional"] == pytest.approx(77.9931466859, abs=1e-9)
    assert percents["equal"] == pytest.approx(65.9872160551, abs=1e-9)
    assert found.standard_error**2 == pytest.approx(0.00137189075169, abs=1e-14)
    # (1 − m/N) S²/m falls to 0.00137189 at m = 104.2, S² from 0.00206600691236 = (1 − 70/3000) S²/70.
    assert found.uniform_needed == 105


def test_the_headline_says_what_is_saved(known: Moments) -> None:
    sentence = findings.headline(findings.compare(known, CONSISTENCY, 70))
    assert "With 70 labels the squared error is 66.4 % of Uniform’s" in sentence
    assert "optimum for these strata is 63.0 %" in sentence
    assert "Uniform would need 105 labels for the same precision: 33 % saved." in sentence


def test_a_rule_that_is_better_is_named(known: Moments) -> None:
    sentence = findings.caveat(findings.compare(known, CONSISTENCY, 70))
    assert sentence is not None and "Equal (66.0 %)" in sentence and "Proxy-Neyman (66.4 %" in sentence
    assert "Proportional" not in sentence


def test_where_nothing_is_gained_it_says_so() -> None:
    losses = np.tile([0.0, 1.0], 50)
    found = findings.compare(moments(losses, np.repeat([0, 1], 50)), [1.0, 0.5], 20)
    assert "does not help" in findings.headline(found)
    assert "drawn at random do as well" in str(findings.in_plain_words(found))


@pytest.mark.parametrize(("losses", "budget", "said"), [([0.0] * 6, 3, "same loss"), ([0, 1.0] * 3, 6, "nothing left")])
def test_without_anything_to_compare_there_are_no_plain_words(losses: list[float], budget: int, said: str) -> None:
    found = findings.compare(moments(losses, [0, 0, 0, 1, 1, 1]), [1.0, 0.5], budget)
    assert findings.in_plain_words(found) is None
    assert said in findings.headline(found)


def drawn(budget: int, **design: object) -> str:
    classes = [[0, 0], [0, 0], [0, 1], [0, 1]]
    plan = Design(budget, **design).plan("0" * 64, np.array(list("abcd"), dtype=object), profile(classes))  # type: ignore[arg-type]
    return findings.request_finding(plan)


def test_the_chances_of_being_drawn() -> None:
    # p = 1 and ½: weights 2·0.75 and 2·1.25, the third label goes to the second stratum.
    assert drawn(3) == "3 of 4 items to label, from 2 strata, each with a chance of 50.0 % to 100.0 % of being drawn."
    assert drawn(2) == "2 of 4 items to label, from 2 strata, each with the same chance of being drawn, 50.0 %."
    assert drawn(1, allocation="uniform") == "1 of 4 items to label, each with the same chance of being drawn, 25.0 %."
    assert drawn(4) == "All 4 items to label."


@pytest.mark.parametrize(
    ("labels", "said"),
    [([0.5, 0.5], "2 strata: each gets its share of the pool."), ([0.25, 0.75], "stratum 1 gets 1.50 times")],
)
def test_the_shares_of_the_strata(labels: list[float], said: str) -> None:
    table = pd.DataFrame({"share_of_pool": [0.5, 0.5], "share_of_budget": labels})
    assert said in findings.strata_finding(table, 2)


def test_shares_are_of_the_items_that_have_a_signal() -> None:
    assert findings.spread([0, 0, 1, 1]).startswith("50 % of the items at 0")
    assert findings.spread([0, 0, 1, 1, np.nan]).startswith("50 % of the items with generations at 0")
    assert findings.spread([0.0, 0.0]) == "0 everywhere"
