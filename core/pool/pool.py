"""The pool: test items, the surrogate's generations, and what is known of target models on them.

A pool is immutable. Its columns stay in Arrow (``table``); arrays and frames are made on first use. Read one
with ``core.readers.read``, or make one from Python records with ``Pool.from_records``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ..answers import KINDS, classes_of_codes
from ..errors import DesignError, PoolError
from ..words import counted, notebook
from . import item_weights, outcomes, writing
from .account import FileAccount, beside
from .class_counts import ClassCounts, class_counts
from .columns import ANSWER_LISTS, TARGETS, TEXTS, WEIGHT, WEIGHTLESS, Loose, canonical, leaf, lengths, models
from .digest import ITEM_COLUMNS, ItemIds, Leaf, are_row_numbers, item_digests, items_digest, leaves, pool_digest
from .item_weights import mean_one, weight_notes
from .origin import Origin, filled
from .parsing import PAD, Parsed, parse_report, parsed_generations, unparsed_patterns
from .problems import Problems
from .reading_notes import reading_notes
from .records import Records
from .stored import ArrowSequence, StoredTable
from .target_runs import has_runs, run_counts, run_losses, same_runs

__all__ = ["ItemIds", "Pool", "Target"]

# Rows at a time of what is not in memory.
_PIECE = 4_096

_Value = TypeVar("_Value")
_Array = TypeVar("_Array", bound=NDArray[Any])
_NOT_SHOWN = ("generations", *ANSWER_LISTS, "logprobs", "token_logprobs", TARGETS)
_LISTS = pd.ArrowDtype(TEXTS)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Target:
    """The pool's knowledge of one target model, item by item.

    Parameters
    ----------
    name : str
        Name of the model.
    pool : Pool
        The pool, in whose columns its outcomes are.
    """

    name: str
    pool: Pool

    @property
    def losses(self) -> NDArray[np.float64]:
        """(N,) losses, NaN if unknown."""
        return self.pool.losses(self.name)

    def known(self, parser: str | None = None) -> int:
        """Count the items whose loss is known; ``parser`` as in :meth:`Pool.losses`."""
        return int(np.isfinite(self.pool.losses(self.name, parser)).sum())

    def accuracy(self, parser: str | None = None) -> float:
        """1 − mean loss of these items; NaN without any, and if a loss lies outside 0 to 1 (there is no accuracy)."""
        losses = self.pool.losses(self.name, parser)
        known = losses[np.isfinite(losses)]
        return 1 - float(known.mean()) if known.size and outcomes.in_unit(known) else math.nan

    def weighted_accuracy(self, parser: str | None = None) -> float:
        """The same with each item counted by its weight."""
        losses, weights = self.pool.losses(self.name, parser), self.pool.weights
        known = np.isfinite(losses)
        if weights is None or not known.any() or not outcomes.in_unit(losses[known]):
            return self.accuracy(parser)
        return 1 - float(np.average(losses[known], weights=weights[known]))

    @property
    def is_silent(self) -> bool:
        """Whether nothing is known of it: no answer, no text, no loss."""
        return self.answers is None and self.texts is None and not self.known()

    @property
    def answers(self) -> Sequence[str | None] | None:
        """N answers, None if unknown; None in place of the sequence if the pool has no answers of it."""
        return self._outputs("answer")

    @property
    def texts(self) -> Sequence[str | None] | None:
        """N whole outputs, as :attr:`answers`."""
        return self._outputs("text")

    def _outputs(self, field: str) -> Sequence[str | None] | None:
        column = leaf(self.pool.source, self.name, field)
        return None if column is None else ArrowSequence(column)

    def __repr__(self) -> str:
        known = self.losses[~np.isnan(self.losses)]
        parts = [f"{known.size:,} of {self.losses.size:,} losses known"]
        parts += [f"mean {known.mean():.3f}".replace("-", "−")] if known.size else []
        parts += [name for name in ("answers", "texts") if getattr(self, name) is not None]
        return f"Target “{self.name}”: {', '.join(parts)}"


class Targets(Mapping[str, Target]):
    """The targets of a pool by name; one is made when it is looked at, since there may be thousands.

    Parameters
    ----------
    pool : Pool
        The pool.
    names : mapping
        Their names are its keys.
    """

    def __init__(self, pool: Pool, names: Mapping[str, None]) -> None:
        self._pool, self._names = pool, names

    @property
    def answered(self) -> tuple[str, ...]:
        """Names of those whose answers or outputs the pool has."""
        return tuple(name for name, one in self.items() if one.answers is not None or one.texts is not None)

    def __getitem__(self, name: str) -> Target:
        if name not in self._names:
            raise KeyError(name)
        return Target(name, self._pool)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __repr__(self) -> str:
        return repr(dict(self))


@dataclass(frozen=True, slots=True, eq=False, repr=False, weakref_slot=True)
class Pool:
    """A test pool.

    Make one with ``core.readers.read`` or with :meth:`from_records`. Both check the content, the constructor does not.

    Parameters
    ----------
    name : str
        What people call it.
    source : pyarrow.Table or StoredTable
        The canonical native columns (``core.pool.columns``). A StoredTable reads them when they are looked at. Both
        have ``column_names``, ``column`` and ``select``.
    notes : tuple of str
        Remarks of the reader about content that is unusual and can be used.
    origin : Origin, optional
        What its file was recognized as, if a reader says so.
    account : FileAccount, optional
        What became of the records of its file; None for a pool that was made of records, or kept by an earlier version.
    """

    name: str
    source: pa.Table | StoredTable
    notes: tuple[str, ...] = ()
    origin: Origin | None = None
    account: FileAccount | None = None
    _cache: dict[tuple[str, ...], Any] = field(default_factory=dict, repr=False)

    def __repr__(self) -> str:
        """Name, number of items, columns and targets; reads no column."""
        columns = ", ".join(name for name in self.source.column_names if name != TARGETS)
        targets = ", ".join(self.targets) or "none"
        return f"Pool “{self.name}”: {self.n_items:,} items\n  columns  {columns}\n  targets  {targets}"

    def _repr_html_(self) -> str:
        columns = ", ".join(name for name in self.source.column_names if name != TARGETS)
        facts = [("items", f"{self.n_items:,}"), ("columns", columns), ("targets", ", ".join(self.targets) or "none")]
        return notebook.pairs(f"Pool “{self.name}”", facts)

    @classmethod
    def from_records(cls, records: Iterable[Mapping[str, Any]], name: str = "pool") -> Pool:
        """Make a pool from Python records.

        Parameters
        ----------
        records : iterable of mappings
            One record for each item, with the keys of a native pool file: ``id``, ``prompt``, ``generations``, …
        name : str, default "pool"
            What people call it.

        Returns
        -------
        Pool

        Raises
        ------
        PoolError
            With every problem of the records; their rows count from 1.
        """
        problems = Problems()
        columns = Records(problems)
        for row, record in enumerate(records, start=1):
            columns.add(row, dict(record))
        return cls.from_loose(columns.loose(), problems, name)

    @classmethod
    def from_loose(cls, loose: Loose, problems: Problems, name: str, origin: Origin | None = None) -> Pool:
        """Check the columns of a reader and make the pool.

        Parameters
        ----------
        loose : Loose
            The columns.
        problems : Problems
            The problems that the reader met.
        name : str
            What people call the pool.
        origin : Origin, optional
            What the file was recognized as.

        Returns
        -------
        Pool
            With the account of the records that ``problems`` counted.

        Raises
        ------
        PoolError
            With every problem, the reader's included.
        """
        table = canonical(loose, problems)
        account = problems.tally.account(table.num_rows)
        if account is not None:
            account = account.with_filled(filled(table, {} if origin is None else origin.fields))
        return cls(name, table, tuple(problems.notes), origin, account)

    @property
    def remarks(self) -> tuple[str, ...]:
        """The notes, without those that the account repeats, and what is to be known of how answers are read."""
        is_mapped = self.origin is not None and not self.origin.format
        of_reading = self._once(
            ("reading notes",), lambda: (*reading_notes(self.source, is_mapped), *weight_notes(self.source))
        )
        return (*beside(self.account, self.notes), *of_reading)

    @property
    def table(self) -> pa.Table:
        """All columns in memory; :attr:`source` reads none that is not looked at."""
        return self.source.select(self.source.column_names) if isinstance(self.source, StoredTable) else self.source

    @property
    def n_items(self) -> int:
        """Number of items, N."""
        return int(self.source.num_rows)

    @property
    def n_generations(self) -> int:
        """Largest number of generations of an item, k; 0 if the pool has none."""
        column = self._column("generations")
        return 0 if column is None else self._once(("k",), lambda: int(lengths(column).max(initial=0)))

    @property
    def complete(self) -> bool:
        """Whether every item has all k generations."""
        column = self._column("generations")
        if column is None:
            return False
        return self._once(("complete",), lambda: bool((lengths(column) == self.n_generations).all()))

    @property
    def digest(self) -> str:
        """Hex SHA-256 of the content: the same for the same content in every file format, and under every name."""
        return self._once(("digest",), lambda: pool_digest(self.leaves, self.n_items))

    @property
    def items_digest(self) -> str:
        """Hex SHA-256 of what people label: ids, prompts, choices and images, in the order of the items.

        Plans and labels bind to it, so they stay when the pool gets other generations, targets or columns.
        """
        return self._once(("items digest",), lambda: items_digest(self._hashed(ITEM_COLUMNS), self.n_items))

    @property
    def leaves(self) -> Sequence[Leaf]:
        """Return the leaves of the digests (``core.pool.digest``)."""
        return self._hashed(self.source.column_names)

    @property
    def items(self) -> pd.DataFrame:
        """The items, indexed by ``id``: prompt, choices, answer, group, image, answer_kind, extras; those present."""
        # With copy-on-write a shallow copy costs nothing and keeps changes of the caller's to the caller.
        return self._once(("items",), self._frame).copy(deep=False)

    @property
    def groups(self) -> NDArray[np.int64] | None:
        """(N,) group of each item as a number 0 … G−1 by first appearance; None without groups. Read-only.

        Items without a group are one group.
        """
        column = self._column("group")
        return None if column is None else self._once(("groups",), lambda: _read_only(_codes(column)))

    @property
    def group_names(self) -> tuple[str | None, ...]:
        """Names of the groups by their numbers in :attr:`groups`, None for the items without one; () without groups."""
        column = self._column("group")
        return (
            ()
            if column is None
            else self._once(("group names",), lambda: tuple(_encoded(column).dictionary.to_pylist()))
        )

    @property
    def n_groups(self) -> int:
        """Groups that have a name."""
        return len(set(self.group_names) - {None})

    @property
    def weights(self) -> NDArray[np.float64] | None:
        """(N,) weights of the items, above 0, with a mean of 1; None if all items count the same. Read-only."""
        column = self._column(WEIGHT)
        return None if column is None else self._once(("weights",), lambda: mean_one(column.to_numpy()))

    def weighted(self, by: str | Mapping[str, float] | None, group: str = "group") -> Pool:
        """Give the items weights, such as their traffic: accuracies then count each item by its weight.

        Parameters
        ----------
        by : str, mapping or None
            None takes weights away. A column of numbers, at least 0; or for each group its share of the whole in per
            cent, such as ``{"billing": 40}``. Groups that are not named have what is left, in proportion to their
            items.
        group : str
            The column of the groups.

        Returns
        -------
        Pool
            Without the items of weight 0, which never need a label.

        Raises
        ------
        PoolError
            There is no such column, a weight is missing, below 0 or no number (all rows are named), or all are 0; or
            no item is in a group that is named, or shares are below 0, or do not add up to 100.
        """
        source, note, left = item_weights.weighted(self.table, by, group)
        notes = [one for one in self.notes if not one.startswith(item_weights.COUNT_BY)] + [note] * bool(note)
        notes += [f"{left:,} {WEIGHTLESS}, {'is' if left == 1 else 'are'} left out."] * bool(left)
        return replace(self, source=source, notes=tuple(notes), _cache={})

    def check_unweighted(self, what: str) -> None:
        """Refuse weights of items for what would ignore them.

        Parameters
        ----------
        what : str
            Such as "A version gate", the beginning of the sentence.

        Raises
        ------
        DesignError
            Items have weights that differ.
        """
        if self.weights is not None:
            raise DesignError(
                f"{what} counts every item the same, and the items of this pool have weights. Use the pool without "
                "weights: pool.weighted(None), or “No weights” on page Pool."
            )

    @property
    def ids(self) -> ItemIds:
        """(N,) ids of the items, texts, in the order of the pool. Read-only."""
        return self._once(("ids",), lambda: _read_only(_objects(self.source.column("id"))))

    @property
    def generations(self) -> Sequence[list[str]] | None:
        """N lists of the surrogate's outputs, converted only if looked at; None if the pool has none."""
        column = self._column("generations")
        return None if column is None else ArrowSequence(column, list)

    @property
    def logprobs(self) -> NDArray[np.float64] | None:
        """(N, k) sequence log-probabilities, NaN pads; None unless every generation of the pool has one."""
        return self._once(("logprobs",), lambda: self._padded("logprobs"))

    @property
    def token_logprobs(self) -> NDArray[np.float64] | None:
        """(N, k) mean log-probabilities per token, NaN pads; None unless every generation of the pool has one."""
        return self._once(("token_logprobs",), lambda: self._padded("token_logprobs"))

    @property
    def targets(self) -> Targets:
        """Target models by name, in the order of the file."""
        return Targets(self, self._once(("targets",), lambda: dict.fromkeys(models(self.source))))

    def losses(self, target: str, parser: str | None = None) -> NDArray[np.float64]:
        """Compute the losses of a target: its ``loss``, or else 0/1 from its ``answer`` or ``text`` against the truth.

        Parameters
        ----------
        target : str
            Name of the target.
        parser : str, optional
            A kind of ``core.answers`` for outputs and truths of all items; by default an item's ``answer_kind``.

        Returns
        -------
        (N,) float
            Losses; 1 for an output without an answer, NaN if the outcome or the truth is unknown. Read-only.

        Raises
        ------
        PoolError
            The pool has no such target.
        """
        self._check_target(target)
        check_kind(parser)
        return self._once(
            ("losses", target, parser or ""), lambda: _read_only(outcomes.losses(self.source, target, parser))
        )

    def run_counts(self, target: str) -> NDArray[np.int64]:
        """Count the runs of a target on each item, (N,) int; 1 for a single answer. Raises as :meth:`losses`."""
        self._check_target(target)
        return self._once(("run counts", target), lambda: _read_only(run_counts(self.source, target)))

    @property
    def sizes(self) -> str:
        """Number of items, and of runs of each if a target has several: “50 items × 4 runs”."""
        several = [self.run_counts(name) for name in self.targets if has_runs(self.source, name)]
        counts = np.concatenate(several) if several else np.ones(1, dtype=np.int64)
        least, most = int(counts.min()), int(counts.max())
        runs = f" × {f'{least:,} to ' * (least < most)}{most:,} runs" if most > 1 else ""
        return f"{counted(self.n_items, 'item')}{runs}"

    def varies(self, target: str) -> bool:
        """Whether a target was run several times on some item: its single answer is that of the first run."""
        return has_runs(self.source, target) and bool((self.run_counts(target) > 1).any())

    def vary(self, one: str, other: str) -> bool:
        """Whether one of two targets varies; not if both have the same outputs in all runs, as in copies of one log."""
        return (self.varies(one) or self.varies(other)) and not same_runs(self.source, one, other)

    def run_losses(self, target: str, parser: str | None = None) -> NDArray[np.float64]:
        """Compute the losses of a target's runs, in the order of the runs; parameters and errors as :meth:`losses`.

        Returns
        -------
        (N, R) float
            NaN if an outcome is unknown, and beyond an item's last run. Read-only.
        """
        self._check_target(target)
        check_kind(parser)
        return self._once(
            ("run losses", target, parser or ""), lambda: _read_only(run_losses(self.source, target, parser))
        )

    def classes(
        self, parser: str | None = None, progress: Callable[[float], None] | None = None
    ) -> NDArray[np.int16] | NDArray[np.int32]:
        """Sort the generations of each item into meaning classes.

        Parameters
        ----------
        parser : str, optional
            A kind of ``core.answers`` for all items. By default an item's ``meanings`` if it has them, or else its
            ``generation_answers``, or else its ``answer_kind``, or else "as-is".
        progress : callable, optional
            Called now and then with the share of distinct texts read; not at all if they were read before.

        Returns
        -------
        (N, k) int
            Classes, numbered by first appearance in the item; −1 pads an item with fewer than k generations. Read-only.

        Raises
        ------
        PoolError
            The pool has no generations.
        """
        codes = self._parsed(parser, progress).codes
        return self._once(("classes", parser or ""), lambda: _read_only(classes_of_codes(codes)))

    def target_classes(self, target: str, parser: str | None = None) -> NDArray[np.int32]:
        """Find the meaning class of a target's answer in the labelling of :meth:`classes`.

        Parameters
        ----------
        target : str
            Name of the target. Its ``answer`` counts, or else its ``text``.
        parser : str, optional
            As for the generations. By default the target's ``meaning`` if it has one, or else an item's
            ``answer_kind``, or else "as-is".

        Returns
        -------
        (N,) int
            An answer that no generation gives has the number after the last class of its item; −1 if the pool does
            not have the target's answer. Read-only.

        Raises
        ------
        PoolError
            The pool has no such target, or no generations.
        """
        self._check_target(target)
        parsed, labels = self._parsed(parser), self.classes(parser)
        spelled = self._spelled() if parser is None and "meanings" in self.source.column_names else parsed
        return self._once(
            ("target classes", target, parser or ""),
            lambda: _read_only(outcomes.classes(self.source, target, parser, parsed, spelled, labels)),
        )

    def target_answers(self, target: str, parser: str | None = None) -> NDArray[np.object_]:
        """Parse a target's answers, so that equal answers of targets are equal texts, generations or not.

        Parameters
        ----------
        target : str
            Name of the target. Its ``answer`` counts, or else its ``text``.
        parser : str, optional
            As in :meth:`losses`.

        Returns
        -------
        (N,) str or None
            None if the target gave no answer, or it is not known. Read-only.

        Raises
        ------
        PoolError
            The pool has no such target.
        """
        self._check_target(target)
        check_kind(parser)
        return self._once(
            ("target answers", target, parser or ""), lambda: _read_only(outcomes.answers(self.source, target, parser))
        )

    @property
    def item_digests(self) -> NDArray[np.object_]:
        """SHA-256 of each item's prompt, choices and images, (N,) hex; of the pool's items and its id without a prompt.

        An item that stands in several pools has one digest, whatever its id there; see `known_by_rows`.
        """
        return self._once(("item digests",), lambda: _read_only(item_digests(self.table, self.items_digest)))

    @property
    def known_by_rows(self) -> bool:
        """Whether only the numbers of their rows tell items apart, as they would in any file of this size."""
        return "prompt" not in self.source.column_names and are_row_numbers(self.ids)

    def class_counts(self, parser: str | None = None, progress: Callable[[float], None] | None = None) -> ClassCounts:
        """Count the generations in each meaning class of every item; parameters and errors as in :meth:`classes`."""
        classes = self.classes(parser, progress)
        return self._once(("class counts", parser or ""), lambda: class_counts(classes))

    def agreeing(self, target: str, parser: str | None = None) -> NDArray[np.int64]:
        """Count an item's generations in the class of a target's answer, (N,) int; −1 where its answer is unknown.

        Parameters and errors as in :meth:`target_classes`.
        """
        answers, classes = self.target_classes(target, parser), self.classes(parser)

        def counted() -> NDArray[np.int64]:
            same = ((classes == answers[:, None]) & (classes >= 0)).sum(axis=1)
            return _read_only(np.where(answers >= 0, same, -1))

        return self._once(("agreeing", target, parser or ""), counted)

    def answers(self, parser: str | None = None) -> list[list[str | None]]:
        """Parse the generations: N lists of answers, None for no answer; ``parser`` as in :meth:`classes`."""
        return self._parsed(parser).answers()

    def item_answers(self, position: int, parser: str | None = None) -> list[str | None]:
        """Parse the generations of the item at ``position`` 0 … N−1; ``parser`` as in :meth:`classes`."""
        parsed = self._parsed(parser)
        return [parsed.vocabulary[code] for code in parsed.codes[position].tolist() if code != PAD]

    def places(self, ids: Iterable[str]) -> NDArray[np.int64]:
        """Find the places of items by their ids, (n,) int from 0; −1 where the pool has no such item."""
        index, given = self.items.index, list(ids)
        try:
            # Of the index's own type: pandas would convert the whole index to another one at every call.
            sought = pd.Index(given, dtype=index.dtype)
        except UnicodeEncodeError:
            # Half of a surrogate pair, which no id of a pool has.
            sought = pd.Index(given, dtype=object)
        return np.asarray(index.get_indexer(sought), dtype=np.int64)

    def find(self, text: str) -> NDArray[np.int64]:
        """Find the places of the items with a text in id, prompt or group, in any case, ascending; "" finds all."""
        if not text:
            return np.arange(self.n_items)
        hits = np.asarray(self.items.index.str.contains(text, case=False, regex=False), dtype=bool)
        for column in ("prompt", "group"):
            if column in self.items:
                found = self.items[column].str.contains(text, case=False, regex=False, na=False)
                hits |= found.to_numpy(dtype=bool)
        return np.flatnonzero(hits)

    def rows(self, places: Sequence[int] | NDArray[np.int64]) -> pd.DataFrame:
        """Look up the items at these places; columns as in :attr:`items`, in the order of the places."""
        return self.items.iloc[np.asarray(places, dtype=np.int64)]

    def items_with(self, ids: Iterable[str]) -> pd.DataFrame:
        """Give a frame as :attr:`items` that has these items, as far as the pool does; others may be missing."""
        return self.items

    def part(self, places: Sequence[int] | NDArray[np.int64], names: Collection[str] | None = None) -> Pool:
        """Make a pool of the items at these places, 0 … N−1, in their order, with all columns or some."""
        table = self.table if names is None else self.source.select([n for n in self.source.column_names if n in names])
        rows = [table.slice(int(place), 1) for place in places] or [table.slice(0, 0)]
        return Pool(self.name, pa.concat_tables(rows).combine_chunks(), self.notes)

    @property
    def item_columns(self) -> tuple[str, ...]:
        """Names of the columns of :attr:`items`; reads none."""
        return tuple(name for name in self.source.column_names if name not in (*_NOT_SHOWN, "id"))

    def parse_report(self, parser: str | None = None) -> pd.DataFrame:
        """Count the texts with an answer, a row for each generation, the truth and each target.

        Columns as in ``core.pool.parsing``; ``parser`` as in :meth:`classes`.
        """
        check_kind(parser)
        parsed = None if self._column("generations") is None else self._parsed(parser)
        return self._once(("report", parser or ""), lambda: parse_report(self.source, parsed, parser)).copy()

    def unparsed_share(self, parser: str | None = None) -> float:
        """Return the share of the generations in which no answer was found; NaN without any."""
        report = self.parse_report(parser)
        rows = report[report["source"].str.startswith("generation ")]
        return float(rows["unparsed"].sum() / texts) if (texts := rows["texts"].sum()) else math.nan

    def unparsed(self, parser: str | None = None) -> pd.DataFrame:
        """Count the texts without an answer by the pattern that they follow.

        Columns as in ``core.pool.parsing``; ``parser`` as in :meth:`classes`.
        """
        check_kind(parser)
        parsed = None if self._column("generations") is None else self._parsed(parser)
        return self._once(("unparsed", parser or ""), lambda: unparsed_patterns(self.source, parsed, parser)).copy()

    def write(self, path: str | Path) -> None:
        """Write the pool as ``.jsonl``, ``.jsonl.gz`` or ``.parquet``, by suffix; reading it back keeps the digest."""
        if isinstance(self.source, StoredTable):
            writing.write_pieces(self.source.pieces(self.source.column_names, _PIECE), Path(path))
        else:
            writing.write(self.table, Path(path))

    def _check_target(self, target: str) -> None:
        names = self.targets
        if target not in names:
            known = f"Its targets are {', '.join(names)}." if names else "It has no targets."
            raise PoolError(f"This pool has no target “{target}”. {known}")

    def _parsed(self, parser: str | None, progress: Callable[[float], None] | None = None) -> Parsed:
        check_kind(parser)
        if self._column("generations") is None:
            raise PoolError("This pool has no generations. Run a surrogate on it, or add the key “generations”.")
        return self._once(("parsed", parser or ""), lambda: parsed_generations(self.source, parser, progress))

    def _spelled(self) -> Parsed:
        """The answers as they were before they were grouped by meaning."""
        return self._once(("spelled",), lambda: parsed_generations(self.source, None, grouped=False))

    def _hashed(self, names: Iterable[str]) -> Sequence[Leaf]:
        """Hash these columns, as far as the pool has them, each once."""
        if isinstance(self.source, StoredTable):
            return self.source.leaves
        return [
            leaf
            for name in names
            if (column := self._column(name)) is not None
            for leaf in self._once(("leaves", name), partial(leaves, (name,), column))
        ]

    def _column(self, name: str) -> pa.ChunkedArray | None:
        return self.source.column(name) if name in self.source.column_names else None

    def _once(self, key: tuple[str, ...], make: Callable[[], _Value]) -> _Value:
        if key not in self._cache:
            self._cache[key] = make()
        return cast(_Value, self._cache[key])

    def _frame(self) -> pd.DataFrame:
        names = [name for name in self.source.column_names if name not in _NOT_SHOWN]
        frame: pd.DataFrame = self.source.select(names).to_pandas(types_mapper={TEXTS: _LISTS}.get)
        return frame.set_index("id")

    def _padded(self, name: str) -> NDArray[np.float64] | None:
        column = self._column(name)
        if column is None or self.n_generations == 0:
            return None
        count = lengths(self.source.column("generations"))
        if not np.array_equal(lengths(column), count):
            return None
        values = np.full((self.n_items, self.n_generations), np.nan)
        values[np.arange(self.n_generations) < count[:, None]] = pc.list_flatten(column).to_numpy()
        return _read_only(values)


def check_kind(parser: str | None) -> None:
    """Refuse what is no kind of ``core.answers``; None is each item's own."""
    if parser is not None and parser not in KINDS:
        raise DesignError(f"There is no answer kind “{parser}”. Choose one of {', '.join(KINDS)}.")


def _codes(column: pa.ChunkedArray) -> NDArray[np.int64]:
    """Numbers of a column's distinct values by first appearance, (N,); null is a value."""
    return np.asarray(_encoded(column).indices.to_numpy(), dtype=np.int64)


def _encoded(column: pa.ChunkedArray) -> pa.DictionaryArray:
    return column.combine_chunks().dictionary_encode(null_encoding="encode")


def _objects(column: pa.ChunkedArray) -> NDArray[np.object_]:
    return np.asarray(column.to_pandas().to_numpy(dtype=object))


def _read_only(array: _Array) -> _Array:
    array.setflags(write=False)
    return array
