"""The parts of one piece of work, brought together in the store of this machine: what is there is never replaced.

A part is a job in some home (a shard's folder, say) or a Parquet file of rows (`core.surrogate.parts`). All parts have
the same work (:attr:`core.surrogate.job.spec.JobSpec.work`), and fill one job, which can be exported, looked at on page
Surrogate, and resumed for whatever no part has.
"""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..archive.archive import Archive
from ..archive.database import FILE
from ..archive.owned_files import POOLS
from ..pool.problems import shown
from ..words import counted
from .client.replies import Answers
from .faults import ItemFault, SurrogateError
from .filled_pool import Coverage, coverage
from .job.claim import Claim, filling
from .job.events import Event, Generation
from .job.source import ItemSource
from .job.spec import JobSpec, Shard, hash_of
from .job.store import JobRow, Store, now
from .parts import ITEMS, SUFFIX, PartFile, Place

_TOGETHER = 1_000


@dataclass(frozen=True, slots=True)
class MergeReport:
    """The outcome of merging.

    Parameters
    ----------
    job : str
        Id of the job that has it all.
    added, present : int
        Generations that the parts brought; those that were there before, which stayed.
    coverage : Coverage
        How far the job is.
    missing_shards : tuple of str
        Shards, "3/8", of which no part was given though others of their number were.
    contradicted : int
        Those of the ``present`` ones that a part has with another answer.
    """

    job: str
    added: int
    present: int
    coverage: Coverage
    missing_shards: tuple[str, ...] = ()
    contradicted: int = 0

    def __str__(self) -> str:
        other = f" (a part has another answer for {self.contradicted:,} of them)" if self.contradicted else ""
        text = f"{counted(self.added, 'generation')} added, {self.present:,} there before{other}; {self.coverage}"
        if not self.missing_shards:
            return text
        more = len(self.missing_shards) - 5
        named = ", ".join(self.missing_shards[:5]) + (f" and {more:,} more" if more > 0 else "")
        return f"{text}. No part is of the shards {named}"


class _StorePart:
    """A job in a home."""

    def __init__(self, store: Store, row: JobRow) -> None:
        self.path, self.spec, self.size = store.folder, row.spec, row.generations
        self.row, self._store = row, store

    def samples(self, _: _Positions) -> Iterator[tuple[int, Generation]]:
        """Each generation with the place of its item."""
        return self._store.generations(self.row)

    def failures(self) -> Iterator[Event]:
        """Yield an event for each item that failed for good."""
        query = "SELECT position, kind, message FROM surrogate_failures WHERE job = ? AND final = 1"
        for position, kind, message in self._store.database.select(query, self.row.number):
            yield Event.failed(position, ItemFault(kind, message))


class _FilePart:
    """A file of rows."""

    def __init__(self, place: Place) -> None:
        self._file = PartFile(place)
        self.path, self.spec, self.size = place, self._file.spec, self._file.size

    def samples(self, positions: _Positions) -> Iterator[tuple[int, Generation]]:
        """Each generation with the place of its item.

        Raises
        ------
        SurrogateError
            The pool has no such item.
        """
        for rows in self._file.batches():
            places = positions.of([row.item for row in rows])
            if (places < 0).any():
                foreign = shown(rows[int(np.argmin(places))].item)
                raise SurrogateError(f"“{self.path}” has generations of the item {foreign}, which is not in the pool.")
            yield from zip(places.tolist(), (row.generation for row in rows), strict=True)

    def failures(self) -> Iterator[Event]:
        """None: such a file says only what was generated."""
        return iter(())


_Part = _StorePart | _FilePart


class _Positions:
    """The places of items in a pool, looked up by the hashes of their ids: 16 bytes an item."""

    def __init__(self, source: ItemSource) -> None:
        self._source = source

    @cached_property
    def _table(self) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        """Hashes in ascending order, and the place of each."""
        hashes = np.fromiter(map(hash_of, self._source.ids()), np.uint64)
        order = np.argsort(hashes)
        hashes = hashes[order]
        if (hashes[1:] == hashes[:-1]).any():
            raise SurrogateError("Two ids of this pool have the same hash. Rename one of these items.")
        return hashes, order

    def of(self, ids: Sequence[str]) -> NDArray[np.int64]:
        """(n,) the places of the items with these ids, −1 for one that is not in the pool."""
        known, places = self._table
        hashes = np.fromiter(map(hash_of, ids), np.uint64, len(ids))
        ranks = np.minimum(np.searchsorted(known, hashes), len(known) - 1)
        return np.where(known[ranks] == hashes, places[ranks], -1)


