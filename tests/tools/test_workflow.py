"""The workflow that tests every change on GitHub: its commands are those of the Makefile."""

from __future__ import annotations

import re
import shlex
import subprocess

import pytest

from tests.conftest import ROOT

WORKFLOW = (ROOT / ".github/workflows/test.yml").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^ +- run: (.+)$", WORKFLOW, re.MULTILINE)


def jobs() -> dict[str, str]:
    parts = re.split(r"^  (\w+):\n", WORKFLOW.split("\njobs:\n")[1], flags=re.MULTILINE)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_exists(command: str) -> None:
    words = shlex.split(command)
    assert words[0] == "make"
    subprocess.run([words[0], "--dry-run", *words[1:]], cwd=ROOT, capture_output=True, check=True)


def test_linux_checks_and_tests_everything_with_chromium() -> None:
    linux = jobs()["linux"]
    assert "run: make chromium\n" in linux and "run: make check test\n" in linux
    assert "CI:" not in linux, "GitHub sets CI=true, with which nothing may be skipped"


def test_macos_tests_all_but_the_browser() -> None:
    marks = re.search(r"-m '(.+?)'", jobs()["macos"])
    recipe = re.search(r'pytest -m "(.+?)"', (ROOT / "Makefile").read_text(encoding="utf-8").split("\ntest:")[1])
    assert marks and recipe and marks[1] == f"not browser and {recipe[1]}"
