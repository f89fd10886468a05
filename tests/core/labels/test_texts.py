"""Where a pool has what the model said of an item."""

from __future__ import annotations

import pytest

from core.labels import columns_of
from core.pool import Pool


@pytest.mark.parametrize(
    ("target", "output"),
    [({"loss": 1.0}, "answer"), ({"text": "Since 2019.", "loss": 1.0}, None), ({"answer": "2019"}, None)],
)
def test_an_answer_is_the_output_unless_a_target_says_something(target: dict[str, object], output: str | None) -> None:
    item = {"id": "a", "prompt": "Since when?", "answer": "The shop opened in 2019.", "judge": 0.5}
    pool = Pool.from_records([item | {"targets": {"human": target}}])
    assert columns_of(pool, "judge").get("output") == output
