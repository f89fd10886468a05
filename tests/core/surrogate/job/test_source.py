"""A job's items."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from core.surrogate.faults import SurrogateError
from core.surrogate.job.store import Store
from tests.core.surrogate.conftest import pool_of, spec_for


def test_items_that_are_not_in_the_pool_are_told(store: Store, neyman_home: Path) -> None:
    from core.surrogate import control

    spec = replace(spec_for(pool_of(2), neyman_home, "http://127.0.0.1:1/v1"), items=("i0", "other"))
    with pytest.raises(SurrogateError, match=r"1 of .* not in this pool.*“other”"):
        control.start(store, spec)
