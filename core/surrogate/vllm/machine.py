"""Means of this machine to serve a model: its GPUs, and a Python that has vLLM."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass

PYTHON_VARIABLE = "NEYMAN_VLLM_PYTHON"
_LOOK_SECONDS = 20


@dataclass(frozen=True, slots=True)
class Gpu:
    """A graphics card.

    Parameters
    ----------
    name : str
        As its driver calls it.
    free, total : int
        Memory, MiB.
    """

    name: str
    free: int
    total: int


def gpus() -> tuple[Gpu, ...]:
    """List the NVIDIA GPUs that this user sees; none if the driver's tool is missing or fails."""
    query = ["nvidia-smi", "--query-gpu=name,memory.free,memory.total", "--format=csv,noheader,nounits"]
    try:
        listed = subprocess.run(query, capture_output=True, text=True, timeout=_LOOK_SECONDS, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        return ()
    cards = re.finditer(r"^(.+?), *(\d+), *(\d+) *$", listed, re.MULTILINE)
    return tuple(Gpu(card[1].strip(), int(card[2]), int(card[3])) for card in cards)


def vllm_python() -> str:
    """The interpreter that runs vLLM: NEYMAN_VLLM_PYTHON, or else the one that runs this."""
    return os.environ.get(PYTHON_VARIABLE) or sys.executable


@dataclass(frozen=True, slots=True)
class Vllm:
    """vLLM as an environment has it.

    Parameters
    ----------
    python : str
        The interpreter of the environment.
    version : str
        Its version.
    has_launcher : bool
        Whether it has the module that starts a server since 0.32.
    """

    python: str
    version: str
    has_launcher: bool


def installed_vllm(python: str | None = None) -> Vllm | None:
    """Return what vLLM the environment of an interpreter has (None: :func:`vllm_python`); None if it has none.

    vLLM itself is not imported, which would take many seconds.
    """
    code = """
import importlib.metadata as metadata, importlib.util as util, pathlib
found = util.find_spec("vllm")
if found:
    names = metadata.packages_distributions().get("vllm")
    entry = pathlib.Path("entrypoints", "launchers", "api_server", "entry.py")
    print(metadata.version(names[0]) if names else "unknown")
    print(any((folder / entry).exists() for folder in map(pathlib.Path, found.submodule_search_locations or ())))
"""
    python = python or vllm_python()
    # -P: a folder called vllm where this is started is not the package.
    command = [python, "-P", "-c", code]
    try:
        said = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout.split()
    except (OSError, subprocess.SubprocessError):
        return None
    return Vllm(python, said[0], said[1] == "True") if len(said) == 2 else None


def vllm_version(python: str | None = None) -> str | None:
    """Return the version of an environment's vLLM, as :func:`installed_vllm` finds it; None if there is none."""
    vllm = installed_vllm(python)
    return None if vllm is None else vllm.version
