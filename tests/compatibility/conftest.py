"""The home of the fixtures, copied for each test, what its version said of it, and comparing with that."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from core.archive import Archive
from tests.compatibility import observed
from tests.pages.conftest import one_scan_for_components

__all__ = ["one_scan_for_components"]

TOLERANCE = 1e-12


@pytest.fixture
def archive(neyman_home: Path) -> Archive:
    """A copy of the home that the fixtures' version left, opened by this version."""
    return observed.copy_home(neyman_home)


def assert_same(says: Any, expected: Any, where: str = "") -> None:
    """Equal values, numbers to within `TOLERANCE`; says where they differ. New keys may stand beside the expected."""
    if isinstance(expected, dict):
        assert expected.keys() <= says.keys(), where
        for key, value in expected.items():
            assert_same(says[key], value, f"{where}/{key}")
    elif isinstance(expected, list):
        assert len(says) == len(expected), where
        for place, value in enumerate(expected):
            assert_same(says[place], value, f"{where}/{place}")
    elif isinstance(expected, float) and isinstance(says, int | float):
        assert math.isclose(says, expected, rel_tol=TOLERANCE, abs_tol=TOLERANCE), f"{where}: {says} for {expected}"
    else:
        assert says == expected, where
