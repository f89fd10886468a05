"""Columns of a leaderboard: a model, a fact of the items, a total; and the scales of scores.

A column with a name of outputs, scores or amounts is none of these, unless the others are called as models: then it is
a fact. If the cells say the same words as the right answers, they are outputs, which only the mapper can read.

Numbers above 1 are per cent only if a sign says so or the highest is 100: grades, ranks, amounts and numeric answers
lie between 0 and 100 too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from ..files.foreign_names import plain_key
from ..pool.columns import COLUMNS
from ..words.verdict_words import spelling
from .field_names import NAMES, WORDS, is_fault, is_of_people, words_of
from .model_names import are_models, has_size, is_model, of_model, said_by, verdict_on
from .total_shapes import is_sum, sums_up
from .verdicts import number, says_nothing

_FACTS = {
    **dict.fromkeys(NAMES["input"], "prompt"),
    **dict.fromkeys(NAMES["answer"], "answer"),
    **dict.fromkeys(NAMES["group"], "group"),
}
# So often each group of items is among the first rows.
_SEVERAL = 3
_METRICS = (
    frozenset({*NAMES["score"], *NAMES["wrong"], *NAMES["judge"], *NAMES["output"], *NAMES["model"]}) - _FACTS.keys()
)
_OF_OTHERS = (
    WORDS["answer"] | WORDS["output"] | WORDS["amounts"] | WORDS["others"] - {"model"} | {"label", "labels", "gold"}
)


@dataclass(frozen=True, slots=True)
class BoardColumns:
    """The columns of a leaderboard by their places; the first one names the items.

    Parameters
    ----------
    models : dict of int to str
        What the models are called.
    facts : dict of str to int
        Facts of the items by what they are; those of no native name keep their own.
    sums : tuple of str
        Names of columns that sum up the models, and are not read.
    grouping : str
        Name of the column of groups if no name says that it is one; "" otherwise.
    """

    models: dict[int, str]
    facts: dict[str, int]
    sums: tuple[str, ...] = ()
    grouping: str = ""

    @classmethod
    def of(cls, header: Sequence[str], rows: Sequence[Sequence[str]]) -> BoardColumns | None:
        """Sort the columns by their names, and by the cells of the first rows.

        Parameters
        ----------
        header : sequence of str
            Names of the columns.
        rows : sequence of sequence of str
            Cells of the first rows that are items.

        Returns
        -------
        BoardColumns or None
            None if no two columns are models, or if other columns hold outputs or scores.
        """
        places = {place: name for place, name in enumerate(header) if place and name and name not in _NATIVE_LISTS}
        facts: dict[str, int] = {}
        for place, name in places.items():
            if (native := _FACTS.get(plain_key(name))) is not None:
                facts.setdefault(native, place)
        sums = {place: name for place, name in places.items() if is_sum(name)}
        said = {*facts.values(), *sums}
        rest = {place: name for place, name in places.items() if place not in said}
        others = {place: name for place, name in rest.items() if is_other(name) or _is_text(rows, place)}
        models = _called({place: name for place, name in rest.items() if place not in others})
        if _are_judges(models.values()) or ("answer" in facts and not any(map(_may_be_model, models.values()))):
            return None
        if len(models) < 2 or (others and not are_models(tuple(models.values()))):
            return None
        texts = [name for place, name in others.items() if _is_text(rows, place)]
        is_said = any(said_by(name, models.values()) for name in texts) or any(
            verdict_on(name, texts) for name in models.values()
        )
        if is_said or any(may_be_output(name) for name in others.values()) or _are_answers(rows, facts, models):
            return None
        if any(is_of_people(name) and _says_as_models(rows, place, models) for place, name in rest.items()):
            return None
        few = [place for place, name in others.items() if not is_other(name) and _are_few(_cells(rows, place))]
        if any(_is_no_sum(rows, place, models) for place in sums):
            return None
        groups = few if len(few) == 1 and "group" not in facts else []
        facts |= {name: place for place, name in others.items() if name not in COLUMNS and place not in groups}
        facts |= {"prompt": 0} if plain_key(header[0]) in NAMES["input"] else {}
        facts |= dict(zip(["group"], groups, strict=False))
        return replace(cls(models, facts), sums=tuple(sums.values()), grouping="".join(others[one] for one in groups))

    @property
    def doubted(self) -> tuple[str, ...]:
        """Names that are read as models beside others that are called as such."""
        other = [name for name in self.models.values() if not is_model(name)]
        return tuple(other) if len(other) < len(self.models) else ()


def _are_judges(names: Iterable[str]) -> bool:
    """Whether columns are called as judges or people, who say how good an output is, or by what they judge it."""
    named = ([word for words in words_of(name) for word in words] for name in names if not has_size(name))
    words = [{word for word in one if not word.isdecimal()} for one in named]
    return any(not one.isdisjoint(WORDS["raters"]) for one in words) or (
        bool(words) and all(one and one <= WORDS["criteria"] for one in words)
    )


_NATIVE_LISTS = COLUMNS.keys() - {"prompt", "answer", "group"}


def _called(names: dict[int, str]) -> dict[int, str]:
    """Return what models are called: “gpt” of “gpt_correct” if all are called so."""
    split = {place: of_model(name) for place, name in names.items()}
    known = {place: one.model for place, one in split.items() if one is not None and one.what in NAMES["score"]}
    return known if len(known) == len(names) == len(set(known.values())) else names


def is_other(name: str) -> bool:
    """Whether a column is likely to hold an output, a score, an amount or a property of items, and is no model."""
    named = of_model(name)
    if named is not None and named.what in NAMES["score"]:
        return False
    words = set(words_of(name)[-1])
    return (
        plain_key(name) in _METRICS
        or is_fault(name)
        or bool(words & (_OF_OTHERS | WORDS["of-items"] | WORDS["of-calls"]))
    )


def may_be_output(name: str) -> bool:
    """Whether a column may hold what a model said, or how right it was."""
    words = set(words_of(name)[-1])
    measured = plain_key(name) in _METRICS or is_fault(name) or of_model(name) is not None
    return measured or bool(words & (WORDS["answer"] | WORDS["output"]))


def _may_be_model(name: str) -> bool:
    return is_model(name) or any(map(str.isdigit, name))


def _cells(rows: Sequence[Sequence[str]], place: int) -> list[str]:
    return [row[place].strip() for row in rows if place < len(row) and not says_nothing(row[place])]


def _is_text(rows: Sequence[Sequence[str]], place: int) -> bool:
    """Whether the cells of a column are texts that are no scores."""
    cells = _cells(rows, place)
    return bool(cells) and all(number(cell) is None for cell in cells)


def _are_few(cells: Sequence[str]) -> bool:
    """Whether cells are a few words, each of them several times."""
    counts = Counter(cells)
    return len(counts) > 1 and min(counts.values()) >= _SEVERAL


def _is_no_sum(rows: Sequence[Sequence[str]], place: int, models: dict[int, str]) -> bool:
    """Whether the cells of a column that is called as a total are like those of models, and sum none of them up."""
    cells, said = set(_cells(rows, place)), {cell for one in models for cell in _cells(rows, one)}
    if not cells or not cells <= said:
        return False
    return not sums_up([row[place] for row in rows], [[row[one] for one in models] for row in rows])


def _are_answers(rows: Sequence[Sequence[str]], facts: dict[str, int], models: dict[int, str]) -> bool:
    """Whether right answers are mostly words that the cells of models say, too."""
    return "answer" in facts and _says_as_models(rows, facts["answer"], models)


def _says_as_models(rows: Sequence[Sequence[str]], place: int, models: dict[int, str]) -> bool:
    """Whether most cells of a column are words that the cells of models say, too."""
    cells = [spelling(cell) for cell in _cells(rows, place)]
    said = {spelling(cell) for one in models if one != place for cell in _cells(rows, one)}
    return bool(cells) and 2 * sum(cell in said for cell in cells) >= len(cells)


# Scales of the scores in a leaderboard: verdicts, shares and per cent, each model’s by itself.


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