def merge(store: Store, paths: Sequence[str | Path], digest: str | None = None, work: str = "") -> MergeReport:
    """Bring parts together in a job of ``store``: the newest for all their items, or else a new one.

    Parameters
    ----------
    store : Store
        Where the job is to be.
    paths : sequence of str or Path
        The parts: files of rows, homes, and folders that hold some, however deep; of those with an address (``s3://…``)
        only files of rows.
    digest : str, optional
        Of the pool, which is kept in the store; by default the parts' own, kept there or in the home of one of them.
    work : str
        The beginning of the work's digest; parts of other work are left aside.

    Raises
    ------
    SurrogateError
        There are no parts, they are of several works, their pool is not known, or the job is running.
    """
    seen: set[Path] = set()
    parts = _of_one_work([part for path in paths for part in _parts_at(path, seen)], work)
    spec = _whole([part.spec for part in parts])
    _keep_pool(store, spec.digest, parts, digest)
    source = ItemSource(store.folder, spec)
    row = next((row for row in store.rows() if row.spec.key == spec.key), None)
    job = store.create(spec, source.size, "waiting") if row is None else row.id
    parts = [part for part in parts if not (isinstance(part, _StorePart) and part.row.id == job)]
    if row is not None and row.state == "done":
        added, present, contradicted = 0, sum(part.size for part in parts), 0
    else:
        added, present, contradicted = _fill(store, job, parts, _Positions(source))
    return MergeReport(job, added, present, coverage(store, job), _missing_shards(parts, source), contradicted)


def _parts_at(path: str | Path, seen: set[Path]) -> Iterator[_Part]:
    if "://" not in str(path):
        yield from _parts(Path(path).expanduser(), seen)
    elif str(path).endswith(SUFFIX):
        yield _FilePart(Place(str(path)))
    else:
        yield from map(_FilePart, (place for place in Place(str(path)).files(SUFFIX) if _is_part(place.url)))


def _is_mergeable(row: JobRow) -> bool:
    """Whether a job has brought something, and that by items: verdicts on pairs are kept under their own keys."""
    return bool(row.generations or row.failed) and row.spec.grouping is None


def _is_part(path: str) -> bool:
    """Whether a file in a folder may be one of rows: not the pools of homes, nor the items that nodes read."""
    folder = posixpath.basename(posixpath.dirname(path))
    return folder != POOLS and not folder.startswith(f"{ITEMS}-")


def _parts(path: Path, seen: set[Path]) -> Iterator[_Part]:
    """The parts at a path, in the order of their names; none that was ``seen``, under whatever name."""
    if path.name == FILE and path.is_file():
        path = path.parent
    if path.resolve() in seen:
        return
    seen.add(path.resolve())
    if path.is_file():
        yield _FilePart(Place(str(path)))
    elif (path / FILE).is_file():
        store = Store(path)
        yield from (_StorePart(store, row) for row in store.rows() if _is_mergeable(row))
    elif path.is_dir():
        for inner in sorted(path.iterdir()):
            if inner.is_dir() or (inner.suffix.lower() == SUFFIX and _is_part(str(inner))):
                yield from _parts(inner, seen)
    else:
        raise SurrogateError(f"There is no “{path}”. Name a file of rows, a home, or a folder that holds some.")


def _of_one_work(parts: Sequence[_Part], work: str) -> list[_Part]:
    chosen = [part for part in parts if part.spec.work.startswith(work)]
    if not chosen:
        raise SurrogateError("There is nothing to merge: the parts have no generations, or all belong to other jobs.")
    first = chosen[0]
    for part in chosen:
        if part.spec.work != first.spec.work:
            names = ", ".join(_differences(first.spec.identity(), part.spec.identity()))
            raise SurrogateError(
                f"“{part.path}” and “{first.path}” are parts of different runs: they differ in {names}. Leave one out,"
                f" or choose a run: --work {first.spec.work[:12]} or --work {part.spec.work[:12]}."
            )
    return chosen


