"""Pools, results of models and labels out of files that may be anything."""

from __future__ import annotations

import logging
import mmap
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from threading import BoundedSemaphore, Lock
from typing import IO, Any, BinaryIO

import pyarrow as pa

from ...errors import LabelError, NeymanError, PoolError, Problem
from ...files.open import Source
from ...labels.formats.label_file import LabelFile, called
from ...pool.pool import Pool
from ...readers.field_map import FieldMap
from ...readers.model_outputs import ModelOutputs
from ...readers.model_results import ModelResults
from ...readers.results import read_results
from ...readers.shape import Shape
from ..recovery import home_error
from .helper import (
    BANK,
    FILE,
    FORKS,
    LABELS,
    MAPPED,
    MEMORY,
    POOL,
    RESULTS,
    SLOW,
    TIME,
    Crossing,
    Helper,
    HelperStopped,
    ReadLimits,
    to_error,
    to_file,
    to_labels,
    to_pool,
    to_results,
)

_LOG = logging.getLogger(__name__)
# What is read of larger files stays on the disk, if the system may leave it until it is looked at.
_SMALL = 64 * 1024**2
# Most files that are read at the same time, and most slow ones among them; others wait.
_AT_ONCE, _SLOW_ONES = 2, 1


class Quarantine:
    """Reads each file in a separate process, forked from one helper; may be used by several threads.

    Two files are read at the same time, but only one that is slow: another slow one is read again from its beginning
    once the first is done, so that there is always a reader for files that take a few seconds.

    Parameters
    ----------
    limits : ReadLimits
        What reading one file may take.
    """

    def __init__(self, limits: ReadLimits | None = None) -> None:
        self.limits = limits or ReadLimits()
        self._turns, self._slow = BoundedSemaphore(_AT_ONCE), BoundedSemaphore(_SLOW_ONES)
        self._lock = Lock()
        self._ahead: Helper | None = None

    def warm(self) -> None:
        """Start the helper ahead of the first file, unless it waits already: starting takes about a second."""
        with self._lock:
            if self._ahead is None or not self._ahead.alive:
                self._ahead = Helper()

    def close(self) -> None:
        """End the helper, once it has no reader left."""
        with self._lock:
            self._ahead = None

    def pool(self, path_or_bytes: str | Path | bytes, name: str | None, folder: Path) -> Pool:
        """Read a pool as `core.readers.read` does.

        Parameters
        ----------
        path_or_bytes : str, Path or bytes
            Path of a file, or the content itself.
        name : str or None
            What the pool is called; None for the file's name without its endings.
        folder : Path
            Where the content and what is read of it are put meanwhile, in files without a name that end with their use.

        Returns
        -------
        Pool
            Its columns are mapped from such a file.

        Raises
        ------
        PoolError
            With every problem, or because the file takes more than the limits.
        """
        source = Source.of(path_or_bytes, name)
        return to_pool(self._read(POOL, source, source.name, folder))

    def file(self, path_or_bytes: str | Path | bytes, name: str | None, folder: Path) -> Pool | Shape:
        """Read a pool as :meth:`pool` does; of a file that no reader recognizes, return the shape."""
        source = Source.of(path_or_bytes, name)
        return to_file(self._read(FILE, source, source.name, folder))

    def mapped(
        self,
        path_or_bytes: str | Path | bytes,
        fields: FieldMap,
        name: str | None,
        folder: Path,
        most: int | None = None,
    ) -> Pool:
        """Read a pool as `core.readers.read_mapped` does; parameters and errors are those of the two."""
        source = Source.of(path_or_bytes, name)
        options = {"map": fields.as_json(), "most": most}
        return to_pool(self._read(MAPPED, source, source.name, folder, options))

    def results(
        self,
        files: Mapping[str, bytes | Path],
        folder: Path,
        progress: Callable[[float], None] | None = None,
        maps: Mapping[str, FieldMap] | None = None,
    ) -> ModelResults:
        """Read the result files of several models as `core.readers.read_results` does, each in a separate process.

        Parameters
        ----------
        files : mapping of str to bytes or Path
            Content or path of each file by its name.
        folder : Path
            As in :meth:`pool`.
        progress : callable, optional
            Called after each file with the share of files read.
        maps : mapping of str to FieldMap, optional
            For files of no known format: maps by the digests of their shapes.

        Returns
        -------
        ModelResults

        Raises
        ------
        PoolError
            As :meth:`pool`.
        """
        options = {"maps": {shape: fields.as_json() for shape, fields in (maps or {}).items()}}

        def outputs(content: bytes | Path, file: str) -> ModelOutputs:
            refusal = partial(_no_pool, file=file)
            return to_results(self._read(RESULTS, Source.of(content, file), file, folder, options, refusal))

        return read_results(files, progress, outputs)

    def labels(self, content: bytes, name: str | None, folder: Path) -> LabelFile:
        """Read a file of labels as `core.labels.read` does.

        Parameters
        ----------
        content : bytes
            The file.
        name : str or None
            Name of the file, for messages.
        folder : Path
            As in :meth:`pool`.

        Returns
        -------
        LabelFile

        Raises
        ------
        LabelError
            If the file is damaged, holds no labels, or takes more than the limits.
        """
        return to_labels(self._read(LABELS, Source.of(content, name), name, folder, refusal=partial(_no_labels, name)))

    def bank(self, content: bytes, name: str | None, folder: Path) -> tuple[pa.Table, dict[str, str]]:
        """Read a file of a bank of verdicts as `core.archive.verdict_store.read_bank_file` does.

        Parameters
        ----------
        content : bytes
            The file.
        name : str or None
            Name of the file, for messages.
        folder : Path
            As in :meth:`pool`.

        Raises
        ------
        LabelError
            It is none, or takes more than the limits.
        """
        return self._read(BANK, Source.of(content, name), name, folder, refusal=partial(_no_labels, name))

    def _read(
        self,
        kind: str,
        source: Source,
        name: str | None,
        folder: Path,
        options: Mapping[str, Any] | None = None,
        refusal: Callable[[Problem], NeymanError] = lambda problem: _no_pool(problem),
    ) -> Crossing:
        """Read a file; ``refusal`` makes the error if it takes more than the limits, or ends its reader."""
        job = {"kind": kind, "name": name, "options": options or {}, **asdict(self.limits)}
        try:
            return self._in_turn(job, source, folder)
        except HelperStopped as stopped:
            raise refusal(self._problem(stopped)) from None

    def _in_turn(self, job: Mapping[str, Any], source: Source, folder: Path) -> Crossing:
        """Read a file among others, and once more in the turn of slow ones if it is slow."""
        with ExitStack() as slow:

            def may_go_on() -> bool:
                free = self._slow.acquire(blocking=False)
                if free:
                    slow.callback(self._slow.release)
                return free

            try:
                return self._tried(job, source, folder, may_go_on)
            except HelperStopped as stopped:
                if stopped.reason != SLOW:
                    raise
            # Without a reader meanwhile, and without the memory of one.
            slow.enter_context(self._slow)
            return self._tried(job, source, folder, lambda: True)

    def _tried(self, job: Mapping[str, Any], source: Source, folder: Path, may_go_on: Callable[[], bool]) -> Crossing:
        with self._turns, ExitStack() as files:
            try:
                file = files.enter_context(_file_of(source, folder))
                result = files.enter_context(_result(os.stat(file.fileno()).st_size, folder))
            except OSError as error:
                raise home_error(error, folder) from error
            answer = self._helper().answer(job, (file.fileno(), result.fileno()), self.limits, may_go_on)
            if "rest" in answer:
                return Crossing(_mapped(result), answer["rest"])
        if "stopped" in answer:
            raise HelperStopped(answer["stopped"])
        if "system" in answer:
            raise home_error(OSError(answer["system"]), folder)
        if "unexpected" in answer:
            _LOG.error("A reader failed at a file.\n%s", answer["unexpected"])
            raise HelperStopped("unexpected")
        raise to_error(answer)

    def _helper(self) -> Helper:
        with self._lock:
            helper = self._ahead if self._ahead is not None and self._ahead.alive else Helper()
            self._ahead = helper if FORKS else None
        return helper

    def _problem(self, stopped: HelperStopped) -> Problem:
        """Say why nothing was read, and what to do."""
        gigabytes, seconds = self.limits.memory / 1024**3, self.limits.seconds
        smaller = "Keep only what Neyman reads, or split the file. If you trust it, start the app with"
        if stopped.reason == MEMORY:
            message = f"reading this file takes more than {gigabytes:.3g} GiB of memory."
            return Problem(message, remedy=f"{smaller} NEYMAN_READ_MEMORY={2 * gigabytes:.3g}.")
        if stopped.reason == TIME:
            message = f"reading this file takes longer than {seconds:g} s."
            return Problem(message, remedy=f"{smaller} NEYMAN_READ_SECONDS={5 * seconds:g}.")
        message = "the reader broke down over this file. It is damaged, or takes too much memory."
        return Problem(message, remedy="Save or download it again.")


def _no_pool(problem: Problem, file: str | None = None) -> PoolError:
    return PoolError([replace(problem, file=file)])


def _no_labels(name: str | None, problem: Problem) -> LabelError:
    return LabelError(f"{called(name)} cannot be read: {problem.message} {problem.remedy}")


@contextmanager
def _file_of(source: Source, folder: Path) -> Iterator[BinaryIO]:
    """Open the file, or a copy of the content without a name."""
    if source.path is not None:
        with source.path.open("rb") as file:
            yield file
    else:
        with tempfile.TemporaryFile(dir=folder) as copy:
            copy.write(source.data)
            copy.flush()
            yield copy


def _result(size: int, folder: Path) -> IO[bytes]:
    """Open a file without a name for what is read of one of this size: a small one needs no disk on Linux."""
    if size <= _SMALL and hasattr(os, "memfd_create"):
        return os.fdopen(os.memfd_create("neyman"), "wb+")
    return tempfile.TemporaryFile(dir=folder)


def _mapped(file: IO[bytes]) -> pa.Table:
    return pa.ipc.open_file(pa.py_buffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))).read_all()
