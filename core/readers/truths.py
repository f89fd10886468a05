"""Right answers that are true or false beside outputs that say yes or no, as in BoolQ, or the other way round."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from ..answers import parse
from ..pool.columns import TEXT
from ..pool.problems import Problems
from ..words import listed

_LOOKED_AT = 200
_PAIRS = (("true", "false"), ("yes", "no"))


def in_words_of_outputs(
    answer: pa.ChunkedArray, outputs: Sequence[pa.ChunkedArray], problems: Problems
) -> pa.ChunkedArray:
    """Put right answers into the words of the outputs.

    Parameters
    ----------
    answer : ChunkedArray
        The right answers.
    outputs : sequence of ChunkedArray
        Outputs of models.
    problems : Problems
        Where a note is added if anything changes.

    Returns
    -------
    ChunkedArray
        The answers in the other pair of words if all are of one pair and most outputs are of the other.
    """
    words = {one.casefold() for one in answer.unique().to_pylist() if one is not None}
    said = [parse(text, "text") for column in outputs for text in column.slice(0, _LOOKED_AT).to_pylist() if text]
    for own, other in (_PAIRS, _PAIRS[::-1]):
        if words and words <= set(own) and 2 * sum(one in other for one in said) > len(said):
            problems.note(f"Right answers are {listed(own)}, and read as {listed(other)}, as outputs are.")
            meant = dict(zip(own, other, strict=True))
            values = [one if one is None else meant[one.casefold()] for one in answer.to_pylist()]
            return pa.chunked_array([pa.array(values, TEXT)])
    return answer
