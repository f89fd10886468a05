"""Parsing whole columns, each distinct text once; the report of it, and the patterns of texts without an answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ..answers import EXTRACTED, OPEN, parse
from ..answers.formulas import formula_key
from ..answers.output_parts import PATTERNS, pattern
from .columns import ANSWER_LISTS, leaf, lengths, models
from .stored import StoredTable

DEFAULT_KIND = "as-is"
NO_ANSWER = 0
PAD = -2
_BLOCK = 4_096
_WITH_FORMULAS = "text"
Progress = Callable[[float], None]
_WITHOUT_CHOICES = frozenset({"as-is", "text", OPEN, "number", "mmlu-pro", "gpqa"})


@dataclass(frozen=True, slots=True)
class Context:
    """The context of a text's parser: the kind of answer, and the item's options if the kind needs them."""

    kind: str
    choices: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Contexts:
    """The context of each item: ``distinct[of_item[i]]``."""

    distinct: tuple[Context, ...]
    of_item: NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Parsed:
    """Parsed generations: ``codes`` (N, k) into ``vocabulary``, ``PAD`` where an item has fewer than k."""

    codes: NDArray[np.int32]
    vocabulary: tuple[str | None, ...]

    def answers(self) -> list[list[str | None]]:
        """N lists of answers, None for "no answer"."""
        return [[self.vocabulary[code] for code in row if code != PAD] for row in self.codes.tolist()]


class Vocabulary:
    """Canonical answers ↔ integer codes; ``NO_ANSWER`` (0) stands for None.

    Parameters
    ----------
    answers : iterable of str or None
        Answers that have codes already, from 0.
    """

    def __init__(self, answers: Iterable[str | None] = (None,)) -> None:
        self.answers: list[str | None] = list(answers)
        self._codes: dict[str | None, int] = {answer: code for code, answer in enumerate(self.answers)}
        self._formulas: dict[str, int] | None = None

    def code(self, answer: str | None, kind: str = DEFAULT_KIND) -> int:
        """Look up the code of an answer, a new one the next; formulas of kind “text” that mean the same share one."""
        if kind != _WITH_FORMULAS or answer is None:
            code = self._codes.setdefault(answer, len(self.answers))
        else:
            if self._formulas is None:
                self._formulas = {}
                for earlier, one in self._codes.items():
                    self._formulas.setdefault(formula_key(earlier or ""), one)
            code = self._formulas.setdefault(formula_key(answer), len(self.answers))
            self._codes.setdefault(answer, code)
        if code == len(self.answers):
            self.answers.append(answer)
        return code


def parsed_generations(
    table: pa.Table | StoredTable, parser: str | None, progress: Progress | None = None, *, grouped: bool = True
) -> Parsed:
    """Parse the column ``generations`` of a canonical table.

    Parameters
    ----------
    table : pyarrow.Table or StoredTable
        The table.
    parser : str or None
        A kind of ``core.answers`` for all items. None: an item's ``meanings`` as they are if it has them, or else
        its ``generation_answers``, or else by its own kind.
    progress : callable, optional
        Called now and then with the share of distinct texts read.
    grouped : bool, default True
        Whether ``meanings`` count.

    Returns
    -------
    Parsed
    """
    texts, already = table.column("generations"), None
    for name in ANSWER_LISTS[: 1 + grouped] if parser is None else ():
        if name in table.column_names:
            official = table.column(name)
            given = np.asarray(official.is_valid())
            already = given if already is None else already | given
            texts = pc.if_else(official.is_valid(), official, texts)
    vocabulary = Vocabulary()
    codes = parse_lists(texts, contexts(table, parser, already), vocabulary, progress)
    codes.setflags(write=False)
    return Parsed(codes, tuple(vocabulary.answers))


def contexts(
    table: pa.Table | StoredTable, parser: str | None, already: NDArray[np.bool_] | None = None, extracted: bool = False
) -> Contexts:
    """Find the context of every item: ``parser`` for all, or else each item's ``answer_kind``, or else "as-is".

    Parameters
    ----------
    table : pyarrow.Table or StoredTable
        The table.
    parser : str or None
        A kind of ``core.answers`` for all items.
    already : (N,) bool, optional
        Items whose answers are taken as they are.
    extracted : bool, default False
        Whether the texts are answers (a truth, a target's ``answer``), not whole outputs.

    Returns
    -------
    Contexts
    """
    size = table.num_rows
    names: list[str] = [parser or DEFAULT_KIND]
    kinds = np.zeros(size, dtype=np.int64)
    if parser is None and "answer_kind" in table.column_names:
        filled = pc.fill_null(table.column("answer_kind"), DEFAULT_KIND).to_pandas()
        kinds, distinct = pd.factorize(filled)
        names = [str(name) for name in distinct]
    if already is not None:
        kinds = np.where(already, len(names), kinds)
        names.append(DEFAULT_KIND)
    if extracted:
        names = [EXTRACTED.get(name, name) for name in names]
    needing = np.array([name not in _WITHOUT_CHOICES for name in names])
    if "choices" not in table.column_names or not needing.any():
        return Contexts(tuple(Context(name) for name in names), kinds.astype(np.int32))
    numbers: dict[Context, int] = {}
    of_item = np.empty(size, dtype=np.int32)
    for item, (kind, choices) in enumerate(zip(kinds.tolist(), table.column("choices").to_pylist(), strict=True)):
        options = tuple(choices) if choices is not None and needing[kind] else None
        of_item[item] = numbers.setdefault(Context(names[kind], options), len(numbers))
    return Contexts(tuple(numbers), of_item)


def parse_column(
    texts: pa.ChunkedArray, contexts_: Contexts, vocabulary: Vocabulary, progress: Progress | None = None
) -> NDArray[np.int32]:
    """Parse one text for each item of ``contexts_``: (n,) codes of the answers, ``NO_ANSWER`` for a null."""
    distinct = contexts_.distinct
    encoded = texts.cast(pa.large_string()).dictionary_encode().unify_dictionaries()
    if len(encoded) == 0:
        return np.empty(0, dtype=np.int32)
    dictionary = encoded.chunk(0).dictionary
    positions = np.concatenate([np.asarray(pc.fill_null(chunk.indices, -1)) for chunk in encoded.chunks])
    codes: NDArray[np.int32]
    if len(distinct) == 1:
        codes = np.full(len(dictionary) + 1, NO_ANSWER, dtype=np.int32)  # the last one: nulls, whose position is −1
        codes[:-1] = [
            vocabulary.code(answer, distinct[0].kind) for answer in _answers(dictionary, distinct[0], progress)
        ]
        return np.asarray(codes[positions])
    # In one context after another: the texts that occur in it.
    keys = np.where(positions < 0, -1, contexts_.of_item * np.int64(len(dictionary)) + positions)
    positions, distinct_keys = pd.factorize(keys)
    texts_of = dictionary.to_pylist()
    codes = np.full(len(distinct_keys), NO_ANSWER, dtype=np.int32)
    for place, key in enumerate(distinct_keys.tolist()):
        if progress is not None and place % _BLOCK == 0:
            progress(place / len(distinct_keys))
        if key >= 0:
            context, text = distinct[key // len(texts_of)], texts_of[key % len(texts_of)]
            codes[place] = vocabulary.code(parse(text, context.kind, context.choices), context.kind)
    return np.asarray(codes[positions])


def parse_lists(
    column: pa.ChunkedArray, contexts_: Contexts, vocabulary: Vocabulary, progress: Progress | None = None
) -> NDArray[np.int32]:
    """Parse a column of lists: (N, k) codes of the answers, ``PAD`` to the right of a list shorter than k."""
    count = lengths(column)
    if len(contexts_.distinct) > 1:
        contexts_ = Contexts(contexts_.distinct, np.repeat(contexts_.of_item, count))
    flat = parse_column(pc.list_flatten(column), contexts_, vocabulary, progress)
    largest = int(count.max(initial=0))
    if flat.size == largest * count.size:
        return flat.reshape(count.size, largest)
    codes = np.full((count.size, largest), PAD, dtype=np.int32)
    codes[np.arange(largest) < count[:, None]] = flat
    return codes


def _answers(dictionary: pa.Array, context: Context, progress: Progress | None) -> Iterator[str | None]:
    for start in range(0, len(dictionary), _BLOCK):
        if progress is not None:
            progress(start / len(dictionary))
        for text in dictionary.slice(start, _BLOCK).to_pylist():
            yield parse(text, context.kind, context.choices)


_COLUMNS = ["source", "texts", "parsed", "unparsed", "unparsed_share", "distinct_answers", "example"]
_EXAMPLE_WIDTH = 120


def parse_report(table: pa.Table | StoredTable, generations: Parsed | None, parser: str | None) -> pd.DataFrame:
    """Count the texts with an answer.

    Returns
    -------
    DataFrame
        A row for each generation (1…k), for the truth, and for each target that has answers or texts: source, texts
        (how many there are), parsed, unparsed, unparsed_share (0…1, NaN without a text), distinct_answers, example (a
        text without an answer, shortened; empty if all have one).
    """
    rows = [] if generations is None else _generation_rows(table, generations)
    if "answer" in table.column_names:
        rows.append(_row(table, "truth", table.column("answer"), parser, extracted=True))
    for model in models(table):
        for field in ("answer", "text"):
            column = leaf(table, model, field)
            if column is not None:
                rows.append(_row(table, model, column, parser, extracted=field == "answer"))
                break
    return pd.DataFrame(rows, columns=_COLUMNS)


def _generation_rows(table: pa.Table | StoredTable, generations: Parsed) -> list[dict[str, Any]]:
    rows = []
    for position in range(generations.codes.shape[1]):
        column = generations.codes[:, position]
        unparsed = np.flatnonzero(column == NO_ANSWER)
        example = table.column("generations")[int(unparsed[0])][position].as_py() if unparsed.size else ""
        rows.append(_counted(f"generation {position + 1}", column[column != PAD], example))
    return rows


def _row(
    table: pa.Table | StoredTable, source: str, texts: pa.ChunkedArray, parser: str | None, extracted: bool
) -> dict[str, Any]:
    codes = parse_column(texts, contexts(table, parser, extracted=extracted), Vocabulary())
    present = np.asarray(texts.is_valid())
    unparsed = np.flatnonzero(present & (codes == NO_ANSWER))
    return _counted(source, codes[present], texts[int(unparsed[0])].as_py() if unparsed.size else "")


def _counted(source: str, codes: NDArray[np.int32], example: str) -> dict[str, Any]:
    unparsed = int((codes == NO_ANSWER).sum())
    return {
        "source": source,
        "texts": codes.size,
        "parsed": codes.size - unparsed,
        "unparsed": unparsed,
        "unparsed_share": unparsed / codes.size if codes.size else np.nan,
        "distinct_answers": np.unique(codes[codes != NO_ANSWER]).size,
        "example": example[:_EXAMPLE_WIDTH],
    }


GENERATIONS = "generations"
_UNPARSED_COLUMNS = ["source", "pattern", "texts", "share", "item_id", "example"]
_PATTERN_WIDTH = 300
_MOST = 20_000


def unparsed_patterns(table: pa.Table | StoredTable, generations: Parsed | None, parser: str | None) -> pd.DataFrame:
    """Count the texts without an answer by source and pattern.

    Parameters
    ----------
    table : pyarrow.Table or StoredTable
        The canonical table.
    generations : Parsed or None
        Its parsed generations.
    parser : str or None
        What they were parsed by; None for each item's own kind.

    Returns
    -------
    DataFrame
        A row for each source ("generations", or a target's name) and pattern (`core.answers.output_parts`), the most
        frequent first: source, pattern, texts, share (of all texts of the source), item_id and example (of the first
        such text, shortened). Of more than 20,000 texts of a source without an answer, the first stand for all.
    """
    rows: list[dict[str, Any]] = []
    for source, texts, items, total, of in _unparsed(table, generations, parser):
        kinds = [of.distinct[place].kind for place in of.of_item[items[:_MOST]]]
        names = [pattern(text, kind) for text, kind in zip(texts.slice(0, _MOST).to_pylist(), kinds, strict=True)]
        for name in (one for one in PATTERNS if one in names):
            first, count = names.index(name), names.count(name) * len(items) / len(names)
            rows.append(
                {
                    "source": source,
                    "pattern": name,
                    "texts": round(count),
                    "share": count / total,
                    "item_id": table.column("id")[int(items[first])].as_py(),
                    "example": _shortened(texts[first].as_py()),
                }
            )
    frame = pd.DataFrame(rows, columns=_UNPARSED_COLUMNS)
    order = frame["source"].map({source: place for place, source in enumerate(dict.fromkeys(frame["source"]))})
    return frame.assign(order=order).sort_values(["order", "texts"], ascending=[True, False]).drop(columns="order")


def _unparsed(
    table: pa.Table | StoredTable, generations: Parsed | None, parser: str | None
) -> Iterator[tuple[str, pa.Array, NDArray[np.int64], int, Contexts]]:
    """Yield of each source: its texts without an answer, their items, how many texts there are, and the parsers."""
    if generations is not None:
        column = table.column("generations")
        codes = generations.codes[generations.codes != PAD]
        places = np.flatnonzero(codes == NO_ANSWER)
        if places.size:
            items = np.repeat(np.arange(table.num_rows), lengths(column))[places]
            texts = _taken(pc.list_flatten(column), places)
            yield GENERATIONS, texts, items, codes.size, contexts(table, parser)
    for model in models(table):
        yield from _of_target(table, model, parser)


def _of_target(
    table: pa.Table | StoredTable, model: str, parser: str | None
) -> Iterator[tuple[str, pa.Array, NDArray[np.int64], int, Contexts]]:
    """Yield what `_unparsed` does of one target: an item's ``answer`` counts, or else its ``text``."""
    of = contexts(table, parser)
    known, missing = np.zeros((2, table.num_rows), dtype=bool)
    shown: pa.ChunkedArray | None = None
    for field in ("answer", "text"):
        column = leaf(table, model, field)
        if column is None:
            continue
        codes = parse_column(column, contexts(table, parser, extracted=field == "answer"), Vocabulary())
        fresh = np.asarray(column.is_valid()) & ~known
        missing |= fresh & (codes == NO_ANSWER)
        known |= fresh
        # The text says more of why there is no answer.
        shown = column if shown is None else pc.coalesce(column, shown)
    items = np.flatnonzero(missing)
    if shown is not None and items.size:
        yield model, _taken(shown, items), items, int(known.sum()), of


def _taken(column: pa.ChunkedArray, places: NDArray[np.int64]) -> pa.Array:
    taken = column.cast(pa.large_string()).take(pa.array(places))
    return pc.fill_null(taken.combine_chunks() if isinstance(taken, pa.ChunkedArray) else taken, "")


def _shortened(text: str) -> str:
    """Return the end of a long text, where an answer would stand."""
    return text if len(text) <= _PATTERN_WIDTH else f"… {text[2 - _PATTERN_WIDTH :]}"
