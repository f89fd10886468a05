"""What a progress bar says."""

from __future__ import annotations

from pages.parts.app.progress import said


def test_no_time_is_left_before_it_can_be_known() -> None:
    assert said(0.004, 5.0, 1000, "items") == "0%" and said(0.5, 0.3, 1000, "items") == "50%"
    assert said(0.25, 10.0, 1000, "items") == "25% · 25 items/s · 30 s left"
