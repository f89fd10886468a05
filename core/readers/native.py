"""Native pools in whatever kind of file, completed where facts stand under other tools' names."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from string import ascii_uppercase
from typing import Any

import pyarrow as pa

from ..answers import OPEN
from ..files.open import Source
from ..files.sniff import PARQUET, TABLE, WORKBOOK, Beginning
from ..pool.columns import COLUMNS, TARGET_FIELDS, TARGETS, TEXT, TEXTS, Completion, Loose
from ..pool.origin import Origin
from ..pool.pool import Pool
from ..pool.problems import Problems, shown
from ..pool.records import native
from ..words import counted, listed
from . import csv_table, json_records, parquet
from .answer_letters import with_letters, with_words_of_sentences, without_letters
from .benchmarks import read_benchmark, recognised
from .field_map import FieldMap
from .first_rows import LOOKED_AT
from .guess import Guess
from .json_records import kind_of
from .judge_columns import verdict_like
from .matches import Readings, failed_outputs, few_matches, kind_of_item, with_open_answers, without_missing_answers
from .paths import entered
from .text_paths import is_called_question

_NAMED = {"prompt": "the prompt", "answer": "the right answer"}
# Shares of outputs: so few are compared word for word with no use, and so many more are read by another kind.
_FEW, _MORE = 0.1, 0.1
_HARDLY = 0.02
_LITERAL = "as-is"
_KINDS = {"number": "numbers", "choice": "letters of options", "text": "short texts"}


def completed(says_unread: bool, names: bool = True) -> Completion:
    """Return what completes the columns of a native pool.

    Parameters
    ----------
    names : bool
        Whether questions and right answers may have other names. In a pool that Neyman wrote they have none: reading it
        again must give the same items.
    says_unread : bool
        Whether a note names what looks like outputs or scores and is not read.
    """

    def complete(loose: Loose, problems: Problems) -> Loose:
        # A kind that the file names is its author's.
        named = with_names(loose, says_unread, problems) if names and loose.extras else loose
        named = without_missing_answers(named, problems) if names else named
        kinds = with_answer_kinds(named, problems) if "answer_kind" not in loose.columns else named
        problems.note(few_matches(kinds))
        problems.note(failed_outputs(kinds))
        return kinds

    return complete


def with_names(loose: Loose, says_unread: bool, problems: Problems) -> Loose:
    """Take questions and right answers that have other tools' names, and name what else looks like outputs or scores.

    Parameters
    ----------
    loose : Loose
        The columns of a native pool.
    says_unread : bool
        As for `completed`.
    problems : Problems
        Where notes are added.

    Returns
    -------
    Loose
        With these columns under their native names.
    """
    first = {name: column.slice(0, LOOKED_AT).to_pylist() for name, column in {**loose.columns, **loose.extras}.items()}
    # Lists are kept as JSON.
    first |= {name: [_list_in(one) for one in first[name]] for name in loose.extras}
    guess = Guess({name: values for name, values in first.items() if any(one is not None for one in values)})
    fields = guess.field_map("")
    columns, extras, taken = dict(loose.columns), dict(loose.extras), dict[str, str]()
    for name, called in _NAMED.items():
        paths = fields.parts(name) if name not in columns else ()
        if len(paths) == 1 and paths[0] in extras and (name != "prompt" or is_called_question(paths[0])):
            values = extras.pop(paths[0]).to_pylist()
            rows = [loose.row(place) for place in range(len(values))]
            columns[name] = pa.chunked_array([native(name, values, COLUMNS[name], rows, problems, paths[0])], TEXT)
            taken[name] = f"{shown(paths[0])} is read as {called}"
    if "answer" in columns and "choices" in fields.fields and "choices" not in loose.columns:
        options = FieldMap({name: fields.fields[name] for name in ("prompt", "choices") if name in fields.fields})
        outer = [
            name
            for name in first
            if any(path == name or path.startswith((f"{name}.", f"{name}[")) for path in options.parts("choices"))
        ]
        given = {name: [*map(_list_in, {**loose.columns, **loose.extras}[name].to_pylist())] for name in outer}
        extras = {name: column for name, column in extras.items() if name not in outer}
        rows = [loose.row(place) for place in range(loose.size)]
        texts = [
            options.record({name: values[place] for name, values in given.items()}, row, problems)["choices"]
            for place, row in enumerate(rows)
        ]
        columns["choices"] = pa.chunked_array([native("choices", texts, TEXTS, rows, problems, outer[0])], TEXTS)
        taken["choices"] = f"{listed([*map(shown, outer)])} {'is' if len(outer) == 1 else 'are'} read as the options"
    if taken:
        problems.note(f"{listed([*taken.values()])}, which a pool calls {listed([f'“{name}”' for name in taken])}.")
    targets = [path for paths in fields.targets.values() for path in paths.values()]
    doubted = [one.path for doubt in guess.doubts for one in doubt.candidates]
    seen = dict.fromkeys([*targets, *doubted, *sorted(verdict_like(guess.rows, fields.paths()))])
    unread = [name for name in seen if name in extras and name not in fields.judging]
    if unread and says_unread:
        problems.note(
            f"{listed(list(map(shown, unread[:8])))} {'looks' if len(unread) == 1 else 'look'} like outputs or scores, "
            "but a pool calls them by other names, so they are kept and not read. Say what they are: “Change the "
            "fields” on page Pool, or neyman pool map FILE --target MODEL:text=COLUMN."
        )
    return Loose(columns, loose.targets, extras, loose.rows)


def with_answer_kinds(loose: Loose, problems: Problems) -> Loose:
    """Choose the kind of each right answer if outputs hold more than the answers, so that word for word few agree.

    Parameters
    ----------
    loose : Loose
        The columns of a native pool without kinds.
    problems : Problems
        Where a note is added if kinds are chosen.

    Returns
    -------
    Loose
        With the column ``answer_kind``, or as before.
    """
    if "answer" not in loose.columns:
        return loose
    plain = without_letters(loose)
    read, literal = Readings.of(plain, kind_of_item(plain)), Readings.of(plain, lambda place: _LITERAL)
    is_raw = read.within > _MORE * read.size or read.right - literal.right > _HARDLY * read.size
    if not is_raw and literal.known >= max(1, _FEW * literal.size):
        return loose
    pairs = zip(plain.columns["answer"].to_pylist(), _options(plain), strict=True)
    kinds = [None if answer is None else kind_of(answer, some) for answer, some in pairs]
    column = pa.chunked_array([pa.array(kinds, TEXT)], TEXT)
    guessed = Loose({**plain.columns, "answer_kind": column}, loose.targets, loose.extras, loose.rows)
    of_trial = Problems()
    lettered = with_letters(guessed, FieldMap({}), of_trial)
    worded = with_words_of_sentences(lettered, of_trial)
    chosen = with_open_answers(worded, of_trial)
    is_said = worded is not lettered or lettered.columns["answer"] is not guessed.columns["answer"]
    if not (is_raw or is_said) and OPEN not in chosen.columns["answer_kind"].unique().to_pylist():
        # Answers that a parser found are other ones, or are written otherwise.
        return loose
    for note in of_trial.notes:
        problems.note(note)
    if is_raw:
        counts = Counter(chosen.columns["answer_kind"].to_pylist())
        named = [f"{counted(counts[kind], 'item')} as {plural}" for kind, plural in _KINDS.items() if counts[kind]]
        problems.note(
            f"Outputs say more than the right answers or write them otherwise, so they are not compared word for word: "
            f"{listed(named)}. To read them in another way, add the key “answer_kind” or choose it on page Pool."
        )
    return chosen


def _list_in(value: Any) -> Any:
    """Return the list in a text of JSON, also of options by their letters; any other value as it is."""
    inside = entered(value)
    if isinstance(inside, dict) and len(inside) > 1 and [*inside] == [*ascii_uppercase[: len(inside)]]:
        inside = [*inside.values()]
    return inside if isinstance(inside, list) else value


def _options(loose: Loose) -> list[list[str] | None]:
    column = loose.columns.get("choices")
    return [None] * loose.size if column is None else column.to_pylist()


_OF_A_POOL = re.compile(rf"{TARGETS}|generations(:.+)?|generation_\d+|.+:({'|'.join(TARGET_FIELDS)})")


def of_pool(source: Source, beginning: Beginning) -> Pool:
    """Read a native pool file, or a benchmark as its authors publish it."""
    benchmark = recognised(beginning)
    if benchmark is not None:
        return read_benchmark(benchmark, [source])
    readers = {PARQUET: parquet.read, TABLE: csv_table.read, WORKBOOK: csv_table.read}
    written = beginning.container == PARQUET and parquet.is_written_pool(source)
    complete = completed(is_pool(beginning), names=not written)
    pool = readers.get(beginning.container, json_records.read)(source, complete)
    return replace(pool, origin=Origin("a Neyman pool"))


def is_pool(beginning: Beginning) -> bool:
    """Whether a file is a benchmark, or has ids and, under native names, generations or outcomes of targets."""
    native = "id" in beginning.keys and any(_OF_A_POOL.fullmatch(key) for key in beginning.keys)
    return native or recognised(beginning) is not None
