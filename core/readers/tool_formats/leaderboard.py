"""Leaderboards as a table: one row an item, one column a model, and how right it was: CSV, TSV or a workbook.

Scores are 1 if a model was right and 0 if not. If the columns are called as models, they may also be shares
between 0 and 1, or what is clearly per cent, each column by itself; an empty cell, NaN or “n/a” is unknown. Rows and
columns of totals are left out. A table of 0 and 1 with a row for each model, and its items as columns, is turned.

A column with a name of outputs, scores or amounts is no model, unless the others are called as models: then it is a
fact. If the cells say the same words as the right answers, they are outputs, which only the mapper can read. Numbers
above 1 are per cent only if a sign says so or the highest is 100: grades, ranks, amounts and numeric answers lie
between 0 and 100 too.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import dropwhile
from math import isnan, nan
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ...errors import PoolError, Problem
from ...files.foreign_names import plain_key
from ...files.open import Source
from ...files.sniff import TABLE, WORKBOOK, Beginning
from ...pool.columns import COLUMNS, TEXT
from ...pool.origin import Origin
from ...pool.problems import Problems, RecordTally, shown
from ...pool.records import native
from ...words import counted, listed
from ...words.verdict_words import spelling
from ..csv_table import NUMBERED, headed, outcome_of
from ..field_names import NAMES, WORDS, is_fault, is_of_people, words_of
from ..joining import LOSS, MODEL
from ..model_names import are_models, has_size, is_model, of_model, said_by, verdict_on
from ..model_outputs import ModelOutputs, ResultsFormat
from ..own_totals import IS_RIGHT
from ..runs import columns_of_runs
from ..total_shapes import are_benchmarks, is_sum, is_total_label, may_be_total_label, sums_up
from ..verdicts import number, right_words, says_nothing

_IDS = frozenset({"id", "item", "itemid", "questionid", "instanceid", "docid", "index", ""})
# What a first column is called that names the models, each of which has a row.
_MODELS = frozenset({"model", "models", "modelname", "modelid", "system", "agent", "llm"})
# What names of a model's properties begin with.
_OF_PROPERTIES = (("has",), ("is",), ("with",), ("supports",))
# In so many rows, scores that are all the same are marks if this share of the cells beside them is empty.
_MANY, _EMPTY = 10, 0.1
_VERDICTS = frozenset({"0", "1", "0.0", "1.0"})
_SPLITS = frozenset({"test", "train", "dev", "validation", "public", "private", "held", "synthetic", "multilingual"})
_COLUMN = "the model’s column"
_Cells: TypeAlias = Sequence[str]


def recognises(beginning: Beginning) -> bool:
    """Whether the first rows hold nothing but ids, facts of items, and scores of at least two models."""
    if beginning.container not in (TABLE, WORKBOOK) or len(beginning.rows) < 2:
        return False
    header, *rows = beginning.rows
    if _has_models_as_rows(header, rows):
        return True
    if any(outcome_of(name) or NUMBERED.fullmatch(name) for name in header) or not _names_items(header, rows):
        return False
    if columns_of_runs(header):
        # Of one model: only the mapper knows that the first counts.
        return False
    layout = _Board.of(header, rows)
    return layout is not None and not _may_have_truth(layout.columns, rows)


def outputs(source: Source, beginning: Beginning, problems: Problems) -> ModelOutputs:
    """Read the table."""
    header, *rows = beginning.rows
    given: Iterable[tuple[int, _Cells]]
    if _has_models_as_rows(header, rows):
        header, given = _turned(source, problems)
        layout = _Board.of(header, [cells for _, cells in given])
    else:
        header, given = headed(source, problems)
        layout = _Board.of(header, rows)
    if layout is None:
        remedy = "Name the items in the first column, and the models above the others."
        raise PoolError([Problem("the table is not a leaderboard.", remedy=remedy)])
    table = _Scores.of(header, given, layout, problems)
    problems.stop()
    for remark in layout.remarks():
        problems.note(remark)
    for scale in dict.fromkeys(layout.scales.values()):
        problems.note(scale.remark)
    read = ModelOutputs.of_columns(table.columns(problems), table.rows_of_outputs, problems)
    return replace(read, origin=Origin(FORMAT.name, {"loss": f"{_COLUMN}, where {table.right}{IS_RIGHT}"}))


FORMAT = ResultsFormat.declared("leaderboard", recognises, outputs)


@dataclass(frozen=True, slots=True)
class _Board:
    """The columns of a leaderboard, and the scale of each model's scores by the place of its column."""

    columns: BoardColumns
    scales: dict[int, BoardScale]

    @classmethod
    def of(cls, header: Sequence[str], rows: Sequence[Sequence[str]]) -> _Board | None:
        """Find the columns and scales by the first rows; None if the table is not a leaderboard."""
        items = [row for _, row in _items(enumerate(rows), Problems().tally)]
        columns = BoardColumns.of(header, items)
        scales = scales_of(items, columns.models, "prompt" in columns.facts) if columns is not None else None
        return cls(columns, scales) if columns is not None and scales is not None else None

    def remarks(self) -> list[str]:
        """Say which columns are not read, and which are read as models though they may be none."""
        sums, doubted = (
            listed([shown(name, 40) for name in some]) for some in (self.columns.sums, self.columns.doubted)
        )
        remarks = [f"Not read, as it sums up the models: {sums}."] if sums else []
        if kept := listed([shown(name, 40) for name in self.columns.facts if name not in COLUMNS]):
            remarks.append(f"Kept with the items as in the file: {kept}.")
        if self.columns.grouping:
            remarks.append(f"The groups are those of {shown(self.columns.grouping, 40)}.")
        if doubted:
            remarks.append(
                f"Read as models, although their names differ in kind: {doubted}. Remove any that is not a model. If "
                "one has the right answers, the others are outputs and no scores: say so with neyman pool map FILE "
                "--answer PATH --target MODEL:text=PATH."
            )
        return remarks


