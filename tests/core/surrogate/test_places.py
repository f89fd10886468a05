"""Folders here and with an address."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from core.surrogate.faults import SurrogateError
from core.surrogate.parts import Place

TABLE = pa.table({"a": [1, 2]})


@pytest.mark.parametrize("scheme", ["", "file://"])
def test_a_place_is_written_listed_and_fetched(scheme: str, tmp_path: Path) -> None:
    folder = Place(f"{scheme}{tmp_path}/rows/")
    assert folder.files(".parquet") == []
    for name in ("b.parquet", "a.parquet", "inner/c.parquet", ".hidden.parquet"):
        (folder / name).write(TABLE)
    (tmp_path / "rows" / "d.txt").write_text("no rows")
    places = folder.files(".parquet")
    assert [place.url.removeprefix(folder.url.rstrip("/")) for place in places] == [
        "/a.parquet",
        "/b.parquet",
        "/inner/c.parquet",
    ]
    places[0].fetch(tmp_path / "copy.parquet")
    assert pq.read_table(tmp_path / "copy.parquet").equals(TABLE)


def test_places_that_cannot_be_used_are_refused_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SurrogateError, match="cannot be written"):
        Place(str(tmp_path / "file" / "a.parquet")).write(TABLE)
    with pytest.raises(SurrogateError, match="cannot be reached"):
        Place("gopher://nowhere/a").files(".parquet")
    with pytest.raises(SurrogateError, match="cannot be read"):
        Place(str(tmp_path / "none")).fetch(tmp_path / "copy")


def test_a_place_without_an_address_is_the_same_in_every_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert Place("out/rows").absolute() == Place(str(tmp_path / "out" / "rows"))
    assert Place("s3://bucket/out").absolute() == Place("s3://bucket/out")
