"""Open disputes: the result is the range over both ways of settling each of them, and every bound holds both."""

from __future__ import annotations

import json
from itertools import product

import numpy as np
import pandas as pd
import pytest

import neyman
from core.archive import Archive
from core.design import Design, Plan
from core.gates.accuracy_gate import UNCLEAR, decide
from core.labels import GIVEN_UP
from core.pool import Pool
from core.report import report_html, report_json, sections, sentences
from core.report.everyday import answer, facts
from core.study import Labelling, Study
from core.words import SPACE
from tests.core.study.conftest import CREATED, rows, truths, verdicts
from tests.core.wording import Saying
from tests.headlines import faults

DISPUTED = 8


def all_right(archive: Archive, plan: Plan, pool: Pool, others: int = DISPUTED, gone: int = 0) -> Study:
    """Every item is right for one person, and the first of the list wrong for a second one; the last are given up."""
    ids = [str(item) for item in plan.ids[: plan.ids.size - gone]]
    study = Study(Labelling.load(archive, plan, pool, "right-wrong", "one"))
    study.labels.save(archive, rows(ids, ["right"] * len(ids)), "here", CREATED)
    study.labels.save(archive, rows(ids[:others], ["wrong"] * others, "Ben"), "here", CREATED)
    if gone:
        lost = rows(plan.ids[-gone:], [None] * gone, status=GIVEN_UP)
        study.labels.save(archive, lost, "here", CREATED)
    return Study(study.labels.refreshed(archive))


def decided(archive: Archive, study: Study, labels: dict[str, str]) -> Study:
    for item, label in labels.items():
        study.labels.decide(archive, item, label, CREATED)
    return Study(study.labels.refreshed(archive))


def test_the_headline_is_the_range_over_both_ways_of_settling_each_dispute(
    archive: Archive, plan: Plan, pool: Pool
) -> None:
    study = all_right(archive, plan, pool)
    result = study.result()
    for said in (answer(result), sentences.headline(result), repr(study), sentences.main_number(result)):
        assert " to 100.0 %" in said.replace(SPACE, " ") and "about 100" not in said, said
    for said in (answer(result), sentences.headline(result)):
        assert said == Saying("depending on", "8 disputed items")
    assert faults(sentences.finding(result)[0]) == []
    assert "52 labels and 8 disputed items" in repr(study)
    assert repr(study.estimate()) == Saying("both ways", "8 disputed items")
    least, most = (
        decided(archive, study, dict.fromkeys(study.labels.ties, label)).estimate() for label in ("wrong", "right")
    )
    assert result.ends == pytest.approx((least.value, most.value)) and least.value < most.value == 1.0
    assert (result.estimate.low, result.estimate.high) == pytest.approx((least.low, most.high))
    assert f"{sentences.number(result, least.value)} to" in report_html(result)
    document = json.loads(report_json(result))
    assert document["either_way"] == pytest.approx([least.value, 1.0])
    assert document["estimate"]["low"] == pytest.approx(least.low)


def test_the_limits_hold_those_of_every_way_of_settling(archive: Archive, plan: Plan, pool: Pool) -> None:
    study = all_right(archive, plan, pool, 3)
    result = study.result()
    for labels in product(("right", "wrong"), repeat=3):
        one = decided(archive, study, dict(zip(study.labels.ties, labels, strict=True))).result()
        assert result.estimate.low <= one.estimate.low + 1e-12 and one.estimate.high <= result.estimate.high + 1e-12
        assert result.ends[0] - 1e-12 <= one.estimate.value <= result.ends[1] + 1e-12
        for wide, narrow in zip(result.intervals.itertuples(), one.intervals.itertuples(), strict=True):
            if wide.recommended:
                assert wide.low <= narrow.low + 1e-12 and narrow.high <= wide.high + 1e-12
        if result.groups is not None:
            groups = result.groups.set_index("group").loc[one.groups["group"]]
            assert (groups["high"].to_numpy() >= one.groups["high"].to_numpy() - 1e-9).all()


def test_a_decision_at_a_bar_waits_while_the_disputes_decide_it(archive: Archive, plan: Plan, pool: Pool) -> None:
    study = all_right(archive, plan, pool)
    settled = decided(archive, study, dict.fromkeys(study.labels.ties, "right"))
    bar = (study.estimate(0.9).low + settled.estimate(0.9).low) / 2
    assert decide(settled.estimate, bar).answer == "ship"
    study = Study(study.labels)
    assert decide(study.estimate, bar).answer == UNCLEAR


def test_bounds_whatever_else_is_without_a_label_include_them(archive: Archive, plan: Plan, pool: Pool) -> None:
    study = all_right(archive, plan, pool, gone=2)
    given_up = study.result()
    alone = decided(archive, study, dict.fromkeys(study.labels.ties, "right"))
    assert given_up.n_given_up == 2 and given_up.worst_case is not None
    without = alone.result().worst_case
    assert without is not None and given_up.worst_case[0] < without[0] and given_up.worst_case[1] == without[1]


