"""vLLM in NEYMAN_HOME: installed, cancelled, gone on with, and found again."""

from __future__ import annotations

import shutil
import socket
import sys
import time
from collections import namedtuple
from pathlib import Path

import psutil
import pytest

from core.surrogate import cli
from core.surrogate.faults import SurrogateError
from core.surrogate.job.spec import Shard
from core.surrogate.vllm import installation as installing
from core.surrogate.vllm.installation import cancel_installation, install, installation, serving_python
from core.surrogate.vllm.launch import vllm_version
from tests.conftest import ROOT
from tests.core.surrogate.vllm.packages import offered_vllm


def ended(home: Path, seconds: float = 120) -> str:
    deadline = time.monotonic() + seconds
    while (now := installation(home)).state == "running":
        assert time.monotonic() < deadline, now.log.read_text()
        time.sleep(0.05)
    return now.state


def test_what_is_installed_serves_the_home_and_its_shards(
    neyman_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    wheel = offered_vllm(tmp_path / "wheels", monkeypatch)
    elsewhere = wheel.rename(tmp_path / wheel.name)
    assert installation(neyman_home).state == "none" and serving_python(neyman_home) == sys.executable
    assert cli.main(["install-vllm"]) == 1
    failed = installation(neyman_home)
    assert failed.state == "ended" and "vLLM was not installed" in capsys.readouterr().err
    assert serving_python(neyman_home) == sys.executable
    # The environment stays, and is gone on with.
    made = failed.python.stat().st_ctime_ns
    elsewhere.rename(wheel)
    assert cli.main(["install-vllm"]) == 0
    done = installation(neyman_home)
    assert done.state == "done" and done.python.stat().st_ctime_ns == made
    assert str(done.python) in capsys.readouterr().err
    for home in (neyman_home, Shard(0, 2).home(neyman_home)):
        assert serving_python(home) == str(done.python)
    assert vllm_version(str(done.python)) == "0.32.0"
    monkeypatch.setenv("NEYMAN_VLLM_PYTHON", "/usr/bin/mine")
    assert serving_python(neyman_home) == "/usr/bin/mine"
    with pytest.raises(SurrogateError, match="NEYMAN_VLLM_PYTHON names"):
        install(neyman_home)


def test_a_cancelled_installation_leaves_no_process_and_no_half_vllm(
    neyman_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    offered_vllm(tmp_path / "wheels", monkeypatch)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        monkeypatch.delenv("PIP_NO_INDEX")
        monkeypatch.setenv("PIP_INDEX_URL", f"http://127.0.0.1:{silent.getsockname()[1]}/simple")
        install(neyman_home, "something-else==1")
        with pytest.raises(SurrogateError, match="already"):
            install(neyman_home)
        # Until pip asks the index, which never answers.
        silent.settimeout(120)
        connection, _ = silent.accept()
        family = [one for one in psutil.process_iter(["cmdline"]) if str(neyman_home) in str(one.info["cmdline"])]
        assert len(family) >= 2
        cancel_installation(neyman_home)
        connection.close()
    _, alive = psutil.wait_procs(family, timeout=60)
    assert alive == [] and ended(neyman_home) == "ended"
    assert serving_python(neyman_home) == sys.executable
    cancel_installation(neyman_home)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    install(neyman_home)
    assert ended(neyman_home) == "done"


def test_a_disk_without_room_is_refused_before_anything_is_written(
    neyman_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NEYMAN_VLLM_PYTHON", raising=False)
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(installing, "shutil", type("", (), {"disk_usage": lambda path: usage(9, 9, 3e9)}))
    with pytest.raises(SurrogateError, match="has 3 GB free"):
        install(neyman_home)
    assert installation(neyman_home).state == "none" and shutil.disk_usage(neyman_home).free


def test_the_version_is_that_of_the_requirements() -> None:
    assert installing.REQUIREMENT in (ROOT / "requirements/gpu.txt").read_text().splitlines()
