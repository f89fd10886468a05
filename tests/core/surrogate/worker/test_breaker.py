"""When a run pauses by itself."""

from __future__ import annotations

import pytest

from core.surrogate.faults import ItemFault, JobPaused
from core.surrogate.worker.pipeline import Breaker

REFUSED = ItemFault("refused", "The server refuses the item (400: no).", False)


def fail(breaker: Breaker, times: int) -> None:
    for _ in range(times):
        breaker.failed(REFUSED)


def answer(breaker: Breaker, times: int, empty: bool = False) -> None:
    for _ in range(times):
        breaker.answered(empty)


def test_a_run_pauses_when_more_than_the_share_of_the_last_items_failed() -> None:
    breaker = Breaker(0.5)
    answer(breaker, 1000)
    # Of the last 50 items 25 are half, and not more.
    fail(breaker, 25)
    with pytest.raises(JobPaused, match=r"26 of the last 50 items failed \(26 refused\)\. .*400: no"):
        fail(breaker, 1)


def test_a_run_pauses_after_twenty_items_at_the_earliest() -> None:
    breaker = Breaker(0.5)
    fail(breaker, 19)
    with pytest.raises(JobPaused, match="20 of the last 20"):
        fail(breaker, 1)
    few = Breaker(0.1)
    fail(few, 2)
    answer(few, 18)
    with pytest.raises(JobPaused, match="3 of the last 21"):
        fail(few, 1)


def test_a_run_pauses_when_all_contents_are_empty() -> None:
    breaker = Breaker(0.5)
    answer(breaker, 19, empty=True)
    answer(breaker, 1)
    answer(breaker, 19, empty=True)
    with pytest.raises(JobPaused, match="last 20 items are empty"):
        answer(breaker, 1, empty=True)


def test_a_share_of_one_never_pauses() -> None:
    breaker = Breaker(1.0)
    fail(breaker, 200)
    answer(breaker, 200, empty=True)
