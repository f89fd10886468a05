"""The pages on a folder of Parquet files, whose texts are not in memory."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from core.pool import Pool
from core.readers import read
from tests.pages.conftest import bare
from tests.pages.desk import desk, label

WHOLE = Pool.from_records(
    [
        {
            "id": f"i{n}",
            "prompt": f"Which {n}?",
            "group": f"g{n % 3}",
            "generations": ["A", "AB"[n % 2], "ABC"[n % 3]],
            "targets": {"m": {"answer": "AB"[n % 5 == 0]}},
        }
        for n in range(60)
    ],
    "traces",
)


def written(folder: Path) -> Path:
    """The pool as two files of a folder."""
    for number in (0, 1):
        pq.write_table(WHOLE.table.slice(30 * number, 30), folder / f"{number}.parquet")
    return folder


@pytest.mark.parametrize("page", ["pages/pool.py", "pages/explore.py", "pages/label.py"])
def test_a_page_opens_without_reading_all_texts(page, open_page, tmp_path, monkeypatch) -> None:
    pool = read(written(tmp_path))
    for name in ("items", "generations", "table"):
        monkeypatch.setattr(
            f"core.readers.folder.folder_pool.FolderPool.{name}", property(lambda pool: pytest.fail("read"))
        )
    app = open_page(page, pool)
    assert not app.exception and not app.error
    assert any("60" in caption.value for caption in app.sidebar.caption)


def test_files_that_change_under_the_desk_are_an_error_in_a_sentence(open_page, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("core.readers.folder.folder_pool._MOST_RECENT", 0)
    folder = written(tmp_path)
    app = open_page("pages/label.py", read(folder), part="Label here", budget=10)
    assert desk(app)["total"] == 10
    pq.write_table(WHOLE.table.slice(30, 29), folder / "1.parquet")
    label(app, "A")
    assert "1.parquet" in bare(app.error)
