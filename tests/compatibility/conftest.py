"""The home of the fixtures, copied for each test, what its version said of it, and comparing with that."""

from __future__ import annotations

import math
import shutil
from pathlib import Path
from typing import Any

import pytest

from core.archive import Archive
from core.study import Labelling
from tests.compatibility import observed
from tests.pages.conftest import light_runs

__all__ = ["light_runs"]

TOLERANCE = 1e-12
# Estimates and standard errors stay. Limits are those of another rule by now (CHANGELOG), in a top-up too, and its
# interval has another name. Nothing is said any more of labels that are few for their stratum, and Korn and Graubard's
# interval is for comparison only.
LIMITS = dict.fromkeys(("low", "high", "current", "wanted"), 0.1) | dict.fromkeys(("joint_low", "joint_high"), 0.25)
_GONE = ("top_up", "short_strata", "uneven", "recommended")
_RENAMED = {"wilson": "tilted"}


@pytest.fixture(scope="session")
def brought_up(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home that the fixtures' version left, brought to the tables of this version."""
    return observed.copy_home(tmp_path_factory.mktemp("compatibility") / "home").folder


@pytest.fixture
def archive(brought_up: Path, neyman_home: Path) -> Archive:
    """A copy of that home, opened by this version."""
    shutil.copytree(brought_up, neyman_home)
    return Archive(neyman_home)


@pytest.fixture
def without_disputes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave items that are disputed or have no verdict out of the limits, as earlier versions did: all else stays."""
    monkeypatch.setattr(Labelling, "disputed", None)
    monkeypatch.setattr(Labelling, "open", None)


def assert_same(says: Any, expected: Any, where: str = "", tolerance: float = TOLERANCE) -> None:
    """Equal values, numbers to within the tolerance; says where they differ. New keys may stand beside the expected."""
    if isinstance(expected, dict):
        assert expected.keys() - set(_GONE) <= says.keys(), where
        for key, value in ((key, value) for key, value in expected.items() if key not in _GONE):
            assert_same(says[key], value, f"{where}/{key}", LIMITS.get(key, TOLERANCE))
    elif expected is None and where.endswith("standard_error"):
        # A ratio of few labels has limits by now where it had none.
        assert says is None or says > 0, where
    elif isinstance(expected, list):
        assert len(says) == len(expected), where
        for place, value in enumerate(expected):
            assert_same(says[place], value, f"{where}/{place}")
    elif isinstance(expected, float) and isinstance(says, int | float):
        assert math.isclose(says, expected, rel_tol=TOLERANCE, abs_tol=tolerance), f"{where}: {says} for {expected}"
    else:
        renamed = _RENAMED.get(expected, expected) if isinstance(expected, str) else expected
        assert says in (expected, renamed), where
