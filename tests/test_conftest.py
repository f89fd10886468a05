"""The guards around all tests guard."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from itertools import chain
from pathlib import Path
from unittest.mock import Mock

import pytest

from tests.browser import servers, stable
from tests.conftest import ROOT, begun_with

SKIPPING = """
import pytest

def test_passes():
    assert 1 + 1 == 2

def test_skipped():
    pytest.skip("no time")

@pytest.mark.xfail(reason="known to fail")
def test_expected_to_fail():
    assert 1 + 1 == 3
"""


@pytest.mark.parametrize("address", ["192.0.2.1", "2001:db8::1"])
def test_no_connection_leaves_this_machine(address: str) -> None:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as outward, pytest.raises(RuntimeError, match="this machine only"):
        outward.connect((address, 9))


def test_no_name_is_looked_up_elsewhere() -> None:
    with pytest.raises(RuntimeError, match=r"neyman\.invalid"):
        socket.create_connection(("neyman.invalid", 80))


def test_this_machine_can_be_reached() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()) as client:
        assert client.getpeername() == server.getsockname()


def test_home_is_the_test_s_own(neyman_home: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    assert os.environ["NEYMAN_HOME"] == str(neyman_home)
    assert tmp_path_factory.getbasetemp() in neyman_home.parents and not neyman_home.exists()


@pytest.mark.parametrize(
    ("ci", "exit_code", "outcome"),
    [("true", 1, "2 failed, 1 passed"), ("", 0, "1 passed, 1 skipped, 1 xfailed")],
)
def test_skipping_fails_in_ci_only(tmp_path: Path, ci: str, exit_code: int, outcome: str) -> None:
    (tmp_path / "test_sample.py").write_text(SKIPPING)
    (tmp_path / "conftest.py").write_text((ROOT / "tests" / "conftest.py").read_text())
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_sample.py"],
        cwd=tmp_path,
        env=os.environ | {"CI": ci},
        capture_output=True,
        text=True,
        check=False,
    )
    assert outcome in run.stdout.splitlines()[-1], run.stdout
    assert run.returncode == exit_code


@pytest.mark.parametrize("shares", [1, 2, 3, 9])
def test_every_share_of_the_tests_but_the_last_two_begins_with_a_module_of_the_browser(shares: int) -> None:
    first, others = [["a1", "a2"], ["b1"], ["c1", "c2", "c3"]], list(range(70))
    ordered = begun_with(first, others, shares)
    assert sorted(map(str, ordered)) == sorted(map(str, [*chain(*first), *others]))
    assert [one for one in ordered if isinstance(one, int)] == others
    sizes = [(76 + number) // shares for number in range(shares)]
    starts = [ordered[sum(sizes[:number])] for number in range(shares)]
    dealt = min(len(first), max(1, shares - 2))
    assert starts[:dealt] == [group[0] for group in first[:dealt]]
    assert all(isinstance(start, int) for start in starts[dealt:])


@pytest.mark.skipif(sys.platform != "linux", reason="Apps are forked on Linux alone.")
def test_only_a_forked_app_stands_where_another_forked_one_has_ended(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Chromium keeps the scripts of an address; another app there would not be seen to lack one."""
    app, ended = Mock(spec=stable.Forked), Mock()
    monkeypatch.setattr(stable, "fork", lambda *_: app)
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: ended)
    monkeypatch.setattr(servers, "_APPS", {})
    app.poll.return_value, ended.poll.return_value = None, 0
    first = servers.forked(tmp_path).url
    assert servers.forked(tmp_path).url != first
    app.poll.return_value = 0
    assert servers.forked(tmp_path).url == first
    assert servers.launch(tmp_path).url != first
    monkeypatch.setattr(servers, "_APPS", {})
    assert servers.launch(tmp_path).url == first
    assert servers.forked(tmp_path).url != first
