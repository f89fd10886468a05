"""Whether a workbook is plain enough for the fast library.

calamine lays a sheet out as a full rectangle: one filled cell at the far end of a sheet would take all memory, and end
the process. So it gets only well-formed workbooks whose every cell says where it stands, in a rectangle that is not
mostly empty, and that hold nothing which it reads otherwise than openpyxl.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from xml.parsers import expat

import numpy as np

_SPARSE = 5
_PREFIXED = re.compile(rb"<[^\s<>/]+:c[\s/>]")
_HEAD = b'<c r="'
# Letters, digits, the quotation mark, and what follows.
_TAG = len(_HEAD) + 3 + 7 + 2
# Errors (#N/A), dates as texts, and whole numbers that a float cannot hold: openpyxl alone tells what stands there.
_SPECIAL = (re.compile(rb"""t=["'][ed]["']"""), re.compile(rb"<v>-?[0-9]{16,}<"))


def is_plain(members: Mapping[str, bytes]) -> bool:
    """Whether every cell says where it stands, the rectangle is not mostly empty, and no cell needs openpyxl."""
    for part in members.values():
        try:
            # Without this an attribute could stand twice: the first is found here, calamine takes the last.
            expat.ParserCreate().Parse(part, True)
        except expat.ExpatError:
            return False
        rectangle = _rectangle(part)
        if rectangle is None or any(pattern.search(part) for pattern in _SPECIAL):
            return False
        cells, columns, rows = rectangle
        if columns * rows > _SPARSE * cells + 1_000_000:
            return False
    return True


def _rectangle(part: bytes) -> tuple[int, int, int] | None:
    """Number of cells, columns and rows of the rectangle around them; None where a cell does not say where it stands.

    A pattern for each of the cells would take longer than reading them.
    """
    # In UTF-16 no tag would be found. A prefix may stand for any namespace.
    if b"\0" in part or (b":c" in part and _PREFIXED.search(part)):
        return None
    data = np.frombuffer(part + bytes(_TAG), np.uint8)
    # Names that go on after the c go on with a higher character, and those that do not (c1) end in None.
    starts = np.flatnonzero((data[:-2] == ord("<")) & (data[1:-1] == ord("c")) & (data[2:] <= ord(">")))
    if not len(starts):
        return 0, 0, 0
    tags = np.lib.stride_tricks.sliding_window_view(data, _TAG)[starts].T
    # A line for each character, so that a loop over them reads what lies together.
    head, place = tags[: len(_HEAD)], np.ascontiguousarray(tags[len(_HEAD) :])
    is_letter, is_digit = (place >= ord("A")) & (place <= ord("Z")), (place >= ord("0")) & (place <= ord("9"))
    letters, length = is_letter.argmin(axis=0), (place == ord('"')).argmax(axis=0)
    digits = length - letters
    if letters.min() < 1 or letters.max() > 3 or digits.min() < 1 or digits.max() > 7:
        return None
    before = np.arange(len(place))[:, None] < length
    after = np.take_along_axis(place, length[None] + 1, axis=0)
    named = (head == np.frombuffer(_HEAD, np.uint8)[:, None]).all() and np.isin(after, [*b" />"]).all()
    if not named or not (digits == (is_digit & before).sum(axis=0)).all():
        return None
    column, row = np.zeros(len(starts), np.int32), np.zeros(len(starts), np.int32)
    for character, of_column, of_row in zip(place, is_letter & before, is_digit & before, strict=True):
        column = np.where(of_column, column * 26 + (character - ord("A") + 1), column)
        row = np.where(of_row, row * 10 + (character - ord("0")), row)
    return len(starts), int(column.max()), int(row.max())
