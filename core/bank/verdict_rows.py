"""Verdicts as rows of a bank: those that a pool knows, those of a study's labels, and what is looked up."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..answers import PARSER_VERSION
from ..labels.kinds import KINDS
from ..pool.columns import leaf
from ..pool.parsing import DEFAULT_KIND
from ..pool.pool import Pool
from .known import Wanted

COLUMNS = {
    "item": "str",
    "answer": "str",
    "parser": "str",
    "text": "str",
    "grading": "str",
    "loss": "float64",
    "model": "str",
    "source": "str",
    "date": "str",
    "is_key": "bool",
}


@dataclass(frozen=True, slots=True)
class Grading:
    """How an answer was graded: verdicts under another grading are other verdicts.

    Parameters
    ----------
    rubric : str
        What graders went by, in words; "" if nothing but the right answer, or their own knowledge.
    kind : str
        "right-wrong" for verdicts, "score" for scores between 0 and 1.
    """

    rubric: str = ""
    kind: str = "right-wrong"

    def ids(self, keys: Sequence[str | None]) -> NDArray[np.object_]:
        """Id of the grading of each item, (N,) hex, from its right answer; None if there is none."""
        kept = dict[str | None, str]()
        for key in keys:
            if key not in kept:
                text = "\x1f".join([self.kind, self.rubric.strip(), "" if key is None else f"={key}"])
                kept[key] = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        return np.array([kept[key] for key in keys], dtype=object)


def of_target(
    pool: Pool, target: str, losses: NDArray[np.float64], parser: str | None, rubric: str, date: str, source: str
) -> pd.DataFrame:
    """Rows of a target's answers with a known loss in [0, 1]."""
    answers = pool.target_answers(target, parser)
    known = np.array([answer is not None and answer != "" for answer in answers], dtype=bool)
    known &= (losses >= 0) & (losses <= 1)
    places = np.flatnonzero(known)
    loss = losses[places]
    kind = "right-wrong" if np.isin(loss, (0.0, 1.0)).all() else "score"
    return pd.DataFrame(
        {
            "item": pool.item_digests[places],
            "answer": answers[places],
            "parser": _parsers(pool, parser)[places],
            "text": _digests(pool, target)[places],
            "grading": Grading(rubric, kind).ids(_keys(pool))[places],
            "loss": loss,
            "model": target,
            "source": source,
            "date": date,
            "is_key": False,
        }
    ).astype(COLUMNS)


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
    items = Pool.from_records(
        [
            {"id": str(number), "answer_kind": kind, **({"choices": list(options)} if options is not None else {})}
            | {"targets": {"key": {"answer": str(label)}}}
            for number, (label, kind, options) in enumerate(
                zip(labels["label"], _kinds(pool, study.labels.parser)[places], _options(pool, places), strict=True)
            )
        ]
    )
    answers = items.target_answers("key") if len(labels) else np.empty(0, dtype=object)
    known = np.array([answer is not None for answer in answers], dtype=bool)
    return pd.DataFrame(
        {
            "item": pool.item_digests[places],
            "answer": answers,
            "parser": _parsers(pool, study.labels.parser)[places],
            "text": "",
            "grading": Grading(rubric).ids(_keys(pool))[places],
            "loss": 0.0,
            "model": "",
            "source": source,
            "date": date,
            "is_key": True,
        }
    )[known].astype(COLUMNS)


def wanted(pool: Pool, target: str, parser: str | None, grading: Grading) -> Wanted:
    """A target's answers as they are looked up."""
    answers, ids = pool.target_answers(target, parser), grading.ids(_keys(pool))
    parsers, texts = _parsers(pool, parser), _digests(pool, target)
    return Wanted(pool.item_digests, answers, parsers, texts, ids, _closed(pool), pool.known_by_rows)


def _keys(pool: Pool) -> list[str | None]:
    """Right answer of each item, None if the pool does not have it."""
    return pool.source.column("answer").to_pylist() if "answer" in pool.source.column_names else [None] * pool.n_items


def _kinds(pool: Pool, parser: str | None) -> NDArray[np.object_]:
    """Answer kind of each item, (N,)."""
    if parser is not None or "answer_kind" not in pool.source.column_names:
        return np.full(pool.n_items, parser or DEFAULT_KIND, dtype=object)
    return np.array([kind or DEFAULT_KIND for kind in pool.source.column("answer_kind").to_pylist()], dtype=object)


def _parsers(pool: Pool, parser: str | None) -> NDArray[np.object_]:
    """Answer kind of each item and the version of its rule, (N,)."""
    kinds = _kinds(pool, parser)
    named = {kind: f"{kind} {PARSER_VERSION[kind]}" for kind in set(kinds)}
    return np.array([named[kind] for kind in kinds], dtype=object)


def _options(pool: Pool, places: NDArray[np.int64]) -> list[list[str] | None]:
    if "choices" not in pool.source.column_names:
        return [None] * places.size
    options: list[list[str] | None] = pool.source.column("choices").take(places).to_pylist()
    return options


def _closed(pool: Pool) -> NDArray[np.bool_]:
    """Whether each item has options, (N,)."""
    if "choices" not in pool.source.column_names:
        return np.zeros(pool.n_items, dtype=bool)
    return np.asarray(pool.source.column("choices").is_valid())


def _digests(pool: Pool, target: str) -> NDArray[np.object_]:
    """Digest of each raw output of a target, (N,); "" if only its answer is known."""
    column = leaf(pool.source, target, "text")
    texts = [None] * pool.n_items if column is None else column.to_pylist()
    return np.array(
        ["" if t is None else hashlib.sha256(t.encode("utf-8", "surrogatepass")).hexdigest()[:32] for t in texts],
        dtype=object,
    )
