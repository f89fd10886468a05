"""The standing fuzzer: ``python -m tests.fuzz --count 200000 --minutes 60 --seed 0``, or ``make fuzz``.

Every input follows from the seed, its reader and its number. An input that breaks its reader, or takes longer than
``SLOW`` seconds of work, is kept under ``tests/fuzz/kept``, where the ordinary tests find it.
"""

from __future__ import annotations

import argparse
import collections
import hashlib
import itertools
import sys
import time
import traceback
import warnings
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

from tests.fuzz.mutations import mutated
from tests.fuzz.subjects import SUBJECTS, survives

KEPT = Path(__file__).parent / "kept"
SLOW = 5.0


class Input(NamedTuple):
    subject: str
    content: bytes


def inputs(seed: int, subjects: list[str]) -> Iterator[Input]:
    """Inputs of the readers in turn, without end."""
    originals = {
        name: [(form, one) for form, ones in SUBJECTS[name].originals().items() for one in ones] for name in subjects
    }
    for number in itertools.count():
        for name in subjects:
            rng = Random(f"{seed} {name} {number}")
            form, content = rng.choice(originals[name])
            yield Input(name, mutated(content, form, rng))


def kept() -> list[Input]:
    """Inputs that once broke a reader."""
    return [Input(path.parent.name, path.read_bytes()) for path in sorted(KEPT.glob("*/*.bin"))]


def main() -> int:
    parser = argparse.ArgumentParser(prog="tests.fuzz", description="Fuzz every reader of files.")
    parser.add_argument("--count", type=int, default=200_000, help="most inputs")
    parser.add_argument("--minutes", type=float, default=60.0, help="most time")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=SUBJECTS, action="append", help="only this reader")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    started, broken = time.monotonic(), 0
    counts: collections.Counter[str] = collections.Counter()
    slowest = (0.0, "")
    source = itertools.chain(kept(), inputs(options.seed, options.only or list(SUBJECTS)))
    for one in itertools.islice(source, options.count):
        before = time.process_time()
        try:
            survives(*one)
        except Exception:
            broken += 1
            print(f"{_keep(one)}\n{traceback.format_exc()}", flush=True)
        took = time.process_time() - before
        if took > SLOW:
            broken += 1
            print(f"{_keep(one)} took {took:.1f} s", flush=True)
        counts[one.subject] += 1
        slowest = max(slowest, (took, one.subject))
        if time.monotonic() - started > 60 * options.minutes:
            break
    shares = ", ".join(f"{name} {count:,}" for name, count in counts.items())
    print(f"{counts.total():,} inputs ({shares}) in {time.monotonic() - started:.0f} s: {broken} broke their reader.")
    print(f"The slowest took {slowest[0]:.2f} s ({slowest[1]}).")
    return int(broken > 0)


def _keep(one: Input) -> Path:
    path = KEPT / one.subject / f"{hashlib.sha256(one.content).hexdigest()[:16]}.bin"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(one.content)
    return path


if __name__ == "__main__":
    sys.exit(main())
