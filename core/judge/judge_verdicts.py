"""The verdicts of a judge, as a pool has them: a column of its items, or the outcomes of a target.

Cells are read by the rule for labels: they are verdicts, are none, or are not understood.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path
from types import MappingProxyType
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..design.design import Plan
from ..design.judging import FAIL, PASS, Judging
from ..errors import DesignError
from ..labels.cells import GradeRange, both_ways
from ..labels.kinds import RIGHT, RIGHT_WRONG, WRONG, canonical
from ..labels.proposals import SKIP, proposed
from ..labels.vocabulary import Word, contradictions
from ..pool.columns import leaf
from ..pool.pool import Pool
from ..pool.problems import shown
from ..readers import FieldMap, Shape, read_mapped, read_or_shape
from ..readers.field_map import of_the_file
from ..readers.field_names import is_fault, is_reason
from ..readers.judge_columns import is_called_judge, is_judges, is_peoples, is_peoples_verdict
from ..words import counted, listed, shell_line
from ..words.verdict_words import SAYS_NO_VALUE, SAYS_RIGHT, number_in, word_key
from .measures import VerdictPair
from .rates import NOTHING, VerdictSample, VerdictWeights

# A column with more different words holds texts, no verdicts.
_MOST_WORDS = 12
_YES = ("1", "true", "yes")
# Words that are a judge's verdicts wherever it says them.
OURS = {word: word.startswith(PASS) for word in ("pass", "passed", "fail", "failed")}
DIGITS = ("0", "1")
# Labels of people say right and wrong where a judge says pass and fail.
_MEANT = {PASS: True, RIGHT: True, FAIL: False, WRONG: False, SKIP: None}
_AS_OF_A_JUDGE = {RIGHT: PASS, WRONG: FAIL, SKIP: SKIP}
_MOST_SHOWN, _MOST_TYPED = 6, 12

# Word or number, as `cell` writes it, to whether it says pass; None for no verdict.
Said = dict[str, bool | None]


@dataclass(frozen=True, slots=True, eq=False)
class JudgeVerdicts:
    """A judge's verdict on every item.

    Parameters
    ----------
    judge : str
        The column or target.
    fails : (N,) bool
        Whether the judge fails the item.
    scores : (N,) float or None
        Its scores, the higher the better; None if it gives verdicts alone.
    threshold : float or None
        The score from which on it passes.
    target : str
        The target whose outcomes these are; "" of a column.
    """

    judge: str
    fails: NDArray[np.bool_]
    scores: NDArray[np.float64] | None = None
    threshold: float | None = None
    target: str = ""

    @property
    def n_fail(self) -> int:
        """N_F."""
        return int(self.fails.sum())

    @property
    def n_pass(self) -> int:
        """N_P."""
        return self.fails.size - self.n_fail

    def pass_rate(self, weights: ArrayLike | None = None) -> float:
        """Share of the items that it passes, by their weights, (N,), if they have some."""
        return float(np.average(~self.fails, weights=weights))

    def __repr__(self) -> str:
        return f"Judge “{self.judge}”: passes {self.n_pass:,} of {counted(self.fails.size, 'item')}"


def verdicts(
    pool: Pool,
    column: str,
    threshold: float | None = None,
    words: Mapping[str, str] = MappingProxyType({}),
    some: bool = False,
) -> JudgeVerdicts:
    """Read a judge's verdicts.

    Parameters
    ----------
    pool : Pool
        The pool.
    column : str
        A column of its items, or one of its targets, whose outcomes a judge gave. True, 1, "pass" and the words for
        right pass; False, 0, "fail" and the words for wrong fail.
    threshold : float, optional
        For other numbers: the score from which on the judge passes. Of a target's losses it is 1 − loss that counts.
    words : mapping, optional
        What other words mean, as ``{"gut": "pass", "schlecht": "fail"}``; also of 1 and 0, if 1 is bad. A word that
        means "skip" is no verdict.
    some : bool
        Items may lack a verdict (`has_verdict`); they count as passed.

    Raises
    ------
    DesignError
        There is no such column, items have no verdict (they are counted), words have no meaning yet, numbers need a
        threshold, or the threshold leaves nothing to decide.
    """
    column = _as_kept(pool, column)
    values, target = values_of(pool, column)
    said = of_column(meanings_given(words, values), map(cell, values))
    read = _cells(values, said)
    missing = [place for place, one in enumerate(read) if one is None]
    if missing and not some:
        raise DesignError(without_verdict(pool, column, missing))
    numbers = np.array([number(value) for value in values])
    if threshold is not None:
        _check_threshold(column, read, numbers, threshold)
    # Of scores, what people's grades mean is no matter of the judge.
    scored_cells = np.isfinite(numbers) & (threshold is not None)
    words_alone = [None if scored else one for one, scored in zip(read, scored_cells.tolist(), strict=True)]
    bad = not_understood(words_alone, said)
    if bad:
        raise refusal(column, [str(one) for one in pool.ids], words_alone, bad, threshold)
    fails = np.array([one is not None and not said.get(one, always(one)) for one in words_alone], dtype=bool)
    if threshold is None:
        return JudgeVerdicts(column, fails, target=target)
    numbers = np.where(scored_cells & [one is not None for one in read], numbers, np.nan)
    return JudgeVerdicts(column, fails | (numbers < threshold), numbers, float(threshold), target)


def everything(judge: JudgeVerdicts, people: JudgeVerdicts, weights: NDArray[np.float64] | None = None) -> VerdictPair:
    """Hold a judge against people's verdicts on every item.

    Parameters
    ----------
    judge, people : JudgeVerdicts
        Of the same items.
    weights : (N,) float, optional
        Of these items; by default each counts once.
    """
    classes = []
    for centre, of_class in ((1.0, judge.fails), (0.0, ~judge.fails)):
        size, fails = int(of_class.sum()), people.fails[of_class].tolist()
        weighing = None if weights is None or not size else VerdictWeights.of([weights[of_class]], [fails], centre)
        classes.append(VerdictSample((size,), (size,), (sum(fails),), weighing) if size else NOTHING)
    return VerdictPair(*classes)


def cells_of(pool: Pool, column: str) -> list[str | None]:
    """Return what a column or a target says of each item, as `cell` writes it, (N,)."""
    return list(map(cell, values_of(pool, column)[0]))


def has_verdict(pool: Pool, column: str, words: Mapping[str, str] = MappingProxyType({})) -> NDArray[np.bool_]:
    """Whether a column says anything of each item, (N,); words as in `verdicts`."""
    values = values_of(pool, column)[0]
    return np.array([one is not None for one in _cells(values, meanings_given(words, values))], dtype=bool)


def is_complete(pool: Pool, column: str, words: Mapping[str, str] = MappingProxyType({})) -> bool:
    """Whether a column has a verdict on every item; words as in `verdicts`."""
    return bool(has_verdict(pool, column, words).all())


def scores(pool: Pool, column: str) -> tuple[float, float] | None:
    """Return the lowest and the highest number of a column; None if it holds words, or hardly others than 0 and 1."""
    read = cells_of(pool, column)
    found = None if any(one is not None and number_in(one) is None for one in read) else scale(read)
    return None if found is None else (found.low, found.high)


def words_without_meaning(pool: Pool, column: str) -> tuple[str, ...]:
    """Return what a column says that is neither pass nor fail by itself, the most frequent first; () for scores."""
    read = cells_of(pool, column)
    bad = [] if scores(pool, column) is not None else not_understood(read, {})
    said = Counter(read)
    return tuple(sorted(bad, key=lambda one: -said[one]))


def words_to_ask(pool: Pool, columns: Iterable[str]) -> list[Word]:
    """List the words of columns as `words_without_meaning`, each with how many items have it, and what is proposed."""
    found = Counter[str]()
    for column in columns:
        unknown = {*words_without_meaning(pool, column)}
        found.update(one for one in cells_of(pool, column) if one in unknown)
    return [Word(word, count, proposed(word)) for word, count in found.most_common()]


def words_given(pool: Pool, judge: JudgeVerdicts) -> dict[str, str]:
    """Return what the words of a judge, as `words_without_meaning`, were given as: its verdicts were read by that."""
    unknown = {*words_without_meaning(pool, judge.judge)}
    return {word: FAIL if fails else PASS for word, fails in _read_as(pool, judge).items() if word in unknown}


def fault_words(pool: Pool, judge: JudgeVerdicts) -> dict[str, str]:
    """Return the opposite of what a judge's words mean, if its column is called as a fault and yes passes there."""
    said = _of_column(pool, judge) if is_fault(judge.judge) else {}
    passes = any(said.get(word) is False for word in _YES)
    pairs = sorted((fails, word) for word, fails in said.items() if passes)
    return {word: PASS if fails else FAIL for fails, word in pairs}


