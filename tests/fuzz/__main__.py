"""The standing fuzzer: ``python -m tests.fuzz --count 200000 --minutes 60 --seed 0``, or ``make fuzz``.

Every input follows from the seed, its reader and its number. They are tried in child processes, one after the other:
an input that breaks its reader, ends its process, hangs, or takes longer than five seconds of work is kept under
``tests/fuzz/kept``, where the ordinary tests find it, and the next child goes on behind it.
"""

from __future__ import annotations

import argparse
import collections
import os
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from tests.conftest import ROOT
from tests.fuzz.inputs import Input, keep
from tests.fuzz.subjects import SUBJECTS

# A new process after so many inputs, so that its memory stays small; silence after which an input hangs.
A_PROCESS = 20_000
HANGS = 300.0
_PROGRESS = 30.0


@dataclass(slots=True)
class Tally:
    """What was tried, what broke, and the most memory of a process, bytes."""

    counts: collections.Counter[str] = field(default_factory=collections.Counter)
    broken: int = 0
    memory: int = 0


def main() -> int:
    parser = argparse.ArgumentParser(prog="tests.fuzz", description="Fuzz every reader of files.")
    parser.add_argument("--count", type=int, default=200_000, help="most inputs")
    parser.add_argument("--minutes", type=float, default=60.0, help="most time")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=SUBJECTS, action="append", help="only this reader")
    options = parser.parse_args()
    subjects = options.only or list(SUBJECTS)

    tally, started = Tally(), time.monotonic()
    try:
        with tempfile.TemporaryDirectory() as folder:
            current = Path(folder) / "current"
            command = [sys.executable, "-m", "tests.fuzz.child", str(options.seed), str(current)]
            supervise(
                lambda *numbers: [*command, *map(str, numbers), *subjects],
                current,
                options.count,
                60 * options.minutes,
                tally,
            )
    except KeyboardInterrupt:
        print("Ended from outside.")
    shares = ", ".join(f"{name} {count:,}" for name, count in tally.counts.items())
    seconds = time.monotonic() - started
    print(f"{tally.counts.total():,} inputs ({shares}) in {seconds:.0f} s: {tally.broken} broke their reader.")
    print(f"Most memory of a process: {tally.memory / 1024**2:,.0f} MiB.", flush=True)
    return int(tally.broken > 0)


def supervise(child: Callable[[int, int], list[str]], current: Path, count: int, seconds: float, tally: Tally) -> None:
    """Have children try inputs until all are tried or time is over; one that ends early is replaced behind its input.

    Parameters
    ----------
    child : callable
        The command of a child, from the number of its first input and the one after its last.
    current : Path
        The input that a child tries.
    count : int
        How many inputs.
    seconds : float
        Most time.
    tally : Tally
        Counts what was tried.
    """
    number, over = 0, time.monotonic() + seconds
    while number < count and time.monotonic() < over:
        command = child(number, min(number + A_PROCESS, count))
        at, subject, ended = number - 1, "", False
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as process:
            try:
                for line in _lines(process, over, tally):
                    if line.startswith("at "):
                        at, subject = int(line.split()[1]), line.split()[2]
                        tally.counts[subject] += 1
                    elif line.startswith("end "):
                        ended, tally.memory = True, max(tally.memory, int(line.split()[1]))
                    else:
                        tally.broken += line.startswith("broken ")
                        print(line, flush=True)
            finally:
                process.kill()
        if not ended and time.monotonic() < over:
            tally.broken += 1
            if at < number:
                raise RuntimeError(f"The process that tries inputs did not begin: exit status {process.returncode}.")
            path = keep(Input(subject, current.read_bytes()))
            print(f"broken {path} ended or hung its process ({process.returncode})", flush=True)
        number = at + 1


def _lines(process: subprocess.Popen[bytes], over: float, tally: Tally) -> Iterator[str]:
    """What a process says, until it ends, is silent for too long, or time is over."""
    assert process.stdout is not None
    worker, reported, rest = psutil.Process(process.pid), time.monotonic(), b""
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while selector.select(HANGS) and (part := os.read(process.stdout.fileno(), 1 << 16)):
            *lines, rest = (rest + part).split(b"\n")
            yield from (line.decode(errors="replace") for line in lines)
            now = time.monotonic()
            if now > over:
                return
            if now - reported > _PROGRESS:
                reported = now
                tried, memory = tally.counts.total(), worker.memory_info().rss / 1024**2
                print(f"{tried:,} inputs, {tally.broken} broken, {memory:,.0f} MiB", flush=True)


if __name__ == "__main__":
    # Ended from outside, it says how far it came.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    sys.exit(main())
