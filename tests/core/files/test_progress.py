"""The share of a file that has been read, as a listener hears it."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path

import pytest

from core.files.open import listening
from core.readers import read

_RANDOM = random.Random(0)
ROWS = [{"id": f"q{n}", "prompt": "".join(_RANDOM.choices("äöüß漢字 abcdefg", k=400))} for n in range(2000)]
LINES = "\n".join(json.dumps(row, ensure_ascii=False) for row in ROWS).encode()
TABLE = "\n".join(["id,prompt", *(f"{row['id']},{row['prompt']}" for row in ROWS)]).encode()
LATIN = "\n".join(["id,prompt", *(f"q{n},{'Grüße an Zoë ' * 30}" for n in range(2000))]).encode("cp1252")


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzipped"])
@pytest.mark.parametrize("content", [LINES, TABLE, LATIN], ids=["lines", "table", "code page"])
def test_the_share_of_stored_bytes_that_have_been_read_is_reported(
    content: bytes, packed: bool, tmp_path: Path
) -> None:
    """Of gzipped files nothing was reported."""
    path = tmp_path / "pool"
    path.write_bytes(gzip.compress(content) if packed else content)
    heard: list[float] = []
    with listening(heard.append):
        assert read(path).n_items == 2000
    # Of a plain table, letters are counted as bytes.
    assert heard[-1] > (0.95 if packed else 0.4) and all(0 < share <= 1 for share in heard)
    last = max((place for place in range(1, len(heard)) if heard[place] < heard[place - 1]), default=0)
    assert len(heard) - last > 10
    assert heard[last:] == sorted(heard[last:])