def turned_words(pool: Pool, judge: JudgeVerdicts) -> set[str]:
    """Return the words of a judge that were given another meaning than they have where people say them."""
    return {word for word, fails in _of_column(pool, judge).items() if always(word) == fails}


def _of_column(pool: Pool, judge: JudgeVerdicts) -> dict[str, bool]:
    """Return as `_read_as` the words of a judge that is a column without scores; nothing of another one."""
    return {} if judge.threshold is not None or judge.judge not in pool.item_columns else _read_as(pool, judge)


def _read_as(pool: Pool, judge: JudgeVerdicts) -> dict[str, bool]:
    """Return the words and numbers of a judge, each with whether it was read as fail."""
    said = zip(cells_of(pool, judge.judge), judge.fails.tolist(), strict=True)
    return {word: fails for word, fails in said if word is not None}


def judging_of(plan: Plan) -> Judging:
    """Return what a list checks; an error if that is no judge."""
    if plan.design.judging is None:
        raise DesignError("This list checks no judge. Draw one with neyman.judge(pool, column, budget).")
    return plan.design.judging


def verdicts_of(plan: Plan) -> JudgeVerdicts:
    """Return the verdicts that a list of `core.judge.judge` was drawn from."""
    judging = judging_of(plan)
    return JudgeVerdicts(judging.judge, plan.stratum < judging.failing, threshold=judging.threshold)


