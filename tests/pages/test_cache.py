"""What sessions share: bounded, and whole however many of them use it at once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from pages.parts.cache import BoundedCache


def test_the_newest_values_stay():
    cache = BoundedCache(3)
    assert [cache.put(key, key * 10) for key in (1, 2, 3, 4)] == [10, 20, 30, 40]
    assert [cache.get(key) for key in (1, 2, 4)] == [None, 20, 40] and len(cache) == 3


def test_a_value_is_computed_once_while_it_is_there():
    cache, computed = BoundedCache(1), []
    for key in (1, 1, 2, 1):
        assert cache.once(key, lambda key=key: computed.append(key) or key * 10) == key * 10
    assert computed == [1, 2, 1]


def test_sessions_that_crowd_each_other_out_all_get_their_values():
    cache = BoundedCache(2)

    def session(first):
        return [cache.once(key, lambda key=key: key) for key in range(first, first + 300)]

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(session, range(8))) == [list(range(first, first + 300)) for first in range(8)]
    assert len(cache) == 2
