"""Cells of a judge's column, by the rule for labels: they are read, are no verdict, or are not understood."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd

from ..design.judging import FAIL, PASS
from ..errors import DesignError
from ..labels.cells import GradeRange, both_ways, off_scale
from ..labels.kinds import RIGHT, RIGHT_WRONG, WRONG, canonical
from ..labels.proposals import SKIP, proposed
from ..labels.vocabulary import contradictions, word_key
from ..pool.problems import shown
from ..pool.verdict_words import SAYS_NO_VALUE, number_in
from ..words import counted, listed, shell_line

# Words that are a judge's verdicts wherever it says them.
OURS = {word: word.startswith(PASS) for word in ("pass", "passed", "fail", "failed")}
DIGITS = ("0", "1")
# Labels of people say right and wrong where a judge says pass and fail.
_MEANT = {PASS: True, RIGHT: True, FAIL: False, WRONG: False, SKIP: None}
_AS_OF_A_JUDGE = {RIGHT: PASS, WRONG: FAIL, SKIP: SKIP}
_MOST_SHOWN, _MOST_TYPED = 6, 12
# So many different numbers besides 0 and 1, or one in so many cells, are scores; fewer are slips.
_SCORES, _ONE_IN = 3, 4

# Word or number, as `cell` writes it, to whether it says pass; None for no verdict.
Said = dict[str, bool | None]


def cell(value: Any) -> str | None:
    """Return a cell as words are compared (`core.labels.vocabulary.word_key`); None for no verdict."""
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, bool | np.bool_ | int | float | np.integer | np.floating):
        return None if math.isnan(value) else f"{float(value):.15g}"
    return None


@lru_cache(maxsize=1024)
def _text(value: str) -> str | None:
    """A text as `cell` reads it; a column says a few words over and over."""
    word = word_key(value)
    return None if not word or word in SAYS_NO_VALUE else word


def number(value: Any) -> float:
    """Return the number in a cell, NaN for none: decimal commas and per cent are read as in labels."""
    if isinstance(value, str):
        found = number_in(value)
        return math.nan if found is None else found
    return float(value) if isinstance(value, bool | np.bool_ | int | float | np.integer | np.floating) else math.nan


def always(word: str | None) -> bool | None:
    """Whether a cell says pass; None if only its user knows."""
    if word is None:
        return None
    read = canonical(word, RIGHT_WRONG.name)
    return OURS.get(word, None if read is None else read == RIGHT)


def meanings_given(words: Mapping[str, str], values: Iterable[Any] = ()) -> Said:
    """Return what somebody said of words and numbers.

    Parameters
    ----------
    words : mapping
        Word or number to "pass", "fail" or "skip".
    values : iterable
        The cells; of truth values, “true” and “false” are their words.

    Raises
    ------
    DesignError
        A meaning is none of these, or a word is given two.
    """
    if twice := contradictions(words):
        raise DesignError(twice)
    given = Said()
    for word, meaning in words.items():
        if meaning not in _MEANT:
            raise DesignError(f"A word means pass or fail, or skip (no verdict). Given: “{word}” as “{meaning}”.")
        if (read := cell(word)) is not None:
            given[read] = _MEANT[meaning]
    if any(isinstance(value, bool | np.bool_) for value in values):
        for word, digit in (("true", "1"), ("false", "0")):
            if word in given:
                given.setdefault(digit, given[word])
    return given


def scale(cells: Sequence[str | None]) -> GradeRange | None:
    """Find the range of scores; None if there are hardly other numbers than 0 and 1."""
    times = Counter(one for one in cells if one is not None)
    numbers = {one: found for one in times if (found := number_in(one)) is not None}
    others = [one for one, found in numbers.items() if found not in (0, 1)]
    few = _ONE_IN * sum(times[one] for one in others) < times.total() and len(others) < _SCORES
    return None if not others or few else GradeRange(min(numbers.values()), max(numbers.values()))


def not_understood(cells: Sequence[str | None], said: Said) -> list[str]:
    """List the different cells that are not understood, in their order.

    They are words that say neither pass nor fail, and numbers besides 0 and 1; 0 and 1 themselves on a scale of grades,
    or where another number was given a verdict and is no single slip beside both; and words and digits of which
    somebody has turned another round, so that both might mean the same.
    """
    there = dict.fromkeys(one for one in cells if one is not None)
    turned = {one in DIGITS for one in there if said.get(one) not in (None, always(one)) and always(one) is not None}
    outside = [one for one in there if (found := number_in(one)) is not None and not 0 <= found <= 1]
    given = [one for one in cells if one in outside and said.get(one) is not None]
    graded = bool(given) and (len(given) > 1 or not there.keys() >= {*DIGITS})
    on_scale = graded or (bool(outside) and off_scale(pd.DataFrame({"label": list(cells)}, dtype=object)) is not None)
    return [
        one
        for one in there
        if one not in said and (always(one) is None or (one in DIGITS) in turned or (on_scale and one in DIGITS))
    ]


def refusal(
    column: str, ids: Sequence[str], cells: Sequence[str | None], bad: Sequence[str], threshold: float | None
) -> DesignError:
    """Return the error that names each cell that is not understood, where it stands, and what to do.

    Parameters
    ----------
    column : str
        The column.
    ids : (N,) str
        The items.
    cells : (N,) str or None
        What it says of each.
    bad : sequence of str
        Of `not_understood`; at least one.
    threshold : float or None
        The score from which on the judge passes, if somebody has said so.
    """
    places = {one: [item for item, word in zip(ids, cells, strict=True) if word == one] for one in bad}
    bad = sorted(bad, key=lambda one: -len(places[one]))
    scores = scale(cells) if threshold is None else None
    words = [one for one in bad if scores is None or number_in(one) is None]
    said = list[str]()
    if scores is not None:
        said.append(
            f"“{column}” holds other numbers than 0 and 1, {scores}. Say from which score on the judge passes: "
            f"threshold=… in Python, {shell_line([f'--threshold={column}=…'])} in the shell."
        )
    if words:
        found = [f"{shown(one, 30)} ({_where(places[one])})" for one in words[:_MOST_SHOWN]]
        more = [counted(len(words) - _MOST_SHOWN, "other")] if len(words) > _MOST_SHOWN else []
        noun = "numbers" if all(number_in(one) is not None for one in words) else "words"
        said.append(f"“{column}” holds {noun} without a meaning: {listed([*found, *more])}.")
    if scores is None and any(always(one) is not None for one in bad):
        said.append("Others like them were given another meaning than their usual one, so say what these mean too.")
    if len(bad) <= _MOST_TYPED or words:
        typed = bad if len(bad) <= _MOST_TYPED else words[:_MOST_TYPED]
        meanings = {one: _AS_OF_A_JUDGE.get(proposed(one) or "", "") * (always(one) is None) for one in typed}
        say = "Or say of each" if scores is not None and not words else "Say what each means"
        said.append(f"{say}, {PASS}, {FAIL} or {SKIP} (no verdict): {both_ways(meanings)}. Or correct the file.")
    return DesignError(" ".join(said))


def _where(items: Sequence[str]) -> str:
    named = ", ".join(shown(one, 30) for one in items[:_MOST_SHOWN])
    return f"{counted(len(items), 'item')}: {named}" + ", …" * (len(items) > _MOST_SHOWN)
