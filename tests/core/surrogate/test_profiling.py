"""Profiling a folder from the command line."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from core.archive import Archive
from core.readers import FolderPool, read
from core.surrogate.cli import main
from core.surrogate.folder_profiling import Meter
from tests.core.wording import Saying


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "traces"
    path.mkdir()
    pq.write_table(pa.table({"id": ["a", "b"], "generations": [["A", "B"]] * 2}), path / "part.parquet")
    return path


def test_the_profile_is_kept_where_it_is_named_or_else_in_the_home(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("NEYMAN_HOME", str(tmp_path / "home"))
    assert main(["profile", str(folder), "--out", str(tmp_path / "traces.profile")]) == 0
    pool = read(tmp_path / "traces.profile")
    assert isinstance(pool, FolderPool)
    assert main(["profile", str(folder)]) == 0
    assert Archive(tmp_path / "home").pools.load(pool.digest).n_items == 2
    assert "2 items" in capsys.readouterr().out


def test_a_broken_folder_is_an_error_with_its_file(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("NEYMAN_HOME", str(tmp_path / "home"))
    (folder / "broken.parquet").write_bytes(b"PAR1")
    assert main(["profile", str(folder)]) == 1
    assert "broken.parquet" in capsys.readouterr().err


@pytest.mark.parametrize("out", ["there", "missing/traces.profile", "traces.parquet", "there.profile"])
def test_where_no_profile_can_be_written_nothing_is_read(
    out: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("NEYMAN_HOME", str(tmp_path / "home"))
    for name in ("there", "there.profile"):
        (tmp_path / name).mkdir()
    # The folder does not exist: its error would come second.
    assert main(["profile", str(tmp_path / "nowhere"), "--out", str(tmp_path / out)]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert f"{Path(out).name}” " in line


def test_a_meter_states_rate_and_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    moments, lines = iter([0.0, 1.0, 5.0, 5.0, 5.0]), list[str]()
    monkeypatch.setattr("core.surrogate.folder_profiling.time.monotonic", lambda: next(moments))
    meter = Meter(1_000, lines.append)
    meter(0.1)
    meter(0.25)
    assert lines == [Saying("25%", "1,000 items", "50 items/s", "15 s")]
