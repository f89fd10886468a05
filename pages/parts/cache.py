"""A cache for what is computed with a progress bar, which Streamlit's own caches cannot move."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

_Key = TypeVar("_Key", bound=Hashable)
_Value = TypeVar("_Value")


class BoundedCache(Generic[_Key, _Value]):
    """Values by key, the newest of them; sessions share it.

    Parameters
    ----------
    most : int
        How many it keeps.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: OrderedDict[_Key, _Value] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._values)

    def get(self, key: _Key) -> _Value | None:
        """Return the value of a key; None where there is none, or none any more."""
        return self._values.get(key)

    def put(self, key: _Key, value: _Value) -> _Value:
        """Keep a value, drop the oldest beyond the bound, and return the value."""
        with self._lock:
            self._values[key] = value
            while len(self._values) > self._most:
                self._values.popitem(last=False)
        return value

    def once(self, key: _Key, compute: Callable[[], _Value]) -> _Value:
        """Return the value of a key, computed where there is none."""
        value = self.get(key)
        return self.put(key, compute()) if value is None else value
