"""The first page says to people who are no statisticians what the labels tell, and claims no more."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from html import unescape

import numpy as np
import pytest

from core.design import Design, Scheme, recommend
from core.estimation import Interval
from core.prospect import Costs, Prospect
from core.report import report_html, report_json
from core.report.everyday import answer, basis, before_labels, facts, meaning, odds, procedure
from core.report.sentences import limits
from core.study import Result
from core.words import SPACE
from tests.core.study.examples import LOSSES, PLAN, POOL, result_of, shown
from tests.core.wording import Saying
from tests.headlines import faults


def plain(words: str) -> str:
    return words.replace(SPACE, " ")


def free(count: int) -> str:
    return ""


def saved(result: Result, needed: int | None, least: float, most: float) -> Result:
    # An interval of Uniform that says less than its standard error leaves the numbers to that.
    wide = replace(result.precision.uniform, low=0.0, high=1.0)
    precision = replace(result.precision, uniform=wide, uniform_needed=needed, saved_least=least, saved_most=most)
    return shown(result, precision=precision)


def test_the_answer_is_a_sentence_with_one_number() -> None:
    result = result_of(pool="p")
    assert plain(answer(result)) == Saying("“model”", f"{100 * result.estimate.value:.1f} % of these questions")
    assert faults(answer(result)) == []
    scores = result_of(
        values=5 + LOSSES[PLAN.positions], measure="score", interval=Interval(bounded=False, confidence=0.9)
    )
    assert "scores 5." in answer(scores) and faults(answer(scores)) == []


def test_no_more_labels_are_saved_than_the_intervals_show() -> None:
    result = result_of()
    own, beside = result.estimate, result.precision.uniform
    half, m, n = (own.high - own.low) / (beside.high - beside.low), own.n_labels, result.n_items
    narrow = math.ceil(1 / (half**2 * (1 / m - 1 / n) + 1 / n) - 1e-9)
    assert m < narrow < 100
    precision = replace(result.precision, uniform_needed=100, saved_least=0.45, saved_most=0.6)
    wide = shown(result, precision=precision)
    assert wide.uniform_labels == narrow and wide.saved == pytest.approx(1 - m / narrow)
    assert wide.saved_range == (pytest.approx(wide.saved), pytest.approx(wide.saved)) and wide.saved < 0.45
    assert shown(result, precision=replace(precision, saved_least=-0.1)).saved_range[0] == -0.1
    few = shown(result, precision=replace(result.precision, uniform_needed=narrow - 1))
    assert few.uniform_labels == narrow - 1


@pytest.mark.parametrize(("confidence", "words"), [(0.99, "99 times out of 100"), (0.975, "39 times out of 40")])
def test_a_confidence_reads_as_odds(confidence: float, words: str) -> None:
    assert plain(odds(confidence)) == words
    assert plain(odds(0.9543210987)) == "in 95.4321 % of such samples"


def test_a_saving_is_claimed_only_where_its_range_leaves_out_zero() -> None:
    result, price = result_of(), Costs(label=12, minutes=2).spent
    took, precise, gain = facts(saved(result, 100, 0.25, 0.5), price)
    assert took.number == "60 labels" and plain(took.note).startswith("720 €, 2 hours")
    assert plain(precise.number) in (plain(limits(result)), "±10.0 points") and "Uniform" in precise.note
    assert gain.number == "about 40 labels"
    assert plain(gain.note) == Saying("40 %", "100", "480 €", "1.3 hours", "80 % range 25 % to 50 %")
    free = facts(result_of(gradings=0), price)[0]
    assert free.number == "0 labels" and "the outcomes of 60 questions were known before" in plain(free.note)
    unsure = facts(saved(result, 66, -0.1, 0.3), price)[2]
    assert (
        unsure.number == "no claim" and plain(unsure.note).endswith("80 % range includes 0.") and "€" not in unsure.note
    )
    worse = facts(saved(result, 50, -0.4, -0.05), price)[2]
    assert worse.number == "nothing" and "did not help" in worse.note
    few = result_of(Design(12, seed=5).draw(POOL))
    assert few.counts.max() > 2 and "too few to say" in facts(few, price)[2].note
    unknown = saved(result, None, np.nan, np.nan)
    assert facts(unknown, price)[2].number == "not known" and basis(unknown) == ""
    # There is none, or Clopper and Pearson's limits are it.
    plan = recommend(POOL, 60, "model").draw(POOL, seed=5)
    pairs, cut = result_of(plan), result_of(plan, slice(33))
    assert not pairs.wider and not cut.wider
    assert [math.isnan(one.precision.saved_least) for one in (result, pairs, cut)] == [False, False, True]
    assert ["simulated" in basis(one) for one in (result, pairs, cut)] == [True, False, False]


@pytest.mark.parametrize("target", ["model", None])
def test_the_promise_made_before_the_labels_stands_beside_what_they_gave(target: str | None) -> None:
    promise = Prospect(POOL, target).drawn(PLAN).promise
    result = replace(result_of(), promise=promise)
    half, width = f"±{100 * promise.half_width:.1f} points", f"±{100 * result.half_width:.1f} points"
    assert promise.exact == (target is not None) and plain(before_labels(result)) == Saying(half, "these gave", width)
    assert plain(facts(result, free)[1].note) == Saying("Uniform", "Expected before labelling", half)
    # The promise is of the whole list.
    begun = replace(result_of(keep=slice(50)), promise=promise)
    gave = f"from {promise.labels} labels; {begun.estimate.n_labels} labels gave ±{100 * begun.half_width:.1f} points"
    assert begun.estimate.n_labels < promise.labels and gave in plain(before_labels(begun))
    page = plain(unescape(report_html(result)))
    assert page == Saying("Promised before the labels", plain(promise.sentence), half, plain(promise.rests_on))
    written = json.loads(report_json(result))["promise"]
    assert (written["half_width"], written["outcome_known"]) == (promise.half_width, promise.exact)


def test_no_promise_is_repeated_that_was_about_something_else() -> None:
    promise = Prospect(POOL, "model").drawn(PLAN).promise
    assert before_labels(result_of()) == ""
    scores = result_of(values=5 + LOSSES[PLAN.positions], measure="score", interval=Interval(bounded=False))
    assert before_labels(replace(scores, promise=promise)) == ""
    assert "Promised before" not in report_html(replace(scores, promise=promise))


def test_a_census_and_a_uniform_sample_have_nothing_to_compare() -> None:
    census = result_of(Design(500, seed=0).draw(POOL))
    assert faults(answer(census)) == [] and [fact.number for fact in facts(census, free)][1:] == ["exact"]
    assert basis(census) == ""
    assert procedure(census, None).startswith("All 500 questions were labelled.")
    uniform = result_of(Design(40, Scheme(allocation="uniform"), seed=0).draw(POOL), groups=None)
    assert facts(uniform, free)[2].number == "nothing" and "same chance" in procedure(uniform, None)
    assert report_html(uniform).split('class="folds"')[0].count("<circle") == 1


def test_labels_without_an_interval_say_so() -> None:
    few = result_of(keep=slice(PLAN.strata.n_strata))
    assert "too few" in answer(few) and [fact.number for fact in facts(few, free)][1:] == ["not known"]
    assert "quite another" in meaning(few)[1]


def test_the_procedure_is_two_sentences_that_name_the_signal() -> None:
    said = procedure(result_of(), None)
    assert said == Saying("5 groups of similar items (strata)", "another model’s answers", "disagree")
    assert len(re.findall(r"\.(?: |$)", said)) == 2 and "those were labelled" in said
    assert len(meaning(result_of())) == 3
