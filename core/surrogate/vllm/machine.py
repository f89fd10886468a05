"""What this machine can serve a model with: its GPUs, and a Python that has vLLM."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass

PYTHON_VARIABLE = "NEYMAN_VLLM_PYTHON"
_LOOK_SECONDS = 20


@dataclass(frozen=True, slots=True)
class Gpu:
    """A graphics card; memory in MiB."""

    name: str
    free: int
    total: int


def gpus() -> tuple[Gpu, ...]:
    """The NVIDIA GPUs that this user sees; none where the driver's tool is missing or fails."""
    query = ["nvidia-smi", "--query-gpu=name,memory.free,memory.total", "--format=csv,noheader,nounits"]
    try:
        listed = subprocess.run(query, capture_output=True, text=True, timeout=_LOOK_SECONDS, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        return ()
    found = []
    for line in listed.splitlines():
        name, _, memory = line.partition(",")
        numbers = [part.strip() for part in memory.split(",")]
        if len(numbers) == 2 and all(number.isdigit() for number in numbers):
            found.append(Gpu(name.strip(), int(numbers[0]), int(numbers[1])))
    return tuple(found)


def vllm_python() -> str:
    """The interpreter that runs vLLM: NEYMAN_VLLM_PYTHON, or else the one that runs this."""
    return os.environ.get(PYTHON_VARIABLE) or sys.executable


def vllm_version(python: str | None = None) -> str | None:
    """Version of vLLM in an interpreter's environment; None where it has none, or is no interpreter.

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
        found = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return None
    return found or None
