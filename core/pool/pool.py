"""The pool: test items, the surrogate's generations, and what is known of target models on them.

A pool is immutable. Its columns stay in Arrow (``table``); arrays and frames are made on first use and kept. Read one
with ``core.readers.read``, or make one from Python records with ``Pool.from_records``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from core.answers import KINDS, classes_of_codes
from core.errors import DesignError, PoolError, Problem
from core.pool import outcomes, writing
from core.pool.columns import TARGETS, TEXTS, Loose, canonical, leaf, lengths, models
from core.pool.digest import ITEM_COLUMNS, Leaf, items_digest, leaves, pool_digest
from core.pool.parse_report import parse_report
from core.pool.parsing import PAD, Parsed, parsed_generations
from core.pool.problems import Problems
from core.pool.records import Records
from core.pool.sequences import ArrowSequence
from core.pool.stored import StoredTable

__all__ = ["Pool", "Target"]

_Made = TypeVar("_Made")
_Array = TypeVar("_Array", bound=NDArray[Any])
_NOT_SHOWN = ("generations", "generation_answers", "logprobs", "token_logprobs", TARGETS)
_LISTS = pd.ArrowDtype(TEXTS)


@dataclass(frozen=True, slots=True, eq=False)
class Target:
    """What is known of one target model, item by item.

    ``losses`` is (N,) float64, NaN where unknown; ``answers`` and ``texts`` are sequences of N texts, None where
    unknown, or None where the pool has none at all.
    """

    name: str
    losses: NDArray[np.float64]
    answers: Sequence[str | None] | None
    texts: Sequence[str | None] | None


@dataclass(frozen=True, slots=True, eq=False)
class Pool:
    """A test pool.

    Parameters
    ----------
    name : what people call it.
    source : the canonical native columns (``core.pool.columns``): a pyarrow.Table, or a StoredTable that reads them
        when they are looked at. Both have ``column_names``, ``column`` and ``select``.
    notes : remarks of the reader that do not stop the pool.

    Make one with a reader or with :meth:`from_records`; both check the content, the constructor does not.
    """

    name: str
    source: pa.Table | StoredTable
    notes: tuple[str, ...] = ()
    _made: dict[tuple[str, ...], Any] = field(default_factory=dict, repr=False)

    @classmethod
    def from_records(cls, records: Iterable[Mapping[str, Any]], name: str = "pool") -> Pool:
        """Make a pool from dicts with the native keys (DESIGN 5); numbers of rows in errors count from 1.

        Raises
        ------
        PoolError : with every problem found.
        """
        problems = Problems()
        collected = Records(problems)
        for row, record in enumerate(records, start=1):
            collected.add(row, dict(record))
        return cls.from_loose(collected.loose(), problems, name)

    @classmethod
    def from_loose(cls, loose: Loose, problems: Problems, name: str) -> Pool:
        """Check what a reader found and make the pool; raises :class:`PoolError` with every problem."""
        table = canonical(loose, problems)
        return cls(name, table, tuple(problems.notes))

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
        """Largest number of generations of an item, k; 0 where the pool has none."""
        column = self._column("generations")
        return 0 if column is None else self._once(("k",), lambda: int(lengths(column).max(initial=0)))

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
        """What the digests are made of, leaf by leaf (``core.pool.digest``)."""
        return self._hashed(self.source.column_names)

    @property
    def items(self) -> pd.DataFrame:
        """The items, indexed by ``id``: prompt, choices, answer, group, image, answer_kind, extras; those present."""
        # With copy-on-write a shallow copy costs nothing and keeps changes of the caller's to the caller.
        return self._once(("items",), self._frame).copy(deep=False)

    @property
    def ids(self) -> NDArray[np.object_]:
        """(N,) ids of the items, texts, in the order of the pool. Read-only."""
        return self._once(("ids",), lambda: _read_only(self.source.column("id").to_pandas().to_numpy(dtype=object)))

    @property
    def generations(self) -> Sequence[list[str]] | None:
        """N lists of the surrogate's outputs, converted only where looked at; None where the pool has none."""
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
    def targets(self) -> Mapping[str, Target]:
        """Target models by name, in the order of the file."""
        return _Targets(self, models(self.source))

    def losses(self, target: str, parser: str | None = None) -> NDArray[np.float64]:
        """(N,) losses of a target: its ``loss``, or else 0/1 from its ``answer`` or ``text`` against the item's truth.

        An output without an answer is wrong (1). NaN where the outcome or the truth is unknown. Read-only.

        Parameters
        ----------
        parser : a kind of ``core.answers`` for outputs and truths of all items; by default an item's ``answer_kind``.

        Raises
        ------
        PoolError : the pool has no such target.
        """
        names = models(self.source)
        if target not in names:
            known = f"its targets are {', '.join(names)}." if names else "it has no targets."
            raise PoolError([Problem(f"This pool has no target “{target}”;", field="targets", remedy=known)])
        _check_kind(parser)
        return self._once(
            ("losses", target, parser or ""), lambda: _read_only(outcomes.losses(self.source, target, parser))
        )

    def classes(
        self, parser: str | None = None, progress: Callable[[float], None] | None = None
    ) -> NDArray[np.int16] | NDArray[np.int32]:
        """(N, k) meaning class of each generation, labelled by first appearance; −1 pads. Read-only.

        Parameters
        ----------
        parser : a kind of ``core.answers`` for all items. By default an item's ``generation_answers`` where it has
            them, or else its ``answer_kind``, or else "as-is".
        progress : called now and then with the share of distinct texts read; not at all where they were read before.

        Raises
        ------
        PoolError : the pool has no generations.
        """
        codes = self._parsed(parser, progress).codes
        return self._once(("classes", parser or ""), lambda: _read_only(classes_of_codes(codes)))

    def answers(self, parser: str | None = None) -> list[list[str | None]]:
        """N lists of the parsed answers of the generations (None: no answer); ``parser`` as in :meth:`classes`."""
        return self._parsed(parser).answers()

    def item_answers(self, position: int, parser: str | None = None) -> list[str | None]:
        """Parsed answers of the item at ``position`` 0 … N−1; parser as in :meth:`answers`."""
        parsed = self._parsed(parser)
        return [parsed.vocabulary[code] for code in parsed.codes[position].tolist() if code != PAD]

    def parse_report(self, parser: str | None = None) -> pd.DataFrame:
        """How many texts had an answer, a row for each generation, the truth and each target
        (``core.pool.parse_report``)."""
        _check_kind(parser)
        parsed = None if self._column("generations") is None else self._parsed(parser)
        return self._once(("report", parser or ""), lambda: parse_report(self.source, parsed, parser)).copy()

    def write(self, path: str | Path) -> None:
        """Write the pool as ``.jsonl``, ``.jsonl.gz`` or ``.parquet``, by suffix; reading it back keeps the digest."""
        writing.write(self.table, Path(path))

    def _parsed(self, parser: str | None, progress: Callable[[float], None] | None = None) -> Parsed:
        _check_kind(parser)
        if self._column("generations") is None:
            raise PoolError("This pool has no generations; run a surrogate on it or add the key “generations”.")
        return self._once(("parsed", parser or ""), lambda: parsed_generations(self.source, parser, progress))

    def _hashed(self, names: Iterable[str]) -> Sequence[Leaf]:
        """The leaves of these columns, as far as the pool has them; each column is hashed once."""
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

    def _once(self, key: tuple[str, ...], make: Callable[[], _Made]) -> _Made:
        if key not in self._made:
            self._made[key] = make()
        return cast(_Made, self._made[key])

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


class _Targets(Mapping[str, Target]):
    """The targets of a pool; each is put together when it is looked at."""

    def __init__(self, pool: Pool, names: Sequence[str]) -> None:
        self._pool = pool
        self._names = tuple(names)

    def __getitem__(self, name: str) -> Target:
        if name not in self._names:
            raise KeyError(name)
        answers, texts = (leaf(self._pool.source, name, part) for part in ("answer", "text"))
        return Target(
            name,
            self._pool.losses(name),
            None if answers is None else ArrowSequence(answers),
            None if texts is None else ArrowSequence(texts),
        )

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return f"<targets {', '.join(self._names)}>"


def _check_kind(parser: str | None) -> None:
    if parser is not None and parser not in KINDS:
        raise DesignError(f"There is no answer kind “{parser}”; choose one of {', '.join(KINDS)}.")


def _read_only(array: _Array) -> _Array:
    array.setflags(write=False)
    return array
