"""A sample of what ``make fuzz`` tries, and every input that once broke a reader."""

from __future__ import annotations

import itertools

import pytest

from tests.fuzz.__main__ import inputs, kept
from tests.fuzz.subjects import SUBJECTS, survives

_SAMPLE = 150


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("subject", SUBJECTS)
def test_a_reader_gives_a_valid_result_or_refuses(subject: str) -> None:
    for one in itertools.islice(inputs(7, [subject]), _SAMPLE):
        survives(*one)


@pytest.mark.filterwarnings("ignore")
def test_what_once_broke_a_reader_does_so_no_more() -> None:
    for one in kept():
        survives(*one)


def test_the_same_seed_makes_the_same_inputs() -> None:
    first, again = (list(itertools.islice(inputs(3, ["pools", "labels"]), 20)) for _ in range(2))
    assert first == again and len(set(first)) > 10
