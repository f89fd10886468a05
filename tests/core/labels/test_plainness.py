"""The guard before the fast library: where the cells of a sheet stand, as a plain pattern finds it."""

from __future__ import annotations

import random
import re

import pytest
from openpyxl.utils import column_index_from_string

from core.labels.plainness import _rectangle, is_plain

CELL = re.compile(rb"<(?:c|[^\s<>/]+:c)[\s/>]")
PLACED = re.compile(rb'<c r="([A-Z]{1,3})([0-9]{1,7})"[ />]')
ROW = b'<row r="%d"><c r="A%d" s="1" t="s"><v>7</v></c><c r="AB%d"/><c r="XFD%d"><v>1</v></c></row>'
SHEET = b'<sheetData><cols><col min="1"/></cols>%s</sheetData>' % b"".join(
    ROW % ((n,) * 4) for n in (1, 9, 10, 1048576)
)
PIECES = (
    *(
        b"<c",
        b"<c>",
        b"<c/>",
        b"<c1>",
        b"<cols>",
        b"<x:c ",
        b"<c:x ",
        b'<c\tr="A1">',
        b'<c r="',
        b'<c r="A1"',
        b'r="B2"',
    ),
    *(b'<c r="ABCD1">', b'<c r="A12345678">', b'<c r="1A">', b'<c r="A1B">', b'"', b"'", b"A", b"7", b" ", b">", b""),
)


def by_patterns(part: bytes) -> tuple[int, int, int] | None:
    cells, placed = len(CELL.findall(part)), PLACED.findall(part)
    if len(placed) < cells:
        return None
    columns = max((column_index_from_string(letters.decode()) for letters, _ in placed), default=0)
    return cells, columns, max((int(row) for _, row in placed), default=0)


def test_the_rectangle_around_all_cells() -> None:
    assert _rectangle(SHEET) == by_patterns(SHEET) == (12, 16_384, 1_048_576)
    assert _rectangle(b"<sheetData/>") == (0, 0, 0)


def test_a_rectangle_is_told_only_where_the_patterns_find_the_same() -> None:
    """Random damage at and around the cells: the same rectangle, or none."""
    told = 0
    for seed in range(3000):
        rng, part = random.Random(seed), bytearray(SHEET)
        for _ in range(rng.randint(1, 3)):
            start = bytes(part).find(b"<c ", rng.randrange(len(part))) + rng.randrange(16)
            part[start : start + rng.choice([0, 0, 1, 20])] = rng.choice(PIECES)
        found = _rectangle(bytes(part))
        assert found in (None, by_patterns(bytes(part)))
        told += found is not None
    assert 200 < told < 2900


@pytest.mark.parametrize(
    ("part", "plain"),
    [
        (SHEET.replace(b"1048576", b"12"), True),
        (SHEET, False),
        (SHEET.replace(b"1048576", b"12").decode().encode("utf-16"), False),
        (b'<s><c r="A1" t="e"/></s>', False),
        (b'<s><c r="A1"/></t>', False),
        (b'<s><c r="A1"><v>1234567890123456</v></c></s>', False),
    ],
)
def test_what_the_fast_library_is_given(part: bytes, plain: bool) -> None:
    assert is_plain({"sheet": part}) is plain
