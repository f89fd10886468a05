"""What one person has to label of a list, and how long that takes."""

from __future__ import annotations

from datetime import datetime, timedelta

import pandas as pd
import pytest

from core.archive import Archive
from core.design import Plan
from core.labels import POOL, SKIPPED
from core.pool import Pool
from core.study import Labelling, Worklist
from core.study.worklist import seconds_an_item
from tests.core.study.conftest import CREATED, rows

BEGIN = datetime(2026, 1, 1)


def worklist(archive: Archive, plan: Plan, pool: Pool, *given: pd.DataFrame, free: bool = False) -> Worklist:
    for table in given:
        Labelling.load(archive, plan, pool, "right-wrong", "one").save(archive, table, "here", CREATED)
    return Worklist(Labelling.load(archive, plan, pool, "right-wrong", "one"), "Ann", free)


def test_what_is_labelled_is_not_left_and_what_was_skipped_stands_at_the_end(archive, plan, pool) -> None:
    first, second, third, *others = map(str, plan.ids)
    work = worklist(
        archive, plan, pool, rows([first, third], ["right", "wrong"]), rows([second], [None], status=SKIPPED)
    )
    assert work.ids == tuple(map(str, plan.ids))
    assert work.left == (*others, second)


def test_a_label_that_cannot_be_read_is_asked_again(archive, plan, pool) -> None:
    work = worklist(archive, plan, pool, rows(plan.ids[:1], ["rihgt"]))
    assert work.left == work.ids


@pytest.mark.parametrize("other", ["Ben", POOL])
@pytest.mark.parametrize("free", [True, False])
def test_what_others_have_labelled_is_asked_unless_people_share_the_list(archive, plan, pool, free, other) -> None:
    work = worklist(archive, plan, pool, rows(plan.ids[:2], ["right", "right"], other), free=free)
    assert (str(plan.ids[0]) in work.ids) == (not free) == (str(plan.ids[0]) in work.left)


def after(*seconds: float) -> list[str]:
    return [(BEGIN + timedelta(seconds=one)).isoformat() for one in seconds]


@pytest.mark.parametrize(
    ("moments", "seconds"),
    [
        (after(0, 10, 40, 60), 20),
        # A break of an hour does not count.
        (after(0, 10, 40, 3640, 3660), 20),
        (after(0, 10, 20), None),
        ([], None),
    ],
)
def test_the_pace_is_the_mean_pause_between_labels(moments: list[str], seconds: float | None) -> None:
    assert seconds_an_item(reversed(moments)) == (None if seconds is None else pytest.approx(seconds))


def test_nothing_left_takes_no_time_that_could_be_told(archive, plan, pool) -> None:
    work = worklist(archive, plan, pool, rows(plan.ids, ["right"] * plan.ids.size))
    assert work.left == () and work.minutes is None
