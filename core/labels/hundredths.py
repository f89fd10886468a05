"""Right answers that differ from the target's by a factor of 100, as per cent and shares do."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

import pandas as pd

from ..pool.problems import shown
from ..pool.verdict_words import number_in
from ..words import counted

_IN_HUNDREDTHS = re.compile(r"[%％¢٪]|\b(?:per ?cent|cents?|prozent|procent|pour cent|por ciento)\b", re.IGNORECASE)
# So many without such a sign, and half of all that differ, are no chance.
_ENOUGH = 3
_EXAMPLES, _LONGEST = 3, 30


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
    apart = [
        (item, labels.get(item, true), texts.get(item) or said)
        for item, true, said in unlike.itertuples(index=False)
        if _apart(true, said)
    ]
    signed = [one for one in apart if any(map(_IN_HUNDREDTHS.search, one[1:]))]
    found = apart if len(apart) >= max(_ENOUGH, len(unlike) / 2) else signed
    if not found:
        return ""
    said_of = dict(zip(unlike["item_id"], unlike["said"], strict=True))
    examples = ", ".join(
        f"item {shown(item, _LONGEST)}: {shown(label, _LONGEST)} beside "
        f"{shown(text if len(text) <= _LONGEST else said_of[item], _LONGEST)}"
        for item, label, text in found[:_EXAMPLES]
    ) + ", …" * (len(found) > _EXAMPLES)
    verb, they = ("differs", "it counts") if len(found) == 1 else ("differ", "they count")
    return (
        f"{counted(len(found), 'right answer')} {verb} from the answer of “{target}” by a factor of 100, as per "
        f"cent and shares do: {they} as wrong ({examples}). If they mean the same, write them as the model does."
    )


def _apart(one: str, other: str) -> bool:
    """Whether two numbers differ by a factor of 100, whatever their signs of thousands."""
    first, second = number_in(one), number_in(other)
    if not first or not second:
        return False
    return any(math.isclose(ratio, 100, rel_tol=1e-9) for ratio in (first / second, second / first))
