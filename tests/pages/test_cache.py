"""What sessions share: bounded, and whole however many of them use it at once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from pages.parts.cache import BoundedCache


def test_the_newest_values_stay():
    cache = BoundedCache(3)
    assert [cache.put(key, key * 10) for key in (1, 2, 3, 4)] == [10, 20, 30, 40]
    assert [cache.get(key) for key in (1, 2, 4)] == [None, 20, 40] and len(cache) == 3


def test_sessions_that_crowd_each_other_out_all_get_their_values():
    cache = BoundedCache(2)

    def session(first):
        values = []
        for key in range(first, first + 300):
            value = cache.get(key)
            values.append(cache.put(key, key) if value is None else value)
        return values

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(session, range(8))) == [list(range(first, first + 300)) for first in range(8)]
    assert len(cache) == 2
