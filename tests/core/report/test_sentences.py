"""Sentences of the report: they say as much as the labels tell, and no more."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from core.design import Design, Plan, Scheme
from core.pool import Pool
from core.report import Labelled, report_html, result
from core.report.sentences import beside_uniform, headline, remarks, spread
from core.stratification import Profile
from core.words import SPACE
from tests.core.report.conftest import made, members, part_of


def test_a_census_says_so(pool: Pool, seen: Profile) -> None:
    plan = Design(500, seed=0).draw(pool, profile=seen)
    found = made(pool, plan, seen, first=500)
    assert found.estimate.value == pytest.approx(1 - pool.losses("model").mean())
    assert "nothing is estimated" in headline(found)
    assert "all designs are exact" in beside_uniform(found)
    assert "More precision" not in report_html(found)


def test_what_the_design_saved_is_said_as_far_as_the_labels_tell(pool: Pool, plan: Plan, seen: Profile) -> None:
    found = made(pool, plan, seen)

    def said(needed: int, least: float, most: float) -> str:
        own = replace(found.precision, uniform_needed=needed, saved_least=least, saved_most=most)
        return beside_uniform(replace(found, precision=own)).replace(SPACE, " ")

    assert "did not help here (saved labels: 80 % range −40 % to −5 %)" in said(50, -0.4, -0.05)
    unsure = said(66, -0.1, 0.3)
    assert "cannot be told from these (saved labels: 80 % range −10 % to 30 %)" in unsure
    assert "about 66" not in unsure and "not help" not in unsure
    assert "about 100 labels for this precision (40 % saved, 80 % range 25 % to 50 %)" in said(100, 0.25, 0.5)


def test_undecided_items_are_told(pool: Pool, plan: Plan, seen: Profile) -> None:
    keep = np.arange(60)[np.arange(60) % 6 != 5]
    several, one = (part_of(pool, plan, seen, keep, undecided=n) for n in (10, 1))
    assert remarks(several)[1].startswith("10 items are undecided because their annotators disagree.")
    assert "is not missing by chance" in remarks(several)[1]
    assert remarks(one)[1].startswith("1 item is undecided because its annotators")
    assert "undecided" not in " ".join(remarks(part_of(pool, plan, seen, keep)))
    # Where the list ends because people disagree, it was not cut short by chance.
    ended = remarks(part_of(pool, plan, seen, np.arange(50), undecided=10))
    assert "smaller budget" not in ended[0] and "by chance" in ended[0]


def test_a_uniform_plan_has_nothing_to_compare(pool: Pool, seen: Profile) -> None:
    plan = Design(40, Scheme(allocation="uniform"), seed=0).draw(pool, profile=seen)
    labelled = Labelled([str(i) for i in plan.ids], plan.positions, pool.losses("model")[plan.positions])
    found = result(plan, "p", labelled, np.zeros(500, dtype=int))
    assert "uniform sample" in beside_uniform(found)
    assert found.groups is None
    assert "Groups" not in report_html(found)


@pytest.mark.parametrize(("loss", "value"), [(0.0, "100.0 %"), (1.0, "0.0 %")])
def test_all_right_and_all_wrong(pool: Pool, plan: Plan, seen: Profile, loss: float, value: str) -> None:
    labelled = Labelled([str(i) for i in plan.ids], plan.positions, np.full(60, loss))
    found = result(plan, "p", labelled, members(plan, seen), target="model")
    assert f"gets an estimated {value} of all 500 items" in headline(found).replace(SPACE, " ")
    assert spread(found) == "60 labels, no spread to see a standard error from"
    assert found.top_up(found.half_width / 2).further > 0
    assert "nan" not in report_html(found).replace("finance", "")


def test_one_label_is_singular(pool: Pool, plan: Plan, seen: Profile) -> None:
    assert remarks(made(pool, plan, seen, first=59))[0].startswith("1 of 60 planned labels is missing")
