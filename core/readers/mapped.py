"""Reading a file of another shape by the map of its fields."""

from __future__ import annotations

import json
import re
import shlex
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any
from unicodedata import normalize

import pyarrow.compute as pc

from ..answers import KINDS
from ..errors import PoolError, Problem
from ..files.open import Source
from ..pool.account import WITHOUT_OUTPUT
from ..pool.columns import RUN_LOSSES, TARGETS
from ..pool.pool import Pool
from ..pool.problems import Problems, shown
from ..pool.records import Records
from ..words import counted, listed
from .answer_letters import as_said, may_letter, with_letters, with_words_of_sentences
from .field_map import ROWS, TEXT, FieldMap
from .file_rows import rows_of
from .first_rows import LOOKED_AT
from .item_rows import REVIEWER, RUN, ItemOutputs, OneModel, Output, check_item, known_facts, mean_verdicts, merge_rows
from .joining import LOSSES, MODEL, RUNS, with_column
from .json_records import FileRow, kind_of, text_of
from .matches import (
    AcceptedAnswers,
    FailedRequests,
    emptied,
    failed_outputs,
    few_matches,
    with_open_answers,
    with_right_answers,
    without_missing_answers,
)
from .model_outputs import ModelOutputs
from .model_results import joined
from .own_totals import beside_stated
from .paths import at
from .resolve_ids import CompositeIds
from .runs import FURTHER_RUNS, RunCounts, in_order_of_runs
from .score_direction import Contradictions, ScoreWords, score_statements, verdicts_beside

_MOST_NAMED = 6
# Of more rows that ask the same, questions name no items.
_FEW_RUNS = 1 / 3
_NUMBERS = (
    "Or map the fields (page Pool; neyman pool map FILE): if rows are runs of one item, such as trials, say which "
    f'field numbers the runs (--run PATH; --run "{ROWS}" if none does: the first row of each id counts). If they are '
    "of several models, say which field names the models (--model PATH). If ids are unique only within a subset, name "
    "both as the id (--id SUBSET,ID). If these are different items without ids, "
    "choose “number of the row” for the ids."
)
_CHOOSE = "Say which fields are the question, the answer or the score."


def read_mapped(
    path_or_bytes: str | Path | bytes | Source, fields: FieldMap, name: str | None = None, most: int | None = None
) -> Pool:
    """Read a pool from a file of another shape.

    Rows with the same id are samples of one item if the map has ``generations``: their samples stand in the order of
    the rows, a target's outcome is that of the first row that has one, and a judge's number is the mean. If rows are
    runs (``fields.run``), samples stand in the order of the runs, and a target's outcome and a judge's number are those
    of the first run; how many runs there are is the first note. Of several models (``fields.model``) the roles are
    those that `ModelResults.default_split` proposes.

    Parameters
    ----------
    path_or_bytes : str, Path or bytes
        JSON Lines, a JSON array or an object with one, CSV, TSV or Parquet.
    fields : FieldMap
        Where its fields are.
    name : str, optional
        What the pool is called.
    most : int, optional
        Read no more items than these, of the first 200 rows: a preview, in which each field has a value if it can.

    Returns
    -------
    Pool

    Raises
    ------
    PoolError
        With every problem; a path that leads nowhere in any row is one.
    """
    if fields.is_empty and "id" not in fields.fields:
        raise PoolError([Problem("no field is chosen.", remedy=_CHOOSE)])
    fields.check()
    source = Source.of(path_or_bytes, name)
    if fields.model:
        words = ScoreWords(fields)
        results = joined([mapped_outputs(path_or_bytes, fields, name, most, words)])
        pool = results.usual_pool(source.name)
        committee, targets = (", ".join(some) or "none" for some in (results.default_split().committee, pool.targets))
        roles = f"Instead of a surrogate: {committee}. Targets: {targets}."
        said = filter(None, (*score_statements(fields, pool, results, words), fields.compared))
        notes = (*pool.notes, roles, *said)
        return replace(pool, notes=notes, origin=fields.origin())
    problems = Problems()
    records = Records(problems)
    words = ScoreWords(fields)
    items = _items(source, fields, problems, most, words)
    blank, size, runs = list[int](), 0, RunCounts()
    merged: Iterable[FileRow] = merge_rows(items, fields, problems, runs)
    merged = merged if most is None else list(merged)
    chosen = None if most is None else _previewed(merged, most)
    for row, record in merged:
        size += 1
        if chosen is None or row in chosen:
            records.add(row, _with_kind(record))
        if _text(record.get("prompt")) is None and record.get("image") is None:
            blank.append(row)
    words.report(problems)
    problems.note(runs.remark)
    if "prompt" in fields.fields and 2 * len(blank) < size:
        problems.note(_without_prompt(fields.parts("prompt")[0], blank))
    loose = without_missing_answers(records.loose().composed(), problems)
    loose = with_letters(loose, fields, problems)
    if "answer_kind" not in fields.fields:
        loose = with_open_answers(with_words_of_sentences(loose, problems), problems)
    problems.note(few_matches(loose))
    problems.note(failed_outputs(loose))
    if "id" not in fields.fields and most is None:
        problems.note("No field is named as the id, so items are called by the numbers of their rows.")
    try:
        pool = Pool.from_loose(loose, problems, source.name, fields.origin())
    except PoolError as error:
        raise with_ways_out(error) from None
    more = (*score_statements(fields, pool, words=words), *verdicts_beside(fields, pool), fields.compared)
    # Of samples alone, all runs are read.
    first = filter(None, [runs.sentence if fields.targets else ""])
    pool = replace(pool, notes=(*first, *pool.notes, *filter(None, more)))
    return pool if most is not None else beside_stated(pool, problems.tally.stated, problems.tally.seen)