def judges(pool: Pool) -> tuple[str, ...]:
    """List the columns and targets of a pool that may be a judge's verdicts, the likeliest first.

    Columns of words for pass and fail, or of 0 and 1, come first, those that are called a judge's before others; then
    columns of other words that are called so or as people's, targets whose outputs somebody scored, and other numbers.
    Outcomes that follow from right answers, or are of outputs that the pool does not have, are no verdicts that people
    could check.
    """
    first, named, later = list[str](), list[str](), list[str]()
    for name in pool.item_columns:
        if name in _CONTENT:
            continue
        distinct = {one for one in map(cell, pool.items[name].unique()) if one is not None}
        words = {one for one in distinct if number_in(one) is None}
        if not distinct or len(words) > _MOST_WORDS:
            continue
        known = {word for word in words if word in SAYS_RIGHT or always(word) is not None}
        if words <= known and distinct - words <= {*DIGITS}:
            first.append(name)
        elif not words:
            later.append(name)
        elif is_called_judge(name) or is_peoples_verdict(name):
            named.append(name)
    targets = [name for name in scored(pool) if leaf(pool.source, name, "text") is not None]
    first.sort(key=lambda name: not is_judges(name))
    named.sort(key=lambda name: not is_judges(name))
    return (*first, *named, *targets, *later)


def scored(pool: Pool) -> tuple[str, ...]:
    """List the targets whose scores the file states, on some items at least: of outputs, people may have given them."""
    if pool not in _SCORED:
        stated = (name for name in pool.targets if leaf(pool.source, name, "loss") is not None)
        _SCORED[pool] = tuple(name for name in stated if np.isfinite(pool.losses(name)).any())
    return _SCORED[pool]


# Asked several times a page, and there may be thousands of targets.
_SCORED: WeakKeyDictionary[Pool, tuple[str, ...]] = WeakKeyDictionary()


def column_of(pool: Pool, name: str) -> str:
    """Return the column of the file in which a target's scores are; of a column, or if nobody knows, the name."""
    fields = pool.origin.fields if pool.origin is not None and name in pool.targets else {}
    return next((fields[key] for key in (f"{name} · right", f"{name} · wrong") if key in fields), name)


