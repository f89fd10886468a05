"""Sentences of the report: they say as much as the labels tell, and no more."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from core.design import Design, Scheme
from core.report import report_html
from core.report.everyday import facts
from core.report.sentences import about_precision, alike, beside_uniform, headline, limits, precision, remarks, span
from core.stratification import EQUAL_MASS
from core.study import Result
from core.words import SPACE
from tests.core.study.examples import LOSSES, POOL, result_of, shown
from tests.core.wording import Saying


def test_a_census_says_so() -> None:
    result = result_of(Design(500, seed=0).draw(POOL))
    assert result.estimate.value == pytest.approx(1 - LOSSES.mean())
    assert "nothing is estimated" in headline(result) and "exact" in beside_uniform(result)
    assert "every item of the pool" in precision(result)
    assert "More precision" not in report_html(result)


def test_what_the_design_saved_is_said_as_far_as_the_labels_tell() -> None:
    result = result_of()

    def said(needed: int, least: float, most: float) -> str:
        wide = replace(result.precision.uniform, low=0.0, high=1.0)
        precision = replace(result.precision, uniform=wide, uniform_needed=needed, saved_least=least, saved_most=most)
        return beside_uniform(shown(result, precision=precision)).replace(SPACE, " ")

    assert said(50, -0.4, -0.05) == Saying("did not help", "80 % range −40 % to −5 %")
    unsure = said(66, -0.1, 0.3)
    assert unsure.endswith("; these labels cannot say whether the design saved any.")
    assert "about 66" not in unsure and "not help" not in unsure
    assert said(100, 0.25, 0.5) == Saying("about 100 labels", "40 % saved", "80 % range 25 % to 50 %")


def test_an_unfinished_list_claims_no_saving_that_its_interval_contradicts() -> None:
    plan, few = (Design(2 * n, Scheme(stratifier=EQUAL_MASS, n_strata=n), seed=0).draw(POOL) for n in (30, 8))
    cut, whole = (result_of(plan, keep=slice(count), groups=None) for count in (40, 60))
    assert not cut.wider and "list is unfinished" not in " ".join(remarks(cut))
    # The standard error alone would claim labels saved, beside a wide interval for strata of one label.
    half = result_of(few, keep=slice(11), groups=None)
    half = shown(half, precision=replace(half.precision, uniform_needed=20, saved_least=0.1, saved_most=0.6))
    assert half.precision.saved_least > 0 and half.wider and not half.saves
    assert beside_uniform(half).endswith("a narrower interval: no saving is claimed while the list is unfinished.")
    gain = facts(half, lambda count: "")[2]
    assert gain.number == "no claim" and gain.note.endswith("while the list is unfinished.")
    page = report_html(half)
    assert "Share of labels saved" not in page and "saved, 80" not in page
    words = " ".join(remarks(half)).replace(SPACE, " ")
    assert "This design" not in words and words == Saying("5 of 16 planned labels", "end of the list")
    assert "pooled variance" not in words and about_precision(half).endswith("uses the pooled variance.")
    assert not whole.saves and not whole.wider, "sixty labels do not show it"
    whole = shown(whole, precision=replace(whole.precision, saved_least=0.1, saved_most=0.6))
    assert whole.saves and beside_uniform(whole) == Saying(" saved, ") and remarks(whole) == []
    single = remarks(result_of(plan, keep=slice(30), groups=None))
    assert single[0].endswith(": the estimate is sound.") and "One more label gives one" in single[1]


def test_scores_that_may_be_too_rare_to_be_seen_are_told_with_limits_that_hold() -> None:
    narrow = np.random.default_rng(1).uniform(0.9, 0.95, 60)
    told = " ".join(remarks(result_of(values=narrow, measure="score")))
    result = result_of(values=narrow, measure="score")
    low, high = result.sample.whatever()
    assert "too rare to be seen" in told and span(result, low, high) in told
    assert low < 0.85 < result.estimate.low and high > result.estimate.high
    for values in (np.random.default_rng(1).random(60), np.random.default_rng(1).integers(0, 2, 60)):
        assert "too rare" not in " ".join(remarks(result_of(values=values, measure="score")))


def test_undecided_items_are_counted() -> None:
    keep = np.arange(60)[np.arange(60) % 6 != 5]
    several, one = (result_of(keep=keep, undecided=n, not_yet=()) for n in (10, 1))
    assert remarks(several)[0].startswith("10 items are undecided") and "not missing at random" in remarks(several)[0]
    # Items in dispute are not missing as well.
    assert remarks(one)[0].startswith("9 of 60 planned labels are missing")
    assert remarks(one)[1].startswith("1 item is undecided")
    assert "undecided" not in " ".join(remarks(result_of(keep=keep)))
    # Where the list ends because people disagree, it was not cut short by chance.
    ended = remarks(result_of(keep=slice(50), undecided=10, not_yet=()))
    assert "smaller budget" not in ended[0] and "at random" in ended[0]


def even(result: Result) -> Result:
    """The result with both limits equally far from its estimate."""
    value = result.estimate.value
    return shown(result, estimate=replace(result.estimate, low=value - 0.1, high=value + 0.1))


def test_only_an_interval_with_equal_arms_has_a_plus_or_minus() -> None:
    result = even(result_of())
    lopsided = shown(result, estimate=replace(result.estimate, low=result.estimate.low - 0.1))
    for one, sign in ((result, True), (lopsided, False)):
        number = facts(one, lambda count: "")[1].number
        assert ["±" in words for words in (precision(one), about_precision(one), number)] == [sign] * 3
    assert limits(lopsided) == number


def test_the_standard_error_is_no_half_width() -> None:
    result = even(result_of())
    said, more = (words(result).replace(SPACE, " ") for words in (precision, about_precision))
    half, error = f"±{100 * result.half_width:.1f} points", f"{100 * result.estimate.standard_error:.1f} points"
    assert half != f"±{error}" and said == f"{half}, 60 labels"
    assert f"{half} is half its width" in more and f"true value, is {error}." in more


def test_a_uniform_plan_has_nothing_to_compare() -> None:
    result = result_of(Design(40, Scheme(allocation="uniform"), seed=0).draw(POOL), groups=None)
    assert "Uniform sample" in beside_uniform(result)
    assert "Groups" not in report_html(result)


@pytest.mark.parametrize(("right", "value"), [(1.0, "100.0 %"), (0.0, "0.0 %")])
def test_all_right_and_all_wrong(right: float, value: str) -> None:
    result = result_of(values=np.full(60, right), groups=None)
    assert headline(result).replace(SPACE, " ") == Saying(f" {value} of all 500 items")
    assert precision(result).endswith("60 labels") and "standard error" not in about_precision(result)
    assert result.top_up(result.half_width / 2).further > 0
    assert "nan" not in report_html(result).replace("finance", "")


def test_one_label_is_singular() -> None:
    assert remarks(result_of(keep=slice(59)))[0] == Saying("1 of 60 ", " has not been given yet. It is the end")
    assert remarks(result_of(keep=slice(1, 60)))[0] == Saying("1 of 60 ", " is missing")


def test_labels_that_agree_are_those_that_count_if_others_are_disputed():
    agreeing, disputed = (SimpleNamespace(single=False, disputed=one, open=None) for one in (None, ("q1",)))
    assert "that count" in alike(disputed) and "that count" not in alike(agreeing)