def _previewed(items: Iterable[FileRow], most: int) -> set[int]:
    """Choose the rows of a preview: for each field the first that has it, and the first of the others."""
    known, telling, others = set[Any](), list[int](), list[int]()
    for row, record in items:
        facts = known_facts(record).keys()
        (others if facts <= known else telling).append(row)
        known |= facts
    return set([*telling, *others][:most])


def with_ways_out(error: PoolError) -> PoolError:
    """Say in what is wrong with ids, which may have been chosen by the first rows alone, how to do without them."""
    problems = [replace(one, remedy=f"{one.remedy} {_NUMBERS}") if one.field == "id" else one for one in error.problems]
    return PoolError(problems, error.total)


def _without_prompt(path: str, rows: Sequence[int]) -> str:
    """Name the rows of items that have no question although most have; "" for none."""
    if not rows:
        return ""
    named = listed([f"{row:,}" for row in rows[:_MOST_NAMED]] + ["others"] * (len(rows) > _MOST_NAMED))
    if len(rows) == 1:
        return f"{shown(path)} is empty in row {named}. Fill it, or people label the item without its question."
    where = f"{len(rows):,} rows ({named})"
    return f"{shown(path)} is empty in {where}. Fill them, or people label these items without their questions."


def mapped_outputs(
    path_or_bytes: str | Path | bytes | Source,
    fields: FieldMap,
    name: str | None = None,
    most: int | None = None,
    words: ScoreWords | None = None,
) -> ModelOutputs:
    """Read the outputs of the models that the rows of a file name; parameters and errors as for `read_mapped`.

    ``words`` looks at each row.
    """
    fields.check()
    source = Source.of(path_or_bytes, name)
    problems = Problems()
    outputs = ItemOutputs(problems.tally)
    judges = [fields.column(path) for path in fields.numeric_judges]
    judged, first = dict[str, list[dict[str, Any]]](), dict[str, FileRow]()
    runs = dict[tuple[str, str], list[int]]()
    has_texts = "generations" in fields.fields or any(TEXT in paths for paths in fields.targets.values())
    silent, answered = list[tuple[int, str, dict[str, Any]]](), set[str]()
    by_prompt = "id" not in fields.fields
    words = words or ScoreWords(fields)
    scores = dict[tuple[str, str, str | None], float | None]()
    rescored = list[int]()
    rows: Iterable[FileRow] = _items(source, fields, problems, most, words)
    if fields.run_name:
        named = ("prompt" if by_prompt else "id", MODEL)
        rows, order = in_order_of_runs(
            list(rows), lambda one: tuple(str(one[1].get(name)) for name in named), lambda one: one[1][RUN]
        )
        problems.note(order.remark(fields.run_name))
    elif not fields.run:
        rows = _without_copies(list(rows), "prompt" if by_prompt else "id", problems)
    rows = with_right_answers(list(rows), lambda one: one.get("prompt" if by_prompt else "id"), problems)
    for row, record in rows:
        run = record.pop(RUN, None)
        record |= {RUNS: max(run, 1)} if fields.run_scores else {}
        record.pop(REVIEWER, None)
        model = _text(record.pop(MODEL))
        item = _text(record["prompt" if by_prompt and "prompt" in record else "id"])
        item = item and normalize("NFC", item)
        if model is None or item is None:
            problems.add(f"the row names no {'item' if item is None else 'model'}.", row, remedy="Fill the cell.")
            continue
        if item not in first and len(first) == most:
            break
        check_item(first.setdefault(item, (row, record)), record, row, problems)
        judged.setdefault(item, []).append({name: record.pop(name, None) for name in judges})
        of_runs = next((one.pop(RUN_LOSSES, None) for one in record.get(TARGETS, {}).values()), None)
        record |= {LOSSES: of_runs} if of_runs else {}
        samples = _outputs_of(record)
        key, is_first = (item, model), (item, model) not in runs
        runs.setdefault(key, [row, 0, 0])
        if not samples and fields.run_name and is_first:
            # No other run is taken in place of the first one.
            samples, runs[key][1] = [Output("" if has_texts else None, unscored=True)], 1
        runs[key][2] += any(one.loss is not None for one in samples)
        if not samples:
            silent.append((row, item, _with_kind({**record, "id": item, MODEL: model})))
            continue
        answered.add(item)
        facts = _with_kind({**record, "id": item, MODEL: model})
        if not fields.run and len(samples) == 1:
            only = samples[0]
            if only.loss != scores.setdefault((item, model, only.text), only.loss):
                rescored.append(row)
        for sample in samples:
            outputs.add(row, facts, sample)
    words.report(problems)
    if rescored:
        problems.note(
            f"{counted(len(rescored), 'row gives', 'rows give')} an output a score other than an earlier row of the "
            f"same item and model (the first is row {rescored[0]}). The first score counts. If these are scores of "
            "several metrics or reviewers, keep the rows of one in the file; if they are runs, say which field numbers "
            "them (in a shell: --run PATH)."
        )
    counts = RunCounts()
    for first_row, is_open, scored in runs.values():
        counts.add(1, first_row, bool(is_open and scored))
    problems.note(counts.remark)
    for row, item, record in silent:
        if fields.run_name:
            problems.tally.leave_out(FURTHER_RUNS, row)
        elif item in answered:
            problems.tally.leave_out(WITHOUT_OUTPUT, row)
        else:
            answered.add(item)
            outputs.add(row, record, None)
    means = {item: mean_verdicts(numbers, judges) for item, numbers in judged.items()}
    read = ModelOutputs.of(
        ((row, record | means[record["id"]], size) for row, record, size in outputs.records()), problems
    )
    table = read.table
    choices = table.column("choices") if "choices" in table.column_names else None
    texts = [pc.list_flatten(table.column("generations"))] if "generations" in table.column_names else []
    if "answer" in table.column_names:
        column = emptied(table.column("answer"), choices, texts, table.column("id"), problems)
        table = with_column(table, "answer", column)
    kinds = table.column("answer_kind") if "answer_kind" in table.column_names else None
    if may_letter(kinds, fields) and {"answer", "generations"} <= set(table.column_names):
        looked_at = [pc.list_flatten(table.column("generations").slice(0, LOOKED_AT))]
        for name, column in as_said(table.column("answer"), choices, looked_at, problems).items():
            table = with_column(table, name, column)
    return replace(read, table=table, notes=tuple(problems.notes)).accounted(problems.tally, fields.origin())