def is_of_people(pool: Pool, name: str) -> bool:
    """Whether a column or a target's scores may be offered as people's: what a judge could have scored is asked."""
    return name not in pool.targets or is_peoples(column_of(pool, name))


def is_called_peoples(pool: Pool, name: str) -> bool:
    """Whether a column or a target's scores are called as people's verdicts."""
    return is_peoples_verdict(column_of(pool, name))


def named_judge(pool: Pool) -> str | None:
    """Return the column of items that is a judge's by its name, or else by the words pass and fail; None if none is.

    A column that is called as people's is none.
    """
    there = [name for name in judges(pool) if name in pool.item_columns and not is_peoples(name)]
    there = [name for name in there if scores(pool, name) is None]
    called = [name for name in there if is_judges(name)]
    said = (name for name in there if {*map(cell, pool.items[name].unique())} <= {*OURS, None})
    return next(iter(called), next(said, None))


def n_judged(pool: Pool, column: str) -> int:
    """Return how many items have a verdict in a judge's column."""
    return int(pool.items[column].notna().sum())


_CONTENT = ("prompt", "choices", "answer", "group", "image", "answer_kind")


def _as_kept(pool: Pool, column: str) -> str:
    """Return what a file's column is called in its pool, of which a field may have the same name."""
    there = column in pool.item_columns or column in pool.targets
    return of_the_file(column) if not there and of_the_file(column) in pool.item_columns else column


def values_of(pool: Pool, column: str) -> tuple[list[Any], str]:
    """A value for each item, and the target whose outcomes they are."""
    column = _as_kept(pool, column)
    if column in pool.item_columns:
        return pool.items[column].tolist(), ""
    if column in pool.targets:
        return (1.0 - pool.losses(column)).tolist(), column
    there = [f"“{name}”" for name in judges(pool)][:_MOST_SHOWN]
    known = f" Columns that may be a judge’s: {listed(there)}." if there else " It has no judge’s column."
    raise DesignError(f"This pool has no column or target {shown(column, 60)}.{known}")


def meanings(pool: Pool, column: str, passing: Iterable[str]) -> dict[str, str]:
    """Return what the words of a column mean, if these mean pass (`core.judge.Criterion`)."""
    named = {said for word in passing if (said := cell(word)) is not None}
    turned = any(always(said) is False for said in named)
    read = cells_of(pool, column)
    # Scores need a threshold.
    there = {one for one in read if one is not None and (number_in(one) in (None, 0, 1) or scale(read) is None)}
    return {said: PASS if said in named or (always(said) and not turned) else FAIL for said in named | there}


def judges_own(pool: Pool, judge: JudgeVerdicts, columns: Iterable[str], words: Mapping[str, str]) -> set[str]:
    """Return those of words that judges say in these columns, and that always mean the same where people say them.

    What contradicts the verdicts that were read is said of people's labels.
    """
    there = [column for column in map(partial(_as_kept, pool), columns) if column in pool.item_columns]
    said = {one: always(one) for column in there for one in cells_of(pool, column)}
    if judge.judge in there:
        said |= {one: not fails for one, fails in _read_as(pool, judge).items()}
    means = {PASS: True, RIGHT: True, FAIL: False, WRONG: False}
    own = [word for word in words if cell(word) in said and canonical(word, RIGHT_WRONG.name) is not None]
    return {word for word in own if means.get(words[word], said[cell(word)]) == said[cell(word)]}


def said_in(pool: Pool, columns: Iterable[str]) -> set[str]:
    """Return the words and numbers of these columns or targets, as `cell` writes them."""
    return {one for column in columns for one in cells_of(pool, column) if one}


def _cells(values: Iterable[Any], said: Said) -> list[str | None]:
    """Values as `cell`, without the words that are no verdict."""
    return [None if said.get(one or "", True) is None else one for one in map(cell, values)]


