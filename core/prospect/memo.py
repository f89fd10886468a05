"""Values that are computed once and kept, by small keys: of things that do not change, such as a pool."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from threading import Lock
from typing import Any, Generic, TypeAlias, TypeVar

_Key = TypeVar("_Key", bound=Hashable)
_Value = TypeVar("_Value")
# Called with a title, how much there is to do and its unit (0 and "" if nobody counts), around what takes a while;
# what it gives is called with the share done.
Watch: TypeAlias = Callable[[str, int, str], AbstractContextManager[Callable[[float], None]]]
_MISSING: Any = object()
_MOST = 64


class BoundedCache(Generic[_Key, _Value]):
    """Values by key, the newest of them; threads share it.

    Parameters
    ----------
    most : int
        How many it keeps.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: OrderedDict[_Key, _Value] = OrderedDict()
        self._lock = Lock()
        self._making: dict[_Key, Lock] = {}

    def __len__(self) -> int:
        return len(self._values)

    def get(self, key: _Key) -> _Value | None:
        """Return the value of a key; None if there is none, or none any more."""
        return self._values.get(key)

    def put(self, key: _Key, value: _Value) -> _Value:
        """Keep a value, drop the oldest beyond the bound, and return the value."""
        with self._lock:
            self._values[key] = value
            while len(self._values) > self._most:
                self._values.popitem(last=False)
        return value

    def once(self, key: _Key, compute: Callable[[], _Value]) -> _Value:
        """Return the value of a key, computed if there is none; who asks meanwhile waits for it."""
        value: _Value = self._values.get(key, _MISSING)
        if value is not _MISSING:
            return value
        with self._lock:
            making = self._making.setdefault(key, Lock())
        try:
            with making:
                value = self._values.get(key, _MISSING)
                return self.put(key, compute()) if value is _MISSING else value
        finally:
            with self._lock:
                self._making.pop(key, None)


@contextmanager
def unwatched(title: str, work: int, unit: str) -> Iterator[Callable[[float], None]]:
    """Show nothing of what takes a while."""
    yield lambda share: None


class Memo:
    """Shelves of kept values.

    Parameters
    ----------
    kept : Mapping[str, int], optional
        How many values a shelf keeps; 64 if it is not named.
    watch : Watch
        Shows what takes a while; by default nothing does.
    """

    def __init__(self, kept: Mapping[str, int] | None = None, watch: Watch = unwatched) -> None:
        self._kept, self.watch = dict(kept or {}), watch
        self._shelves: dict[str, BoundedCache[Hashable, Any]] = {}

    def shelf(self, name: str) -> BoundedCache[Hashable, Any]:
        """Return a shelf, whose values are used again by their keys."""
        return self._shelves.setdefault(name, BoundedCache(self._kept.get(name, _MOST)))

    def once(self, shelf: str, key: Hashable, compute: Callable[[], _Value], title: str = "") -> _Value:
        """Return the value of a key on a shelf, computed if there is none.

        ``title``: what is shown while it is computed; "" for what takes no time.
        """

        def watched() -> _Value:
            with self.watch(title, 0, ""):
                return compute()

        value: _Value = self.shelf(shelf).once(key, watched if title else compute)
        return value

    def forget(self, shelf: str) -> None:
        """Drop all values of a shelf."""
        self._shelves.pop(shelf, None)

    def __repr__(self) -> str:
        return f"Memo of {', '.join(f'{len(values)} {name}' for name, values in self._shelves.items()) or 'nothing'}"
