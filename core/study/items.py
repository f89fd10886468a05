"""The items behind an estimate, as people look at them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import pandas as pd

from ..labels.right_answers import choices_of
from ..words import counted
from .study import Study


def judged_items(study: Study) -> pd.DataFrame:
    """Tabulate the items behind the estimate, the wrong ones first, else in the list's order.

    Columns: item_id, position (in the pool, from 0), stratum, group ("" if the pool has none), prompt and
    choices (None if the pool has none), surrogate (its answers and how often each was given, the most frequent
    first), target (its answer, "" for none), label, value, disputed (whether annotators disagree).
    """
    labels, pool = study.labels, study.pool
    table = study.outcomes.table.sort_values("value", kind="stable").reset_index(drop=True)
    ids, settled = table["item_id"], labels.settlement
    items = pool.rows(table["position"].to_numpy())
    group = items["group"].fillna("").astype(str).tolist() if "group" in items else ""
    said = [
        ", ".join(f"{answer or 'no answer'} ×{count}" for answer, count in Counter(answers).most_common())
        for answers in (
            pool.item_answers(place, labels.parser) if pool.n_generations else []
            for place in table["position"].tolist()
        )
    ]
    prompts = items["prompt"] if "prompt" in items else [None] * len(table)
    return table.assign(
        group=group,
        prompt=pd.Series([text if isinstance(text, str) else None for text in prompts], dtype=object),
        choices=pd.Series(choices_of(items, ids.tolist()), dtype=object),
        surrogate=said,
        target=[labels.answers.get(item) or "" for item in ids],
        label=ids.map(settled.labels.set_index("item_id")["label"]),
        disputed=ids.isin(settled.conflicts["item_id"]),
    )


def leading(values: Iterable[float], measure: str) -> str:
    """Say which of the items of `judged_items` with these values stand first, such as “the 12 wrong ones first”."""
    if measure != "accuracy":
        return "the lowest scores first"
    wrong = sum(value == 0 for value in values)
    return f"{counted(wrong, 'wrong one')} first" if wrong else "none wrong"
