"""The rule of headlines itself, and the headlines of the notebooks."""

from __future__ import annotations

import json

import pytest

from tests.conftest import ROOT
from tests.headlines import faults

NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize(
    "headline",
    [
        "Know Meta-Llama-3-70B’s accuracy on MMLU-Pro from 200 labels instead of 312",
        "38 of 200 items have a label in this file",
        "94 % of this design’s estimates come near the truth, 66 % of Uniform’s",
        "“tiny-target (1.2M), 2 of 3” gets 77.9 % of “Practice pool” right",
        "gpt-3.5 T=0.0 is best, 0.4 points ahead of gpt-3.5 T=1.0",
        "Undecided: v 1.0, v 2.0 and v 3.0 are left",
        "Strata 0, 3 and 4 have no label yet, so there is no estimate of the whole pool",
    ],
)
def test_one_number_or_one_comparison_is_a_headline(headline: str) -> None:
    assert faults(headline) == []


@pytest.mark.parametrize(
    ("headline", "fault"),
    [
        ("On this pool, 200 labels drawn uniformly do as well as 200 placed by Neyman, or better", "2 numbers"),
        ("Know your model’s accuracy to about ±5.6 points from 200 labels", "2 numbers"),
        ("“one” gets 77.9 % (72.9 % to 82.2 %) of 120 items right, 12 unread", "3 numbers"),
        ("On 36 % of 12,032 items, all generations agree", "2 numbers"),
        (" ".join(["word"] * 19), "19 words"),
    ],
)
def test_a_second_result_a_range_and_many_words_are_none(headline: str, fault: str) -> None:
    assert faults(headline) == [fault]


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_headings_of_notebooks_say_one_thing(notebook) -> None:
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    lines = [line for cell in cells if cell["cell_type"] == "markdown" for line in "".join(cell["source"]).splitlines()]
    assert {line: wrong for line in lines if line.startswith("#") and (wrong := faults(line.lstrip("# ")))} == {}
