"""Addresses of earlier versions, annotators' links among them, show the same."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import parse_qsl, unquote_plus

import pytest

from tests.compatibility import observed
from tests.compatibility.conftest import assert_same
from tests.core.wording import Saying
from tests.sampled import sampled

NAMES = {"pool", "plan", "target", "compare", "run", "annotator"}


def words_of(address: str) -> set[tuple[str, ...]]:
    """What a page is told at an address: each parameter, with its value if that is neither a number nor a name."""
    page, _, query = address.partition("?")
    said = parse_qsl(query)
    return {(page, name, "" if name in NAMES or not re.search("[a-z%]", value) else value) for name, value in said}


ADDRESSES = [case for folder in (observed.V1, observed.V3) for case in observed.expected(folder)["addresses"]]
# Those that tell a page something that none before it did.
NEW = [
    case["address"]
    for number, case in enumerate(ADDRESSES)
    if not words_of(case["address"]) <= set().union(*(words_of(one["address"]) for one in ADDRESSES[:number]))
]


@pytest.mark.parametrize(
    "case",
    sampled(ADDRESSES, lambda case: case["address"] in NEW),
    ids=lambda case: unquote_plus(case["address"]).replace("/", "·"),
)
@pytest.mark.usefixtures("archive", "without_disputes")
def test_an_address_shows_the_same(case: dict[str, Any]) -> None:
    # A control that the page had out of sight may be in sight now.
    shown = {name: value for name, value in case["shows"].items() if value is not None}
    says = observed.address_says(case["address"])
    if case["address"].startswith("explore") and "relative_mse" not in says:
        shown = {name: value for name, value in shown.items() if name not in ("relative_mse", "strata", "trials")}
        says.pop("trials")
    if "table" in shown:
        # Rules that were added since come last.
        rows = len(next(iter(shown["table"].values())))
        says["table"] = {name: column[:rows] for name, column in says["table"].items()}
    if "withdrawn" in says:
        # Earlier versions left out what they could not read as if it was missing at random.
        why = {
            "score": ("1 of", "outside 0 to 1", "“1.4” by “Ann”"),
            "gold": ("4 right answers cannot be read",),
        }
        shown = {name: value for name, value in shown.items() if name in says}
        assert says["withdrawn"] == Saying("There is no number", *why[shown["kind"]])
    assert_same(says, shown)
