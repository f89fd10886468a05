"""Remarks on how answers are read: official rules beside outputs that run on, and formulas that nobody can compute."""

from __future__ import annotations

from typing import Any

import pytest

from core.pool import Pool

RUNS_ON = "I take B.\n\nQuestion: Which is next?\nA. this\nB. that\nAnswer: C"


def pool(text: str, **record: Any) -> Pool:
    return Pool.from_records([{"id": f"q{n}", "targets": {"m": {"text": text}}, **record} for n in range(3)])


@pytest.mark.parametrize("kind", ["mmlu-pro", "gpqa"])
def test_official_rules_read_on_and_the_pool_says_so(kind: str) -> None:
    some = pool(RUNS_ON, answer="B", answer_kind=kind, choices=["a", "b", "c", "d"])
    assert some.losses("m").tolist() == [1.0] * 3, "to the letter"
    (note,) = some.remarks
    assert (
        note.startswith("3 outputs go on behind their answer") and "first: item q0" in note and "Option letter" in note
    )


def test_nothing_is_said_where_a_cut_changes_nothing() -> None:
    options = {"answer": "B", "choices": ["a", "b", "c", "d"]}
    assert pool("The answer is (B).\n\nQuestion: Next?\nAnswer: C", answer_kind="mmlu-pro", **options).remarks == ()
    assert pool("Answer: B", answer_kind="gpqa", **options).remarks == ()
    cut = pool(RUNS_ON, answer_kind="choice", **options)
    assert cut.remarks == () and cut.losses("m").tolist() == [0.0] * 3


def test_formulas_that_cannot_be_computed_are_named_with_the_package_that_may() -> None:
    matrix = r"\begin{{{0}}}1\\2\end{{{0}}}".format
    some = pool(rf"\boxed{{{matrix('bmatrix')}}}", answer=matrix("pmatrix"), answer_kind="text")
    (note,) = some.remarks
    assert note.startswith("3 answers differ from their right answer") and "math-verify" in note
    assert pool(r"\boxed{\sqrt{12}}", answer=r"2\sqrt{3}", answer_kind="text").remarks == ()
    assert pool(r"\boxed{2\sqrt{5}}", answer=r"2\sqrt{3}", answer_kind="text").remarks == ()
