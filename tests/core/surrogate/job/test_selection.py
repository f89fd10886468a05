"""Lists of items, read from label requests and texts."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.surrogate.job.selection import read_ids


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("a\nb\n\na\n", ("a", "b")),
        ("position,item_id,label\n1,'=x,\n2,b,\n", ("=x", "b")),
        ('item_id;label\n\'0012;\n\'3-4;\n"""a\\r""";\n', ("0012", "3-4", "a\r")),
        ("id\n'quoted\n", ("'quoted",)),
        ('{"item_id": "a"}\n{"item_id": "b", "label": null}\n', ("a", "b")),
        ("\ufeffitem_id\nü\n", ("ü",)),
    ],
)
def test_items_are_read_from_requests_and_lists(text: str, ids: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "items").write_text(text, encoding="utf-8")
    assert read_ids(tmp_path / "items") == ids