@dataclass(frozen=True, slots=True, eq=False)
class _Scores:
    """Rows of a table that have a score, their facts by name, and how right each model was: (N, M), NaN for unknown.

    ``right`` names what stands for right in the cells.
    """

    models: tuple[str, ...]
    rows: tuple[int, ...]
    facts: dict[str, list[str | None]]
    shares: NDArray[np.float64]
    right: str

    @classmethod
    def of(
        cls, header: Sequence[str], given: Iterable[tuple[int, _Cells]], layout: _Board, problems: Problems
    ) -> _Scores:
        models, facts = layout.columns.models, layout.columns.facts
        # Few cells are different: what each says is found once.
        known: dict[int, dict[str, float | None]] = {place: {} for place in models}
        rows, texts, shares, empty = list[int](), list[list[str]](), list[list[float]](), 0
        for row, cells in _items(given, problems.tally):
            if len(cells) != len(header):
                problems.add(f"there are {len(cells)} cells under {len(header)} columns.", row, remedy="Mend the row.")
                continue
            scores = [_read(cells[place], layout.scales[place], of_it) for place, of_it in known.items()]
            for place, score in zip(models, scores, strict=True) if None in scores else ():
                if score is None:
                    message = f"{shown(cells[place], 30)} is not {layout.scales[place].words}."
                    remedy = "Write how right the model was, 1 for right and 0 for wrong."
                    problems.add(message, row, header[place], remedy)
            filled = [nan if score is None else score for score in scores]
            empty += sum(not cells[place].strip() for place in models)
            if all(map(isnan, filled)):
                problems.tally.leave_out("rows without a score", row)
            else:
                problems.tally.take(row)
                rows.append(row)
                shares.append(filled)
                texts.append([cells[0].strip(), *_of(cells, facts.values())])
        said = {share for some in shares for share in some if not isnan(share)}
        are_gaps = empty < max(1, _EMPTY * len(shares) * len(models))
        if not are_gaps and len(said) == 1 and said <= {0.0, 1.0} and len(shares) >= _MANY:
            message = f"every score is {said.pop():g}, and {counted(empty, 'cell is', 'cells are')} empty."
            problems.add(message, remedy="Fill them: 0 or 1 if an empty cell means the opposite, n/a if it is unknown.")
        columns = {name: [cells[place] or None for cells in texts] for place, name in enumerate(("id", *facts))}
        table = np.array(shares).reshape(len(rows), len(models))
        of_verdicts = [cell for place, cells in known.items() if layout.scales[place].most == 1 for cell in cells]
        right = [right_words(of_verdicts)] if of_verdicts else []
        right += ["100"] if any(scale.most == 100 for scale in layout.scales.values()) else []
        return cls(tuple(models.values()), tuple(rows), columns, table, " or ".join(right))

    @property
    def rows_of_outputs(self) -> Sequence[int]:
        """The row of each score that is known, row by row."""
        return [self.rows[place] for place in np.nonzero(~np.isnan(self.shares))[0].tolist()]

    def columns(self, problems: Problems) -> dict[str, pa.ChunkedArray]:
        """Make the columns of outputs, one for each score that is known, row by row."""
        if not self.rows:
            problems.add("there are no results in this file.", remedy="Choose the file that has the samples.")
            problems.stop()
        item, model = np.nonzero(~np.isnan(self.shares))
        places = {**dict.fromkeys(self.facts, item), MODEL: model}
        values: dict[str, list[Any]] = {**self.facts, MODEL: list(self.models)}
        texts = {name: native(name, some, TEXT, self.rows, problems) for name, some in values.items()}
        columns = {name: pa.chunked_array([texts[name].take(pa.array(some))]) for name, some in places.items()}
        return {**columns, LOSS: pa.chunked_array([pa.array(1 - self.shares[item, model])])}


