"""Columns that are called by models and hold numbers without a scale, and columns that say the same as models do."""

from __future__ import annotations

from collections.abc import Sequence

from ..pool.problems import shown
from ..words import listed
from .board_columns import is_other
from .field_names import AMOUNTS, OTHERS, is_of_people, last_key, words_of
from .first_rows import FirstRows
from .model_names import is_model, is_named_model, of_model
from .total_names import is_sum, sums_up

# So many cells of a column of verdicts are 0 or 1.
_MOSTLY = 0.75
# What names of properties begin with.
_OF_PROPERTIES = (("has",), ("with",), ("supports",))


def unknown_scale(rows: FirstRows, free: Sequence[str], are_all: bool = False) -> tuple[list[str], str]:
    """Return columns of numbers that are called by models, and why nobody can tell whether these are scores.

    Parameters
    ----------
    rows : FirstRows
        The first rows of a file.
    free : sequence of str
        Paths that are nothing else.
    are_all : bool, default False
        Whether the file has nothing beside them: then columns of other names may be those of models, if most of their
        cells are 0 or 1.

    Returns
    -------
    tuple of list of str and str
        Their paths, and a sentence with the first number outside 0 to 1; "" if there is none, or only one column.
    """
    named = [path for path in free if is_named_model(path) and rows.is_single(path) and rows.is_numeric(path)]
    named = [path for path in named if OTHERS.isdisjoint({*words_of(path)[-1]} - {"model"})]
    if not named and are_all and all(_are_mostly_verdicts(rows, path) for path in free):
        named = [*free]
    numbers = [
        (row, path, one)
        for path in named
        for row, one in enumerate(rows.numbers(path), start=1)
        if one is not None and one == one
    ]
    odd = [(row, path, one) for row, path, one in numbers if not 0 <= one <= 1]
    if len(named) < 2 or not odd:
        return named, ""
    (row, first, value), values = min(odd), [one for *_, one in numbers]
    return named, (
        f"{listed([shown(path) for path in named])} hold numbers from {min(values):g} to {max(values):g} ({value:g} in "
        f"row {row} of {shown(first)}). They may be answers, or scores on a scale that the file does not name. Scores "
        "have to be between 0 and 1, or per cent with the sign %; write n/a if there is none. Ranks, times and amounts "
        "are no scores."
    )


def _are_mostly_verdicts(rows: FirstRows, path: str) -> bool:
    if not rows.is_single(path) or not rows.is_numeric(path) or is_other(last_key(path)):
        return False
    return sum(one in (0, 1) for one in rows.numbers(path)) >= _MOSTLY * rows.filled(path)


def says_as_models(rows: FirstRows, free: Sequence[str], said: Sequence[str]) -> str:
    """Return the first column that is called as people or a total, and mostly says what models say; "" for none.

    So may the only other column of 0 and 1 beside several models' of nothing else: nobody can tell verdicts from right
    answers and outputs there.

    Parameters
    ----------
    rows, free
        As in `unknown_scale`.
    said : sequence of str
        Paths of what models say; if there are none, columns that are called by models are.
    """
    models = said or [path for path in free if is_named_model(path)]
    words = {_word(value) for path in models for value in rows.known[path]}
    odd = [path for path in free if path not in models and may_be_truth(path) and rows.is_zero_or_one(path)]
    # “gpt-4 correct” says what it is.
    are_bare = all(rows.is_zero_or_one(path) and of_model(path) is None for path in models)
    alone = odd[0] if len(odd) == 1 < len(models) and are_bare else ""
    for path in free:
        called = is_of_people(path) or is_sum(last_key(path)) or path == alone
        if path in models or not rows.is_single(path) or not called:
            continue
        alike = sum(_word(value) in words for value in rows.known[path])
        if 2 * alike >= rows.filled(path) and not (is_sum(last_key(path)) and _is_total(rows, path, models)):
            return path
    return ""


def may_be_truth(name: str) -> bool:
    """Whether nothing in a column's name says that it is a model, or a property or an amount."""
    words = words_of(name)[-1]
    named = is_model(name) or any(map(str.isdigit, name)) or words[:1] in _OF_PROPERTIES
    return not named and AMOUNTS.isdisjoint(words)


def _word(value: object) -> str:
    return str(value).strip().casefold()


def _is_total(rows: FirstRows, path: str, parts: Sequence[str]) -> bool:
    cells = [[str(one) for one in some] for some in zip(*(rows.values[part] for part in parts), strict=True)]
    return sums_up([str(one) for one in rows.values[path]], cells)
