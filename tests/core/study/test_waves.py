"""A study of two waves: everything that follows from its labels rests on both, and the way from wave to wave."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from core.archive import Archive
from core.design import Design, Plan, Scheme, manifest, pool_profile
from core.errors import DesignError
from core.estimation import stratified
from core.estimation.contrasts import metric
from core.labels.formats.records import GIVEN_UP
from core.pool import Pool
from core.report import report_html
from core.report.details import strata_finding
from core.study import Labelling, Study, compare, kept_plan, kept_plans, labelled, request, second_wave
from core.study.comparison import Judged
from core.study.metrics import answered, metrics
from tests.core.brute_force import samples
from tests.core.study.conftest import CREATED, rows, truths
from tests.core.study.examples import numbers
from tests.core.wording import Saying

DESIGN = Design(60, Scheme(waves=2, n_strata=30), 3)


def filled(archive: Archive, plan: Plan, pool: Pool, target: str = "one") -> Study:
    """The study of a kept plan, every item that is due labelled with the right answer."""
    study = Study(Labelling.load(archive, plan, pool, "gold", target))
    study.labels.save(archive, rows(study.labels.due, truths(pool, study.labels.due)), "csv", CREATED)
    return Study(Labelling.load(archive, kept_plan(archive, plan.plan_id, pool), pool, "gold", target))


@pytest.fixture
def first(archive: Archive, pool: Pool) -> Study:
    return filled(archive, DESIGN.draw(pool), pool)


@pytest.fixture
def second(archive: Archive, pool: Pool, first: Study) -> Study:
    return filled(archive, first.next_wave().plan, pool)


def test_differences_and_metrics_of_two_waves_are_unbiased_over_every_path() -> None:
    """Nine items, two labelled first, then six of the other seven: a difference, and the two means of a ratio."""
    rng = np.random.default_rng(8)
    pool = Pool.from_records([{"id": f"q{i}", "generations": list(rng.choice(list("ABC"), 4))} for i in range(9)])
    one, two = (rng.random((2, 9)) < [[0.7], [0.4]]).astype(float)
    one[0] = 0.5
    plan, chances, gaps, variances, sums = Design(8, Scheme(waves=2), 1).draw(pool), [], [], [], []
    for drawn in (firsts := list(samples(plan.stratum, tuple(plan.allocation)))):
        wave = replace(plan, positions=np.asarray(drawn), ids=plan.pool_ids[drawn])
        after = wave.next_wave(1 - one)
        for taken in (seconds := list(samples(after.stratum, tuple(after.allocation)))):
            places = np.asarray(taken)[::-1]
            stratum, sizes, waves = after.stratum[places], after.strata.sizes, after.in_waves(places, np.zeros(8))
            judged = [Judged(name, x[places], "") for name, x in (("one", one), ("two", two))]
            comparison = compare(*judged, stratum, sizes, in_waves=waves)
            assert comparison.gap.value == pytest.approx(
                comparison.values[0].value - comparison.values[1].value, abs=1e-12
            )
            assert numbers(comparison.values[0]) == numbers(waves.of(one[places], bounded=True).estimate())
            share = answered(one[places] * (places > 3), places > 3, stratum, sizes, in_waves=waves).share
            if taken is seconds[0]:
                said, truth = (["A" if x == 1 else "B" for x in values[places]] for values in (two, one))
                both = metrics(said, truth, "A", stratum, sizes, in_waves=waves)
                recall = waves.of(((two == 1) & (one == 1))[places]).value / waves.of((one == 1)[places]).value
                assert both.estimates[1].value == pytest.approx(recall, abs=1e-12)
            chances.append(1 / len(firsts) / len(seconds))
            gaps.append(comparison.gap.value)
            variances.append(comparison.gap.standard_error**2)
            sums.append(share.value)
    chance, gap = np.array(chances), np.array(gaps)
    truth = one.mean() - two.mean()
    assert chance.sum() == pytest.approx(1) and chance.size > 100 and np.ptp(gap) > 0.1
    assert chance @ gap == pytest.approx(truth, abs=1e-12)
    assert chance @ variances == pytest.approx(chance @ (gap - truth) ** 2, abs=1e-12)
    assert chance @ sums == pytest.approx(5 / 9, abs=1e-12)


def test_what_is_said_beside_the_estimate_rests_on_both_waves(second: Study, pool: Pool) -> None:
    result, waves = second.result(other="two", positive="A"), second.outcomes.waves
    assert waves is not None and waves.weights.tolist() == [0.25, 0.75]
    pair, table = second.compare("two"), second.outcomes.table
    assert result.comparison == pair and pair.values[0] == second.estimate()
    assert pair.gap.value == pytest.approx(pair.values[0].value - pair.values[1].value)
    alone = stratified(table["value"], table["stratum"], second.plan.strata.sizes)
    assert pair.values[0].value != pytest.approx(alone.value)
    true = [letter == "A" for letter in second.labels.pairs["true"]]
    said = [letter == "A" for letter in second.labels.pairs["said"]]
    places = pool.items.index.get_indexer(pd.Index(second.labels.pairs["item_id"]))
    recall = metric("recall", said, true, [], [], in_waves=second.plan.in_waves(places, np.zeros(60)))
    assert second.metrics("A").estimates[1] == recall and "2 waves" in recall.method
    gave = second.result().answered
    assert gave.share.value * gave.right.value == pytest.approx(second.estimate().value)
    share = result.strata_table["share_of_variance"]
    assert share.sum() == pytest.approx(1) and share[0] == pytest.approx(waves.terms[0].sum() / waves.variance)
    assert share[0] > 0.1 and strata_finding(result).startswith("The first wave carries")


def test_the_first_wave_leads_to_the_second_and_not_to_a_top_up(
    archive: Archive, pool: Pool, first: Study, tmp_path: Path
) -> None:
    assert first.plan.waits and second_wave(archive, first.plan) is None
    with pytest.raises(DesignError, match="Draw the second"):
        first.top_up(0.05)
    assert "The second brings 45 more labels" in report_html(first.result())
    after = first.next_wave()
    assert not after.plan.waits and after.plan.earlier.plan_id == first.plan.plan_id
    assert after.labels.family[0] == after.plan.plan_id and first.plan.plan_id in after.labels.family
    assert len(after.labels.missing) == 45 and after.labels.labelled == set(first.labels.ids)
    after.labels.save_plan(archive, CREATED)
    assert second_wave(archive, first.plan).plan_id == after.plan.plan_id
    assert {one.plan_id: one.labelled for one in kept_plans(archive, pool)} == {
        first.plan.plan_id: 15,
        after.plan.plan_id: 15,
    }
    assert "More precision" in report_html(filled(archive, after.plan, pool).result(half_width=0.05))


def test_a_top_up_counts_on_both_waves_and_reaches_what_it_says(archive: Archive, pool: Pool, second: Study) -> None:
    now = second.result().half_width
    more = second.top_up(0.7 * now)
    assert 75 < more.total < 140 and more.least <= more.total <= more.most
    after = filled(archive, second.labels.with_budget(more.total).plan, pool)
    assert after.labels.earlier == (60,) and after.result().half_width == pytest.approx(0.7 * now, rel=0.2)
    again = filled(archive, after.labels.with_budget(180).plan, pool)
    assert again.labels.earlier == (60, more.total) and again.result().half_width < 0.6 * now
    result = again.result(other="two", half_width=0.02)
    # What corrects for a list that was extended keeps the weight that the first wave was drawn with.
    assert "4 waves" in result.in_waves.method and result.in_waves.value != result.estimate.value
    assert result.waves.weights[0] == pytest.approx(15 / 180)
    assert "second" not in (words := report_html(result)).split("More precision")[1][:40] and "unbiased if" in words
    assert again.top_up(0.5).reached and again.top_up(0.001).total == 300


def test_a_forecast_of_the_labels_at_hand_is_their_interval(second: Study) -> None:
    sample, waves = second.outcomes.sample, second.outcomes.waves
    counts, means, variances = (x[None, 1:] for x in (sample.counts, sample.means, sample.variances))
    limits = waves.extended(counts, means, variances, second.labels.interval, binary=True)
    expected = waves.limits(second.labels.interval)
    assert (limits.low[0], limits.high[0]) == pytest.approx((float(expected.low), float(expected.high)), abs=1e-9)


def test_replacements_in_the_first_wave_count_in_the_second(archive: Archive, pool: Pool) -> None:
    plan = DESIGN.draw(pool)
    gone = [str(item) for item in plan.ids[:2]]
    Labelling.load(archive, plan, pool, "gold", "one").save(
        archive, rows(gone, [None] * 2, status=GIVEN_UP), "here", CREATED
    )
    first = filled(archive, plan, pool)
    instead = first.labels.spare["item_id"].tolist()
    after = first.next_wave()
    assert after.plan.strata.sizes[0] == 15 and set(instead) <= set(after.plan.ids[:15])
    assert len(after.labels.missing) == 45 - len(set(gone) & set(after.plan.ids))
    second = filled(archive, after.plan, pool)
    result = second.result()
    places = pool.items.index.get_indexer(pd.Index([*plan.ids[2:], *instead]))
    alone = stratified(1 - pool.losses("one")[places], plan.stratum[places], plan.strata.sizes)
    assert result.waves.values[0] == pytest.approx(alone.value) and result.estimate.n_labels == 60
    # The worst case has what the first wave drew and lost in its sample.
    assert result.n_given_up == 2 and result.worst_case[0] < result.estimate.low
    assert result.worst_case[1] > result.estimate.high
    low = second.plan.in_waves(
        np.r_[result.positions, result.given_up], np.r_[result.values, 0, 0], given_up=result.given_up
    )
    assert low.samples[0].n_labels == 17 and low.samples[1].sizes.sum() == 283
    assert result.worst_case[0] == low.estimate(result.interval).low


def test_a_disputed_label_of_the_first_wave_does_not_stop_the_estimate(
    archive: Archive, pool: Pool, second: Study
) -> None:
    item = second.labels.ids[0]
    wrong = "B" if truths(pool, [item]) == ["A"] else "A"
    second.labels.save(archive, rows([item], [wrong], "Ben"), "csv", CREATED)
    study = Study(second.labels.refreshed(archive))
    result = study.result(other="two", positive="A", half_width=0.05)
    assert study.labels.ties == (item,) and result.estimate.n_labels == 59
    assert result.comparison.n_both == 59 and result.comparison.values[0].n_labels == 59
    # Neither answer is the target's.
    assert result.estimate.value == pytest.approx(second.estimate().value) and np.ptp(result.ends) == 0
    assert "1 item is undecided" in report_html(result)
    more = filled(archive, study.labels.with_budget(90).plan, pool)
    assert more.labels.ties == (item,) and more.result().in_waves is not None


def test_a_plan_of_two_waves_is_reopened_without_generations(archive: Archive, pool: Pool, second: Study) -> None:
    columns = ["prompt", "answer", "answer_kind", "group"]
    items = pool.items.reset_index()
    bare = Pool.from_records(
        [
            {"id": row["id"], "choices": list(row["choices"]), **{name: row[name] for name in columns}}
            for row in items.to_dict("records")
        ]
    )
    assert bare.items_digest == pool.items_digest and bare.digest != pool.digest
    assert manifest.reproduce(manifest.read(second.labels.manifest), bare).ids.tolist() == list(second.labels.ids)
    again = Study(Labelling.load(archive, kept_plan(archive, second.plan.plan_id, bare), pool, "gold", "one"))
    assert again.estimate() == second.estimate()


def test_a_label_of_the_first_wave_that_comes_late_is_left_out(archive: Archive, pool: Pool) -> None:
    plan = DESIGN.draw(pool)
    study = Study(Labelling.load(archive, plan, pool, "gold", "one"))
    study.labels.save(archive, rows(plan.ids[:-3], truths(pool, plan.ids[:-3])), "csv", CREATED)
    after = Study(study.labels.refreshed(archive)).next_wave()
    late = tuple(item for item in map(str, plan.ids[-3:]) if item not in after.plan.ids)
    filled(archive, plan, pool)
    second = filled(archive, after.plan, pool)
    assert second.labels.late == late and second.labels.beyond == 0 and second.estimate().n_labels == 60
    assert late and second.labels.left_out[-1] == Saying(str(len(late)), "first wave")


def test_files_of_both_lists_are_read_together(pool: Pool, first: Study, second: Study) -> None:
    lists = [request(one.plan, "gold").assign(label=truths(pool, one.labels.ids)) for one in (first, second)]
    whole = labelled(second.plan, lists, "one", "gold")
    assert whole.estimate() == second.estimate()
    part = lists[1][~lists[1]["item_id"].isin(first.labels.ids)]
    assert labelled(second.plan, [lists[0], part], "one", "gold").estimate() == second.estimate()
    few = Design(8, DESIGN.scheme, 1).draw(pool)
    listed = request(few, "gold").assign(label=truths(pool, few.ids))
    assert labelled(few.with_budget(12), listed, "one", "gold").estimate().n_labels == 2


def test_a_profile_may_know_more_than_the_pool_did(first: Study, pool: Pool) -> None:
    profile = pool_profile(pool, first.plan.design.scheme)
    assert first.next_wave(profile).plan.plan_id == first.next_wave().plan.plan_id
