"""Putting results side by side: which items are the same, editions of questions, lists of several models' samples."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ..pool.columns import TEXT, lengths
from ..pool.problems import Problems
from .json_records import alike, kind_of

MODEL, LOSS, TASK, RUN = "model", "loss", "task", "run_of_model"
# Number of the runs of an item by a model, also of those of which only the score is known.
RUNS = "runs_of_item"
# Losses of these runs, in their order, null if one is not known.
LOSSES = "losses_of_runs"
# True of outputs that whoever scored them left open: neither right nor wrong is known of them.
UNSCORED = "unscored"


def with_values(table: pa.Table, name: str, values: Sequence[Any], kind: pa.DataType = TEXT) -> pa.Table:
    """Return a table with other values in a column."""
    return with_column(table, name, pa.chunked_array([pa.array(values, kind)]))


def with_column(table: pa.Table, name: str, column: pa.ChunkedArray) -> pa.Table:
    """Return a table with another column in the place of that of its name."""
    return table.set_column(table.column_names.index(name), name, column)


def values_of(table: pa.Table, name: str) -> list[Any]:
    """Return the values of a column; None for each row of a table without it."""
    return table.column(name).to_pylist() if name in table.column_names else [None] * len(table)


def scored(share: float | None, is_scored: bool) -> dict[str, Any]:
    """Make the columns of an output's score: its loss, and that it is open if what it was given is no share."""
    return {LOSS: None if share is None else 1 - share} | ({UNSCORED: True} if is_scored and share is None else {})


# The published files themselves come from several editions, which differ in 0.3 % of the questions.
TOLERATED = 0.05
# Letters and signs of a question that may stand within another's wording.
_WITHIN = 8
_BLOCK = 4_096


@dataclass(frozen=True, slots=True, eq=False)
class Editions:
    """The wordings and answers of the questions, which differ between editions of the benchmark.

    Parameters
    ----------
    wording : (R,) int
        Code of the wording in each row of all files.
    answer : (R,) int
        Code of the right answer in each row.
    prevailing : (Q,) int
        The row that prevails for each question.
    """

    wording: NDArray[np.int64]
    answer: NDArray[np.int64]
    prevailing: NDArray[np.int64]

    @classmethod
    def of(cls, every: pa.Table, places: NDArray[np.int64]) -> Editions:
        """Compare the rows of all files; ``places`` (R,) is the question of each.

        The edition of most files prevails; in a tie, that of the first of them. What a file does not say is no
        difference, and prevails over nothing. Neither is a template around the question, nor a number in another
        spelling, such as at the end of its calculation.
        """
        if len(np.unique(places)) == len(places):
            # As in the file of one model: nothing is compared.
            alone = np.zeros(len(places), dtype=np.int64)
            return cls(alone, alone, np.argsort(places))
        rows = pd.DataFrame({"place": places})
        wordings = answers = np.empty(0, dtype=object)
        for name in ("prompt", "answer", "choices"):
            column = (
                every.column(name) if name in every.column_names else pa.chunked_array([pa.nulls(len(every), TEXT)])
            )
            texts = pc.binary_join(column, "\x1f") if pa.types.is_list(column.type) else column
            codes, distinct = pd.factorize(texts.cast(TEXT).to_pandas())
            if name == "prompt":
                of_distinct, wordings = pd.factorize(np.array([plain(text) for text in distinct], object))
                codes = np.append(of_distinct, -1)[codes]
            elif name == "answer":
                answers = np.asarray(distinct, dtype=object)
            rows[name] = codes
        keys = list(rows.columns)
        counted = rows.assign(row=rows.index).groupby(keys, sort=False)["row"].agg(["size", "min"]).reset_index()
        counted["unknown"] = (counted[keys] < 0).sum(axis=1)
        counted = counted.sort_values(["place", "unknown", "size", "min"], ascending=[True, True, False, True])
        prevailing = counted.drop_duplicates("place")["min"].to_numpy()
        wording = _reconciled(
            rows["prompt"].to_numpy(), prevailing[places], lambda one, other: _is_within(wordings[one], wordings[other])
        )
        answer = _reconciled(
            rows["answer"].to_numpy(), prevailing[places], lambda one, other: _is_one(answers[one], answers[other])
        )
        return cls(wording, answer, prevailing)

    def check(
        self, model: str, rows: slice, places: NDArray[np.int64], names: Sequence[str], problems: Problems
    ) -> None:
        """Note the questions of one file that differ; if they are too many, each is a problem."""
        wording, answer = (self._differs(codes, rows, places) for codes in (self.wording, self.answer))
        different = np.flatnonzero(wording | answer)
        if different.size > TOLERATED * places.size:
            for place in different.tolist():
                what = " and ".join(key for key, flags in (("question", wording), ("answer", answer)) if flags[place])
                message = f"{model} and the other files differ in {what} of item {names[place]}."
                problems.add(message, place + 1, model, "Use files of the same edition of the benchmark.")
        elif different.size:
            first = ", ".join(names[place] for place in different[:5]) + (" …" if different.size > 5 else "")
            counts = f"{int(wording.sum())} questions and {int(answer.sum())} answers differ (item {first})"
            remark = "All models are judged by the answer that most files have."
            problems.note(f"{model} comes from another edition: {counts}. {remark}")

    def _differs(self, codes: NDArray[np.int64], rows: slice, places: NDArray[np.int64]) -> NDArray[np.bool_]:
        here, prevailing = codes[rows], codes[self.prevailing[places]]
        return np.asarray((here != prevailing) & (here >= 0) & (prevailing >= 0))


