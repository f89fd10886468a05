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
        ({"text": "42"}, {}, "gold"),
        ({"text": SENTENCE}, {"answer": "42"}, "gold"),
        ({"text": SENTENCE}, {"choices": ["A. yes", "B. no"]}, "gold"),
        ({"loss": 0.0}, {"generations": ["1", "2"]}, "gold"),
        ({"text": SENTENCE}, {"generations": ["1", "2"]}, "right-wrong"),
    ],
)
def test_people_judge_what_nobody_would_write_down(target: dict[str, Any], item: dict[str, Any], kind: str) -> None:
    """Page Label asked for the right answer where a bot's whole sentences, or an agent's verdicts alone, are known."""
    rows = [{"id": f"q{n}", "prompt": f"{n}?", "targets": {"bot": target}} | item for n in range(5)]
    assert usual_kind(Pool.from_records(rows, "bots")) == kind
    assert usual_kind(Pool.from_records([{"id": "q", "prompt": "?"}], "questions")) == "gold"
