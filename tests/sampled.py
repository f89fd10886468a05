"""A sample of many cases, which the tests run; `make trials` runs the others."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest


def sampled(cases: Iterable[Any], is_sample: Callable[..., bool]) -> list[Any]:
    """The cases as parameters of a test, a tuple for each if it has several; those of the sample as they are."""

    def marked(case: Any) -> Any:
        values = case if isinstance(case, tuple) else (case,)
        return case if is_sample(*values) else pytest.param(*values, marks=pytest.mark.trial)

    return [marked(case) for case in cases]
