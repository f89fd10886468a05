"""An archive in a folder of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.archive import Archive


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    return Archive(tmp_path)
