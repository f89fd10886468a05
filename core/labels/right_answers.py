"""Right answers beside the target's, as a pool of their own: both are read by the pool's rule for answers.

Where an item has options, an answer that is an option's letter or text stands for that option, which the pool's rule
alone would not see: annotators choose letters, and targets may answer with texts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from core.answers import parse
from core.labels.kinds import letter, option_letter
from core.pool.columns import leaf
from core.pool.parsing import DEFAULT_KIND, NO_ANSWER, Vocabulary, contexts, parse_column
from core.pool.pool import Pool

TARGET = "target"
# Answers of these kinds are what an option says: its letter is no number, and no words of the item's.
_WITHOUT_LETTERS = frozenset({"number", "text"})


def paired(
    found: pd.DataFrame, answers: Mapping[str, str | None], items: pd.DataFrame | None, parser: str | None = None
) -> Pool:
    """A pool of the labelled items, truth = the label, with one target, `TARGET`.

    Parameters
    ----------
    found : frame item_id, label (right answers). answers : the target's, by item id. items : the pool's items, for
    their choices and answer kinds. parser : answer kind for all items, None = their own.
    """
    ids = found["item_id"].tolist()
    choices = choices_of(items, ids) if items is not None else [None] * len(ids)
    kinds = (
        items["answer_kind"].loc[ids].tolist() if items is not None and "answer_kind" in items else [None] * len(ids)
    )
    records = []
    for number, (item, gold) in enumerate(zip(ids, found["label"], strict=True)):
        answer, options, own = answers.get(item), choices[number], kinds[number]
        if options:
            kind = parser or (own if isinstance(own, str) else DEFAULT_KIND)
            gold = _option(gold, options, kind)
            answer = None if answer is None else _said(answer, options, kind)
        record = {"id": str(number), "answer": gold, "targets": {TARGET: {"answer": answer}}}
        if options:
            record["choices"] = options
        if isinstance(own, str):
            record["answer_kind"] = own
        records.append(record)
    return Pool.from_records(records)


def answer_pairs(
    found: pd.DataFrame, answers: Mapping[str, str | None], items: pd.DataFrame | None = None, parser: str | None = None
) -> pd.DataFrame:
    """The right answer and the target's of each labelled item, both in one spelling.

    Parameters
    ----------
    found, answers, items : as in `paired`. parser : answer kind for all items, None = their own.

    Returns
    -------
    Frame item_id, true, said (None: it gave none). Items without an outcome of the target, or whose right answer holds
    no answer of their kind, are left out. ``true == said`` where `core.labels.losses` gives 0.
    """
    asked = found[found["item_id"].isin(list(answers))].reset_index(drop=True)
    if asked.empty:
        return pd.DataFrame({"item_id": [], "true": [], "said": []}, dtype=object)
    table = paired(asked, answers, items, parser).table
    own, vocabulary = contexts(table, parser, extracted=True), Vocabulary()
    true = parse_column(table.column("answer"), own, vocabulary)
    column = leaf(table, TARGET, "answer")
    said = [NO_ANSWER] * len(asked) if column is None else parse_column(column, own, vocabulary).tolist()
    names = vocabulary.answers
    known = np.asarray(true) != NO_ANSWER
    frame = pd.DataFrame(
        {
            "item_id": asked["item_id"].to_numpy(dtype=object),
            "true": [names[code] for code in true.tolist()],
            "said": [names[code] for code in said],
        },
        dtype=object,
    )
    return pd.DataFrame(frame.loc[known].reset_index(drop=True))


def meanings(found: pd.DataFrame, items: pd.DataFrame, parser: str | None = None) -> list[str]:
    """What each right answer (rows item_id, label) says by the pool's rule for answers; itself where it holds none."""
    given = [str(label) for label in found["label"]]
    table = paired(found, {}, items, parser).table
    vocabulary = Vocabulary()
    codes = parse_column(table.column("answer"), contexts(table, parser, extracted=True), vocabulary)
    read = [vocabulary.answers[code] for code in codes.tolist()]
    return [label if answer is None else answer for label, answer in zip(given, read, strict=True)]


def choices_of(items: pd.DataFrame, ids: Sequence[str]) -> list[list[str] | None]:
    """The options of these items, None for one without."""
    if "choices" not in items.columns:
        return [None] * len(ids)
    return [None if found is None or is_nothing(found) else list(found) for found in items["choices"].loc[list(ids)]]


def _option(text: str, options: Sequence[str], kind: str) -> str:
    """The option that is meant, in the way an answer of this kind can say it; ``text`` where none is meant."""
    name = option_letter(text, options)
    if name is None or kind not in _WITHOUT_LETTERS:
        return name or text
    return next(option for number, option in enumerate(options) if letter(number) == name)


def _said(answer: str, options: Sequence[str], kind: str) -> str:
    """The target's answer likewise; where the options are b and a, a target that says “a” may mean the text."""
    meant = _option(answer, options, kind)
    if kind in _WITHOUT_LETTERS and meant.strip() != answer.strip():
        read = parse(answer, kind)
        if read is not None and any(parse(option, kind) == read for option in options):
            return answer
    return meant


def is_nothing(value: object) -> bool:
    """Whether a cell of a frame is missing."""
    return value is pd.NA or (isinstance(value, float) and value != value)
