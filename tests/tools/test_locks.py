"""Locks of the environments: every package with version and hashes, and the pins of the list behind each."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.conftest import ROOT

LOCKS = {
    "requirements.lock": "requirements.txt",
    "requirements/cluster.lock": "requirements/cluster.txt",
    "requirements/docs.lock": "requirements/docs.txt",
    "requirements/tools.lock": "requirements/tools.txt",
    "requirements/label-studio.lock": "tests/queues/label-studio.txt",
    "requirements/argilla.lock": "tests/queues/argilla.txt",
}


def pins(path: Path) -> dict[str, str]:
    """The exact versions that a list names, those of lists that it includes too."""
    pinned: dict[str, str] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("-r "):
            pinned |= pins(path.parent / line.removeprefix("-r "))
        elif match := re.match(r"([A-Za-z0-9._-]+)(?:\[.*\])?==(\S+)", line):
            pinned[re.sub(r"[-_.]+", "-", match[1]).lower()] = match[2]
    return pinned


def test_every_lock_is_listed_here() -> None:
    assert sorted(path.name for path in (ROOT / "requirements").glob("*.lock")) == sorted(
        Path(name).name for name in LOCKS if "/" in name
    )


def test_the_list_for_a_gpu_is_where_it_was_for_one_more_version() -> None:
    assert pins(ROOT / "requirements-gpu.txt") == pins(ROOT / "requirements/gpu.txt") != pins(ROOT / "requirements.txt")


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_has_hashes_for_every_package_and_the_versions_of_its_list(lock: str) -> None:
    text = (ROOT / lock).read_text(encoding="utf-8")
    packages = re.findall(
        r"^([a-z0-9][a-z0-9.-]*)==(\S+).*((?:\n    --hash=sha256:[0-9a-f]{64}.*)*)", text, re.MULTILINE
    )
    lines = [line for line in text.splitlines() if re.match(r"[A-Za-z0-9]", line)]
    assert len(packages) == len(lines) and all(hashes for *_, hashes in packages)
    assert pins(ROOT / LOCKS[lock]).items() <= {(name, version) for name, version, _ in packages}
    assert "://" not in text


@pytest.mark.parametrize(("variables", "strategy"), [({}, ""), ({"UV_INDEX": "extra"}, "unsafe-best-match")])
def test_packages_come_from_any_index_only_where_there_is_another_one(variables: dict[str, str], strategy: str) -> None:
    known = {name: value for name, value in os.environ.items() if not name.startswith(("UV_", "PIP_", "MAKE"))}
    words = ["make", "--no-print-directory", "-s", "-f", "Makefile", "-f", "/dev/stdin", "shown"]
    show = "shown:\n\t@echo $(UV_INDEX_STRATEGY)\n"
    made = subprocess.run(
        words, cwd=ROOT, env=known | variables, input=show, text=True, capture_output=True, check=True
    )
    assert made.stdout.strip() == strategy


def test_every_environment_but_those_with_vllm_is_installed_by_hashes() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    made = re.findall(r"\$\(call venv,([^,]+),(.*)\)", makefile)
    assert len(made) == 6
    assert [where for where, what in made if "--require-hashes" not in what] == ["$(VLLM_VENV)"]
