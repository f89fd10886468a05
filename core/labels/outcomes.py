"""The losses that follow from labels, and the target's answers that they judge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..answers import parse
from ..errors import LabelError
from ..pool.columns import TARGETS
from ..pool.parsing import DEFAULT_KIND
from ..pool.pool import Pool
from .formats.label_file import COLUMNS, LabelFile
from .formats.records import POOL
from .kinds import KINDS, RIGHT, RIGHT_WRONG, WRONG
from .right_answers import answer_pairs
from .settlement import Settlement
from .targets import target_code


def losses(
    settled: Settlement,
    answers: Mapping[str, str | None] | None = None,
    items: pd.DataFrame | None = None,
    parser: str | None = None,
    higher_is_better: bool = True,
) -> pd.DataFrame:
    """Return the loss of each labelled item.

    Parameters
    ----------
    settled : Settlement
        The labels.
    answers : mapping, optional
        The target's answers by item id, needed for "gold". None: the target gave no answer, which is wrong.
    items : DataFrame, optional
        The pool's items, for their choices and answer kinds ("gold" only).
    parser : str, optional
        Answer kind for all items, None for their own ("gold" only).
    higher_is_better : bool
        Whether the loss is 1 − score, or the score ("score" only).

    Returns
    -------
    DataFrame
        item_id, label, loss (0 = right, 1 = wrong; of a preference that of the answer that was shown first), in
        labelling order. A right answer equals the target's by the
        pool's rule for answers, or if both name the same option. The loss is NaN for items that ``answers`` does not
        have, and for those whose label holds no answer of their kind, whether or not the target gave one.

    Raises
    ------
    LabelError
        If "gold" labels come without ``answers``.
    """
    frame = settled.labels[["item_id", "label"]].reset_index(drop=True)
    values: NDArray[np.float64]
    kind = KINDS[settled.kind]
    if kind.verdicts:
        of_label = dict(zip(kind.verdicts, kind.losses, strict=True))
        values = np.array([of_label[label] for label in frame["label"]], dtype=np.float64)
    elif kind.averaged:
        scores = frame["label"].to_numpy(dtype=object).astype(np.float64)
        shares = scores if kind.scale is None else (scores - kind.scale.low) / kind.scale.span
        values = 1 - shares if higher_is_better else shares
    else:
        if answers is None:
            raise LabelError(
                "Right answers are compared with the target's answers. Run the target on these items first."
            )
        pairs = answer_pairs(frame, answers, items, parser)
        wrong = pd.Series((pairs["true"] != pairs["said"]).to_numpy(dtype=np.float64), index=pairs["item_id"])
        values = wrong.reindex(frame["item_id"]).to_numpy(dtype=np.float64)
    return frame.assign(loss=values)


def target_answers(
    pool: Pool, target: str, ids: Sequence[str], parser: str | None = None, whole: bool = False
) -> dict[str, str | None]:
    """Return a target's answers by item id: its answer as given, or else the answer in its text.

    Parameters
    ----------
    pool : Pool
        The pool.
    target : str
        Name of one of its targets.
    ids : sequence of str
        The items.
    parser : str, optional
        Answer kind for all items, None for their own.
    whole : bool
        Give texts as they stand, without looking for the answer in them.

    Returns
    -------
    dict
        None if the text holds no answer, or if nothing was kept of an item that counts as wrong, while other answers
        are; all else without answer and text is left out.

    Raises
    ------
    KeyError
        If the pool does not have the target or an item.
    """
    part = pool.part(_places(pool, ids), ("id", "choices", "answer_kind", TARGETS))
    outputs, table = part.targets[target], part.table
    known, texts = outputs.answers, outputs.texts
    # An output in which no answer was found is often counted as wrong and not kept.
    failed = (np.asarray(outputs.losses) == 1.0) & (known is not None or texts is not None)
    answers: dict[str, str | None] = {}
    own, options = (
        table.column(name).to_pylist() if name in table.column_names else [None] * len(ids)
        for name in ("answer_kind", "choices")
    )
    kinds = own if parser is None else [parser] * len(ids)
    for place, (item, kind, choices) in enumerate(zip(ids, kinds, options, strict=True)):
        answer = None if known is None else known[place]
        text = None if texts is None else texts[place]
        if answer is not None:
            answers[item] = answer
        elif text is not None:
            answers[item] = text if whole else parse(text, kind or DEFAULT_KIND, choices)
        elif failed[place]:
            answers[item] = None
    return answers


def of_target(pool: Pool, target: str, ids: Sequence[str], parser: str | None = None) -> LabelFile:
    """Return the outcomes that the pool knows of a target as labels "right" and "wrong".

    Their annotator is `core.labels.formats.records.POOL`: they count only if nobody has labelled.

    Parameters
    ----------
    pool : Pool
        The pool.
    target : str
        Name of one of its targets.
    ids : sequence of str
        The items.
    parser : str, optional
        Answer kind for all items, None for their own.

    Returns
    -------
    LabelFile
        One row an item, as if read from a file.

    Raises
    ------
    LabelError
        If no outcome is known, or some are neither right nor wrong.
    KeyError
        If the pool does not have the target or an item.
    """
    values = pool.losses(target, parser)[_places(pool, ids)]
    known = ~np.isnan(values)
    if not known.any():
        answered = not pool.targets[target].is_silent
        way = "Label its answers." if answered else "Run the target on them first."
        raise LabelError(f"The pool has no outcome of “{target}” on these items. {way}")
    if not np.isin(values[known], (0.0, 1.0)).all():
        raise LabelError(f"Some losses of “{target}” are neither 0 nor 1. Use them as scores.")
    names = [None if np.isnan(value) else WRONG if value else RIGHT for value in values.tolist()]
    rows = [
        (number, item, label, POOL, None, None, "" if label else "empty", target_code(target), RIGHT_WRONG.name)
        for number, (item, label) in enumerate(zip(ids, names, strict=True), start=1)
    ]
    return LabelFile(pd.DataFrame(rows, columns=list(COLUMNS), dtype=object).astype({"row": "int64"}), "target")


def _places(pool: Pool, ids: Sequence[str]) -> NDArray[np.int64]:
    """Return the places of these items in the pool."""
    places = pool.places(ids)
    if (places < 0).any():
        raise KeyError(ids[int(places.argmin())])
    return places
