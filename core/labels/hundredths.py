"""Right answers that differ from the target's by a power of ten, as per cent and shares do, or a lost point."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

import pandas as pd

from ..pool.near_misses import is_converted
from ..pool.problems import shown
from ..words import counted
from ..words.verdict_words import number_in

_IN_HUNDREDTHS = re.compile(r"[%％¢٪]|\b(?:per ?cent|cents?|prozent|procent|pour cent|por ciento)\b", re.IGNORECASE)
_IN_THOUSANDTHS = re.compile(r"[‰‱]|\b(?:per ?mille?|promille)\b", re.IGNORECASE)
_SIGNS = (_IN_HUNDREDTHS, _IN_THOUSANDTHS)
# So many without such a sign, and half of all that differ, are no chance; nor are so many of so many digits.
_ENOUGH, _SEVERAL, _DIGITS = 3, 2, 3
_EXAMPLES, _LONGEST = 3, 30
_HUNDRED = 2


def remark(pairs: pd.DataFrame, labels: Mapping[str, str], texts: Mapping[str, str | None], target: str) -> str:
    """Return a sentence about right answers that count as wrong and may be the target's, with examples; "" for none.

    Parameters
    ----------
    pairs : DataFrame
        item_id, true, said: of `core.labels.right_answers.answer_pairs`.
    labels : mapping
        The right answers by item id, as they were written.
    texts : mapping
        The target's answers by item id, as it gave them.
    target : str
        The target's name.
    """
    unlike = pairs[(pairs["true"] != pairs["said"]) & pairs["said"].notna()]
    powers, long = dict[str, int](), set[str]()
    for item, true, said in unlike.itertuples(index=False):
        power, digits = _power(true, said)
        in_thousandths = any(_IN_THOUSANDTHS.search(one or "") for one in (labels.get(item), texts.get(item)))
        if abs(power) == _HUNDRED or (power and (digits >= _DIGITS or in_thousandths)):
            powers[item] = abs(power)
            long |= {item} if digits >= _DIGITS else set()
    apart = [
        (item, labels.get(item, true), texts.get(item) or said)
        for item, true, said in unlike.itertuples(index=False)
        # `core.labels.likeness` speaks of units.
        if item in powers and not is_converted(texts.get(item) or said, labels.get(item, true))
    ]
    signed = [one for one in apart if any(sign.search(text) for text in one[1:] for sign in _SIGNS)]
    if len(apart) < max(_ENOUGH, len(unlike) / 2):
        apart = [one for one in apart if one[0] in long] if len(long) >= _SEVERAL else signed
    found = apart
    if not found:
        return ""
    factors = sorted({10 ** powers[item] for item, *_ in found})
    as_shares = not long and (factors == [100] or len(signed) == len(found))
    why = "per cent and shares do" if as_shares else "numbers do that lost a point or a comma"
    said_of = dict(zip(unlike["item_id"], unlike["said"], strict=True))
    examples = ", ".join(
        f"item {shown(item, _LONGEST)}: {shown(label, _LONGEST)} beside "
        f"{shown(text if len(text) <= _LONGEST else said_of[item], _LONGEST)}"
        for item, label, text in found[:_EXAMPLES]
    ) + ", …" * (len(found) > _EXAMPLES)
    verb, they = ("differs", "it counts") if len(found) == 1 else ("differ", "they count")
    return (
        f"{counted(len(found), 'right answer')} {verb} from the answer of “{target}” by a factor of "
        f"{' or '.join(f'{one:,}' for one in factors)}, as {why}: {they} as wrong ({examples}). "
        "If they mean the same, write them as the model does."
    )


def _power(one: str, other: str) -> tuple[int, int]:
    """Return the power of ten by which two numbers differ, 0 if by none, and how many digits they have in common."""
    first, second = number_in(one), number_in(other)
    if not first or not second or first / second <= 0:
        return 0, 0
    power = round(math.log10(first / second))
    same = math.isclose(first / second, 10.0**power, rel_tol=1e-9)
    return (power, len(f"{abs(first):.15e}".split("e")[0].replace(".", "").rstrip("0"))) if same else (0, 0)
