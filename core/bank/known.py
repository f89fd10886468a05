"""Verdicts that a bank knows of a target's items, and items that are vetoed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ..pool.digest import ItemIds
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

    @property
    def of_new(self) -> str:
        """Say what there is to grade if the target is taken for new."""
        left = self.loss.size - self.n_known
        return (
            f"Suppose {self.target} is new. On {self.n_known:,} of {counted(self.loss.size, 'item')} it gives an "
            f"answer that was graded for another model. At most the other {left:,} need a label."
        )

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
