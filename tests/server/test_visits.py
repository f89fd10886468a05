"""A public app under attack, and after it was killed: visitors keep their places, and nothing of theirs stays."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from websockets.exceptions import InvalidStatus

from core.archive import Archive
from server import public_limits
from server.public_limits import folder_of_visits
from tests.browser.servers import Server, forked
from tests.server.team import ANN, BEN, EVE, HERE, LINUX, Team, files, visiting
from tests.server.test_lobby import HALF, WHOLE, opened
from tests.server.test_origins import asking, handshake


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of temporary files, of servers too."""
    (folder := tmp_path / "scratch").mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    return folder


@pytest.fixture
def public(tmp_path: Path, scratch: Path) -> Iterator[Server]:
    with files(1024):
        server = forked(tmp_path, "--public", "--host", HERE, ahead=False)
    server.wait_until_healthy()
    yield server
    server.stop()
    assert server.complaints() == []


@pytest.mark.skipif(not LINUX, reason="Only Linux answers at several addresses here.")
def test_floods_of_half_requests_disturb_no_visit(public: Server) -> None:
    port = int(urlsplit(public.url).port or 0)
    team = Team(public, "", "", "")
    with files(4096), ExitStack() as flood, visiting(team, ANN, "") as visit:
        for count, address, sent in ((700, EVE, HALF), (500, BEN, WHOLE), (300, "127.0.4.{}", HALF)):
            for one in range(count):
                flood.enter_context(opened(port, address.format(one // 10 + 1), sent))
            assert b"MMLU" in visit.run()
        # Somebody else comes, from the address of the flood.
        with visiting(team, EVE, "") as another:
            assert b"MMLU" in another.run()


@pytest.mark.skipif(not LINUX, reason="Only Linux answers at several addresses here.")
def test_one_address_does_not_take_all_places(public: Server) -> None:
    team = Team(public, "", "", "")
    with ExitStack() as visits:
        for _ in range(public_limits.AT_ADDRESS):
            visits.enter_context(visiting(team, EVE, ""))
        with pytest.raises(InvalidStatus), visiting(team, EVE, ""):
            pass
        with visiting(team, ANN, "") as visit:
            assert b"MMLU" in visit.run()


def test_behind_a_proxy_on_this_machine_addresses_are_those_that_it_names(public: Server) -> None:
    address, named = str(urlsplit(public.url).netloc), "198.51.100.{}"
    with ExitStack() as visits:
        for _ in range(public_limits.AT_ADDRESS):
            asked = asking(address, Origin=public.url, X_Forwarded_For=named.format(1))
            assert visits.enter_context(asked) == 101
        assert handshake(address, Origin=public.url, X_Forwarded_For=named.format(1)) == 403
        assert handshake(address, Origin=public.url, X_Forwarded_For=named.format(2)) == 101


def test_what_a_killed_server_left_goes_when_the_next_one_starts(tmp_path: Path, scratch: Path) -> None:
    for name in ("first", "second", "third"):
        (tmp_path / name).mkdir()
    first = forked(tmp_path / "first", "--public", "--host", "127.0.0.1", ahead=False)
    first.wait_until_healthy()
    (of_first,) = scratch.glob("neyman-visits-*")
    Archive(of_first / "visit")
    second = forked(tmp_path / "second", "--public", "--host", "127.0.0.1", ahead=False)
    second.wait_until_healthy()
    # Another server's is left alone for as long as that one runs, however long ago anybody did anything there.
    os.utime(of_first, (0, 0))
    first.process.kill()
    first.process.wait(10)
    assert (of_first / "visit").is_dir() and len([*scratch.glob("neyman-visits-*")]) == 2
    third = forked(tmp_path / "third", "--public", "--host", "127.0.0.1", ahead=False)
    third.wait_until_healthy()
    assert not of_first.exists() and len([*scratch.glob("neyman-visits-*")]) == 2
    second.stop()
    third.stop()
    assert [*scratch.glob("neyman-*")] == []


def test_a_folder_whose_server_runs_and_what_is_no_folder_of_visits_stay(scratch: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (scratch / "neyman-visits-link").symlink_to(tmp_path / "mine")
    (scratch / "neyman-visits-file").touch()
    (scratch / "neyman-visits-left" / "visit").mkdir(parents=True)
    with folder_of_visits() as one:
        (one / "visit").mkdir()
        with folder_of_visits() as other:
            assert (one / "visit").is_dir() and other.is_dir() and other.stat().st_mode & 0o77 == 0
    assert sorted(path.name for path in scratch.iterdir()) == ["neyman-visits-file", "neyman-visits-link"]
    assert (tmp_path / "mine").is_dir()
