"""Right answers and answers of models that are one number, written with more digits and with fewer."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from decimal import Decimal

import pandas as pd

from ..pool.problems import shown
from ..words import counted
from ..words.verdict_words import number_in

# What programs lose when they compute, as a share of the number; they write at least so many digits of it.
_NOISE, _DIGITS_OF_PROGRAMS = Decimal("1e-9"), 14
_FRACTION = re.compile(r"(-?[0-9]{1,40})/([0-9]{1,40})")
# One digit is met by chance, unless most that differ do.
_FEWEST_DIGITS, _LONGEST_NUMBER = 2, 40
# So many are no chance, nor are fewer that are half of all that differ.
_ENOUGH, _SEVERAL = 3, 2
# Spreadsheets keep so many digits of a number, and write so many of one in powers of ten.
_KEPT, _FEWEST_OF_POWERS = 15, 3
_EXAMPLES, _LONGEST = 3, 30


def are_one(one: str, other: str) -> bool:
    """Whether two spellings differ by no more than what programs lose: 0.1 + 0.2 and 0.3, 1/3 and 0.3333333333."""
    pair = _numbers(one, other)
    if pair is None or max(len(number.as_tuple().digits) for number in pair) < _DIGITS_OF_PROGRAMS:
        return False
    return abs(pair[0] - pair[1]) <= _NOISE * max(map(abs, pair)) and _rounds_to(*pair)


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
    rounded, coarse, lost = set[str](), set[str](), set[str]()
    for item, true, said in unlike.itertuples(index=False):
        label = labels.get(item, true)
        for pair in _pairs(true, said, "%" in label):
            if _lose_digits(*pair, label):
                lost.add(item)
            elif _rounds_to(*pair) and len(pair[0].as_tuple().digits) >= _FEWEST_DIGITS:
                rounded.add(item)
            elif _rounds_coarsely(*pair):
                coarse.add(item)
    if len(coarse) >= _ENOUGH and 2 * len(coarse | rounded) > len(unlike):
        rounded |= coarse
    if len(rounded) < _SEVERAL or (len(rounded) < _ENOUGH and 2 * len(rounded) < len(unlike)):
        rounded = set()
    given = [(item, labels.get(item, true), said) for item, true, said in unlike.itertuples(index=False)]
    sentences = []
    if lost:
        verb, they = ("equals", "it counts") if len(lost) == 1 else ("equal", "they count")
        sentences.append(
            f"{counted(len(lost), 'right answer')} {verb} the answer of “{target}” in the digits that a spreadsheet "
            f"keeps of long numbers: {they} as wrong ({_examples(given, lost)}). Write such numbers whole, in cells "
            "that are formatted as text."
        )
    if rounded:
        sentences.append(
            f"{counted(len(rounded), 'right answer')} equal the answer of “{target}” but for digits that are rounded "
            f"or cut off: they count as wrong ({_examples(given, rounded)}). If they mean the same, write them as the "
            "model does."
        )
    return " ".join(sentences)


def _examples(given: Sequence[tuple[str, str, str]], items: Collection[str]) -> str:
    """List some of the right answers of these items beside the target's."""
    listed = [
        f"item {shown(item, _LONGEST)}: {shown(label, _LONGEST)} beside {shown(said, _LONGEST)}"
        for item, label, said in given
        if item in items
    ]
    return ", ".join(listed[:_EXAMPLES]) + ", …" * (len(listed) > _EXAMPLES)


def _pairs(true: str, said: str, in_per_cent: bool) -> Iterator[tuple[Decimal, Decimal]]:
    """Yield the two numbers, those with fewer decimals first; also with the right answer as a share of 1."""
    for factor in (1, 100) if in_per_cent else (1,):
        pair = _numbers(true, said, factor)
        if pair is not None and pair[0] != pair[1]:
            yield pair


def _numbers(one: str, other: str, factor: int = 1) -> tuple[Decimal, Decimal] | None:
    """Return two numbers, the first as this part of it, the one with fewer decimals first; None if one is none."""
    first, second = _number(one), _number(other)
    if first is None or second is None:
        return None
    first /= factor
    return (first, second) if _unit(first) >= _unit(second) else (second, first)


def _number(text: str) -> Decimal | None:
    if len(text) > _LONGEST_NUMBER:
        return None
    if (parts := _FRACTION.fullmatch(text)) and int(parts[2]):
        return Decimal(int(parts[1])) / int(parts[2])
    plain = "%" not in text and "," not in text and number_in(text) is not None
    return Decimal(text.strip()) if plain else None


def _rounds_to(short: Decimal, long: Decimal) -> bool:
    """Whether a number is another one rounded to its digits, or one with decimals cut off."""
    unit, apart = _unit(short), abs(long - short)
    return 2 * apart <= unit or (unit < 1 and abs(short) < abs(long) and apart < unit)


def _rounds_coarsely(one: Decimal, other: Decimal) -> bool:
    """Whether a number is another one rounded to a digit, or to tens, hundreds …, which may be chance."""
    short, long = sorted((one, other), key=lambda number: -int(number.normalize().as_tuple().exponent))
    unit = int(short.normalize().as_tuple().exponent)
    return unit > int(long.normalize().as_tuple().exponent) and 2 * abs(long - short) <= Decimal(1).scaleb(unit)


def _lose_digits(one: Decimal, other: Decimal, label: str) -> bool:
    """Whether long whole numbers are the same in their first digits: all that a spreadsheet keeps, or writes."""
    long = max(abs(one), abs(other))
    if min(_unit(one), _unit(other)) < 1 or long.adjusted() < _KEPT:
        return False
    written = _number(label)
    digits = _KEPT if written is None else len(written.as_tuple().digits)
    in_powers = written is not None and _FEWEST_OF_POWERS <= digits < _KEPT and int(written.as_tuple().exponent) > 0
    last = long.adjusted() + 1 - (digits if in_powers else _KEPT)
    return abs(one - other) <= Decimal(1).scaleb(last)


def _unit(number: Decimal) -> Decimal:
    """Return what one of the last digit of a number stands for; 1 of a whole number."""
    return Decimal(1).scaleb(min(int(number.as_tuple().exponent), 0))
