"""From labels to losses, and the target's answers that they judge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from core.answers import parse
from core.errors import LabelError
from core.labels.formats.label_file import COLUMNS, LabelFile
from core.labels.formats.records import POOL
from core.labels.kinds import RIGHT, WRONG
from core.labels.right_answers import answer_pairs, is_nothing
from core.labels.settlement import Settlement
from core.labels.targets import target_code
from core.pool.pool import Pool


def losses(
    settled: Settlement,
    answers: Mapping[str, str | None] | None = None,
    items: pd.DataFrame | None = None,
    parser: str | None = None,
    higher_is_better: bool = True,
) -> pd.DataFrame:
    """The loss of each labelled item.

    Parameters
    ----------
    answers : the target's answers by item id ("gold" only; None = it gave none, which is wrong).
    items : the pool's items, for their choices and answer kinds ("gold" only). parser : answer kind for all items.
    higher_is_better : "score" only: the loss is 1 − score; False: the score is the loss.

    Returns
    -------
    Frame in labelling order: item_id, label, loss (0 = right, 1 = wrong). A right answer and the target's are equal by
    the pool's rule for answers, or where both are the letter or the text of the same option. NaN = unknown: the item is
    not in ``answers``, or its right answer holds no answer of its kind, whether or not the target gave one.
    """
    found = settled.labels[["item_id", "label"]].reset_index(drop=True)
    values: NDArray[np.float64]
    if settled.kind == "right-wrong":
        values = np.array([label == WRONG for label in found["label"]], dtype=np.float64)
    elif settled.kind == "score":
        scores = found["label"].to_numpy(dtype=object).astype(np.float64)
        values = 1 - scores if higher_is_better else scores
    else:
        if answers is None:
            raise LabelError("Right answers are compared with the target's: run the target on these items first.")
        values = _compared(found, answers, items, parser)
    return found.assign(loss=values)


def target_answers(pool: Pool, target: str, ids: Sequence[str], parser: str | None = None) -> dict[str, str | None]:
    """What a target answered to these items, by id: its answer as given, or else the one found in its text.

    None where the text holds no answer; items that the target was not asked are left out.
    """
    known, items = pool.targets[target], pool.items
    found: dict[str, str | None] = {}
    for item, place in zip(ids, _places(items, ids), strict=True):
        answer = known.answers[place] if known.answers is not None else None
        text = known.texts[place] if known.texts is not None else None
        if answer is not None:
            found[item] = answer
        elif text is not None:
            kind = parser or _of(items, "answer_kind", place) or "as-is"
            found[item] = parse(text, kind, _of(items, "choices", place))
    return found


def of_target(pool: Pool, target: str, ids: Sequence[str], parser: str | None = None) -> LabelFile:
    """Labels "right" and "wrong" of a target whose outcomes the pool knows, as if they had been read from a file.

    Their annotator is `records.POOL`: such labels count only where nobody has labelled.

    Raises
    ------
    LabelError : none of the items' outcomes is known, or some are neither right nor wrong.
    """
    values = pool.losses(target, parser)[_places(pool.items, ids)]
    known = ~np.isnan(values)
    if not known.any():
        raise LabelError(f"The pool knows no outcome of “{target}” on these items: run it on them first.")
    if not np.isin(values[known], (0.0, 1.0)).all():
        raise LabelError(f"Some losses of “{target}” lie between right and wrong: use them as scores.")
    names = [None if np.isnan(value) else WRONG if value else RIGHT for value in values.tolist()]
    rows = [
        (number, item, label, POOL, None, None, "" if label else "empty", target_code(target), "right-wrong")
        for number, (item, label) in enumerate(zip(ids, names, strict=True), start=1)
    ]
    return LabelFile(pd.DataFrame(rows, columns=list(COLUMNS), dtype=object).astype({"row": "int64"}), "target")


def _places(items: pd.DataFrame, ids: Sequence[str]) -> list[int]:
    """Positions of these items; the index keeps what it needs to find the next ones at once."""
    places = items.index.get_indexer(pd.Index(list(ids), dtype=object))
    if (places < 0).any():
        raise KeyError(next(item for item, place in zip(ids, places, strict=True) if place < 0))
    found: list[int] = places.tolist()
    return found


def _compared(
    found: pd.DataFrame, answers: Mapping[str, str | None], items: pd.DataFrame | None, parser: str | None
) -> NDArray[np.float64]:
    """0 where the right answer and the target's are equal (`answer_pairs`), 1 where not, NaN where unknown."""
    pairs = answer_pairs(found, answers, items, parser)
    wrong = pd.Series((pairs["true"] != pairs["said"]).to_numpy(dtype=np.float64), index=pairs["item_id"])
    return wrong.reindex(found["item_id"]).to_numpy(dtype=np.float64)


def _of(items: pd.DataFrame, name: str, place: int) -> Any:
    if name not in items.columns:
        return None
    value = items[name].iloc[place]
    return None if value is None or is_nothing(value) else value