def _items(
    source: Source, fields: FieldMap, problems: Problems, most: int | None, words: ScoreWords
) -> Iterator[FileRow]:
    """Make the native record of each row; at the end, a path that led nowhere is a problem."""
    every = fields.paths()
    # A kind may be said for all rows, in place of a path.
    kind = "".join(fields.parts("answer_kind")) if "answer_kind" in fields.fields else ""
    unseen = set(every) - ({kind} & set(KINDS))
    apart = {key: path for key, path in ((RUN, fields.run_name), (REVIEWER, fields.reviewer)) if path}
    entered, several, scored = _Entered(unseen), AcceptedAnswers(fields), Contradictions(fields)
    failed = FailedRequests(fields)
    model, ids = OneModel(fields), CompositeIds()
    rows = rows_of(source, problems)
    seen = _Seen(fields) if fields.may_repeat and not fields.keeps_repeated else None
    for row, value in rows if most is None else islice(rows, LOOKED_AT):
        unseen -= {path for path in unseen if at(value, path) is not None}
        entered.look(value)
        if not any(_is_given(at(value, path)) for path in every):
            problems.tally.leave_out("rows without any of the fields", row)
            continue
        if seen is not None and seen.repeats(row, value):
            problems.tally.repeat(row)
            continue
        words.look(value, row)
        model.look(value, row)
        record = fields.record(value, row, problems)
        if fields.subset and (parts := fields.parts_of_id(value)) is not None:
            record["id"] = ids.of(parts)
        if kind in KINDS and at(value, kind) is None:
            record["answer_kind"] = kind
        failed.leave_open(value, record, row)
        several.look(value, record, row)
        scored.look(value, record, row)
        record |= {key: row if (key, path) == (RUN, ROWS) else at(value, path) for key, path in apart.items()}
        if isinstance(record.get(RUN), list):
            message = f"{shown(fields.run_name)} is a list, which numbers no run, and no score is in it."
            problems.add(message, row, fields.run_name, "Choose it as the score too if it has the scores of all runs.")
        record |= {MODEL: fields.model_of(value)} if fields.model else {}
        yield row, record | {RUN: fields.runs_in(value)} if fields.run_scores else record
    model.check(problems)
    for path in sorted(unseen) if most is None else ():
        problems.add(f"no row has {shown(path)}.", remedy="Name a column, or a path such as doc.question.")
    # Whatever else is said of the pool, its number may be that of another question.
    problems.notes[:0] = filter(None, [scored.remark, failed.remark])
    for remark in (*entered.remarks(), several.remark, ids.remark, *(() if seen is None else seen.remarks())):
        problems.note(remark)


