"""Right answers beside the target's, both read by the pool's rule for answers.

If an item has options, an answer that is an option's letter or text stands for that option, which the pool's rule alone
would miss: annotators choose letters, and targets may answer with texts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ..answers import parse
from ..pool.columns import leaf
from ..pool.parsing import DEFAULT_KIND, NO_ANSWER, Vocabulary, contexts, parse_column
from ..pool.pool import Pool
from .kinds import NO_OPTION, letter, option_letter, says_no_option
from .rounding import are_one

_TARGET = "target"
# Answers of these kinds are the text of an option: a letter is neither a number nor the option's words.
_WITHOUT_LETTERS = frozenset({"number", "text"})


def _pool_of(
    labels: pd.DataFrame, answers: Mapping[str, str | None], items: pd.DataFrame | None, parser: str | None
) -> Pool:
    """Return a pool of the labelled items: its truth is the label, its only target `_TARGET`."""
    ids = labels["item_id"].tolist()
    choices = choices_of(items, ids) if items is not None else [None] * len(ids)
    kinds = kinds_of(items, ids, parser) if items is not None else [parser or DEFAULT_KIND] * len(ids)
    records = []
    for number, (item, gold, options, kind) in enumerate(zip(ids, labels["label"], choices, kinds, strict=True)):
        answer = answers.get(item)
        record: dict[str, Any] = {"id": str(number), "answer": gold, "answer_kind": kind}
        if options:
            record |= {"choices": options, "answer": _option(gold, options, kind)}
            answer = None if answer is None else _target_option(answer, options, kind)
        records.append({**record, "targets": {_TARGET: {"answer": answer}}})
    return Pool.from_records(records)


def answer_pairs(
    labels: pd.DataFrame,
    answers: Mapping[str, str | None],
    items: pd.DataFrame | None = None,
    parser: str | None = None,
) -> pd.DataFrame:
    """Return the right answer and the target's for each labelled item, in the same spelling.

    Parameters
    ----------
    labels : DataFrame
        item_id, label: right answers.
    answers : mapping
        The target's answers by item id, None if it gave none.
    items : DataFrame, optional
        The pool's items, for their choices and answer kinds.
    parser : str, optional
        Answer kind for all items, None for their own.

    Returns
    -------
    DataFrame
        item_id, true, said (None: the target gave no answer). Left out are items that ``answers`` does not have, and
        those whose label holds no answer of their kind. ``true == said`` if `core.labels.losses` gives 0.
    """
    answered = labels[labels["item_id"].isin(list(answers))].reset_index(drop=True)
    if answered.empty:
        return pd.DataFrame({"item_id": [], "true": [], "said": []}, dtype=object)
    table = _pool_of(answered, answers, items, parser).table
    rules, vocabulary = contexts(table, parser, extracted=True), Vocabulary()
    true = parse_column(table.column("answer"), rules, vocabulary)
    column = leaf(table, _TARGET, "answer")
    said = [NO_ANSWER] * len(answered) if column is None else parse_column(column, rules, vocabulary).tolist()
    names, none = vocabulary.answers, np.array(_say_no_option(answered, items), dtype=bool)
    known = none | (np.asarray(true) != NO_ANSWER)
    frame = pd.DataFrame(
        {
            "item_id": answered["item_id"].to_numpy(dtype=object),
            "true": np.where(none, NO_OPTION, np.array([names[code] for code in true.tolist()], dtype=object)),
            "said": [_as_in(names[right], names[code]) for right, code in zip(true.tolist(), said, strict=True)],
        },
        dtype=object,
    )
    return pd.DataFrame(frame.loc[known].reset_index(drop=True))


def _as_in(true: str | None, said: str | None) -> str | None:
    """Return the target's answer as the right one is spelled, if it is the same number but for what programs lose."""
    return true if true and said and true != said and are_one(true, said) else said


def meanings(labels: pd.DataFrame, items: pd.DataFrame, parser: str | None) -> list[str]:
    """Return the answer in each right answer (rows item_id, label) by the pool's rule, or itself if it holds none."""
    table = _pool_of(labels, {}, items, parser).table
    vocabulary = Vocabulary()
    codes = parse_column(table.column("answer"), contexts(table, parser, extracted=True), vocabulary)
    answers, none = [vocabulary.answers[code] for code in codes.tolist()], _say_no_option(labels, items)
    given = zip(labels["label"], answers, none, strict=True)
    return [NO_OPTION if no_option else str(label) if answer is None else answer for label, answer, no_option in given]


def _say_no_option(labels: pd.DataFrame, items: pd.DataFrame | None) -> list[bool]:
    """Return whether each right answer says that no option of its item is right: it equals no answer of a target."""
    choices = choices_of(items, labels["item_id"].tolist()) if items is not None else [None] * len(labels)
    return [
        says_no_option(label, of_item or ()) and bool(of_item)
        for label, of_item in zip(labels["label"], choices, strict=True)
    ]


def choices_of(items: pd.DataFrame, ids: Sequence[str]) -> list[list[str] | None]:
    """Return the options of each item, None for an item without."""
    if "choices" not in items.columns:
        return [None] * len(ids)
    return [None if pd.api.types.is_scalar(entry) else list(entry) for entry in items["choices"].loc[list(ids)]]


def kinds_of(items: pd.DataFrame, ids: Sequence[str], parser: str | None = None) -> list[str]:
    """Return the answer kind of each item: ``parser``, or else its own, or else the default."""
    if parser is not None or "answer_kind" not in items.columns:
        return [parser or DEFAULT_KIND] * len(ids)
    return [kind if isinstance(kind, str) else DEFAULT_KIND for kind in items["answer_kind"].loc[list(ids)]]


def _option(text: str, options: Sequence[str], kind: str) -> str:
    """Return the option that is meant, as an answer of this kind names it; ``text`` if none is meant."""
    name = option_letter(text, options)
    if name is None or kind not in _WITHOUT_LETTERS:
        return name or text
    return next(option for number, option in enumerate(options) if letter(number) == name)


def _target_option(answer: str, options: Sequence[str], kind: str) -> str:
    """Return the same for the target's answer: if the options are b and a, a target that says “a” may mean the text."""
    option = _option(answer, options, kind)
    if kind in _WITHOUT_LETTERS and option.strip() != answer.strip():
        parsed = parse(answer, kind)
        if parsed is not None and any(parse(text, kind) == parsed for text in options):
            return answer
    return option
