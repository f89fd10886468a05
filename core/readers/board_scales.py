"""Scales of the scores in a leaderboard: verdicts, shares and per cent, each model’s by itself.

Numbers above 1 are per cent only if a sign says so or the highest is 100: grades, ranks, amounts and numeric answers
lie between 0 and 100 too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .field_names import words_of
from .model_names import are_models
from .verdicts import number, says_nothing


@dataclass(frozen=True, slots=True)
class BoardScale:
    """The scale of the scores of a table.

    Parameters
    ----------
    most : float
        The score of an answer that is right.
    between : bool
        Whether there are scores between right and wrong.
    words : str
        What a score has to be, for a sentence about one that is not.
    remark : str
        What the scores are, if they are no verdicts.
    """

    most: float
    between: bool
    words: str
    remark: str

    def share(self, cell: str) -> float | None:
        """Return the share of a point that a cell gives a model, None if it is no score of this scale."""
        value = number(cell)
        share = None if value is None else value if cell.rstrip().endswith("%") else value / self.most
        return share if share is not None and 0 <= share <= 1 and (self.between or share in (0, 1)) else None


_VERDICTS = BoardScale(1, False, "1, 0 or empty", "")
_SHARES = BoardScale(1, True, "between 0 and 1, or empty", "Some scores are read as shares.")
_PER_CENT = BoardScale(100, True, "between 0 and 100, or empty", "Some scores are read as per cent.")


# How the name of a column says that its scores are per cent, beside the sign.
_SAYS_PER_CENT = frozenset({"percent", "percentage", "pct", "prozent"})


def scales_of(
    rows: Sequence[Sequence[str]], models: Mapping[int, str], beside_questions: bool = False
) -> dict[int, BoardScale] | None:
    """Find the scale of each model's scores in some rows.

    Parameters
    ----------
    rows : sequence of sequence of str
        Cells of the rows.
    models : mapping of int to str
        What the models are called, by the places of their columns.
    beside_questions : bool, default False
        Whether the rows have questions, to which numbers may be the answers.

    Returns
    -------
    dict of int to BoardScale or None
        By the places of the columns; models that were never right have the scale of the others. None if there are no
        scores, or other values.
    """
    scales: tuple[BoardScale, ...] = (_VERDICTS,)
    if are_models(tuple(models.values())):
        scales = (_VERDICTS, _SHARES, *([_PER_CENT] if _are_per_cent(rows, models, beside_questions) else []))
    found: dict[int, BoardScale] = {}
    for place in models:
        cells = [row[place] for row in rows if place < len(row) and not says_nothing(row[place])]
        scale = next((one for one in scales if all(one.share(cell) is not None for cell in cells)), None)
        if scale is None:
            return None
        if any(number(cell) for cell in cells):
            found[place] = scale
    largest = max(found.values(), key=scales.index, default=_VERDICTS)
    filled = any(place < len(row) and not says_nothing(row[place]) for row in rows for place in models)
    return {place: found.get(place, largest) for place in models} if filled else None


def _are_per_cent(rows: Sequence[Sequence[str]], models: Mapping[int, str], beside_questions: bool) -> bool:
    """Whether a sign says that scores are per cent, or the highest is 100; beside questions, all are 0 or 100."""
    cells = [row[place] for row in rows for place in models if place < len(row) and not says_nothing(row[place])]
    named = any("%" in name or not _SAYS_PER_CENT.isdisjoint(words_of(name)[-1]) for name in models.values())
    if named or any(cell.rstrip().endswith("%") for cell in cells):
        return True
    known = {number(cell) for cell in cells}
    return known <= {0, 1, 100} if beside_questions else max(filter(None, known), default=0) == 100
