"""The Dockerfile, which no test can build: its steps name what there is, and its health check finds the app."""

from __future__ import annotations

import fnmatch
import json
import re
import subprocess
import sys
import tomllib

import pytest

import serve
from tests.conftest import ROOT
from tests.server.conftest import server

__all__ = ["server"]

_TEXT = re.sub(r"\\\n", "", (ROOT / "Dockerfile").read_text(encoding="utf-8"))
STEPS = [line.split(maxsplit=1) for line in _TEXT.splitlines() if line and not line.startswith("#")]


def steps(name: str) -> list[str]:
    return [rest for step, rest in STEPS if step == name]


def test_it_runs_as_a_user_with_a_volume_and_compiles_nothing() -> None:
    assert steps("USER") == ["neyman"] and steps("VOLUME") == ["/data"]
    after = STEPS[STEPS.index(["USER", "neyman"]) :]
    assert not any(step == "RUN" for step, _ in after)
    assert "apt" not in _TEXT and all(image.startswith("python:3.13-slim") for image in steps("FROM"))
    installs = re.findall(r"pip install [^&]*", _TEXT)
    assert len(installs) == 2
    assert all("--only-binary :all: --constraint constraints.txt" in one for one in installs)


def test_it_installs_the_versions_of_the_lock() -> None:
    command = steps("RUN")[0].split(">")[0]
    pins = subprocess.run(["sh", "-c", command], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    app = (ROOT / "requirements.txt").read_text(encoding="utf-8").split("# Tests:")[0]
    assert set(re.findall(r"^[\w-]+==\S+", app, re.MULTILINE)) <= set(pins)
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    assert len(pins) == len(re.findall(r"^\S+==", lock, re.MULTILINE)) > 50


def test_the_build_gets_all_that_the_wheel_is_made_of() -> None:
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    let_in = [line[1:] for line in lines if line.startswith("!")]
    assert "*" in lines
    build = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]
    needed = [*build["build"]["targets"]["wheel"]["force-include"], "tools/hatch_build.py", "pyproject.toml", "LICENSE"]
    needed += [
        "neyman",
        "README.md",
        "requirements.lock",
        "requirements.txt",
        "requirements/cluster.txt",
        "requirements/gpu.txt",
    ]
    assert [path for path in needed if not any(fnmatch.fnmatch(path, one) for one in let_in)] == []
    assert all(list(ROOT.glob(one)) for one in let_in)


def test_its_ports_are_those_of_the_app_and_of_the_space() -> None:
    card = (ROOT / "deploy/huggingface/README.md").read_text(encoding="utf-8").split("---")[1]
    front = dict(line.split(": ", 1) for line in card.strip().splitlines())
    assert front["sdk"] == "docker" and len(front["short_description"]) <= 60
    assert [front["app_port"]] == steps("EXPOSE") == [str(serve._PORT)]
    command = json.loads(steps("CMD")[0])
    assert re.findall(r"exec neyman serve (--\w+)", command[-1]) == ["--public", "--share"]


@pytest.mark.parametrize("alive", [True, False])
def test_its_health_check_finds_the_app(server, alive: bool) -> None:
    check = json.loads(steps("HEALTHCHECK")[0].partition(" CMD ")[2])
    address = f"{'127.0.0.1'}', {server.url.rpartition(':')[2] if alive else 1}"
    code = check[-1].replace(f"127.0.0.1', {serve._PORT}", address)
    assert code != check[-1] and check[:-1] == ["python", "-c"]
    done = subprocess.run([sys.executable, "-c", code], capture_output=True)
    assert (done.returncode == 0) is alive
