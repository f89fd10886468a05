"""Right answers and answers of models that are one number, written with more digits and with fewer."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal

import pandas as pd

from ..pool.problems import shown
from ..words import counted
from ..words.verdict_words import number_in

# What programs lose when they compute, as a share of the number; they write at least so many digits of it.
_NOISE, _DIGITS_OF_PROGRAMS = Decimal("1e-9"), 14
_FRACTION = re.compile(r"(-?[0-9]{1,40})/([0-9]{1,40})")
# One digit is met by chance.
_FEWEST_DIGITS, _LONGEST_NUMBER = 2, 40
# So many are no chance, nor are fewer that are half of all that differ.
_ENOUGH, _SEVERAL = 3, 2
_EXAMPLES, _LONGEST = 3, 30


def are_one(one: str, other: str) -> bool:
    """Whether two spellings differ by no more than what programs lose: 0.1 + 0.2 and 0.3, 1/3 and 0.3333333333."""
    pair = _numbers(one, other)
    if pair is None or max(len(number.as_tuple().digits) for number in pair) < _DIGITS_OF_PROGRAMS:
        return False
    return abs(pair[0] - pair[1]) <= _NOISE * max(map(abs, pair)) and _is_shorter(*pair)


def remark(pairs: pd.DataFrame, labels: Mapping[str, str], target: str) -> str:
    """Return a sentence about right answers that count as wrong and have other digits than the target's; "" for none.

    Parameters
    ----------
    pairs : DataFrame
        item_id, true, said: of `core.labels.right_answers.answer_pairs`.
    labels : mapping
        The right answers by item id, as they were written.
    target : str
        The target's name.
    """
    unlike = pairs[(pairs["true"] != pairs["said"]) & pairs["said"].notna()]
    found = [
        (item, labels.get(item, true), said)
        for item, true, said in unlike.itertuples(index=False)
        if (pair := _numbers(true, said)) is not None and pair[0] != pair[1] and _is_shorter(*pair)
    ]
    if len(found) < _SEVERAL or (len(found) < _ENOUGH and 2 * len(found) < len(unlike)):
        return ""
    examples = ", ".join(
        f"item {shown(item, _LONGEST)}: {shown(label, _LONGEST)} beside {shown(said, _LONGEST)}"
        for item, label, said in found[:_EXAMPLES]
    ) + ", …" * (len(found) > _EXAMPLES)
    return (
        f"{counted(len(found), 'right answer')} equal the answer of “{target}” but for digits that are rounded or cut "
        f"off: they count as wrong ({examples}). If they mean the same, write them as the model does."
    )


def _numbers(one: str, other: str) -> tuple[Decimal, Decimal] | None:
    """Return two numbers, the one with fewer decimals first; None if one is none."""
    first, second = _number(one), _number(other)
    if first is None or second is None:
        return None
    return (first, second) if _unit(first) >= _unit(second) else (second, first)


def _number(text: str) -> Decimal | None:
    if len(text) > _LONGEST_NUMBER:
        return None
    if (parts := _FRACTION.fullmatch(text)) and int(parts[2]):
        return Decimal(int(parts[1])) / int(parts[2])
    plain = "%" not in text and "," not in text and number_in(text) is not None
    return Decimal(text.strip()) if plain else None


def _is_shorter(short: Decimal, long: Decimal) -> bool:
    """Whether a number is another one rounded to its digits, or one with decimals cut off."""
    unit, apart = _unit(short), abs(long - short)
    if len(short.as_tuple().digits) < _FEWEST_DIGITS and apart > _NOISE * abs(long):
        return False
    return 2 * apart <= unit or (unit < 1 and abs(short) < abs(long) and apart < unit)


def _unit(number: Decimal) -> Decimal:
    """Return what one of the last digit of a number stands for; 1 of a whole number."""
    return Decimal(1).scaleb(min(int(number.as_tuple().exponent), 0))
