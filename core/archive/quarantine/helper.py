"""The helper process, seen from here; and the results of reading a file as they cross between processes."""

from __future__ import annotations

import json
import math
import socket
import subprocess
import sys
import weakref
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import psutil
import pyarrow as pa

from ...errors import LabelError, NeymanError, PoolError, Problem
from ...files.open import report
from ...labels import reader
from ...labels.formats.label_file import COLUMNS, LabelFile, ModelColumn, ShownRow
from ...pool.account import FileAccount
from ...pool.origin import Origin
from ...pool.pool import Pool
from ...readers import read, read_or_shape
from ...readers.doubt import Doubt
from ...readers.field_map import FieldMap
from ...readers.mapped import read_mapped
from ...readers.model_outputs import ModelOutputs
from ...readers.results import read_outputs
from ...readers.shape import FieldPath, Shape
from ..verdict_store import no_bank, read_bank_file

POOL, FILE, MAPPED, RESULTS, LABELS, BANK = "pool", "file", "mapped", "results", "labels", "bank"


class Crossing(NamedTuple):
    """The result of reading a file: the table, and the rest as JSON."""

    table: pa.Table
    rest: dict[str, Any]


def of_pool(path: Path, name: str | None, options: Mapping[str, Any]) -> Crossing:
    """Read a pool."""
    return _crossing(read(path, name))


def of_file(path: Path, name: str | None, options: Mapping[str, Any]) -> Crossing:
    """Read a pool; of a file that no reader recognizes, the shape."""
    result = read_or_shape(path, name)
    if isinstance(result, Pool):
        return _crossing(result)
    places = pa.Table.from_pylist([asdict(place) for place in result.places])
    doubts = [asdict(doubt) for doubt in result.doubts]
    rest = {"guess": result.guess.as_json(), "model": result.model, "doubts": doubts}
    return Crossing(places, rest | {"scores": result.scores, "names": result.names, "by_choices": result.by_choices})


def of_mapped(path: Path, name: str | None, options: Mapping[str, Any]) -> Crossing:
    """Read a pool, or its first items, by the map among the options."""
    return _crossing(read_mapped(path, FieldMap.of_json(options["map"]), name, options["most"]))


def _crossing(pool: Pool) -> Crossing:
    return Crossing(pool.table, {"name": pool.name, **_of_file(pool)})


def _of_file(content: Pool | ModelOutputs) -> dict[str, Any]:
    """Write what is said of a file as JSON: notes, origin and account."""
    account = content.account and content.account.as_json()
    return {"notes": content.notes, "origin": content.origin and asdict(content.origin), "account": account}


def _to_file(rest: Mapping[str, Any]) -> tuple[tuple[str, ...], Origin | None, FileAccount | None]:
    """Make what `_of_file` wrote."""
    origin = rest["origin"] and Origin(**rest["origin"])
    return tuple(rest["notes"]), origin, FileAccount.of_json(rest["account"])


def to_pool(crossing: Crossing) -> Pool:
    """Make the pool that `of_pool`, `of_file` or `of_mapped` read."""
    return Pool(crossing.rest["name"], crossing.table, *_to_file(crossing.rest))


def to_file(crossing: Crossing) -> Pool | Shape:
    """Make the pool or the shape that `of_file` read."""
    if "guess" not in crossing.rest:
        return to_pool(crossing)
    places = tuple(FieldPath(**place) for place in crossing.table.to_pylist())
    rest = crossing.rest
    doubts = tuple(map(Doubt.of_json, rest["doubts"]))
    guess = FieldMap.of_json(rest["guess"])
    return Shape(places, guess, rest["model"], doubts, tuple(rest["scores"]), rest["names"], tuple(rest["by_choices"]))


def of_results(path: Path, name: str | None, options: Mapping[str, Any]) -> Crossing:
    """Read one file of results; the name is the file's, which may have the model's in it."""
    maps = {shape: FieldMap.of_json(fields) for shape, fields in options["maps"].items()}
    read_file = read_outputs(path, name or path.name, maps)
    refusal = read_file.refusal and [read_file.refusal.message, read_file.refusal.remedy]
    return Crossing(read_file.table, {**_of_file(read_file), "content": read_file.content, "refusal": refusal})


