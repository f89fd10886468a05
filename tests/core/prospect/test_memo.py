"""What sessions share: bounded, and whole however many of them use it at once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event
from time import sleep

from core.prospect import BoundedCache, Memo


def test_the_newest_values_stay():
    cache = BoundedCache(3)
    assert [cache.put(key, key * 10) for key in (1, 2, 3, 4)] == [10, 20, 30, 40]
    assert [cache.get(key) for key in (1, 2, 4)] == [None, 20, 40] and len(cache) == 3


def test_a_value_is_computed_once_while_it_is_there():
    cache, computed = BoundedCache(1), []
    for key in (1, 1, 2, 1):
        assert cache.once(key, lambda key=key: computed.append(key) or key * 10) == key * 10
    assert computed == [1, 2, 1]


def test_nothing_is_a_value_too():
    cache, computed = BoundedCache(2), []
    assert [cache.once("nothing", lambda: computed.append(1)) for _ in range(3)] == [None] * 3 and computed == [1]


def test_who_asks_while_a_value_is_made_waits_for_it():
    memo, made, begun = Memo({"shelf": 4}), [], Event()

    def make():
        begun.set()
        made.append(1)
        sleep(0.05)
        return 7

    with ThreadPoolExecutor(8) as pool:
        first = pool.submit(memo.once, "shelf", "key", make)
        begun.wait()
        others = [pool.submit(memo.once, "shelf", "key", make) for _ in range(7)]
        assert [one.result() for one in (first, *others)] == [7] * 8 and made == [1]


def test_what_takes_a_while_is_watched_once():
    seen = []

    @contextmanager
    def watch(title, work, unit):
        seen.append(title)
        yield lambda share: None

    memo = Memo(watch=watch)
    assert [memo.once("shelf", 1, lambda: 5, "Sorting …") for _ in range(2)] == [5, 5] and seen == ["Sorting …"]


def test_sessions_that_crowd_each_other_out_all_get_their_values():
    cache = BoundedCache(2)

    def session(first):
        return [cache.once(key, lambda key=key: key) for key in range(first, first + 300)]

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(session, range(8))) == [list(range(first, first + 300)) for first in range(8)]
    assert len(cache) == 2


def test_a_shelf_can_be_forgotten_and_no_other_with_it():
    memo, made = Memo(), []
    for _ in range(2):
        for shelf in ("pools", "plans"):
            memo.once(shelf, "key", lambda shelf=shelf: made.append(shelf))
        memo.forget("pools")
    assert made == ["pools", "plans", "pools"]
