"""The checksum of a change of a label."""

from __future__ import annotations

import zlib

_NOTHING = "\x00"


def checksum(
    number: int,
    batch: str,
    plan_id: str,
    item_id: str,
    annotator: str,
    kind: str,
    target: str,
    part: int,
    label: str | None,
    note: str | None,
    status: str,
    source: str,
    created: str,
) -> int:
    """CRC-32 of a change, which differs after every single flipped byte; parameters are its columns."""
    # One expression, because a reader does this for every row.
    text = (
        f"{number}\x1f{batch}\x1f{plan_id}\x1f{item_id}\x1f{annotator}\x1f{kind}\x1f{target}\x1f{part}"
        f"\x1f{_NOTHING if label is None else label}\x1f{_NOTHING if note is None else note}"
        f"\x1f{status}\x1f{source}\x1f{created}"
    )
    return zlib.crc32(text.encode())