def test_a_part_of_the_strata_says_the_range_too(archive: Archive, plan: Plan, pool: Pool) -> None:
    waiting = plan.stratum[pool.places(plan.ids)] == 0
    ids = [str(item) for item in plan.ids[~waiting]]
    study = Study(Labelling.load(archive, plan, pool, "right-wrong", "one"))
    study.labels.save(archive, rows(ids, ["right"] * len(ids)), "here", CREATED)
    one = Study(study.labels.refreshed(archive)).partial()
    study.labels.save(archive, rows(ids[:5], ["wrong"] * 5, "Ben"), "here", CREATED)
    two = Study(study.labels.refreshed(archive)).partial()
    assert one is not None and two is not None and one.worst_case is not None and two.worst_case is not None
    assert two.worst_case[0] < one.worst_case[0] and two.ends[0] < two.ends[1] == 1.0
    assert sections.partial_statement(two) == Saying("depending on", "disputed items")
    assert "however disputed ones are settled" in sections.partial_statement(two)
    assert "disputed" not in sections.partial_statement(one)


def test_right_answers_count_by_what_each_would_say_of_the_target(archive: Archive, plan: Plan, pool: Pool) -> None:
    study = Study(Labelling.load(archive, plan, pool, "gold", "one"))
    said = study.labels.answers
    first, second = (str(item) for item in plan.ids[:2])
    both_wrong = [letter for letter in "ABCD" if letter != said[first]][:2]
    gone = pd.concat([rows([first], [both_wrong[0]]), rows([first], [both_wrong[1]], "Ben")])
    study.labels.save(archive, gone, "here", CREATED)
    ann = "A" if said[second] != "A" else "B"
    study.labels.save(archive, rows([second], [ann]), "here", CREATED)
    study.labels.save(archive, rows([second], [said[second]], "Ben"), "here", CREATED)
    table = Study(study.labels.refreshed(archive)).labels.disputed
    assert table is not None
    ends = table.set_index("item_id")[["least", "most"]]
    assert ends.loc[first].tolist() == [0.0, 0.0] and ends.loc[second].tolist() == [0.0, 1.0]


def test_nothing_changes_where_nothing_is_disputed(archive: Archive, plan: Plan, pool: Pool) -> None:
    study = Study(Labelling.load(archive, plan, pool, "gold", "one"))
    study.labels.save(archive, rows(plan.ids, truths(pool, plan.ids)), "here", CREATED)
    study = Study(study.labels.refreshed(archive))
    result = study.result()
    assert study.labels.disputed is None and result.settled is None and np.ptp(result.ends) == 0
    assert sentences.disputes(result) == "" and json.loads(report_json(result))["either_way"] is None


@pytest.mark.parametrize("seed", range(4))
def test_a_top_up_holds_what_it_takes_once_disputes_are_settled(archive: Archive, pool: Pool, seed: int) -> None:
    plan, rng = Design(60, seed=seed).draw(pool), np.random.default_rng(seed)
    ids, said = list(map(str, plan.ids)), verdicts(pool, plan.ids, "one")
    study = Study(Labelling.load(archive, plan, pool, "right-wrong", "one"))
    study.labels.save(archive, rows(ids, said), "here", CREATED)
    wrong = np.array([label == "wrong" for label in said])
    disputed = rng.choice(60, DISPUTED, replace=False, p=(1 + 2 * wrong) / (1 + 2 * wrong).sum())
    others = ["right" if wrong[place] else "wrong" for place in disputed]
    study.labels.save(archive, rows([ids[place] for place in disputed], others, "Ben"), "here", CREATED)
    study = Study(study.labels.refreshed(archive))
    open_, settled = study.top_up(0.06), decided(archive, study, {ids[n]: said[n] for n in disputed}).top_up(0.06)
    assert open_.fewest <= settled.further <= open_.further and open_.fewest < open_.further
    assert open_.total == 60 + open_.further and settled.total == 60 + settled.further
    assert open_.least <= settled.total <= open_.most and open_.current > settled.current
    said_so = f"{open_.fewest:,} to {open_.further:,} more labels, depending on how 8 disputed items are settled"
    assert said_so in repr(open_).replace(SPACE, " ")


def test_the_cost_is_that_of_every_label_that_was_given(archive: Archive, plan: Plan, pool: Pool) -> None:
    study = all_right(archive, plan, pool)
    assert study.result().gradings == 68
    cost = facts(study.result(), lambda labels: f"{3 * labels} €")[0]
    assert (cost.number, cost.note.replace(SPACE, " ")) == (
        "68 labels",
        "204 €; on 60 questions, 20.0 % of 300 questions",
    )
    settled = decided(archive, study, dict.fromkeys(study.labels.ties, "right"))
    assert facts(settled.result(), str)[0].number == "68 labels"
    assert "68 labels" in report_html(study.result())


@pytest.mark.parametrize(
    ("people", "scores", "count"),
    [
        ((None, None), ("0.75", "0"), 3),
        (("ann", "ann"), ("1", "0.5"), 3),
        (("ann", "bob"), ("1", "0.5"), 0),
        (("ann", "ann"), ("0.5", "0,50"), 0),
    ],
)
def test_different_scores_of_one_person_are_counted_in_the_first_line(
    people: tuple[str | None, ...], scores: tuple[str, ...], count: int
) -> None:
    said = [f"It is {n}, as I said." for n in range(40)]
    records = [{"id": str(n), "generations": [one], "targets": {"M": {"text": one}}} for n, one in enumerate(said)]
    plan = neyman.Design(budget=20).draw(Pool.from_records(records), seed=0)
    table = neyman.request(plan, "score", "M").assign(label=scores[0], annotator=people[0])
    again = table.head(3).assign(label=scores[1], annotator=people[1])
    said = repr(neyman.labelled(plan, pd.concat([table, again]), "M", "score"))
    assert (f"{count} of one person’s different scores)" in said.splitlines()[0]) == bool(count)
    assert (f"{count} items have different scores of the same person" in said) == bool(count)