def _reconciled(
    codes: NDArray[np.int64], prevailing: NDArray[np.int64], is_same: Callable[[int, int], bool]
) -> NDArray[np.int64]:
    """Give rows that say the same as their prevailing row in other words its code, (R,)."""
    result, usual = codes.copy(), codes[prevailing]
    differs = (codes != usual) & (codes >= 0) & (usual >= 0)
    if not differs.any():
        return result
    differ = pd.DataFrame({"here": codes, "usual": usual})[differs]
    for (here, there), members in differ.groupby(["here", "usual"]).groups.items():
        if is_same(here, there):
            result[members.to_numpy()] = there
    return result


def _is_one(answer: str, other: str) -> bool:
    """Whether two right answers are one number, or one text."""
    kinds = {kind_of(answer, None), kind_of(other, None)}
    return len(kinds) == 1 and alike(answer, other, kinds.pop())


def in_order(ids: Sequence[Sequence[str]]) -> list[str]:
    """List every id once: whole numbers by their value, then the others as they first appear."""
    return sorted(dict.fromkeys(chain.from_iterable(ids)), key=_number)


def _number(name: str) -> tuple[bool, int]:
    return (False, int(name)) if name.isascii() and name.isdecimal() and len(name) < 19 else (True, 0)


def matched(
    tables: Mapping[str, pa.Table], files: Mapping[str, Collection[int]], problems: Problems
) -> dict[str, pa.Table]:
    """Give every model's items the ids of the first model that has the same questions.

    Ids that stand for the same prompts, or for one within the other's template, stay. If they stand for others, or
    are none of the earlier models', prompts are compared: exactly, then without regard to case and white space. What
    matches no item keeps its id if that is free, and is a problem if not. Ids of one file are taken at their
    word: ``files`` are the numbers of those that each model is in.
    """
    results: dict[str, pa.Table] = {}
    prompts: dict[str, str] = {}
    seen = set[int]()
    for model, table in tables.items():
        names = table.column("id").to_pylist()
        texts = values_of(table, "prompt")
        if results and not seen.issuperset(files[model]):
            common = [(name, text) for name, text in zip(names, texts, strict=True) if text and prompts.get(name)]
            same = sum(_is_within(plain(text), plain(prompts[name])) for name, text in common)
            shared = len(common) or sum(name in prompts for name in names)
            if not shared or same < (1 - TOLERATED) * len(common):
                names = _by_prompt(model, names, texts, prompts, same, problems)
                table = with_values(table, "id", names)
        if "prompt" in table.column_names or not prompts.keys() >= set(names):
            for name, text in zip(names, texts, strict=True):
                if not prompts.get(name):
                    prompts[name] = text or ""
        results[model] = table
        seen.update(files[model])
    return results


def _by_prompt(
    model: str, names: list[str], texts: list[str | None], prompts: Mapping[str, str], same: int, problems: Problems
) -> list[str]:
    exact, alike = _only(prompts, str), _only(prompts, plain)
    matches = [(exact.get(text) or alike.get(plain(text))) if text else None for text in texts]
    if len(set(filter(None, matches))) < sum(item is not None for item in matches):
        counts = Counter(filter(None, matches))
        matches = [item if item is None or counts[item] == 1 else None for item in matches]
    hits = sum(item is not None for item in matches)
    if hits <= max(same, len(names) / 2 - 1):
        # What differs is then named question by question, or the models share none.
        if not any(name in prompts for name in names):
            message = f"no id of {model} is one of the other files’, and {hits:,} of its {len(names):,} prompts are."
            problems.add(message, remedy="Use files of the same questions, with the same ids or the same prompts.")
        return names
    unmatched = [name for name, item in zip(names, matches, strict=True) if item is None]
    problems.note(f"{model} is matched by its prompts: {hits:,} of {len(names):,} items.")
    if unmatched:
        first = ", ".join(unmatched[:5]) + (" …" if len(unmatched) > 5 else "")
        problems.note(f"Items of {model} whose prompts no other file has: {len(unmatched):,} ({first}).")
    # The model in its name keeps an item apart from another question with the same id.
    return [
        item or (name if name not in prompts else f"{model}: {name}") for name, item in zip(names, matches, strict=True)
    ]


