"""Verdicts as rows of a bank: those that a pool knows, those of a study's labels, and what is looked up."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..answers import PARSER_VERSION
from ..labels.kinds import KINDS, RIGHT_WRONG, SCORE
from ..pool.columns import leaf
from ..pool.parsing import DEFAULT_KIND
from ..pool.pool import Pool
from .known import Wanted

COLUMNS = dict.fromkeys(("item", "answer", "parser", "text", "grading"), "str") | {"loss": "float64"}
COLUMNS |= dict.fromkeys(("model", "source", "date"), "str") | {"is_key": "bool"}


def gradings(keys: Sequence[str | None], rubric: str = "", kind: str = RIGHT_WRONG.name) -> NDArray[np.object_]:
    """Return the id of each item's way of grading, (N,) hex: verdicts under another one are other verdicts.

    Parameters
    ----------
    keys : (N,) str or None
        The right answers; None for none.
    rubric : str
        What graders went by, in words; "" if nothing but the right answer, or their own knowledge.
    kind : str
        "right-wrong" for verdicts, "score" for scores between 0 and 1.
    """
    texts = {key: "\x1f".join([kind, rubric.strip(), "" if key is None else f"={key}"]) for key in set(keys)}
    ids = {key: _digest(text)[:16] for key, text in texts.items()}
    return np.array([ids[key] for key in keys], dtype=object)


def of_target(
    pool: Pool, target: str, losses: NDArray[np.float64], parser: str | None, rubric: str, date: str, source: str
) -> pd.DataFrame:
    """Rows of a target's answers with a known loss in [0, 1]."""
    answers = pool.target_answers(target, parser)
    known = np.array([answer is not None and answer != "" for answer in answers], dtype=bool)
    known &= (losses >= 0) & (losses <= 1)
    places = np.flatnonzero(known)
    loss = losses[places]
    kind = RIGHT_WRONG.name if np.isin(loss, (0.0, 1.0)).all() else SCORE.name
    answered = wanted(pool, target, parser, rubric, kind)
    return _rows(answered, places, answers[places], loss=loss, model=target, source=source, date=date, is_key=False)


def _rows(answered: Wanted, places: NDArray[np.int64], answers: NDArray[np.object_], **others: Any) -> pd.DataFrame:
    """Rows of answers to some of a pool's items."""
    own = {name: getattr(answered, name)[places] for name in ("item", "parser", "text", "grading")}
    return pd.DataFrame({**own, "answer": answers, **others})[list(COLUMNS)].astype(COLUMNS)


def of_study(study: Any, rubric: str, date: str) -> list[pd.DataFrame]:
    """Rows of a study's labels: verdicts on its target's answers, and the right answers that were given."""
    pool, source = study.pool, f"labels of {study.plan.plan_id}"
    values, parts = study.labels.values, []
    if study.target in pool.targets and study.outcomes.bounded:
        losses = np.full(pool.n_items, np.nan)
        losses[values["position"].to_numpy(dtype=np.int64)] = 1.0 - values["value"].to_numpy(dtype=np.float64)
        parser = study.labels.parser if study.kind == "gold" else None
        parts.append(of_target(pool, study.target, losses, parser, rubric, date, source))
    if not KINDS[study.kind].judges:
        parts.append(_of_keys(study, rubric, date, source))
    return parts


def _of_keys(study: Any, rubric: str, date: str, source: str) -> pd.DataFrame:
    """Rows of right answers as labels."""
    pool, labels = study.pool, study.labels.settlement.labels
    places = pool.places(labels["item_id"])
    every, options_of = _kinds(pool, study.labels.parser), _column(pool, "choices", places)
    kinds = [every[place] for place in places.tolist()]
    items = Pool.from_records(
        [
            {"id": str(number), "answer_kind": kind, **({"choices": list(options)} if options is not None else {})}
            | {"targets": {"key": {"answer": str(label)}}}
            for number, (label, kind, options) in enumerate(zip(labels["label"], kinds, options_of, strict=True))
        ]
    )
    answers = items.target_answers("key") if len(labels) else np.empty(0, dtype=object)
    known = np.array([answer is not None for answer in answers], dtype=bool)
    asked = wanted(pool, "", study.labels.parser, rubric)
    others = {"loss": 0.0, "model": "", "source": source, "date": date, "is_key": True}
    return _rows(asked, places[known], answers[known], **others)


def wanted(pool: Pool, target: str, parser: str | None, rubric: str = "", kind: str = RIGHT_WRONG.name) -> Wanted:
    """A target's answers as they are looked up; of no target, "", nothing but its items."""
    answers = pool.target_answers(target, parser) if target else np.full(pool.n_items, None)
    ids = gradings(_column(pool, "answer"), rubric, kind)
    outputs = leaf(pool.source, target, "text")
    # Digests of the raw outputs, "" where only the answer is known.
    texts = np.full(pool.n_items, "", dtype=object)
    if outputs is not None:
        texts[:] = ["" if text is None else _digest(text)[:32] for text in outputs.to_pylist()]
    has_options = "choices" in pool.source.column_names
    closed = np.asarray(pool.source.column("choices").is_valid()) if has_options else np.zeros(pool.n_items, dtype=bool)
    kinds = _kinds(pool, parser)
    named = {kind: f"{kind} {PARSER_VERSION[kind]}" for kind in set(kinds)}
    parsers = np.array([named[kind] for kind in kinds], dtype=object)
    return Wanted(pool.item_digests, answers, parsers, texts, ids, closed, pool.known_by_rows)


def _column(pool: Pool, name: str, places: NDArray[np.int64] | None = None) -> list[Any]:
    """Return a pool's column for each item, or for some; None for each if the pool does not have it."""
    if name not in pool.source.column_names:
        return [None] * (pool.n_items if places is None else places.size)
    column = pool.source.column(name)
    values: list[Any] = (column if places is None else column.take(places)).to_pylist()
    return values


def _kinds(pool: Pool, parser: str | None) -> list[str]:
    """Answer kind of each item."""
    given = _column(pool, "answer_kind") if parser is None else [parser] * pool.n_items
    return [kind or DEFAULT_KIND for kind in given]


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
