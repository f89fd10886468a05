"""Models that a column of a table of labels names: whose answer each row judges.

A reader keeps every column that is called so (`model_columns`). Whether it names models is known beside the targets of
the pool (`of_models`): a column “target” may hold right answers, and “system” prompts.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any
from unicodedata import normalize

import numpy as np
import pandas as pd

from ..design.judging import CRITERION
from ..errors import LabelError, Problem
from ..files.foreign_names import plain_key
from ..pool.problems import MOST, shown
from ..readers.field_names import NAMES, is_said
from ..readers.model_names import are_models
from ..readers.row_keys import names_a_model
from ..words import counted, listed
from ..words.verdict_words import SAYS_NOTHING, SAYS_RIGHT, number_in, spelling
from .formats.escaping import unescape
from .formats.label_file import LabelFile, ModelColumn
from .kinds import KINDS
from .rows import column, label_text, named_rows
from .targets import ANSWERS_OF, codes_of, columns_of_criteria, target_code

# Beside these a name is one of a few words, and as long.
_MOST_WORDS, _LONGEST = 5, 60
# So many models have a name each; of more, names are repeated.
_FEW = 12
# A name that stands in so many rows alone is no answer to all of them.
_SEVERAL = 4
_NAMED = 6
_GAPS = re.compile(r"[\s_-]+")


def model_columns(columns: Mapping[str, Sequence[Any]], numbers: Sequence[int]) -> tuple[ModelColumn, ...]:
    """Return the columns that may name the model whose answer a row judges, the likeliest first.

    Parameters
    ----------
    columns : mapping
        The columns of a file by name, without those that are read as something else.
    numbers : sequence of int
        The number of each row in the file.
    """
    titles = [title for title in columns if _may_name(title)]
    texts = {title: map(label_text, map(_plain, columns[title])) for title in titles}
    return tuple(
        ModelColumn(title, {row: text.strip() for row, text in zip(numbers, texts[title], strict=True) if text})
        for title in sorted(titles, key=lambda title: not names_a_model(title))
    )


def of_models(file: LabelFile, targets: Iterable[str], judged: str = "") -> LabelFile:
    """Return a file whose rows have the codes of the models that a column of it names.

    Parameters
    ----------
    file : LabelFile
        As `core.labels.read` gives it.
    targets : iterable of str
        The targets of the pool, and others that labels may judge.
    judged : str
        The target whose answers rows judge that name none, "" = none. Of lists of criteria, its rows keep the codes of
        these.

    Raises
    ------
    LabelError
        Rows name a model that is no target, two different ones, or none beside others that name one; the rows are
        named.
    """
    known = list(dict.fromkeys(targets))
    # A right answer judges nobody's.
    judges = [kind is None or kind not in KINDS or KINDS[kind].judges for kind in column(file.rows, "kind")]
    rows = file.rows[file.rows["label"].notna() & np.array(judges, dtype=bool)]
    codes = dict(zip(rows["row"], rows[ANSWERS_OF], strict=True))
    said = _column(file.models, known, codes)
    if said is None:
        return file
    if not known:
        _check_one(said, codes)
        return file
    names = {row: _target(name, known) for row, name in said.names.items()}
    criteria = {*columns_of_criteria(file.criteria).values(), *map(target_code, filter(_is_criterion, known))}
    codes = {row: code for row, code in codes.items() if code not in criteria}
    _check(said, names, codes, known, judged)
    new = {
        row: None if criteria and name == judged else target_code(said.names[row] if name is None else name)
        for row, name in names.items()
    }

    def code(row: int, given: str | None) -> str | None:
        return given if (of := new.get(row)) is None else of

    coded = [code(*of) for of in zip(file.rows["row"], file.rows[ANSWERS_OF], strict=True)]
    there = tuple(one._replace(answers_of=code(one.row, one.answers_of)) for one in file.shown)
    rows = file.rows.assign(**{ANSWERS_OF: pd.Series(coded, index=file.rows.index, dtype=object)})
    return replace(file, rows=rows, shown=there)


def left_out(judged: Iterable[str], whose: str) -> str:
    """Say how many labels judge the answers of other models than ``whose``, a model for each label; "" without any."""
    counts = Counter(judged)
    if not counts:
        return ""
    many = counted(counts.total(), "label judges", "labels judge")
    each = listed([f"“{name}”" + f" ({count:,})" * (len(counts) > 1) for name, count in counts.items()])
    are = "is" if counts.total() == 1 else "are"
    return f"{many} the answers of {each}, not of {whose}, and {are} left out."


def _check(
    said: ModelColumn,
    names: Mapping[int, str | None],
    codes: Mapping[int, str | None],
    known: Sequence[str],
    judged: str,
) -> None:
    """Check that every labelled row names one target, or that none of them names another than the judged one."""
    column, whose = f"The column {shown(said.title, 30)}", listed([f"“{name}”" for name in known[:_NAMED]])
    remedy = f"Write one of the targets there ({whose}{', …' * (len(known) > _NAMED)}), or remove these rows."
    unknown = {
        row: said.names[row]
        for row in codes
        if row in names and names[row] is None and codes[row] != target_code(said.names[row])
    }
    if unknown:
        raise _error(
            f"{column} names {_by_name(unknown)}, which {'is' if len({*unknown.values()}) == 1 else 'are'} no target "
            f"of this pool. {remedy} If the column does not say whose answers the labels judge, remove it.",
            unknown,
            said.title,
        )
    coded = {row: codes_of(known).get(code or "") for row, code in codes.items()}
    apart = {row: said.names[row] for row, name in names.items() if name and (coded.get(row) or name) != name}
    if apart:
        raise _error(
            f"{column} names {_by_name(apart)}, and the column answers_of another target. Correct one of them.",
            apart,
            said.title,
        )
    blank = [row for row, code in codes.items() if row not in names and not code]
    if blank and any(name != judged for row, name in names.items() if row in codes):
        of = "this row" if len(blank) == 1 else "these rows"
        raise _error(
            f"{column} names the model that a label judges, and is empty in {named_rows(blank)}. A blank cell takes no "
            f"name from the cell above it, also if cells are merged: write the name in {of}.",
            dict.fromkeys(blank, ""),
            said.title,
        )


def _check_one(said: ModelColumn, rows: Collection[int]) -> None:
    """Check that a column names one model, if no target is known that it could be."""
    names = {row: name for row, name in said.names.items() if row in rows}
    if len({_key(name) for name in names.values()}) > 1:
        raise _error(
            f"The column {shown(said.title, 30)} names {_by_name(names)}. Keep the rows of one of them, or say whose "
            "labels count: target=…, --target ….",
            names,
            said.title,
        )


def _column(columns: Sequence[ModelColumn], targets: Collection[str], labelled: Collection[int]) -> ModelColumn | None:
    """Choose the column that names targets, or whose names are those of models; None if there is none."""
    given = [(one, [name for row, name in one.names.items() if row in labelled]) for one in columns]
    known = (one for one, names in given if any(_target(name, targets) for name in {*names}))
    return next(known, None) or next((one for one, names in given if _are_names(names, one.title)), None)


def _are_names(names: Sequence[str], title: str) -> bool:
    """Whether texts are names, beside the name of their column, and no answers or prompts."""
    different = {*names}
    if not all(map(_may_be_name, different)) or not names:
        return False
    if are_models(different):
        return True
    if not names_a_model(title):
        return len(different) == 1 and len(names) >= _SEVERAL
    return len(different) <= _FEW or 2 * len(different) <= len(names)


def _may_be_name(text: str) -> bool:
    says = spelling(text) in SAYS_RIGHT.keys() | SAYS_NOTHING
    short = 1 < len(text) <= _LONGEST and len(text.split()) <= _MOST_WORDS
    return short and not says and number_in(text) is None and any(map(str.isalpha, text))


def _may_name(title: str) -> bool:
    return plain_key(title) in NAMES["judged"] or (names_a_model(title) and not is_said(title))


def _target(name: str, targets: Iterable[str]) -> str | None:
    """Return the target of a name, or of its code; case, and which signs part words, do not matter."""
    exact = {**{target: target for target in targets}, **codes_of(targets)}
    if name in exact:
        return exact[name]
    alike = [target for target in targets if _key(target) == _key(name)]
    return alike[0] if len(alike) == 1 else None


def _key(name: str) -> str:
    return _GAPS.sub("-", normalize("NFKC", name).strip().casefold())


def _is_criterion(name: str) -> bool:
    return name.startswith(CRITERION)


def _by_name(names: Mapping[int, str]) -> str:
    """Name the models of rows, each with its rows."""
    places = dict[str, list[int]]()
    for row, name in names.items():
        places.setdefault(name, []).append(row)
    said = [f"{shown(name, 40)} ({named_rows(rows)})" for name, rows in list(places.items())[:_NAMED]]
    more = [counted(len(places) - _NAMED, "other")] if len(places) > _NAMED else []
    return listed([*said, *more])


def _error(message: str, rows: Mapping[int, str], title: str) -> LabelError:
    problems = [Problem("It does not say whose answer the label judges.", row, title) for row in rows]
    return LabelError(message, problems[:MOST], len(problems))


def _plain(value: Any) -> Any:
    return unescape(value) if isinstance(value, str) else value
