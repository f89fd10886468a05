"""A list that ends in a long run of one verdict: its last items may not be labelled yet."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from ..words import counted

# A chance that is no accident.
_RARE = 1 / 1000


def remark(verdicts: Sequence[str]) -> str:
    """Return a sentence if the last verdicts of a list are the same, too many to be so by chance; else "".

    The chance is that of so many verdicts of one kind below others, if at first any share of it is as likely:
    Π (r + 1 + i) / (m + 2 + i), for r of m verdicts above the one that differs.

    Parameters
    ----------
    verdicts : sequence of str
        "right" or "wrong", in the order of the list.
    """
    runs = [(verdict, len(list(run))) for verdict, run in groupby(verdicts)]
    if len(runs) < 2:
        return ""
    last, length = runs[-1]
    above = verdicts[: len(verdicts) - length]
    alike, chance = above.count(last), 1.0
    for further in range(length):
        chance *= (alike + 1 + further) / (len(above) + 1 + further)
    if chance >= _RARE:
        return ""
    there = f"The last {counted(length, 'verdict')} of the list are all “{last}”"
    return (
        f"{there}, {above.count(last):,} of the {len(above):,} above them: less than once in 1,000 lists by chance. If "
        "these items are not labelled yet, as unticked boxes of a spreadsheet, empty their cells."
        + " If the column label was sorted without the rest of each row, undo that."
        * (last not in above)
    )
