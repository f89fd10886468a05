"""Filled lists, from a CSV file or a workbook: a header, and one row a label."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import time, timedelta
from itertools import zip_longest
from typing import Any

import pandas as pd

from ...answers.languages import NO, YES
from ...errors import LabelError
from ...files.foreign_names import RIGHT, SCORE, VERDICT, names, plain_key
from ...files.sheets import DateText, Formula, Merged, Percent, Struck, column_letters
from ...pool.problems import shown
from ...readers.field_names import NAMES, WORDS, is_fault, words_of
from ...readers.model_names import is_model
from ...words import counted, listed
from ...words.verdict_words import CERTAIN, PAIRS, SAYS_NO_VALUE, SAYS_NOTHING, SAYS_RIGHT, number_in, spelling
from ..kinds import KINDS, RIGHT_WRONG, canonical
from ..model_pair import SHOWN, both
from ..models import model_columns
from ..proposals import ONLY_VERDICTS, is_word
from ..rows import label_text, text_of
from ..targets import ANSWERS_OF, LABEL_OF, codes_of, columns_of_criteria
from .escaping import item_id, unescape
from .label_file import EXPECTED, LabelFile, called, from_columns
from .records import REJECTED, status_note, status_of

_COLUMNS = ("item_id", "id", "label", "annotator", "plan_id", "note", "answers_of", "kind", "status")
# Of these, a cell without its value may change a label; an id of another name is `item_id` by then.
_READ = frozenset(_COLUMNS) - {"id", "note"}
# What a table of results that somebody wrote calls the id and the label, if it has neither name.
_IDS = frozenset(
    {"item", "task", "task_id", "taskid", "case", "case_id", "question_id", "qid", "example_id", "sample_id", "ticket"}
)
_LABELS = frozenset({"result", "verdict", "outcome", "grade", "passed", "pass", "success", "correct", "is_correct"}) | {
    *("right", "is_right", "correctness", "judgement", "judgment", "assessment", "evaluation", "annotation"),
    *names(VERDICT),
    *names(RIGHT),
}
_SCORES = frozenset({"score", "scores", "rating", "ratings", *names(SCORE)})
# What somebody calls who labelled, if there is no column annotator; the last ones only where items repeat.
_PEOPLE = frozenset(
    f"{who}{more}" for who in ("annotator", "rater", "labeler", "labeller", "coder") for more in ("", " id", " name")
) | {"annotated by", "rated by", "labeled by", "labelled by", "graded by", "reviewed by"}
_PERHAPS_PEOPLE = frozenset(
    f"{who}{more}"
    for who in ("user", "person", "reviewer", "grader", "expert", "evaluator", "worker", "assessor", "username")
    for more in ("", " id", " name")
) | {"email", "initials", "who", "by"}
# What else a list holds that Neyman writes; none of it are labels.
_FIRST_COLUMNS = ("position", "group", "prompt", "choices", "image", "target_answer")
ITEM_COLUMNS = (*_FIRST_COLUMNS, *SHOWN, "stratum", "semantic_entropy")
_OTHERS = frozenset((*ITEM_COLUMNS, "target", "source", "created", *_COLUMNS))
# Names of labels and of scores without case and signs.
_SCORE_KEYS = frozenset(map(plain_key, _SCORES)) - _OTHERS
_LABEL_KEYS = (frozenset(map(plain_key, (*_LABELS, "labels"))) - _OTHERS) | _SCORE_KEYS
# What people write behind the name of a column.
_SIGNS = " :?!*."
_ERRORS = ("#NULL!", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#N/A")
_LISTED = 5
# The names of the columns are looked for in so many rows.
_TITLES = 20
# What programs make of the column of a criterion.
_LED = re.compile(r"label[\W_]+(\S.*)")
# Columns of labels that count instead, for whoever wrote them.
_INSTEAD = frozenset({"final", "corrected", "correction", "adjudicated", "consensus", "revised"})
_INSTEAD |= {f"{name} answer" for name in _INSTEAD}
# Words of a verdict that mean the same whatever their column is called.
_JUDGES = frozenset(re.split("[ /]", PAIRS["English"]))
# Columns whose marks leave a label out for whoever made them, and what says so in a column of comments.
_LEAVING_OUT = frozenset(
    f"{word}{more}" for word in ("exclude", "skip", "ignore", "omit", "discard", "remove") for more in ("", "d", "ed")
) | {"skipped", "omitted", "drop", "dropped", "cannot judge", "can't judge", "cannot decide", "unusable"}
_COMMENTS = frozenset({"comment", "comments", "note", "notes", "remark", "remarks"})
# Verdicts in words of their own are so many at most.
_FEW_WORDS = 6
# Another person says the same of so many items at least, and so much more often than by chance (Cohen’s kappa).
_ALIKE, _BEYOND_CHANCE = 3, 0.4
# What nobody but a model gives; “final” may be a person’s.
_OUTPUTS = frozenset(NAMES["output"]) - {"final", "finalanswer"}
# Of fewer labels in the rows that have none, nothing follows.
_SEVERAL = 2
# A column of more different values holds no labels, unless it is called so.
_MOST_WORDS = 50
_SAVE = "Save the workbook in a spreadsheet program, or write the value."
_STRUCK = "Such labels count as taken back. Remove the line through the cells of labels that stand."
_AGAIN = "If that is wrong, format the cell as text and type the answer again."
# What a spreadsheet may make of a label: one, several, and what to do.
_CHANGES = {
    "date": ("a date", "dates", f"A spreadsheet makes a date of an answer such as 1/2. {_AGAIN}"),
    "time": ("a time", "times", f"A spreadsheet makes a time of an answer such as 3:4. {_AGAIN}"),
    "percent": ("in per cent", "in per cent", "They are read as the cells show them: {}."),
    "error": (
        "an error",
        "errors",
        "#N/A has no verdict, other errors are not understood. Write the labels instead.",
    ),
}
# The same of merged cells, by what they hold.
_MERGED = {
    "label": "A merged cell labels only its first item. Unmerge the cells and label each row.",
    "item id": "A merged cell names only the item of its first row. Unmerge the cells and write each id.",
    "annotator": "A merged cell names only who labelled its first row. Unmerge the cells and write each name.",
}


def read_list(
    table: Sequence[Sequence[Any]],
    source: str,
    name: str | None,
    first: int = 1,
    beside: Collection[str] = (),
) -> LabelFile:
    """Read a filled list.

    Parameters
    ----------
    table : sequence of rows
        The header, with item_id (or id), label and perhaps others of the columns below; then one row a label. Cells are
        those of `core.files.sheets`, or text.
    source : str
        "csv" or "xlsx".
    name : str or None
        Name of the file, for messages.
    first : int, default 1
        Row of the header in the file.
    beside : collection of str
        Columns of all criteria, if ``label`` stands for that of one of them.

    Raises
    ------
    LabelError
        If a column is missing or stands there twice, a row is longer than the header, or there are no rows.
    """
    header = [column_name(cell) for cell in (table[0] if table else [])]
    criteria = columns_of_criteria(table[0] if table else [])
    if criteria:
        at = header.index("label") if "label" in header else None
        if at is not None and any(label_text(_cell(cells, at)) is not None for cells in table[1:]):
            raise LabelError(beside_criteria(list(criteria), name))
        if at is not None:
            table = [[cell for place, cell in enumerate(cells) if place != at] for cells in table]
        return _of_criteria(table, criteria, source, name, first)
    named, kind, remark = _alike(table, header)
    # The first of several with one name.
    place = {column: number for number, column in reversed(list(enumerate(header)))} | named
    item = place.get("item_id", place.get("id"))
    if item is None or "label" not in place:
        missing = " and ".join(f"`{c}`" for c, p in (("item_id", item), ("label", place.get("label"))) if p is None)
        listed = ", ".join(shown(column, 30) for column in header[:8] if column)
        by_column = dict(zip(_titles(header), zip_longest(*table[1:]), strict=False)) if "label" not in place else {}
        hint = _header_below(table, first) or by_person(by_column)
        said = f"{called(name)} has no column {missing}. It has {listed or 'no columns'}."
        raise LabelError(f"{said} {hint or EXPECTED}")
    check_names(header, _COLUMNS, name)
    width, least = len(header), max(item, place["label"]) + 1
    read_from = {column: at for column, at in {**place, "item_id": item}.items() if column in _READ}
    # Beside the list, a sheet may have a legend.
    filled = [at for at in range(max(map(len, table))) if at >= width or header[at]]
    numbers: list[int] = []
    rows: list[Sequence[Any]] = []
    broken: list[tuple[int, str]] = []
    for number, cells in enumerate(table[1:], start=first + 1):
        if not (len(cells) > item and cells[item]) and not any(_holds(cells, at) for at in filled):
            continue
        formula = next((column for column, at in read_from.items() if type(_cell(cells, at)) is Formula), None)
        if formula is not None:
            said = shown(cells[read_from[formula]], 40)
            broken.append((number, f"`{formula}` is a formula without a value ({said}). {_SAVE}"))
        elif least <= len(cells) <= width:
            numbers.append(number)
            rows.append(cells)
        else:
            broken.append((number, cells_problem(len(cells), width)))
    columns = [values[1:] for values in zip_longest(header, *rows)]

    def column(place: int | None, read: Callable[[Any], str | None]) -> list[str | None]:
        return [None] * len(rows) if place is None else _each(columns[place], read)

    def text(value: Any) -> str | None:
        return text_of(_unescaped(value)) or None

    struck = [any(type(_cell(cells, at)) is Struck for at in (item, place["label"])) for cells in rows]
    labels = column(place["label"], lambda value: label_text(_unescaped(value)))
    labels = [None if gone else label for gone, label in zip(struck, labels, strict=True)]
    statuses = column(place.get("status"), text)
    statuses = [REJECTED if gone else status for gone, status in zip(struck, statuses, strict=True)]
    notes: tuple[str, ...] = ()
    if source == "xlsx":
        places = {"item id": item, "label": place["label"], "annotator": place.get("annotator")}
        cells_of = {what: columns[at] for what, at in places.items() if at is not None}
        notes = _notes(numbers, cells_of.pop("label")) + _merged_notes(numbers, cells_of)
        if any(struck):
            gone = [number for number, is_struck in zip(numbers, struck, strict=True) if is_struck]
            notes += (_note("struck through", "struck through", _STRUCK, gone, "row"),)
    taken = {header[at] for at in named.values()}
    others = {one: values for one, values in zip(_titles(header), columns, strict=True) if one not in taken}
    notes = (*notes, *of_columns(others, labels, beside))
    notes = (*notes, *filter(None, [status_note(statuses, labels), remark]))
    texts: dict[str, Sequence[Any]] = {
        "row": numbers,
        "item_id": column(item, lambda value: item_id(_unescaped(text_of(value) or ""))),
        "label": labels,
        "annotator": [person or "" for person in column(place.get("annotator"), text)],
        "plan_id": column(place.get("plan_id"), text),
        "note": column(place.get("note"), text),
        "status": [status_of(s, label is not None) for label, s in zip(labels, statuses, strict=True)],
        "answers_of": column(place.get("answers_of"), text),
        "kind": column(place.get("kind"), lambda value: kind_of(text(value)))
        if "kind" in place
        else [kind] * len(rows),
    }
    read = from_columns(texts if rows else {}, broken, source, name, notes)
    read = replace(read, models=model_columns(others, numbers))
    answers, *shown_there = (column(place.get(name), text) for name in ("target_answer", "prompt", "choices"))
    if {*SHOWN} <= place.keys():
        pairs = zip(*(column(place[name], text) for name in SHOWN), strict=True)
        answers = [both(first or "", second or "") for first, second in pairs]
    return read.beside(answers, *shown_there)


def _titles(header: Sequence[str]) -> list[str]:
    """Return the names of columns, and the letters of those that have none."""
    return [one or f"{column_letters(at)} (no heading)" for at, one in enumerate(header, 1)]


def _header_below(table: Sequence[Sequence[Any]], first: int) -> str:
    """Say which row below a title names the columns; "" if none does."""
    for number, cells in enumerate(table[1:_TITLES], start=first + 1):
        there = {column_name(cell) for cell in cells}
        has_labels = "label" in there or any(map(_means_label, there)) or columns_of_criteria(cells)
        if not there.isdisjoint({"item_id", "id"}) and has_labels:
            return f"Row {number:,} names the columns, which the first row has to do: remove the rows above it."
    return ""


def renamed(records: Mapping[int, Mapping[str, Any]], name: str | None) -> tuple[dict[int, dict[str, Any]], str]:
    """Return records with the keys that a list has where theirs mean the same, as in a table; and a remark on these.

    Raises
    ------
    LabelError
        If two keys are the same but for case and white space around.
    """
    keys = list(dict.fromkeys(key for record in records.values() for key in record))
    header = [column_name(key) for key in keys]
    check_names(header, _COLUMNS, name)
    # What is nested is no cell.
    flat = [
        place for place, key in enumerate(keys) if not any(isinstance(one.get(key), dict) for one in records.values())
    ]
    table = [[record.get(keys[place]) for place in flat] for record in records.values()]
    named, of_kind, remark = _alike([[], *table], [header[place] for place in flat])
    ours = {key: known if known in _COLUMNS else key for key, known in zip(keys, header, strict=True)}
    ours |= {keys[flat[place]]: known for known, place in named.items()}
    kind = {"kind": of_kind} if of_kind and "kind" not in header else {}
    read = {row: {**{ours[key]: one for key, one in record.items()}, **kind} for row, record in records.items()}
    return read, remark


def _alike(table: Sequence[Sequence[Any]], header: Sequence[str]) -> tuple[dict[str, int], str | None, str]:
    """Find the only column that is called like an id or a label in place of one that is missing, and say so.

    A label has to say how an answer was, in a few words, or be a score, and no other column may hold labels. Beside it,
    a first column of which no two values are the same is the id. Also returns the kind of labels that are verdicts by
    the name of their column.
    """
    found, said, kind = dict[str, int](), list[str](), None
    rows = [row for row in table[1:] if len(row) == len(header)]
    named = [place for place, column in enumerate(header) if _means_label(column)]
    if len(named) == 1 and "label" not in header:
        key, given = plain_key(header[named[0]]), [label_text(row[named[0]]) for row in rows]
        are_free = key == "labels" or (
            key in _SCORE_KEYS and all(one is None or number_in(one) is not None for one in given)
        )
        columns = {column: [row[place] for row in rows] for place, column in enumerate(header) if place != named[0]}
        # Such a word among its own cells is no heading.
        is_heading = spelling(header[named[0]]) not in {spelling(one) for one in given if one is not None}
        if is_heading and (are_free or _say_how(given)) and not other_columns(columns, given):
            found["label"] = named[0]
            said.append(f"{shown(header[named[0]], 30)} is read as the label")
            kind = None if are_free else RIGHT_WRONG.name
    named = [place for place, column in enumerate(header) if column in _IDS]
    if not named and found and 0 not in found.values() and _all_differ(rows):
        named = [0]
    if len(named) == 1 and {"item_id", "id"}.isdisjoint(header):
        found["item_id"] = named[0]
        said.append(f"{shown(header[named[0]], 30)} is read as the item’s id")
    if (person := _people(rows, header, found.get("item_id"))) is not None:
        found["annotator"] = person
        said.append(f"{shown(header[person], 30)} is read as the annotator")
    return found, kind, f"Column {listed(said)}." if said else ""


def column_name(cell: object) -> str:
    """Return the name of a column in lower case; one of a list without a sign behind it: “Label:”."""
    name = str(cell or "").strip().lower()
    bare = name.strip(_SIGNS)
    return bare if bare in _COLUMNS else name


def _means_label(column: str) -> bool:
    """Whether a column is called like labels, but not `label`."""
    return column not in _OTHERS and plain_key(column) in _LABEL_KEYS


def _people(rows: Sequence[Sequence[Any]], header: Sequence[str], item: int | None) -> int | None:
    """Find the only column that is called like the people who label, if none is called annotator."""
    names = [column.replace("_", " ").replace("-", " ") for column in header]
    if "annotator" in header:
        return None
    ids = item if item is not None else next((header.index(one) for one in ("item_id", "id") if one in header), None)
    repeated = ids is not None and len({label_text(row[ids]) for row in rows}) < len(rows)
    for known in (_PEOPLE, _PERHAPS_PEOPLE) if repeated else (_PEOPLE,):
        places = [place for place, column in enumerate(names) if column in known and place != ids]
        if len(places) == 1:
            return places[0]
    return None


def _say_how(labels: Iterable[str | None]) -> bool:
    """Whether these are verdicts: words that say right or wrong, or a few others; 0 and 1; no answers."""
    words = {spelling(text) for text in labels if text is not None} - {"0", "1"}
    return len(words) <= _FEW_WORDS and all(len(word) > 1 for word in words)


def _all_differ(rows: Iterable[Sequence[Any]]) -> bool:
    first = [label_text(row[0]) for row in rows if len(row)]
    return bool(first) and None not in first and len({*first}) == len(first)


def _of_criteria(
    table: Sequence[Sequence[Any]], criteria: Mapping[str, str], source: str, name: str | None, first: int
) -> LabelFile:
    """Read a list with a column of labels for each criterion, as if it were a list of each."""
    titles = [str(cell or "").strip() for cell in table[0]]
    files = []
    for column, code in criteria.items():
        # What is said on other criteria is none of this one's labels.
        own = ["label" if title == column else ITEM_COLUMNS[0] if title in criteria else title for title in titles]
        one = read_list([own, *table[1:]], source, name, first, criteria)
        shown_rows = tuple(row._replace(answers_of=code) for row in one.shown)
        files.append(replace(one, rows=one.rows.assign(**{ANSWERS_OF: code}), shown=shown_rows))
    rows = pd.concat([one.rows for one in files], ignore_index=True)
    notes = tuple(dict.fromkeys(note for one in files for note in one.notes))
    shown_rows = tuple(row for one in files for row in one.shown)
    return LabelFile(rows, source, notes, shown=shown_rows, criteria=tuple(criteria), models=files[0].models)


def of_no_criterion(file: LabelFile, targets: Iterable[str]) -> str:
    """Say how labels are given that stand in columns of criteria, if none of these is a target; "" otherwise."""
    criteria, rows = columns_of_criteria(file.criteria), file.rows
    if not criteria or not codes_of(targets).keys().isdisjoint(criteria.values()):
        return ""
    columns = {title: rows.loc[rows[ANSWERS_OF] == code, "label"].tolist() for title, code in criteria.items()}
    there = listed([shown(title, 40) for title in columns][:_LISTED])
    of = "is called like the column" if len(columns) == 1 else "are called like the columns"
    return f"{there} {of} of a criterion, and this list has no such criterion. {by_person(columns, asked=False)}"


def beside_criteria(titles: Sequence[str], name: str | None) -> str:
    """Say that a list has labels of criteria, and others of none."""
    columns = listed([shown(title, 40) for title in titles[:_LISTED]])
    return (
        f"{called(name)} has labels in {columns}, and in “label”, which would count for every criterion. Keep the "
        "columns of the criteria, or “label” alone."
    )


def kind_of(text: str | None) -> str | None:
    """Return the kind of label in a cell, None for anything else: a column of that name may be about the items."""
    return text if text in KINDS else None


def cells_problem(cells: int, names: int) -> str:
    """Return what is wrong with a row that does not fit the header."""
    return f"{counted(cells, 'cell')} under {counted(names, 'column name')}."


def check_names(header: Sequence[str], columns: Iterable[str], name: str | None) -> None:
    """Check that the columns to be read stand in the header only once.

    Raises
    ------
    LabelError
        If a column stands there several times, so that one of them would be overlooked.
    """
    twice = [column for column in dict.fromkeys(columns) if column and header.count(column) > 1]
    if twice:
        listed = " and ".join(shown(column, 30) for column in twice[:_LISTED])
        raise LabelError(f"{called(name)} has several columns {listed}: keep one of each.")


def _notes(numbers: Sequence[int], cells: Sequence[Any]) -> tuple[str, ...]:
    """Return a note for each change that a spreadsheet made to labels, with their row numbers."""
    rows: dict[str, list[int]] = {}
    for number, cell in zip(numbers, cells, strict=True):
        change = _change(cell)
        if change is not None:
            rows.setdefault(change, []).append(number)
    shares = [cell for cell in cells if type(cell) is Percent]
    example = f"{shares[0].shown}, not {float(shares[0]):.15g}" if shares else ""
    notes = [
        _note(one, many, remedy.format(example), rows[change])
        for change, (one, many, remedy) in _CHANGES.items()
        if change in rows
    ]
    return (*notes, *_merged_notes(numbers, {"label": cells}))


def _merged_notes(numbers: Sequence[int], columns: Mapping[str, Sequence[Any]]) -> tuple[str, ...]:
    """Return a note for each column in which cells are merged with another, by what the column holds."""
    notes = []
    for what, cells in columns.items():
        rows = [number for number, cell in zip(numbers, cells, strict=True) if type(cell) is Merged]
        if rows:
            notes.append(_note("merged with another", "merged with another", _MERGED[what], rows, what))
    return tuple(notes)


def other_columns(
    columns: Mapping[str, Sequence[Any]], labels: Iterable[str | None], criteria: Collection[str] = ()
) -> tuple[str, ...]:
    """Return a note on further columns of labels, of which nothing is read: by their name, or by what they hold.

    Parameters
    ----------
    columns : mapping
        The columns of a file by name, in lower case.
    labels : iterable of str or None
        The labels that are read.
    criteria : collection of str
        The columns that are read, if they are those of criteria.
    """
    labels = list(labels)
    read = {spelling(label) for label in labels if label is not None}
    found = dict[str, str]()
    for name, values in columns.items():
        few = len({value for value in values if isinstance(value, str | int | float)}) <= _MOST_WORDS
        title = spelling(name.replace("_", " "))
        is_named = "label" in name or title in _INSTEAD
        if name in _OTHERS or title in _LEAVING_OUT:
            continue
        given = [text for text in map(label_text, values) if text is not None]
        fits = is_named or (few and (_completes(labels, values) or _are_labels(set(map(spelling, given)), read)))
        fits = fits or _are_of_another(labels, values, name)
        if given and fits:
            found[name] = f"{shown(name, 30)} ({counted(len(given), 'label')})"
    if not found:
        return ()
    which, are = ("Column", "is") if len(found) == 1 else ("Columns", "are")
    said = f"{which} {listed(list(found.values()))} {are} not read, only"
    if criteria:
        return (f"{said} {listed([shown(title, 40) for title in criteria])}. {_for_criteria(found)}",)
    return (
        f"{said} “label”. Give each person’s labels in a separate file, or in separate rows with the column annotator.",
    )


def of_columns(
    columns: Mapping[str, Sequence[Any]], labels: Iterable[str | None], beside: Collection[str] = ()
) -> tuple[str, ...]:
    """Return notes on columns that hold labels which are not read, or that say something else of those that are.

    Parameters
    ----------
    columns, labels
        As of `left_out`.
    beside : collection of str
        As of `other_columns`.
    """
    labels = list(labels)
    notes = (
        left_out(columns, labels),
        of_runs(columns, labels),
        of_criteria(columns, labels),
        of_faults(columns, labels),
    )
    return (*other_columns(columns, labels, beside), *(note for some in notes for note in some))


def of_runs(columns: Mapping[str, Sequence[Any]], labels: Iterable[str | None]) -> tuple[str, ...]:
    """Return a note on labels of a second or later run, which are read as labels of the first; as `left_out`."""
    labels, values = list(labels), columns.get("run", ())
    if len(values) != len(labels):
        return ()
    runs = [label_text(value) for value, label in zip(values, labels, strict=True) if label is not None]
    later = sum(run is not None and run.isdecimal() and int(run) > 1 for run in runs)
    if not later:
        return ()
    return (
        f"By the column `run`, {counted(later, 'label')} may be about a later run of the target. Labels count for "
        "the first run alone, and this column is not read: if it numbers runs, keep the rows of the first one only.",
    )


def left_out(columns: Mapping[str, Sequence[Any]], labels: Iterable[str | None]) -> tuple[str, ...]:
    """Return a note on labels beside a mark that may leave them out, of which nothing is read: by its column or word.

    Parameters
    ----------
    columns : mapping
        The columns of a file by name, in lower case.
    labels : iterable of str or None
        The labels that are read, by row.
    """
    labels, notes = list(labels), list[str]()
    for name, values in columns.items():
        title = spelling(name.replace("_", " "))
        if title not in _LEAVING_OUT | _COMMENTS or len(values) != len(labels):
            continue
        beside = [label_text(value) for value, label in zip(values, labels, strict=True) if label is not None]
        marks = [text for text in beside if text is not None and _leaves_out(text, title)]
        if marks:
            texts = listed([shown(text, 30) for text in list(dict.fromkeys(marks))[:_LISTED]])
            many = "1 label stands" if len(marks) == 1 else f"{len(marks):,} labels stand"
            counts = "it counts" if len(marks) == 1 else "they count"
            notes.append(
                f"{many} beside {texts} in the column {shown(name, 30)}, which leaves none out: {counts}. To leave a "
                "label out, empty it, or write rejected in a column status."
            )
    return tuple(notes)


def of_criteria(columns: Mapping[str, Sequence[Any]], labels: Iterable[str | None]) -> tuple[str, ...]:
    """Return a note on a column that names several criteria of the labels that are read, which count as one question.

    Parameters
    ----------
    columns : mapping
        The columns of a file by name.
    labels : iterable of str or None
        The labels that are read, by row.
    """
    labels, notes = list(labels), list[str]()
    for name, values in columns.items():
        words = set(words_of(name)[-1])
        if words.isdisjoint(WORDS["metrics"]) or not words <= WORDS["of-metrics"] or len(values) != len(labels):
            continue
        beside = [label_text(value) for value, label in zip(values, labels, strict=True) if label is not None]
        said = list(dict.fromkeys(text for text in beside if text is not None))
        if 1 < len(said) <= _MOST_WORDS:
            texts = listed([shown(text, 30) for text in said[:_LISTED]]) + ", …" * (len(said) > _LISTED)
            notes.append(
                f"The column {shown(name, 30)} has {counted(len(said), 'value')} ({texts}), and all labels count as "
                f"answers to one question. If the values are criteria, keep the rows of one of them, or give each "
                f"criterion its own column: {LABEL_OF}{said[0]}."
            )
    return tuple(notes)


def of_faults(columns: Mapping[str, Sequence[Any]], labels: Iterable[str | None]) -> tuple[str, ...]:
    """Return a note on a column of faults that is filled where labels say right, and empty where they say wrong.

    Parameters
    ----------
    columns, labels
        As of `left_out`.
    """
    labels, notes, (right, wrong) = list(labels), list[str](), RIGHT_WRONG.verdicts
    says = [None if label is None else canonical(label, RIGHT_WRONG.name) for label in labels]
    for name, values in columns.items():
        if not is_fault(name) or len(values) != len(labels):
            continue
        faulty = Counter(one for one, value in zip(says, values, strict=True) if _names_fault(label_text(value)))
        sound = Counter(says) - faulty
        # Where no label says wrong, the column may say it.
        if faulty[right] >= _ALIKE <= (sound[wrong] if wrong in says else sound[right]) and not faulty[wrong]:
            notes.append(
                f"The column {shown(name, 30)} names a fault in {counted(faulty[right], 'row')} labelled right, and in "
                "no row labelled wrong. Only the labels count. If the labels mean the opposite, or the column says "
                "what is wrong, write right and wrong instead."
            )
    return tuple(notes)


def _leaves_out(text: str, title: str) -> bool:
    """Whether a mark in a column of this name may leave a label out."""
    word = spelling(text)
    if title in _COMMENTS:
        return word in _LEAVING_OUT
    return word not in SAYS_NO_VALUE and CERTAIN.get(word, SAYS_RIGHT.get(word)) is not False and number_in(text) != 0


def by_person(columns: Mapping[str, Sequence[Any]], asked: bool = True) -> str:
    """Say how labels are given that stand in a column of another name, or in one for each person or criterion.

    Returns "" if no column may hold labels. Of criteria nothing is said if a list was not ``asked`` for by any.
    """
    found = []
    for name, values in columns.items():
        said = {spelling(text) for text in map(label_text, values) if text is not None}
        if name not in _OTHERS and said and len(said) <= _FEW_WORDS and all(map(_says_something, said)):
            found.append(name)
    led = [name for name in found if asked and _LED.fullmatch(name)]
    criteria = _for_criteria(led) if led else ""
    if len(found) < 2:
        called_so = [name for name in columns if name not in _OTHERS and ("label" in name or _means_label(name))]
        called_so = called_so or (found if {"item_id", "id"} & columns.keys() else [])
        if not called_so:
            return ""
        doubtful = [text for name in called_so if (text := _turned(name, columns[name]))]
        which = f"{'one of ' * (len(called_so) > 1)}{listed([shown(name, 30) for name in called_so[:_LISTED]])}"
        rename = [] if doubtful and len(called_so) == 1 else [f"If {which} holds the labels, rename it to label."]
        return " ".join([*rename, *doubtful, *filter(None, [criteria])])
    there = listed([shown(name, 30) for name in found[:_LISTED]])
    people = (
        f"If the columns {there} are labels of several people, write a row for each label, with the columns item_id, "
        "label and annotator; or a file for each person, with the columns item_id and label."
    )
    return " ".join(filter(None, [criteria, people, *(_turned(name, columns[name]) for name in found)]))


def _turned(name: str, values: Iterable[Any]) -> str:
    """Say how labels are written that stand in a column in which yes may mean that an answer is bad; "" for any other.

    It does where the column is called so, and may where its name says nothing: “is wrong”, “flag”.
    """
    said = dict.fromkeys(spelling(text) for text in map(label_text, values) if text is not None)
    is_bad = is_fault(name)
    # Of a column that is called bad, words such as “falsch” may say either; “fail” says what it says anywhere.
    free = ONLY_VERDICTS | _JUDGES | (set[str]() if is_bad else SAYS_RIGHT.keys() - CERTAIN.keys() - YES - NO)
    says = {word: CERTAIN.get(word, SAYS_RIGHT.get(word)) for word in said if word not in free}
    if not {True, False} & set(says.values()) or ("label" in name or _means_label(name)) > is_bad:
        return ""
    yes, no = ([f"“{word}”" for word, right in says.items() if right is way] for way in (True, False))
    wrong = f"where it says {listed(yes)}" if yes else "where it says that an answer is bad"
    right = f"where it says {listed(no)}" if no else "where it does not"
    write = f"write wrong in a column label {wrong}, and right {right}"
    if is_bad and says.keys() <= CERTAIN.keys() | YES | NO:
        return f"If {shown(name, 30)} holds the labels, {write}."
    meaning = f"{listed(yes or no)} says that an answer is {'right' if yes else 'wrong'}"
    return (
        f"If {shown(name, 30)} holds the labels, and {meaning}, rename it to label. If it says the opposite, {write}."
    )


def _for_criteria(names: Collection[str]) -> str:
    """Say how columns are called that hold labels of criteria."""
    titles = [f"{LABEL_OF}{_unbracketed(led[1]) if (led := _LED.fullmatch(name)) else name}" for name in names]
    there, called_so = (listed([shown(one, 40) for one in some][:_LISTED]) for some in (names, titles))
    hold, it = ("holds labels of a criterion", "it") if len(titles) == 1 else ("hold labels of criteria", "them")
    return f"If {there} {hold}, call {it} {called_so}."


def _unbracketed(name: str) -> str:
    """Return a name without a closing bracket that opened before it: “ann)” of “label (ann)”."""
    return name.rstrip(")]} ") if not set("([{") & set(name) else name


def _says_something(word: str) -> bool:
    number = number_in(word)
    return is_word(word) or canonical(word, RIGHT_WRONG.name) is not None or (number is not None and 0 <= number <= 1)


def _completes(labels: Sequence[str | None], values: Sequence[Any]) -> bool:
    """Whether a column holds something in those rows alone that have no label, and in all of them."""
    held = [label_text(value) is not None for value in values]
    given = [label is not None for label in labels]
    apart = len(held) == len(given) and all(one != other for one, other in zip(held, given, strict=True))
    return apart and any(given) and sum(held) >= _SEVERAL


def _are_of_another(labels: Sequence[str | None], values: Sequence[Any], name: str) -> bool:
    """Whether a column says of the same items mostly what the labels say, but not of all, more than by chance.

    Then another person has labelled them, unless the column is called like the answers of a model.
    """
    texts = [label_text(value) for value in values]
    if len(labels) != len(texts) or plain_key(name) in _OUTPUTS or is_model(name):
        return False
    both = [(label, text) for label, text in zip(labels, texts, strict=True) if label is not None and text is not None]
    pairs = [(_content(label), _content(text)) for label, text in both]
    equal = sum(one == other for one, other in pairs)
    if equal < _ALIKE or equal == sum(text is not None for text in texts):
        return False
    counts, others = (Counter(side) for side in zip(*pairs, strict=True))
    chance = sum(count * others[said] for said, count in counts.items()) / len(pairs) ** 2
    return equal / len(pairs) - chance >= _BEYOND_CHANCE * (1 - chance)


def _content(text: str) -> str | float:
    """Return what two cells have in common if they say the same: a number, or a text without case and signs."""
    number = number_in(text)
    return spelling(text) if number is None else number


def _are_labels(said: Collection[str], read: Collection[str]) -> bool:
    """Whether words are labels: they say right or wrong, or are several of those of the labels that are read."""
    return all(map(is_word, said)) or (len(said) > 1 and set(said) <= set(read))


def _note(one: str, many: str, remedy: str, rows: Sequence[int], what: str = "label") -> str:
    listed = ", ".join(f"{row:,}" for row in rows[:_LISTED]) + (", …" if len(rows) > _LISTED else "")
    if len(rows) == 1:
        return f"1 {what} is {one} in this workbook (row {listed}). {remedy}"
    return f"{counted(len(rows), what)} are {many} in this workbook (rows {listed}). {remedy}"


def _change(cell: Any) -> str | None:
    """Return what a spreadsheet made of a label, a key of `_CHANGES`; None if it left it alone."""
    if type(cell) is DateText:
        return "date"
    if type(cell) is Percent:
        return "percent"
    if isinstance(cell, time | timedelta):
        return "time"
    return "error" if cell in _ERRORS else None


def _cell(cells: Sequence[Any], place: int) -> Any:
    return cells[place] if place < len(cells) else None


def _names_fault(text: str | None) -> bool:
    word = "" if text is None else spelling(text)
    return bool(word) and word not in SAYS_NOTHING and word not in NO and CERTAIN.get(word) is not False


def _holds(cells: Sequence[Any], place: int) -> bool:
    return _cell(cells, place) not in (None, "")


def _each(values: Sequence[Any], read: Callable[[Any], str | None]) -> list[str | None]:
    """Return ``read`` of each value, called once for equal texts."""
    known = {value: read(value) for value in set(values) if type(value) is str}
    return [known[value] if type(value) is str else read(value) for value in values]


def _unescaped(value: Any) -> Any:
    if type(value) is DateText:
        return str(value)
    if type(value) is Percent:
        return value.shown
    return unescape(value) if isinstance(value, str) and value.startswith("'") else value
