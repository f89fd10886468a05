"""Which kind of label is asked for at first."""

from __future__ import annotations

from typing import Any

import pytest

from core.pool import Pool
from core.study import usual_kind

SENTENCE = "Please reset the device, then try to log in again."


@pytest.mark.parametrize(
    ("target", "item", "kind"),
    [
        ({"text": SENTENCE}, {}, "right-wrong"),
        ({"loss": 0.0}, {}, "right-wrong"),
        ({"text": "42"}, {}, "right-wrong"),
        ({"text": SENTENCE}, {"answer": "42"}, "right-wrong"),
        ({"text": SENTENCE}, {"choices": ["A. yes", "B. no"]}, "right-wrong"),
        ({"loss": 0.0}, {"generations": ["1", "2"]}, "gold"),
        ({"loss": 0.0}, {"answer": "42"}, "gold"),
        ({"text": SENTENCE}, {"generations": ["1", "2"]}, "right-wrong"),
    ],
)
def test_people_judge_the_answers_that_are_there(target: dict[str, Any], item: dict[str, Any], kind: str) -> None:
    """An answer that is there is quicker judged than the right one is written."""
    rows = [{"id": f"q{n}", "prompt": f"{n}?", "targets": {"bot": target}} | item for n in range(5)]
    assert usual_kind(Pool.from_records(rows, "bots")) == kind
    assert usual_kind(Pool.from_records([{"id": "q", "prompt": "?"}], "questions")) == "gold"
