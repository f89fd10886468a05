"""Remarks on how the answers of a pool are read: outputs that run on, and formulas that are left to their spelling."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..answers import OFFICIAL, TITLES, cut_changes, parse
from ..answers.formulas import formula_key, is_computed, is_formula
from .columns import leaf, lengths, models
from .parsing import Context, contexts
from .stored import StoredTable

# Texts that are looked at: the first of each column.
_MOST = 20_000
_WORDED = "text"


def reading_notes(table: pa.Table | StoredTable) -> tuple[str, ...]:
    """Say where outputs run on under official rules, and where formulas are compared by their spelling alone.

    Parameters
    ----------
    table : pyarrow.Table or StoredTable
        The canonical table; of long columns the first 20,000 texts count.

    Returns
    -------
    tuple of str
        Sentences; () if there is nothing to say.
    """
    if "answer_kind" not in table.column_names:
        return ()
    kinds = set(pc.unique(table.column("answer_kind")).to_pylist())
    notes = _run_on(table) if kinds & set(OFFICIAL) else []
    return (*notes, *(_formulas(table) if _WORDED in kinds and "answer" in table.column_names else []))


def _run_on(table: pa.Table | StoredTable) -> list[str]:
    changed, example = Counter[str](), dict[str, str]()
    for name, text, context in _outputs(table):
        if context.kind in OFFICIAL and cut_changes(text, context.kind, context.choices):
            changed[context.kind] += 1
            example.setdefault(context.kind, name)
    return [
        f"{number:,} outputs go on behind their answer, as with another question (first: item {example[kind]}), and "
        f"“{TITLES[kind]}” reads them to the end. Cut where the next turn begins, their answers would be others. To "
        f"cut them, have answers read as “{TITLES['choice']}”."
        for kind, number in changed.items()
    ]


def _outputs(table: pa.Table | StoredTable) -> Iterator[tuple[str, str, Context]]:
    """Yield the texts of which the pool reads the answer itself: the item's id, the text and how it is read."""
    of, ids = contexts(table, None), table.column("id")
    columns = []
    if "generations" in table.column_names:
        given = table.column("generations")
        read = np.zeros(table.num_rows, dtype=bool)
        if "generation_answers" in table.column_names:
            read = np.asarray(table.column("generation_answers").is_valid())
        places = np.repeat(np.arange(table.num_rows), lengths(given))
        columns.append((pc.list_flatten(given), places, read))
    for model in models(table):
        texts = leaf(table, model, "text")
        if texts is not None:
            read = np.zeros(table.num_rows, dtype=bool)
            for field in ("answer", "loss"):
                known = leaf(table, model, field)
                read |= False if known is None else np.asarray(known.is_valid())
            columns.append((texts, np.arange(table.num_rows), read))
    for texts, places, read in columns:
        for text, place in zip(texts.slice(0, _MOST).to_pylist(), places.tolist(), strict=False):
            if text and not read[place]:
                yield str(ids[place].as_py()), text, of.distinct[of.of_item[place]]


def _formulas(table: pa.Table | StoredTable) -> list[str]:
    of, truths = contexts(table, None), table.column("answer").slice(0, _MOST).to_pylist()
    unsure, example = 0, ""
    for model in models(table):
        for field in ("answer", "text"):
            column = leaf(table, model, field)
            for place, text in enumerate([] if column is None else column.slice(0, _MOST).to_pylist()):
                if text is None or truths[place] is None or of.distinct[of.of_item[place]].kind != _WORDED:
                    continue
                pair = [parse(one, _WORDED) or "" for one in (truths[place], text)]
                keys = list(map(formula_key, pair))
                if keys[0] != keys[1] and any(map(is_formula, pair)) and not all(map(is_computed, keys)):
                    unsure, example = unsure + 1, example or f"{pair[1]} beside {pair[0]}"
    if not unsure:
        return []
    return [
        f"{unsure:,} answers differ from their right answer and cannot be computed, such as {example}: they count "
        "as wrong by their spelling. The package math-verify knows more of them: pip install "
        "'math-verify[antlr4_13_2]', then neyman surrogate classes POOL --math; or judge these items."
    ]
