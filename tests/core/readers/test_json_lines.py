"""JSON Lines and JSON arrays."""

from __future__ import annotations

import pytest

from core.errors import PoolError
from core.readers import read
from tests.core.wording import Saying


def problems_of(content: bytes) -> list[tuple[int | None, str]]:
    with pytest.raises(PoolError) as caught:
        read(content)
    return [(problem.row, problem.message) for problem in caught.value.problems]


def test_blank_lines_are_skipped_and_counted() -> None:
    assert read(b'\n{"id": "a"}\r\n \n{"id": "b"}').items.index.tolist() == ["a", "b"]
    assert problems_of(b'{"id": "a"}\n\n{"id": "a"}\n') == [(3, Saying("“a”", "row 1"))]


def test_bad_lines_are_all_told() -> None:
    content = b'{"id": "a"}\nnot json\n[1]\n{"id": "b", "id": "c"}\n{"id": "d"}, \n'
    assert problems_of(content) == [
        (2, Saying("not JSON", "character 1)")),
        (3, Saying("not a JSON object")),
        (4, Saying("“id”", "twice")),
        (5, Saying("not JSON", "character 12)")),
    ]


def test_a_wrong_byte_is_told_by_its_place_in_the_file() -> None:
    content = '{"id": "a"}\n{"id": "é"}\n'.encode("latin-1")
    with pytest.raises(PoolError) as caught:
        read(content)
    (problem,) = caught.value.problems
    assert (problem.row, problem.message) == (2, Saying("byte 21", "UTF-8"))
    assert content[20:21] == b"\xe9"
    assert problem.remedy == Saying("UTF-8")


def test_one_object_over_several_lines_gets_a_remedy() -> None:
    with pytest.raises(PoolError, match="Write one object a line"):
        read(b'{\n "id": "a"\n}')


def test_line_separators_of_unicode_do_not_end_a_line() -> None:
    pool = read('{"id": "a", "prompt": "x\u2028y\u0085z"}\n'.encode())
    assert pool.items.loc["a", "prompt"] == "x\u2028y\u0085z"


def test_an_array_of_items_is_read_too() -> None:
    lines = read(b'{"id": "a", "answer": "A"}\n{"id": "b"}')
    assert read(b' [{"id": "a", "answer": "A"}, {"id": "b"}]').digest == lines.digest
    assert problems_of(b'[{"id": "a"}, 1, {}]') == [
        (2, Saying("not a JSON object")),
        (3, Saying("id", "missing")),
    ]
    assert problems_of(b"[]") == [(None, Saying("no item"))]
    assert problems_of(b'[{"id": "a"}') == [(None, Saying("not JSON", "character 13)"))]
    assert problems_of(b'[{"id": "a", "id": "b"}]') == [(None, Saying("“id”", "twice"))]
    assert problems_of(b'[{"id": "\xff"}]') == [(None, Saying("byte 10", "UTF-8"))]


def test_numbers_that_are_too_long_are_told() -> None:
    message = Saying("too many digits")
    assert problems_of(b'{"id": 1' + b"0" * 5_000 + b"}") == [(1, message)]
