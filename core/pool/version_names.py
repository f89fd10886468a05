"""Names of models that tell versions: which are versions of one, and which of them is newer."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

# How many parameters a model has, of how many bits, and how it is asked, in its name.
_SETTING = re.compile(
    r"(?<![a-z\d])(?:[\d.]+(?:x[\d.]+)?[bm]|\d+-?(?:bits?|shots?)"
    r"|(?:t|temp(?:erature)?|top_?p|p|lr|seed|k)[ _]*=?[ _]*[\d.]+)(?![a-z\d])"
)
# A number in a name, or a date, with the letters before it.
_NUMBER = re.compile(r"(?:[a-z]+[\s._-]*)?(?:20\d\d-?[01]\d(?:-?[0-3]\d)?|\d+(?:\.\d+)*)")
# “v2”, “version 2”, “3.1” and a year with a month: “m1” and “m2” may be any two models.
_VERSION = re.compile(r"^v(?:ersion)?[\s._-]*\d|\d\.\d|(?<!\d)20\d\d-?[01]\d")


def are_versions(names: Iterable[str], dates: Iterable[str] = ()) -> bool:
    """Whether models are versions of one: each has a date, or their names differ in nothing but numbers and signs.

    Parameters
    ----------
    names : iterable of str
        “v9” and “v10” are alike; “8B” and “70B” are the sizes of two models, “T=0” and “T=1” temperatures of one.
    dates : iterable of str, optional
        Their dates, "" if one is not known.
    """
    known = list(dates)
    if known and all(known):
        return True
    alike = {(*_SETTING.findall(name.casefold()), re.sub(r"[\W\d_]", "", name.casefold())) for name in names}
    return len(alike) == 1


def newest_first(names: Iterable[str]) -> tuple[str, ...]:
    """Put the newest version first if names say that they are versions, by the numbers in them; else keep the order."""
    given = tuple(names)
    return tuple(sorted(given, key=by_number, reverse=True)) if named_versions(given) else given


def named_versions(names: Sequence[str]) -> bool:
    """Whether several models are versions of one, and their names say so: “v1” and “v2”, not “m1” and “m2”."""
    numbers = [set(_NUMBER.findall(name.casefold())) for name in names]
    if len(numbers) < 2 or not are_versions(names):
        return False
    return any(map(_VERSION.search, set.union(*numbers) - set.intersection(*numbers)))


def by_number(name: str) -> list[tuple[int, str]]:
    """Return what sorts “v10” after “v9”, whatever the case of letters."""
    parts = re.split(r"(\d+)", name.casefold())
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in parts]
