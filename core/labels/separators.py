"""Numbers that may have a sign between thousands or a decimal sign, such as 1,250 and 1.037."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from types import MappingProxyType

from ..pool.problems import shown
from ..words import counted

DECIMAL, THOUSANDS = "decimal", "thousands"
# What kind `number` takes these signs for before three digits.
OF_NUMBERS: Mapping[str, str] = MappingProxyType({",": THOUSANDS, ".": DECIMAL})
OF_SCORES: Mapping[str, str] = MappingProxyType({",": DECIMAL, ".": DECIMAL})
_EITHER = re.compile(r"[-+−]?[1-9][0-9]{0,2}([.,])[0-9]{3}")
# A currency, a unit or a sign around it.
_AROUND = re.compile(r"[^0-9.,]{0,15}?([-+−]?[0-9][0-9.,]*[0-9])[^0-9.,]{0,15}")
_NAMES = {",": "comma", ".": "point"}


def is_either(text: str, signs: Collection[str] = ",.") -> bool:
    """Whether a number has three digits behind its only comma or point, so that it may be two numbers."""
    found = _EITHER.fullmatch(text.strip())
    return found is not None and found[1] in signs


def _bare(text: str) -> str:
    """Return the number of a text without what stands around it; the text itself if it is not one."""
    found = _AROUND.fullmatch(text.strip())
    return found[1] if found else text.strip()


def remark(labels: Iterable[str], readings: Mapping[str, str], sure: Collection[str] = ()) -> str:
    """Return a sentence about numbers that may be two, if most with their sign are such; "" if not.

    Parameters
    ----------
    labels : iterable of str
        Labels as they were written.
    readings : mapping
        Sign to `DECIMAL` or `THOUSANDS`, as it is read before three digits.
    sure : collection of str
        Labels that are read as they were meant, for they equal an answer: no sign of theirs is doubted.
    """
    given, said = [_bare(text) for text in labels], list[str]()
    sure = [_bare(text) for text in sure]
    for sign, reading in readings.items():
        with_sign = [text for text in given if sign in text]
        either = [text for text in with_sign if is_either(text, sign)]
        if not either or 2 * len(either) < len(with_sign) or any(is_either(text, sign) for text in sure):
            continue
        whole, parted = (f"{float(either[0].replace(sign, to).replace('−', '-')):.15g}" for to in ("", "."))
        read, other = (parted, whole) if reading == DECIMAL else (whole, parted)
        many = "1 label has" if len(either) == 1 else f"{counted(len(either), 'label')} have"
        said.append(
            f"{many} three digits behind a {_NAMES[sign]}: {shown(either[0], 30)} is read as {read}. If it means "
            f"{other}, write it so in the file, and all others like it."
        )
    return " ".join(said)
