"""From verdicts on pairs of answers to classes."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.answers.classes import RULES, VERDICTS, Closure, closure, equivalent, verdict

Judged = dict[tuple[int, int], bool | None]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("entailment", "entailment"),
        ("**Contradiction.**", "contradiction"),
        ("It is not entailment, so: Neutral", "neutral"),
        ("It does not entail it.", None),
        ("contradictions", None),
        ("", None),
    ],
)
def test_the_last_verdict_of_a_judge_counts(text: str, said: str | None) -> None:
    assert verdict(text) == said


@pytest.mark.parametrize(
    ("forward", "backward", "strict", "lenient"),
    [
        ("entailment", "entailment", True, True),
        ("entailment", "neutral", False, True),
        ("neutral", "neutral", False, False),
        ("entailment", "contradiction", False, False),
        ("neutral", "contradiction", False, False),
        ("entailment", None, None, None),
        ("neutral", None, False, None),
        ("contradiction", None, False, False),
        (None, None, None, None),
    ],
)
def test_two_answers_mean_the_same(
    forward: str | None, backward: str | None, strict: bool | None, lenient: bool | None
) -> None:
    for first, second in ((forward, backward), (backward, forward)):
        assert (equivalent(first, second, "strict"), equivalent(first, second, "lenient")) == (strict, lenient)


def test_the_lenient_rule_joins_whatever_the_strict_one_joins() -> None:
    for forward in VERDICTS:
        for backward in VERDICTS:
            strict, lenient = (equivalent(forward, backward, rule) for rule in RULES)
            assert lenient or not strict


def test_a_pair_that_others_connect_is_overruled() -> None:
    chain: Judged = {(0, 1): True, (1, 2): True, (0, 2): False, (0, 3): False}
    assert closure(4, chain) == Closure((0, 0, 0, 1), 1)
    assert closure(4, chain | {(0, 2): None}) == Closure((0, 0, 0, 1), 0)
    assert closure(0, {}) == Closure((), 0)


@st.composite
def judgements(draw: st.DrawFn) -> tuple[int, Judged]:
    size = draw(st.integers(0, 9))
    pairs = list(combinations(range(size), 2))
    said = draw(st.lists(st.sampled_from([True, False, False, None]), min_size=len(pairs), max_size=len(pairs)))
    order = draw(st.permutations(range(len(pairs))))
    return size, {pairs[place][:: draw(st.sampled_from([1, -1]))]: said[place] for place in order}


@given(judgements())
def test_classes_are_the_transitive_closure(case: tuple[int, Judged]) -> None:
    size, judged = case
    joined = [[first == second for second in range(size)] for first in range(size)]
    for (first, second), same in judged.items():
        joined[first][second] = joined[second][first] = same is True
    # Warshall's algorithm.
    for through in range(size):
        for first in range(size):
            for second in range(size):
                joined[first][second] |= joined[first][through] and joined[through][second]
    meaning = closure(size, judged)
    leaders = [row.index(True) for row in (joined[answer] for answer in range(size))]
    assert meaning.classes == tuple(sorted(set(leaders)).index(leader) for leader in leaders)
    assert meaning.overruled == sum(same is False and joined[first][second] for (first, second), same in judged.items())