def _differences(one: dict[str, Any], other: dict[str, Any]) -> Iterator[str]:
    for name, value in one.items():
        if isinstance(value, dict):
            yield from _differences(value, other[name])
        elif value != other[name]:
            yield name


def _whole(specs: Sequence[JobSpec]) -> JobSpec:
    """The job for all items that some part is for."""
    lists = {spec.items for spec in specs}
    items = specs[0].items
    if len(lists) > 1:
        # In an order that is the same whatever that of the parts: it belongs to the job's key.
        items = None if None in lists else tuple(sorted(set(chain.from_iterable(filter(None, lists)))))
    return replace(specs[0], items=items, shard=None)


def _keep_pool(store: Store, digest: str, parts: Iterable[_Part], given: str | None) -> None:
    """See to it that the parts' pool is kept in the store."""
    if given not in (None, digest):
        raise SurrogateError("The parts belong to another pool. Name the file for which they were generated.")
    if (store.folder / POOLS / f"{digest}{SUFFIX}").exists():
        return
    for part in parts:
        if isinstance(part, _StorePart) and (part.path / POOLS / f"{digest}{SUFFIX}").exists():
            Archive(store.folder).pools.save(Archive(part.path).pools.load(digest), now())
            return
    raise SurrogateError("The pool of these parts is not kept here. Name its file with --pool.")


def _fill(store: Store, job: str, parts: Sequence[_Part], positions: _Positions) -> tuple[int, int, int]:
    """Store what the job lacks; return how many generations were added, how many it had, and of these had otherwise."""
    added = present = contradicted = 0
    with filling(store, job, "stopped") as claim:
        k = claim.row.spec.sampling.k
        for part in parts:
            for events, same in _events(claim, part.samples(positions), k):
                claim.add(events)
                added += sum(len(event.generations) for event in events)
                present += len(same)
                contradicted += same.count(False)
        failures = {event.position: event for part in parts for event in part.failures()}
        claim.add([event for position, event in failures.items() if len(claim.answers(position)) < k])
    return added, present, contradicted


def _events(
    claim: Claim, samples: Iterable[tuple[int, Generation]], k: int
) -> Iterator[tuple[list[Event], list[bool]]]:
    """Yield the samples that the job lacks, many items at a time, and whether those that it has have its answers."""
    answers: dict[int, Answers] = {}
    fresh: dict[int, list[Generation]] = {}
    same: list[bool] = []
    for position, generation in samples:
        if position not in answers:
            if len(answers) == _TOGETHER:
                yield _of_items(fresh, answers, k), same
                answers, fresh, same = {}, {}, []
            answers[position] = claim.answers(position)
        if generation.sample in answers[position]:
            same.append(generation.answer == answers[position][generation.sample])
        else:
            answers[position][generation.sample] = generation.answer
            fresh.setdefault(position, []).append(generation)
    yield _of_items(fresh, answers, k), same


def _of_items(fresh: dict[int, list[Generation]], answers: dict[int, Answers], k: int) -> list[Event]:
    """An event for each item with new samples; what a server has counted for them stays with the parts."""
    events = []
    for position, generations in fresh.items():
        sizes = sorted(Counter(answers[position].values()).values(), reverse=True)
        counts = tuple(sizes) if len(answers[position]) == k else None
        tokens = sum(generation.tokens or 0 for generation in generations)
        events.append(Event(position, generations, counts, completion_tokens=tokens, requests=0))
    return events


def _missing_shards(parts: Iterable[_Part], source: ItemSource) -> tuple[str, ...]:
    """The shards with items of which there is no part, if all parts are shards of one number."""
    shards = {part.spec.shard for part in parts}
    counts = {shard.count for shard in shards if shard is not None}
    if None in shards or len(counts) != 1:
        return ()
    (count,) = counts
    missing = {shard.index: shard for shard in (Shard(index, count) for index in range(count)) if shard not in shards}
    indices = {hash_of(name) % count for name in source.job_ids()} if missing else set()
    return tuple(str(shard) for index, shard in missing.items() if index in indices)
