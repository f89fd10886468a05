"""Which parser reads which text of the pool, and the report of what had no answer."""

from __future__ import annotations

import pytest

from core.errors import DesignError
from tests.core.pool.conftest import pool_of, problems_of
from tests.core.wording import Saying


def test_by_default_each_item_is_parsed_by_its_own_kind() -> None:
    texts = ["18", "18.0", "The answer is 18."]
    pool = pool_of({"generations": texts}, {"generations": texts, "answer_kind": "number"})
    assert pool.classes().tolist() == [[0, 1, 2], [0, 0, 0]]
    assert pool.classes("number").tolist() == [[0, 0, 0], [0, 0, 0]]
    assert pool.classes("as-is").tolist() == [[0, 1, 2], [0, 1, 2]]
    assert pool.answers("number")[0] == ["18", "18", "18"]


def test_answers_of_an_official_parser_win_unless_a_parser_is_named() -> None:
    item = {"generations": ["A", "B", "C"], "generation_answers": ["X", None, "X"]}
    pool = pool_of(item, {"generations": ["A", "A", " "]})
    assert pool.classes().tolist() == [[0, 1, 0], [0, 0, 1]]
    assert pool.answers() == [["X", None, "X"], ["A", "A", None]]
    assert pool.classes("as-is").tolist() == [[0, 1, 2], [0, 0, 1]]


def test_choices_are_given_to_the_parser_item_by_item() -> None:
    pool = pool_of(
        {"choices": ["red", "blue"], "generations": ["blue", "(B)", "A"], "answer_kind": "choice"},
        {"choices": ["blue", "red"], "generations": ["blue", "(B)", "A"], "answer_kind": "choice"},
    )
    assert pool.answers() == [["B", "B", "A"], ["A", "B", "A"]]
    assert pool.classes().tolist() == [[0, 0, 1], [0, 1, 0]]


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(DesignError, match="no answer kind “roman”"):
        pool_of({"generations": ["I"]}).classes("roman")
    problems = problems_of([{"id": "a", "answer_kind": "roman"}])
    assert problems == [(1, "answer_kind", Saying("“roman”", "answer kind"))]


def test_the_parse_report_counts_by_source() -> None:
    pool = pool_of(
        {"generations": ["3", "none"], "answer": "3", "targets": {"m": {"text": "It is 4."}}, "answer_kind": "number"},
        {"generations": ["5", "6"], "answer": "", "answer_kind": "number"},
    )
    report = pool.parse_report().set_index("source")
    assert report["texts"].to_dict() == {"generation 1": 2, "generation 2": 2, "truth": 2, "m": 1}
    assert report["unparsed"].to_dict() == {"generation 1": 0, "generation 2": 1, "truth": 1, "m": 0}
    assert report.loc["generation 2", "unparsed_share"] == 0.5
    assert report.loc["generation 2", "example"] == "none"
    assert report.loc["generation 1", "distinct_answers"] == 2