def _of(cells: Sequence[str], places: Iterable[int]) -> list[str]:
    return [cells[place] for place in places]


def _read(cell: str, scale: BoardScale, known: dict[str, float | None]) -> float | None:
    """Read how right a cell says a model was, NaN if that is unknown; None if it is no score."""
    if cell not in known:
        known[cell] = nan if says_nothing(cell) else scale.share(cell)
    return known[cell]


def _items(given: Iterable[tuple[int, _Cells]], tally: RecordTally) -> Iterator[tuple[int, _Cells]]:
    """Pass over rows of totals, above the items or below them; a name of totals among the items is one of theirs."""
    sums, begun, are_verdicts = list[tuple[int, _Cells]](), False, True
    for row, cells in given:
        if _are_sums(cells, begun and are_verdicts):
            sums.append((row, cells))
            continue
        if begun:
            yield from sums
        else:
            _leave_out(sums, tally)
        sums, begun = [], True
        are_verdicts = are_verdicts and _has_verdicts(cells)
        yield row, cells
    _leave_out(sums, tally)


def _are_sums(cells: _Cells, are_verdicts: bool) -> bool:
    """Whether a row has totals of items, whose scores are all 1 or 0 or not; its label may stand behind a blank id."""
    named = list(dropwhile(lambda cell: not cell.strip(), cells))
    if not named:
        return False
    label, *scores = named
    if is_sum(label) and len(named) == len(cells):
        return True
    return not _VERDICTS.issuperset(scores) and (
        is_total_label(label) or (may_be_total_label(label) and are_verdicts and not _has_verdicts(named))
    )


def _has_verdicts(cells: _Cells) -> bool:
    """Whether all numbers of a row are 1 or 0."""
    return all(cell in _VERDICTS or number(cell) is None for cell in cells[1:])


def _leave_out(sums: Iterable[tuple[int, _Cells]], tally: RecordTally) -> None:
    for row, _ in sums:
        tally.leave_out("rows of totals", row)


