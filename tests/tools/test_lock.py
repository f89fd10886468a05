"""The lock file: what the app's environment is made of, down to the bytes."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

from tests.conftest import ROOT

LOCK = (ROOT / "requirements.lock").read_text(encoding="utf-8")
PIN = re.compile(r"^([a-z0-9._-]+)==([^ \n;]+)", re.MULTILINE | re.IGNORECASE)
LOCKED = dict(PIN.findall(LOCK))


def test_every_pin_is_locked_at_its_version():
    pins = dict(PIN.findall((ROOT / "requirements.txt").read_text(encoding="utf-8")))
    assert {name: LOCKED.get(name) for name in pins} == pins, "run `make lock`"


def test_every_package_has_hashes_and_none_is_built():
    blocks = LOCK.split("\n\n", 1)[1]
    packages = re.split(r"\n(?=[a-z0-9])", blocks.strip(), flags=re.IGNORECASE)
    assert len(packages) == len(LOCKED) > 60
    assert [text.splitlines()[0] for text in packages if "--hash=sha256:" not in text] == []
    assert LOCK.startswith("--only-binary :all:\n")


def test_nobodys_registry_is_named():
    assert re.findall(r"https?:|--(?:extra-)?index-url|--find-links|--trusted-host", LOCK) == []


def test_versions_outside_the_lock_are_refused_before_they_install_nothing():
    (newest,) = set(re.findall(r"python_full_version < '3\.(\d+)'", LOCK))
    assert f"(3, 11) <= sys.version_info < (3, {newest})" in (ROOT / "Makefile").read_text(encoding="utf-8")


def test_the_environment_is_installed_from_the_lock_with_its_hashes():
    recipe = (ROOT / "Makefile").read_text(encoding="utf-8").split("$(VENV)/.installed: requirements.lock")[1]
    assert "--require-hashes -r requirements.lock" in recipe.split("@touch")[0]


def test_an_environment_behind_a_link_is_left_to_those_who_use_it(tmp_path: Path) -> None:
    """Of a worktree with a link to the environment of another one, which was emptied."""
    python, used = tmp_path / "python", tmp_path / "used"
    python.write_text(f'#!/bin/sh\n[ "$1" = -c ] || exec "{sys.executable}" "$@" --without-pip\n', encoding="utf-8")
    python.chmod(0o755)
    used.mkdir()
    (used / "package").touch()
    (tmp_path / ".venv").symlink_to(used)
    for name in ("Makefile", "requirements.lock"):
        shutil.copy(ROOT / name, tmp_path)
    # It stops where pip would come from the network.
    made = subprocess.run(
        ["make", "env", f"PYTHON={python}"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert made.returncode and (tmp_path / ".venv" / "bin" / "python").exists(), made.stderr
    assert (used / "package").exists() and not (tmp_path / ".venv").is_symlink()
