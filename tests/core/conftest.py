"""What is read once for all tests of core."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path

import pytest

from core.readers import ModelResults, read_results
from tests.conftest import made_once


@pytest.fixture(scope="session")
def official(real_pool: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> ModelResults:
    """The MMLU-Pro outputs of twelve models: the first process that needs them reads the files for all others."""

    def make(folder: Path) -> None:
        files = {path.name: path for path in sorted(real_pool("mmlu-pro").glob("*.zip"))}
        (folder / "results").write_bytes(pickle.dumps(read_results(files)))

    results = pickle.loads((made_once(tmp_path_factory, "official", make) / "results").read_bytes())
    assert isinstance(results, ModelResults)
    return results
