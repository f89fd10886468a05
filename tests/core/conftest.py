"""What is read once for all tests of core."""

from __future__ import annotations

import fcntl
import os
import pickle
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from core.readers.mmlu_pro import ModelResults, results


@pytest.fixture(scope="session")
def official(shared_pool: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModelResults]:
    """The MMLU-Pro outputs of twelve models: the first process that needs them reads the files for all others."""
    folder, temporary = shared_pool("mmlu-pro"), tmp_path_factory.getbasetemp()
    shared = temporary.parent if "PYTEST_XDIST_WORKER" in os.environ else temporary
    kept = shared / "mmlu-pro.pickle"
    with (shared / "mmlu-pro.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if kept.exists():
            official = pickle.loads(kept.read_bytes())
        else:
            official = results({path.name: path for path in sorted(folder.glob("*.zip"))})
            kept.write_bytes(pickle.dumps(official, protocol=5))
    yield official
    kept.unlink(missing_ok=True)
