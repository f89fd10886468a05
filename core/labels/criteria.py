"""Several criteria on one pass through an item: each has labels as of a target, which people give together.

A list that checks a judge shows people outputs. For each criterion `asked_pool` gives the pool a target with these
outputs, so that its labels are kept, settled, exported and read back like labels of any target.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from ..design.judging import Criterion, Judging
from ..pool.columns import TARGET_FIELDS, TARGETS, TEXT, leaf, models, targets_column
from ..pool.pool import Pool
from ..pool.stored import StoredTable
from .kinds import RIGHT_WRONG, canonical, scored
from .targets import ANSWERS_OF, LABEL_OF
from .texts import OUTPUTS, columns_of

# Between the labels of one pass, and in place of one that is missing.
_BETWEEN, _NONE = " ", "–"


def asked(judging: Judging) -> tuple[str, ...]:
    """Under which targets the labels of a list that checks a judge are kept: of each criterion, or of the outputs."""
    return tuple(one.labelled_as for one in judging.criteria) or (judging.target or OUTPUTS,)


def asked_kind(judging: Judging) -> str:
    """Kind of the labels of a list that checks a judge: pass or fail, or grades on the judge's scale."""
    return RIGHT_WRONG.name if judging.scale is None else scored(judging.scale)


def passes(judging: Judging | None) -> tuple[Criterion, ...]:
    """The criteria that people decide on one pass through an item; () if there are not several."""
    return judging.criteria if judging is not None and len(judging.criteria) > 1 else ()


def asked_pool(judging: Judging | None, pool: Pool) -> Pool:
    """Give a pool the targets whose answers people judge.

    Parameters
    ----------
    judging : Judging or None
        What the list checks; None leaves the pool as it is.
    pool : Pool
        Its pool.

    Returns
    -------
    Pool
        With the same items and so the same lists and labels; the pool itself if nothing is to be added, or it has no
        outputs.
    """
    if judging is None or (judging.target and not judging.criteria):
        return pool
    names, texts = asked(judging), _outputs(judging, pool)
    shown = {} if texts is None else {"answer": texts}
    if all(_parts(pool.source, name) == shown for name in names):
        return pool
    source = pool.source.select(pool.source.column_names)
    # A model of such a name is another one: what it says is not what people judge.
    targets = {name: _parts(source, name) for name in models(source) if name not in names}
    targets |= {name: shown for name in names if shown}
    columns = {name: source.column(name) for name in source.column_names if name != TARGETS}
    if targets:
        leaves = {(name, part): column for name, parts in targets.items() for part, column in parts.items()}
        columns[TARGETS] = targets_column(leaves)
    return Pool(pool.name, pa.table(columns), pool.notes, pool.origin, pool.account)


def _parts(source: pa.Table | StoredTable, name: str) -> dict[str, pa.ChunkedArray]:
    """Return a table's columns on a target, by field."""
    found = {part: leaf(source, name, part) for part in TARGET_FIELDS}
    return {part: column for part, column in found.items() if column is not None}


def _outputs(judging: Judging, pool: Pool) -> pa.ChunkedArray | None:
    """Return the outputs that the judge has seen, as people are shown them; None if the pool has them nowhere."""
    if judging.target:
        text, answer = (leaf(pool.source, judging.target, part) for part in ("text", "answer"))
        return answer if text is None else text if answer is None else pc.coalesce(text, answer)
    column = columns_of(pool, judging.judge).get("output")
    if column is None:
        return None
    return pa.chunked_array([pa.array([None if text is None else str(text) for text in pool.items[column]], TEXT)])


def together(labels: Sequence[str | None]) -> str | None:
    """Write the labels of one pass as one text, “right wrong”, in the order of the criteria; None without any."""
    return _BETWEEN.join(label or _NONE for label in labels) if any(labels) else None


def apart(text: str, criteria: Sequence[Criterion]) -> list[str] | None:
    """Read what `together` wrote; None if it holds no label for each criterion."""
    labels = text.split(_BETWEEN)
    known = all(canonical(label, RIGHT_WRONG.name) is not None for label in labels)
    return labels if known and len(labels) == len(criteria) else None


def rows_of(text: str | None, criteria: Sequence[Criterion], row: Mapping[str, str | None]) -> pd.DataFrame:
    """Give a row to keep for each criterion.

    Parameters
    ----------
    text : str or None
        Labels that `apart` reads; None for what was skipped.
    criteria : sequence of Criterion
        Of the list.
    row : mapping
        All else: item_id, annotator, note, status.
    """
    labels = [None] * len(criteria) if text is None else apart(text, criteria) or []
    return pd.DataFrame(
        [{**row, "label": label, "target": one.labelled_as} for label, one in zip(labels, criteria, strict=True)]
    )


def latest(log: pd.DataFrame, criteria: Sequence[Criterion], person: str) -> dict[str, str]:
    """A person's labels of each item on all criteria, as of `together`.

    Parameters
    ----------
    log : DataFrame
        Of `Archive.labels.of`.
    criteria : sequence of Criterion
        Of the list.
    person : str
        Who labelled.
    """
    rows = log[(log["annotator"] == person) & log["label"].notna()]
    given = {item: dict[str, str]() for item in rows["item_id"]}
    for item, target, label in zip(rows["item_id"], rows["target"], rows["label"], strict=True):
        given[item][target] = label
    said = {item: together([labels.get(one.labelled_as) for one in criteria]) for item, labels in given.items()}
    return {item: text for item, text in said.items() if text is not None}


def with_columns(request: pd.DataFrame, criteria: Sequence[Criterion]) -> pd.DataFrame:
    """Give a list an empty column to fill for each criterion."""
    return request.drop(columns=ANSWERS_OF, errors="ignore").assign(**{f"{LABEL_OF}{one.name}": "" for one in criteria})
