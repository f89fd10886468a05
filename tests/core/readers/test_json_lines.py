"""JSON Lines and JSON arrays."""

from __future__ import annotations

import json
import time

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
        (2, Saying("not JSON", "character 1 ")),
        (3, Saying("not a JSON object")),
        (4, Saying("“id”", "twice")),
        (5, Saying("not JSON", "character 12 ")),
    ]


def test_a_wrong_byte_is_told_by_its_place_in_the_file() -> None:
    content = '{"id": "ä"}\n'.encode() + b'{"id": "\xe9"}\n'
    with pytest.raises(PoolError) as caught:
        read(content)
    (problem,) = caught.value.problems
    assert (problem.row, problem.message) == (2, Saying("byte 22", "UTF-8"))
    assert content[21:22] == b"\xe9"
    assert problem.remedy == Saying("UTF-8")


def test_one_object_over_several_lines_gets_a_remedy() -> None:
    with pytest.raises(PoolError, match="one object a line"):
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
    assert problems_of(b'[{"id": "a"}') == [(None, Saying("not JSON", "character 13 "))]
    assert problems_of(b'[{"id": "a", "id": "b"}]') == [(1, Saying("“id”", "twice"))]
    assert problems_of(b'[{"id": "\xc3\xa9\xff"}]') == [(None, Saying("byte 12", "UTF-8"))]


def test_numbers_that_are_too_long_are_told() -> None:
    message = Saying("too many digits")
    assert problems_of(b'{"id": 1' + b"0" * 5_000 + b"}") == [(1, message)]


FAULTS = [
    ('{"id": "%s", "x": 1, "x": 2}', Saying("“x”", "twice")),
    ('{"id": "%s", "x": NaN}', Saying("NaN")),
    ('{"id": "%s", "x": -Infinity}', Saying("-Infinity")),
    ('{"id": "%s", "x": 1e400}', Saying("“1e400”", "represented")),
    ('{"id": "%s", "x": 12345678901234567.0}', Saying("“12345678901234567.0”", "represented")),
    ('{"id": "%s", "x": 1e-400}', Saying("“1e-400”", "represented")),
    ('{"id": "%s\\ud800"}', Saying("surrogate")),
    ('{"id": "%s", "x": ' + "[" * 100 + "]" * 100 + "}", Saying("too deeply", "100 levels")),
]


@pytest.mark.parametrize("as_array", [False, True])
def test_every_record_that_python_would_change_in_silence_is_told_with_its_row(as_array: bool) -> None:
    # Too deep an array is refused as a whole, before any of it is parsed.
    faults = FAULTS[:-1] if as_array else FAULTS
    records = [text % f"q{place}" for place, (text, _) in enumerate(faults)]
    records.insert(1, '{"id": "fine"}')
    content = f"[{', '.join(records)}]" if as_array else "\n".join(records)
    rows = [1, *range(3, len(records) + 1)]
    assert problems_of(content.encode()) == [(row, say) for row, (_, say) in zip(rows, faults, strict=True)]


def test_what_is_exact_or_only_looks_odd_is_read() -> None:
    brackets = "[{" * 500
    lines = (
        '{"id": 12345678901234567, "x": 0.30000000000000004, "deep": ' + "[" * 99 + "]" * 99 + "}\n"
        '{"id": "b", "x": 12345678901234568.0, "generations": ["' + brackets + '"]}\n'
        '{"id": "c", "x": -0.0e-9, "prompt": "\\ud800 {\\"[[["}\n'
    )
    pool = read(lines.encode())
    assert pool.items.index.tolist() == ["12345678901234567", "b", "c"]
    assert pool.items["x"].tolist() == [0.30000000000000004, 1.2345678901234568e16, 0.0]
    assert pool.items.loc["c", "prompt"] == '\ufffd {"[[[' and pool.generations[1] == [brackets]


def test_too_many_values_are_refused_before_they_are_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    def parsed(*_: object) -> None:
        raise AssertionError("parsed")

    monkeypatch.setattr("core.files.jsontext.StrictDecoder._value", parsed)
    most = [(1, Saying("1,000,000 values"))]
    assert problems_of(b'{"id": "a", "x": [' + b"{}," * 1_000_000 + b"{}]}") == most
    assert problems_of(b"[" + b"{}," * 10_000_000 + b"{}]") == [(None, Saying("20,000,000 values"))]


def test_long_records_are_taken_in_small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.pool.records._BATCH_SIZE", 100)
    lines = b"".join(b'{"id": "%d", "generations": ["%s"]}\n' % (row, b"A" * 60) for row in range(9))
    pool = read(lines)
    assert pool.table.column("id").num_chunks > 3 and pool.n_items == 9
    monkeypatch.undo()
    assert pool.digest == read(lines).digest


@pytest.mark.parametrize("identity", ["a", "ab"])
def test_a_long_text_full_of_quotes_is_looked_at_once(identity: str) -> None:
    # The first look ends within it: before a quote, or between the quote and its backslash.
    text = '"' * 2**20
    before = time.process_time()
    assert read(json.dumps({"id": identity, "prompt": text}).encode()).items.loc[identity, "prompt"] == text
    # Whoever begins again at every quote needs minutes.
    assert time.process_time() - before < 20
