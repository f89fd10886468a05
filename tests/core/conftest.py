"""What is read once for all tests of core."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from core.readers import ModelResults, read_results


@pytest.fixture(scope="session")
def official(real_pool: Callable[[str], Path]) -> ModelResults:
    """The MMLU-Pro outputs of twelve models."""
    return read_results({path.name: path for path in sorted(real_pool("mmlu-pro").glob("*.zip"))})
