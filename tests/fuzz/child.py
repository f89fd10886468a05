"""The process that tries inputs: ``python -m tests.fuzz.child SEED CURRENT FIRST END SUBJECT …``.

Before it tries an input it writes it to the file CURRENT and says ``at NUMBER SUBJECT``, so that the input is known
which ends the process. What breaks a reader is kept and said in lines of its own.
"""

from __future__ import annotations

import resource
import sys
import time
import traceback
import warnings
from collections.abc import Sequence
from pathlib import Path

import psutil
import pyarrow as pa

from tests.fuzz.inputs import Inputs, keep
from tests.fuzz.subjects import survives

SLOW = 5.0
# What one input may take beside what the process has. The quarantine refuses what takes more; nothing else may.
MEMORY = 2 * 1024**3
QUARANTINED = {"pools", "results", "runs", "labels"}


def main(seed: int, current: Path, first: int, end: int, subjects: Sequence[str]) -> None:
    """Try the inputs ``first`` … ``end`` − 1."""
    warnings.simplefilter("ignore")
    # Arrow's own pool reserves address space by the gigabyte.
    pa.set_memory_pool(pa.system_memory_pool())
    inputs = Inputs(seed, subjects)
    for subject in subjects:
        # All is loaded before the limit counts.
        survives(subject, b"")
    most = psutil.Process().memory_info().vms + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (most, resource.getrlimit(resource.RLIMIT_AS)[1]))
    for number in range(first, end):
        one = inputs[number]
        current.write_bytes(one.content)
        print(f"at {number} {one.subject}", flush=True)
        started = time.process_time()
        try:
            survives(*one)
        except MemoryError:
            if one.subject not in QUARANTINED:
                print(f"broken {keep(one)} takes more than {MEMORY:,} bytes of memory", flush=True)
        except Exception:
            print(f"broken {keep(one)}\n{traceback.format_exc()}", flush=True)
        took = time.process_time() - started
        if took > SLOW:
            print(f"broken {keep(one)} took {took:.1f} s", flush=True)
    print(f"end {1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss}", flush=True)


if __name__ == "__main__":
    seed, path, first, end, *subjects = sys.argv[1:]
    main(int(seed), Path(path), int(first), int(end), subjects)