def _names_items(header: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first column names the items, none of which is a benchmark."""
    name, cells = plain_key(header[0]), [row[0].strip() for row in rows if row]
    if are_benchmarks(cells):
        return False
    return name in _IDS or (name in WORDS["item-columns"] and all(cells) and len(set(cells)) == len(cells))


def _may_have_truth(columns: BoardColumns, rows: Sequence[_Cells]) -> bool:
    """Whether one column of 0 and 1 beside models' of nothing else may hold right answers: a person says so."""
    odd = [name for name in columns.doubted if may_be_truth(name)]
    facts = {name: place for name, place in columns.facts.items() if _may_be_predicted(name)}
    odd += [name for name, place in facts.items() if _cells(rows, [place]) == _cells(rows, columns.models)]
    models = len(columns.models) - sum(name in columns.doubted for name in odd)
    return len(odd) == 1 < models and _cells(rows, columns.models) <= _VERDICTS


def _may_be_predicted(name: str) -> bool:
    """Whether a fact of items, such as “is_fraud”, may be what models are asked for, and not known of the items."""
    words = words_of(name)[-1]
    return words[:1] in (("is",), ("needs",)) and {*words[1:]}.isdisjoint(WORDS["of-items"] | _SPLITS)


def _cells(rows: Sequence[_Cells], places: Iterable[int]) -> set[str]:
    """Return what the cells of some columns say."""
    cells = {row[place].strip() for place in places for row in rows if place < len(row)}
    return {one for one in cells if not says_nothing(one)}


def _has_models_as_rows(header: Sequence[str], rows: Sequence[_Cells]) -> bool:
    """Whether the first column names models, each once, and the columns beside it are items: nothing but 0 and 1."""
    # The last of the first rows may be cut.
    whole = [row for row in rows if len(row) == len(header)]
    names = [row[0] for row in whole]
    are_called = plain_key(header[0]) in _IDS and all(map(is_model, names)) and not any(map(is_model, header))
    if not (plain_key(header[0]) in _MODELS or are_called) or len(header) <= _MANY:
        return False
    if not all(names) or not 1 < len(names) == len(set(names)) >= len(rows) - 1:
        return False
    sums = {*_sums(header, whole)}
    items = [place for place in range(1, len(header)) if place not in sums]
    # Properties of models, such as “has_vision”, are no items.
    properties = sum(words_of(header[place])[-1][:1] in _OF_PROPERTIES for place in items)
    known = {row[place] for row in whole for place in items if not says_nothing(row[place])}
    return len(items) >= _MANY > properties and known in ({"0", "1"}, {"0.0", "1.0"})


def _sums(header: Sequence[str], rows: Sequence[_Cells]) -> list[int]:
    """Places of columns that sum up the others: they are called so, and hold other values than 0 and 1."""
    called = [place for place, name in enumerate(header) if place and is_sum(name)]
    return [
        place for place in called if any(row[place] not in _VERDICTS and not says_nothing(row[place]) for row in rows)
    ]


def _turned(source: Source, problems: Problems) -> tuple[list[str], list[tuple[int, _Cells]]]:
    """Make a row of each item, by the number of its column, of a table with a row for each model."""
    header, given = headed(source, problems, RecordTally())
    models = list[_Cells]()
    for row, cells in given:
        if len(cells) != len(header):
            problems.add(f"there are {len(cells)} cells under {len(header)} columns.", row, remedy="Mend the row.")
        models.append(cells)
    problems.stop()
    problems.note("Each row is a model, and each column an item.")
    sums = _sums(header, models)
    if sums:
        problems.note(f"Not read, as it sums up the items: {listed([shown(header[place], 40) for place in sums])}.")
    left = {0, *sums}
    items = [(place, name) for place, name in enumerate(header) if place not in left]
    rows: list[tuple[int, _Cells]] = [(place + 1, [name, *(cells[place] for cells in models)]) for place, name in items]
    return ["id", *(cells[0].strip() for cells in models)], [*problems.tally.records(rows)]


def may_be_truth(name: str) -> bool:
    """Whether nothing in a column's name says that it is a model, or a property or an amount."""
    words = words_of(name)[-1]
    named = is_model(name) or any(map(str.isdigit, name)) or words[:1] in (("has",), ("with",), ("supports",))
    return not named and WORDS["amounts"].isdisjoint(words)


# Columns of a leaderboard: a model, a fact of the items, a total; and the scales of scores.

_FACTS = {
    **dict.fromkeys(NAMES["input"], "prompt"),
    **dict.fromkeys(NAMES["answer"], "answer"),
    **dict.fromkeys(NAMES["group"], "group"),
}
# So often each group of items is among the first rows.
_SEVERAL = 3
# Metrics such as “hit@5”.
_AT_K = re.compile(r"[a-z]\s?@\s?\d+$", re.IGNORECASE)
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
        few = [place for place, name in others.items() if not is_other(name) and _are_few(_known_cells(rows, place))]
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


# Between the words of “gpt4_f1”.
_MARKS = re.compile(r"[\W_]+")
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
    words = {*words_of(name)[-1], *_MARKS.split(name.casefold())}
    return (
        plain_key(name) in _METRICS
        or is_fault(name)
        or _AT_K.search(name) is not None
        or bool(words & (_OF_OTHERS | WORDS["of-items"] | WORDS["of-calls"] | WORDS["measures"] | WORDS["metrics"]))
    )


def may_be_output(name: str) -> bool:
    """Whether a column may hold what a model said, or how right it was."""
    words = set(words_of(name)[-1])
    measured = plain_key(name) in _METRICS or is_fault(name) or of_model(name) is not None
    return measured or bool(words & (WORDS["answer"] | WORDS["output"]))


def _may_be_model(name: str) -> bool:
    return is_model(name) or any(map(str.isdigit, name))


def _known_cells(rows: Sequence[Sequence[str]], place: int) -> list[str]:
    return [row[place].strip() for row in rows if place < len(row) and not says_nothing(row[place])]


def _is_text(rows: Sequence[Sequence[str]], place: int) -> bool:
    """Whether the cells of a column are texts that are no scores."""
    cells = _known_cells(rows, place)
    return bool(cells) and all(number(cell) is None for cell in cells)


def _are_few(cells: Sequence[str]) -> bool:
    """Whether cells are a few words, each of them several times."""
    counts = Counter(cells)
    return len(counts) > 1 and min(counts.values()) >= _SEVERAL


def _is_no_sum(rows: Sequence[Sequence[str]], place: int, models: dict[int, str]) -> bool:
    """Whether the cells of a column that is called as a total are like those of models, and sum none of them up."""
    cells, said = set(_known_cells(rows, place)), {cell for one in models for cell in _known_cells(rows, one)}
    if not cells or not cells <= said:
        return False
    return not sums_up([row[place] for row in rows], [[row[one] for one in models] for row in rows])


def _are_answers(rows: Sequence[Sequence[str]], facts: dict[str, int], models: dict[int, str]) -> bool:
    """Whether right answers are mostly words that the cells of models say, too."""
    return "answer" in facts and _says_as_models(rows, facts["answer"], models)


def _says_as_models(rows: Sequence[Sequence[str]], place: int, models: dict[int, str]) -> bool:
    """Whether most cells of a column are words that the cells of models say, too."""
    cells = [spelling(cell) for cell in _known_cells(rows, place)]
    said = {spelling(cell) for one in models if one != place for cell in _known_cells(rows, one)}
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


_VERDICT_SCALE = BoardScale(1, False, "1, 0 or empty", "")
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
    scales: tuple[BoardScale, ...] = (_VERDICT_SCALE,)
    if are_models(tuple(models.values())):
        scales = (_VERDICT_SCALE, _SHARES, *([_PER_CENT] if _are_per_cent(rows, models, beside_questions) else []))
    found: dict[int, BoardScale] = {}
    for place in models:
        cells = [row[place] for row in rows if place < len(row) and not says_nothing(row[place])]
        scale = next((one for one in scales if all(one.share(cell) is not None for cell in cells)), None)
        if scale is None:
            return None
        if any(number(cell) for cell in cells):
            found[place] = scale
    largest = max(found.values(), key=scales.index, default=_VERDICT_SCALE)
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