def _is_given(value: Any) -> bool:
    return value is not None and (not isinstance(value, list) or any(one is not None for one in value))


def _without_copies(rows: list[FileRow], item: str, problems: Problems) -> list[FileRow]:
    """Leave out rows that repeat earlier ones word for word, unless a model has several other rows on some item."""
    keys, copies, kept = set[tuple[str, str]](), list[int](), dict[str, FileRow]()
    for row, record in rows:
        text = json.dumps(record, sort_keys=True, default=str)
        if kept.setdefault(text, (row, record))[0] != row:
            copies.append(row)
            continue
        key = str(record.get(MODEL)), str(record.get(item))
        if key in keys:
            return rows
        keys.add(key)
    if not copies:
        return rows
    for row in copies:
        problems.tally.repeat(row)
    again = counted(len(copies), "row repeats an earlier one", "rows repeat earlier ones")
    problems.note(
        f"{again} word for word (the first is row {copies[0]}). Each counts once. If they are samples or runs, say "
        "which field numbers them (in a shell: --run PATH)."
    )
    return list(kept.values())


class _Seen:
    """The rows of a file without ids, by all that they hold: one with a question that comes again is no other item."""

    def __init__(self, fields: FieldMap) -> None:
        self._prompt = fields.parts("prompt")[0]
        # What is the same in all runs of an item.
        self._item = (self._prompt, *fields.parts("answer"), *fields.parts("choices"))
        self._rows, self._items = set[bytes](), set[bytes]()
        self._again, self._first = 0, 0
        self._asked, self._first_asked = 0, 0

    def repeats(self, row: int, value: Mapping[str, Any]) -> bool:
        if not str(at(value, self._prompt) or "").strip():
            return False
        digest = _digest(value)
        if digest in self._rows:
            self._again += 1
            self._first = self._first or row
            return True
        self._rows.add(digest)
        item = _digest([at(value, path) for path in self._item])
        # What has no words may be a label that was taken for a question.
        if item in self._items and len(str(at(value, self._prompt)).split()) > 1:
            self._asked += 1
            self._first_asked = self._first_asked or row
        self._items.add(item)
        return False

    def remarks(self) -> list[str]:
        said = list[str]()
        if self._again:
            rows = counted(self._again, "row repeats an earlier one", "rows repeat earlier ones")
            again = f"{rows} word for word (the first is row {self._first}). Each item counts once."
            said.append(f"{again} If they are different items, keep repeated rows or give items an id.")
        if 0 < self._asked <= _FEW_RUNS * len(self._rows):
            rows = counted(self._asked, "row asks the question of an earlier one", "rows ask questions of earlier ones")
            each = "It counts" if self._asked == 1 else "Each counts"
            said.append(
                f"{rows} (the first is row {self._first_asked}). {each} as a separate item. If these are further runs, "
                "take the question as the id and the number of the run as the run (in a shell: --id "
                f"{shlex.quote(self._prompt)} --run PATH); without such a field, keep the row that counts."
            )
        return said