def to_results(crossing: Crossing) -> ModelOutputs:
    """Make the results that `of_results` read."""
    given = crossing.rest["refusal"]
    refusal = given and Problem(given[0], remedy=given[1])
    return ModelOutputs(crossing.table, *_to_file(crossing.rest), crossing.rest["content"], refusal)


def of_labels(path: Path, name: str | None, options: Mapping[str, Any]) -> Crossing:
    """Read a file of labels."""
    file = reader.read(path.read_bytes(), name)
    columns = {column: pa.array(file.rows[column].tolist(), pa.large_string()) for column in COLUMNS[1:]}
    return Crossing(
        pa.table({COLUMNS[0]: file.rows[COLUMNS[0]].to_numpy(), **columns}),
        {
            **{name: getattr(file, name) for name in ("source", "notes", "name", "shown", "criteria")},
            "models": [[one.title, list(one.names.items())] for one in file.models],
        },
    )


def to_labels(crossing: Crossing) -> LabelFile:
    """Make the labels that `of_labels` read."""
    columns = {name: pd.Series(crossing.table.column(name).to_pylist(), dtype=object) for name in COLUMNS}
    rows = pd.DataFrame(columns).astype({COLUMNS[0]: "int64"})
    rest = crossing.rest
    shown = tuple(ShownRow(*one) for one in rest["shown"])
    models = tuple(ModelColumn(title, {row: name for row, name in names}) for title, names in rest["models"])
    return LabelFile(rows, rest["source"], tuple(rest["notes"]), rest["name"], shown, tuple(rest["criteria"]), models)


def of_bank(path: Path, name: str | None, options: Mapping[str, Any]) -> Crossing:
    """Read a bank of verdicts."""
    try:
        return Crossing(*read_bank_file(path.read_bytes()))
    except (pa.ArrowException, ValueError) as error:
        raise no_bank(error) from error


READERS: Mapping[str, Callable[[Path, str | None, Mapping[str, Any]], Crossing]] = {
    POOL: of_pool,
    FILE: of_file,
    MAPPED: of_mapped,
    RESULTS: of_results,
    LABELS: of_labels,
    BANK: of_bank,
}


def of_error(error: NeymanError) -> dict[str, Any]:
    """Write an error of a reader as JSON."""
    if not isinstance(error, PoolError | LabelError):
        return {"message": str(error), "problems": [], "total": 0}
    problems = [[one.message, one.row, one.field, one.remedy, one.file, one.words] for one in error.problems]
    # A pool's sentence follows from its problems.
    sentence = {} if isinstance(error, PoolError) else {"message": str(error)}
    return {**sentence, "problems": problems, "total": error.total}


def to_error(answer: Mapping[str, Any]) -> NeymanError:
    """Make the error that `of_error` wrote."""
    problems = [replace(Problem(*rest), words=tuple(words)) for *rest, words in answer["problems"]]
    if "message" in answer:
        return LabelError(answer["message"], problems, answer["total"])
    return PoolError(problems, answer["total"])


# Where the package `core` stands, of a checkout or of an installed `neyman`.
ROOT = Path(__file__).parents[3]
_MODULE = "core.archive.quarantine"
MEMORY, TIME, ENDED, SLOW = "memory", "time", "ended", "slow"
# Seconds after which a file is slow.
QUICK = 5.0
# Elsewhere a fork may not use all of the system's libraries: the helper itself reads, one file.
FORKS = sys.platform == "linux"
_STARTING, _ENDING = 120.0, 10.0
_PAUSE = 0.05
_PART = 65_536
# What a reader maps of libraries once it uses them.
_LIBRARIES = 256 * 1024**2


