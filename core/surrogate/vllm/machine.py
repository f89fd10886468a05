"""What this machine can serve a model with: its GPUs, and a Python that has vLLM."""

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


def vllm_version(python: str | None = None) -> str | None:
    """Version of vLLM in the environment of an interpreter (None: :func:`vllm_python`); None if it has none.

    vLLM itself is not imported, which would take many seconds.
    """
    code = """
import importlib.metadata as metadata, importlib.util as util
if util.find_spec("vllm"):
    names = metadata.packages_distributions().get("vllm")
    print(metadata.version(names[0]) if names else "unknown")
"""
    # -P: a folder called vllm where this is started is not the package.
    command = [python or vllm_python(), "-P", "-c", code]
    try:
        version = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return None
    return version or None