def _only(prompts: Mapping[str, str], key: Callable[[str], str]) -> dict[str, str]:
    """Return the items by the key of their prompt, without those whose keys are equal."""
    keys = [(key(text), name) for name, text in prompts.items() if text]
    counts = Counter(text for text, _ in keys)
    return {text: name for text, name in keys if counts[text] == 1 and text}


def _is_within(one: str, other: str) -> bool:
    """Whether two plain wordings are the same, or one stands within the other, as a question in a template does."""
    short, long = sorted((one, other), key=len)
    return one == other or (len(short) >= _WITHIN and short in long)


def plain(text: str) -> str:
    """Spell a prompt without what tools change in it: case, white space, and forms of the same character."""
    return "".join(unicodedata.normalize("NFKC", text).casefold().split())


def completed(tables: Sequence[pa.Table]) -> pa.Table | None:
    """Put together what several files say of the same outputs; None if they say the same, or have different ones.

    Parameters
    ----------
    tables : sequence of pyarrow.Table
        One model's, each with every id once.
    """
    names = in_order([table.column("id").to_pylist() for table in tables])
    index = {name: place for place, name in enumerate(names)}
    columns: dict[str, pa.Array] = {}
    for table in tables:
        places = np.full(len(names), -1, dtype=np.int64)
        places[[index[name] for name in table.column("id").to_pylist()]] = np.arange(len(table))
        rows = pa.array(places, mask=places < 0)
        for name in table.column_names:
            values = table.column(name).combine_chunks().take(rows)
            earlier = columns.get(name)
            if earlier is not None and name in ("generations", LOSS) and _differ(earlier, values):
                return None
            columns[name] = values if earlier is None else _first_known(earlier, values)
    whole = pa.table(columns)
    return None if all(_known(table) == _known(whole) for table in tables) else whole


def _known(table: pa.Table) -> int:
    return sum(len(column) - column.null_count for column in table.columns)


def _first_known(one: pa.Array, other: pa.Array) -> pa.Array:
    if pa.types.is_null(one.type):
        return other
    try:
        return pc.coalesce(one, other.cast(one.type))
    except pa.ArrowException:  # Facts of the item, whose types differ.
        return one


def _differ(one: pa.Array, other: pa.Array) -> bool:
    both = pc.and_(pc.is_valid(one), pc.is_valid(other))
    return bool(one.filter(both).to_pylist() != other.filter(both).to_pylist())


def interleaved(members: Sequence[tuple[pa.ChunkedArray, NDArray[np.int64]]]) -> pa.ChunkedArray:
    """Join the members' samples to one list for each item, without members that have none.

    Parameters
    ----------
    members : sequence of (ChunkedArray, (N,) int)
        Lists of one type, and the place of each item among them (−1: none).

    Returns
    -------
    pyarrow.ChunkedArray
        N lists.
    """
    first, places = members[0]
    kind = first.type
    if len(members) == 1 and len(places) == len(first) and bool((places == np.arange(len(places))).all()):
        # As they are: nothing is copied, and a log's texts may be most of what there is memory for.
        return first
    whole = [(lists.combine_chunks(), places) for lists, places in members]
    chunks = []
    for block in range(0, len(places), _BLOCK):
        parts = [_taken(lists, places[block : block + _BLOCK]) for lists, places in whole]
        count = np.column_stack([lengths(pa.chunked_array([part])) for part in parts])
        values = pa.concat_arrays([part.flatten() for part in parts])
        sizes = count.ravel()
        ends = sizes.cumsum()
        # A member's samples of the block's items stand one after the other.
        starts = (count.cumsum(axis=0) - count + np.append(0, count.sum(axis=0).cumsum()[:-1])).ravel()
        within = np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - sizes, sizes)
        offsets = np.concatenate([[0], count.sum(axis=1).cumsum()])
        taken = values.take(pa.array(np.repeat(starts, sizes) + within))
        chunks.append(pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), taken, type=kind))
    return pa.chunked_array(chunks, kind)


def _taken(lists: pa.ListArray, places: NDArray[np.int64]) -> pa.ListArray:
    return lists.take(pa.array(places, mask=places < 0))
