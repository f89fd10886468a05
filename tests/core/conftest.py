"""What is read once for all tests of core."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from pyarrow import feather

from core.readers import ModelOutputs, ModelResults, read_outputs, read_results


@pytest.fixture(scope="session")
def official(real_pool: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> ModelResults:
    """The MMLU-Pro outputs of twelve models: the first process that needs them reads the files for all others."""
    folder, temporary = real_pool("mmlu-pro"), tmp_path_factory.getbasetemp()
    shared = temporary.parent if "PYTEST_XDIST_WORKER" in os.environ else temporary

    def read_one(file: bytes | Path, name: str) -> ModelOutputs:
        path = shared / f"{name}.arrow"
        if not path.exists():
            read = read_outputs(file, name)
            feather.write_feather(read.table.replace_schema_metadata({"notes": json.dumps(read.notes)}), path)
        table = feather.read_table(path, memory_map=False)
        return ModelOutputs(table.replace_schema_metadata(None), tuple(json.loads(table.schema.metadata[b"notes"])))

    with (shared / "mmlu-pro.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return read_results({path.name: path for path in sorted(folder.glob("*.zip"))}, read_one=read_one)
