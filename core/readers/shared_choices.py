"""Columns of one closed set of short answers, as several models give them to the same questions."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from string import ascii_lowercase

from .field_names import NAMES, OPTION, WORDS, last_name, words_of
from .first_rows import FirstRows
from .judge_columns import is_called_judge
from .model_names import says_right
from .side_by_side import no_names, numbered_like_samples
from .tool_formats.leaderboard import is_other
from .verdicts import says_nothing

# So many different answers at most are a closed set, each of so many letters; so many rows for each of them.
_MOST_CHOICES, _LONGEST, _ROWS_EACH = 10, 30, 2
# In so many cells the columns have the same values; so much more often than by chance (0) they agree (1: always), and
# by so many of its standard errors.
_SHARED, _BEYOND_CHANCE, _ERRORS = 0.9, 0.1, 2
# So many columns of words or numbers, of which fewer may be facts of the item, and of letters.
_FEWEST, _FEWEST_LETTERED = 3, 2
# What is named by these is chosen, sorted or judged by somebody, and said by no model.
_NO_MODELS = WORDS["reviewers"] | WORDS["raters"] | WORDS["agreed"] | WORDS["labels"] | WORDS["variants"]
_NO_MODELS |= WORDS["subsets"] | WORDS["metrics"] | WORDS["outdated"] | WORDS["faults"]

Cells = Mapping[int, str]


@dataclass(frozen=True, slots=True)
class SharedChoices:
    """Columns of the same few answers, and whether nothing else than answers of models is likely.

    Parameters
    ----------
    paths : tuple of str
        The columns; empty if there are none.
    are_sure : bool
        Whether all are letters of options, and agree more often than by chance.
    """

    paths: tuple[str, ...] = ()
    are_sure: bool = False


def shared_choices(rows: FirstRows, free: Sequence[str]) -> SharedChoices:
    """Find the most columns of names that no vocabulary has and that share a closed set of short answers.

    Parameters
    ----------
    rows : FirstRows
        The first rows of a file.
    free : sequence of str
        Paths that are nothing else.
    """
    named = [path for path in free if rows.is_single(path) and _may_be_called_so(path)]
    named = [path for path in named if path not in numbered_like_samples(rows, named)]
    said = {path: _cells(rows, path) for path in named if not (rows.is_zero_or_one(path) or rows.are_verdicts(path))}
    said = {path: cells for path, cells in said.items() if _are_choices(cells)}
    groups = ([path for path in said if _shares(said[path], said[base])] for base in said)
    paths = max(groups, key=len, default=[])
    are_letters = {one for path in paths for one in said[path].values()} <= {*ascii_lowercase[:_MOST_CHOICES]}
    if len(paths) < (_FEWEST_LETTERED if are_letters else _FEWEST):
        return SharedChoices()
    agreeing = [path for path in paths if _agree(said, path, paths)]
    if len(agreeing) < _FEWEST_LETTERED:
        return SharedChoices()
    return SharedChoices((*paths,), are_letters and len(paths) == len(agreeing) >= _FEWEST)


def _may_be_called_so(path: str) -> bool:
    words = set(words_of(path)[-1])
    if "." in path or "[" in path or not words.isdisjoint(_NO_MODELS) or not no_names([path]):
        return False
    known = OPTION.fullmatch(path.lower()) or is_called_judge(path) or says_right(path) or is_other(path)
    return not known and last_name(path) not in NAMES["model-like"]


def _cells(rows: FirstRows, path: str) -> Cells:
    return {row: str(one).strip().casefold() for row, one in enumerate(rows.values[path]) if not says_nothing(one)}


def _are_choices(cells: Cells) -> bool:
    """Whether cells are a few short texts or numbers."""
    values = set(cells.values())
    is_closed = 1 < len(values) <= _MOST_CHOICES and len(cells) >= _ROWS_EACH * len(values)
    return is_closed and all(len(one) <= _LONGEST for one in values)


def _shares(cells: Cells, others: Cells) -> bool:
    values = set(others.values())
    return sum(one in values for one in cells.values()) >= _SHARED * len(cells)


def _agree(said: Mapping[str, Cells], path: str, paths: Iterable[str]) -> bool:
    """Whether the mean of Cohen's kappa between a column and the others is clearly above 0, agreement by chance."""
    kappas = [_kappa(said[path], said[other]) for other in paths if other != path]
    # If k answers are as frequent, kappa varies with 1 / sqrt((k - 1) n) by chance.
    error = 1 / math.sqrt((len(set(said[path].values())) - 1) * len(said[path]))
    return sum(kappas) / len(kappas) >= max(_BEYOND_CHANCE, _ERRORS * error)


def _kappa(cells: Cells, others: Cells) -> float:
    both = cells.keys() & others.keys()
    if not both:
        return 0
    counts, other_counts = Counter(cells[row] for row in both), Counter(others[row] for row in both)
    chance = sum(counts[one] * other_counts[one] for one in counts) / len(both) ** 2
    return (sum(cells[row] == others[row] for row in both) / len(both) - chance) / (1 - chance) if chance < 1 else 0
