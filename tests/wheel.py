"""The wheel, and an environment of its own in which it is installed."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tarfile
import venv
from functools import partial
from pathlib import Path

import pytest

from tests.conftest import ROOT, made_once

# Whether the environment gets its libraries from the network, as a user's does, instead of those of the tests.
EMPTY = os.environ.get("NEYMAN_EMPTY_ENVIRONMENT") == "1"


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from the source archive, as whoever has only that builds it."""
    (built,) = made_once(tmp_path_factory, "dist", _build).glob("*.whl")
    return built


def _build(folder: Path) -> None:
    build = [sys.executable, "-m", "hatchling", "build", f"--directory={folder}"]
    subprocess.run([*build, "--target=sdist"], cwd=ROOT, capture_output=True, check=True)
    (archive,) = folder.iterdir()
    with tarfile.open(archive) as file:
        # Python 3.11.0 to 3.11.3 have no filters.
        file.extraction_filter = getattr(tarfile, "data_filter", None)
        file.extractall(folder)
    source = folder / archive.name.removesuffix(".tar.gz")
    subprocess.run([*build, "--target=wheel"], cwd=source, capture_output=True, check=True)


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the environment’s programs."""
    return made_once(tmp_path_factory, "environment", partial(_install, wheel)) / "bin"


def _install(wheel: Path, folder: Path) -> None:
    venv.create(folder, symlinks=True, with_pip=EMPTY)
    install: list[str | Path] = [folder / "bin" / "python", "-m", "pip", "install"]
    if not EMPTY:
        packages = sysconfig.get_path("purelib", "venv", {"base": str(folder), "platbase": str(folder)})
        libraries = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
        Path(packages, "lent.pth").write_text("\n".join(libraries))
        # This is faster than pip. What is used is compiled when it is imported.
        lent = ["--offline", "--no-cache", "--no-deps", "--python", folder / "bin" / "python"]
        install = [sys.executable, "-m", "uv", "pip", "install", *lent]
    subprocess.run([*install, "--quiet", wheel], env=os.environ | {"PIP_DISABLE_PIP_VERSION_CHECK": "1"}, check=True)
