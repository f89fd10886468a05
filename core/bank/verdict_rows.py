"""Verdicts that a bank knows of a target's items, and verdicts as its rows: of a pool, and of a study's labels."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ..answers import PARSER_VERSION
from ..labels.kinds import KINDS, RIGHT_WRONG, SCORE
from ..pool.columns import leaf
from ..pool.digest import ItemIds
from ..pool.parsing import DEFAULT_KIND
from ..pool.pool import Pool
from ..words import counted, per_cent

# Losses that differ by less are one verdict.
_SAME = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Wanted:
    """A target's answers as a bank looks them up.

    Parameters
    ----------
    item, parser, text, grading : (N,) str
        As the columns of a bank.
    answer : (N,) str or None
        Parsed answers.
    closed : (N,) bool
        Whether the item has options, so that an answer other than the right one is wrong.
    by_rows : bool
        Whether nothing but the numbers of their rows tells the items apart (`Pool.known_by_rows`).
    """

    item: NDArray[np.object_]
    answer: NDArray[np.object_]
    parser: NDArray[np.object_]
    text: NDArray[np.object_]
    grading: NDArray[np.object_]
    closed: NDArray[np.bool_]
    by_rows: bool = False


@dataclass(frozen=True, eq=False)
class Known:
    """Verdicts that a bank knows of a target.

    Parameters
    ----------
    ids : (N,) str
        Item ids in the pool's order.
    loss : (N,) float
        The carried verdict v; NaN if the item is open.
    vetoed : (N,) bool
        Open because verdicts on the same answer disagree.
    count : (N,) int
        Verdicts on the same answer of the item.
    source : (N,) str
        Where the verdict comes from; "" if the item is open.
    model : (N,) str
        Who gave the same answer.
    target : str
        Whose items these are.
    by_rows : bool
        Whether items were matched by the numbers of their rows alone.
    """

    ids: ItemIds
    loss: NDArray[np.float64]
    vetoed: NDArray[np.bool_]
    count: NDArray[np.int64]
    source: NDArray[np.object_]
    model: NDArray[np.object_]
    target: str = ""
    by_rows: bool = False

    @property
    def known(self) -> NDArray[np.bool_]:
        """Whether each item is known, (N,)."""
        return ~np.isnan(self.loss)

    @property
    def n_known(self) -> int:
        """K."""
        return int(self.known.sum())

    @property
    def share(self) -> float:
        """W = K/N."""
        return self.n_known / max(self.loss.size, 1)

    @property
    def conflicts(self) -> float:
        """Share of vetoed items among those with two verdicts or more on the same answer; 0 if there is none."""
        several = int((self.count >= 2).sum())
        return float(self.vetoed.sum() / several) if several else 0.0

    def frame(self) -> pd.DataFrame:
        """The known items: item_id, loss, source."""
        places = np.flatnonzero(self.known)
        ids = np.asarray(self.ids, dtype=object)[places]
        return pd.DataFrame({"item_id": ids, "loss": self.loss[places], "source": self.source[places]})

    @property
    def sentence(self) -> str:
        """Say how many verdicts are known, and how many items are open because verdicts disagree."""
        if not self.n_known:
            return f"No verdict on an answer of “{self.target}” is known yet."
        n_items, vetoed = self.loss.size, int(self.vetoed.sum())
        begin = f"{per_cent(self.share)} of the verdicts on “{self.target}” are known already"
        why = f"On {self.n_known:,} of {counted(n_items, 'item')} it gave the same answer as a model that was graded"
        also = f"; {counted(vetoed, 'item')} left open because verdicts on the same answer disagree" if vetoed else ""
        rows = " Items have no questions, so rows of the same number count as the same item." if self.by_rows else ""
        return f"{begin}. {why}{also}.{rows}"

    def beside(self, old: str, same: float) -> str:
        """Say how many verdicts are known, which is another number than that of answers equal to an earlier version's.

        Parameters
        ----------
        old : str
            The earlier version.
        same : float
            Share of the items to which it gave the same answer.
        """
        if not self.n_known:
            return self.sentence
        own = f"{old} itself gave the same answer to {per_cent(same)} of the items."
        return f"{self.sentence} Any graded model counts: {own}"

    def examples(self, pool: Pool, count: int = 10, seed: int = 0) -> pd.DataFrame:
        """Some known items beside what their verdict comes from, drawn at random.

        Parameters
        ----------
        pool : Pool
            The pool.
        count : int
            At most so many.
        seed : int
            Of the draw.

        Returns
        -------
        DataFrame
            item, prompt (if the pool has prompts), answer, verdict ("right", "wrong", or the loss), same answer as,
            graded in.
        """
        places = np.flatnonzero(self.known)
        places = np.sort(np.random.default_rng(seed).permutation(places)[:count])
        rows = pool.rows(places)
        verdicts = [{0.0: "right", 1.0: "wrong"}.get(loss, f"{loss:.3g}") for loss in self.loss[places].tolist()]
        table = pd.DataFrame({"item": np.asarray(self.ids, dtype=object)[places]})
        if "prompt" in rows.columns:
            table["prompt"] = rows["prompt"].to_numpy(dtype=object)
        answers = pool.target_answers(self.target)[places]
        return table.assign(
            answer=answers, verdict=verdicts, **{"same answer as": self.model[places], "graded in": self.source[places]}
        )

    def by_source(self) -> pd.DataFrame:
        """Count the items that each source knows, most first: source, items, share."""
        counts = pd.Series(self.source[self.known]).value_counts()
        return pd.DataFrame(
            {"source": counts.index, "items": counts.to_numpy(), "share": counts.to_numpy() / max(self.loss.size, 1)}
        )


def of_rows(rows: pd.DataFrame, wanted: Wanted, ids: ItemIds, target: str = "") -> Known:
    """Look up a target's answers in a bank's rows.

    Parameters
    ----------
    rows : DataFrame
        Of a bank, without those of the target.
    wanted : Wanted
        The target's answers.
    ids : (N,) str
        Item ids.
    target : str
        The target.
    """
    given = np.array([answer is not None and answer != "" for answer in wanted.answer], dtype=bool)
    here = rows[are_among(rows["item"], wanted.item[given])].reset_index(drop=True)
    here = _of_this_file(here, wanted) if wanted.by_rows else here
    keys, rule = here["is_key"].to_numpy(), ["item", "grading", "parser"]
    # Under another rule for answers, equal outputs are still equal answers.
    texts = (here["text"] != "").to_numpy() & ~_same_parser(here, wanted)
    same = [
        _matches(here, ~keys, wanted, [*rule, "answer"], given),
        _matches(here, ~keys & texts, wanted, ["item", "grading", "text"], given & (wanted.text != "")),
    ]
    # An answer that is the right one is right, and of items with options all others are wrong.
    right = _matches(here, keys, wanted, [*rule, "answer"], given)
    keyed = _matches(here, keys, wanted, rule, given & wanted.closed)
    same.append(_of_verdict(np.where(wanted.closed, keyed.count - right.count, 0), keyed.first, 1.0))
    same.append(_of_verdict(right.count, right.first, 0.0))
    least, most = np.min([one.least for one in same], axis=0), np.max([one.most for one in same], axis=0)
    count, first = np.sum([one.count for one in same], axis=0), np.full(wanted.item.size, -1)
    for one in same:
        first = np.where(first < 0, one.first, first)
    agreed = (count > 0) & (most - least <= _SAME)
    place = np.where(agreed, first, -1)
    source, model = (_taken(here[name], place) for name in ("source", "model"))
    loss, vetoed = np.where(agreed, least, np.nan), (count > 0) & ~agreed
    return Known(ids, loss, vetoed, count, source, model, target, wanted.by_rows)


def are_among(column: pd.Series, some: NDArray[np.object_]) -> NDArray[np.bool_]:
    """Whether each text of a column is one of some; pandas would make an object of each."""
    return np.asarray(pc.is_in(_texts(column), _texts(some)))


def _texts(values: pd.Series | NDArray[np.object_]) -> pa.Array:
    texts = pa.array(values, pa.large_string())
    return texts.combine_chunks() if isinstance(texts, pa.ChunkedArray) else texts


def _of_this_file(rows: pd.DataFrame, wanted: Wanted) -> pd.DataFrame:
    """Leave out the verdicts of files whose rows have the same numbers, but mostly other right answers."""
    same = rows["grading"] == rows["item"].map(pd.Series(wanted.grading, index=wanted.item))
    share = same.groupby([rows["source"], rows["model"]], sort=False).transform("mean")
    return rows[(share >= 0.5).to_numpy()].reset_index(drop=True)


def _taken(column: pd.Series, place: NDArray[np.int64]) -> NDArray[np.object_]:
    """The column's text at each place, "" at −1."""
    return np.asarray(np.append(column.to_numpy(dtype=object), "")[place], dtype=object)


