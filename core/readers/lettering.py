"""Right answers that number the options of an item, as letters."""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_uppercase

import pyarrow as pa
import pyarrow.compute as pc

from ..pool.columns import TEXT, Loose
from ..pool.problems import Problems
from .field_map import FieldMap

_LOOKED_AT = 200
_DIGITS = 4


def with_letters(loose: Loose, fields: FieldMap, problems: Problems) -> Loose:
    """Replace right answers that are numbers of options by their letters, as :func:`lettered`."""
    if "answer_kind" in fields.fields or not {"answer", "choices"} <= loose.columns.keys():
        return loose
    texts = [column for (_, name), column in loose.targets.items() if name in ("text", "answer")]
    if "generations" in loose.columns:
        texts.append(pc.list_flatten(loose.columns["generations"].slice(0, _LOOKED_AT)))
    columns = lettered(loose.columns["answer"], loose.columns["choices"], texts, problems)
    return Loose({**loose.columns, **columns}, loose.targets, loose.extras, loose.rows)


def lettered(
    answer: pa.ChunkedArray, choices: pa.ChunkedArray, outputs: Sequence[pa.ChunkedArray], problems: Problems
) -> dict[str, pa.ChunkedArray]:
    """Replace right answers that are numbers of options by their letters.

    The numbers begin at 0 or at 1, as all of them together show. Where an answer is one of its options, or most outputs
    are numbers too, they are compared as they are.

    Returns
    -------
    dict of str to ChunkedArray
        The columns answer and answer_kind; empty if the answers stay.
    """
    known = [
        (place, one, some)
        for place, (one, some) in enumerate(zip(answer.to_pylist(), choices.to_pylist(), strict=True))
        if one is not None
    ]
    texts = [text.strip() for column in outputs for text in column.slice(0, _LOOKED_AT).to_pylist() if text]
    if (
        not known
        or not all(some and one.isdecimal() and len(one) < _DIGITS and one not in some for _, one, some in known)
        or 2 * sum(text.isdecimal() for text in texts) > len(texts)
    ):
        return {}
    first = _numbered_from([(int(one), len(some)) for _, one, some in known])
    if first is None:
        problems.note("Right answers are numbers. Nothing shows whether they number the options from 0 or from 1.")
        return {}
    problems.note(f"Right answers are numbers of options, and read as letters: {first} is A.")
    letters: list[str | None] = [None] * len(answer)
    for place, one, _ in known:
        letters[place] = ascii_uppercase[int(one) - first]
    kinds = [None if one is None else "choice" for one in letters]
    return {
        name: pa.chunked_array([pa.array(one, TEXT)]) for name, one in (("answer", letters), ("answer_kind", kinds))
    }


def _numbered_from(numbers: Sequence[tuple[int, int]]) -> int | None:
    """Return the number of the first option, 0 or 1, by numbers of options and how many there are; None if unsure."""
    ranges = [first for first in (0, 1) if all(first <= one < min(size, 26) + first for one, size in numbers)]
    return ranges[0] if len(ranges) == 1 else None
