"""Two targets on the same items: the estimators' numbers, and sentences that say no more than they show."""

from __future__ import annotations

import math

import numpy as np
import pytest
from plotly.graph_objects import Figure

from core.errors import DesignError
from core.estimation import Interval
from core.estimation.contrasts import difference
from core.figures import intervals as charts
from core.figures import prints
from core.report.sections import beside_separate, remarks
from core.report.sections import comparison_headline as headline
from core.study import Comparison, compare
from core.study.comparison import Judged
from core.words import SPACE
from tests.core.study.examples import accuracy, numbers
from tests.core.wording import Saying

SIZES = [60, 40]
STRATA = np.repeat([0, 1], [20, 20])
FREE = Interval(bounded=False)
RNG = np.random.default_rng(4)
FIRST = (RNG.random(40) < 0.2).astype(float)
SECOND = np.where(RNG.random(40) < 0.8, FIRST, 1 - FIRST)


def compared(first: np.ndarray, second: np.ndarray, **more: object) -> Comparison:
    one, two = Judged("A", 1 - first, "labels"), Judged("B", 1 - second, "labels")
    return compare(one, two, STRATA[: first.size], SIZES, **more)


def said(comparison: Comparison) -> str:
    return headline(comparison).replace(SPACE, " ")


def test_numbers_are_the_estimators_own() -> None:
    comparison = compared(FIRST, SECOND)
    assert numbers(comparison.gap) == numbers(difference(1 - FIRST, 1 - SECOND, STRATA, SIZES))
    assert comparison.values == tuple(accuracy(1 - x, STRATA, SIZES) for x in (FIRST, SECOND))
    apart = [one.standard_error for one in comparison.values]
    assert comparison.separate_error == pytest.approx(math.sqrt(apart[0] ** 2 + apart[1] ** 2))
    assert comparison.gap.standard_error < comparison.separate_error, "mostly equal losses"
    assert comparison.gap_table()["value"].tolist() == [comparison.gap.value]
    assert comparison.table()["label"].tolist() == ["A", "B"]


def test_sentence_table_and_figure_have_one_sign() -> None:
    better, worse = compared(np.zeros(40), np.ones(40)), compared(np.ones(40), np.zeros(40))
    assert said(better) == Saying("“A” is right more often than “B”", "100.0 points. 95 % interval")
    assert said(worse) == Saying("“A” is right less often than “B”", "100.0 points. 95 % interval")
    for comparison, sign in ((better, "+"), (worse, "−")):
        assert math.copysign(1, comparison.gap_table()["value"].iloc[0]) == (1 if sign == "+" else -1)
        low, high = said(comparison).split("difference: ")[1].split(" points")[0].split(" to ")
        assert (low[0], high[0]) == (sign, sign) and "No difference" not in said(comparison)


def test_what_is_not_shown_is_not_claimed() -> None:
    one = FIRST.copy()
    one[0] = 1 - one[0]
    comparison = compared(FIRST, one)
    assert comparison.gap.low < 0 < comparison.gap.high and not comparison.shown
    assert said(comparison).startswith("No difference is shown")
    assert said(comparison).endswith("points, which includes 0).")
    same = compared(FIRST, FIRST)
    assert said(same) == Saying("No difference is shown", "“A” and “B”", "equally often (")
    assert same.gap.low < 0 < same.gap.high and not same.shown


def test_only_items_judged_for_both_are_used_and_the_others_counted() -> None:
    first, second = FIRST.copy(), SECOND.copy()
    first[:3], second[2:4], second[20] = np.nan, np.nan, np.nan
    comparison = compared(first, second)
    both = ~np.isnan(first) & ~np.isnan(second)
    assert (comparison.n_both, comparison.left_out) == (35, 4), "item 2 is judged for neither"
    assert numbers(comparison.gap) == numbers(difference(1 - first[both], 1 - second[both], STRATA[both], SIZES))
    assert remarks(comparison)[0] == Saying("35 items", "both", "by labels")
    assert remarks(comparison)[1].replace(SPACE, " ").startswith("4 items are left out")


def test_an_empty_stratum_is_said_and_nothing_is_estimated() -> None:
    second = SECOND.copy()
    second[20:] = np.nan
    comparison = compared(FIRST, second)
    assert (comparison.empty, comparison.gap, comparison.values) == ((1,), None, None)
    assert said(comparison) == Saying("no item of stratum 1")
    assert beside_separate(comparison) == "" and not comparison.shown and math.isnan(comparison.separate_error)
    assert comparison.table().empty and comparison.gap_table().empty


def test_unbounded_scores() -> None:
    comparison = compared(*(1 - RNG.normal(mean, 1, 40) for mean in (7, 5)), measure="score", interval=FREE)
    assert said(comparison).startswith("“A” scores higher than “B” by ") and "points" not in said(comparison)
    assert comparison.shown


def test_one_label_in_each_stratum_shows_nothing() -> None:
    one, two = Judged("A", np.zeros(2), "labels"), Judged("B", np.ones(2), "the pool’s outcomes")
    comparison = compare(one, two, [0, 1], SIZES)
    assert (
        said(comparison).startswith("No difference is shown")
        and "no interval" in said(comparison)
        and not comparison.shown
    )
    assert remarks(comparison) == [Saying("2 items", "“A” by labels", "“B” by the pool’s outcomes")]


def test_errors() -> None:
    with pytest.raises(DesignError, match="No labelled item"):
        compared(FIRST, np.full(40, np.nan))
    with pytest.raises(DesignError, match="40 and 3 values"):
        compared(FIRST, FIRST[:3])


def test_the_figure_marks_zero_and_keeps_it_in_sight() -> None:
    table = compared(np.zeros(40), np.ones(40)).gap_table()
    drawn = Figure(charts.difference(table))
    low, high = drawn.layout.xaxis.range
    assert low < 0 < high and high >= 100 and drawn.layout.shapes[0].x0 == drawn.layout.shapes[0].x1 == 0
    assert drawn.data[0].x[0] == pytest.approx(100)
    assert Figure(charts.difference(table, unit=False)).data[0].x[0] == pytest.approx(1)


def test_the_figure_says_what_its_sides_mean_and_can_write_its_values() -> None:
    table = compared(np.zeros(40), np.ones(40)).gap_table()
    drawn = charts.difference(table, True, ("← B better", "A better →"), lambda value: f"{100 * value:.0f}")
    assert [note["text"] for note in drawn["layout"]["annotations"]] == ["100", "← B better", "A better →"]
    assert "percentage points" in prints.inline(drawn, "Difference")