def _same_parser(here: pd.DataFrame, wanted: Wanted) -> NDArray[np.bool_]:
    # Every row is of an item that is wanted; of several that are alike the first counts.
    places = pc.index_in(_texts(here["item"]), _texts(wanted.item)).to_numpy()
    return np.asarray(here["parser"].to_numpy(dtype=object) == wanted.parser[places], dtype=bool)


@dataclass(frozen=True, slots=True, eq=False)
class Matches:
    """Rows of a bank that match each of N items: how many, the first, and their least and largest loss, (N,) each."""

    count: NDArray[np.int64]
    first: NDArray[np.int64]
    least: NDArray[np.float64]
    most: NDArray[np.float64]


def _of_verdict(count: NDArray[np.int64], first: NDArray[np.int64], loss: float) -> Matches:
    """So many rows with one verdict."""
    return Matches(count, first, np.where(count > 0, loss, np.inf), np.where(count > 0, loss, -np.inf))


def _matches(
    here: pd.DataFrame, chosen: NDArray[np.bool_], wanted: Wanted, names: list[str], possible: NDArray[np.bool_]
) -> Matches:
    """Find the chosen rows that are equal to some of the items in all of several columns."""
    places, size = np.flatnonzero(chosen), possible.size
    none = _of_verdict(np.zeros(size, dtype=np.int64), np.full(size, -1), 0.0)
    if not places.size:
        return none
    key_rows, key_items = np.zeros(places.size, dtype=np.int64), np.zeros(size, dtype=np.int64)
    for name in names:
        texts = [_texts(here[name]).take(pa.array(places)), _texts(getattr(wanted, name))]
        said = pa.concat_arrays(texts).dictionary_encode()
        codes = said.indices.fill_null(-1).to_numpy()
        joint = pd.factorize(np.concatenate([key_rows, key_items]) * (len(said.dictionary) + 1) + codes + 1)[0]
        key_rows, key_items = joint[: places.size], joint[places.size :]
    loss = here["loss"].to_numpy()[places]
    groups = pd.DataFrame({"key": key_rows, "loss": loss, "row": places}).groupby("key", sort=False)
    table = groups.agg(count=("loss", "size"), first=("row", "first"), least=("loss", "min"), most=("loss", "max"))
    place = table.index.get_indexer(pd.Index(key_items))
    hit, columns = possible & (place >= 0), ("count", "first", "least", "most")
    return Matches(*(np.where(hit, table[name].to_numpy()[place], getattr(none, name)) for name in columns))


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