@dataclass(frozen=True, slots=True)
class ReadLimits:
    """Limits on the time, memory and size of reading one file.

    Parameters
    ----------
    memory : int, default 1.5 GiB
        Bytes of memory, beside those of an idle reader. The system enforces it if it can (``RLIMIT_AS``). Elsewhere
        the resident memory is looked at twenty times a second.
    seconds : float, default 120
        Time from the moment at which the reader has the file.
    """

    memory: int = 3 * 1024**3 // 2
    seconds: float = 120.0


class HelperStopped(Exception):
    """The reader gave no answer; ``reason`` is ``MEMORY``, ``TIME``, ``ENDED`` or ``SLOW``."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Helper:
    """A process that has loaded what readers need, and forks one for each file."""

    def __init__(self) -> None:
        self._requests, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", _MODULE],
                cwd=ROOT,
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        weakref.finalize(self, _end, self._process, self._requests)

    @property
    def alive(self) -> bool:
        """Whether the process runs."""
        return self._process.poll() is None

    def answer(
        self, job: Mapping[str, Any], files: tuple[int, int], limits: ReadLimits, may_go_on: Callable[[], bool]
    ) -> dict[str, Any]:
        """Hand over a job, and wait for what its reader says of it; report how much of the file it has read.

        Parameters
        ----------
        job : mapping
            For ``core.archive.quarantine.__main__``, as JSON.
        files : (int, int)
            Descriptors of the file to read, and of the one for the result.
        limits : ReadLimits
            What it may take.
        may_go_on : callable
            Asked once if the file is slow.

        Returns
        -------
        dict
            The reader's answer.

        Raises
        ------
        HelperStopped
            It gave none within the limits.
        """
        channel, theirs = socket.socketpair()
        with channel:
            try:
                with theirs:
                    socket.send_fds(self._requests, [b"\n"], [theirs.fileno()])
                channel.settimeout(_STARTING)
                reader = psutil.Process(int(channel.recv(_PART)))
            except (OSError, ValueError, psutil.Error):
                raise HelperStopped(ENDED) from None
            try:
                return _answer(channel, reader, job, files, limits, may_go_on)
            finally:
                with suppress(psutil.Error):
                    reader.kill()
                    reader.wait(_ENDING)


def _answer(
    channel: socket.socket,
    reader: psutil.Process,
    job: Mapping[str, Any],
    files: tuple[int, int],
    limits: ReadLimits,
    may_go_on: Callable[[], bool],
) -> dict[str, Any]:
    """Hand a reader its job, and wait for what it says of it."""
    answer, idle, pauses, reached = bytearray(), _resident(reader), 0, 0
    try:
        socket.send_fds(channel, [json.dumps(job).encode() + b"\n"], files)
        channel.settimeout(_PAUSE)
        # Without a clock: what a busy machine adds to a pause is not the file's fault.
        while pauses < math.ceil(limits.seconds / _PAUSE):
            if pauses == math.ceil(QUICK / _PAUSE) and not may_go_on():
                raise HelperStopped(SLOW)
            pauses += 1
            try:
                part = channel.recv(_PART)
            except TimeoutError:
                if _resident(reader) > idle + _LIBRARIES + limits.memory:
                    raise HelperStopped(MEMORY) from None
                continue
            *lines, answer = (answer + part).split(b"\n")
            if (step := max(map(int, lines), default=0)) > reached:
                # News of the file is no pause, a hundred times at most.
                reached, pauses = step, pauses - 1
                report(step / 100)
            if not part:
                said: dict[str, Any] = json.loads(answer)
                return said
    except (OSError, ValueError):
        # What is killed by the system, or aborts for want of memory, leaves no answer or half of one.
        raise HelperStopped(ENDED) from None
    raise HelperStopped(TIME)


def _resident(reader: psutil.Process) -> int:
    with suppress(psutil.Error):
        return int(reader.memory_info().rss)
    return 0


def _end(process: subprocess.Popen[bytes], requests: socket.socket) -> None:
    requests.close()
    process.kill()
    process.wait()
