"""Right answers and outputs with a decimal comma: “12,5” is one number where people write so, and two elsewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..answers import parse
from ..pool.columns import TEXT, TEXTS, Loose
from ..pool.problems import Problems, shown
from .answers import kind_of

_KIND = "number"
_MOST, _LOOKED_AT = 5_000, 200
_NUMBER = re.compile(r"(?<![\d.,])(\d{1,3}(?:\.\d{3})+|\d+),(\d+)(?![.,]?\d)")
# A comma that groups no digits.
_DECISIVE = r"(?:^|[^\d.,])\d[\d.]*,(?:\d{1,2}|\d{4,})(?:[^\d,]|$)"


def with_decimal_commas(loose: Loose, problems: Problems) -> Loose:
    """Read numbers with a decimal comma as what they are, with a note.

    Parameters
    ----------
    loose : Loose
        Columns of a file that does not say itself how its answers are to be read.
    problems : Problems
        Where the note is added.

    Returns
    -------
    Loose
        The same columns, if right answers are such numbers, or outputs are right only as such: these with a point, and
        the answers of outputs beside their texts.
    """
    answer, kinds = loose.columns.get("answer"), loose.columns.get("answer_kind")
    if answer is None or kinds is None:
        return loose
    right, kind = answer.to_pylist(), kinds.to_pylist()
    written = [place for place, one in enumerate(right) if kind[place] == "text" and _is_decimal(one)]
    texts = list(_texts(loose))
    if any(kind[place] == _KIND and "." in (one or "") for place, one in enumerate(right) if written):
        return loose
    for place in written:
        right[place], kind[place] = pointed(right[place]), _KIND
    numbers = [one == _KIND for one in kind]
    if not any(numbers) or not (written or _explains(texts, right, numbers)):
        return loose
    example = shown(answer[written[0]].as_py(), 30) if written else "as in outputs"
    problems.note(f"Numbers have a decimal comma ({example}), and are read so, those of outputs too.")
    columns, targets = dict(loose.columns), dict(loose.targets)
    columns |= {
        "answer": pa.chunked_array([pa.array(right, TEXT)]),
        "answer_kind": pa.chunked_array([pa.array(kind, TEXT)]),
    }
    for model in dict.fromkeys(model for model, _ in targets):
        said, known = (targets.get((model, name)) for name in ("text", "answer"))
        given = [None] * len(right) if known is None else known.to_pylist()
        outputs = given if said is None else [one or text for one, text in zip(given, said.to_pylist(), strict=True)]
        read = [_read(text, is_one, one) for text, is_one, one in zip(outputs, numbers, given, strict=True)]
        if read != given:
            targets[model, "answer"] = pa.chunked_array([pa.array(read, TEXT)])
    if "generations" in columns and "generation_answers" not in columns:
        lists = [
            some and [_read(text, is_one, text and parse(text, of)) for text in some]
            for some, is_one, of in zip(columns["generations"].to_pylist(), numbers, kind, strict=True)
        ]
        columns["generation_answers"] = pa.chunked_array([pa.array(lists, TEXTS)])
    return Loose(columns, targets, loose.extras, loose.rows)


def pointed(text: str) -> str:
    """Write decimal commas as points: “1.234,5” is 1234.5."""
    return _NUMBER.sub(lambda match: f"{match[1].replace('.', '')}.{match[2]}", text)


def _is_decimal(answer: str | None) -> bool:
    return answer is not None and bool(_NUMBER.search(answer)) and kind_of(pointed(answer), None) == _KIND


def _read(text: str | None, is_number: bool, known: str | None) -> str | None:
    return parse(pointed(text), _KIND) if is_number and text and _NUMBER.search(text) else known


def _texts(loose: Loose) -> Iterator[tuple[int, str]]:
    """Give the first texts of outputs with a comma that groups no digits, and their places."""
    columns = [column for (_, name), column in loose.targets.items() if name in ("text", "answer")]
    columns = [column.slice(0, _MOST).combine_chunks() for column in columns]
    items = [np.arange(len(column)) for column in columns]
    if "generations" in loose.columns:
        lists = loose.columns["generations"].slice(0, _MOST).combine_chunks()
        columns.append(pc.list_flatten(lists))
        items.append(np.asarray(pc.list_parent_indices(lists)))
    for column, of_items in zip(columns, items, strict=True):
        decisive = pc.indices_nonzero(pc.fill_null(pc.match_substring_regex(column, _DECISIVE), False))
        places = decisive.slice(0, _LOOKED_AT)
        yield from zip(of_items[places.to_numpy()].tolist(), column.take(places).to_pylist(), strict=True)


def _explains(texts: list[tuple[int, str]], right: list[str | None], numbers: list[bool]) -> bool:
    """Whether outputs say right answers with decimal commas, and none without."""
    pairs = [(parse(text, _KIND), parse(pointed(text), _KIND), right[place]) for place, text in texts if numbers[place]]
    known = [(parse(one, _KIND), plain, comma) for plain, comma, one in pairs if one is not None]
    return any(one == comma for one, _, comma in known) and not any(one == plain for one, plain, _ in known)
