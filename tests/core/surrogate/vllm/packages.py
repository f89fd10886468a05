"""A package called vllm for pip to install, without a network."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest


def offered_vllm(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Have pip find a small vLLM in a folder, and nothing anywhere else; return the wheel."""
    folder.mkdir(exist_ok=True)
    wheel, info = folder / "vllm-0.32.0-py3-none-any.whl", "vllm-0.32.0.dist-info"
    with zipfile.ZipFile(wheel, "w") as file:
        file.writestr("vllm/__init__.py", "")
        file.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: vllm\nVersion: 0.32.0\n")
        file.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        file.writestr(f"{info}/RECORD", "")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.delenv("NEYMAN_VLLM_PYTHON", raising=False)
    return wheel
