"""Lists whose last items are perhaps not labelled yet, though they have a verdict."""

from __future__ import annotations

import numpy as np
import pytest

from core.labels.endings import remark


@pytest.mark.parametrize(
    ("verdicts", "remarked"),
    [
        ("rrwrrrwr" + 16 * "w", True),
        ("rwrwrwrwrw" + 40 * "r", True),
        (30 * "rrw" + 10 * "w", True),
        # A model that is nearly always right, or wrong.
        (3 * "rrrrrrrrrw" + 50 * "r", False),
        ("w" + 500 * "r", False),
        # Less than three wrong ones in a row come by chance, as do lists with one verdict.
        (20 * "r" + "ww", False),
        (24 * "w", False),
        ("", False),
        ("rw", False),
    ],
)
def test_only_an_ending_that_hardly_comes_by_chance_is_remarked(verdicts: str, remarked: bool) -> None:
    words = [{"r": "right", "w": "wrong"}[one] for one in verdicts]
    assert bool(remark(words)) == remarked


@pytest.mark.parametrize("share", [0.02, 0.2, 0.5, 0.8, 0.98])
@pytest.mark.parametrize("size", [20, 60, 200])
def test_lists_labelled_to_their_end_are_hardly_ever_remarked(share: float, size: int) -> None:
    lists = np.random.default_rng(7).random((1_000, size)) < share
    assert sum(bool(remark(np.where(one, "right", "wrong").tolist())) for one in lists) <= 3


def test_the_remark_counts_both_parts() -> None:
    said = remark(["right", "right", "wrong", "right"] + 40 * ["wrong"])
    assert said.startswith("The last 40 verdicts of the list are all “wrong”, 1 of the 4 above them: ")
