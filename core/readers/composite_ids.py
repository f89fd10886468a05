"""Ids that are put together of several parts, such as a subset and an id within it, each for one item alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count
from unicodedata import normalize

from ..pool.problems import shown
from ..words import counted

_MARK = ":"


class CompositeIds:
    r"""Puts ids together, so that different parts never have one id.

    The parts stand side by side with a colon between them. If other parts have had this id before, as “a:b” and “c”
    have that of “a” and “b:c”, the colons within the parts are written ``\:``.
    """

    def __init__(self) -> None:
        self._parts: dict[str, tuple[str, ...]] = {}
        self._renamed: dict[str, str] = {}

    def of(self, parts: Sequence[str]) -> str:
        """Return the id of some parts, always the same for the same ones."""
        own = tuple(normalize("NFC", part) for part in parts)
        plain = plain_id(own)
        for name in _names(own):
            if self._parts.setdefault(name, own) == own:
                if name != plain:
                    self._renamed[name] = plain
                return name
        raise AssertionError("There is always another name.")

    @property
    def remark(self) -> str:
        """Say which ids are written in another way; "" for none."""
        if not self._renamed:
            return ""
        name, plain = next(iter(self._renamed.items()))
        return (
            f"{counted(len(self._renamed), 'id')} put together of two parts would be that of another item, so colons "
            f"within the parts are written as “\\:”: {shown(name)}, beside {shown(plain)}."
        )


def plain_id(parts: Sequence[str]) -> str:
    """Put parts side by side, with a colon between them."""
    return _MARK.join(parts)


def _names(parts: Sequence[str]) -> Iterator[str]:
    yield plain_id(parts)
    escaped = plain_id([part.replace("\\", "\\\\").replace(_MARK, f"\\{_MARK}") for part in parts])
    yield escaped
    yield from (f"{escaped} ({number})" for number in count(2))