def _check_threshold(column: str, read: Sequence[str | None], numbers: NDArray[np.float64], threshold: float) -> None:
    """Check that a threshold is one for these cells."""
    if not math.isfinite(threshold):
        raise DesignError("The threshold must be a number, such as 4 for scores from 1 to 5.")
    if np.isnan(numbers).all():
        raise DesignError(f"“{column}” holds words. A threshold is for scores: leave it out.")
    shares = [one for one in read if one is not None and one.endswith("%")]
    if shares and max(threshold, np.nanmax(numbers)) > 1:
        raise DesignError(
            f"“{column}” holds shares such as {shares[0]}, which is {number_in(shares[0]):g}, beside a threshold or "
            "other scores above 1. Write all of them in the same way."
        )


def without_verdict(pool: Pool, column: str, missing: list[int]) -> str:
    """Say which items have no verdict, and what to do."""
    have, ids = "has" if len(missing) == 1 else "have", items_named([str(pool.ids[place]) for place in missing])
    return (
        f"{len(missing):,} of {counted(pool.n_items, 'item')} {have} no verdict in “{column}” ({ids}). Let the "
        "judge grade them, or take them out of the pool: nothing can be said of what it did not grade."
    )


def cell(value: Any) -> str | None:
    """Return a cell as words are compared (`core.words.verdict_words.word_key`); None for no verdict."""
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


def of_column(said: Said, cells: Iterable[str | None]) -> Said:
    """Return the meanings that are about a column, given its cells.

    If it holds no numbers but 0 and 1, and others were given a meaning, numbers are people's grades, unless they say
    one thing of 0 and another of 1.
    """
    there = {one for one in cells if one is not None and number_in(one) is not None}
    grades = {one for one in said if number_in(one) is not None}
    told_apart = there <= said.keys() and len({said[one] for one in there}) == len(there)
    if not there or not there <= {*DIGITS} or grades <= there | {*DIGITS} or told_apart:
        return said
    return {one: meaning for one, meaning in said.items() if one not in grades}


def scale(cells: Sequence[str | None]) -> GradeRange | None:
    """Find the range of scores; None if there are hardly other numbers than 0 and 1."""
    return GradeRange.of([one for one in cells if one is not None], lambda found: found not in (0, 1))


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
    on_scale = graded or GradeRange.of([one for one in cells if one is not None]) is not None
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
        found = [
            f"{shown(one, 30)} ({counted(len(places[one]), 'item')}: {items_named(places[one])})"
            for one in words[:_MOST_SHOWN]
        ]
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


def items_named(items: Sequence[str]) -> str:
    """Write the first few of some items."""
    return ", ".join(shown(one, 30) for one in items[:_MOST_SHOWN]) + ", …" * (len(items) > _MOST_SHOWN)


def read_with_judge(path: str | Path, judge: str, *others: str, name: str | None = None) -> Pool:
    """Read a pool that keeps a judge's verdicts, its reasons, and the risk.

    Parameters
    ----------
    path : path
        A pool, a log of an evaluation tool, or a table with a column of this name.
    judge : str
        The column or target with the verdicts.
    *others : str
        Columns of other judges.
    name : str, optional
        What the pool is called; by default the file's name without its endings.

    Raises
    ------
    PoolError
        The file cannot be read.
    """
    read = read_or_shape(path, name)
    if isinstance(read, Pool):
        return read
    return read_mapped(path, with_judge(read, judge, *others), name)


def with_judge(shape: Shape, judge: str, *others: str) -> FieldMap:
    """Return the guess at a table's fields, with the judges' columns, their reasons and the risk kept as they are."""
    paths, guess = [place.path for place in shape.places], shape.guess
    own = tuple(one for one in (judge, *others) if one in paths)
    if judge not in paths:
        return guess
    rest = guess.within({*guess.paths(), *guess.runs} - {*own})
    fields = {field: path for field, path in rest.fields.items() if field not in own}
    taken = {*own, *(part for field in fields for part in rest.parts(field))}
    kept = [path for path in paths if path not in taken and (is_reason(path) or path == "risk")]
    judges = tuple(path for path in rest.judges if path not in kept)
    return replace(rest, fields=fields, columns=(*own, *kept), judges=judges)
