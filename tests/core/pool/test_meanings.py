"""What the generations of one item say: those with one meaning together."""

from __future__ import annotations

from core.pool import Pool, meanings


def test_equal_answers_are_one_meaning_and_the_most_frequent_stands_first() -> None:
    texts = ["It is 7.", "It is 8.", " It is 8. ", "8", "no idea"]
    pool = Pool.from_records([{"id": "a", "answer_kind": "number", "generations": texts}])
    eight, seven, none = meanings(pool, 0)
    assert (eight.answer, eight.count, eight.wordings) == ("8", 3, ((1, "It is 8."), (3, "8")))
    assert (seven.answer, seven.count) == ("7", 1)
    assert (none.answer, none.count, none.wordings) == (None, 1, ((4, "no idea"),))


def test_an_item_with_fewer_generations_has_no_meaning_for_the_others() -> None:
    pool = Pool.from_records([{"id": "a", "generations": ["A", "B"]}, {"id": "b", "generations": ["C"]}])
    assert [(one.answer, one.count) for one in meanings(pool, 1)] == [("C", 1)]


def test_a_pool_without_generations_has_none() -> None:
    assert meanings(Pool.from_records([{"id": "a"}]), 0) == []
