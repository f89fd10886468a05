"""Right answers that number the options of an item, or are their texts beside outputs of letters, as letters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from string import ascii_uppercase

import pyarrow as pa
import pyarrow.compute as pc

from ..answers import parse
from ..pool.columns import TEXT, Loose
from ..pool.problems import Problems
from .field_map import FieldMap
from .truths import in_words_of_outputs

_LOOKED_AT = 200
_DIGITS = 4


def with_letters(loose: Loose, fields: FieldMap, problems: Problems) -> Loose:
    """Write right answers as outputs say them, as :func:`as_said`."""
    if "answer_kind" in fields.fields or "answer" not in loose.columns:
        return loose
    texts = [column for (_, name), column in loose.targets.items() if name in ("text", "answer")]
    if "generations" in loose.columns:
        texts.append(pc.list_flatten(loose.columns["generations"].slice(0, _LOOKED_AT)))
    columns = as_said(loose.columns["answer"], loose.columns.get("choices"), texts, problems)
    return Loose({**loose.columns, **columns}, loose.targets, loose.extras, loose.rows)


def as_said(
    answer: pa.ChunkedArray, choices: pa.ChunkedArray | None, outputs: Sequence[pa.ChunkedArray], problems: Problems
) -> dict[str, pa.ChunkedArray]:
    """Write right answers as outputs say them: options by their letters, true and false as yes and no.

    Returns
    -------
    dict of str to ChunkedArray
        The columns that replace others: answer, and answer_kind; empty if the answers stay.
    """
    if choices is not None:
        return _lettered(answer, choices, outputs, problems)
    return {"answer": in_words_of_outputs(answer, outputs, problems)}


def _lettered(
    answer: pa.ChunkedArray, choices: pa.ChunkedArray, outputs: Sequence[pa.ChunkedArray], problems: Problems
) -> dict[str, pa.ChunkedArray]:
    """Replace right answers that are numbers or texts of options by their letters.

    The numbers begin at 0 or at 1, as all of them together show. If most outputs are numbers too, they are compared as
    they are; so are texts of options, unless most outputs choose a letter.

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
    if _are_texts(known) and 2 * sum(map(_chooses, _no_options(texts, known))) > len(texts):
        problems.note(
            "Right answers are texts of options. They are read as letters, like outputs: the first option is A."
        )
        return _columns({place: some.index(one) for place, one, some in known}, len(answer))
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
    return _columns({place: int(one) - first for place, one, _ in known}, len(answer))


def _are_texts(known: Sequence[tuple[int, str, list[str] | None]]) -> bool:
    """Whether each right answer is the text of one of its options, and no letter."""
    return bool(known) and all(
        some and len(one) > 1 and some.count(one) == 1 and len(some) <= len(ascii_uppercase) for _, one, some in known
    )


def _no_options(texts: Sequence[str], known: Sequence[tuple[int, str, list[str] | None]]) -> list[str]:
    """List the outputs that are no option’s text, which may look as if it began with a letter."""
    options = {option.strip() for _, _, some in known for option in some or ()}
    return [text for text in texts if text not in options]


def _chooses(text: str) -> bool:
    """Whether an output chooses a letter, whatever the options are."""
    return parse(text, "choice") is not None


def _columns(options: Mapping[int, int], size: int) -> dict[str, pa.ChunkedArray]:
    """Columns of so many right answers: the letter of the option at each place, the first of which is 0."""
    letters: list[str | None] = [ascii_uppercase[options[place]] if place in options else None for place in range(size)]
    kinds = [None if one is None else "choice" for one in letters]
    return {
        name: pa.chunked_array([pa.array(one, TEXT)]) for name, one in (("answer", letters), ("answer_kind", kinds))
    }


def _numbered_from(numbers: Sequence[tuple[int, int]]) -> int | None:
    """Return the number of the first option, 0 or 1, by numbers of options and how many there are; None if unsure."""
    ranges = [first for first in (0, 1) if all(first <= one < min(size, 26) + first for one, size in numbers)]
    return ranges[0] if len(ranges) == 1 else None
