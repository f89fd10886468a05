"""What is read once for all tests of core."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from core.readers.mmlu_pro import ModelResults, results


@pytest.fixture(scope="session")
def official(shared_pool: Callable[[str], Path]) -> ModelResults:
    """The MMLU-Pro outputs of twelve models."""
    return results({path.name: path for path in sorted(shared_pool("mmlu-pro").glob("*.zip"))})
