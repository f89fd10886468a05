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
    """The MMLU-Pro outputs of twelve models, read by the first process that needs them."""

    def read(folder: Path) -> None:
        files = {path.name: path for path in sorted(real_pool("mmlu-pro").glob("*.zip"))}
        (folder / "read").write_bytes(pickle.dumps(read_results(files)))

    results: ModelResults = pickle.loads((made_once(tmp_path_factory, "official", read) / "read").read_bytes())
    return results