def _digest(value: Any) -> bytes:
    return sha256(json.dumps(value, sort_keys=True, default=str).encode("utf-8", "surrogatepass")).digest()


class _Entered:
    """Counts the texts that a path enters, as JSON, and in how many of them it leads nowhere."""

    def __init__(self, paths: Collection[str]) -> None:
        outer = {path: re.split(r"[.\[]", path, maxsplit=1)[0] for path in sorted(paths)}
        self._paths = {path: column for path, column in outer.items() if column != path}
        self._texts, self._missed = Counter[str](), Counter[str]()

    def look(self, row: Mapping[str, Any]) -> None:
        for path, outer in self._paths.items():
            if isinstance(row.get(outer), str):
                self._texts[path] += 1
                self._missed[path] += at(row, path) is None

    def remarks(self) -> list[str]:
        return [
            f"The path {shown(path)} leads nowhere in {self._missed[path]:,} of the {self._texts[path]:,} texts in "
            f"{shown(outer)}."
            for path, outer in self._paths.items()
            if self._missed[path]
        ]


def _with_kind(record: dict[str, Any]) -> dict[str, Any]:
    if record.get("answer_kind") or record.get("answer") is None:
        return record
    choices = record.get("choices")
    return record | {"answer_kind": kind_of(str(record["answer"]), choices if isinstance(choices, list) else None)}


def _outputs_of(record: dict[str, Any]) -> list[Output]:
    """Take the outputs of a row out of its record: its samples, or else the one of which the outcome is known."""
    outcomes: dict[str, dict[str, Any]] = record.pop(TARGETS, {})
    outcome = next(iter(outcomes.values()), {})
    samples, answers = record.pop("generations", None), record.pop("generation_answers", None)
    text, answer, loss = (outcome.get(name) for name in ("text", "answer", "loss"))
    left_open = bool(outcome.get("unscored"))
    if samples:
        read = map(_text, answers) if len(answers or ()) == len(samples) else [None] * len(samples)
        pairs = zip(samples, read, strict=True)
        return [Output(_text(one) or "", of_it, loss, unscored=left_open) for one, of_it in pairs]
    if text is None and answer is None and loss is None:
        return []
    said = None if text is None and answer is None else _text(text) or _text(answer) or ""
    return [Output(said, _text(answer), loss, unscored=left_open)]


def _text(value: Any) -> str | None:
    return text_of(value) if not isinstance(value, str) or value.strip() else None
